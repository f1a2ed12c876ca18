//! Fast path: tail-drop FIFO at a constant rate, without further stages than meters. It does what
//! [`crate::port::queueing::precomputed`] does, with less to ask of each packet.

use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Journal;
use crate::merge::ring::Ring;
use crate::port::counters::PortCounters;
use crate::port::verdict::{self, Decision, Standing};
use crate::port::wire::Wire;
use crate::port::{Port, Queueing};
use penstock_model::discipline::tail_drop::TailDrop;
use penstock_model::discipline::DropCause;
use penstock_model::id::HopId;
use penstock_model::packet::{Packet, PcnMark};
use penstock_model::units::{Duration, Time};

/// The queue: packets that wait, by the start of their transmission, which is known as soon as they come.
///
/// Those whose transmission has started are taken out only when there seems to be no room: until then they do no harm.
pub struct TailDropFifo {
    discipline: TailDrop,
    /// Those that wait, and before them some that have left.
    waiting: Ring<Waiting>,
    /// All of them together, if bytes are what is limited.
    bytes: u64,
    limits_bytes: bool,
    last_end: Time,
}

#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    start: Time,
    size: u32,
}

impl TailDropFifo {
    /// An empty queue.
    pub fn new(discipline: TailDrop) -> TailDropFifo {
        let limits_bytes = discipline.packets().is_none();
        TailDropFifo { discipline, waiting: Ring::default(), bytes: 0, limits_bytes, last_end: Time::ZERO }
    }

    /// Whether the queue takes a packet of `size` bytes.
    #[inline(always)]
    pub fn admits(&mut self, now: Time, size: u32, sent: &mut u64) -> bool {
        self.has_room(size) || self.has_room_after_all(now, size, sent)
    }

    #[inline(always)]
    fn has_room(&self, size: u32) -> bool {
        self.discipline.has_room(self.waiting.len() as u32, self.bytes, size)
    }

    #[inline(never)]
    fn has_room_after_all(&mut self, now: Time, size: u32, sent: &mut u64) -> bool {
        self.advance(now, sent);
        self.has_room(size)
    }

    /// Takes a packet whose transmission lasts for `transmission`; returns when that starts and ends.
    #[inline(always)]
    pub fn commit(&mut self, now: Time, size: u32, transmission: Duration, sent: &mut u64) -> (Time, Time) {
        let start = self.last_end.max(now);
        self.last_end = start + transmission;
        if start > now {
            if self.waiting.is_full() {
                self.make_room(now, sent);
            }
            self.waiting.push(Waiting { start, size });
            if self.limits_bytes {
                self.bytes += u64::from(size);
            }
        } else {
            *sent += 1;
        }
        (start, self.last_end)
    }

    /// Whether there is room for so many packets from `now` on, whatever their sizes.
    #[inline]
    pub fn has_room_for(&mut self, packets: usize, now: Time, sent: &mut u64) -> bool {
        let Some(limit) = self.discipline.packets() else { return false };
        if self.waiting.len() + packets > limit {
            self.advance(now, sent);
        }
        self.waiting.len() + packets <= limit
    }

    /// Takes the last `count` packets of `ring`, for which there is room: they stand there as they came, and are left as they
    /// arrive at the other end, `delay` after their transmission. Nothing is traced, and PCN meters have seen them.
    #[inline(never)]
    pub fn pass_all(&mut self, ring: &mut Ring<Arrival>, count: usize, wire: &mut Wire, delay: Duration, counters: &mut PortCounters) {
        let packets = ring.last_mut(count);
        let (Some(first), Some(last)) = (packets[0].first(), packets.iter().flat_map(|part| part.last()).last()) else { return };
        let (from, last, Packet { size, precedence, .. }) = (first.at, last.at, first.packet);
        let are_alike = |part: &&mut [Arrival]| {
            let others = part.iter().map(|Arrival { packet, .. }| packet.size ^ size | u32::from(packet.precedence ^ precedence));
            others.fold(0, |all, other| all | other) == 0
        };
        if self.waiting.len() + count > self.waiting.capacity() {
            // Before it grows, those go that have left: a queue with a high limit would keep them for long.
            self.advance(from, &mut counters.sent);
        }
        let transmission = wire.transmission_time(size);
        let latest = self.last_end.max(last) + transmission.times(count as u64);
        if counters.is_whole(from, latest) && latest + delay < Time::NEVER && packets.iter().all(are_alike) {
            self.pass_like(packets, transmission, delay, counters);
        } else {
            let never = self.pass_each(packets, wire, delay, counters);
            ring.drop_last(never);
        }
    }

    /// Takes packets of one size and precedence that lie in the window as a whole, or before it, and arrive some time.
    #[inline(always)]
    fn pass_like(&mut self, packets: [&mut [Arrival]; 2], transmission: Duration, delay: Duration, counters: &mut PortCounters) {
        let Some(Packet { size, precedence, .. }) = packets[0].first().map(|first| first.packet) else { return };
        let count = packets[0].len() + packets[1].len();
        let mut waiting = self.waiting.back(count);
        let mut last_end = self.last_end;
        let mut waited = 0u128;
        let mut pass = |arrival: &mut Arrival| {
            let wait = last_end.since(arrival.at);
            let start = arrival.at.plus(wait);
            last_end = start.plus(transmission);
            *waiting.place() = Waiting { start, size };
            waiting.add_if(wait > Duration::ZERO);
            waited += u128::from(wait.as_ps());
            arrival.at = last_end.plus(delay);
            if cfg!(debug_assertions) {
                counters.sent += u64::from(wait == Duration::ZERO);
            }
        };
        packets.into_iter().for_each(|part| part.iter_mut().for_each(&mut pass));
        drop(waiting);
        self.last_end = last_end;
        counters.whole_passages(last_end, count as u64, size, precedence, transmission, waited);
    }

    /// Takes any packets; returns how many of them never leave, which are the last.
    #[inline(always)]
    fn pass_each(&mut self, packets: [&mut [Arrival]; 2], wire: &mut Wire, delay: Duration, counters: &mut PortCounters) -> usize {
        let mut never = 0;
        for arrival in packets.into_iter().flatten() {
            let Arrival { at: now, packet } = arrival;
            let (start, end) = self.commit(*now, packet.size, wire.transmission_time(packet.size), &mut counters.sent);
            never += usize::from(!counters.passage(*now, start, end, packet));
            arrival.at = end + delay;
        }
        never
    }

    #[inline(never)]
    fn make_room(&mut self, now: Time, sent: &mut u64) {
        self.advance(now, sent);
        if 2 * self.waiting.len() >= self.waiting.capacity() {
            self.waiting.grow();
        }
    }

    /// When the last transmission that has been decided on ends.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.last_end
    }

    /// Packets that wait, the one in service not included.
    pub fn waiting(&mut self, now: Time, sent: &mut u64) -> u32 {
        self.advance(now, sent);
        self.waiting.len() as u32
    }

    /// Packets whose transmission never ends.
    pub fn stuck(&self) -> u64 {
        let waiting = self.waiting.iter().rev().take_while(|waiting| waiting.start == Time::NEVER).count() as u64;
        waiting + u64::from(self.last_end == Time::NEVER)
    }

    /// Packets that waited when the queue was last looked at.
    pub fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Takes those out whose transmission has started.
    #[inline]
    fn advance(&mut self, now: Time, sent: &mut u64) {
        loop {
            let front = self.waiting.front();
            // Mostly few have started, if any: a search of all would go astray at each step.
            let mut reach = 1;
            while front.get(reach - 1).is_some_and(|waiting| waiting.start <= now) {
                reach *= 2;
            }
            let started = front[..reach.min(front.len())].partition_point(|waiting| waiting.start <= now);
            if started == 0 {
                return;
            }
            if self.limits_bytes {
                self.bytes -= front[..started].iter().map(|waiting| u64::from(waiting.size)).sum::<u64>();
            }
            self.waiting.consume(started);
            *sent += started as u64;
        }
    }
}

impl Port {
    /// Takes a packet at a port that only queues, and meters what it accepts if it has meters.
    #[inline(always)]
    pub(in crate::port) fn queue_up<const TRACED: bool>(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Some((at, mark)) = self.queue::<TRACED>(now, packet, context.record) else { return };
        if at != Time::NEVER {
            let next = context.routes.hop(hop);
            context.outputs.send(next.process, next.input, at, |arrival| arrival.pass(at, packet, hop, mark));
        }
    }

    /// Queues a packet without sending it on: when it arrives at the far end, if ever, and its mark; `None` if it is dropped.
    #[inline(always)]
    pub(in crate::port) fn queue<const TRACED: bool>(
        &mut self,
        now: Time,
        packet: &Packet,
        journal: &mut Journal,
    ) -> Option<(Time, PcnMark)> {
        let Port { queueing: Queueing::TailDropFifo(queue), counters, wire, pcn, delay, .. } = self else { return None };
        let has_room = queue.admits(now, packet.size, &mut counters.sent);
        let decision = if has_room { Decision::Accept } else { Decision::Drop(DropCause::Overflow) };
        verdict::apply::<TRACED>(decision, Standing::Arriving, now, packet, counters, journal)?;
        let mut mark = packet.pcn;
        if let Some(pcn) = pcn {
            mark = pcn.meter(now, packet);
            if mark > packet.pcn {
                counters.mark_unwatched(now, packet.size);
            }
        }
        let (start, end) = queue.commit(now, packet.size, wire.transmission_time(packet.size), &mut counters.sent);
        let ends = counters.passage(now, start, end, packet);
        let at = if ends { end + *delay } else { Time::NEVER };
        self.check_conservation();
        Some((at, mark))
    }

    /// A packet as the marker makes it that sees it arrive, if there is one.
    #[inline]
    pub(in crate::port) fn coloured(&mut self, now: Time, packet: &Packet) -> Packet {
        match self.arrival_marker.as_deref_mut() {
            Some(marker) => marker.coloured(now, packet),
            None => *packet,
        }
    }

    /// Takes a packet that is traced.
    pub(in crate::port) fn queue_up_traced(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let packet = &self.coloured(now, packet);
        self.queue_up::<true>(now, packet, hop, context);
    }
}
