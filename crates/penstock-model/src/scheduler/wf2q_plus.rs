//! Worst-case fair weighted fair queueing with a virtual time of constant cost.

use super::class::ClassPlan;
use super::tags::{Heads, Tag};
use super::weights::{common_divisor, costs, exact_unit, ClassParameters};
use super::{HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::Check;
use crate::units::{Duration, Rate, Time, PS_PER_SECOND};
use std::any::Any;

crate::parameters! {
    /// WF2Q+: worst-case fair queueing by weights, where no packet starts before the fluid reference would have started it.
    ///
    /// ## Decides
    /// The head of each class has a virtual start: the finish of its predecessor or, if later, the virtual time at which it
    /// arrived at an empty queue. Its virtual finish is size x sum of the weights / `weight` later. Among the eligible heads (start
    /// <= virtual time), the one with the smallest finish is sent; among equals, the head of the first class. The virtual time
    /// advances with the work of the port and is never behind the earliest start of a head. No class is ahead of its share by more
    /// than a packet, and a class with rate g is delayed by at most $b/g + L/C$ for a burst b, the largest packet L and the link's
    /// rate C.
    ///
    /// ## State
    /// The start of each class and the virtual time. The cost per decision grows with the number of classes.
    ///
    /// ## Departures
    /// Virtual times are integers, exact if the least common multiple of the weights is at most 2^16; otherwise the cost of a byte is
    /// rounded to 10^-12 bits, which changes shares by less than one in 10^13. During a transmission the virtual time advances at
    /// the initial rate of the link, even if this rate changes. A busy period begins with all starts at zero.
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
    pub struct Parameters with class ClassParameters {}
}
impl Check for Parameters {}

impl HasFacts for Parameters {}

/// State of WF2Q+.
#[derive(Clone, Debug)]
pub struct Wf2qPlus<T> {
    heads: Heads<T>,
    /// Initial rate of the link.
    rate: Rate,
    /// Work per byte; `pace` is the work of the link per picosecond.
    byte: T,
    pace: T,
    /// Virtual time (V) at the start of the last transmission.
    virtual_time: T,
    /// Start of the last transmission.
    since: Time,
    /// Work of the last transmission.
    work: T,
}

/// Work per byte if virtual times need no finer unit. A link of 1 bit/s then does one unit of work per picosecond.
const BYTE: u128 = 8 * PS_PER_SECOND as u128;

impl<T: Tag> Wf2qPlus<T> {
    /// Fair queueing among `classes` on a wire of `rate`; `None` if the virtual times do not fit.
    pub fn new(_: &Parameters, classes: &[ClassPlan], wire: impl Into<SchedulerContext>) -> Option<Wf2qPlus<T>> {
        let rate = wire.into().site.rate;
        let (costs, byte, pace) = Wf2qPlus::units(rate, classes)?;
        Some(Wf2qPlus { heads: Heads::new(&costs)?, rate, byte, pace, virtual_time: T::ZERO, since: Time::ZERO, work: T::ZERO })
    }

    /// Cost of a byte for each class, work per byte, and work of the link per picosecond; `None` if the last two do not fit.
    fn units(rate: Rate, classes: &[ClassPlan]) -> Option<(Vec<u128>, T, T)> {
        // With a unit finer than 2^16, 200 days at 100 Tbit/s would not fit.
        let finer = u128::from(exact_unit(classes, 1 << 16).unwrap_or(1));
        let (byte, pace) = (BYTE * finer, u128::from(rate.as_bps()) * finer);
        let costs = costs(byte, classes);
        // All virtual times are sums of these, and therefore multiples of their greatest common divisor.
        let grain = costs.iter().fold(common_divisor(byte, pace), |grain, cost| common_divisor(grain, *cost));
        Some((costs.iter().map(|cost| cost / grain).collect(), T::cost(byte / grain)?, T::number(pace / grain)?))
    }

    /// Work of the last transmission that is done by `now`.
    #[inline]
    fn done(&self, now: Time) -> T {
        let span: Duration = now.since(self.since);
        self.work.min(T::product(self.pace, span.as_ps()))
    }

    /// Among the heads that have started, the one with the smallest finish.
    #[inline(always)]
    fn smallest_finish(&self) -> Option<usize> {
        self.heads.smallest(|head| head.start <= self.virtual_time)
    }
}

crate::state! {
    impl Wf2qPlus<T> where [T: Tag], |it, now| {
        /// For each class with packets, the start tag of its head minus the virtual time, in bytes of that class.
        "lead", "bytes", each it.heads.leads(it.virtual_time + it.done(now));
    }
}

impl<T: Tag> Scheduler for Wf2qPlus<T> {
    #[inline]
    fn next(&mut self, _now: Time, _queues: &[QueueState]) -> Turn {
        // The last transmission is over.
        self.virtual_time = self.virtual_time + self.work;
        self.work = T::ZERO;
        if self.virtual_time > T::FAR {
            self.heads.set_back();
            self.virtual_time = self.virtual_time - T::STEP;
        }
        if let Some(first) = self.smallest_finish() {
            return Turn::Queue(first);
        }
        self.virtual_time = self.heads.earliest().expect("asked only while a queue has a packet");
        Turn::Queue(self.smallest_finish().expect("the earliest has started"))
    }

    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        let done = self.done(now);
        if done == self.work && self.heads.is_alone(queue) {
            self.heads.begin_anew();
            (self.virtual_time, self.work) = (T::ZERO, T::ZERO);
            self.heads.begin(queue, T::ZERO, &queues[queue]);
        } else {
            self.heads.begin(queue, self.virtual_time + done, &queues[queue]);
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.heads.leave(queue, size, &queues[queue]);
        self.work = T::from(size) * self.byte;
        self.since = now;
    }

    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        self.heads.change(queue, &queues[queue]);
    }

    fn change(
        &mut self,
        now: Time,
        parameters: &dyn Any,
        classes: &[ClassPlan],
        queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        let changed = Wf2qPlus::units(self.rate, classes).and_then(|(costs, byte, pace)| {
            Some((self.heads.take_costs(&costs, (self.byte, byte), self.virtual_time, queues)?, byte, pace))
        });
        let Some((virtual_time, byte, pace)) = changed else {
            let mut wide = Wf2qPlus {
                heads: self.heads.wide(),
                rate: self.rate,
                byte: self.byte.wide(),
                pace: self.pace.wide(),
                virtual_time: self.virtual_time.wide(),
                since: self.since,
                work: self.work.wide(),
            };
            wide.change(now, parameters, classes, queues);
            return Some(Box::new(wide));
        };
        self.work = self.work.scaled((self.byte, byte));
        (self.virtual_time, self.byte, self.pace) = (virtual_time, byte, pace);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decide_alike, weighted, Queues};
    use super::*;
    use crate::units::Rate;

    fn wf2q_plus(weights: &[u32]) -> Wf2qPlus<u64> {
        Wf2qPlus::new(&Parameters {}, &weighted(weights), Rate::from_bps(8_000)).expect("small weights fit")
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
        // Half of the work of a packet is done; the next packet of the first class starts at 200 bytes of its own.
        assert_eq!(it.heads.all().map(|head| head.start).collect::<Vec<u64>>(), [200 * it.byte, 50 * it.byte]);
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
        // The class has its debt while its packet is on the wire, and none afterwards.
        it.on_backlog(ms(99), 0, &queues.states());
        assert_eq!(it.heads.all().next().expect("a class").start, 1000 * it.byte);
        it.on_backlog(ms(100), 0, &queues.states());
        assert_eq!(it.heads.all().next().expect("a class").start, 0);
    }

    #[test]
    fn virtual_times_that_are_set_back_decide_alike() {
        let weights = weighted(&[3, 1, 2]);
        let mut narrow = Wf2qPlus::<u64>::new(&Parameters {}, &weights, Rate::from_bps(8_000)).expect("small weights fit");
        let mut wide = Wf2qPlus::<u128>::new(&Parameters {}, &weights, Rate::from_bps(8_000)).expect("they always fit");
        // 1,000 packets before all tags are set back. One class stays backlogged, so that the first packet does not restart the tags.
        for it in [&mut narrow as &mut dyn Scheduler, &mut wide] {
            let one = QueueState { packets: 1, bytes: 100, head: 100 };
            it.on_backlog(Time::ZERO, 0, &[one, QueueState::default(), QueueState::default()]);
        }
        let soon = u64::FAR - 1_000 * 750 * narrow.byte;
        narrow.virtual_time = soon - soon % 256;
        decide_alike(&mut narrow, &mut wide, 2_000);
        assert!(narrow.virtual_time < soon);
    }

    #[test]
    fn what_does_not_fit_takes_more_bits() {
        let classes = weighted(&[9973, 9967, 9949]);
        let rate = Rate::from_bps(1_544_001);
        assert!(Wf2qPlus::<u64>::new(&Parameters {}, &classes, rate).is_none());
        assert!(Wf2qPlus::<u128>::new(&Parameters {}, &classes, rate).is_some());
        assert!(Wf2qPlus::<u64>::new(&Parameters {}, &weighted(&[31, 69]), Rate::from_bps(1_000_000_000)).is_some());
    }
}
