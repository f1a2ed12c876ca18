//! Fast path: tail-drop FIFO at a constant rate, without further stages except meters. It does the same as
//! [`crate::port::queueing::precomputed`] with fewer checks per packet.

use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Journal;
use crate::merge::ring::Ring;
use crate::port::counters::{CheckedCount, PortCounters};
use crate::port::verdict::{DecisionPoint, Records};
use crate::port::{Port, Queueing};
use penstock_model::discipline::{DropCause, Verdict};
use penstock_model::id::HopId;
use penstock_model::meter::Meter;
use penstock_model::packet::{Packet, PcnMark};
use penstock_model::parameters::Limit;
use penstock_model::units::{Duration, Time};
use penstock_model::wire::Wire;
use std::hint::select_unpredictable;

/// The queue: packets that wait, each represented by the start of its transmission, which is known on arrival.
///
/// Packets whose transmission has started are removed only when there seems to be no room.
#[repr(C)]
#[derive(Clone)]
pub struct TailDropFifo {
    /// End of the last scheduled transmission.
    pub last_end: Time,
    /// Starts of scheduled transmissions; the first ones may be in the past.
    pub waiting: Ring<Time>,
    /// Bytes of the packets that wait, if the limit is in bytes.
    bytes: Option<Box<WaitingBytes>>,
    /// Maximum number of packets that wait, if the limit is in packets.
    limit: u32,
    /// Number of packets that no longer wait.
    pub left: CheckedCount,
}

/// The bytes of packets that wait.
#[derive(Clone, Default)]
struct WaitingBytes {
    limit: u64,
    sizes: Ring<u32>,
    sum: u64,
}

impl TailDropFifo {
    /// Creates an empty queue with this limit.
    pub fn new(limit: Limit) -> TailDropFifo {
        let (limit, bytes) = match limit {
            Limit::Packets(limit) => (limit, None),
            Limit::Bytes(limit) => (u32::MAX, Some(Box::new(WaitingBytes { limit: limit.get(), ..WaitingBytes::default() }))),
        };
        TailDropFifo { last_end: Time::ZERO, waiting: Ring::default(), bytes, limit, left: CheckedCount::default() }
    }

    /// Whether the queue accepts a packet of `size` bytes.
    #[inline(always)]
    pub fn admits(&mut self, now: Time, size: u32) -> bool {
        if self.last_end <= now {
            // Nothing waits. Emptying the ring lets it reuse the slots that were used last.
            self.left.add(self.waiting.len() as u64);
            self.waiting.clear();
            if let Some(bytes) = &mut self.bytes {
                bytes.sizes.clear();
                bytes.sum = 0;
            }
        }
        self.has_room(size) || self.has_room_after_update(now, size)
    }

    #[inline(always)]
    fn has_room(&self, size: u32) -> bool {
        match &self.bytes {
            None => (self.waiting.len() as u32) < self.limit,
            Some(bytes) => bytes.sum + u64::from(size) <= bytes.limit,
        }
    }

    #[inline(never)]
    fn has_room_after_update(&mut self, now: Time, size: u32) -> bool {
        self.advance(now);
        self.has_room(size)
    }

    /// Schedules a packet whose transmission takes `transmission`; returns its start and end.
    #[inline(always)]
    pub fn schedule(&mut self, now: Time, size: u32, transmission: Duration) -> (Time, Time) {
        let start = self.last_end.max(now);
        self.last_end = start + transmission;
        if start > now {
            if self.waiting.is_full() {
                self.make_room(now);
            }
            self.waiting.push(start);
            if let Some(bytes) = &mut self.bytes {
                bytes.sizes.push(size);
                bytes.sum += u64::from(size);
            }
        } else {
            self.left.add(1);
        }
        (start, self.last_end)
    }

    /// Whether there is room for `packets` more packets from `now` on, whatever their sizes; false if the limit is in bytes.
    #[inline]
    pub fn has_room_for(&mut self, packets: usize, now: Time) -> bool {
        if self.bytes.is_some() {
            return false;
        }
        let limit = self.limit as usize;
        if self.waiting.len() + packets > limit {
            self.advance(now);
        }
        self.waiting.len() + packets <= limit
    }

    /// Serves packets for which there is room, `alike` in size and precedence or not: replaces each arrival time here by the arrival time
    /// at the far end, `delay` after the transmission. Nothing is traced, and PCN meters have seen the packets. Returns the number of
    /// packets, at the end, that never leave.
    #[inline(always)]
    pub fn serve_batch(
        &mut self,
        packets: [&mut [Arrival]; 2],
        alike: bool,
        wire: &mut Wire,
        delay: Duration,
        counters: &mut PortCounters,
    ) -> usize {
        let count = packets[0].len() + packets[1].len();
        let (Some(first), Some(last)) = (packets[0].first(), packets.iter().flat_map(|part| part.last()).last()) else { return 0 };
        let (from, last, flow, size) = (first.at, last.at, last.packet.flow, first.packet.size);
        counters.last_accepted = (last, flow);
        if self.waiting.len() + count > self.waiting.capacity() {
            // Packets that have left are removed before the ring grows: a queue with a high limit would otherwise keep them for long.
            self.advance(from);
        }
        let transmission = wire.transmission_time(size);
        let latest = self.last_end.max(last) + transmission.times(count as u64);
        // The sum of the waits fits 64 bits.
        let is_short = latest.since(from).times(count as u64) < Duration::FOREVER && latest + delay < Time::NEVER;
        if alike && is_short && counters.crosses_no_bound(from, latest) {
            self.serve_uniform(packets, transmission, delay, counters);
            return 0;
        }
        self.serve_each(packets, wire, delay, counters)
    }

    /// Serves packets of the same size and precedence that all arrive, and whose service crosses no bound of the measurement period.
    #[inline(always)]
    fn serve_uniform(&mut self, packets: [&mut [Arrival]; 2], transmission: Duration, delay: Duration, counters: &mut PortCounters) {
        let Some((size, precedence)) = packets[0].first().map(|first| (first.packet.size, first.packet.precedence)) else { return };
        let count = packets[0].len() + packets[1].len();
        let mut waiting = self.waiting.back(count);
        let (mut last_end, mut waited, mut never_waited) = (self.last_end, 0, 0);
        for part in packets {
            for arrival in part {
                let at = arrival.at;
                let waits = last_end > at;
                let start = select_unpredictable(waits, last_end, at);
                *waiting.slot() = start;
                waiting.add_if(waits);
                waited += start.as_ps() - at.as_ps();
                last_end = start.plus(transmission);
                arrival.at = last_end.plus(delay);
                never_waited += u64::from(!waits);
            }
        }
        drop(waiting);
        self.left.add(never_waited);
        self.last_end = last_end;
        counters.complete_departures(last_end, count as u64, size, precedence, transmission, u128::from(waited));
    }

    /// Serves any packets; returns the number of packets, at the end, that never leave.
    #[inline(never)]
    fn serve_each(&mut self, packets: [&mut [Arrival]; 2], wire: &mut Wire, delay: Duration, counters: &mut PortCounters) -> usize {
        let mut never = 0;
        for arrival in packets.into_iter().flatten() {
            let (now, size, precedence) = (arrival.at, arrival.packet.size, arrival.packet.precedence);
            let (start, end) = self.schedule(now, size, wire.transmission_time(size));
            never += usize::from(!counters.accepted_departure(now, start, end, (size, precedence)));
            arrival.at = end + delay;
        }
        never
    }

    #[inline(never)]
    fn make_room(&mut self, now: Time) {
        self.advance(now);
        if 2 * self.waiting.len() >= self.waiting.capacity() {
            self.waiting.grow();
        }
    }

    /// Number of packets that wait, without the one in service.
    pub fn count_waiting(&mut self, now: Time) -> u32 {
        self.advance(now);
        self.waiting.len() as u32
    }

    /// Number of packets whose transmission never ends.
    pub fn never_sent(&self) -> u64 {
        let waiting = self.waiting.iter().rev().take_while(|start| **start == Time::NEVER).count() as u64;
        waiting + u64::from(self.last_end == Time::NEVER)
    }

    /// Removes packets whose transmission has started.
    #[inline]
    fn advance(&mut self, now: Time) {
        loop {
            let front = self.waiting.front();
            // Usually few have started, if any: a binary search of the whole ring would mispredict at each step.
            let mut reach = 1;
            while front.get(reach - 1).is_some_and(|start| *start <= now) {
                reach *= 2;
            }
            let started = front[..reach.min(front.len())].partition_point(|start| *start <= now);
            if started == 0 {
                return;
            }
            if let Some(bytes) = &mut self.bytes {
                (0..started).for_each(|_| bytes.sum -= u64::from(bytes.sizes.take_first()));
            }
            self.waiting.consume(started);
            self.left.add(started as u64);
        }
    }
}

impl Port {
    /// Enqueues, meters and sends a packet at a port that only queues and possibly meters; a packet that does not fit is dropped.
    #[inline(always)]
    pub(in crate::port) fn enqueue_and_send(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Some((at, mark)) = self.enqueue_fifo(now, packet, context.record) else { return };
        if at != Time::NEVER {
            let next = context.routes.hop(hop);
            context.outputs.send(next.process, next.input, at, |arrival| arrival.copy_forwarded(at, packet, hop, mark));
        }
    }

    /// Enqueues a packet. Returns its arrival time at the far end (never if its transmission never ends) and its mark; `None` if dropped.
    #[inline(always)]
    pub fn enqueue_fifo(&mut self, now: Time, packet: &Packet, journal: &mut Journal) -> Option<(Time, PcnMark)> {
        let Port { queueing: Queueing::TailDropFifo(queue), counters, wire, pcn, delay, .. } = self else { return None };
        let has_room = queue.admits(now, packet.size);
        let decision = if has_room { Verdict::Accept } else { Verdict::Drop(DropCause::Overflow) };
        Records { counters, journal }.apply::<false>(decision, DecisionPoint::OnArrival, now, packet)?;
        let mut mark = packet.pcn;
        if let Some(pcn) = pcn {
            mark = pcn.meter(now, packet);
            if mark > packet.pcn {
                counters.mark_unrecorded(now, packet.size);
            }
        }
        let (start, end) = queue.schedule(now, packet.size, wire.transmission_time(packet.size));
        let is_sent = counters.accepted_departure(now, start, end, (packet.size, packet.precedence));
        let at = if is_sent { end + *delay } else { Time::NEVER };
        self.check_conservation();
        Some((at, mark))
    }

    /// Does the same as [`Port::enqueue_and_send`] after colouring the packet by the marker on arrival, if there is one.
    pub(in crate::port) fn enqueue_coloured(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let coloured = self.arrival_marker.as_mut().map(|marker| Packet { precedence: marker.colour(now, packet), ..*packet });
        self.enqueue_and_send(now, coloured.as_ref().unwrap_or(packet), hop, context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::journal::Measurement;
    use penstock_model::units::{Bytes, Rate};

    fn us(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    /// Two packets of 600 bytes wait behind another one. All are sent by 3 us: then 1000 bytes fit again.
    #[test]
    fn bytes_that_have_left_do_not_count_against_the_limit() {
        let mut queue = TailDropFifo::new(Limit::Bytes(Bytes::new(1200)));
        for _ in 0..3 {
            assert!(queue.admits(us(0), 600));
            queue.schedule(us(0), 600, Duration::from_us(1));
        }
        assert!(!queue.admits(us(0), 600));
        assert!(queue.admits(us(3), 1000));
    }

    /// The wire is never idle and at most one packet waits. Packets that have left are removed before the ring grows, whatever the limit.
    #[test]
    fn memory_follows_what_waits_and_not_the_limit() {
        let mut queue = TailDropFifo::new(Limit::Packets(1_000_000));
        queue.schedule(us(0), 100, Duration::from_us(2));
        for at in 1..1000 {
            assert!(queue.admits(us(at), 100));
            queue.schedule(us(at), 100, Duration::from_us(1));
        }
        assert!(queue.waiting.capacity() <= 8, "room for {} packets", queue.waiting.capacity());
    }

    /// The propagation delay is so long that no run sees the packets arrive.
    #[test]
    fn what_arrives_after_the_end_of_time_never_does() {
        let rate = Rate::from_bps(1_000_000_000);
        let mut counters = PortCounters::new(0, Measurement { from: Time::ZERO, to: Time::NEVER }, None);
        let mut packets = [Arrival { at: us(1), ..Arrival::PLACEHOLDER }; 2];
        let mut queue = TailDropFifo::new(Limit::Packets(9));
        queue.serve_batch([&mut packets, &mut []], true, &mut Wire::new(rate, Vec::new(), None), Duration::FOREVER, &mut counters);
        assert_eq!(packets.map(|arrival| arrival.at), [Time::NEVER; 2]);
    }
}
