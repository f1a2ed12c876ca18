//! Adds the samples and the time series of a blueprint to the processes that they are about.

use crate::api::blueprint::{Blueprint, FlowPlan, SamplePlan};
use crate::api::series::{Sampling, SeriesPlan, SeriesSubject};
use crate::build::places::Places;
use crate::kernel::route::FlowSlots;
use crate::node::host::state::{EndKind, HostEnd};
use crate::node::process::series::Observed;
use crate::node::process::Process;
use penstock_model::id::FlowId;
use penstock_model::transport::TransportPlan;
use std::sync::Arc;

/// Adds all series, given the slots of each flow. A port that no route uses does not exist, and shows nothing; neither does a node whose
/// ports share nothing.
pub fn add_series(places: &Places<'_>, flows: &[FlowSlots], processes: &mut [Process]) {
    let blueprint = places.blueprint;
    let mut sample = |number: u32, SamplePlan { link, every }: &SamplePlan, observed: fn(u32) -> Observed| {
        let port = places.port(*link).expect("links that are sampled are in use");
        let (from, until) = (blueprint.warm_up + *every, blueprint.end);
        let plan = SeriesPlan { of: SeriesSubject::Link(*link), what: Vec::new(), sampling: Sampling::Every(*every), from, until };
        processes[places.sender(*link) as usize].observe(observed(port), &plan, number);
    };
    let queues = (0..).zip(&blueprint.samples);
    queues.for_each(|(number, plan)| sample(number, plan, |port| Observed::Queue { port, lengths: Vec::new() }));
    let meters = (0..).zip(&blueprint.meter_samples);
    meters.for_each(|(number, plan)| sample(number, plan, |port| Observed::Meters { port, samples: Vec::new() }));
    for (number, plan) in (0..).zip(&blueprint.watch.series) {
        let (process, observed) = match plan.of {
            SeriesSubject::Link(link) => {
                let Some(port) = places.port(link) else { continue };
                let plan = Arc::clone(&blueprint.links[link.index()].port);
                (places.sender(link), Observed::Port { port, plan, before: None })
            }
            SeriesSubject::Sender(flow) | SeriesSubject::Receiver(flow) => {
                let end = end(blueprint, flows, flow, matches!(plan.of, SeriesSubject::Receiver(_)));
                let FlowPlan { from, to, .. } = blueprint.flows[flow.index()];
                (places.host(if end.receives { to } else { from }), Observed::End { end, flow, before: None })
            }
            SeriesSubject::Node(node) if blueprint.switches.iter().all(|switch| switch.node != node) => continue,
            SeriesSubject::Node(node) => (places.host(node), Observed::Shared),
        };
        processes[process as usize].observe(observed, plan, number);
    }
}

fn end(blueprint: &Blueprint, flows: &[FlowSlots], flow: FlowId, receives: bool) -> HostEnd {
    let group = &blueprint.groups[blueprint.flows[flow.index()].group as usize];
    let FlowSlots { source, sink } = flows[flow.index()];
    let kind = match &group.transport {
        TransportPlan::Tcp(parameters) => EndKind::Tcp(parameters.congestion_control_plan().name()),
        TransportPlan::Roce(_) => EndKind::Roce,
        TransportPlan::Udp(_) if group.calls.is_some() => EndKind::Calls,
        TransportPlan::Udp(_) => EndKind::OpenLoop,
        _ => EndKind::Custom,
    };
    HostEnd { kind, slot: if receives { sink } else { source }, receives }
}
