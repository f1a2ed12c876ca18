//! How long the cells of each circuit wait at a port, on request.

use crate::api::blueprint::Blueprint;
use crate::api::observations::{CircuitId, LinkCounters};
use penstock_model::atm::circuits::PortCircuits;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counters for each circuit that passes a port; both directions of one count together where both do.
#[derive(Clone, Debug)]
pub struct CircuitCounts {
    circuits: Arc<PortCircuits>,
    /// By the number of a circuit.
    ids: Vec<CircuitId>,
    /// In the order of the circuits.
    pub counted: BTreeMap<CircuitId, LinkCounters>,
}

impl CircuitCounts {
    /// Nothing yet, for a port with these circuits.
    pub fn new(blueprint: &Blueprint, circuits: Arc<PortCircuits>) -> CircuitCounts {
        let shared = blueprint.atm.circuits.len();
        let mut ids: Vec<CircuitId> = (0..shared as u32).flat_map(|plan| [CircuitId::Shared(plan); 2]).collect();
        for flow in 0..blueprint.flows.len() {
            // The own circuits of flows are numbered in the order of the flows.
            if circuits.circuits.of_flow(flow)[0] as usize == ids.len() {
                ids.extend([CircuitId::Own(FlowId(flow as u32)); 2]);
            }
        }
        let counted = circuits.here.iter().map(|number| (ids[*number as usize], LinkCounters::default())).collect();
        CircuitCounts { circuits, ids, counted }
    }

    /// The counters of the circuit of a cell.
    pub fn of(&mut self, cell: &Packet) -> &mut LinkCounters {
        let id = self.ids[self.circuits.circuits.of(cell) as usize];
        self.counted.get_mut(&id).expect("the circuits of a port are known")
    }
}
