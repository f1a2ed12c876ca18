//! State variables of the ends of flows.

use crate::api::observations::FlowCounters;
use crate::api::series::SeriesPart;
use crate::endpoints::custom::CustomSender;
use crate::kernel::journal::Measurement;
use crate::node::host::Host;
use crate::port::probing::StateReader;
use penstock_model::units::Time;

/// An end of a flow.
#[derive(Clone, Copy, Debug)]
pub struct HostEnd {
    /// Kind of the flow.
    pub kind: EndKind,
    /// Slot of the end at its host.
    pub slot: u32,
    /// True for the receiving end, false for the sending end.
    pub receives: bool,
}

/// Kinds of flows with different endpoints.
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

/// The current counts of an end; the seconds since the previous reading, if any, and the counts at that time.
struct EndProbe {
    counters: FlowCounters,
    before: Option<(f64, FlowCounters)>,
}

impl EndProbe {
    /// Rate since the previous reading in bit/s, given the count of bytes.
    fn rate(&self, bytes: fn(&FlowCounters) -> u64) -> Option<f64> {
        // A datagram that is smaller than its nominal headers reduces the count of the application's bytes.
        self.before.as_ref().map(|(seconds, before)| bytes(&self.counters).saturating_sub(bytes(before)) as f64 * 8.0 / seconds)
    }
}

/// State variables of a sending end.
struct SendingProbe(EndProbe);

penstock_model::state! {
    impl SendingProbe, |it, _now| {
        /// Rate of the data that the flow has sent since the previous reading, headers and retransmissions included; only at intervals.
        "sending-rate", "bit/s", maybe it.0.rate(|counters| counters.sent.bytes);
        /// Data packets that the flow has sent since the beginning of the run, retransmissions included.
        "sent", "packets", is it.0.counters.sent.packets as f64;
        /// Data packets that the flow has sent again since the beginning of the run.
        "retransmissions", "packets", is it.0.counters.sent.retransmissions as f64;
    }
}

/// State variables of a receiving end.
struct ReceivingProbe(EndProbe);

penstock_model::state! {
    impl ReceivingProbe, |it, _now| {
        /// Rate at which data of the flow has been received since the previous reading, headers included; only at intervals.
        "throughput", "bit/s", maybe it.0.rate(|counters| counters.received.bytes);
        /// Rate of the data that the application has got since the previous reading, without headers or duplicates; only at intervals.
        "goodput", "bit/s", maybe it.0.rate(|counters| counters.goodput_bytes);
        /// Data packets of the flow that have been received since the beginning of the run.
        "received", "packets", is it.0.counters.received.packets as f64;
        /// Data packets of the flow that have been received with a mark since the beginning of the run.
        "marked", "packets", is it.0.counters.received.marked as f64;
    }
}

/// State variables of every sending end.
pub const SENDING: &[penstock_model::probe::Variable] = SendingProbe::STATE;
/// State variables of every receiving end.
pub const RECEIVING: &[penstock_model::probe::Variable] = ReceivingProbe::STATE;

impl Host {
    /// Returns the counts of an end from the beginning of the run to `now`, in a run without a warm-up.
    fn counters_of(&self, HostEnd { kind, slot, receives }: HostEnd, now: Time) -> FlowCounters {
        let (mut counters, i) = (FlowCounters::default(), slot as usize);
        match kind {
            EndKind::Tcp(_) => self.connections.write_counts(slot, receives, &mut counters),
            EndKind::Roce => self.roce.write_counts(slot, receives, &mut counters),
            EndKind::Custom => self.custom.write_counts(slot, receives, &mut counters),
            EndKind::OpenLoop if receives => self.sinks[i].received.write(&mut counters),
            EndKind::OpenLoop => counters.sent = self.sources[i].sent(Measurement { from: Time::ZERO, to: now }),
            EndKind::Calls if receives => self.egresses[i].received.write(&mut counters),
            EndKind::Calls => counters.sent = self.calls[i].sent(),
        }
        counters
    }

    /// Reads the state of an end; `before` has the time and counts of the previous reading. Returns the current counts.
    pub fn read_end(&self, end: HostEnd, before: Option<(Time, FlowCounters)>, reader: &mut StateReader<'_>) -> FlowCounters {
        let (i, whole) = (end.slot as usize, SeriesPart::WHOLE);
        let counters = self.counters_of(end, reader.now);
        let before = before.map(|(time, before)| (reader.now.since(time).as_seconds(), before));
        let probe = EndProbe { counters, before };
        if end.receives {
            reader.read("flow", "", whole, &ReceivingProbe(probe));
            return counters;
        }
        reader.read("flow", "", whole, &SendingProbe(probe));
        match end.kind {
            EndKind::OpenLoop => {}
            EndKind::Calls => reader.read("calls", "", whole, &self.calls[i]),
            EndKind::Roce => {
                let sender = self.roce.sender(end.slot);
                reader.read("roce", "", whole, sender);
                reader.read("rate-control", sender.rate_control_name(), whole, sender.rate_control());
            }
            EndKind::Custom => {
                let CustomSender { transport, sender, .. } = self.custom.sender(end.slot);
                reader.read("transport", transport.name, whole, &**sender);
            }
            EndKind::Tcp(control) => {
                let sender = self.connections.sender(end.slot);
                reader.read("tcp", "", whole, sender);
                reader.read("congestion-control", control, whole, sender.congestion_control());
            }
        }
        counters
    }
}
