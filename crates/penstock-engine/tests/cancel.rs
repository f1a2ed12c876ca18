//! A run can be stopped soon, whatever begins in it and when, and so can what comes before it.

mod support;

use penstock_engine::blueprint::{CallsPlan, MAX_VISIT_EVENTS};
use penstock_engine::{Blueprint, BlueprintError, Executor, Sim};
use penstock_model::call::counts::CallCounts;
use penstock_model::call::ArrivalPlan;
use penstock_model::source::SourcePlan;
use penstock_model::units::{Duration, Time};
use std::sync::Arc;
use support::{discipline, endless_calls, one_link, parameters, source, time, transport, Net};

/// 1000 s in which nothing happens for 500 s, and then one thing very often; a second hop, which hears of it 100 ms later.
fn silence(rate: &str, then: impl FnOnce(&mut Net, penstock_model::id::RouteId, penstock_model::id::LinkId)) -> Blueprint {
    let queue = || discipline("tail-drop", "limit = 1000000 packets");
    let (mut net, _, first) = one_link("1000 s", 1, rate, "100 ms", queue());
    let (b, c) = (net.0.links[0].to, net.node("c"));
    let second = net.link(b, c, rate, "1 ms", queue());
    let route = net.route(&[first, second]);
    // What arrives before keeps visits long.
    let tick = net.group("tick", source("cbr", "rate = 800 bit/s; packet = 100 bytes"), transport("udp", ""), ("0 s", "0 s"));
    net.flow(tick, route, route);
    then(&mut net, route, first);
    net.0
}

fn datagrams(rate: &str, sent: SourcePlan) -> Blueprint {
    silence(rate, |net, route, _| {
        let group = net.group("storm", sent, transport("udp", ""), ("500 s", "500 s"));
        net.flow(group, route, route);
    })
}

/// Aggregates of calls, which need a way back.
fn calls(sent: SourcePlan, plan: impl FnOnce(&mut CallsPlan)) -> Blueprint {
    silence("100 Tbit/s", |net, route, _| {
        let group = net.group("calls", sent, transport("udp", ""), ("0 s", "0 s"));
        let mut calls = endless_calls();
        plan(&mut calls);
        net.0.groups[group as usize].calls = Some(Arc::new(calls));
        net.flow(group, route, route);
    })
}

/// Runs that have very much to do at once, or from 500 s on.
fn storms() -> Vec<(&'static str, Blueprint)> {
    let voice = || source("cbr", "rate = 64 kbit/s; packet = 160 bytes");
    let sampled = silence("1 Gbit/s", |net, _, link| net.sample(link, "1 ps"));
    let arriving = calls(voice(), |calls| calls.arrivals = Some(ArrivalPlan::Poisson(parameters("interval = 1 ps"))));
    vec![
        ("the case of 9 Gbit/s", datagrams("10 Gbit/s", source("cbr", "rate = 9 Gbit/s; packet = 1500 bytes"))),
        ("small packets at 90 Tbit/s", datagrams("100 Tbit/s", source("cbr", "rate = 90 Tbit/s; packet = 64 bytes"))),
        ("the same into a slow link", datagrams("1 Gbit/s", source("cbr", "rate = 90 Tbit/s; packet = 64 bytes"))),
        ("at random times", datagrams("100 Tbit/s", source("poisson", "rate = 90 Tbit/s; packet = 64 bytes"))),
        ("on and off", datagrams("100 Tbit/s", source("on-off", "packet = 64 bytes; spacing = 6 ps; on = 1 us; off = 1 ns"))),
        ("samples", sampled),
        ("arriving calls", arriving),
        ("calls that send often", calls(source("cbr", "rate = 90 Tbit/s; packet = 64 bytes"), |calls| calls.initial = CallCounts::same(3))),
    ]
}

#[test]
fn a_storm_after_a_silence_is_taken_in_small_parts() {
    for (name, blueprint) in storms() {
        for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            let mut sim = Sim::new(blueprint.clone()).expect("a sound blueprint").with_executor(executor);
            let (mut largest, mut stretches) = (0, 0);
            // Until two million events are over, most of which belong to the storm.
            while sim.events() < 2_000_000 {
                let before = sim.events();
                assert!(!sim.run_events(sim.end(), 1), "{name} is over after {before} events");
                largest = largest.max(sim.events() - before);
                stretches += 1;
            }
            // A visit may end a batch, and its instant, after the limit; a loop that hands on to another counts anew.
            assert!(largest <= 3 * MAX_VISIT_EVENTS, "{largest} events in a visit: {name}, {executor:?}, {stretches} visits");
        }
    }
}

#[test]
fn a_flag_stops_a_run() {
    for cores in [1, 2] {
        let (_, blueprint) = storms().swap_remove(1);
        let of = |process: usize| process as u32 % cores;
        let mut sim = Sim::with_partition(blueprint.clone(), &of).expect("a sound blueprint").run_shards_in_turn();
        assert!(!sim.run_events(sim.end(), 1_000_000));
        let before = sim.events();
        blueprint.cancel.set();
        assert!(!sim.run_events(sim.end(), u64::MAX));
        assert!(sim.events() - before <= u64::from(cores) * 3 * MAX_VISIT_EVENTS);
    }
}

#[test]
fn a_flag_stops_a_run_on_several_threads() {
    let (_, blueprint) = storms().swap_remove(1);
    let cancel = blueprint.cancel.clone();
    let mut sim = Sim::with_partition(blueprint, &|process| process as u32 % 2).expect("a sound blueprint");
    let raised = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        cancel.set();
    });
    // It would take days.
    assert!(!sim.run_events(Time::NEVER, u64::MAX));
    raised.join().expect("it only sleeps");
}

#[test]
fn what_is_built_under_a_flag_is_refused() {
    let (_, blueprint) = storms().swap_remove(0);
    blueprint.cancel.set();
    assert_eq!(Sim::new(blueprint).err(), Some(BlueprintError::Cancelled));
}

#[test]
fn very_many_calls_are_not_made_under_a_flag() {
    // Four thousand million calls would need more memory than there is.
    let blueprint = calls(source("cbr", "rate = 64 kbit/s; packet = 160 bytes"), |calls| {
        let at = time("1 s");
        calls.surge = Some(penstock_engine::blueprint::SurgePlan { at, calls: CallCounts::same(u32::MAX), spread: Duration::ZERO });
    });
    let cancel = blueprint.cancel.clone();
    let mut sim = Sim::new(blueprint).expect("a sound blueprint");
    assert!(sim.run_events(time("999 ms"), u64::MAX));
    let raised = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancel.set();
    });
    assert!(!sim.run_events(time("2 s"), u64::MAX));
    raised.join().expect("it only sleeps");
}
