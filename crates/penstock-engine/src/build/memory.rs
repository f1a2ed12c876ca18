//! An estimate of the memory that a run takes, from its plans and the sizes of what is built from them.

use crate::api::blueprint::{Blueprint, FlowGroup, FlowPlan, LinkPlan};
use crate::api::observations::{CallCounters, FlowCounters, LinkCounters};
use crate::build::link_loads::{flows_of_groups, link_loads, live_calls, LinkLoad};
use crate::build::numbering::{ProcessSite, ProcessSites};
use crate::build::open_transfers::open_shares;
use crate::build::switches::waiting_hosts;
use crate::build::under_way::{UnderWay, RING};
use crate::endpoints::calls::call::Call;
use crate::endpoints::calls::egress::CallsEgress;
use crate::endpoints::calls::ingress::CallsIngress;
use crate::endpoints::custom::CustomEndpoints;
use crate::endpoints::emitter::Due;
use crate::endpoints::open_loop::{OpenLoopSink, OpenLoopSource};
use crate::endpoints::roce::RoceEndpoints;
use crate::endpoints::tcp::TcpEndpoints;
use crate::endpoints::timers::Timer;
use crate::kernel::inputs::Inputs;
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::kernel::process_graph::GraphChannel;
use crate::kernel::route::{FlowSlots, Hop};
use crate::node::aal5::Aal5;
use crate::node::host::Host;
use crate::node::process::Process;
use crate::node::shared_state::Switch;
use crate::port::waiting::WaitingEntry;
use crate::port::Port;
use penstock_model::atm::aal5::Reassembly;
use penstock_model::atm::circuits::Circuit;
use penstock_model::id::{LinkId, ProcessId};
use penstock_model::rng::Stream;
use penstock_model::site::Site;
use penstock_model::source::{AnySource, Source};
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Duration, Time};
use std::mem::size_of;

/// What a list has reserved for each entry that it holds, as it grows by doubling.
const GROWING: f64 = 1.5;
/// Bytes that a port has beside itself: its first batches, its counters, and its queue.
const PORT_HEAP: f64 = 1024.0;
/// Bytes of the first batches of everything.
const FIXED: f64 = 1_500_000.0;
/// Bytes of the schedule and of windows, of what the executor knows of a process.
const SCHEDULED: f64 = 216.0;

/// Estimate of the peak memory of a run, in bytes, with the blueprint itself: nodes, links, routes, endpoints of flows, calls, packets
/// that wait or are in flight, and observations.
///
/// What depends on chance is taken at its mean, and at its bound where traffic is greedy or more than a link carries.
pub fn estimate(blueprint: &Blueprint) -> u64 {
    let open = open_shares(blueprint);
    let loads = link_loads(blueprint, &open);
    let built = blueprint_bytes(blueprint) + construction(blueprint);
    let under_way = UnderWay::new(blueprint, &loads, &open);
    let running = under_way.packets(blueprint, &loads) + calls_at_work(blueprint) + observations(blueprint);
    // What is needed for building is free again before the first packet.
    (FIXED + structure(blueprint, &loads) + under_way.at_ports(blueprint) + built.max(running)) as u64
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
    let by_node = size_of::<Vec<LinkId>>() + 1 + 2 * size_of::<u32>();
    bytes_of::<(ProcessSite, LinkId)>(hops)
        + bytes_of::<(LinkId, ProcessId, u32)>(hops)
        + bytes_of::<(Time, u32)>(blueprint.flows.len())
        + (by_node * blueprint.nodes.len()) as f64
        + (4 * size_of::<u32>() * blueprint.links.len()) as f64
}

/// What is built and stays.
fn structure(blueprint: &Blueprint, loads: &[LinkLoad]) -> f64 {
    let sites = ProcessSites::new(blueprint);
    let is_host = sites.hosts();
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
        + waiting_hosts(blueprint).len() as f64 * block(size_of::<Switch>())
        + bytes_of::<Port>(ports_apart(blueprint, loads, is_host))
        + PORT_HEAP * used as f64
        + bytes_of::<Hop>(hops)
        + bytes_of::<GraphChannel>(hops)
        + blueprint.groups.iter().zip(flows_of_groups(blueprint)).map(|(group, flows)| flows as f64 * endpoints(group)).sum::<f64>()
        + blueprint.flows.len() as f64 * (size_of::<FlowSlots>() + size_of::<u32>()) as f64
        + circuits(blueprint)
}

/// How many ports do not lie in their process, which has several.
fn ports_apart(blueprint: &Blueprint, loads: &[LinkLoad], is_host: &[bool]) -> usize {
    let mut ports = vec![0; is_host.len()];
    let used = blueprint.links.iter().zip(loads).filter(|(link, load)| load.is_used && is_host[link.from.index()]);
    used.for_each(|(link, _)| ports[link.from.index()] += 1);
    ports.into_iter().filter(|ports| *ports > 1).sum()
}

/// Circuits, the lists of those at each cell link, and the ends of AAL5, which reassemble each of the circuits between the first
/// and the last that end there.
fn circuits(blueprint: &Blueprint) -> f64 {
    if blueprint.links.iter().all(|link| !link.cells) {
        return 0.0;
    }
    let flows = blueprint.flows.len();
    let hops: usize = blueprint.routes.links().len();
    let ends = blueprint.aal5_ends().len().min(flows);
    let each = size_of::<Circuit>() as f64 + block(16) + size_of::<[u32; 2]>() as f64;
    2.0 * flows as f64 * each + GROWING * bytes_of::<u32>(hops) + (bytes_of::<Aal5>(ends) + 2.0 * bytes_of::<Reassembly>(flows))
}

/// The two ends of a flow.
fn endpoints(group: &FlowGroup) -> f64 {
    let timer = GROWING * size_of::<Timer>() as f64;
    let waiting = if group.transport.waits_for_port() { RING * size_of::<WaitingEntry>() as f64 } else { 0.0 };
    match (&group.transport, &group.calls) {
        (TransportPlan::Tcp(_), _) => TcpEndpoints::BYTES_OF_A_FLOW as f64 + 2.0 * timer + waiting,
        (TransportPlan::Roce(_), _) => RoceEndpoints::BYTES_OF_A_FLOW as f64 + timer + waiting,
        (TransportPlan::Udp(_), Some(_)) => (size_of::<CallsIngress>() + size_of::<CallsEgress>()) as f64 * GROWING + timer,
        (TransportPlan::Udp(_), None) => {
            let is_periodic = AnySource::new(&group.source, &Site::trial()).is_some_and(|source| source.period().is_some());
            let due = if is_periodic { RING * size_of::<(Due, PeriodicPacket)>() as f64 } else { GROWING * size_of::<Due>() as f64 };
            let drawn = if is_periodic { 0.0 } else { block(size_of::<(AnySource, Stream)>()) };
            (size_of::<OpenLoopSource>() + size_of::<OpenLoopSink>()) as f64 + due + drawn
        }
        _ => CustomEndpoints::BYTES_OF_A_FLOW as f64 + 2.0 * timer,
    }
}

/// Calls, with their sources.
fn calls_at_work(blueprint: &Blueprint) -> f64 {
    let of_group = |((group, flows), calls): ((&FlowGroup, usize), f64)| {
        if group.calls.is_none() {
            return 0.0;
        }
        let is_periodic = AnySource::new(&group.source, &Site::trial()).is_some_and(|source| source.period().is_some());
        let drawn = if is_periodic { 0.0 } else { block(size_of::<(AnySource, Stream)>()) };
        let each = GROWING * (size_of::<Call>() + size_of::<Due>() + 2 * size_of::<u32>()) as f64 + drawn;
        flows as f64 * calls * each
    };
    blueprint.groups.iter().zip(flows_of_groups(blueprint)).zip(live_calls(blueprint)).map(of_group).sum()
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
