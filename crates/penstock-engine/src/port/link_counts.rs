//! Updates of a link's counters, by one transmission, mark or drop, or by many at once.

use crate::api::observations::LinkCounters;
use crate::kernel::journal::Window;
use penstock_model::discipline::{DropCause, PRECEDENCES};
use penstock_model::packet::Packet;
use penstock_model::units::{Duration, Time};

/// Transmissions that lie inside the window from the arrival of the packet to its end: the usual case, counted in few words and
/// added to the link's counters at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompleteTransmissions {
    packets: [u64; PRECEDENCES],
    bytes: u64,
    busy_ps: u64,
    waited_ps: u128,
    waited_byte_ps: u128,
}

impl CompleteTransmissions {
    /// See [`crate::kernel::logical_process::LogicalProcess::touch`].
    #[inline]
    pub fn touch(&self) -> u64 {
        self.packets[0] ^ self.waited_byte_ps as u64
    }

    /// Counts a transmission from `start` to `end` of a packet that arrived at `arrival`.
    #[inline(always)]
    pub fn count(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) {
        self.packets[usize::from(packet.precedence)] += 1;
        self.bytes += u64::from(packet.size);
        self.busy_ps += end.as_ps() - start.as_ps();
        // Zero without a wait; a branch would cost more, since it is unpredictable.
        let waited = u128::from(start.as_ps() - arrival.as_ps());
        self.waited_ps += waited;
        self.waited_byte_ps += waited * u128::from(packet.size);
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

    /// Counts `packets` marked packets in the window, of `bytes` in total.
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

    /// Counts a transmission from `start` to `end` of a packet that arrived at `arrival`, all known in advance.
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
            self.transmission_at_window_edge(window, arrival, start, end, size);
        }
    }

    #[cold]
    fn transmission_at_window_edge(&mut self, window: &Window, arrival: Time, start: Time, end: Time, size: u32) {
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
