//! The jitter of hosts at the ports by which their packets enter the network.

use crate::api::blueprint::Blueprint;
use crate::build::flow_layout::flow_key;
use penstock_model::id::{FlowId, LinkId, RouteId};
use penstock_model::rng::Key;
use penstock_model::transport::jitter::PortJitter;
use std::collections::BTreeMap;

/// The jitter at the first link of every route of a flow that has any. Both ends have a stream of their own, `jitter` 0 and 1 below the
/// key of the flow.
pub fn port_jitter(blueprint: &Blueprint, key: Key) -> BTreeMap<LinkId, PortJitter> {
    let mut ports: BTreeMap<LinkId, PortJitter> = BTreeMap::new();
    for (id, flow) in (0..).map(FlowId).zip(&blueprint.flows) {
        let transport = &blueprint.groups[flow.group as usize].transport;
        let Some(law) = transport.jitter() else { continue };
        let key = flow_key(blueprint, flow, key).child("jitter");
        for (end, route) in (0..).zip(routes(flow.forward, flow.backward)) {
            if let Some(first) = blueprint.routes[route.index()].first() {
                ports.entry(*first).or_default().add(id, law, key.nth(end));
            }
        }
    }
    ports
}

/// The routes of the data and of the acknowledgements, which may begin at the same port only if they are the same.
fn routes(forward: RouteId, backward: RouteId) -> impl Iterator<Item = RouteId> {
    std::iter::once(forward).chain((backward != forward).then_some(backward))
}
