//! A host's timers.

pub use crate::api::trace::TimerKind;
use penstock_model::rng::Key;
use penstock_model::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A timer that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timer {
    /// When.
    pub at: Time,
    /// The order of ties (0 unless ties are random).
    pub tie: u64,
    /// The flow's serial number.
    pub flow: u32,
    /// What for.
    pub kind: TimerKind,
    /// The endpoint's slot at its host.
    pub slot: u32,
}

/// The timers of a host.
///
/// A deadline that moves later is left until its entry is due; one that moves earlier gets a new entry. The owner
/// remembers the time of its earliest entry (`armed`), by which stale entries are recognised.
#[derive(Clone, Debug)]
pub struct Timers {
    heap: BinaryHeap<Reverse<Timer>>,
    next: Time,
    ties: Option<Key>,
}

impl Timers {
    /// No timers; `ties` orders simultaneous ones at random.
    pub fn new(ties: Option<Key>) -> Timers {
        Timers { heap: BinaryHeap::new(), next: Time::NEVER, ties }
    }

    /// Makes sure that an entry is due no later than `deadline`; `armed` is the owner's note of its earliest entry.
    #[inline(always)]
    pub fn arm(&mut self, deadline: Time, armed: &mut Time, flow: u32, kind: TimerKind, slot: u32) {
        if deadline < *armed {
            *armed = deadline;
            let tie = self.ties.map_or(0, |key| key.hash([deadline.as_ps(), u64::from(flow) << 8 | kind as u64]));
            self.heap.push(Reverse(Timer { at: deadline, tie, flow, kind, slot }));
            self.next = self.next.min(deadline);
        }
    }

    /// When the next entry is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// The next entry.
    #[inline]
    pub fn peek(&self) -> Option<Timer> {
        self.heap.peek().map(|Reverse(timer)| *timer)
    }

    /// Takes the next entry.
    pub fn pop(&mut self) -> Option<Timer> {
        let first = self.heap.pop().map(|Reverse(timer)| timer);
        self.next = self.heap.peek().map_or(Time::NEVER, |Reverse(timer)| timer.at);
        first
    }
}
