//! A FIFO queue whose departures are known on arrival: departure = max(now, last departure) + transmission time.

use crate::blueprint::QueuePlan;
use crate::link::Wire;
use penstock_model::discipline::{AnyDiscipline, Counting, Discipline, Occupancy, PortContext, Verdict};
use penstock_model::packet::Packet;
use penstock_model::units::Time;
use std::collections::VecDeque;

/// The queue: a ring of packets whose transmission has not ended. What has ended by `now` leaves before anything is decided.
pub struct Committed {
    discipline: AnyDiscipline,
    counting: Counting,
    ring: VecDeque<Entry>,
    /// The packet at the head is in service and, if only waiting packets count, no longer in the occupancy.
    head_started: bool,
    last_end: Time,
    occupancy: Occupancy,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: Time,
    end: Time,
    size: u32,
    precedence: u8,
}

impl Committed {
    /// An empty queue.
    pub fn new(plan: &QueuePlan, context: &PortContext) -> Committed {
        let discipline = AnyDiscipline::new(&plan.discipline, context);
        let counting = discipline.counting();
        let occupancy = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
        Committed { discipline, counting, ring: VecDeque::new(), head_started: false, last_end: Time::ZERO, occupancy }
    }

    /// What the discipline says of `packet`.
    #[inline]
    pub fn decide(&mut self, now: Time, packet: &Packet, sent: &mut u64) -> Verdict {
        self.advance(now, sent);
        self.discipline.on_arrival(now, packet, &self.occupancy)
    }

    /// Takes an accepted packet; returns when its transmission starts and ends.
    #[inline]
    pub fn commit(&mut self, now: Time, packet: &Packet, wire: &mut Wire) -> (Time, Time) {
        let start = self.last_end.max(now);
        let end = wire.finish(start, packet.size);
        self.last_end = end;
        self.occupancy.idle_since = None;
        if self.ring.is_empty() && self.counting == Counting::Waiting {
            // An idle port starts at once, so the packet never waits.
            self.head_started = true;
        } else {
            self.occupancy.add(packet.size, packet.precedence);
        }
        self.ring.push_back(Entry { start, end, size: packet.size, precedence: packet.precedence });
        (start, end)
    }

    /// Packets that wait, the one in service not included.
    pub fn waiting(&mut self, now: Time, sent: &mut u64) -> u32 {
        self.advance(now, sent);
        let in_service = self.ring.front().is_some_and(|entry| entry.start <= now);
        self.ring.len() as u32 - u32::from(in_service)
    }

    /// Packets whose transmission had not ended when the queue was last looked at.
    pub fn len(&self) -> u64 {
        self.ring.len() as u64
    }

    /// Packets whose transmission never ends, because the link does not recover.
    pub fn stuck(&self) -> u64 {
        self.ring.iter().rev().take_while(|entry| entry.end == Time::NEVER).count() as u64
    }

    /// Lets what has ended leave, and what has started stop waiting.
    #[inline]
    fn advance(&mut self, now: Time, sent: &mut u64) {
        while let Some(head) = self.ring.front() {
            if head.end <= now {
                if !self.head_started {
                    self.occupancy.remove(head.size, head.precedence);
                }
                self.head_started = false;
                *sent += 1;
                self.ring.pop_front();
                if self.ring.is_empty() {
                    self.occupancy.idle_since = Some(self.last_end);
                }
            } else {
                if self.counting == Counting::Waiting && !self.head_started && head.start <= now {
                    self.occupancy.remove(head.size, head.precedence);
                    self.head_started = true;
                }
                break;
            }
        }
    }
}
