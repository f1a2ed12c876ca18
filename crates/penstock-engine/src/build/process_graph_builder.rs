//! Builds the process graph of a blueprint: channels with their minimum delay, and loads in flows.

use crate::api::blueprint::{Blueprint, FlowGroup, LinkPlan};
use crate::build::message_paths::MessagePath;
use crate::build::places::Places;
use crate::kernel::process_graph::{GraphChannel, ProcessGraph};
use penstock_model::id::RouteId;
use penstock_model::units::{Bytes, Duration};

/// A packet is as much work at the ends of a transport with acknowledgements as at so many ports: measured with TCP over a fat tree, which
/// two cores run fastest if they are divided by this.
const END_COST: u64 = 3;

/// The graph of the processes of a network.
pub fn build_process_graph(places: &Places<'_>, messages: &[MessagePath]) -> ProcessGraph {
    let Places { blueprint, sites, channels, inputs, .. } = places;
    let mut weights = vec![0; inputs.len()];
    // Of each channel, at its position.
    let mut channels = vec![None; channels.all().len()];
    let smallest = smallest_packets(blueprint);
    for ((route, load), smallest) in blueprint.cancel.until_set(blueprint.routes.iter()).zip(loads(blueprint)).zip(smallest) {
        let Load { flows, at_ends } = load;
        for (i, link) in route.iter().enumerate() {
            let (from, to) = (places.sender(*link), places.process(sites.receiver(route, i)));
            weights[from as usize] += if i == 0 { at_ends } else { flows };
            let channel = channels[places.channel(to, *link)].get_or_insert(GraphChannel { from, to, delay: Duration::FOREVER, flows: 0 });
            channel.delay = channel.delay.min(least_delay(&blueprint.links[link.index()], smallest));
            channel.flows += flows;
            if i + 1 == route.len() {
                weights[to as usize] += at_ends;
            }
        }
    }
    let of_messages = messages.iter().map(|path| GraphChannel {
        from: places.process(path.from),
        to: places.process(path.to),
        delay: path.delay,
        flows: 0,
    });
    let mut channels: Vec<GraphChannel> = channels.into_iter().flatten().chain(of_messages).collect();
    channels.sort_unstable_by_key(|channel| (channel.from, channel.to));
    channels.dedup_by(|other, channel| {
        let is_same = (other.from, other.to) == (channel.from, channel.to);
        if is_same {
            channel.delay = channel.delay.min(other.delay);
            channel.flows += other.flows;
        }
        is_same
    });
    ProcessGraph { weights, channels }
}

/// What flows mean for a route.
#[derive(Clone, Copy, Default)]
struct Load {
    /// How many take it, which is their load at each port.
    flows: u64,
    /// Their load where they begin, and where they end.
    at_ends: u64,
}

/// The load of each route.
fn loads(blueprint: &Blueprint) -> Vec<Load> {
    let mut loads = vec![Load::default(); blueprint.routes.len()];
    for flow in &blueprint.flows {
        let cost = if blueprint.groups[flow.group as usize].transport.has_return_traffic() { END_COST } else { 1 };
        let mut add = |route: RouteId| {
            let load = &mut loads[route.index()];
            load.flows += 1;
            load.at_ends += cost;
        };
        add(flow.forward);
        if flow.backward != flow.forward {
            add(flow.backward);
        }
    }
    loads
}

/// The smallest packet of each route; nothing where no flow takes it.
fn smallest_packets(blueprint: &Blueprint) -> Vec<Bytes> {
    let mut smallest: Vec<Option<Bytes>> = vec![None; blueprint.routes.len()];
    let mut note = |route: RouteId, size: Bytes| {
        let known = &mut smallest[route.index()];
        *known = Some(known.map_or(size, |known| known.min(size)));
    };
    // By group: a mix of sizes may be a long list.
    let of_groups: Vec<(Bytes, Option<Bytes>)> = blueprint.groups.iter().map(smallest_of_group).collect();
    for flow in &blueprint.flows {
        let (forward, backward) = of_groups[flow.group as usize];
        note(flow.forward, forward);
        backward.into_iter().for_each(|size| note(flow.backward, size));
    }
    let quenches = blueprint.switches.iter().filter_map(|switch| switch.source_quench.as_ref());
    for quench in quenches {
        quench.routes.iter().for_each(|(_, route)| note(*route, quench.packet));
    }
    for plan in blueprint.switches.iter().filter_map(|switch| switch.congestion_points.as_ref()) {
        plan.routes.iter().for_each(|(.., route)| note(*route, plan.point.message()));
    }
    smallest.into_iter().map(Option::unwrap_or_default).collect()
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
