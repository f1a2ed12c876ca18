//! Between how many cores a network is divided, what bounds that, and which ways through the engine its events take.

mod support;

use penstock_engine::work::MODES;
use penstock_engine::{Executor, Sim};
use penstock_model::id::RouteId;
use penstock_model::units::Time;
use support::{discipline, source, transport, Net};

/// Returns a dumbbell with `flows` flows, each between hosts of its own, and `delay` on the middle link.
fn dumbbell(flows: u32, delay: &str) -> Net {
    dumbbell_for("100 ms", flows, delay)
}

fn dumbbell_for(duration: &str, flows: u32, delay: &str) -> Net {
    let mut net = Net::new(duration, 1);
    let (left, right) = (net.node("left"), net.node("right"));
    let queue = || discipline("tail-drop", "limit = 100 packets");
    let middle = net.link(left, right, "100 Mbit/s", delay, queue());
    let group = net.group("cbr", source("cbr", "rate = 1 Mbit/s; packet = 800 bytes"), transport("udp", ""), ("0 s", "0 s"));
    for i in 0..flows {
        let (from, to) = (net.node(&format!("from[{i}]")), net.node(&format!("to[{i}]")));
        let up = net.link(from, left, "100 Mbit/s", delay, queue());
        let down = net.link(right, to, "100 Mbit/s", delay, queue());
        net.0.routes.push(&[up, middle, down]);
        net.flow(group, RouteId(i), RouteId(i));
    }
    net
}

#[test]
fn the_busiest_port_bounds_how_many_parts_a_dumbbell_has() {
    // Each flow passes a sender, the middle, a port of its own and a receiver; the middle is passed by all.
    for cores in [4, 8, 64] {
        let division = Sim::division(&dumbbell(6, "1 ms").0, cores).expect("a sound blueprint");
        assert_eq!((division.clusters, division.most), (19, division.parts), "{cores} cores: {division:?}");
        assert_eq!(division.busiest, "left-right");
        assert!(division.speedup > 1.25 && division.speedup * division.share <= 1.0, "{division:?}");
        assert_eq!(division.most, (1.0 / division.share).ceil() as usize);
    }
    let two = Sim::division(&dumbbell(6, "1 ms").0, 2).expect("a sound blueprint");
    assert_eq!(two.parts, 2);
    assert_eq!(Sim::division(&dumbbell(6, "1 ms").0, 1).expect("a sound blueprint").parts, 1);
}

#[test]
fn no_part_is_empty_and_the_results_are_those_of_one_core() {
    let one = Sim::new(dumbbell(6, "1 ms").0).expect("a sound blueprint").run();
    for cores in 2..9 {
        let mut sim = Sim::with_cores(dumbbell(6, "1 ms").0, cores).expect("a sound blueprint").run_shards_in_turn();
        sim.run_until(sim.end());
        let parts = Sim::division(&dumbbell(6, "1 ms").0, cores).expect("a sound blueprint").parts;
        assert_eq!(sim.cores(), parts);
        assert_eq!(sim.finish().digest, one.digest);
    }
}

#[test]
fn one_core_goes_on_where_little_happens_between_two_barriers() {
    let blueprint = || dumbbell_for("200 s", 6, "1 us").0;
    let mut sim = Sim::with_cores(blueprint(), 2).expect("a sound blueprint").run_shards_in_turn();
    sim.run_until(Time::from_ps(1_000_000_000_000));
    assert_eq!(sim.cores(), 2);
    sim.run_until(sim.end());
    assert_eq!(sim.cores(), 1, "{} events", sim.events());
    assert_eq!(sim.finish().digest, Sim::new(blueprint()).expect("a sound blueprint").run().digest);
}

#[test]
fn every_event_is_counted_in_the_mode_that_handled_it() {
    for (executor, mode) in [(Executor::Plain, 0), (Executor::Sweeps, 1), (Executor::Windows, 2)] {
        let mut sim = Sim::new(dumbbell(6, "1 ms").0).expect("a sound blueprint").with_executor(executor);
        sim.run_until(sim.end());
        let [plain, sweeps, windows] = MODES.map(|mode| sim.mode_events()[mode]);
        let counts = [plain, sweeps, windows];
        assert_eq!((counts[mode], counts.iter().sum::<u64>()), (sim.events(), sim.events()), "{executor:?}");
        assert_eq!(sim.port_kinds().into_iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>(), [("tail-drop-fifo", 13)]);
        let events = sim.events();
        let seen = sim.finish();
        let sent: u64 = seen.flows.iter().map(|flow| flow.sent.packets).sum();
        assert_eq!(events, sent + seen.packet_hops, "{executor:?}");
    }
}
