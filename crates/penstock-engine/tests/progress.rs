//! Runs advance by events, at a cost that grows with the events and not with the network.

mod support;

use penstock_engine::{Executor, Sim};
use support::{discipline, source, time, transport, Net};

/// Returns a star of `hosts` hosts around a hub. Each host sends 1 Mbit/s to a sink of its own for 100 ms.
fn star(hosts: usize) -> Net {
    let mut net = Net::new("100 ms", 1);
    let hub = net.node("hub");
    let group = net.group("cbr", source("cbr", "rate = 1 Mbit/s; packet = 800 bytes"), transport("udp", ""), ("0 s", "0 s"));
    for i in 0..hosts {
        let (host, sink) = (net.node(&format!("hosts[{i}]")), net.node(&format!("sinks[{i}]")));
        let queue = || discipline("tail-drop", "limit = 1000 packets");
        let up = net.link(host, hub, "100 Mbit/s", "1 ms", queue());
        let down = net.link(hub, sink, "100 Mbit/s", "1 ms", queue());
        net.0.routes.push(&[up, down]);
        let route = penstock_model::id::RouteId(i as u32);
        net.flow(group, route, route);
    }
    net
}

/// Runs in stretches of `budget` events; returns the number of processes that the executor looked at, and of stretches.
fn steps(sim: &mut Sim, budget: u64) -> (u64, u64) {
    let mut stretches = 1;
    while !sim.run_events(sim.end(), budget) {
        stretches += 1;
    }
    (sim.executor_steps(), stretches)
}

#[test]
fn a_large_network_costs_no_more_per_event_than_a_small_one() {
    let per_event = |hosts: usize| {
        let mut sim = Sim::new(star(hosts).0).expect("a sound blueprint");
        let (steps, stretches) = steps(&mut sim, 1_000);
        assert!(stretches > hosts as u64 / 100, "{stretches} stretches");
        steps as f64 / sim.events() as f64
    };
    let (small, large) = (per_event(40), per_event(4_000));
    assert!(large < 2.0 * small, "{large} processes looked at per event, {small} in a small network");
}

#[test]
fn stretches_look_at_no_process_twice() {
    let whole = steps(&mut Sim::new(star(500).0).expect("a sound blueprint"), u64::MAX);
    let many = steps(&mut Sim::new(star(500).0).expect("a sound blueprint"), 10);
    assert!(many.1 > 100, "{} stretches", many.1);
    assert_eq!(many.0, whole.0);
}

/// 40 hosts, ports and sinks are looked at in the beginning, and then once for each event: a process has one in 6.4 ms, and a window
/// is 1 ms long.
#[test]
fn windows_look_only_at_processes_that_have_something_to_do() {
    let mut sim = Sim::new(star(40).0).expect("a sound blueprint").with_executor(Executor::Windows);
    assert_eq!(steps(&mut sim, u64::MAX).0, 3 * 40 + sim.events());
}

#[test]
fn stretches_on_several_cores_look_at_no_process_twice() {
    let run = |budget: u64| {
        let sim = Sim::with_partition(star(100).0, &|process| process as u32 % 2).expect("a sound blueprint");
        steps(&mut sim.run_shards_in_turn(), budget)
    };
    let (whole, many) = (run(u64::MAX), run(50));
    assert!(many.1 > 20, "{} stretches", many.1);
    assert!(many.0 < whole.0 * 2, "{} processes looked at, {} without stops", many.0, whole.0);
}

#[test]
fn a_stretch_stops_soon_after_its_budget() {
    let mut sim = Sim::new(star(100).0).expect("a sound blueprint");
    assert!(!sim.run_events(sim.end(), 100));
    assert!((100..200).contains(&sim.events()), "{} events", sim.events());
    // Up to an earlier instant, nothing may be left to do.
    assert!(!sim.run_events(time("10 ms"), 0));
    assert!(sim.run_events(time("0 s"), u64::MAX));
    assert!(sim.run_events(sim.end(), u64::MAX));
    let events = sim.events();
    assert!(sim.run_events(sim.end(), u64::MAX));
    assert_eq!(sim.events(), events);
}

/// 200 packets, half of them for b and half for c behind it, arrive at b within one window. b takes 64 at a time, and each visit ends
/// after those; the stretch ends with the visit.
#[test]
fn a_stretch_that_ends_within_a_window_loses_nothing() {
    let mut net = Net::new("100 ms", 1);
    let [a, b, c] = ["a", "b", "c"].map(|name| net.node(name));
    let queue = || discipline("tail-drop", "limit = 1000 packets");
    let (first, second) = (net.link(a, b, "1 Gbit/s", "10 ms", queue()), net.link(b, c, "1 Gbit/s", "10 ms", queue()));
    for route in [net.route(&[first]), net.route(&[first, second])] {
        net.burst("0 s", 100, 1000, route);
    }
    net.0.max_visit_events = 10;
    let mut sim = Sim::new(net.0.clone()).expect("a sound blueprint").with_executor(Executor::Windows);
    let (_, stretches) = steps(&mut sim, 1);
    assert!(stretches > 3, "{stretches}");
    let seen = sim.finish();
    assert_eq!(seen.flows.iter().map(|flow| flow.received.packets).sum::<u64>(), 200);
    assert_eq!(seen.digest, net.run().digest);
}
