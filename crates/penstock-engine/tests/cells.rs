//! Random scenarios with cells: the same whoever runs them, and no packet is lost unseen.

#[allow(dead_code)] // each test file uses a part
#[path = "support/random/mod.rs"]
mod random;
mod support;

use penstock_engine::blueprint::{Blueprint, CircuitPlan, FastPaths, LinkWatch, WatchPlan};
use penstock_engine::observations::{LinkCounters, TraceEvent, TrafficPart};
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::id::{FlowId, RouteId};
use penstock_model::rng::Key;
use proptest::prelude::*;
use random::case;
use std::sync::Arc;
use support::{discipline, one_link, Net};

fn sim(blueprint: &Blueprint) -> Sim {
    Sim::new(blueprint.clone()).expect("random scenarios are sound")
}

/// Everything that can be observed is the same; the first differences are shown.
fn same(a: &Observations, b: &Observations) -> Result<(), TestCaseError> {
    let rows = a.trace.iter().zip(&b.trace).position(|(a, b)| a != b).unwrap_or(a.trace.len().min(b.trace.len()));
    prop_assert_eq!(a.trace.get(rows), b.trace.get(rows), "row {} of the traces", rows);
    prop_assert_eq!(&a.links, &b.links);
    prop_assert_eq!(&a.flows, &b.flows);
    prop_assert_eq!(a.digest, b.digest, "digests");
    prop_assert!(a == b, "everything else");
    Ok(())
}

/// A link of 1 Mbit/s that carries cells, 424 us each, and has room for `limit` of them; its circuits are watched.
fn cell_link(limit: &str) -> (Net, RouteId) {
    let (mut net, route, link) = one_link("1 s", 1, "1 Mbit/s", "1 ms", discipline("tail-drop", &format!("limit = {limit}")));
    net.0.links[link.index()].cells = true;
    net.0.watch.links = [(link, LinkWatch { circuits: true, ..LinkWatch::default() })].into();
    (net, route)
}

/// Two packets of 12 cells at once: those of the first wait for 0 to 11 cells, those of the second for 12 to 23.
#[test]
fn a_flow_without_another_circuit_has_its_own() {
    let (mut net, route) = cell_link("100 packets");
    net.burst("0 s", 2, 552, route);
    let seen = net.run();
    let waited = seen.ports[0].1.parts.iter().map(|(circuit, counters)| (*circuit, counters.waiting_packet_ps / 424_000_000));
    assert_eq!(waited.collect::<Vec<_>>(), [(TrafficPart::OwnCircuit(FlowId(0)), 66), (TrafficPart::OwnCircuit(FlowId(1)), 210)]);
}

/// Of 12 cells one is sent and five wait; the others are dropped, the last one included. So the receiver takes the next packet on the
/// circuit, of 5 cells, for the rest of the first, and both are lost.
#[test]
fn a_packet_that_is_spoiled_by_the_one_before_counts_as_lost() {
    let (mut net, route) = cell_link("5 packets");
    net.packet("0 s", 552, route);
    net.packet("100 ms", 200, route);
    net.0.atm.circuits = vec![CircuitPlan { name: "shared".to_owned(), groups: vec![0, 1], mcr: None }];
    net.0.trace = true;
    let seen = net.run();
    assert_eq!([0, 1].map(|flow| (seen.flows[flow].lost_packets, seen.flows[flow].received.packets)), [(1, 0), (1, 0)]);
    let spoiled = seen.trace.iter().filter(|row| row.event == TraceEvent::Drop(DropCause::Partial)).map(|row| (row.place, row.flow()));
    assert_eq!(spoiled.collect::<Vec<_>>(), [(1, 1)]);
}

proptest! {
    #![proptest_config(support::cases(200))]

    #[test]
    fn executors_and_cores_agree(case in case(), all in any::<bool>(), cut in any::<u64>()) {
        let blueprint = case.cell_blueprint(all);
        let plain = sim(&blueprint).with_executor(Executor::Plain).run();
        let shard_of = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % 3) as u32;
        for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            same(&plain, &sim(&blueprint).with_executor(executor).run())?;
            let several = Sim::with_partition(blueprint.clone(), &shard_of).expect("random scenarios are sound");
            same(&plain, &several.with_executor(executor).run_shards_in_turn().run())?;
        }
    }

    /// What the circuits of a port have waiting is together what the port has.
    #[test]
    fn circuits_share_out_what_waits(case in case(), all in any::<bool>()) {
        let seen = sim(&case.cell_blueprint(all)).run();
        for (link, timings) in &seen.ports {
            let circuits: Vec<&LinkCounters> = timings.parts.range(TrafficPart::SharedCircuit(0)..).map(|(_, counters)| counters).collect();
            if circuits.is_empty() {
                continue;
            }
            let sum = |of: fn(&LinkCounters) -> u128| circuits.iter().map(|counters| of(counters)).sum::<u128>();
            let port = &seen.links[link.index()];
            prop_assert_eq!(sum(|counters| counters.waiting_packet_ps), port.waiting_packet_ps, "cells of link {}", link.index());
            prop_assert_eq!(sum(|counters| counters.waiting_byte_ps), port.waiting_byte_ps, "bytes of link {}", link.index());
        }
    }

    /// Fast paths, early ends of visits and decisions at departure change nothing.
    #[test]
    fn short_cuts_change_nothing(case in case(), all in any::<bool>(), most in prop_oneof![1u64..8, 8u64..200]) {
        let traced = case.cell_blueprint(all);
        for blueprint in [Blueprint { watch: WatchPlan::default(), trace: false, ..traced.clone() }, traced] {
            let whole = sim(&blueprint).run();
            same(&whole, &sim(&Blueprint { fast_paths: FastPaths::NONE, ..blueprint.clone() }).run())?;
            same(&whole, &sim(&Blueprint { max_visit_events: most, ..blueprint.clone() }).run())?;
            let mut served = blueprint;
            served.links.iter_mut().for_each(|link| Arc::make_mut(&mut link.port).force_event_driven = true);
            same(&whole, &sim(&served).run())?;
        }
    }
}
