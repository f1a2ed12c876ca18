//! What a port was offered and has lost, by the link over which packets came, on request.

use crate::api::blueprint::Blueprint;
use crate::api::observations::LinkCounters;
use penstock_model::id::LinkId;
use penstock_model::packet::{Body, Packet};
use std::collections::BTreeMap;

/// Counters for each link that leads to the node of a port, and for what begins there.
#[derive(Clone, Debug)]
pub struct IngressCounts {
    /// By flow, the positions of what comes from its source and from its receiver.
    of_flow: Vec<[u32; 2]>,
    /// What begins at the node comes first, then links in their order.
    ingresses: Vec<(Option<LinkId>, LinkCounters)>,
}

impl IngressCounts {
    /// Nothing yet, for the port of `link`.
    pub fn new(blueprint: &Blueprint, link: LinkId) -> IngressCounts {
        let before = |route: &[LinkId]| {
            let here = route.iter().position(|passed| *passed == link)?;
            here.checked_sub(1).map(|before| route[before])
        };
        let ways = |flow: &crate::api::blueprint::FlowPlan| [flow.forward, flow.backward].map(|way| before(&blueprint.routes[way.index()]));
        let found: Vec<[Option<LinkId>; 2]> = blueprint.flows.iter().map(ways).collect();
        // `None` sorts before all links.
        let mut positions: BTreeMap<Option<LinkId>, u32> = found.iter().flatten().map(|ingress| (*ingress, 0)).collect();
        positions.insert(None, 0);
        (0..).zip(positions.values_mut()).for_each(|(number, position)| *position = number);
        let of_flow = found.iter().map(|ways| ways.map(|ingress| positions[&ingress])).collect();
        IngressCounts { of_flow, ingresses: positions.into_keys().map(|ingress| (ingress, LinkCounters::default())).collect() }
    }

    /// What has been counted.
    pub fn into_counters(self) -> Vec<(Option<LinkId>, LinkCounters)> {
        self.ingresses
    }

    /// The counters of the link over which a packet came.
    pub fn of(&mut self, packet: &Packet) -> &mut LinkCounters {
        let position = match packet.body {
            // Messages of switches have ways of their own, and few pass.
            Body::SourceQuench { .. } | Body::CongestionNotification { .. } => 0,
            body => self.of_flow[packet.flow.index()][usize::from(body.is_from_receiver())],
        };
        &mut self.ingresses[position as usize].1
    }
}
