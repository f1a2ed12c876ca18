//! A FIFO queue whose departures are computed on arrival. A transmission starts at max(now, end of the last transmission), or later if a
//! shaper holds packets back.

use crate::merge::ring::Ring;
use crate::port::counters::CheckedCount;
use penstock_model::discipline::{AnyDiscipline, Counting, Discipline, DisciplinePlan, Occupancy, Verdict};
use penstock_model::packet::Packet;
use penstock_model::units::Time;
use penstock_model::wire::Wire;

/// The queue: a ring of the packets that count as queued. Packets that no longer count by `now` leave it before any decision. A packet
/// that finds the wire idle enters the ring only if the packet in service counts too.
#[derive(Clone)]
pub struct Precomputed {
    /// The discipline.
    pub discipline: AnyDiscipline,
    counting: Counting,
    /// Packets that counted as queued at the last update.
    pub ring: Ring<Entry>,
    /// End of the last scheduled transmission.
    pub last_end: Time,
    occupancy: Occupancy,
    /// Number of packets that no longer count as queued.
    pub left: CheckedCount,
}

/// A packet in the ring.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    /// Time at which it stops counting as queued: the start of its transmission or, if the packet in service counts, the end.
    leaves: Time,
    size: u32,
    precedence: u8,
}

impl Precomputed {
    /// Creates an empty queue.
    pub fn new(discipline: AnyDiscipline) -> Precomputed {
        let counting = discipline.counting();
        Precomputed {
            discipline,
            counting,
            ring: Ring::default(),
            last_end: Time::ZERO,
            occupancy: Occupancy::default(),
            left: CheckedCount::default(),
        }
    }

    /// Returns the discipline's decision about `packet`.
    #[inline(always)]
    pub fn on_arrival(&mut self, now: Time, packet: &Packet) -> Verdict {
        self.advance(now);
        self.occupancy.idle_since = (self.last_end <= now).then_some(self.last_end);
        self.discipline.on_arrival(now, packet, &self.occupancy)
    }

    /// Sets the parameters of the discipline to those in `plan` from `now` on.
    pub fn change(&mut self, now: Time, plan: &DisciplinePlan) {
        plan.changeable().into_iter().for_each(|parameters| self.discipline.change(now, parameters));
    }

    /// Schedules an accepted packet; returns the start and end of its transmission.
    #[inline(always)]
    pub fn schedule(&mut self, now: Time, size: u32, precedence: u8, wire: &mut Wire) -> (Time, Time) {
        let (start, end) = wire.transmit(self.last_end.max(now), now, size);
        self.last_end = end;
        let leaves = match self.counting {
            Counting::Waiting => start,
            Counting::InSystem => end,
        };
        if leaves > now {
            self.occupancy.add(size, precedence);
            self.ring.push(Entry { leaves, size, precedence });
        } else {
            self.left.add(1);
        }
        (start, end)
    }

    /// Number of packets that wait, without the one in service.
    pub fn waiting(&mut self, now: Time) -> u32 {
        self.advance(now);
        match self.counting {
            Counting::Waiting => self.ring.len() as u32,
            // There is no shaper, so the wire is never idle while a packet is queued, and the head is in service.
            Counting::InSystem => (self.ring.len() as u32).saturating_sub(1),
        }
    }

    /// Number of packets whose transmission never ends because the link does not recover.
    pub fn never_sent(&self) -> u64 {
        let queued = self.ring.iter().rev().take_while(|entry| entry.leaves == Time::NEVER).count() as u64;
        // The first of them has started and has left the ring if only waiting packets count.
        queued + u64::from(self.counting == Counting::Waiting && self.last_end == Time::NEVER)
    }

    /// Removes packets that no longer count as queued.
    #[inline]
    fn advance(&mut self, now: Time) {
        while let Some(head) = self.ring.first().copied().filter(|head| head.leaves <= now) {
            self.occupancy.remove(head.size, head.precedence);
            self.ring.consume(1);
            self.left.add(1);
        }
    }
}
