//! Packets that wait and that are in flight, for the estimate of memory.

use crate::api::blueprint::{Blueprint, LinkPlan, SharedBufferPlan};
use crate::build::link_loads::{fastest, may_use_windows, Load};
use crate::build::open_transfers::transfer;
use crate::kernel::event::Arrival;
use crate::merge::window_wheel::Delivery;
use crate::port::flow_losses::FlowLosses;
use penstock_model::atm::cells;
use penstock_model::id::{LinkId, NodeId};
use penstock_model::parameters::Limit;
use penstock_model::units::Time;
use std::collections::BTreeMap;
use std::mem::size_of;

/// What a list that begins with a power of two has reserved for each entry.
pub const RING: f64 = 2.0;
/// For how many copies of a segment or its acknowledgement lists have grown: what one process has sent and the next has not sorted,
/// what it has sorted, and what it handles at once. Measured: 200 to 290 bytes for each of the segments in flight.
const COPIES: f64 = 3.0;
/// Bytes that a port has for each segment that waits.
const WAITING: f64 = 16.0;
/// Bytes of a segment, where a queue is limited in bytes.
const SEGMENT: f64 = 1500.0;

/// Bytes of packets that wait and that are in flight, and bytes that ports have for segments that wait and for the flows that have lost any;
/// given the share of each group's connections that are open at the same time.
pub fn under_way(blueprint: &Blueprint, loads: &[Load], open: &[f64]) -> (f64, f64) {
    let queues = queue_limits(blueprint);
    let Segments { all, of_links, bound } = segments(blueprint, loads, open, &queues);
    let length = blueprint.end.since(Time::ZERO).as_seconds();
    let of_open_loops = |((link, limits), load): ((&LinkPlan, &Option<Vec<Limit>>), &Load)| {
        let Load { rate, packets_per_second, flows, .. } = *load;
        if flows == 0.0 {
            return 0.0;
        }
        let (excess, size) = (rate - fastest(link), rate / (8.0 * packets_per_second.max(1e-9)));
        // Flows that send no more than the link carries meet by chance; the excess waits until the queue is full.
        let waiting = if excess > 0.0 { excess * length / (8.0 * size.max(1.0)) } else { flows };
        let units = if link.cells { f64::from(cells(size as u32)) } else { 1.0 };
        units * packets_per_second * link.delay.as_seconds() + (units * waiting).min(packets(limits, size.max(1.0)))
    };
    let open: f64 = blueprint.links.iter().zip(&queues).zip(loads).map(of_open_loops).sum();
    let arrival = size_of::<Arrival>() as f64;
    let in_lists = (open + COPIES * all) * RING * arrival;
    // A packet stays on its page of the wheel, and in the inputs of one visit. Sweeps come first and are tried again now and then, with all
    // packets in the queues of inputs.
    let in_wheel = RING * (open + all) * (2.0 * arrival + size_of::<Delivery<Arrival>>() as f64);
    // Where no link holds more than a quarter of all packets, visits are short and windows begin soon. A bottleneck that holds more has long
    // visits, and its packets stay in the queues of inputs.
    let is_spread = of_links.iter().all(|segments| *segments <= all / 4.0);
    let in_flight = match (may_use_windows(blueprint, loads), is_spread) {
        (true, true) => in_wheel,
        (true, false) => in_lists.max(in_wheel),
        (false, _) => in_lists,
    };
    let waiting: f64 = of_links.iter().zip(&queues).map(|(segments, limits)| segments.min(packets(limits, SEGMENT))).sum();
    let pages: usize = bound.iter().map(|flows| FlowLosses::most_pages(flows.ceil() as usize, blueprint.flows.len())).sum();
    (in_flight, RING * waiting.min(all) * WAITING + (pages * FlowLosses::BYTES_OF_A_PAGE) as f64)
}

/// Segments of open connections that are in flight.
struct Segments {
    all: f64,
    /// Of those that pass each link.
    of_links: Vec<f64>,
    /// For each link, the open connections to which no other link gives less.
    bound: Vec<f64>,
}

/// What a route gives each of the connections on it.
struct Path {
    /// In seconds.
    delay: f64,
    /// The link that gives it least, and its rate there, in bit/s.
    narrowest: LinkId,
    rate: f64,
    has_cells: bool,
}

/// The segments of all connections, given what may wait at each link.
fn segments(blueprint: &Blueprint, loads: &[Load], open: &[f64], queues: &[Option<Vec<Limit>>]) -> Segments {
    let connections = |link: &LinkId| loads[link.index()].connections.max(1.0);
    let share = |link: &LinkId| fastest(&blueprint.links[link.index()]) / connections(link);
    let path = |route: &[LinkId]| {
        let narrowest = *route.iter().min_by(|a, b| share(a).total_cmp(&share(b))).expect("checked: no route is empty");
        let links = || route.iter().map(|link| &blueprint.links[link.index()]);
        let (delay, has_cells) = (links().map(|link| link.delay.as_seconds()).sum(), links().any(|link| link.cells));
        Path { delay, narrowest, rate: share(&narrowest), has_cells }
    };
    let paths: Vec<Path> = blueprint.routes.iter().map(path).collect();
    let mut found = Segments { all: 0.0, of_links: vec![0.0; blueprint.links.len()], bound: vec![0.0; blueprint.links.len()] };
    for flow in &blueprint.flows {
        let (group, open) = (&blueprint.groups[flow.group as usize], open[flow.group as usize]);
        let Some((packet, window)) = group.transport.packet().zip(group.transport.max_in_flight().map(f64::from)) else { continue };
        let (there, back) = (&paths[flow.forward.index()], &paths[flow.backward.index()]);
        let units = if there.has_cells { f64::from(cells(packet.get() as u32)) } else { 1.0 };
        let (size, route) = (packet.get() as f64, &blueprint.routes[flow.forward.index()]);
        let on_wires = units * (there.delay + back.delay) * there.rate / (8.0 * size);
        // Its part of the queues of those links that give it less than half as much again as the narrowest: each is the bottleneck at times.
        let bottlenecks = route.iter().filter(|link| share(link) < 1.5 * there.rate);
        let in_queues: f64 = bottlenecks.map(|link| packets(&queues[link.index()], size) / connections(link)).sum();
        let most = transfer(group, flow).map_or(window, |transfer| (transfer.bytes / size).ceil().min(window));
        let segments = (on_wires + in_queues).min(units * most) * open;
        found.all += segments;
        found.bound[there.narrowest.index()] += open;
        route.iter().for_each(|link| found.of_links[link.index()] += segments);
    }
    found
}

/// For each link, limits whose sum bounds what waits; `None` where nothing does. That is the limit of all queues of the port, if its
/// scheduler has one, otherwise the limits of the queues or, where one has none, the size of the buffer that the port shares.
fn queue_limits(blueprint: &Blueprint) -> Vec<Option<Vec<Limit>>> {
    let switches = blueprint.switches.iter();
    let buffers: BTreeMap<NodeId, &SharedBufferPlan> = switches.filter_map(|it| Some((it.node, it.buffer.as_ref()?))).collect();
    let bound = |link: &LinkPlan| {
        let of_queues: Option<Vec<Limit>> = link.port.queues.iter().map(|queue| queue.discipline.limit()).collect();
        let of_port = link.port.scheduler.facts().shared_limit.map(|limit| vec![limit]);
        let of_switch = || buffers.get(&link.from).map(|buffer| vec![buffer.policy.size()]);
        of_port.or(of_queues).or_else(of_switch)
    };
    blueprint.links.iter().map(bound).collect()
}

/// How many packets of this size wait at most within limits; infinitely many without.
fn packets(limits: &Option<Vec<Limit>>, size: f64) -> f64 {
    let amount = |limit: &Limit| match limit {
        Limit::Packets(packets) => f64::from(*packets),
        Limit::Bytes(bytes) => bytes.get() as f64 / size,
    };
    limits.as_ref().map_or(f64::INFINITY, |limits| limits.iter().map(amount).sum())
}
