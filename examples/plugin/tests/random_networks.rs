//! The plug-in's components, and one of each other open kind, in the random networks of the engine's own tests.

#[path = "../../../crates/penstock-engine/tests/support/random/mod.rs"]
#[allow(dead_code, reason = "the engine's tests use the rest")]
mod random;
#[path = "../../../crates/penstock-engine/tests/support/mod.rs"]
mod support;
mod tiny;

use penstock_engine::{Executor, Sim};
use penstock_model::registry::Registry;
use penstock_model::rng::Key;
use penstock_model::units::Time;
use proptest::prelude::*;
use random::case;

/// Makes the components of plug-ins known to random networks.
fn with_plugins() {
    support::REGISTRY.get_or_init(|| {
        let mut registry = Registry::default();
        registry.load(example_plugin::plugin()).expect("sound");
        registry.load(tiny::plugin()).expect("other names");
        registry
    });
}

#[test]
fn every_component_is_in_random_networks() {
    with_plugins();
    assert_eq!(random::coverage::missing(2_000), [].into());
}

proptest! {
    #![proptest_config(support::cases(40))]

    #[test]
    fn executors_agree(case in { with_plugins(); case() }, cut in any::<u64>()) {
        let blueprint = case.blueprint();
        let sim = || Sim::new(blueprint.clone()).expect("random scenarios are sound");
        let plain = sim().with_executor(Executor::Plain).run();
        for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            prop_assert!(plain == sim().with_executor(executor).run(), "{:?}", executor);
        }
        let anywhere = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % 3) as u32;
        let mut several = Sim::with_partition(blueprint.clone(), &anywhere).expect("random scenarios are sound").run_shards_in_turn();
        // A copy of all components continues as they do.
        several.run_until(Time::from_ps(100_000_000_000));
        let copy = several.clone();
        prop_assert_eq!([several.run().digest, copy.run().digest], [plain.digest; 2]);
    }
}
