//! Start-time fair queueing.

use super::class::ClassPlan;
use super::tags::{Heads, Tag};
use super::weights::{costs, unit, ClassParameters};
use super::{HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::Check;
use crate::transmission::WireRate;
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// Start-time fair queueing: shares by weight, in the order of virtual start times.
    ///
    /// ## Decides
    /// The start tag of a packet is the larger of two tags: the finish tag of its predecessor in the class, and the start tag of
    /// the packet in service when it arrived. Its finish tag is size / `weight` later. The packet with the smallest start tag is
    /// sent; among equal tags, the packet of the first class. Tags restart when the port becomes idle. While two classes have
    /// packets, their service per weight differs by at most one largest packet of each, also at a varying rate. Let a packet of l
    /// bits belong to a class with rate r. On a link of rate C it leaves at most (l + the largest packets of all other classes) / C
    /// after it could have started on its own link of rate r; for small shares this bound is lower than that of self-clocked fair
    /// queueing.
    ///
    /// ## State
    /// A tag per class, and that of the packet in service. The cost per decision grows with the number of classes.
    ///
    /// ## Departures
    /// Tags are integers. They are exact if the least common multiple of the weights is at most 2^32; otherwise the cost of a byte
    /// is rounded to 2^-32, which changes shares by less than one in 10^9. A busy period begins with all tags at zero instead of
    /// the largest finish tag; this does not change the order. The end of a transmission is computed from the initial rate of the
    /// link, even if this rate changes.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.stfq = {}
    /// class.ef.weight = 3
    /// class.default.weight = 7
    /// ```
    ///
    /// ## References
    /// [Goyal96 s2], there SFQ, which has come to mean stochastic fair queueing; STFQ in [Sivaraman16 s2.1].
    pub struct Parameters with class ClassParameters {}
}
impl Check for Parameters {}

impl HasFacts for Parameters {}

/// State of start-time fair queueing.
#[derive(Clone, Debug)]
pub struct Stfq<T> {
    heads: Heads<T>,
    /// Start tag of the packet in service, or of the last one (v).
    virtual_time: T,
    /// Cost of a byte that all classes share.
    unit: T,
    rate: WireRate,
    /// End of the last transmission.
    busy_until: Time,
}

impl<T: Tag> Stfq<T> {
    /// Fair queueing among `classes` on a wire of `rate`; `None` if the tags do not fit.
    pub fn new(_: &Parameters, classes: &[ClassPlan], rate: impl Into<SchedulerContext>) -> Option<Stfq<T>> {
        let unit = unit(classes);
        Some(Stfq {
            heads: Heads::new(&costs(unit, classes))?,
            virtual_time: T::ZERO,
            unit: T::number(unit)?,
            rate: rate.into().wire(),
            busy_until: Time::ZERO,
        })
    }
}

crate::state! {
    impl Stfq<T> where [T: Tag], |it, _now| {
        /// For each class with packets, the start tag of its head minus the virtual time, in bytes of that class.
        "lead", "bytes", each it.heads.leads(it.virtual_time);
    }
}

impl<T: Tag> Scheduler for Stfq<T> {
    #[inline]
    fn next(&mut self, _now: Time, _queues: &[QueueState]) -> Turn {
        Turn::Queue(self.heads.first().expect("asked only while a queue has a packet"))
    }

    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        if self.busy_until <= now && self.heads.is_alone(queue) {
            self.heads.begin_anew();
            self.virtual_time = T::ZERO;
        }
        self.heads.begin(queue, self.virtual_time, &queues[queue]);
    }

    #[inline]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.virtual_time = self.heads.start(queue);
        self.heads.leave(queue, size, &queues[queue]);
        self.busy_until = now + self.rate.transmission_time(size);
        if self.virtual_time > T::FAR {
            self.heads.set_back();
            self.virtual_time = self.virtual_time - T::STEP;
        }
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
        let (unit, costs) = (unit(classes), costs(unit(classes), classes));
        let changed =
            T::number(unit).and_then(|unit| Some((unit, self.heads.take_costs(&costs, (self.unit, unit), self.virtual_time, queues)?)));
        let Some((unit, clock)) = changed else {
            let mut wide = Stfq {
                heads: self.heads.wide(),
                virtual_time: self.virtual_time.wide(),
                unit: self.unit.wide(),
                rate: self.rate,
                busy_until: self.busy_until,
            };
            wide.change(now, parameters, classes, queues);
            return Some(Box::new(wide));
        };
        (self.unit, self.virtual_time) = (unit, clock);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decide_alike, weighted, Queues};
    use super::*;
    use crate::units::{Duration, Rate};

    /// A link of 8 kbit/s, on which a packet of 100 bytes takes 100 ms.
    fn stfq(weights: &[u32]) -> Stfq<u64> {
        Stfq::new(&Parameters {}, &weighted(weights), Rate::from_bps(8_000)).expect("small weights fit")
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn starts_grow_by_size_over_weight() {
        // Starts in bytes / weight: 0, 300, 600 against 0, 200, 400, 600; ties go to the first class.
        let mut it = stfq(&[1, 2]);
        let mut queues = Queues(vec![(3, 300), (4, 400)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 7), [0, 1, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn a_class_of_small_weight_is_early_where_self_clocking_makes_it_wait_for_its_finish() {
        // With a tenth of the weight, the first packet starts at 0 and finishes at 1000: self-clocking would send it last.
        let mut it = stfq(&[9, 1]);
        let mut queues = Queues(vec![(9, 100), (1, 100)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 10), [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_class_that_comes_back_counts_from_the_start_of_the_packet_in_service() {
        let mut it = stfq(&[1, 1]);
        let mut queues = Queues(vec![(0, 100), (9, 100)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 4), [1; 4]);
        queues.0[0].0 = 3;
        it.on_backlog(Time::ZERO, 0, &queues.states());
        // The packet in service started at 300. So the packets of its class start at 300, 400, 500 and the packets of the other class at
        // 400, 500, 600.
        assert_eq!(queues.send(&mut it, 6), [0, 0, 1, 0, 1, 1]);
    }

    #[test]
    fn a_class_that_was_served_has_its_debt_until_the_port_is_idle() {
        for (back, first) in [(99, 1), (100, 0)] {
            let mut it = stfq(&[1, 1]);
            let mut queues = Queues(vec![(1, 100), (0, 100)]);
            queues.announce(&mut it);
            queues.send(&mut it, 1);
            // Both classes get packets, the first class before the second. While its packet is on the wire, the first class starts at 100
            // and the other at 0, the start of that packet; afterwards both start at 0.
            for class in [0, 1] {
                queues.0[class].0 = 1;
                it.on_backlog(ms(back), class, &queues.states());
            }
            assert_eq!(it.next(ms(100), &queues.states()), Turn::Queue(first), "back after {back} ms");
        }
    }

    #[test]
    fn a_dropped_head_leaves_its_start_to_its_successor() {
        let mut it = stfq(&[1, 1]);
        let mut queues = Queues(vec![(2, 100), (2, 100)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 1), [0]);
        queues.0[1].0 = 1;
        it.on_drop(ms(50), 1, 100, &queues.states());
        assert_eq!(queues.send(&mut it, 2), [1, 0]);
    }

    #[test]
    fn tags_that_are_set_back_decide_alike() {
        let weights = weighted(&[3, 1, 2]);
        let mut narrow = Stfq::<u64>::new(&Parameters {}, &weights, Rate::from_bps(8_000)).expect("small weights fit");
        let mut wide = Stfq::<u128>::new(&Parameters {}, &weights, Rate::from_bps(8_000)).expect("they always fit");
        // 10,000 packets before all tags are set back. A packet waits, so that the first packet does not restart the tags.
        for it in [&mut narrow as &mut dyn Scheduler, &mut wide] {
            let one = QueueState { packets: 1, bytes: 100, head: 100 };
            it.on_backlog(Time::ZERO, 0, &[one, QueueState::default(), QueueState::default()]);
        }
        let soon = u64::FAR - 10_000 * 750 * narrow.heads.all().next().expect("a class").cost;
        narrow.virtual_time = soon - soon % 256;
        decide_alike(&mut narrow, &mut wide, 20_000);
        assert!(narrow.virtual_time < soon);
    }
}
