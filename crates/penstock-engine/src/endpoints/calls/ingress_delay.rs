//! Packets of calls that wait at their source for a random time before the ingress sees them.

use crate::merge::calendar::Calendar;
use crate::merge::Timed;
use penstock_model::call::delay::{AtEnd, DelayPlan};
use penstock_model::rng::{Key, Stream};
use penstock_model::units::Time;

/// A packet that waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    /// When it goes on.
    pub at: Time,
    /// The call's place.
    pub slot: u32,
    /// The call.
    pub serial: u32,
    /// Bytes.
    pub size: u32,
}

impl Timed for Waiting {
    #[inline]
    fn at(&self) -> Time {
        self.at
    }
}

/// The packets of an aggregate that wait, by time, then in the order in which they came.
#[derive(Debug)]
pub struct IngressDelay {
    plan: DelayPlan,
    stream: Stream,
    calendar: Calendar<Waiting>,
}

impl IngressDelay {
    /// Nothing waits yet; delays are drawn from the stream `delay` below `key`.
    pub fn new(plan: &DelayPlan, key: Key) -> IngressDelay {
        IngressDelay { plan: plan.clone(), stream: key.child("delay").stream(), calendar: Calendar::default() }
    }

    /// When the next packet goes on.
    #[inline]
    pub fn next(&self) -> Time {
        self.calendar.next()
    }

    /// A call hands over a packet at `now`, and not before `earliest` if packets keep their order; when it goes on.
    #[inline]
    pub fn add(&mut self, now: Time, earliest: Time, slot: u32, serial: u32, size: u32) -> Time {
        let mut at = now + self.plan.added.draw(&mut self.stream);
        if self.plan.keep_order {
            at = at.max(earliest);
        }
        *self.calendar.add(0, at) = Waiting { at, slot, serial, size };
        at
    }

    /// Lets those go on, in order, that do so before `bound`: `pass` is told of each. Returns how many.
    #[inline]
    pub fn pass_before(&mut self, bound: Time, mut pass: impl FnMut(&Waiting)) -> u64 {
        let mut passed = 0;
        while self.calendar.next() < bound {
            let front = self.calendar.front();
            let mut taken = 0;
            for waiting in front.iter().take_while(|waiting| waiting.at < bound) {
                pass(waiting);
                taken += 1;
            }
            self.calendar.consume(taken);
            passed += taken as u64;
        }
        passed
    }

    /// Whether the packets of a call that has ended still go on.
    #[inline]
    pub fn outlive(&self) -> bool {
        self.plan.at_end == AtEnd::Sent
    }
}
