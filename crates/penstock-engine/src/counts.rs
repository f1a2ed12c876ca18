//! What the ends of flows count.

use crate::observations::FlowCounters;
use penstock_model::packet::{Body, Packet, PcnMark};
use penstock_model::units::{Duration, Time};

/// What an end has sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    packets: u64,
    bytes: u64,
    again: u64,
}

impl Sent {
    /// Counts a data packet.
    #[inline]
    pub fn count(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        self.again += u64::from(matches!(packet.body, Body::Segment { retransmission: true, .. }));
    }
}

/// What an end has received.
#[derive(Clone, Copy, Debug, Default)]
pub struct Received {
    packets: u64,
    bytes: u64,
    marked: u64,
    delay_sum_ps: u128,
    delay_max: Duration,
}

impl Received {
    /// Counts a data packet that has been received at `now`.
    #[inline]
    pub fn count(&mut self, now: Time, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        self.marked += u64::from(packet.marked || packet.pcn != PcnMark::Unmarked);
        let delay = now.since(packet.created);
        self.delay_sum_ps += u128::from(delay.as_ps());
        self.delay_max = self.delay_max.max(delay);
    }

    /// Writes the counts into the flow's row.
    pub fn report(&self, header: u32, counters: &mut FlowCounters) {
        counters.received_packets = self.packets;
        counters.received_bytes = self.bytes;
        // A datagram may be smaller than its nominal headers.
        counters.received_payload = self.bytes.saturating_sub(self.packets * u64::from(header));
        counters.marked_packets = self.marked;
        counters.delay_sum_ps = self.delay_sum_ps;
        counters.delay_max = self.delay_max;
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
