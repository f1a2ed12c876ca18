//! What a port was offered and has lost, by the link over which packets came, on request.

use crate::api::blueprint::Blueprint;
use crate::api::observations::LinkCounters;
use penstock_model::id::LinkId;
use penstock_model::packet::{Body, Packet};
use std::collections::BTreeMap;

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
        let ways = |flow: &crate::api::blueprint::FlowPlan| [flow.forward, flow.backward].map(|way| before(&blueprint.routes[way.index()]));
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
