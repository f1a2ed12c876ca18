//! Adds the time series of a blueprint to the processes that they are about.

use crate::api::blueprint::{Blueprint, SwitchPlan};
use crate::api::series::SeriesSubject;
use crate::build::numbering::{ProcessNumbers, ProcessSites};
use crate::kernel::route::FlowSlots;
use crate::node::host::state::{EndKind, HostEnd};
use crate::node::process::series::Observed;
use crate::node::process::Process;
use crate::node::switch_state::SharedComponents;
use penstock_model::id::{FlowId, NodeId};
use penstock_model::transport::TransportPlan;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where processes, ports and ends of flows are.
pub struct SeriesSites<'a> {
    /// The blueprint.
    pub blueprint: &'a Blueprint,
    /// The sites of its processes.
    pub sites: &'a ProcessSites<'a>,
    /// Their numbers.
    pub numbers: &'a ProcessNumbers,
    /// Each link's port at its process.
    pub port_index: &'a [u32],
    /// Each flow's slots.
    pub flows: &'a [FlowSlots],
}

impl SeriesSites<'_> {
    /// Adds all series. A port that no route uses does not exist, and shows nothing; neither does a node whose ports share nothing.
    pub fn add(&self, processes: &mut [Process]) {
        let of_switch = |switch: &SwitchPlan| (switch.node, SharedComponents::new(switch));
        let shared: BTreeMap<NodeId, SharedComponents> = self.blueprint.switches.iter().map(of_switch).collect();
        let shared = |node: NodeId| shared.get(&node).copied();
        for (number, plan) in (0..).zip(&self.blueprint.watch.series) {
            let (process, observed) = match plan.of {
                SeriesSubject::Link(link) if self.port_index[link.index()] == u32::MAX => continue,
                SeriesSubject::Link(link) => {
                    let of_link = &self.blueprint.links[link.index()];
                    let shared = shared(of_link.from).unwrap_or_default();
                    let (port, plan) = (self.port_index[link.index()], Arc::clone(&of_link.port));
                    (self.numbers.of(self.sites.sender(link)), Observed::Port { port, plan, shared, before: None })
                }
                SeriesSubject::Sender(flow) => {
                    let from = self.blueprint.flows[flow.index()].from;
                    let shared = shared(from).unwrap_or_default();
                    (self.host(from), Observed::End { end: self.end(flow, false), flow, shared, before: None })
                }
                SeriesSubject::Receiver(flow) => {
                    let (to, shared) = (self.blueprint.flows[flow.index()].to, SharedComponents::default());
                    (self.host(to), Observed::End { end: self.end(flow, true), flow, shared, before: None })
                }
                SeriesSubject::Node(node) => match shared(node) {
                    Some(shared) => (self.host(node), Observed::Shared(shared)),
                    None => continue,
                },
            };
            processes[process as usize].observe(observed, plan, number);
        }
    }

    fn host(&self, node: NodeId) -> u32 {
        self.numbers.host(node).expect("flows begin and end at hosts, and switches have one")
    }

    fn end(&self, flow: FlowId, receives: bool) -> HostEnd {
        let group = &self.blueprint.groups[self.blueprint.flows[flow.index()].group as usize];
        let FlowSlots { source, sink } = self.flows[flow.index()];
        let kind = match &group.transport {
            TransportPlan::Tcp(parameters) => EndKind::Tcp(parameters.congestion_control_plan().name()),
            TransportPlan::Roce(_) => EndKind::Roce,
            TransportPlan::Udp(_) if group.calls.is_some() => EndKind::Calls,
            TransportPlan::Udp(_) => EndKind::OpenLoop,
            _ => EndKind::Custom,
        };
        HostEnd { kind, slot: if receives { sink } else { source }, receives }
    }
}
