//! Random scenarios that shrink: trees of nodes with every component that the engine knows.

mod build;
mod cells;
mod choices;
mod components;
pub mod coverage;
mod drawn;
mod listed;
#[path = "../../../../penstock-model/tests/support/random_parameters.rs"]
mod random_parameters;

use crate::random::choices::{AGGREGATIONS, CHANGES, DELIVERIES, FRAMINGS, PARAMETER_CHANGES, PAUSES, PCN_AT, RATES, UP_DELAYS};
use crate::random::components::{
    BUFFERS, CALLS, DISCIPLINES, FLOW_QUEUES, IMPAIRMENTS, METERS, PCN, POLICERS, SCHEDULERS, SHAPERS, TRAFFIC,
};
use proptest::prelude::*;

/// The port of one direction of an edge, by indices into the choices.
#[derive(Clone, Debug)]
pub struct PortChoice {
    rate: usize,
    delay: usize,
    discipline: usize,
    /// The scheduler of the port, and whether its last class is one level down, below which scheduler.
    scheduler: Option<(usize, Option<usize>)>,
    /// Flow queues, where there is no scheduler of classes.
    flow_queues: Option<usize>,
    shaper: Option<usize>,
    /// A policer, and whether for class b alone.
    policer: Option<(usize, bool)>,
    meter: Option<usize>,
    pcn: Vec<usize>,
    pcn_at: usize,
    impairments: Vec<usize>,
    changes: Option<usize>,
    framing: Option<usize>,
    deliveries: Option<usize>,
    aggregation: Option<usize>,
    /// From 41 to 120 ms; decides which parameters change.
    parameter_changes: Option<usize>,
}

/// A group of flows.
#[derive(Clone, Debug)]
pub struct Flows {
    from: usize,
    to: usize,
    traffic: usize,
    members: usize,
    class: u8,
    precedence: u8,
    spread: bool,
    stops: bool,
}

/// A scenario.
#[derive(Clone, Debug)]
pub struct Case {
    seed: u64,
    random_ties: bool,
    warm_up: bool,
    /// With a trace; runs without one take fast paths.
    traced: bool,
    /// Node i + 1 hangs on one of the nodes before it; its ports up and down.
    edges: Vec<(usize, PortChoice, PortChoice)>,
    flows: Vec<Flows>,
    samples: Vec<(usize, usize)>,
    /// Nodes whose ports share something.
    switches: Vec<SwitchChoice>,
}

/// A node, how its ports share a buffer, when they pause the ports that feed them, whether they quench sources, and whether they are
/// congestion points.
type SwitchChoice = (usize, Option<usize>, Option<usize>, (bool, bool));

fn port_choice() -> impl Strategy<Value = PortChoice> {
    let impairments = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0..IMPAIRMENTS.len(), 1..3)];
    let rare = |n: usize| prop::option::weighted(0.25, 0..n);
    let scheduler = prop::option::weighted(0.3, (0..SCHEDULERS.len(), prop::option::weighted(0.3, 0..SCHEDULERS.len())));
    let flow_queues = prop::option::weighted(0.2, 0..FLOW_QUEUES.len());
    let shape = (0..RATES.len(), 0..UP_DELAYS.len(), 0..DISCIPLINES.len(), scheduler, flow_queues);
    let conditioners = (prop::option::weighted(0.15, 0..SHAPERS.len()), prop::option::weighted(0.1, (0..POLICERS.len(), any::<bool>())));
    let pcn = (prop::collection::vec(0..PCN.len(), 0..3), 0..PCN_AT.len());
    let wire = (
        prop::option::weighted(0.15, 0..CHANGES.len()),
        prop::option::weighted(0.2, 0..FRAMINGS.len()),
        prop::option::weighted(0.1, 0..DELIVERIES.len()),
        prop::option::weighted(0.15, 0..AGGREGATIONS.len()),
        prop::option::weighted(0.4, 0..PARAMETER_CHANGES),
    );
    (shape, conditioners, rare(METERS.len()), pcn, impairments, wire).prop_map(
        |((rate, delay, discipline, scheduler, flow_queues), (shaper, policer), meter, (pcn, pcn_at), impairments, wire)| PortChoice {
            rate,
            delay,
            discipline,
            scheduler,
            flow_queues,
            shaper,
            policer,
            meter,
            pcn,
            pcn_at,
            impairments,
            changes: wire.0,
            framing: wire.1,
            deliveries: wire.2,
            aggregation: wire.3,
            parameter_changes: wire.4,
        },
    )
}

fn flows() -> impl Strategy<Value = Flows> {
    let ends = (0usize..10, 0usize..10);
    (ends, 0..TRAFFIC.0.len() + TRAFFIC.1.len() + CALLS.len(), 1usize..4, 0u8..3, 0u8..3, any::<bool>(), any::<bool>()).prop_map(
        |((from, to), traffic, members, class, precedence, spread, stops)| Flows {
            from,
            to,
            traffic,
            members,
            class,
            precedence,
            spread,
            stops,
        },
    )
}

/// Any scenario.
pub fn case() -> impl Strategy<Value = Case> {
    // Mostly near the root, so that some nodes have many neighbours.
    let parent = prop_oneof![2 => Just(0), 1 => 0usize..6];
    let edges = prop::collection::vec((parent, port_choice(), port_choice()), 1..10);
    let samples = prop::collection::vec((0usize..10, 0usize..3), 0..3);
    let switch =
        (0usize..6, prop::option::weighted(0.8, 0..BUFFERS.len()), prop::option::weighted(0.4, 0..PAUSES.len()), any::<(bool, bool)>());
    let switches = prop::collection::vec(switch, 0..3);
    (any::<u64>(), any::<[bool; 3]>(), edges, prop::collection::vec(flows(), 1..8), samples, switches).prop_map(
        |(seed, [random_ties, warm_up, traced], edges, flows, samples, switches)| Case {
            seed,
            random_ties,
            warm_up,
            traced,
            edges,
            flows,
            samples,
            switches,
        },
    )
}
