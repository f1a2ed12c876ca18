//! Packets that wait and that are in flight, for the estimate of memory.

use crate::api::blueprint::{Blueprint, LinkPlan, SharedBufferPlan};
use crate::build::link_loads::{fastest, may_use_windows, LinkLoad, OpenLoad};
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
/// For how many copies of a packet, beside one in the inputs, the wheel of windows has grown: a packet stays on its page.
const COPIES_IN_WHEEL: f64 = 1.0;
/// Bytes that a port has for each segment that waits.
const WAITING: f64 = 16.0;
/// Bytes of a segment, where a queue is limited in bytes.
const SEGMENT: f64 = 1500.0;

/// Segments of connections that are in flight.
pub struct UnderWay {
    all: f64,
    /// Of those that pass each link.
    of_links: Vec<f64>,
    /// For each link, the open connections to which no other link gives less.
    bound: Vec<f64>,
    /// What waits at each link at most.
    queues: QueueBounds,
}

impl UnderWay {
    /// Of all connections of a blueprint whose links have these loads, given the share of each group's that are open at the same time.
    pub fn new(blueprint: &Blueprint, loads: &[LinkLoad], open: &[f64]) -> UnderWay {
        let queues = QueueBounds::new(blueprint);
        let shares = Shares { blueprint, loads, queues: &queues };
        let paths: Vec<Path> = blueprint.routes.iter().map(|route| shares.path(route)).collect();
        let (mut all, mut of_links, mut bound) = (0.0, vec![0.0; blueprint.links.len()], vec![0.0; blueprint.links.len()]);
        for flow in &blueprint.flows {
            let group = &blueprint.groups[flow.group as usize];
            let Some((packet, window)) = group.transport.packet().zip(group.transport.max_in_flight().map(f64::from)) else { continue };
            let (there, back) = (&paths[flow.forward.index()], &paths[flow.backward.index()]);
            let units = if there.has_cells { f64::from(cells(packet.get() as u32)) } else { 1.0 };
            let (size, route) = (packet.get() as f64, &blueprint.routes[flow.forward.index()]);
            let on_wires = units * (there.delay + back.delay) * there.rate / (8.0 * size);
            let most = transfer(group, flow).map_or(window, |transfer| (transfer.bytes / size).ceil().min(window));
            let segments = (on_wires + shares.of_queues(route, there.rate, size)).min(units * most) * open[flow.group as usize];
            all += segments;
            if let Some(link) = there.narrowest {
                bound[link.index()] += open[flow.group as usize];
            }
            route.iter().for_each(|link| of_links[link.index()] += segments);
        }
        UnderWay { all, of_links, bound, queues }
    }

    /// Bytes of packets that wait and that are in flight.
    pub fn packets(&self, blueprint: &Blueprint, loads: &[LinkLoad]) -> f64 {
        let length = blueprint.end.since(Time::ZERO).as_seconds();
        let of_open_loops = |(i, (link, load)): (usize, (&LinkPlan, &LinkLoad))| {
            let OpenLoad { rate, packets_per_second, flows } = load.open;
            if flows == 0.0 {
                return 0.0;
            }
            let (excess, size) = (rate - fastest(link), rate / (8.0 * packets_per_second.max(1e-9)));
            // Flows that send no more than the link carries meet by chance; what is more waits until the queue is full.
            let waiting = if excess > 0.0 { excess * length / (8.0 * size.max(1.0)) } else { flows };
            let units = if link.cells { f64::from(cells(size as u32)) } else { 1.0 };
            units * packets_per_second * link.delay.as_seconds() + (units * waiting).min(self.queues.packets(i, size.max(1.0)))
        };
        let open: f64 = blueprint.links.iter().zip(loads).enumerate().map(of_open_loops).sum();
        let in_lists = (open + COPIES * self.all) * RING * size_of::<Arrival>() as f64;
        let in_wheel = RING * (open + self.all) * (size_of::<Arrival>() as f64 + COPIES_IN_WHEEL * size_of::<Delivery<Arrival>>() as f64);
        // Sweeps come first and are tried again now and then, with all packets in the queues of inputs.
        let in_trials = RING * (open + self.all) * size_of::<Arrival>() as f64;
        match (may_use_windows(blueprint, loads), self.is_spread()) {
            (true, true) => in_wheel + in_trials,
            (true, false) => in_lists.max(in_wheel + in_trials),
            (false, _) => in_lists,
        }
    }

    /// Whether no link has more than a quarter of what is under way: then visits are short everywhere, and windows soon begin. A
    /// bottleneck of most has long visits, for which packets stay in the queues of inputs.
    fn is_spread(&self) -> bool {
        self.of_links.iter().all(|segments| *segments <= self.all / 4.0)
    }

    /// Bytes of what ports know of segments that wait, and of the flows that have lost any where they get least.
    pub fn at_ports(&self, blueprint: &Blueprint) -> f64 {
        let waiting = |(i, segments): (usize, &f64)| segments.min(self.queues.packets(i, SEGMENT));
        let waiting: f64 = self.of_links.iter().enumerate().map(waiting).sum();
        let pages: usize = self.bound.iter().map(|flows| FlowLosses::most_pages(flows.ceil() as usize, blueprint.flows.len())).sum();
        RING * waiting.min(self.all) * WAITING + (pages * FlowLosses::BYTES_OF_A_PAGE) as f64
    }
}

/// What a route gives each of the connections on it.
#[derive(Clone, Copy)]
struct Path {
    /// In seconds.
    delay: f64,
    /// The link that gives it least, and its rate there, in bit/s.
    narrowest: Option<LinkId>,
    rate: f64,
    has_cells: bool,
}

/// What links give each of the connections on them.
struct Shares<'a> {
    blueprint: &'a Blueprint,
    loads: &'a [LinkLoad],
    queues: &'a QueueBounds,
}

impl<'a> Shares<'a> {
    /// The link, the rate that it gives a connection, and how many connections have it.
    fn of_link(&self, link: LinkId) -> (&'a LinkPlan, f64, f64) {
        let (plan, connections) = (&self.blueprint.links[link.index()], self.loads[link.index()].connections.max(1.0));
        (plan, fastest(plan) / connections, connections)
    }

    fn path(&self, route: &[LinkId]) -> Path {
        let mut path = Path { delay: 0.0, narrowest: None, rate: f64::INFINITY, has_cells: false };
        for link in route {
            let (plan, rate, _) = self.of_link(*link);
            path.delay += plan.delay.as_seconds();
            path.has_cells |= plan.cells;
            if rate < path.rate {
                (path.narrowest, path.rate) = (Some(*link), rate);
            }
        }
        path
    }

    /// Its part of the queues of those links that give it less than half as much again as `least`: each is the bottleneck at times.
    fn of_queues(&self, route: &[LinkId], least: f64, size: f64) -> f64 {
        let links = route.iter().map(|link| (link, self.of_link(*link))).filter(|(_, (_, rate, _))| *rate < 1.5 * least);
        links.map(|(link, (_, _, connections))| self.queues.packets(link.index(), size) / connections).sum()
    }
}

/// Upper bounds on what waits at the port of each link.
struct QueueBounds {
    /// Limits whose sum is the bound; `None` where nothing limits what waits.
    of_links: Vec<Option<Vec<Limit>>>,
}

impl QueueBounds {
    /// Of all links of a blueprint: the limit of all queues of the port, if its scheduler has one, otherwise the limits of the queues or,
    /// where one has none, the size of the buffer that the port shares.
    fn new(blueprint: &Blueprint) -> QueueBounds {
        let switches = blueprint.switches.iter();
        let buffers: BTreeMap<NodeId, &SharedBufferPlan> = switches.filter_map(|it| Some((it.node, it.buffer.as_ref()?))).collect();
        let bound = |link: &LinkPlan| {
            let of_queues: Option<Vec<Limit>> = link.port.queues.iter().map(|queue| queue.discipline.limit()).collect();
            let of_port = link.port.scheduler.facts().shared_limit.map(|limit| vec![limit]);
            let of_switch = || buffers.get(&link.from).map(|buffer| vec![buffer.policy.size()]);
            of_port.or(of_queues).or_else(of_switch)
        };
        QueueBounds { of_links: blueprint.links.iter().map(bound).collect() }
    }

    /// How many packets of this size wait at the port of a link at most; infinite where nothing limits them.
    fn packets(&self, link: usize, size: f64) -> f64 {
        let amount = |limit: &Limit| match limit {
            Limit::Packets(packets) => f64::from(*packets),
            Limit::Bytes(bytes) => bytes.get() as f64 / size,
        };
        self.of_links[link].as_ref().map_or(f64::INFINITY, |limits| limits.iter().map(amount).sum())
    }
}
