//! What the ends of flows and the ports count.

use crate::api::blueprint::FlowWatch;
use crate::api::observations::{FlowCounters, LinkCounters, Observations};
use crate::endpoints::flow_recorder::FlowRecorder;
use crate::kernel::journal::Window;
use penstock_model::discipline::{DropCause, PRECEDENCES};
use penstock_model::id::FlowId;
use penstock_model::packet::{Body, Ecn, Packet};
use penstock_model::units::{Duration, Time};

/// What an end has sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    packets: u64,
    bytes: u64,
    again: u64,
}

impl Sent {
    /// Counts so many data packets of `size` bytes, so many of them for a second time.
    #[inline]
    pub fn count_many(&mut self, packets: u32, size: u32, again: u32) {
        self.packets += u64::from(packets);
        self.bytes += u64::from(packets) * u64::from(size);
        self.again += u64::from(again);
    }

    /// Counts a data packet.
    #[inline]
    pub fn count(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        self.again += u64::from(matches!(packet.body, Body::Segment { retransmission: true, .. }));
    }
}

/// What an end has received of a flow.
#[derive(Clone, Debug)]
pub struct Received {
    /// The flow.
    pub flow: FlowId,
    /// Bytes of each packet that are not payload.
    pub header: u32,
    tally: Tally,
    watch: Option<Box<FlowRecorder>>,
}

impl Received {
    /// An end that has received nothing, and what is to be recorded of it.
    pub fn new(flow: FlowId, header: u32, watch: FlowWatch) -> Received {
        Received { flow, header, tally: Tally::default(), watch: FlowRecorder::new(watch) }
    }

    /// Counts a data packet that has been received at `now`.
    #[inline]
    pub fn count(&mut self, now: Time, packet: &Packet) {
        self.tally.count(now, packet);
        if let Some(watch) = &mut self.watch {
            watch.record(now, packet);
        }
    }

    /// Whether more is recorded than counts.
    pub fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Counts what has been received in a row.
    #[inline]
    pub fn count_all(&mut self, tally: &Tally) {
        let Tally { packets, bytes, marked, delay_sum_ps, delay_max } = *tally;
        self.tally.packets += packets;
        self.tally.bytes += bytes;
        self.tally.marked += marked;
        self.tally.delay_sum_ps += delay_sum_ps;
        self.tally.delay_max = self.tally.delay_max.max(delay_max);
    }

    /// Writes the counts into the flow's row, and hands over what was recorded.
    pub fn report(self, seen: &mut Observations) {
        let counters = &mut seen.flows[self.flow.index()];
        let Tally { packets, bytes, marked, delay_sum_ps, delay_max } = self.tally;
        counters.received_packets = packets;
        counters.received_bytes = bytes;
        // A datagram may be smaller than its nominal headers.
        counters.received_payload = bytes.saturating_sub(packets * u64::from(self.header));
        counters.marked_packets = marked;
        counters.delay_sum_ps = delay_sum_ps;
        counters.delay_max = delay_max;
        if let Some(watch) = self.watch {
            seen.timings.push((self.flow, watch.into_timings()));
        }
    }
}

/// Packets of a flow that have been received.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    packets: u64,
    bytes: u64,
    marked: u64,
    delay_sum_ps: u128,
    delay_max: Duration,
}

impl Tally {
    /// Counts a packet that has been received at `now`.
    #[inline(always)]
    pub fn count(&mut self, now: Time, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        // Marked by a PCN meter, or CE: both bytes compared at once, since they lie side by side in a packet.
        self.marked += u64::from(u16::from_be_bytes([packet.pcn as u8, packet.ecn as u8]) >= Ecn::Ce as u16);
        let delay = now.since(packet.created);
        self.delay_sum_ps += u128::from(delay.as_ps());
        self.delay_max = self.delay_max.max(delay);
    }
}

impl Sent {
    /// Writes the counts into the flow's row.
    pub fn report(&self, counters: &mut FlowCounters) {
        counters.sent_packets = self.packets;
        counters.sent_bytes = self.bytes;
        counters.retransmitted_packets = self.again;
    }
}

/// Transmissions known on arrival that lie in the window with all that belongs to them: nearly all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whole {
    packets: [u64; PRECEDENCES],
    bytes: u64,
    busy_ps: u64,
    waited_ps: u128,
    waited_byte_ps: u128,
}

impl Whole {
    /// Counts a transmission from `start` to `end` of a packet that arrived at `arrival`.
    #[inline(always)]
    pub fn count(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) {
        self.packets[usize::from(packet.precedence)] += 1;
        self.bytes += u64::from(packet.size);
        self.busy_ps += end.as_ps() - start.as_ps();
        // Nothing where it need not wait; a jump would cost more, since that is anyone's guess.
        let waited = u128::from(start.as_ps() - arrival.as_ps());
        self.waited_ps += waited;
        self.waited_byte_ps += waited * u128::from(packet.size);
    }

    /// Counts `count` transmissions of packets of one size and precedence that have waited for `waited_ps` together.
    #[inline]
    pub fn count_like(&mut self, count: u64, size: u32, precedence: u8, transmission: Duration, waited_ps: u128) {
        self.packets[usize::from(precedence)] += count;
        self.bytes += count * u64::from(size);
        self.busy_ps += count * transmission.as_ps();
        self.waited_ps += waited_ps;
        self.waited_byte_ps += waited_ps * u128::from(size);
    }

    /// Adds the counts to the link's.
    pub fn report(&self, link: &mut LinkCounters) {
        let packets: u64 = self.packets.iter().sum();
        link.offered_packets.iter_mut().zip(self.packets).for_each(|(offered, packets)| *offered += packets);
        link.offered_bytes += self.bytes;
        link.sent_packets += packets;
        link.sent_bytes += self.bytes;
        link.busy = link.busy + Duration::from_ps(self.busy_ps);
        link.waits += packets;
        link.wait_sum_ps += self.waited_ps;
        link.waiting_packet_ps += self.waited_ps;
        link.waiting_byte_ps += self.waited_byte_ps;
    }
}

impl LinkCounters {
    /// Counts an arrival in the window.
    #[inline]
    pub(crate) fn arrival(&mut self, size: u32, precedence: u8) {
        self.offered_packets[usize::from(precedence)] += 1;
        self.offered_bytes += u64::from(size);
    }

    /// Counts a mark in the window.
    #[inline]
    pub(crate) fn mark(&mut self, size: u32) {
        self.mark_many(1, u64::from(size));
    }

    /// Counts so many marks in the window, of so many bytes.
    #[inline]
    pub(crate) fn mark_many(&mut self, packets: u64, bytes: u64) {
        self.marked_packets += packets;
        self.marked_bytes += bytes;
    }

    /// Counts a loss in the window.
    pub(crate) fn loss(&mut self, packet: &Packet, cause: DropCause) {
        self.dropped_packets[cause as usize][usize::from(packet.precedence)] += 1;
        self.dropped_bytes += u64::from(packet.size);
    }

    /// Counts a transmission from `start` to `end` of a packet that arrived at `arrival`; all of it is known beforehand.
    #[inline]
    pub(crate) fn transmission(&mut self, window: &Window, arrival: Time, start: Time, end: Time, size: u32) {
        if window.from <= arrival && end <= window.to {
            self.sent_packets += 1;
            self.sent_bytes += u64::from(size);
            self.busy = self.busy + end.since(start);
            self.waits += 1;
            if start > arrival {
                let waited = start.since(arrival).as_ps();
                self.wait_sum_ps += u128::from(waited);
                self.waiting_packet_ps += u128::from(waited);
                self.waiting_byte_ps += u128::from(waited) * u128::from(size);
            }
        } else {
            self.transmission_at_an_edge(window, arrival, start, end, size);
        }
    }

    #[cold]
    fn transmission_at_an_edge(&mut self, window: &Window, arrival: Time, start: Time, end: Time, size: u32) {
        let waited = window.overlap(arrival, start);
        self.waiting_packet_ps += u128::from(waited);
        self.waiting_byte_ps += u128::from(waited) * u128::from(size);
        self.busy = self.busy + Duration::from_ps(window.overlap(start, end));
        if window.contains(end) {
            self.sent_packets += 1;
            self.sent_bytes += u64::from(size);
        }
        if window.contains(start) {
            self.wait_sum_ps += u128::from(start.since(arrival).as_ps());
            self.waits += 1;
        }
    }

    /// Counts a packet that is still waiting when the run ends.
    pub(crate) fn unfinished(&mut self, window: &Window, arrival: Time, size: u32) {
        self.wait_without_service(window, arrival, Time::NEVER, size);
    }

    /// Counts the wait of a packet that was never transmitted.
    pub(crate) fn wait_without_service(&mut self, window: &Window, arrival: Time, until: Time, size: u32) {
        let waited = u128::from(window.overlap(arrival, until));
        self.waiting_packet_ps += waited;
        self.waiting_byte_ps += waited * u128::from(size);
    }
}
