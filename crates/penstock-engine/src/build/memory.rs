//! An estimate of the memory that a run takes, from its plans and the sizes of what is built from them.

use crate::api::blueprint::{Blueprint, CallsPlan, FlowGroup, FlowPlan, LinkPlan, PortPlan};
use crate::api::observations::{CallCounters, FlowCounters, LinkCounters};
use crate::build::numbering::ProcessSite;
use crate::endpoints::calls::call::Call;
use crate::endpoints::calls::egress::CallsEgress;
use crate::endpoints::calls::ingress::CallsIngress;
use crate::endpoints::emitter::Due;
use crate::endpoints::open_loop::{OpenLoopSink, OpenLoopSource};
use crate::endpoints::roce::RoceEndpoints;
use crate::endpoints::tcp::TcpEndpoints;
use crate::endpoints::timers::Timer;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::kernel::process_graph::Edge;
use crate::kernel::route::{FlowSlots, Hop};
use crate::node::host::{EndpointCounts, Host};
use crate::node::process::Process;
use crate::port::Port;
use penstock_model::id::{LinkId, ProcessId};
use penstock_model::parameters::Limit;
use penstock_model::rng::Stream;
use penstock_model::source::{AnySource, Source};
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Duration, Time};
use std::mem::size_of;
use std::sync::Arc;

/// What a list has reserved for each entry that it holds, as it grows by doubling.
const GROWING: f64 = 1.5;
/// What a list that begins with a power of two has reserved for each entry.
const RING: f64 = 2.0;
/// Bytes that a port has beside itself: its first batches, its counters, and its queue.
const PORT_HEAP: f64 = 1024.0;
/// In how many lists a segment or its acknowledgement stands at the same time: what one process has sent and the next has not
/// sorted, what it has sorted, and what it handles at once. Measured: 200 to 290 bytes for each of the segments on their way.
const COPIES: f64 = 3.0;
/// Bytes of the first batches of everything.
const FIXED: f64 = 1_500_000.0;
/// Bytes of the schedule, of what the executor knows of a process.
const SCHEDULED: f64 = 192.0;

/// About how many bytes a run of this blueprint takes at its peak, the blueprint itself included: nodes, links, routes, endpoints
/// of flows, calls, what waits and what is on its way, and the observations.
///
/// What depends on chance is taken at its mean, and at its bound where traffic is greedy or more than a link carries.
pub fn estimate(blueprint: &Blueprint) -> u64 {
    let loads = link_loads(blueprint);
    let built = blueprint_bytes(blueprint) + construction(blueprint);
    let running = packets(blueprint, &loads) + calls_at_work(blueprint) + observations(blueprint);
    // What is needed for building is free again before the first packet.
    (FIXED + structure(blueprint, &loads) + built.max(running)) as u64
}

/// The bytes of so many of a type.
fn bytes_of<T>(count: usize) -> f64 {
    count as f64 * size_of::<T>() as f64
}

/// What the allocator takes for a block of so many bytes.
fn block(bytes: usize) -> f64 {
    if bytes == 0 {
        0.0
    } else {
        ((bytes + 8).next_multiple_of(16)).max(32) as f64
    }
}

fn text(name: &str) -> f64 {
    block(name.len())
}

/// The blueprint of the run, which is one of many.
fn blueprint_bytes(blueprint: &Blueprint) -> f64 {
    let nodes: f64 = blueprint.nodes.iter().map(|name| text(name)).sum();
    let links: f64 = blueprint.links.iter().map(|link| text(&link.path) + block(link.rate_changes.len() * 16)).sum();
    let quenches: usize =
        blueprint.switches.iter().filter_map(|switch| switch.source_quench.as_ref()).map(|quench| quench.routes.len()).sum();
    let notified: usize =
        blueprint.switches.iter().filter_map(|switch| switch.congestion_points.as_ref()).map(|plan| plan.routes.len()).sum();
    nodes
        + links
        + bytes_of::<String>(blueprint.nodes.len())
        + bytes_of::<LinkPlan>(blueprint.links.len())
        + bytes_of::<LinkId>(blueprint.routes.links().len())
        + bytes_of::<u32>(blueprint.routes.len())
        + bytes_of::<FlowGroup>(blueprint.groups.len())
        + bytes_of::<FlowPlan>(blueprint.flows.len())
        + 8.0 * quenches as f64
        + 12.0 * notified as f64
}

/// What is known of the network only while it is built.
fn construction(blueprint: &Blueprint) -> f64 {
    let hops: usize = blueprint.routes.links().len();
    let by_node = size_of::<EndpointCounts>() + size_of::<Vec<LinkId>>() + 1 + 2 * size_of::<u32>();
    bytes_of::<(ProcessSite, LinkId)>(hops)
        + bytes_of::<(LinkId, ProcessId, u32)>(hops)
        + bytes_of::<(Time, u32)>(blueprint.flows.len())
        + (by_node * blueprint.nodes.len()) as f64
        + (4 * size_of::<u32>() * blueprint.links.len()) as f64
}

/// The load of a link.
#[derive(Clone, Copy, Default)]
struct LinkLoad {
    /// Some route uses it.
    is_used: bool,
    /// What open loops and calls send over it together.
    open: OpenLoad,
    /// Connections that send data over it.
    connections: f64,
}

/// What open loops and calls send.
#[derive(Clone, Copy, Default)]
struct OpenLoad {
    /// The mean rate, in bit/s.
    rate: f64,
    packets_per_second: f64,
    /// How many flows or live calls.
    flows: f64,
}

impl OpenLoad {
    fn add(&mut self, other: OpenLoad) {
        self.rate += other.rate;
        self.packets_per_second += other.packets_per_second;
        self.flows += other.flows;
    }

    /// What one flow of a group sends, or its live calls together.
    fn of_flow(group: &FlowGroup, live_calls: f64) -> OpenLoad {
        let flows = if group.calls.is_some() { live_calls } else { 1.0 };
        // A greedy source has no rate of its own.
        let rate = flows * group.source.mean_rate().map_or(0.0, |rate| rate.as_bps() as f64);
        OpenLoad::at_rate(group, rate, flows)
    }

    fn at_rate(group: &FlowGroup, rate: f64, flows: f64) -> OpenLoad {
        let smallest = group.source.smallest_packet().get().max(1) as f64;
        OpenLoad { rate, packets_per_second: rate / (8.0 * smallest), flows }
    }
}

/// The load of each link.
fn link_loads(blueprint: &Blueprint) -> Vec<LinkLoad> {
    let mut routes = vec![LinkLoad::default(); blueprint.routes.len()];
    let groups: Vec<OpenLoad> =
        blueprint.groups.iter().zip(live_calls(blueprint)).map(|(group, calls)| OpenLoad::of_flow(group, calls)).collect();
    let rated = |flow: &FlowPlan| {
        let group = &blueprint.groups[flow.group as usize];
        group.rates.as_ref().map(|rates| OpenLoad::at_rate(group, rates[flow.member as usize].as_bps() as f64, 1.0))
    };
    for flow in &blueprint.flows {
        let forward = &mut routes[flow.forward.index()];
        match blueprint.groups[flow.group as usize].transport {
            TransportPlan::Tcp(_) | TransportPlan::Roce(_) => forward.connections += 1.0,
            TransportPlan::Udp(_) => forward.open.add(rated(flow).unwrap_or(groups[flow.group as usize])),
        }
    }
    let mut links = vec![LinkLoad::default(); blueprint.links.len()];
    for (route, each) in blueprint.routes.iter().zip(routes) {
        for link in route {
            let link = &mut links[link.index()];
            link.is_used = true;
            link.open.add(each.open);
            link.connections += each.connections;
        }
    }
    links
}

/// How many calls of an aggregate are live at the same time, on the average of a long time, or at the end where they never end.
/// In the aggregates of each group, on the average of them; none where there are no calls.
fn live_calls(blueprint: &Blueprint) -> Vec<f64> {
    let mut unconditional = vec![0.0; blueprint.groups.len()];
    for flow in &blueprint.flows {
        let calls = blueprint.groups[flow.group as usize].calls.as_ref();
        unconditional[flow.group as usize] += calls.map_or(0.0, |calls| calls.unconditional_calls(flow.member) as f64);
    }
    let arriving = |calls: &Arc<CallsPlan>| {
        let length = calls.holding.mean().min(blueprint.end.since(Time::ZERO));
        calls.arrivals.as_ref().map_or(0.0, |arrivals| arrivals.mean_rate() * length.as_seconds())
    };
    let groups = blueprint.groups.iter().zip(flows_of_groups(blueprint)).zip(unconditional);
    groups.map(|((group, flows), all)| all / flows.max(1) as f64 + group.calls.as_ref().map_or(0.0, arriving)).collect()
}

/// What is built and stays.
fn structure(blueprint: &Blueprint, loads: &[LinkLoad]) -> f64 {
    let mut is_host = vec![false; blueprint.nodes.len()];
    for flow in &blueprint.flows {
        is_host[flow.from.index()] = true;
        is_host[flow.to.index()] = true;
    }
    blueprint.switches.iter().for_each(|switch| is_host[switch.node.index()] = true);
    let hosts = is_host.iter().filter(|is_host| **is_host).count();
    let used = loads.iter().filter(|load| load.is_used).count();
    let routers = blueprint.links.iter().zip(loads).filter(|(link, load)| load.is_used && !is_host[link.from.index()]).count();
    let processes = hosts + routers;
    let hops: usize = blueprint.routes.links().len();
    let names = 48.0 * processes as f64;
    bytes_of::<Process>(processes)
        + bytes_of::<Option<Box<Inputs>>>(processes)
        + processes as f64 * (block(size_of::<Inputs>()) + SCHEDULED)
        + names
        + hosts as f64 * block(size_of::<Host>())
        + bytes_of::<Port>(used)
        + PORT_HEAP * used as f64
        + bytes_of::<Hop>(hops)
        + bytes_of::<Edge>(hops)
        + blueprint.groups.iter().zip(flows_of_groups(blueprint)).map(|(group, flows)| flows as f64 * endpoints(group)).sum::<f64>()
        + blueprint.flows.len() as f64 * (size_of::<FlowSlots>() + size_of::<u32>()) as f64
}

/// How many flows each group has.
fn flows_of_groups(blueprint: &Blueprint) -> Vec<usize> {
    let mut counts = vec![0; blueprint.groups.len()];
    blueprint.flows.iter().for_each(|flow| counts[flow.group as usize] += 1);
    counts
}

/// The two ends of a flow.
fn endpoints(group: &FlowGroup) -> f64 {
    let timer = GROWING * size_of::<Timer>() as f64;
    match (&group.transport, &group.calls) {
        (TransportPlan::Tcp(_), _) => TcpEndpoints::BYTES_OF_A_FLOW as f64 + 2.0 * timer,
        (TransportPlan::Roce(_), _) => RoceEndpoints::BYTES_OF_A_FLOW as f64 + timer,
        (TransportPlan::Udp(_), Some(_)) => (size_of::<CallsIngress>() + size_of::<CallsEgress>()) as f64 * GROWING + timer,
        (TransportPlan::Udp(_), None) => {
            let is_periodic = AnySource::new(&group.source).is_some_and(|source| source.period().is_some());
            let due = if is_periodic { RING * size_of::<(Due, PeriodicPacket)>() as f64 } else { GROWING * size_of::<Due>() as f64 };
            let drawn = if is_periodic { 0.0 } else { block(size_of::<(AnySource, Stream)>()) };
            (size_of::<OpenLoopSource>() + size_of::<OpenLoopSink>()) as f64 + due + drawn
        }
    }
}

/// Calls, with their sources.
fn calls_at_work(blueprint: &Blueprint) -> f64 {
    let of_group = |((group, flows), calls): ((&FlowGroup, usize), f64)| {
        if group.calls.is_none() {
            return 0.0;
        }
        let is_periodic = AnySource::new(&group.source).is_some_and(|source| source.period().is_some());
        let drawn = if is_periodic { 0.0 } else { block(size_of::<(AnySource, Stream)>()) };
        let each = GROWING * (size_of::<Call>() + size_of::<Due>() + 2 * size_of::<u32>()) as f64 + drawn;
        flows as f64 * calls * each
    };
    blueprint.groups.iter().zip(flows_of_groups(blueprint)).zip(live_calls(blueprint)).map(of_group).sum()
}

/// Packets that wait and that are on their way.
fn packets(blueprint: &Blueprint, loads: &[LinkLoad]) -> f64 {
    let length = blueprint.end.since(Time::ZERO).as_seconds();
    let of_open_loops = |(link, load): (&LinkPlan, &LinkLoad)| {
        let OpenLoad { rate, packets_per_second, flows } = load.open;
        if flows == 0.0 {
            return 0.0;
        }
        let (excess, size) = (rate - fastest(link), rate / (8.0 * packets_per_second.max(1e-9)));
        // Flows that send no more than the link carries meet by chance; what is more waits until the queue is full.
        let waiting = if excess > 0.0 { excess * length / (8.0 * size.max(1.0)) } else { flows };
        packets_per_second * link.delay.as_seconds() + waiting.min(queue_limit(&link.port, size.max(1.0)))
    };
    let open: f64 = blueprint.links.iter().zip(loads).map(of_open_loops).sum();
    (open + COPIES * segments(blueprint, loads)) * RING * size_of::<Arrival>() as f64
}

/// Segments and acknowledgements on their way: a connection has its share of the link that gives it least, for a round trip, and of
/// the queue there; no more than its window.
fn segments(blueprint: &Blueprint, loads: &[LinkLoad]) -> f64 {
    let share = |link: &LinkId| fastest(&blueprint.links[link.index()]) / loads[link.index()].connections.max(1.0);
    let delay = |route: &[LinkId]| route.iter().map(|link| blueprint.links[link.index()].delay.as_seconds()).sum::<f64>();
    let narrowest = |route: &[LinkId]| route.iter().copied().min_by(|a, b| share(a).total_cmp(&share(b)));
    let routes: Vec<(f64, Option<LinkId>)> = blueprint.routes.iter().map(|route| (delay(route), narrowest(route))).collect();
    let of_flow = |flow: &FlowPlan| {
        let (packet, window) = match &blueprint.groups[flow.group as usize].transport {
            TransportPlan::Tcp(tcp) => (tcp.packet, f64::from(tcp.most_outstanding())),
            TransportPlan::Roce(roce) => (roce.packet, f64::from(roce.max_outstanding.0)),
            TransportPlan::Udp(_) => return 0.0,
        };
        let ((there, narrowest), (back, _)) = (routes[flow.forward.index()], routes[flow.backward.index()]);
        let size = packet.get() as f64;
        let Some(link) = narrowest else { return window };
        let queue = queue_limit(&blueprint.links[link.index()].port, size) / loads[link.index()].connections.max(1.0);
        ((there + back) * share(&link) / (8.0 * size) + queue).min(window)
    };
    blueprint.flows.iter().map(of_flow).sum()
}

/// The greatest rate that a link ever has, in bit/s.
fn fastest(link: &LinkPlan) -> f64 {
    link.rate_changes.iter().map(|(_, rate)| *rate).fold(link.rate, Ord::max).as_bps() as f64
}

/// How many packets of this size wait at a port at most.
fn queue_limit(port: &PortPlan, size: f64) -> f64 {
    let of_queue = |limit: Limit| match limit {
        Limit::Packets(packets) => f64::from(packets),
        Limit::Bytes(bytes) => bytes.get() as f64 / size,
    };
    port.queues.iter().map(|queue| of_queue(queue.discipline.limit())).sum()
}

/// What is handed back, beside what is recorded on request.
fn observations(blueprint: &Blueprint) -> f64 {
    let calls = blueprint.groups.iter().zip(flows_of_groups(blueprint)).filter(|(group, _)| group.calls.is_some());
    let aggregates: usize = calls.map(|(_, flows)| flows).sum();
    let samples: f64 = blueprint.samples.iter().map(|sample| samples_of(blueprint, sample.every)).sum();
    let meters: f64 = blueprint.meter_samples.iter().map(|sample| samples_of(blueprint, sample.every)).sum();
    bytes_of::<FlowCounters>(blueprint.flows.len())
        + bytes_of::<LinkCounters>(blueprint.links.len())
        + bytes_of::<CallCounters>(aggregates)
        + GROWING * (samples * size_of::<u32>() as f64 + meters * 4.0 * size_of::<f64>() as f64)
}

fn samples_of(blueprint: &Blueprint, every: Duration) -> f64 {
    blueprint.end.since(blueprint.warm_up).as_seconds() / every.as_seconds().max(1e-12)
}
