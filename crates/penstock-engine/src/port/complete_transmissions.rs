//! Counts of transmissions that lie inside the measurement period: the usual case.

use crate::api::observations::LinkCounters;
use penstock_model::discipline::PRECEDENCES;
use penstock_model::units::{Duration, Time};

/// Transmissions that lie inside the measurement period from the arrival of the packet to its end, counted in few words and added to the link's
/// counters at the end. What every packet changes comes first, so that it shares a cache line.
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
        // Zero without a wait; a branch would cost more, since it is unpredictable.
        let waited = u128::from(start.as_ps() - arrival.as_ps());
        self.waited_ps += waited;
        self.waited_byte_ps += waited * u128::from(size);
    }

    /// Counts `count` transmissions of packets of one size and precedence that have waited for `waited_ps` in total.
    #[inline]
    pub fn count_batch(&mut self, count: u64, size: u32, precedence: u8, transmission: Duration, waited_ps: u128) {
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
