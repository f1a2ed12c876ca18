//! Builds processes, channels and routes from a blueprint.

pub mod check;
pub mod circuits;
pub mod error;
pub mod flow_layout;
pub mod flows;
pub mod jitter;
pub mod link_loads;
pub mod memory;
pub mod message_paths;
pub mod numbering;
pub mod open_transfers;
pub mod places;
pub mod process_graph_builder;
pub mod processes;
pub mod routes;
pub mod series;
pub mod switches;
pub mod telemetry;
pub mod under_way;

use crate::api::blueprint::Blueprint;
use crate::build::circuits::CircuitSites;
use crate::build::error::BlueprintError;
use crate::build::flows::{add_flows, injection_sites, InjectionSite};
use crate::build::message_paths::{message_paths, MessagePath};
use crate::build::numbering::{used_links, Channels, ProcessSite, ProcessSites, Sharded};
use crate::build::places::Places;
use crate::build::process_graph_builder::build_process_graph;
use crate::build::processes::{add_port_changes, add_samplers, build_processes, connect_ports};
use crate::build::routes::RouteTable;
use crate::build::series::add_series;
use crate::build::switches::Switches;
use crate::build::telemetry::add_telemetry;
use crate::kernel::inputs::Inputs;
use crate::kernel::process_graph::{Latencies, ProcessGraph};
use crate::kernel::route::{Hop, Routes};
use crate::node::process::Process;
use penstock_model::id::{FlowId, LinkId};
use penstock_model::rng::Key;
use std::collections::BTreeMap;

/// A checked blueprint whose processes are known, but not built.
pub struct Network<'a> {
    blueprint: &'a Blueprint,
    sites: ProcessSites<'a>,
    used: Vec<LinkId>,
    channels: Channels,
    /// The sites of its processes, in the order of the graph.
    pub order: Vec<ProcessSite>,
    messages: Vec<MessagePath>,
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
        let sites = ProcessSites::new(blueprint);
        let used = used_links(blueprint);
        let channels = Channels::new(blueprint, &sites);
        error::check_cancelled(blueprint)?;
        let order = sites.in_topological_order(&used, &channels)?;
        error::check_cancelled(blueprint)?;
        let messages = message_paths(blueprint, &sites)?;
        let graph = build_process_graph(&Places::new(blueprint, &sites, &order, &used, &channels), &messages);
        error::check_cancelled(blueprint)?;
        Ok(Network { blueprint, sites, used, channels, order, messages, graph })
    }

    /// Builds the processes, numbered shard by shard; `shard_of` has the shard of each process of the graph.
    ///
    /// # Errors
    /// If a flow's source cannot be carried by its transport, messages have no route, or the blueprint's flag is set.
    pub fn assemble(&self, shard_of: &[u32]) -> Result<Assembly, BlueprintError> {
        let Network { blueprint, sites, used, channels, order, messages, graph } = self;
        let Sharded { order, number, ends } = Sharded::new(order, shard_of);
        let places = Places::new(blueprint, sites, &order, used, channels);
        let key = Key::root(blueprint.seed, blueprint.replication);
        let circuits = CircuitSites::new(blueprint);
        let (mut processes, mut inputs) = build_processes(&places, key, used, &circuits);
        error::check_cancelled(blueprint)?;
        connect_ports(&places, &mut processes);
        add_port_changes(&places, &mut processes);
        add_samplers(&places, &mut processes);
        circuits.add_ends(&places, channels, &mut processes);
        let routes = RouteTable::new(&places);
        error::check_cancelled(blueprint)?;
        for hop in routes.hops.iter().filter(|hop| hop.port != Hop::DELIVER) {
            if let Some(host) = processes[hop.process.index()].host_mut() {
                host.forwards = true;
            }
        }
        Switches { places: &places, key, routes: &routes }.add(&mut processes)?;
        add_telemetry(&places, &mut processes)?;
        for MessagePath { from, to, .. } in messages {
            inputs[places.process(*to) as usize].expect_messages();
            processes[places.process(*from) as usize].sends_messages = true;
        }
        let flows = add_flows(&places, key, &mut processes, |route| routes.departure(route))?;
        error::check_cancelled(blueprint)?;
        add_series(&places, &flows, &mut processes);
        Ok(Assembly {
            processes,
            inputs,
            routes: Routes::new(routes.hops, flows, blueprint.max_visit_events),
            latencies: graph.latencies(&number),
            ends,
            injection_sites: injection_sites(&places),
        })
    }
}
