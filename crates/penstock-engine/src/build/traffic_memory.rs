//! How much memory the traffic of a blueprint needs: packets that wait or are in flight.

use crate::api::blueprint::{Blueprint, FlowGroup, FlowPlan, LinkPlan, Ties};
use crate::kernel::event::Arrival;
use crate::merge::window_wheel::Delivery;
use crate::port::flow_losses::FlowLosses;
use penstock_model::atm::cells;
use penstock_model::id::{LinkId, NodeId, RouteId};
use penstock_model::parameters::Limit;
use penstock_model::units::{Bytes, Duration, Time};
use std::collections::BTreeMap;

/// What a list that begins with a power of two has reserved for each entry.
pub const RING: f64 = 2.0;
/// For how many copies of a segment or its acknowledgement lists have grown: what one process has sent and the next has not sorted,
/// what it has sorted, and what it handles at once. Measured: 200 to 290 bytes for each of the segments in flight.
const COPIES: f64 = 3.0;
/// Bytes that a port has for each segment that waits.
const WAITING: f64 = 16.0;
/// Bytes of a segment, where a queue is limited in bytes.
const SEGMENT: f64 = 1500.0;
/// The highest load of a link that is taken for the time that transfers share it; near one they would take for ever.
const HIGHEST_LOAD: f64 = 0.9;

/// The traffic of a blueprint, as far as it bounds memory.
pub struct Traffic<'a> {
    blueprint: &'a Blueprint,
    /// By group, how many flows it has.
    pub flows: Vec<usize>,
    /// By group, how many calls of each aggregate are live at the same time.
    pub calls: Vec<f64>,
    /// By group, the share of its connections that are open at the same time.
    open: Vec<f64>,
    /// By link, how many connections send data over it at the same time.
    connections: Vec<f64>,
    /// The sizes of shared buffers.
    buffers: BTreeMap<NodeId, Limit>,
}

impl Traffic<'_> {
    pub fn new(blueprint: &Blueprint) -> Traffic<'_> {
        let mut flows = vec![0; blueprint.groups.len()];
        blueprint.flows.iter().for_each(|flow| flows[flow.group as usize] += 1);
        let calls = blueprint.groups.iter().zip(&flows).map(|(group, flows)| live_calls(group, *flows, blueprint.end)).collect();
        let open = open_shares(blueprint, &flows);
        let is_connection = |flow: &FlowPlan| blueprint.groups[flow.group as usize].transport.is_reliable();
        let connections = per_link(blueprint, |_, flow| if is_connection(flow) { open[flow.group as usize] } else { 0.0 });
        let buffers = blueprint.switches.iter().filter_map(|switch| Some((switch.node, switch.buffer.as_ref()?.policy.size()))).collect();
        Traffic { blueprint, flows, calls, open, connections, buffers }
    }

    /// Bytes of packets that wait and that are in flight, and bytes that ports have for segments that wait and for the flows that have
    /// lost any.
    pub fn under_way(&self) -> (f64, f64) {
        let Traffic { blueprint, .. } = self;
        // For each link, the open connections to which no other link gives less.
        let mut bound = vec![0.0; blueprint.links.len()];
        let segments: Vec<f64> = blueprint.flows.iter().map(|flow| self.segments(flow, &mut bound)).collect();
        let of_links = per_link(blueprint, |i, _| segments[i]);
        let (open, all) = (self.of_open_loops(), segments.iter().sum::<f64>());
        let arrival = size_of::<Arrival>() as f64;
        let in_lists = (open + COPIES * all) * RING * arrival;
        // A packet stays on its page of the wheel, and in the inputs of one visit. Sweeps come first and are tried again now and then, with
        // all packets in the queues of inputs.
        let in_wheel = RING * (open + all) * (2.0 * arrival + size_of::<Delivery<Arrival>>() as f64);
        // Where no link holds more than a quarter of all packets, visits are short and windows begin soon. A bottleneck that holds more has
        // long visits, and its packets stay in the queues of inputs.
        let is_spread = of_links.iter().all(|segments| *segments <= all / 4.0);
        let in_flight = match (self.may_use_windows(), is_spread) {
            (true, true) => in_wheel,
            (true, false) => in_lists.max(in_wheel),
            (false, _) => in_lists,
        };
        let waiting: f64 = of_links.iter().zip(&blueprint.links).map(|(segments, link)| segments.min(self.room(link, SEGMENT))).sum();
        let pages: usize = bound.iter().map(|flows: &f64| FlowLosses::most_pages(flows.ceil() as usize, blueprint.flows.len())).sum();
        (in_flight, RING * waiting.min(all) * WAITING + (pages * FlowLosses::BYTES_OF_A_PAGE) as f64)
    }

    /// Whether windows may be used: there is feedback, without which sweeps are as good, and every link takes time.
    fn may_use_windows(&self) -> bool {
        let Blueprint { ties, routes, links, .. } = self.blueprint;
        let has_feedback = self.connections.iter().any(|connections| *connections > 0.0);
        has_feedback && *ties != Ties::Random && routes.links().iter().all(|link| links[link.index()].delay > Duration::ZERO)
    }

    /// How many packets of open loops and calls wait or are in flight.
    fn of_open_loops(&self) -> f64 {
        let Traffic { blueprint: Blueprint { groups, links, end, .. }, calls, .. } = self;
        // By group: a mix of sizes may be a long list. A greedy source has no rate of its own.
        let of_source = |group: &FlowGroup| {
            let rate = group.source.mean_rate().map_or(0.0, |rate| rate.as_bps() as f64);
            (rate, 8.0 * group.source.smallest_packet().get().max(1) as f64)
        };
        let sources: Vec<(f64, f64)> = groups.iter().map(of_source).collect();
        let count = |flow: &FlowPlan| match &groups[flow.group as usize] {
            group if group.transport.is_reliable() => 0.0,
            group if group.calls.is_some() => calls[flow.group as usize],
            _ => 1.0,
        };
        let rate = |flow: &FlowPlan| {
            let own = groups[flow.group as usize].rates.as_ref().map(|rates| rates[flow.member as usize].as_bps() as f64);
            count(flow) * own.unwrap_or(sources[flow.group as usize].0)
        };
        let (counts, rates) = (per_link(self.blueprint, |_, flow| count(flow)), per_link(self.blueprint, |_, flow| rate(flow)));
        let packets = per_link(self.blueprint, |_, flow| rate(flow) / sources[flow.group as usize].1);
        let of_link = |(i, link): (usize, &LinkPlan)| {
            let (excess, size) = (rates[i] - fastest(link), (rates[i] / (8.0 * packets[i].max(1e-9))).max(1.0));
            // Flows that send no more than the link carries meet by chance; the excess waits until the queue is full.
            let waiting = if excess > 0.0 { excess * seconds(*end) / (8.0 * size) } else { counts[i] };
            let units = if link.cells { f64::from(cells(size as u32)) } else { 1.0 };
            units * packets[i] * link.delay.as_seconds() + (units * waiting).min(self.room(link, size))
        };
        links.iter().enumerate().map(of_link).sum()
    }

    /// Returns the number of segments of a connection in flight while it is open, times the probability that it is open. Adds this
    /// probability to `bound` of the link that gives the connection the lowest rate.
    fn segments(&self, flow: &FlowPlan, bound: &mut [f64]) -> f64 {
        let Traffic { blueprint: Blueprint { groups, links, routes, .. }, .. } = self;
        let (group, open) = (&groups[flow.group as usize], self.open[flow.group as usize]);
        let Some((packet, window)) = group.transport.packet().zip(group.transport.max_in_flight().map(f64::from)) else { return 0.0 };
        let share = |link: &LinkId| fastest(&links[link.index()]) / self.connections[link.index()].max(1.0);
        let (there, back) = (&routes[flow.forward.index()], &routes[flow.backward.index()]);
        let narrowest = *there.iter().min_by(|a, b| share(a).total_cmp(&share(b))).expect("checked: no route is empty");
        bound[narrowest.index()] += open;
        let has_cells = there.iter().any(|link| links[link.index()].cells);
        let units = if has_cells { f64::from(cells(packet.get() as u32)) } else { 1.0 };
        let (size, rate) = (packet.get() as f64, share(&narrowest));
        let delay: f64 = there.iter().chain(back).map(|link| links[link.index()].delay.as_seconds()).sum();
        // Its part of the queues of all links that give it less than 1.5 times the rate of the narrowest: each is the bottleneck at times.
        let bottlenecks = there.iter().filter(|link| share(link) < 1.5 * rate).map(|link| link.index());
        let in_queues: f64 = bottlenecks.map(|link| self.room(&links[link], size) / self.connections[link].max(1.0)).sum();
        let most = transfer(group, flow).map_or(window, |transfer| (transfer.bytes / size).ceil().min(window));
        (units * delay * rate / (8.0 * size) + in_queues).min(units * most) * open
    }

    /// How many packets of this size wait at most at a link: the limit of all queues of its port, if its scheduler has one, otherwise those
    /// of the queues or, where one has none, the size of the buffer that the port shares; infinitely many without.
    fn room(&self, link: &LinkPlan, size: f64) -> f64 {
        let amount = |limit: Limit| match limit {
            Limit::Packets(packets) => f64::from(packets),
            Limit::Bytes(bytes) => bytes.get() as f64 / size,
        };
        let of_queues = || link.port.queues.iter().map(|queue| queue.discipline.limit().map(amount)).sum();
        let of_port = link.port.scheduler.facts().shared_limit.map(amount);
        of_port.or_else(of_queues).or_else(|| self.buffers.get(&link.from).copied().map(amount)).unwrap_or(f64::INFINITY)
    }
}

/// For each link, the sum over the flows whose data pass it.
fn per_link(blueprint: &Blueprint, of_flow: impl Fn(usize, &FlowPlan) -> f64) -> Vec<f64> {
    let (mut routes, mut links) = (vec![0.0; blueprint.routes.len()], vec![0.0; blueprint.links.len()]);
    blueprint.flows.iter().enumerate().for_each(|(i, flow)| routes[flow.forward.index()] += of_flow(i, flow));
    for (route, sum) in blueprint.routes.iter().zip(routes) {
        route.iter().for_each(|link| links[link.index()] += sum);
    }
    links
}

/// How many calls of an aggregate are live at the same time, averaged over the `aggregates` of `group`. Calls that never end are counted at
/// the end of the run. Zero if the group has no calls.
fn live_calls(group: &FlowGroup, aggregates: usize, end: Time) -> f64 {
    let Some(calls) = &group.calls else { return 0.0 };
    let unconditional: u64 = (0..aggregates as u32).map(|member| calls.unconditional_calls(member)).sum();
    let length = calls.holding.mean().min(end.since(Time::ZERO));
    let arriving = calls.arrivals.as_ref().map_or(0.0, |arrivals| arrivals.mean_rate() * length.as_seconds());
    unconditional as f64 / aggregates.max(1) as f64 + arriving
}

/// A transfer with an end.
struct Transfer {
    /// Its earliest and its latest start, in seconds.
    start: (f64, f64),
    /// What it has to send.
    bytes: f64,
}

/// What a flow has to send, if that has an end.
fn transfer(group: &FlowGroup, flow: &FlowPlan) -> Option<Transfer> {
    if let Some(transfers) = &group.transfers {
        let one = &transfers[flow.member as usize];
        return Some(Transfer { start: (seconds(one.start), seconds(one.start)), bytes: one.bytes as f64 });
    }
    let start = (seconds(group.start.0), seconds(group.start.1));
    group.source.file_size().map(|size| Transfer { start, bytes: size.get() as f64 })
}

/// For each group, the share of its connections that are open at the same time; all, if they have no end.
///
/// A transfer gets what the others leave of its busiest link (processor sharing). If transfers bring more data than this link carries while
/// they arrive, the excess is open at the end. Transfers that start after the end are never open.
fn open_shares(blueprint: &Blueprint, flows: &[usize]) -> Vec<f64> {
    let end = seconds(blueprint.end);
    let transfer = |flow: &FlowPlan| transfer(&blueprint.groups[flow.group as usize], flow);
    // When the first and the last of each group start, in seconds.
    let mut spans: Vec<(f64, f64)> = vec![(f64::INFINITY, 0.0); blueprint.groups.len()];
    for (flow, Transfer { start, .. }) in blueprint.flows.iter().filter_map(|flow| Some((flow, transfer(flow)?))) {
        if start.0 <= end {
            let span = &mut spans[flow.group as usize];
            *span = (span.0.min(start.0), span.1.max(start.1.min(end)));
        }
    }
    let bits = per_link(blueprint, |_, flow| transfer(flow).filter(|it| it.start.0 <= end).map_or(0.0, |it| 8.0 * it.bytes));
    let mut closed = vec![0.0; flows.len()];
    for (flow, transfer) in blueprint.flows.iter().filter_map(|flow| Some((flow, transfer(flow)?))) {
        let (first, last) = spans[flow.group as usize];
        let alone = alone(blueprint, flow, &transfer);
        let links = blueprint.routes[flow.forward.index()].iter();
        let while_arriving = (last - first).max(alone);
        let load = links.map(|link| bits[link.index()] / (fastest(&blueprint.links[link.index()]) * while_arriving)).fold(0.0, f64::max);
        let time = alone / (1.0 - load.min(HIGHEST_LOAD));
        let share = if transfer.start.0 > end { 0.0 } else { (time / while_arriving).min(1.0).max(1.0 - 1.0 / load) };
        closed[flow.group as usize] += 1.0 - share;
    }
    closed.iter().zip(flows).map(|(closed, flows)| 1.0 - closed / (*flows).max(1) as f64).collect()
}

/// How long a transfer takes alone, in seconds: its bytes at the slowest link, and a round trip for each doubling of its window and for
/// what begins and ends it.
fn alone(blueprint: &Blueprint, flow: &FlowPlan, transfer: &Transfer) -> f64 {
    let packet = blueprint.groups[flow.group as usize].transport.packet().unwrap_or(Bytes::new(1));
    let links = |route: RouteId| blueprint.routes[route.index()].iter().map(|link| &blueprint.links[link.index()]);
    let slowest = links(flow.forward).map(fastest).fold(f64::INFINITY, f64::min);
    let trip = |route| links(route).map(|link| link.delay.as_seconds() + 8.0 * packet.get() as f64 / fastest(link)).sum::<f64>();
    let rounds = 2.0 + (1.0 + transfer.bytes / packet.get() as f64).log2();
    8.0 * transfer.bytes / slowest + rounds * (trip(flow.forward) + trip(flow.backward))
}

/// The highest rate that a link ever has, in bit/s.
fn fastest(link: &LinkPlan) -> f64 {
    link.rate_changes.iter().map(|(_, rate)| *rate).fold(link.rate, Ord::max).as_bps() as f64
}

fn seconds(time: Time) -> f64 {
    time.since(Time::ZERO).as_seconds()
}
