//! Packets of calls that wait at their source for a random time before the ingress sees them.

use penstock_model::call::delay::{AtEnd, DelayPlan};
use penstock_model::rng::{Key, Stream};
use penstock_model::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    /// When it goes on.
    pub at: Time,
    /// Counts the packets of the aggregate.
    number: u64,
    /// The call's place.
    pub slot: u32,
    /// The call.
    pub serial: u32,
    /// Bytes.
    pub size: u32,
}

/// The packets of an aggregate that wait, by time.
#[derive(Debug)]
pub struct Delayed {
    plan: DelayPlan,
    stream: Stream,
    heap: BinaryHeap<Reverse<Waiting>>,
    number: u64,
}

impl Delayed {
    /// Nothing waits yet; delays are drawn from the stream `delay` below `key`.
    pub fn new(plan: &DelayPlan, key: Key) -> Delayed {
        Delayed { plan: plan.clone(), stream: key.child("delay").stream(), heap: BinaryHeap::new(), number: 0 }
    }

    /// When the next packet goes on.
    #[inline]
    pub fn next(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, |Reverse(first)| first.at)
    }

    /// A call hands over a packet at `now`, and not before `earliest` if packets keep their order; when it goes on.
    #[inline]
    pub fn add(&mut self, now: Time, earliest: Time, slot: u32, serial: u32, size: u32) -> Time {
        let mut at = now + self.plan.added.draw(&mut self.stream);
        if self.plan.keep_order {
            at = at.max(earliest);
        }
        self.heap.push(Reverse(Waiting { at, number: self.number, slot, serial, size }));
        self.number += 1;
        at
    }

    /// Takes the next packet; there is one.
    #[inline]
    pub fn take(&mut self) -> Waiting {
        self.heap.pop().expect("a packet waits").0
    }

    /// Whether the packets of a call that has ended still go on.
    #[inline]
    pub fn outlive(&self) -> bool {
        self.plan.at_end == AtEnd::Sent
    }
}
