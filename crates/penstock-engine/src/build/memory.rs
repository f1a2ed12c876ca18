//! Estimates the memory of a run from its plans and the sizes of the objects built from them.

use crate::api::blueprint::{Blueprint, FlowGroup, FlowPlan, LinkPlan, SamplePlan};
use crate::api::observations::{FlowCounters, LinkCounters};
use crate::build::places::host_nodes;
use crate::build::switches::waiting_hosts;
use crate::build::traffic_memory::{Traffic, RING};
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
use penstock_model::units::{Rate, Time};

/// Mean number of entries that a list reserves per entry in use, since it grows by doubling.
const GROWING: f64 = 1.5;
/// Bytes of heap memory of a port: its first batches, its counters, and its queue.
const PORT_HEAP: f64 = 1024.0;
/// Bytes of all first batches.
const FIXED: f64 = 1_500_000.0;
/// Bytes per process of its name and of the executor's state: the schedule and windows.
const SCHEDULED: f64 = 264.0;

/// Estimate of the peak memory of a run, in bytes, with the blueprint itself: nodes, links, routes, endpoints of flows, calls, packets
/// that wait or are in flight, and observations.
///
/// Random quantities count with their mean, or with their bound if traffic is greedy or exceeds the rate of a link.
pub fn estimate(blueprint: &Blueprint) -> u64 {
    let traffic = Traffic::new(blueprint);
    let (in_flight, at_ports) = traffic.under_way();
    let groups = blueprint.groups.iter().zip(&traffic.flows).zip(&traffic.calls);
    let endpoints: f64 = groups.map(|((group, flows), calls)| *flows as f64 * endpoints(group, *calls)).sum();
    // Memory that only building needs is free again before the first packet.
    let running = (in_flight + observations(blueprint)).max(construction(blueprint));
    (FIXED + structure(blueprint) + circuits(blueprint) + endpoints + at_ports + running) as u64
}

/// The bytes of `count` values of a type.
fn bytes_of<T>(count: usize) -> f64 {
    count as f64 * size_of::<T>() as f64
}

/// Bytes that the allocator uses for a block of `bytes`.
fn block(bytes: usize) -> f64 {
    if bytes == 0 {
        0.0
    } else {
        ((bytes + 8).next_multiple_of(16)).max(32) as f64
    }
}

/// Bytes of the blueprint of the run, which is one of many, and of data about the network that only building needs.
fn construction(blueprint: &Blueprint) -> f64 {
    let Blueprint { nodes, links, routes, groups, flows, .. } = blueprint;
    let names: f64 = nodes.iter().chain(links.iter().map(|link| &link.path)).map(|name| block(name.len())).sum();
    let rates: usize = links.iter().map(|link| link.rate_changes.len()).sum();
    names
        + bytes_of::<(Time, Rate)>(rates)
        + bytes_of::<(String, Vec<LinkId>, [u32; 2])>(nodes.len())
        + bytes_of::<(LinkPlan, [u32; 4])>(links.len())
        + bytes_of::<(LinkId, (u32, LinkId), (LinkId, ProcessId, u32))>(routes.links().len())
        + bytes_of::<u32>(routes.len())
        + bytes_of::<FlowGroup>(groups.len())
        + bytes_of::<(FlowPlan, Time, u32)>(flows.len())
}

/// Bytes of everything that is built and kept for the whole run, except endpoints.
fn structure(blueprint: &Blueprint) -> f64 {
    let is_host = host_nodes(blueprint);
    let mut ports = vec![0; blueprint.nodes.len()];
    let mut used = vec![false; blueprint.links.len()];
    blueprint.routes.links().iter().for_each(|link| used[link.index()] = true);
    blueprint.links.iter().zip(used).filter(|(_, is_used)| *is_used).for_each(|(link, _)| ports[link.from.index()] += 1);
    let hosts = is_host.iter().filter(|is_host| **is_host).count();
    let at_hosts = || ports.iter().zip(&is_host).filter(|(_, is_host)| **is_host).map(|(ports, _)| *ports);
    let used: usize = ports.iter().sum();
    let processes = hosts + used - at_hosts().sum::<usize>();
    bytes_of::<(Process, Option<Box<Inputs>>)>(processes)
        + processes as f64 * (block(size_of::<Inputs>()) + SCHEDULED)
        + hosts as f64 * block(size_of::<Host>())
        + waiting_hosts(blueprint).len() as f64 * block(size_of::<Switch>())
        // The only port of a process lies in it.
        + bytes_of::<Port>(at_hosts().filter(|ports| *ports > 1).sum())
        + PORT_HEAP * used as f64
        + bytes_of::<(Hop, GraphChannel)>(blueprint.routes.links().len())
        + bytes_of::<(FlowSlots, u32)>(blueprint.flows.len())
}

/// Bytes of circuits, of the list of circuits at each cell link, and of the frames that ends of AAL5 reassemble.
fn circuits(blueprint: &Blueprint) -> f64 {
    if blueprint.links.iter().all(|link| !link.cells) {
        return 0.0;
    }
    let each = block(size_of::<(Circuit, [u32; 2], Reassembly)>()) + block(16);
    2.0 * blueprint.flows.len() as f64 * each + GROWING * bytes_of::<u32>(blueprint.routes.links().len())
}

/// Bytes of the two ends of a flow of a group; an aggregate of calls has `calls` live ones on average.
fn endpoints(group: &FlowGroup, calls: f64) -> f64 {
    let timer = GROWING * size_of::<Timer>() as f64;
    let waiting = if group.transport.waits_for_port() { RING * size_of::<WaitingEntry>() as f64 } else { 0.0 };
    let is_periodic = || AnySource::new(&group.source, &Site::trial()).is_some_and(|source| source.period().is_some());
    let drawn = || if is_periodic() { 0.0 } else { block(size_of::<(AnySource, Stream)>()) };
    match (&group.transport, &group.calls) {
        (TransportPlan::Tcp(_), _) => TcpEndpoints::BYTES_OF_A_FLOW as f64 + 2.0 * timer + waiting,
        (TransportPlan::Roce(_), _) => RoceEndpoints::BYTES_OF_A_FLOW as f64 + timer + waiting,
        (TransportPlan::Udp(_), Some(_)) => {
            let each = GROWING * size_of::<(Call, Due, [u32; 2])>() as f64 + drawn();
            GROWING * size_of::<(CallsIngress, CallsEgress)>() as f64 + timer + calls * each
        }
        (TransportPlan::Udp(_), None) => {
            let due = if is_periodic() { RING * size_of::<(Due, PeriodicPacket)>() as f64 } else { GROWING * size_of::<Due>() as f64 };
            size_of::<(OpenLoopSource, OpenLoopSink)>() as f64 + due + drawn()
        }
        _ => CustomEndpoints::BYTES_OF_A_FLOW as f64 + 2.0 * timer,
    }
}

/// Bytes of the observations that are returned, with the samples, but without records that only some runs request.
fn observations(blueprint: &Blueprint) -> f64 {
    let measured = blueprint.end.since(blueprint.warm_up).as_seconds();
    let count = |plans: &[SamplePlan]| plans.iter().map(|sample| measured / sample.every.as_seconds().max(1e-12)).sum::<f64>();
    let samples = count(&blueprint.samples) * size_of::<u32>() as f64 + count(&blueprint.meter_samples) * size_of::<[f64; 4]>() as f64;
    bytes_of::<FlowCounters>(blueprint.flows.len()) + bytes_of::<LinkCounters>(blueprint.links.len()) + GROWING * samples
}
