//! Runs a scenario once, without Python: `simulate FILE [DURATION [THREADS]]`. For profilers, and for counting instructions.

use penstock_engine::Sim;
use penstock_scenario::{load, report};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("simulate FILE [DURATION [THREADS]]");
    let sets: Vec<(String, String)> = arguments.next().map(|duration| ("duration".to_owned(), duration)).into_iter().collect();
    let threads = arguments.next().map_or(1, |text| text.parse().expect("a number of threads"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let scenario = load(&text, &file, &sets).unwrap_or_else(|mistakes| panic!("{}", report(&mistakes)));
    let seen = Sim::with_cores(scenario.blueprint(None, 0), threads).expect("validated").run();
    println!("{} packet-hops, digest {:016x}", seen.packet_hops, seen.digest);
}
