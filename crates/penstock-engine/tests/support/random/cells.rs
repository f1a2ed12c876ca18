//! The blueprint of a random scenario whose links carry cells.
#![allow(dead_code)] // each test file uses a part

use crate::random::components::OF_FRAMES;
use crate::random::Case;
use crate::support::meter;
use penstock_engine::blueprint::{Blueprint, CircuitPlan, MarkAt, MarkerPlan};
use penstock_model::id::NodeId;
use penstock_model::units::Rate;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Case {
    /// The scenario with cells on two thirds of its links, or on all: nodes where no flow ends and all links carry cells switch them,
    /// all others are ends of AAL5. The flows of the first group share a circuit, and no node shares anything between its ports.
    pub fn cell_blueprint(&self, all: bool) -> Blueprint {
        let mut blueprint = Case { switches: Vec::new(), ..self.clone() }.blueprint();
        let ends: BTreeSet<NodeId> = blueprint.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
        let mut with_packets = ends.clone();
        for (i, link) in blueprint.links.iter_mut().enumerate() {
            link.cells = all || i % 3 > 0;
            if !link.cells {
                with_packets.extend([link.from, link.to]);
                continue;
            }
            // Its changes are of the port as it was without cells.
            link.port_changes.clear();
            let port = Arc::make_mut(&mut link.port);
            if i % 4 > 0 {
                port.queues.iter_mut().enumerate().for_each(|(n, queue)| {
                    queue.discipline = OF_FRAMES[(i + n) % OF_FRAMES.len()].plan();
                });
            }
            if i % 5 == 0 {
                port.marker = Some(MarkerPlan { meter: meter("f-gcra", "burst = 20 cells"), at: MarkAt::Arrival });
            }
        }
        let nodes = (0..blueprint.nodes.len() as u32).map(NodeId);
        blueprint.atm.cell_switches = nodes.filter(|node| !with_packets.contains(node)).collect();
        let shared = CircuitPlan { name: "shared".to_owned(), groups: vec![0], mcr: Some(Rate::from_bps(500_000)) };
        blueprint.atm.circuits = vec![shared];
        let cells: Vec<bool> = blueprint.links.iter().map(|link| link.cells).collect();
        blueprint.watch.links.iter_mut().for_each(|(link, watch)| watch.circuits = cells[link.index()]);
        blueprint
    }
}
