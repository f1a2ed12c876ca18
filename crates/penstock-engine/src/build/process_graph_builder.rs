//! Builds the process graph of a blueprint: channels with their minimum delay, and loads in flows.

use crate::api::blueprint::{Blueprint, FlowGroup, LinkPlan, SwitchPlan};
use crate::build::places::Places;
use crate::kernel::process_graph::{GraphChannel, ProcessGraph};
use penstock_model::id::RouteId;
use penstock_model::units::{Bytes, Duration};
use std::collections::BTreeMap;

/// Work per packet at an end of a transport with acknowledgements, in units of the work at a port: measured with TCP over a fat tree,
/// which two cores run fastest if it is divided with this weight.
const END_COST: u64 = 3;

/// The graph of the processes of a network.
pub fn build_process_graph(places: &Places<'_>) -> ProcessGraph {
    let blueprint = places.blueprint;
    let mut weights = vec![0; places.sites.len()];
    // By the numbers of sender and receiver.
    let mut channels: BTreeMap<(u32, u32), GraphChannel> = BTreeMap::new();
    let mut connect = |GraphChannel { from, to, delay, flows }| {
        let channel = channels.entry((from, to)).or_insert(GraphChannel { from, to, delay, flows: 0 });
        channel.delay = channel.delay.min(delay);
        channel.flows += flows;
    };
    for (route, Load { flows, at_ends, smallest }) in blueprint.cancel.until_set(blueprint.routes.iter()).zip(loads(blueprint)) {
        for (i, link) in route.iter().enumerate() {
            let (from, to) = (places.sender(*link), places.receiver(route, i));
            weights[from as usize] += if i == 0 { at_ends } else { flows };
            let delay = least_delay(&blueprint.links[link.index()], smallest.unwrap_or_default());
            connect(GraphChannel { from, to, delay, flows });
            if i + 1 == route.len() {
                weights[to as usize] += at_ends;
            }
        }
    }
    places.message_channels().for_each(connect);
    let channels = channels.into_values().collect();
    ProcessGraph { weights, channels }
}

/// What a route carries.
#[derive(Clone, Copy, Default)]
struct Load {
    /// How many flows take it, which is their load at each port.
    flows: u64,
    /// Their load where they begin, and where they end.
    at_ends: u64,
    /// The smallest packet; nothing where no flow takes it.
    smallest: Option<Bytes>,
}

/// The load of each route.
fn loads(blueprint: &Blueprint) -> Vec<Load> {
    let mut loads = vec![Load::default(); blueprint.routes.len()];
    let mut add = |route: RouteId, flows: u64, cost: u64, size: Option<Bytes>| {
        let load = &mut loads[route.index()];
        load.flows += flows;
        load.at_ends += cost;
        load.smallest = load.smallest.into_iter().chain(size).min();
    };
    // By group: a mix of sizes may be a long list.
    let of_groups: Vec<(Bytes, Option<Bytes>)> = blueprint.groups.iter().map(smallest_of_group).collect();
    for flow in &blueprint.flows {
        let (forward, backward) = of_groups[flow.group as usize];
        let cost = if blueprint.groups[flow.group as usize].transport.has_return_traffic() { END_COST } else { 1 };
        add(flow.forward, 1, cost, Some(forward));
        if flow.backward != flow.forward {
            add(flow.backward, 1, cost, backward);
        }
    }
    for (_, size, routes) in blueprint.switches.iter().flat_map(SwitchPlan::messages) {
        routes.iter().for_each(|(.., route)| add(*route, 0, 0, Some(size)));
    }
    loads
}

/// The smallest packet that flows of a group send, and the smallest that goes back, if any does.
fn smallest_of_group(group: &FlowGroup) -> (Bytes, Option<Bytes>) {
    let of_data = group.transport.smallest_packet().unwrap_or_else(|| group.source.smallest_packet());
    let request = group.calls.as_ref().and_then(|calls| calls.request_packet).map(|size| Bytes::new(u64::from(size)));
    let backward = group.transport.sizes_back().into_iter().min().map(Bytes::new);
    (request.into_iter().fold(of_data, Ord::min), backward)
}

/// The minimum time that a packet of `size` bytes or more takes over a link, from when it might be sent.
fn least_delay(link: &LinkPlan, size: Bytes) -> Duration {
    let is_constant = link.rate_changes.is_empty() && link.deliveries.is_none();
    let transmission = if is_constant { link.rate.transmission_time(link.smallest_unit(size)) } else { Duration::ZERO };
    link.delay + transmission
}
