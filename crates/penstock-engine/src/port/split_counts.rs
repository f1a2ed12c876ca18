//! Counts of a port split by the link over which packets came, or by circuit, on request.

use crate::api::blueprint::{Blueprint, FlowPlan};
use crate::api::observations::{CircuitId, LinkCounters};
use penstock_model::atm::circuits::PortCircuits;
use penstock_model::id::{FlowId, LinkId};
use penstock_model::packet::{Body, Packet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counters for each link that leads to the node of a port, and for what begins there.
#[derive(Clone, Debug)]
pub struct IngressCounts {
    /// By flow, over which link packets of its source and of its receiver come.
    of_flow: Vec<[Option<LinkId>; 2]>,
    /// What begins at the node comes first, then links in their order.
    pub counted: BTreeMap<Option<LinkId>, LinkCounters>,
}

impl IngressCounts {
    /// Nothing yet, for the port of `link`.
    pub fn new(blueprint: &Blueprint, link: LinkId) -> IngressCounts {
        let before = |route: &[LinkId]| {
            let here = route.iter().position(|passed| *passed == link)?;
            here.checked_sub(1).map(|before| route[before])
        };
        let ways = |flow: &FlowPlan| [flow.forward, flow.backward].map(|way| before(&blueprint.routes[way.index()]));
        let of_flow: Vec<[Option<LinkId>; 2]> = blueprint.flows.iter().map(ways).collect();
        let counted = of_flow.iter().flatten().chain([&None]).map(|ingress| (*ingress, LinkCounters::default())).collect();
        IngressCounts { of_flow, counted }
    }

    /// The counters of the link over which a packet came.
    pub fn of(&mut self, packet: &Packet) -> &mut LinkCounters {
        let ingress = match packet.body {
            // Messages of switches have ways of their own, and few pass.
            Body::SourceQuench { .. } | Body::CongestionNotification { .. } => None,
            body => self.of_flow[packet.flow.index()][usize::from(body.is_from_receiver())],
        };
        self.counted.get_mut(&ingress).expect("all ingresses are known")
    }
}

/// How long the cells of each circuit that passes a port wait; both directions of one count together where both do.
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
