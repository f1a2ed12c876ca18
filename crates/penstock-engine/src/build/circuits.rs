//! Circuits: their numbers, and which of them pass a port or end at a node.

use crate::api::blueprint::Blueprint;
use crate::build::error::{contradiction, BlueprintError};
use crate::build::numbering::{Channels, ProcessSite};
use crate::build::places::Places;
use crate::kernel::journal::Measurement;
use crate::node::aal5::Aal5;
use crate::node::process::Process;
use penstock_model::atm::circuits::{Circuit, Circuits, PortCircuits};
use penstock_model::id::{LinkId, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The circuits of a blueprint, and where they are.
pub struct CircuitSites {
    circuits: Arc<Circuits>,
    /// The circuits of the cell links that have any.
    of_link: BTreeMap<LinkId, Arc<PortCircuits>>,
    /// For all other links.
    unused: Arc<PortCircuits>,
}

impl CircuitSites {
    /// Those of a blueprint; none without cell links.
    pub fn new(blueprint: &Blueprint) -> CircuitSites {
        if blueprint.links.iter().all(|link| !link.cells) {
            return CircuitSites { circuits: Arc::default(), of_link: BTreeMap::new(), unused: PortCircuits::none() };
        }
        let circuits = Arc::new(circuits(blueprint));
        let mut here: BTreeMap<LinkId, BTreeSet<u32>> = BTreeMap::new();
        for (i, flow) in blueprint.flows.iter().enumerate() {
            let [there, back] = circuits.of_flow(i);
            let mut note = |route: &[LinkId], circuit| {
                let cell_links = route.iter().filter(|link| blueprint.links[link.index()].cells);
                cell_links.for_each(|link| {
                    here.entry(*link).or_default().insert(circuit);
                });
            };
            note(&blueprint.routes[flow.forward.index()], there);
            if blueprint.groups[flow.group as usize].transport.has_return_traffic() {
                note(&blueprint.routes[flow.backward.index()], back);
            }
        }
        let at_port = |(link, here): (LinkId, BTreeSet<u32>)| {
            (link, Arc::new(PortCircuits { circuits: Arc::clone(&circuits), here: here.into_iter().collect() }))
        };
        let of_link = here.into_iter().map(at_port).collect();
        let unused = Arc::new(PortCircuits { circuits: Arc::clone(&circuits), here: Vec::new() });
        CircuitSites { circuits, of_link, unused }
    }

    /// The circuits as the port of a link sees them.
    pub fn of_link(&self, link: LinkId) -> Arc<PortCircuits> {
        Arc::clone(self.of_link.get(&link).unwrap_or(&self.unused))
    }

    /// Makes ends of AAL5 of the processes at the ends of cell links, given the inputs of each.
    pub fn add_ends(&self, places: &Places<'_>, channels: &Channels, processes: &mut [Process]) {
        let blueprint = places.blueprint;
        let is_cell = |link: LinkId| blueprint.links[link.index()].cells;
        let mut ending: BTreeMap<NodeId, Range<u32>> = BTreeMap::new();
        for (link, circuits) in &self.of_link {
            let (Some(first), Some(last)) = (circuits.here.first(), circuits.here.last()) else { continue };
            let range = ending.entry(blueprint.links[link.index()].to).or_insert(*first..*last + 1);
            *range = range.start.min(*first)..range.end.max(*last + 1);
        }
        let measured = Measurement { from: blueprint.warm_up, to: blueprint.end };
        for node in blueprint.aal5_ends() {
            let Some(process) = places.host(node).map(|number| &mut processes[number as usize]) else { continue };
            let ports = process.ports_mut().map(|port| is_cell(port.link())).collect();
            let inputs = channels.into(ProcessSite::Host(node)).map(is_cell).collect();
            let ending = ending.get(&node).cloned().unwrap_or_default();
            process.make_aal5_end(Aal5::new(Arc::clone(&self.circuits), ports, inputs, ending, measured));
        }
    }
}

/// Numbers the circuits: those of the plan first, then those of all other flows, there and back each.
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
    let ends = blueprint.flows.iter().flat_map(|flow| [flow.from, flow.to]);
    if let Some(node) = ends.filter(|node| switches.contains(node)).min() {
        return contradiction(format!("flows begin or end at the cell switch '{}', which has only cells", name(node)));
    }
    let of_packets =
        |link: &&crate::api::blueprint::LinkPlan| !link.cells && [link.from, link.to].iter().any(|node| switches.contains(node));
    if let Some(link) = blueprint.links.iter().find(of_packets) {
        return contradiction(format!("the link {} of a cell switch carries packets; make it a cell link", link.path));
    }
    let ends = blueprint.aal5_ends();
    match blueprint.switches.iter().find(|switch| ends.contains(&switch.node)) {
        Some(switch) => contradiction(format!(
            "node '{}' at a cell link shares something between its ports, which only cell switches may",
            name(switch.node)
        )),
        None => Ok(()),
    }
}
