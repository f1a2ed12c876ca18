//! Circuits: their numbers, and which of them pass a port or end at a node.

use crate::api::blueprint::Blueprint;
use crate::build::error::{refuse, BlueprintError};
use crate::build::places::Places;
use crate::kernel::journal::Measurement;
use crate::node::aal5::Aal5;
use crate::node::process::Process;
use penstock_model::atm::circuits::{Circuit, Circuits, PortCircuits};
use penstock_model::id::{LinkId, NodeId, RouteId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The circuits of a network, and which of them pass which links.
pub struct CircuitSites {
    circuits: Arc<Circuits>,
    here: BTreeSet<(LinkId, u32)>,
}

impl CircuitSites {
    /// Returns the circuits of a blueprint; none without cell links.
    pub fn new(blueprint: &Blueprint) -> CircuitSites {
        let mut here = BTreeSet::new();
        if blueprint.links.iter().all(|link| !link.cells) {
            return CircuitSites { circuits: Arc::default(), here };
        }
        let circuits = circuits(blueprint);
        let cell_links = |route: RouteId| blueprint.routes[route.index()].iter().filter(|link| blueprint.links[link.index()].cells);
        for (i, flow) in blueprint.flows.iter().enumerate() {
            let [there, back] = circuits.of_flow(i);
            here.extend(cell_links(flow.forward).map(|link| (*link, there)));
            if blueprint.groups[flow.group as usize].transport.has_return_traffic() {
                here.extend(cell_links(flow.backward).map(|link| (*link, back)));
            }
        }
        CircuitSites { circuits: Arc::new(circuits), here }
    }

    /// The circuits as the port of a link sees them.
    pub fn of_link(&self, link: LinkId) -> Arc<PortCircuits> {
        let here = self.here.range((link, 0)..=(link, u32::MAX)).map(|(_, circuit)| *circuit).collect();
        Arc::new(PortCircuits { circuits: Arc::clone(&self.circuits), here })
    }

    /// Makes ends of AAL5 of the processes at the ends of cell links, given the inputs of each.
    pub fn add_ends(&self, places: &Places<'_>, processes: &mut [Process]) {
        let blueprint = places.blueprint;
        let is_cell = |link: LinkId| blueprint.links[link.index()].cells;
        let mut ending: BTreeMap<NodeId, Range<u32>> = BTreeMap::new();
        for (link, circuit) in &self.here {
            let range = ending.entry(blueprint.links[link.index()].to).or_insert(*circuit..*circuit + 1);
            *range = range.start.min(*circuit)..range.end.max(*circuit + 1);
        }
        let measured = Measurement { from: blueprint.warm_up, to: blueprint.end };
        for node in blueprint.aal5_ends() {
            let process = &mut processes[places.host(node) as usize];
            let ports = process.ports.iter().map(|port| is_cell(port.link)).collect();
            let inputs = places.inputs(places.host(node)).map(is_cell).collect();
            let ending = ending.get(&node).cloned().unwrap_or_default();
            process.make_aal5_end(Aal5::new(Arc::clone(&self.circuits), ports, inputs, ending, measured));
        }
    }
}

/// Numbers the circuits: first the circuits of the plan, then one for each other flow. Each has a number there and one back.
fn circuits(blueprint: &Blueprint) -> Circuits {
    let circuit = |name: &str, mcr| Circuit { name: name.to_owned(), mcr };
    let mut all: Vec<Circuit> =
        blueprint.atm.circuits.iter().flat_map(|plan| [circuit(&plan.name, plan.mcr), circuit(&plan.name, plan.mcr)]).collect();
    let mut shared: Vec<Option<u32>> = vec![None; blueprint.groups.len()];
    for (number, plan) in (0..).step_by(2).zip(&blueprint.atm.circuits) {
        plan.groups.iter().for_each(|group| shared[*group as usize] = Some(number));
    }
    let mut of_flow = Vec::with_capacity(blueprint.flows.len());
    for flow in &blueprint.flows {
        let first = shared[flow.group as usize].unwrap_or_else(|| {
            let name = &blueprint.groups[flow.group as usize].name;
            all.extend([circuit(name, None), circuit(name, None)]);
            all.len() as u32 - 2
        });
        of_flow.push([first, first + 1]);
    }
    Circuits::new(all, of_flow)
}

/// Refuses what cells cannot do.
///
/// # Errors
/// Where flows begin or end at a cell switch, a cell switch has a link of packets, or a node at a cell link shares something between its
/// ports.
pub fn check_atm(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    let name = |node: NodeId| &blueprint.nodes[node.index()];
    let switches = &blueprint.atm.cell_switches;
    let ends: BTreeSet<NodeId> = blueprint.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    let at_switches = ends.intersection(switches);
    refuse(at_switches.map(|node| format!("flows begin or end at the cell switch '{}', which has only cells", name(*node))))?;
    let of_packets = blueprint.links.iter().filter(|link| !link.cells && [link.from, link.to].iter().any(|node| switches.contains(node)));
    refuse(of_packets.map(|link| format!("the link {} of a cell switch carries packets; make it a cell link", link.path)))?;
    let ends = blueprint.aal5_ends();
    refuse(blueprint.switches.iter().filter(|switch| ends.contains(&switch.node)).map(|switch| {
        format!("node '{}' at a cell link shares something between its ports, which only cell switches may", name(switch.node))
    }))
}
