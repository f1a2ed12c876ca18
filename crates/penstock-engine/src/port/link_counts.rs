//! Updates of a link's counters, by one transmission, mark or drop, or by many at once.

use crate::api::observations::LinkCounters;
use crate::kernel::journal::Measurement;
use penstock_model::discipline::DropCause;
use penstock_model::packet::Packet;
use penstock_model::units::{Duration, Time};

impl LinkCounters {
    /// Counts an arrival in the measurement period.
    #[inline]
    pub(crate) fn arrival(&mut self, size: u32, precedence: u8) {
        self.offered_packets[usize::from(precedence)] += 1;
        self.offered_bytes += u64::from(size);
    }

    /// Counts a mark in the measurement period.
    #[inline]
    pub(crate) fn mark(&mut self, size: u32) {
        self.mark_many(1, u64::from(size));
    }

    /// Counts `packets` marked packets in the measurement period, of `bytes` in total.
    #[inline]
    pub(crate) fn mark_many(&mut self, packets: u64, bytes: u64) {
        self.marked_packets += packets;
        self.marked_bytes += bytes;
    }

    /// Counts a loss in the measurement period.
    pub(crate) fn loss(&mut self, packet: &Packet, cause: DropCause) {
        self.dropped_packets[cause as usize][usize::from(packet.precedence)] += 1;
        self.dropped_bytes += u64::from(packet.size);
    }

    /// Counts a transmission from `start` to `end` of a packet that arrived at `arrival`, all known in advance.
    pub(crate) fn transmission(&mut self, measured: &Measurement, arrival: Time, start: Time, end: Time, size: u32) {
        let waited = measured.overlap(arrival, start);
        self.waiting_packet_ps += u128::from(waited);
        self.waiting_byte_ps += u128::from(waited) * u128::from(size);
        self.busy = self.busy + Duration::from_ps(measured.overlap(start, end));
        if measured.contains(end) {
            self.sent_packets += 1;
            self.sent_bytes += u64::from(size);
        }
        if measured.contains(start) {
            self.wait_sum_ps += u128::from(start.since(arrival).as_ps());
            self.waits += 1;
        }
    }

    /// Counts a packet that is still waiting when the run ends.
    pub(crate) fn unfinished(&mut self, measured: &Measurement, arrival: Time, size: u32) {
        self.wait_without_service(measured, arrival, Time::NEVER, size);
    }

    /// Counts the wait of a packet that was never transmitted.
    pub(crate) fn wait_without_service(&mut self, measured: &Measurement, arrival: Time, until: Time, size: u32) {
        let waited = u128::from(measured.overlap(arrival, until));
        self.waiting_packet_ps += waited;
        self.waiting_byte_ps += waited * u128::from(size);
    }
}
