//! The port that most are: one queue served in order, tail drop on what waits, a wire of one rate, and nothing else that
//! happens to a packet. It does what [`crate::committed`] does, with less to ask of each packet.

use crate::ring::Ring;
use penstock_model::discipline::tail_drop::TailDrop;
use penstock_model::units::{Duration, Time};

/// The queue: packets that wait, by the start of their transmission, which is known as soon as they come.
///
/// Those whose transmission has started are taken out only when there seems to be no room: until then nobody asks.
pub struct Fifo {
    discipline: TailDrop,
    /// Those that wait, and before them some that have left.
    waiting: Ring<Waiting>,
    /// All of them together.
    bytes: u64,
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
        Fifo { discipline, waiting: Ring::default(), bytes: 0, last_end: Time::ZERO }
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
            self.bytes += u64::from(size);
        } else {
            *sent += 1;
        }
        (start, self.last_end)
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
        while let Some(Waiting { size, .. }) = self.waiting.first().copied().filter(|first| first.start <= now) {
            self.bytes -= u64::from(size);
            self.waiting.consume(1);
            *sent += 1;
        }
    }
}
