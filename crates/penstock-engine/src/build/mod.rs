//! Builds processes, channels and routes from a blueprint.

pub mod check;
pub mod circuits;
pub mod error;
pub mod flow_layout;
pub mod flows;
pub mod memory;
pub mod message_paths;
pub mod places;
pub mod process_graph_builder;
pub mod processes;
pub mod series;
pub mod switches;
pub mod traffic_memory;

use crate::api::blueprint::Blueprint;
use crate::build::circuits::CircuitSites;
use crate::build::error::BlueprintError;
use crate::build::flows::{add_flows, injection_sites, InjectionSite};
use crate::build::message_paths::Messages;
use crate::build::places::Places;
use crate::build::process_graph_builder::build_process_graph;
use crate::build::processes::{add_port_changes, add_routes, add_telemetry, build_processes, connect_ports};
use crate::build::series::add_series;
use crate::build::switches::Switches;
use crate::kernel::inputs::Inputs;
use crate::kernel::process_graph::{GraphChannel, Latencies, ProcessGraph};
use crate::kernel::route::Routes;
use crate::node::process::Process;
use penstock_model::id::FlowId;
use penstock_model::rng::Key;
use std::collections::BTreeMap;

/// A checked blueprint whose processes are known, but not built.
pub struct Network<'a> {
    /// Its processes, in the order of the graph.
    pub places: Places<'a>,
    /// The graph of its processes.
    pub graph: ProcessGraph,
}

/// The processes of a blueprint, with what connects them.
pub struct Assembly {
    /// The processes.
    pub processes: Vec<Process>,
    /// Their inputs.
    pub inputs: Vec<Inputs>,
    /// All routes.
    pub routes: Routes,
    /// The delays between processes.
    pub latencies: Latencies,
    /// For each shard, the number behind its last process.
    pub ends: Vec<u32>,
    /// Where packets may be injected.
    pub injection_sites: BTreeMap<FlowId, InjectionSite>,
}

impl<'a> Network<'a> {
    /// Checks a blueprint, and finds its processes and the graph of them.
    ///
    /// # Errors
    /// If it contradicts itself, or its flag is set; see [`BlueprintError`].
    pub fn new(blueprint: &'a Blueprint) -> Result<Network<'a>, BlueprintError> {
        check::check(blueprint)?;
        let mut places = Places::new(blueprint, Messages::new(blueprint)?);
        error::check_cancelled(blueprint)?;
        places.reorder(&places.topological_order()?);
        error::check_cancelled(blueprint)?;
        let graph = build_process_graph(&places);
        error::check_cancelled(blueprint)?;
        Ok(Network { places, graph })
    }

    /// Builds the processes, numbered shard by shard; `shard_of` has the shard of each process of the graph.
    ///
    /// # Errors
    /// If the blueprint's flag is set.
    pub fn assemble(self, shard_of: &[u32]) -> Result<Assembly, BlueprintError> {
        let Network { mut places, graph } = self;
        // Within a shard the order stays: no channel without delay leads from a later process to an earlier one.
        let shard = |process: &u32| shard_of[*process as usize];
        let mut order: Vec<u32> = (0..shard_of.len() as u32).collect();
        order.sort_by_key(shard);
        let ends = (1..=order.len()).filter(|i| order.get(*i).map(shard) != Some(shard(&order[i - 1]))).map(|end| end as u32).collect();
        let latencies = graph.latencies(&places.reorder(&order));
        let (places, blueprint) = (&places, places.blueprint);
        let key = Key::root(blueprint.seed, blueprint.replication);
        let circuits = CircuitSites::new(blueprint);
        let (mut processes, mut inputs) = build_processes(places, key, &circuits);
        error::check_cancelled(blueprint)?;
        connect_ports(places, &mut processes);
        add_port_changes(places, &mut processes);
        circuits.add_ends(places, &mut processes);
        let hops = add_routes(places, &mut processes);
        error::check_cancelled(blueprint)?;
        Switches { places, key }.add(&mut processes);
        add_telemetry(places, &mut processes);
        for GraphChannel { from, to, .. } in places.message_channels() {
            inputs[to as usize].receives_messages = true;
            processes[from as usize].sends_messages = true;
        }
        let flows = add_flows(places, key, &mut processes);
        error::check_cancelled(blueprint)?;
        add_series(places, &flows, &mut processes);
        Ok(Assembly {
            processes,
            inputs,
            routes: Routes::new(hops, flows, blueprint.max_visit_events),
            latencies,
            ends,
            injection_sites: injection_sites(places),
        })
    }
}
