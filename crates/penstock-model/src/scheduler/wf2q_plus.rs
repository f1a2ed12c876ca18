//! Worst-case fair weighted fair queueing with a virtual time of constant cost.

use super::class::ClassPlan;
use super::{costs, exact_unit, QueueState, Scheduler, Turn};
use crate::parameters::Check;
use crate::units::{Duration, Rate, Time, PS_PER_SECOND};

crate::parameters! {
    /// WF2Q+: fair queueing by weights that serves no packet before the fluid reference would have begun it.
    ///
    /// ## Decides
    /// The head of each class has a virtual start, the finish of its predecessor or, where that is later, the virtual time
    /// of its arrival to an empty queue; and a virtual finish, size x sum of the weights / `weight` later. Of the heads
    /// that have started (start <= virtual time) the one with the smallest finish is sent; among equals, that of the first
    /// class. The virtual time advances with the work that the port does and never stands behind the earliest start of a
    /// head. So no class runs ahead of its share by more than a packet, and a class with a share g of the link's rate is
    /// delayed by at most b/g + L/C for a burst b, the largest packet L and the link's rate C.
    ///
    /// ## State
    /// The start of each class and the virtual time. The cost per decision grows with the number of classes.
    ///
    /// ## Departures
    /// Virtual times are integers, exact if the least common multiple of the weights is at most 2^16; else what a byte costs
    /// a class is rounded to 10^-12 bits, which moves shares by less than one in 10^13. Between the beginning and the end of a transmission the virtual time advances at
    /// the link's first rate, also where rates change. A new busy period begins with all starts at zero.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.wf2q-plus = {}
    /// class.ef.weight = 3
    /// class.default.weight = 7
    /// ```
    ///
    /// ## References
    /// [Bennett97 s4]; [Bennett96] for worst-case fairness.
    pub struct Parameters {}
}
impl Check for Parameters {}

/// WF2Q+ at work.
#[derive(Clone, Debug)]
pub struct Wf2qPlus {
    /// The virtual start of each class's head (S).
    starts: Vec<u128>,
    costs: Vec<u128>,
    /// The work of a byte, and that of the link in a picosecond.
    byte: u128,
    pace: u128,
    /// The virtual time (V) when the last transmission began.
    virtual_time: u128,
    /// When that was.
    since: Time,
    /// The work of that transmission.
    work: u128,
}

/// The work of a byte, where virtual times need no finer unit; the link does that of a bit/s in each picosecond.
const BYTE: u128 = 8 * PS_PER_SECOND as u128;

impl Wf2qPlus {
    /// Fair queueing among `classes` on a wire of `rate`.
    pub fn new(_: &Parameters, classes: &[ClassPlan], rate: Rate) -> Wf2qPlus {
        // With a finer unit than 2^16, 200 days at 100 Tbit/s would not fit.
        let finer = u128::from(exact_unit(classes, 1 << 16).unwrap_or(1));
        let (byte, pace) = (BYTE * finer, u128::from(rate.as_bps()) * finer);
        let (starts, costs) = (vec![0; classes.len()], costs(byte, classes));
        Wf2qPlus { starts, costs, byte, pace, virtual_time: 0, since: Time::ZERO, work: 0 }
    }

    /// What has been done of the last transmission by `now`.
    #[inline]
    fn done(&self, now: Time) -> u128 {
        let span: Duration = now.since(self.since);
        self.work.min(self.pace * u128::from(span.as_ps()))
    }

    /// Of the heads that have started, the one that finishes first.
    #[inline]
    fn smallest_finish(&self, queues: &[QueueState]) -> Option<usize> {
        let (mut best, mut smallest) = (None, u128::MAX);
        for (i, queue) in queues.iter().enumerate() {
            let start = self.starts[i];
            if queue.packets > 0 && start <= self.virtual_time {
                let finish = start + u128::from(queue.head) * self.costs[i];
                if finish < smallest {
                    (best, smallest) = (Some(i), finish);
                }
            }
        }
        best
    }
}

impl Scheduler for Wf2qPlus {
    #[inline]
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        // The last transmission is over.
        self.virtual_time += self.work;
        self.work = 0;
        if let Some(best) = self.smallest_finish(queues) {
            return Turn::Queue(best);
        }
        let backlogged = queues.iter().zip(&self.starts).filter(|(queue, _)| queue.packets > 0);
        self.virtual_time = backlogged.map(|(_, start)| *start).min().expect("asked only while a queue has a packet");
        Turn::Queue(self.smallest_finish(queues).expect("the earliest has started"))
    }

    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        let done = self.done(now);
        let alone = queues.iter().enumerate().all(|(i, other)| i == queue || other.packets == 0);
        if alone && done == self.work {
            self.starts.fill(0);
            (self.virtual_time, self.work) = (0, 0);
        } else {
            self.starts[queue] = self.starts[queue].max(self.virtual_time + done);
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        self.starts[queue] += u128::from(size) * self.costs[queue];
        self.work = u128::from(size) * self.byte;
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{weighted, Queues};
    use super::*;

    fn wf2q_plus(weights: &[u32]) -> Wf2qPlus {
        Wf2qPlus::new(&Parameters {}, &weighted(weights), Rate::from_bps(8_000))
    }

    #[test]
    fn a_class_does_not_run_ahead_of_its_share() {
        // Eleven classes, the first with half of the weight: fair queueing by finishes alone would let it send ten packets
        // at once and then make it wait for ten. Here it has every second turn [Bennett96 fig. 2].
        let mut weights = vec![10];
        weights.extend([1; 10]);
        let mut it = wf2q_plus(&weights);
        let mut queues = Queues(vec![(11, 100)].into_iter().chain((0..10).map(|_| (1, 100))).collect());
        queues.announce(&mut it);
        let sent = queues.send(&mut it, 21);
        assert!((0..21).all(|i| (sent[i] == 0) == (i % 2 == 0)), "{sent:?}");
    }

    #[test]
    fn the_virtual_time_advances_with_the_work() {
        // Two classes of equal weight; a packet of 100 bytes takes 100 ms.
        let ms = |ms| Time::ZERO + Duration::from_ms(ms);
        let mut it = wf2q_plus(&[1, 1]);
        let mut queues = Queues(vec![(3, 100), (0, 100)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 1), [0]);
        queues.0[1].0 = 1;
        it.on_backlog(ms(50), 1, &queues.states());
        // Half of a packet's work is done; the first class's next packet starts at 200 bytes of it.
        assert_eq!(it.starts, [200 * it.byte, 50 * it.byte]);
        assert_eq!(it.next(ms(100), &queues.states()), Turn::Queue(1));
    }

    #[test]
    fn a_new_busy_period_begins_at_zero() {
        let ms = |ms| Time::ZERO + Duration::from_ms(ms);
        let mut it = wf2q_plus(&[1, 9]);
        let mut queues = Queues(vec![(1, 100), (0, 100)]);
        queues.announce(&mut it);
        queues.send(&mut it, 1);
        queues.0[0].0 = 1;
        // While its packet is on the wire the class has its debt; afterwards it has none.
        it.on_backlog(ms(99), 0, &queues.states());
        assert_eq!(it.starts[0], 1000 * it.byte);
        it.on_backlog(ms(100), 0, &queues.states());
        assert_eq!(it.starts[0], 0);
    }
}
