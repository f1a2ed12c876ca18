//! The counters of endpoints.

use crate::api::blueprint::FlowWatch;
use crate::api::observations::{FlowCounters, Observations, ReceivedCounts, SentCounts};
use crate::endpoints::flow_recorder::FlowRecorder;
use penstock_model::id::FlowId;
use penstock_model::packet::{Ecn, Packet};
use penstock_model::transport::custom::FramePart;
use penstock_model::units::Time;

impl SentCounts {
    /// Counts `packets` data packets of `size` bytes, `retransmissions` of them retransmissions.
    #[inline]
    pub(crate) fn count_many(&mut self, packets: u32, size: u32, retransmissions: u32) {
        self.packets += u64::from(packets);
        self.bytes += u64::from(packets) * u64::from(size);
        self.retransmissions += u64::from(retransmissions);
    }

    /// Counts a data packet.
    #[inline]
    pub(crate) fn count(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        // What a sender sends: tags come later.
        self.retransmissions += u64::from(packet.body.is_retransmission());
    }
}

/// What an endpoint has received of a flow.
#[derive(Clone, Debug)]
pub struct Received {
    /// The flow.
    pub flow: FlowId,
    /// Bytes of each packet that are not payload.
    pub header: u32,
    counts: ReceivedCounts,
    recorder: Option<Box<FlowRecorder>>,
}

impl Received {
    /// Creates counts of zero; `watch` selects the records beyond counts, which begin `from_start` or later.
    pub fn new(flow: FlowId, header: u32, watch: FlowWatch, from_start: bool) -> Received {
        Received { flow, header, counts: ReceivedCounts::default(), recorder: FlowRecorder::new(watch, from_start) }
    }

    /// Counts a data packet that has been received at `now`.
    #[inline]
    pub fn count(&mut self, now: Time, packet: &Packet) {
        self.counts.count(now, packet);
        if let Some(recorder) = &mut self.recorder {
            recorder.record(now, packet);
        }
    }

    /// Records the frame of a packet that has been received at `now`, if frames are recorded.
    pub fn record_frame(&mut self, now: Time, part: FramePart) {
        if let Some(recorder) = &mut self.recorder {
            recorder.record_frame(now, part);
        }
    }

    /// As [`Received::count`], where no more [is recorded](Received::is_recorded).
    #[inline(always)]
    pub fn count_unrecorded(&mut self, now: Time, packet: &Packet) {
        debug_assert!(!self.is_recorded());
        self.counts.count(now, packet);
    }

    /// Whether more is recorded than counts.
    pub fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// Adds the counts of a batch.
    #[inline]
    pub fn add(&mut self, counts: &ReceivedCounts) {
        let ReceivedCounts { packets, bytes, marked, delay_sum_ps, delay_max } = *counts;
        self.counts.packets += packets;
        self.counts.bytes += bytes;
        self.counts.marked += marked;
        self.counts.delay_sum_ps += delay_sum_ps;
        self.counts.delay_max = self.counts.delay_max.max(delay_max);
    }

    /// Writes the counts into the flow's row. The application gets all that arrives, unless it is part of a connection.
    pub fn write(&self, counters: &mut FlowCounters) {
        counters.received = self.counts;
        // A datagram may be smaller than its nominal headers.
        counters.received_payload = self.counts.bytes.saturating_sub(self.counts.packets * u64::from(self.header));
        counters.goodput_bytes = counters.received_payload;
    }

    /// Writes the counts into the flow's row, and adds what was recorded.
    pub fn report(self, seen: &mut Observations) {
        self.write(&mut seen.flows[self.flow.index()]);
        if let Some(recorder) = self.recorder {
            seen.timings.push((self.flow, recorder.into_timings()));
        }
    }
}

impl ReceivedCounts {
    /// Counts a packet that has been received at `now`.
    #[inline(always)]
    pub(crate) fn count(&mut self, now: Time, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        // Marked by a PCN meter, or CE: both bytes compared at once, since they lie side by side in a packet.
        self.marked += u64::from(u16::from_be_bytes([packet.pcn as u8, packet.ecn as u8]) >= Ecn::Ce as u16);
        let delay = now.since(packet.created);
        self.delay_sum_ps += u128::from(delay.as_ps());
        self.delay_max = self.delay_max.max(delay);
    }
}
