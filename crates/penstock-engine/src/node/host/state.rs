//! What the ends of flows show of their state.

use crate::api::series::{ComponentName, SeriesPart};
use crate::endpoints::counts::EndpointCounters;
use crate::node::host::Host;
use crate::port::probing::ReportState;
use penstock_model::probe::Probe;
use penstock_model::units::Time;

const FLOW: ComponentName = ComponentName { kind: "flow", name: "" };
const CALLS: ComponentName = ComponentName { kind: "calls", name: "" };
const TCP: ComponentName = ComponentName { kind: "tcp", name: "" };
const ROCE: ComponentName = ComponentName { kind: "roce", name: "" };

/// An end of a flow.
#[derive(Clone, Copy, Debug)]
pub struct HostEnd {
    /// Of which kind.
    pub kind: EndKind,
    /// Its slot at its host.
    pub slot: u32,
    /// The receiving end.
    pub receives: bool,
}

/// Kinds of flows whose ends differ.
#[derive(Clone, Copy, Debug)]
pub enum EndKind {
    /// TCP, with the name of the congestion control.
    Tcp(&'static str),
    /// RoCE.
    Roce,
    /// The transport of a plug-in.
    Custom,
    /// An open-loop flow.
    OpenLoop,
    /// An aggregate of calls.
    Calls,
}

/// What an end shows, and what it had counted when it was looked at last, so many seconds ago.
struct EndProbe {
    counters: EndpointCounters,
    before: Option<(f64, EndpointCounters)>,
}

impl EndProbe {
    /// In bit/s.
    fn rate(&self, bytes: fn(&EndpointCounters) -> u64) -> Option<f64> {
        // A datagram may be smaller than its nominal headers, and then takes from what the application has got.
        self.before.as_ref().map(|(seconds, before)| bytes(&self.counters).saturating_sub(bytes(before)) as f64 * 8.0 / seconds)
    }
}

/// What can be read of a sending end.
struct SendingProbe(EndProbe);

penstock_model::state! {
    impl SendingProbe, |it, _now| {
        /// Rate at which the flow has sent data since the last instant, headers and retransmissions included; only at intervals.
        "sending-rate", "bit/s", maybe it.0.rate(|counters| counters.bytes);
        /// Data packets that the flow has sent since the beginning of the run, retransmissions included.
        "sent", "packets", is it.0.counters.packets as f64;
        /// Data packets that the flow has sent again since the beginning of the run.
        "retransmissions", "packets", is it.0.counters.retransmissions as f64;
    }
}

/// What can be read of a receiving end.
struct ReceivingProbe(EndProbe);

penstock_model::state! {
    impl ReceivingProbe, |it, _now| {
        /// Rate at which data of the flow has been received since the last instant, headers included; only at intervals.
        "throughput", "bit/s", maybe it.0.rate(|counters| counters.bytes);
        /// Rate at which the application has got data since the last instant, without headers and duplicates; only at intervals.
        "goodput", "bit/s", maybe it.0.rate(|counters| counters.goodput);
        /// Data packets of the flow that have been received since the beginning of the run.
        "received", "packets", is it.0.counters.packets as f64;
        /// Those of them that arrived marked.
        "marked", "packets", is it.0.counters.marked as f64;
    }
}

/// The variables that every sending end shows.
pub const SENDING: &[penstock_model::probe::Variable] = SendingProbe::STATE;
/// The variables that every receiving end shows.
pub const RECEIVING: &[penstock_model::probe::Variable] = ReceivingProbe::STATE;

impl Host {
    /// Reports the state of an end at `now`, where it had counted `before` so many seconds ago; returns what it has counted.
    pub fn probe_end(
        &self,
        end: HostEnd,
        now: Time,
        before: Option<(f64, EndpointCounters)>,
        report: &mut ReportState<'_>,
    ) -> EndpointCounters {
        let HostEnd { kind, slot, receives } = end;
        let counters = match (kind, receives) {
            (EndKind::Tcp(_), false) => self.connections.sent_counters(slot),
            (EndKind::Tcp(_), true) => self.connections.received_counters(slot),
            (EndKind::Roce, false) => self.roce.sent_counters(slot),
            (EndKind::Roce, true) => self.roce.received_counters(slot),
            (EndKind::Custom, false) => self.custom.sent_counters(slot),
            (EndKind::Custom, true) => self.custom.received_counters(slot),
            (EndKind::OpenLoop, false) => self.sources[slot as usize].counters_at(now),
            (EndKind::OpenLoop, true) => self.sinks[slot as usize].received.counters(),
            (EndKind::Calls, false) => {
                let (packets, bytes) = self.calls[slot as usize].sent();
                EndpointCounters { packets, bytes, ..EndpointCounters::default() }
            }
            (EndKind::Calls, true) => self.egresses[slot as usize].received.counters(),
        };
        let probe = EndProbe { counters, before };
        let of_flow = &mut |variable, _: Option<u32>, value| report(FLOW, SeriesPart::WHOLE, variable, value);
        if receives {
            ReceivingProbe(probe).probe(now, of_flow);
            return counters;
        }
        SendingProbe(probe).probe(now, of_flow);
        match kind {
            EndKind::OpenLoop => {}
            EndKind::Calls => {
                self.calls[slot as usize].probe(now, &mut |variable, _, value| report(CALLS, SeriesPart::WHOLE, variable, value));
            }
            EndKind::Roce => {
                let sender = self.roce.sender(slot).state();
                let control = ComponentName { kind: "rate-control", name: sender.rate_control_name() };
                sender.probe(now, &mut |variable, _, value| report(ROCE, SeriesPart::WHOLE, variable, value));
                sender.rate_control().probe(now, &mut |variable, _, value| report(control, SeriesPart::WHOLE, variable, value));
            }
            EndKind::Custom => {
                let sender = self.custom.sender(slot);
                let transport = ComponentName { kind: "transport", name: sender.name() };
                let of_transport = &mut |variable, number, value| report(transport, SeriesPart { class: None, number }, variable, value);
                sender.state().probe(now, of_transport);
            }
            EndKind::Tcp(control) => {
                let sender = self.connections.sender(slot);
                let control = ComponentName { kind: "congestion-control", name: control };
                sender.probe(now, &mut |variable, _, value| report(TCP, SeriesPart::WHOLE, variable, value));
                let of_control = &mut |variable, number, value| report(control, SeriesPart { class: None, number }, variable, value);
                sender.congestion_control().probe(now, of_control);
            }
        }
        counters
    }
}
