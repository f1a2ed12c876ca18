//! Lets ports write telemetry for the flows that ask for it.

use crate::build::message_paths::TelemetryPath;
use crate::build::places::Places;
use crate::kernel::message::{MessageOrder, Peer};
use crate::node::process::Process;
use crate::port::telemetry::TelemetryReceiver;
use penstock_model::id::ProcessId;

/// Lets the ports of a network report.
pub fn add_telemetry(places: &Places<'_>, processes: &mut [Process]) {
    let (flows, first) = (places.blueprint.flows.len(), places.messages.pauses.len() as u32);
    for (number, TelemetryPath { flow, to, link, hop, delay }) in (first..).zip(places.messages.telemetry.iter().copied()) {
        let peer = Peer { process: ProcessId(places.host(to)), delay, order: MessageOrder::beside_calls(flows, number) };
        let mut ports = processes[places.sender(link) as usize].ports_mut();
        let port = ports.find(|port| port.link() == link).expect("links in use have ports");
        port.report_to(flow, TelemetryReceiver { peer, hop }, places.blueprint.links[link.index()].rate);
    }
}
