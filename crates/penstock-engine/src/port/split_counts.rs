//! Counts of a port split by the link over which packets came, or by circuit, on request.

use crate::api::blueprint::{Blueprint, FlowPlan};
use crate::api::observations::{CircuitId, LinkCounters};
use penstock_model::atm::circuits::PortCircuits;
use penstock_model::id::{FlowId, LinkId};
use penstock_model::packet::{Body, Packet};
use std::collections::BTreeMap;

/// Counters for each part of what passes a port.
#[derive(Clone, Debug)]
pub struct SplitCounts<K> {
    /// By flow, the parts to which packets of its source and of its receiver belong.
    of_flow: Vec<[K; 2]>,
    /// The part of switches' messages, which have routes of their own; if it is left out, they belong to the parts of their flows.
    of_messages: Option<K>,
    /// In the order of the parts.
    pub counted: BTreeMap<K, LinkCounters>,
}

impl SplitCounts<Option<LinkId>> {
    /// Nothing yet, for each link that leads to the port of `link`; what begins at its node comes first.
    pub fn by_ingress(blueprint: &Blueprint, link: LinkId) -> SplitCounts<Option<LinkId>> {
        let before = |route: &[LinkId]| {
            let here = route.iter().position(|passed| *passed == link)?;
            here.checked_sub(1).map(|before| route[before])
        };
        let ways = |flow: &FlowPlan| [flow.forward, flow.backward].map(|way| before(&blueprint.routes[way.index()]));
        let of_flow: Vec<[Option<LinkId>; 2]> = blueprint.flows.iter().map(ways).collect();
        let counted = of_flow.iter().flatten().chain([&None]).map(|ingress| (*ingress, LinkCounters::default())).collect();
        SplitCounts { of_flow, of_messages: Some(None), counted }
    }
}

impl SplitCounts<CircuitId> {
    /// Nothing yet, for each of these circuits of a port.
    pub fn by_circuit(blueprint: &Blueprint, circuits: &PortCircuits) -> SplitCounts<CircuitId> {
        let id = |flow| match circuits.circuits.of_flow(flow)[0] as usize / 2 {
            // Circuits go both ways, and those of the plan come first.
            plan if plan < blueprint.atm.circuits.len() => CircuitId::Shared(plan as u32),
            _ => CircuitId::Own(FlowId(flow as u32)),
        };
        let of_flow: Vec<[CircuitId; 2]> = (0..blueprint.flows.len()).map(|flow| [id(flow); 2]).collect();
        let is_here = |flow: &usize| circuits.circuits.of_flow(*flow).iter().any(|circuit| circuits.here.binary_search(circuit).is_ok());
        let counted = (0..of_flow.len()).filter(is_here).map(|flow| (id(flow), LinkCounters::default())).collect();
        SplitCounts { of_flow, of_messages: None, counted }
    }
}

impl<K: Copy + Ord> SplitCounts<K> {
    /// The counters of the part to which a packet belongs.
    pub fn of(&mut self, packet: &Packet) -> &mut LinkCounters {
        let of_flow = self.of_flow[packet.flow.index()][usize::from(packet.body.is_from_receiver())];
        let is_message = matches!(packet.body, Body::SourceQuench { .. } | Body::CongestionNotification { .. });
        let part = self.of_messages.filter(|_| is_message).unwrap_or(of_flow);
        self.counted.get_mut(&part).expect("all parts are known")
    }
}
