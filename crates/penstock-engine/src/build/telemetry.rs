//! The paths of telemetry, from the ports on the routes of flows that ask for it to their senders.

use crate::api::blueprint::Blueprint;
use crate::build::error::BlueprintError;
use crate::build::message_paths::pause_paths;
use crate::build::numbering::{ProcessNumbers, ProcessSite, ProcessSites};
use crate::kernel::message::{MessageOrder, Peer};
use crate::node::process::Process;
use crate::port::telemetry::TelemetryReceiver;
use penstock_model::id::{FlowId, LinkId, NodeId, ProcessId};
use penstock_model::transport::TransportPlan;
use penstock_model::units::Duration;
use std::collections::BTreeSet;

/// The records of a port for a flow.
#[derive(Clone, Copy, Debug)]
pub struct TelemetryPath {
    /// The flow.
    pub flow: FlowId,
    /// Its source.
    pub to: NodeId,
    /// The link of the port.
    pub link: LinkId,
    /// Its position on the flow's route.
    pub hop: u32,
    /// Propagation from the port to the flow's receiver, and back to its source. An acknowledgement takes more.
    pub delay: Duration,
}

/// All paths, by flow and hop. The port of the source writes no records.
///
/// # Errors
/// If a path takes no time.
pub fn telemetry_paths(blueprint: &Blueprint) -> Result<Vec<TelemetryPath>, BlueprintError> {
    let asks: Vec<bool> = blueprint.groups.iter().map(|group| asks_for_telemetry(&group.transport)).collect();
    let mut paths = Vec::new();
    if !asks.contains(&true) {
        return Ok(paths);
    }
    for (id, flow) in (0..).map(FlowId).zip(&blueprint.flows).filter(|(_, flow)| asks[flow.group as usize]) {
        let propagation = |links: &[LinkId]| links.iter().fold(Duration::ZERO, |sum, link| sum + blueprint.links[link.index()].delay);
        let (forward, backward) = (&blueprint.routes[flow.forward.index()], &blueprint.routes[flow.backward.index()]);
        for (hop, &link) in (0..).zip(forward).filter(|(_, link)| blueprint.links[link.index()].from != flow.from) {
            let delay = propagation(&forward[hop as usize..]) + propagation(backward);
            if delay == Duration::ZERO {
                let (port, source) = (&blueprint.links[link.index()].path, &blueprint.nodes[flow.from.index()]);
                return Err(BlueprintError::MessageWithoutDelay(format!("telemetry of '{port}' to '{source}'")));
            }
            paths.push(TelemetryPath { flow: id, to: flow.from, link, hop, delay });
        }
    }
    Ok(paths)
}

fn asks_for_telemetry(transport: &TransportPlan) -> bool {
    matches!(transport, TransportPlan::Roce(parameters) if parameters.feedback().telemetry)
}

/// The links whose ports write records.
pub fn links_with_telemetry(blueprint: &Blueprint) -> BTreeSet<LinkId> {
    telemetry_paths(blueprint).map_or_else(|_| BTreeSet::new(), |paths| paths.into_iter().map(|path| path.link).collect())
}

/// Lets the ports of a network report.
///
/// # Errors
/// If a path takes no time, or one of pause frames has no way.
pub fn add_telemetry(
    blueprint: &Blueprint,
    sites: &ProcessSites<'_>,
    numbers: &ProcessNumbers,
    port_index: &[u32],
    processes: &mut [Process],
) -> Result<(), BlueprintError> {
    let paths = telemetry_paths(blueprint)?;
    if paths.is_empty() {
        return Ok(());
    }
    let first = pause_paths(blueprint)?.len() as u32;
    for (number, TelemetryPath { flow, to, link, hop, delay }) in (first..).zip(paths) {
        let peer = Peer { process: ProcessId(numbers.of(ProcessSite::Host(to))), delay };
        let receiver = TelemetryReceiver { peer, order: MessageOrder::beside_calls(blueprint.flows.len(), number), hop };
        let process = &mut processes[numbers.of(sites.sender(link)) as usize];
        let port = process.ports_mut().nth(port_index[link.index()] as usize).expect("links in use have ports");
        port.report_to(flow, receiver, blueprint.links[link.index()].rate);
    }
    Ok(())
}
