//! Lets ports write telemetry for the flows that ask for it.

use crate::build::error::BlueprintError;
use crate::build::message_paths::{pause_paths, telemetry_paths, TelemetryPath};
use crate::build::numbering::ProcessSite;
use crate::build::places::Places;
use crate::kernel::message::{MessageOrder, Peer};
use crate::node::process::Process;
use crate::port::telemetry::TelemetryReceiver;
use penstock_model::id::ProcessId;

/// Lets the ports of a network report.
///
/// # Errors
/// If a path takes no time, or one of pause frames has no way.
pub fn add_telemetry(places: &Places<'_>, processes: &mut [Process]) -> Result<(), BlueprintError> {
    let blueprint = places.blueprint;
    let paths = telemetry_paths(blueprint)?;
    if paths.is_empty() {
        return Ok(());
    }
    let first = pause_paths(blueprint)?.len() as u32;
    for (number, TelemetryPath { flow, to, link, hop, delay }) in (first..).zip(paths) {
        let order = MessageOrder::beside_calls(blueprint.flows.len(), number);
        let receiver = TelemetryReceiver { peer: Peer { process: ProcessId(places.process(ProcessSite::Host(to))), delay, order }, hop };
        let mut ports = processes[places.sender(link) as usize].ports_mut();
        let port = ports.find(|port| port.link() == link).expect("links in use have ports");
        port.report_to(flow, receiver, blueprint.links[link.index()].rate);
    }
    Ok(())
}
