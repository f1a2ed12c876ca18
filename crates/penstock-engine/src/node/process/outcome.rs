//! The outcome of a process at the end of a run.

use crate::api::observations::{LinkCounters, Observations, OptionalCauses, TraceRow};
use crate::kernel::route::Routes;
use crate::node::pause_waits::PauseWait;
use crate::node::process::Process;
use crate::port::flow_losses::FlowLosses;
use penstock_model::id::LinkId;

/// Results of a process other than its counts.
pub struct Outcome {
    /// The process's name.
    pub name: String,
    /// Its digest.
    pub digest: u64,
    /// Number of packets that arrived here over links.
    pub packet_hops: u64,
    /// Its trace.
    pub trace: Vec<TraceRow>,
    /// The pauses of its ingress links that hold at the end of the run.
    pub waits: Vec<PauseWait>,
}

impl Process {
    /// Writes all counts to `observations`; returns the other results.
    pub fn finish(mut self, observations: &mut Observations, routes: &Routes) -> Outcome {
        let switch = self.switch.as_deref();
        let pause = switch.and_then(|switch| switch.pause.as_ref());
        let waits = pause.map_or(Vec::new(), |pause| pause.waits(observations.to, &self.ports, routes));
        let has_limiters = switch.is_some_and(|switch| switch.reaction_point.is_some());
        let has_headroom = pause.is_some_and(|pause| pause.plan.headroom.is_some());
        let shares_buffer = switch.is_some_and(|switch| switch.buffer.is_some());
        self.aal5.iter().for_each(|aal5| add_losses(&aal5.lost, observations));
        for port in self.ports.into_vec() {
            let link = port.link.index();
            let (counters, timings, lost) = port.finish(&mut self.record.digest);
            add_losses(&lost, observations);
            let causes = OptionalCauses { shares_buffer, has_limiters, has_headroom, ..observations.links[link].causes };
            observations.links[link] = LinkCounters { causes, ..counters };
            observations.ports.extend(timings.map(|timings| (LinkId(link as u32), timings)));
        }
        if let Some(host) = self.host {
            host.report(observations);
        }
        self.observers.report(observations);
        Outcome {
            name: self.name,
            digest: self.record.digest.value(),
            packet_hops: self.packet_hops,
            trace: self.record.take_trace(observations.to).collect(),
            waits,
        }
    }
}

/// Adds losses to the counts of their flows.
fn add_losses(losses: &FlowLosses, observations: &mut Observations) {
    for (flow, lost) in losses.iter() {
        observations.flows[flow.index()].lost_packets += lost.packets;
        observations.flows[flow.index()].lost_retransmissions += lost.retransmissions;
    }
}
