//! The port that most are: one queue served in order, tail drop on what waits, a wire of one rate, and nothing else that
//! happens to a packet. It does what [`crate::committed`] does, with less to ask of each packet.

use crate::ring::Ring;
use penstock_model::discipline::tail_drop::TailDrop;
use penstock_model::units::{Duration, Time};

/// The queue: packets that wait, by the start of their transmission, which is known as soon as they come.
pub struct Fifo {
    discipline: TailDrop,
    waiting: Ring<Waiting>,
    bytes: u64,
    /// When the first of them no longer waits.
    next_start: Time,
    last_end: Time,
}

#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    start: Time,
    size: u32,
}

impl Fifo {
    /// An empty queue.
    pub fn new(discipline: TailDrop) -> Fifo {
        Fifo { discipline, waiting: Ring::default(), bytes: 0, next_start: Time::NEVER, last_end: Time::ZERO }
    }

    /// Whether the queue takes a packet of `size` bytes.
    #[inline(always)]
    pub fn admits(&mut self, now: Time, size: u32, sent: &mut u64) -> bool {
        self.advance(now, sent);
        self.discipline.has_room(self.waiting.len() as u32, self.bytes, size)
    }

    /// Takes a packet whose transmission lasts for `transmission`; returns when that starts and ends.
    #[inline(always)]
    pub fn commit(&mut self, now: Time, size: u32, transmission: Duration, sent: &mut u64) -> (Time, Time) {
        let start = self.last_end.max(now);
        self.last_end = start + transmission;
        if start > now {
            self.waiting.push(Waiting { start, size });
            self.bytes += u64::from(size);
            self.next_start = self.next_start.min(start);
        } else {
            *sent += 1;
        }
        (start, self.last_end)
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

    /// Lets those leave whose transmission has started.
    #[inline(always)]
    fn advance(&mut self, now: Time, sent: &mut u64) {
        while self.next_start <= now {
            self.bytes -= self.waiting.first().map_or(0, |first| u64::from(first.size));
            self.waiting.consume(1);
            self.next_start = self.waiting.first().map_or(Time::NEVER, |next| next.start);
            *sent += 1;
        }
    }
}
