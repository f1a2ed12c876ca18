//! Self-clocked fair queueing.

use super::class::ClassPlan;
use super::tags::{Heads, Tag};
use super::weights::{costs, unit, ClassParameters};
use super::{HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::Check;
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// Self-clocked fair queueing: shares by weight, with the packet in service as the clock.
    ///
    /// ## Decides
    /// The tag of a packet is its size / `weight` plus the larger of two tags: its predecessor's in the class, and the one of the
    /// packet in service at its arrival. The packet with the smallest tag is sent; among equal tags, the packet of the first class.
    /// Compared with exact fair queueing (PGPS), a packet is delayed by at most the transmission of one largest packet of each
    /// other class.
    ///
    /// ## State
    /// A tag per class, and that of the packet in service. The cost per decision grows with the number of classes.
    ///
    /// ## Departures
    /// Tags are integers. They are exact if the least common multiple of the weights is at most 2^32; otherwise the cost of a byte
    /// is rounded to 2^-32, which changes shares by less than one in 10^9. They are not reset when the port is
    /// idle; this does not change the order.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.scfq = {}
    /// class.ef.weight = 3
    /// class.default.weight = 7
    /// ```
    ///
    /// ## References
    /// [Golestani94 s3]; [Goyal97 s2] for how late a packet can be.
    pub struct Parameters with class ClassParameters {}
}
impl Check for Parameters {}

impl HasFacts for Parameters {}

/// State of self-clocked fair queueing.
#[derive(Clone, Debug)]
pub struct Scfq<T> {
    /// Heads of the classes, compared by their finish tags.
    heads: Heads<T>,
    /// Finish tag of the packet in service, or of the last one (v).
    clock: T,
    /// Cost of a byte that all classes share.
    unit: T,
}

impl<T: Tag> Scfq<T> {
    /// Fair queueing among `classes`; `None` if the tags do not fit.
    pub fn new(_: &Parameters, classes: &[ClassPlan], _: impl Into<SchedulerContext>) -> Option<Scfq<T>> {
        let unit = unit(classes);
        Some(Scfq { heads: Heads::new(&costs(unit, classes))?, clock: T::ZERO, unit: T::number(unit)? })
    }
}

crate::state! {
    impl Scfq<T> where [T: Tag], |it, _now| {
        /// For each class with packets, the start tag of its head minus the virtual time, in bytes of that class.
        "lead", "bytes", each it.heads.leads(it.clock);
    }
}

impl<T: Tag> Scheduler for Scfq<T> {
    #[inline]
    fn next(&mut self, _now: Time, _queues: &[QueueState]) -> Turn {
        Turn::Queue(self.heads.smallest(|_| true).expect("asked only while a queue has a packet"))
    }

    #[inline]
    fn on_backlog(&mut self, _now: Time, queue: usize, queues: &[QueueState]) {
        // Later packets of a backlog start at the tag of their predecessor, which is never before the clock.
        self.heads.begin(queue, self.clock, &queues[queue]);
    }

    #[inline]
    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.clock = self.heads.leave(queue, size, &queues[queue]);
        if self.clock > T::FAR {
            self.heads.set_back();
            self.clock = self.clock - T::STEP;
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
        let changed = T::number(unit).and_then(|unit| Some((unit, self.heads.take_costs(&costs, (self.unit, unit), self.clock, queues)?)));
        let Some((unit, clock)) = changed else {
            let mut wide = Scfq { heads: self.heads.wide(), clock: self.clock.wide(), unit: self.unit.wide() };
            wide.change(now, parameters, classes, queues);
            return Some(Box::new(wide));
        };
        (self.unit, self.clock) = (unit, clock);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decide_alike, weighted, Queues};
    use super::*;
    use crate::units::Rate;

    fn scfq(weights: &[u32]) -> Scfq<u64> {
        Scfq::new(&Parameters {}, &weighted(weights), Rate::from_bps(1_000_000)).expect("small weights fit")
    }

    #[test]
    fn tags_grow_by_size_over_weight() {
        // Tags in bytes / weight: 300, 600, 900 against 200, 400, 600, 800; the tie at 600 goes to the first class.
        let mut it = scfq(&[1, 2]);
        let mut queues = Queues(vec![(3, 300), (4, 400)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 7), [1, 0, 1, 0, 1, 1, 0]);
    }

    #[test]
    fn tags_go_on_from_where_they_are_with_other_weights() {
        // As above up to tags of 400 and 600, which count from 200 and 300. In bytes / weight x sum of the weights these are 600 and 900;
        // with weights of 2 and 1 the next tags are 900 + 450, 900 + 900 against 600 + 1200, 600 + 2400.
        let mut it = scfq(&[1, 2]);
        let mut queues = Queues(vec![(3, 300), (4, 400)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 2), [1, 0]);
        assert!(it.change(Time::ZERO, &Parameters {}, &weighted(&[2, 1]), &queues.states()).is_none());
        assert_eq!(queues.send(&mut it, 5), [0, 0, 1, 1, 1]);
    }

    #[test]
    fn a_class_that_comes_back_counts_from_the_packet_in_service() {
        let mut it = scfq(&[1, 1]);
        let mut queues = Queues(vec![(0, 100), (9, 100)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 4), [1; 4]);
        queues.0[0].0 = 3;
        it.on_backlog(Time::ZERO, 0, &queues.states());
        // The tag in service is 400, so the packets of both classes have 500, 600 and 700.
        assert_eq!(queues.send(&mut it, 6), [0, 1, 0, 1, 0, 1]);
    }
    #[test]
    fn a_class_whose_packets_come_one_by_one_gains_nothing() {
        // Weights 1 and 9: a packet of 100 bytes advances the tag of the first class by 1000, even if no other packet follows.
        let mut it = scfq(&[1, 9]);
        let mut queues = Queues(vec![(1, 100), (99, 100)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 10), [1, 1, 1, 1, 1, 1, 1, 1, 0, 1]);
        queues.0[0].0 = 1;
        it.on_backlog(Time::ZERO, 0, &queues.states());
        assert_eq!(queues.send(&mut it, 10), [1, 1, 1, 1, 1, 1, 1, 1, 0, 1]);
    }

    #[test]
    fn tags_that_are_set_back_decide_alike() {
        let weights = weighted(&[3, 1, 2]);
        let mut narrow = Scfq::<u64>::new(&Parameters {}, &weights, Rate::from_bps(8_000)).expect("small weights fit");
        let mut wide = Scfq::<u128>::new(&Parameters {}, &weights, Rate::from_bps(8_000)).expect("they always fit");
        // 10,000 packets before all tags are set back.
        let soon = u64::FAR - 10_000 * 750 * narrow.heads.all().next().expect("a class").cost;
        narrow.clock = soon - soon % 256;
        decide_alike(&mut narrow, &mut wide, 20_000);
        assert!(narrow.clock < soon);
    }
}
