//! The observations of a run, between the warm-up and the end.

pub use crate::api::trace::{TimerKind, TraceEvent, TraceRow, TraceSubject};
use penstock_model::discipline::{DropCause, PRECEDENCES};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::stats::distribution::Distribution;
pub use penstock_model::stats::expedited::EfErrors;
pub use penstock_model::stats::frames::FrameTimes;
use penstock_model::stats::variation::{RtpJitter, Variation};
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// Everything that a run counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// Start of the measurement period.
    pub from: Time,
    /// End of the measurement period.
    pub to: Time,
    /// Per flow, by its serial number.
    pub flows: Vec<FlowCounters>,
    /// Per link, by its position in the blueprint.
    pub links: Vec<LinkCounters>,
    /// Counts of calls, for the flows that are aggregates of calls.
    pub calls: Vec<(FlowId, CallCounters)>,
    /// Bytes received per interval since the beginning of the run, for the flows whose plan has them.
    pub intervals: Vec<(FlowId, Duration, Vec<u64>)>,
    /// Delays and their variation, for the flows whose group is watched, by flow.
    pub timings: Vec<(FlowId, Timings)>,
    /// Page times, for the flows that request pages, by flow.
    pub pages: Vec<(FlowId, PageTimes)>,
    /// The completed transfers, for the flows whose group is watched and whose transfer was complete in the measurement period, by flow.
    pub completions: Vec<(FlowId, Completion)>,
    /// The transfers of watched groups that were incomplete or had not started at the end of the run, by flow.
    pub unfinished: Vec<(FlowId, UnfinishedTransfer)>,
    /// Number of times that a segment was sent a third time or later, for the flows whose group is watched, by flow.
    pub repeated_retransmissions: Vec<(FlowId, u64)>,
    /// Records of the links that are watched, by link.
    pub ports: Vec<(LinkId, PortTimings)>,
    /// Per sample plan: the queue lengths in packets at each sampled instant.
    pub samples: Vec<Vec<u32>>,
    /// Per plan of meter samples: the states of the meters of the port, by meter and in their order.
    pub meter_samples: Vec<Vec<MeterSamples>>,
    /// Packets that reached the far end of a link, over the whole run.
    pub packet_hops: u64,
    /// Links in a cycle of pauses that never end: the packets for which each is paused wait at the port of the next link of the cycle.
    /// Empty if there is no such cycle at the end of the run.
    pub deadlock: Vec<PausedIngress>,
    /// Hash of everything that happened, equal for equal runs whatever the executor and machine.
    pub digest: u64,
    /// The trace, if requested, without rows that were taken during the run; by time, then by place.
    pub trace: Vec<TraceRow>,
}

/// One flow's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCounters {
    /// Packets that its source has sent.
    pub sent: SentCounts,
    /// Number of the packets sent that were dropped at any link before the end of the measurement period.
    pub lost_packets: u64,
    /// Number of the lost packets that were retransmissions.
    pub lost_retransmissions: u64,
    /// Packets that its receiver has received.
    pub received: ReceivedCounts,
    /// Bytes received, without headers.
    pub received_payload: u64,
    /// Bytes without headers delivered to the receiving application, each once.
    pub goodput_bytes: u64,
}

/// Data packets that a source has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentCounts {
    /// Data packets, retransmissions included.
    pub packets: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Data packets sent again.
    pub retransmissions: u64,
    /// Expiries of retransmission timers, connection set-up included.
    pub timeouts: u64,
}

/// Data packets that a receiver has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivedCounts {
    /// Data packets, duplicates included.
    pub packets: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Data packets that arrived marked.
    pub marked: u64,
    /// Sum of their one-way delays in picoseconds, from their creation to the end of reception.
    pub delay_sum_ps: u128,
    /// The longest of these delays.
    pub delay_max: Duration,
}

/// Records of the delays of one flow's data packets in the measurement period; `None` if not requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// One-way delays, from the packets' creation to the end of their reception.
    pub delays: Option<Distribution>,
    /// Differences of the delays of packets that arrived one after the other and have consecutive numbers.
    pub variation: Option<Variation>,
    /// The interarrival jitter of RTP, over all packets that arrived.
    pub rtp_jitter: Option<RtpJitter>,
    /// Bytes received in each bin from the beginning of the run, up to the last bin with any.
    pub bins: Option<Vec<u64>>,
    /// Frames of a source that has them.
    pub frames: Option<FrameTimes>,
}

/// Times of the pages that were complete in the measurement period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageTimes {
    /// Number of pages.
    pub count: u64,
    /// Sum of their times in picoseconds.
    pub sum_ps: u128,
    /// The longest time.
    pub max: Duration,
    /// Distribution of the times, if requested.
    pub distribution: Option<Distribution>,
}

impl PageTimes {
    pub(crate) fn count(&mut self, time: Duration) {
        self.count += 1;
        self.sum_ps += u128::from(time.as_ps());
        self.max = self.max.max(time);
        if let Some(distribution) = &mut self.distribution {
            distribution.add(time);
        }
    }
}

/// A transfer that was complete in the measurement period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Time from its start to its complete acknowledgement.
    pub time: Duration,
    /// Its size, without headers.
    pub bytes: u64,
}

/// A transfer that was not complete at the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfinishedTransfer {
    /// Time at which its connection was to be opened; after the end of the run if it was not opened.
    pub start: Time,
    /// Its size, without headers.
    pub bytes: u64,
}

/// Records of one link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortTimings {
    /// Counts of the link by part of the traffic, if they are split.
    pub parts: BTreeMap<TrafficPart, LinkCounters>,
    /// Distributions by class of the time from arrival to the start of transmission, for the packets whose transmission began in the
    /// measurement period; empty if not requested.
    pub waits: Vec<Distribution>,
    /// Errors of expedited forwarding, in the order of the plans.
    pub expedited: Vec<EfErrors>,
}

/// A part of the traffic of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrafficPart {
    /// A class.
    Class(u8),
    /// Packets that came over a link; `None` for packets sent by the node itself.
    Ingress(Option<LinkId>),
    /// Both directions of a circuit of the plans, by its position.
    SharedCircuit(u32),
    /// The circuit of a flow that uses no circuit of the plans.
    OwnCircuit(FlowId),
}

/// One variable of the state of one meter at each sampled instant.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterSamples {
    /// Which meter of the port: its marker comes first if it has one, then its PCN meters in their order.
    pub meter: usize,
    /// The name of the variable, such as `fill`.
    pub variable: &'static str,
    /// The unit of the values.
    pub unit: &'static str,
    /// The values, by instant.
    pub values: Vec<f64>,
}

/// Counts of the calls of one aggregate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallCounters {
    /// Calls that arrived.
    pub offered: u64,
    /// Calls that were admitted, without the calls present at the start, which did not ask.
    pub admitted: u64,
    /// Calls that were refused.
    pub blocked: u64,
    /// Time integral of the live calls, in call-picoseconds.
    pub live_ps: u128,
    /// Live calls at the end of the run.
    pub live_at_end: u64,
    /// Each termination of the whole run: its time, the number of calls terminated, and the number left.
    pub terminations: Vec<(Time, u32, u32)>,
}

/// Causes of drops that only some links have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalCauses {
    /// Whether the port shares a buffer with others, which may have no room.
    pub shares_buffer: bool,
    /// Whether rate limiters are before the port, so that its drops may have that cause.
    pub has_limiters: bool,
    /// Whether packets that come over paused links have memory of their own, which may be full.
    pub has_headroom: bool,
    /// Whether the link carries cells, whose frames may be dropped in part.
    pub carries_cells: bool,
    /// Whether the scheduler drops acknowledgements that a later one makes redundant.
    pub filters: bool,
}

/// One link's counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets offered to the port, by precedence after marking.
    pub offered_packets: [u64; PRECEDENCES],
    /// Bytes offered.
    pub offered_bytes: u64,
    /// Packets whose transmission ended.
    pub sent_packets: u64,
    /// Bytes of packets whose transmission ended.
    pub sent_bytes: u64,
    /// Packets lost, by cause (in the order of [`DropCause::ALL`]) and precedence.
    pub dropped_packets: [[u64; PRECEDENCES]; DropCause::ALL.len()],
    /// Which causes of drops may occur that most links do not have.
    pub causes: OptionalCauses,
    /// Packets that were dropped on arrival for want of room ([`DropCause::Overflow`]) at the instant at which a packet of another flow was
    /// accepted: the order of simultaneous arrivals decided which of the two had the room.
    pub tied_drops: u64,
    /// Bytes lost.
    pub dropped_bytes: u64,
    /// Packets marked by the discipline or by PCN meters here (each counts once, however severely it was marked).
    pub marked_packets: u64,
    /// Bytes of the marked packets.
    pub marked_bytes: u64,
    /// Time for which the wire was busy.
    pub busy: Duration,
    /// Time integral of the number of waiting packets, in packet-picoseconds.
    pub waiting_packet_ps: u128,
    /// Time integral of the waiting bytes, in byte-picoseconds.
    pub waiting_byte_ps: u128,
    /// Pause frames sent, and the time for which the port was paused; `None` if neither.
    pub pauses: Option<Box<PauseCounters>>,
    /// Sum over the packets whose transmission began of the time from arrival to its start, in picoseconds.
    pub wait_sum_ps: u128,
    /// Packets in that sum.
    pub waits: u64,
}

/// Pause frames and pauses at the port of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseCounters {
    /// Frames sent to stop the link that feeds its node, including frames that prolong a pause.
    pub frames: u64,
    /// Frames sent to resume.
    pub resumes: u64,
    /// Times for which the port itself was paused.
    pub paused: Vec<PausedTime>,
    /// Whether the link is part of a cycle of pauses that never end.
    pub is_deadlocked: bool,
}

/// Time for which a class was paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausedTime {
    /// The class; `None` if it was the whole port.
    pub class: Option<u8>,
    /// Its duration within the measurement period.
    pub time: Duration,
}

/// The paused part: a link's port, or a class of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PausedIngress {
    /// The link, whose port is paused.
    pub link: LinkId,
    /// The class that is paused; `None` if all are.
    pub class: Option<u8>,
}
