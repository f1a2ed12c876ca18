//! Traffic matrices of flows: rates between nodes.

mod common;
use common::{changed, lines, LINK};
use penstock_engine::{Cancel, Sim};
use penstock_scenario::{load_with, Mistake, ReadOptions, ValidScenario};
use std::fs;
use std::path::{Path, PathBuf};

const CBR: &str = "source.cbr = { rate = \"100 kbit/s\", packet = \"125 bytes\" }\n";

/// The small scenario with links both ways between `hosts`, `a` and `b`, and these flows instead of its own.
fn read(folder: &Path, flows: &str) -> Result<ValidScenario, Vec<Mistake>> {
    let links = "delay = \"1 ms\"\nboth-ways = true\n[[links]]\nfrom = \"hosts\"\nto = \"a\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nboth-ways = true";
    let text = changed(LINK, links) + "[[flows]]\nname = \"m\"\n" + flows;
    load_with(
        &Cancel::default(),
        &text,
        "t.toml",
        &[],
        ReadOptions { folder: Some(folder.to_owned()), parquet: None, ..ReadOptions::default() },
    )
}

/// An empty folder of this test, with the matrix `m.csv`.
fn folder(name: &str, csv: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flow-matrices").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("m.csv"), csv).expect("written");
    folder
}

/// The ends of each flow of the matrix, and the number of packets of 125 bytes that it received in the run.
fn received(scenario: &ValidScenario) -> Vec<(String, String, u64)> {
    let blueprint = scenario.blueprint(None, 0);
    let group = blueprint.groups.iter().position(|group| group.name == "m").expect("the matrix") as u32;
    let (nodes, flows) = (blueprint.nodes.clone(), blueprint.flows.clone());
    let seen = Sim::new(blueprint).expect("sound").run();
    let of_matrix = flows.iter().zip(&seen.flows).filter(|(flow, _)| flow.group == group);
    of_matrix
        .map(|(flow, counters)| (nodes[flow.from.index()].clone(), nodes[flow.to.index()].clone(), counters.received.packets))
        .collect()
}

/// The mistakes without the place, which ends with the first `: ` after the path.
fn mistakes(result: Result<ValidScenario, Vec<Mistake>>) -> Vec<String> {
    let short = |line: String| line.split_once("flows[1]").map_or(line.clone(), |(_, rest)| rest.to_owned());
    lines(result).into_iter().map(short).collect()
}

#[test]
fn each_entry_is_a_flow_at_its_rate() {
    let folder = folder("rates", ",b,hosts[0]\nhosts[1],2,0\nb,,50 kbit/s\nhosts[0],\"0.5\",\n");
    let scenario = read(&folder, &format!("matrix = \"m.csv\"\n{CBR}")).expect("sound");
    let blueprint = scenario.blueprint(None, 0);
    let counted = blueprint.end.since(blueprint.warm_up).as_seconds();
    // A packet is 1000 bit: 200, 50 and 50 packets a second, plus or minus one for the phase and packets in flight.
    let expected = [("hosts[1]", "b", 200.0), ("b", "hosts[0]", 50.0), ("hosts[0]", "b", 50.0)];
    let found = received(&scenario);
    assert_eq!(found.len(), 3);
    for ((from, to, count), (a, b, rate)) in found.iter().zip(expected) {
        assert_eq!((from.as_str(), to.as_str()), (a, b));
        assert!((*count as f64 - rate * counted).abs() <= 2.0, "{from} to {to}: {count}");
    }
    let inline = "matrix = [[\"\", \"b\", \"hosts[0]\"], [\"hosts[1]\", 2, 0], [\"b\", \"\", \"50 kbit/s\"], [\"hosts[0]\", 0.5, 0]]\n";
    assert_eq!(received(&read(&folder, &format!("{inline}{CBR}")).expect("sound")), found);
    assert!(scenario.canonical().contains("\"files\":{\"m.csv\""));
    let poisson = CBR.replace("cbr", "poisson");
    let mean = received(&read(&folder, &format!("matrix = \"m.csv\"\n{poisson}")).expect("sound"))[0].2 as f64;
    // Four standard errors of a Poisson count.
    assert!((mean - 200.0 * counted).abs() < 4.0 * (200.0 * counted).sqrt() + 1.0, "{mean}");
}

#[test]
fn mistakes_in_a_matrix_have_their_place() {
    let in_file = |csv: &str| mistakes(read(&folder("mistakes", csv), &format!("matrix = \"m.csv\"\n{CBR}")));
    assert_eq!(in_file(",a,b\na,0,1\nb,1\n"), [".matrix: m.csv:3: has 2 fields under a first row of 3"]);
    assert_eq!(in_file(",a,b\n\na,0,-1\n"), [".matrix: m.csv:3, column 3 (from a to b): '-1' is negative; a rate is zero or more"]);
    assert!(in_file(",a,bb\na,0,1\n")[0].starts_with(".matrix: m.csv:1, column 3: unknown node 'bb'"), "{:?}", in_file(",a,bb\na,0,1\n"));
    assert_eq!(
        in_file(",b\na,1e13\n"),
        [".matrix: m.csv:2, column 2 (from a to b): '1e13' times 100 kbit/s is no rate from 1 bit/s to 1e17 bit/s"]
    );
    let keys = |keys: &str| mistakes(read(Path::new("."), keys));
    let sound = "matrix = [[\"\", \"b\"], [\"a\", 1]]\n";
    assert_eq!(
        keys(&format!("{sound}{CBR}from = \"a\"\ncount = 2\n")),
        ["from", "count"].map(|key| format!(".{key}: has no effect: the matrix gives the ends of all flows; leave it out"))
    );
    let ftp = "source.ftp = {}\ntransport.tcp = {}\n";
    assert_eq!(keys(&format!("{sound}{ftp}")), [".matrix: source 'ftp' has no rate that a matrix could set; cbr and poisson have one"]);
    let missing = ["from", "to"].map(|key| format!(".{key}: is missing and has no default; write {key} = \"name of a node\""));
    assert_eq!(keys(CBR), missing);
}
