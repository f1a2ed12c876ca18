//! Division of a port's counts by the link over which packets came, or by circuit.

use crate::api::blueprint::{Blueprint, FlowPlan};
use crate::api::observations::TrafficPart;
use penstock_model::atm::circuits::PortCircuits;
use penstock_model::id::{FlowId, LinkId};
use penstock_model::packet::{Body, Packet};
use std::collections::BTreeSet;

/// A division of a port's traffic into parts.
#[derive(Clone, Debug)]
pub struct TrafficSplit {
    /// By flow, the parts to which packets of its source and of its receiver belong, in this order.
    of_flow: Vec<[TrafficPart; 2]>,
    /// The part of messages of switches, which have routes of their own; if `None`, they belong to the parts of their flows.
    of_messages: Option<TrafficPart>,
    /// The parts whose packets may pass the port.
    pub parts: BTreeSet<TrafficPart>,
}

impl TrafficSplit {
    /// Splits the traffic of the port of `link` by the previous link of each route.
    pub fn by_ingress(blueprint: &Blueprint, link: LinkId) -> TrafficSplit {
        let before = |route: &[LinkId]| {
            let here = route.iter().position(|passed| *passed == link)?;
            here.checked_sub(1).map(|before| route[before])
        };
        let ways = |flow: &FlowPlan| [flow.forward, flow.backward].map(|way| TrafficPart::Ingress(before(&blueprint.routes[way.index()])));
        let of_flow: Vec<[TrafficPart; 2]> = blueprint.flows.iter().map(ways).collect();
        let begins_here = TrafficPart::Ingress(None);
        let parts = of_flow.iter().flatten().copied().chain([begins_here]).collect();
        TrafficSplit { of_flow, of_messages: Some(begins_here), parts }
    }

    /// Splits the traffic of a port by these circuits.
    pub fn by_circuit(blueprint: &Blueprint, circuits: &PortCircuits) -> TrafficSplit {
        let part = |flow| match circuits.circuits.of_flow(flow)[0] as usize / 2 {
            // A circuit has two directions with adjacent indices, and the plan's circuits come first.
            plan if plan < blueprint.atm.circuits.len() => TrafficPart::SharedCircuit(plan as u32),
            _ => TrafficPart::OwnCircuit(FlowId(flow as u32)),
        };
        let flows = 0..blueprint.flows.len();
        let is_here = |flow: &usize| circuits.circuits.of_flow(*flow).iter().any(|circuit| circuits.here.binary_search(circuit).is_ok());
        let parts = flows.clone().filter(is_here).map(part).collect();
        TrafficSplit { of_flow: flows.map(|flow| [part(flow); 2]).collect(), of_messages: None, parts }
    }

    /// The part to which a packet belongs.
    pub fn part_of(&self, packet: &Packet) -> TrafficPart {
        let of_flow = self.of_flow[packet.flow.index()][usize::from(packet.body.is_from_receiver())];
        let is_message = matches!(packet.body, Body::SourceQuench { .. } | Body::CongestionNotification { .. });
        self.of_messages.filter(|_| is_message).unwrap_or(of_flow)
    }
}
