//! Strict priority.

use super::class::{ClassPlan, Exceeding, RateLimit};
use super::class_set::ClassSet;
use super::{ClassFacts, HasFacts, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::meter::bucket::Bucket;
use crate::parameters::Check;
use crate::probe::{Probe, ReportVariable, Variable};
use crate::units::{Bytes, Time};
use std::any::Any;

crate::parameters! {
    /// Strict priority: the first queue that has a packet sends, without preemption.
    ///
    /// ## Decides
    /// Queues are served in the order of `order`; a packet in service is finished before a more urgent one starts. A class may have
    /// a `rate-limit`, a token bucket from which a packet of the class takes its size when its transmission starts. If the bucket
    /// holds too little for the packet at the head, `exceeding` decides. With `waits`, the class waits for tokens, even if the wire
    /// is idle. With `goes-last`, it is served when no class within its limit has packets, in the order of `order` and without
    /// taking tokens. A limited class thus sends at most burst + rate x t ahead of the others in any time t.
    ///
    /// ## State
    /// The exact levels of the buckets. The cost per decision grows with the number of queues if a class has a limit or there are more
    /// than 64 classes; otherwise it is constant.
    ///
    /// ## Departures
    /// A packet larger than the burst of its limit waits for a full bucket and empties it; otherwise it would wait forever.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.priority = { order = ["ef", "default"] }
    /// class.ef.rate-limit = { rate = "450 kbit/s", burst = "3 kB" }
    /// ```
    ///
    /// ## References
    /// [Cobham54] for the mean waits; RFC 3246 s2.2 for its use as an Expedited Forwarding scheduler, and RFC 2598 s2.2 for
    /// the limit that keeps it from starving others.
    pub struct Parameters with class ClassParameters {
        /// The classes, the most urgent first; each class of the port once.
        order: Vec<ClassName>;
    }
}
impl Check for Parameters {}

crate::parameters! {
    /// A class of strict priority.
    pub struct ClassParameters {
        /// Limit of the traffic that it may send ahead of others.
        rate_limit: Option<RateLimit>, changeable;
    }
}
impl Check for ClassParameters {}

impl ClassParameters {
    fn limit_of(class: &ClassPlan) -> Option<&RateLimit> {
        class.parameters().and_then(|class: &ClassParameters| class.rate_limit.as_ref())
    }
}

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        let order = self.order.iter().map(|class| class.0.clone()).collect();
        SchedulerFacts { class_order: Some(("order", order)), ..SchedulerFacts::default() }
    }

    fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
        ClassFacts { rate_limit: ClassParameters::limit_of(class).cloned(), ..ClassFacts::default() }
    }
}

pub use crate::parameters::ClassName;

/// State of strict priority among at most 64 classes without limits.
#[derive(Clone, Debug)]
pub struct Priority {
    /// Queues that have packets.
    waiting: ClassSet<1>,
}

impl Priority {
    /// State variables that it reports.
    pub const STATE: &'static [Variable] = GeneralPriority::STATE;

    /// Priority among `classes`, the most urgent first; `None` if there are more than 64 or one has a limit, which requires
    /// [`GeneralPriority`].
    pub fn new(_: &Parameters, classes: &[ClassPlan], _: impl Into<SchedulerContext>) -> Option<Priority> {
        let is_limited = classes.iter().any(|class| ClassParameters::limit_of(class).is_some());
        (!is_limited && ClassSet::<1>::fits(classes.len())).then_some(Priority { waiting: ClassSet::NONE })
    }
}

impl Probe for Priority {
    fn probe(&self, _now: Time, _report: &mut ReportVariable<'_>) {}
}

impl Scheduler for Priority {
    #[inline]
    fn next(&mut self, _now: Time, _queues: &[QueueState]) -> Turn {
        Turn::Queue(self.waiting.first().expect("asked only while a queue has a packet"))
    }

    #[inline]
    fn on_backlog(&mut self, _now: Time, queue: usize, _queues: &[QueueState]) {
        self.waiting.set(queue, true);
    }

    #[inline]
    fn on_packet(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        self.on_backlog(now, queue, queues);
    }

    #[inline]
    fn on_sent(&mut self, _now: Time, queue: usize, _size: u32, queues: &[QueueState]) {
        self.on_head_change(queue, queues);
    }

    #[inline]
    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        self.waiting.set(queue, queues[queue].packets > 0);
    }

    /// Changes nothing: no class has a limit, and none can get one during a run.
    fn change(
        &mut self,
        _now: Time,
        _parameters: &dyn Any,
        _classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        None
    }

    #[inline]
    fn reads_heads(&self) -> bool {
        false
    }
}

/// State of strict priority among any number of classes, with or without limits.
#[derive(Clone, Debug)]
pub struct GeneralPriority {
    /// Limit of each queue.
    limits: Vec<Option<Limit>>,
}

#[derive(Clone, Debug)]
struct Limit {
    bucket: Bucket,
    exceeding: Exceeding,
}

impl GeneralPriority {
    /// Priority among `classes`, the most urgent first; never `None`.
    pub fn new(_: &Parameters, classes: &[ClassPlan], _: impl Into<SchedulerContext>) -> Option<GeneralPriority> {
        let limit = |limit: &RateLimit| Limit { bucket: limit.bucket(), exceeding: limit.exceeding };
        Some(GeneralPriority { limits: classes.iter().map(|class| ClassParameters::limit_of(class).map(limit)).collect() })
    }
}

crate::state! {
    impl GeneralPriority, |it, now| {
        /// Level of the bucket of each class with a rate limit.
        "rate-limit-fill", "bit", each it.limits.iter().map(|limit| limit.as_ref().map_or(f64::NAN, |limit| limit.bucket.bits(now)));
    }
}

impl Scheduler for GeneralPriority {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        let (mut exceeding, mut earliest) = (None, Time::NEVER);
        for (i, queue) in queues.iter().enumerate().filter(|(_, queue)| queue.packets > 0) {
            let Some(limit) = &self.limits[i] else { return Turn::Queue(i) };
            let ready = limit.bucket.ready(now, Bytes::new(u64::from(queue.head)));
            match limit.exceeding {
                _ if ready <= now => return Turn::Queue(i),
                Exceeding::Waits => earliest = earliest.min(ready),
                Exceeding::GoesLast => exceeding = exceeding.or(Some(i)),
            }
        }
        exceeding.map_or(Turn::NotBefore(earliest), Turn::Queue)
    }

    fn on_sent(&mut self, now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        if let Some(limit) = &mut self.limits[queue] {
            limit.bucket.spend(now, Bytes::new(u64::from(size)));
        }
    }

    fn change(
        &mut self,
        now: Time,
        _parameters: &dyn Any,
        classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        for (limit, class) in self.limits.iter_mut().zip(classes) {
            if let (Some(limit), Some(plan)) = (limit, ClassParameters::limit_of(class)) {
                limit.bucket.change(now, plan.rate, plan.burst);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::parameters::AnyParameters;
    use crate::scheduler::{AnyScheduler, SchedulerPlan};
    use crate::units::{Duration, Rate};

    fn queue(packets: u32) -> QueueState {
        QueueState { packets, bytes: 100 * u64::from(packets), head: if packets > 0 { 100 } else { 0 } }
    }

    fn limited(exceeding: &str) -> ClassPlan {
        let rate_limit = read::<RateLimit>(&["rate = 8 kbit/s", "burst = 150 bytes", exceeding]).expect("sound");
        ClassPlan { parameters: Some(AnyParameters::new(ClassParameters { rate_limit: Some(rate_limit) })), ..ClassPlan::default() }
    }

    fn general_priority(plans: &[ClassPlan]) -> GeneralPriority {
        GeneralPriority::new(&Parameters { order: Vec::new() }, plans, Rate::from_bps(1_000_000)).expect("any classes")
    }

    /// Two classes; the first has a limit of a byte per millisecond.
    fn priority(exceeding: &str) -> GeneralPriority {
        general_priority(&[limited(exceeding), ClassPlan::default()])
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn the_first_backlogged_queue_sends() {
        let plans = [ClassPlan::default(), ClassPlan::default(), ClassPlan::default()];
        let order = || Parameters { order: Vec::new() };
        sends_the_first_backlogged(Priority::new(&order(), &plans, Rate::from_bps(1_000_000)).expect("no limits"));
        sends_the_first_backlogged(general_priority(&plans));
    }

    fn sends_the_first_backlogged(mut it: impl Scheduler) {
        it.on_backlog(Time::ZERO, 1, &[queue(0), queue(2), queue(0)]);
        it.on_backlog(Time::ZERO, 2, &[queue(0), queue(2), queue(1)]);
        assert_eq!(it.next(Time::ZERO, &[queue(0), queue(2), queue(1)]), Turn::Queue(1));
        it.on_backlog(Time::ZERO, 0, &[queue(1), queue(2), queue(1)]);
        assert_eq!(it.next(Time::ZERO, &[queue(1), queue(2), queue(1)]), Turn::Queue(0));
        it.on_sent(Time::ZERO, 0, 100, &[queue(0), queue(2), queue(1)]);
        it.on_sent(Time::ZERO, 1, 100, &[queue(0), queue(1), queue(1)]);
        assert_eq!(it.next(Time::ZERO, &[queue(0), queue(1), queue(1)]), Turn::Queue(1));
        it.on_sent(Time::ZERO, 1, 100, &[queue(0), queue(0), queue(1)]);
        assert_eq!(it.next(Time::ZERO, &[queue(0), queue(0), queue(1)]), Turn::Queue(2));
    }

    #[test]
    fn limits_or_more_than_64_classes_need_the_general_type() {
        let build = |plans: &[ClassPlan]| Priority::new(&Parameters { order: Vec::new() }, plans, Rate::from_bps(1_000_000));
        let plans = vec![ClassPlan::default(); 100];
        assert!(build(&plans).is_none() && build(&plans[..64]).is_some() && build(&[limited("exceeding = waits")]).is_none());
        let mut many = vec![queue(0); 100];
        many[80] = queue(1);
        assert_eq!(general_priority(&plans).next(Time::ZERO, &many), Turn::Queue(80));
    }

    /// This happens when the discipline of a class gets other parameters.
    #[test]
    fn a_change_without_limits_changes_nothing() {
        let class = ClassPlan { parameters: Some(AnyParameters::new(ClassParameters { rate_limit: None })), ..ClassPlan::default() };
        let plan = SchedulerPlan::Priority(Parameters { order: Vec::new() });
        let mut it = AnyScheduler::new(&plan, &[class.clone(), class.clone()], Rate::from_bps(1_000_000));
        it.on_backlog(Time::ZERO, 1, &[queue(0), queue(1)]);
        it.change(ms(1), &plan, &[class.clone(), class], &[queue(0), queue(1)]);
        assert_eq!(it.next(ms(1), &[queue(0), queue(1)]), Turn::Queue(1));
    }

    #[test]
    fn a_class_beyond_its_limit_waits_while_others_send() {
        let mut it = priority("exceeding = waits");
        assert_eq!(it.next(ms(0), &[queue(2), queue(1)]), Turn::Queue(0));
        it.on_sent(ms(0), 0, 100, &[queue(1), queue(1)]);
        // 50 tokens are left; the other 50 come within 50 ms.
        assert_eq!(it.next(ms(1), &[queue(1), queue(1)]), Turn::Queue(1));
        assert_eq!(it.next(ms(2), &[queue(1), queue(0)]), Turn::NotBefore(ms(50)));
        assert_eq!(it.next(ms(50), &[queue(1), queue(1)]), Turn::Queue(0));
    }

    #[test]
    fn or_goes_last_and_takes_no_tokens() {
        let mut it = priority("exceeding = goes-last");
        it.on_sent(ms(0), 0, 100, &[queue(2), queue(1)]);
        assert_eq!(it.next(ms(1), &[queue(1), queue(1)]), Turn::Queue(1));
        assert_eq!(it.next(ms(2), &[queue(1), queue(0)]), Turn::Queue(0));
        it.on_sent(ms(2), 0, 100, &[queue(1), queue(0)]);
        assert_eq!(it.next(ms(50), &[queue(1), queue(1)]), Turn::Queue(0), "the bucket has filled on");
    }

    #[test]
    fn several_that_exceed_go_last_in_their_order() {
        let plans =
            [limited("exceeding = waits"), limited("exceeding = goes-last"), limited("exceeding = goes-last"), ClassPlan::default()];
        let mut it = general_priority(&plans);
        // Each has sent 100 of 150 bytes, so none has enough for another packet.
        (0..3).for_each(|i| it.on_sent(ms(0), i, 100, &[queue(2), queue(2), queue(2), queue(1)]));
        let mut next = |packets: [u32; 4]| it.next(ms(1), &packets.map(queue));
        assert_eq!(next([1, 1, 1, 1]), Turn::Queue(3), "classes within their limit, or without one, go first");
        assert_eq!(next([1, 1, 1, 0]), Turn::Queue(1));
        assert_eq!(next([1, 0, 1, 0]), Turn::Queue(2));
        assert_eq!(next([1, 0, 0, 0]), Turn::NotBefore(ms(50)));
    }

    #[test]
    fn a_packet_larger_than_the_burst_waits_for_a_full_bucket() {
        let mut it = priority("exceeding = waits");
        let large = QueueState { packets: 1, bytes: 200, head: 200 };
        assert_eq!(it.next(ms(0), &[large, queue(0)]), Turn::Queue(0));
        it.on_sent(ms(0), 0, 200, &[queue(1), queue(0)]);
        assert_eq!(it.next(ms(1), &[queue(1), queue(0)]), Turn::NotBefore(ms(100)));
        assert_eq!(it.next(ms(1), &[large, queue(0)]), Turn::NotBefore(ms(150)));
    }
}
