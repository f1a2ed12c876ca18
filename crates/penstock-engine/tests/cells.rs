//! Random scenarios with cells: the same whoever runs them, and no packet is lost unseen.

#[allow(dead_code)] // each test file uses a part
#[path = "support/random/mod.rs"]
mod random;
mod support;

use penstock_engine::blueprint::{Blueprint, FastPaths, WatchPlan};
use penstock_engine::observations::LinkCounters;
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::rng::Key;
use proptest::prelude::*;
use random::case;
use std::sync::Arc;

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
            if timings.circuits.is_empty() {
                continue;
            }
            let sum = |of: fn(&LinkCounters) -> u128| timings.circuits.iter().map(|circuit| of(&circuit.counters)).sum::<u128>();
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
