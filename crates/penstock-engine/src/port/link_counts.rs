//! Updates of a link's counters for one or many transmissions, marks and drops, and compact counters for transmissions that lie inside
//! the measurement period, the usual case.

use crate::api::observations::LinkCounters;
use crate::kernel::journal::Measurement;
use penstock_model::discipline::{DropCause, PRECEDENCES};
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

    /// Counts `packets` marked packets with `bytes` bytes in total, in the measurement period.
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

    /// Counts a transmission from `start` to `end` of a packet that arrived at `arrival`. Any of these times may lie in the future.
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

    /// Counts the wait, from `arrival` to `until`, of a packet that is never transmitted.
    pub(crate) fn wait_without_service(&mut self, measured: &Measurement, arrival: Time, until: Time, size: u32) {
        let waited = u128::from(measured.overlap(arrival, until));
        self.waiting_packet_ps += waited;
        self.waiting_byte_ps += waited * u128::from(size);
    }
}

/// Counts of transmissions that lie inside the measurement period from the arrival of the packet to the end of the transmission. They
/// take few words and are added to the link's counters at the end. The fields that every packet changes share a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed(8))]
pub struct CompleteTransmissions {
    waited_ps: u128,
    waited_byte_ps: u128,
    bytes: u64,
    busy_ps: u64,
    packets: [u64; PRECEDENCES],
}

impl CompleteTransmissions {
    /// Counts a transmission from `start` to `end` of a packet of this size and precedence that arrived at `arrival`.
    #[inline(always)]
    pub fn count(&mut self, arrival: Time, start: Time, end: Time, (size, precedence): (u32, u8)) {
        self.packets[usize::from(precedence)] += 1;
        self.bytes += u64::from(size);
        self.busy_ps += end.as_ps() - start.as_ps();
        // Zero without a wait. A branch would cost more, since it is unpredictable.
        let waited = u128::from(start.as_ps() - arrival.as_ps());
        self.waited_ps += waited;
        self.waited_byte_ps += waited * u128::from(size);
    }

    /// Counts `count` transmissions of packets of the same size and precedence, which have waited `waited_ps` in total.
    #[inline]
    pub fn count_batch(&mut self, count: u64, size: u32, precedence: u8, transmission: Duration, waited_ps: u128) {
        self.packets[usize::from(precedence)] += count;
        self.bytes += count * u64::from(size);
        self.busy_ps += count * transmission.as_ps();
        self.waited_ps += waited_ps;
        self.waited_byte_ps += waited_ps * u128::from(size);
    }

    /// Adds the counts to the link's counters.
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
