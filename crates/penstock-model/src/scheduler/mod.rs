//! Schedulers decide which queue of a port sends next when the wire is free.
//!
//! A scheduler sees the backlog of each queue. It may answer that nothing may be sent before some time. A [`tree::Tree`] of schedulers is
//! itself a scheduler. If a scheduler declares so in its [`Hooks`], it also classifies packets, decides on arrivals and on heads, and has a
//! timer.

pub mod cake;
pub mod cbq;
pub mod class;
mod class_set;
pub mod drr;
pub mod dualpi2;
pub mod ets;
mod facts;
pub mod fifo;
mod flow_queues;
pub mod fq_codel;
pub mod fq_pie;
pub mod htb;
mod idle;
pub mod priority;
pub mod scfq;
pub mod sfq;
pub mod stfq;
mod tags;
#[cfg(test)]
mod testing;
pub mod traffic;
pub mod tree;
mod weights;
pub mod wf2q_plus;
pub mod wrr;

pub use crate::queue_state::QueueState;
pub use facts::{ClassContext, ClassFacts, Loan, SchedulerContext, SchedulerFacts, Schedulers};

use crate::discipline::{DepartureVerdict, Eviction, Verdict};
use crate::packet::Packet;
use crate::probe::{Probe, ReportVariable};
use crate::units::{Duration, Time};
use class::ClassPlan;
use dyn_clone::DynClone;
use facts::HasFacts;
use std::any::Any;

/// Builds a scheduler: the narrow type if it can hold the classes and their parameters, otherwise the wide one.
macro_rules! build {
    ($variant:ident, $scheduler:ty, $parameters:ident, $classes:ident, $context:ident) => {
        AnyScheduler::$variant(<$scheduler>::new($parameters, $classes, $context))
    };
    ($variant:ident, $scheduler:ty, $parameters:ident, $classes:ident, $context:ident, $wide:ty) => {
        match <$scheduler>::new($parameters, $classes, $context.clone()) {
            Some(it) => AnyScheduler::$variant(it),
            None => AnyScheduler::Custom(Box::new(<$wide>::new($parameters, $classes, $context).expect("the wide type holds any classes"))),
        }
    };
}

/// Generates the plan, the running scheduler and the dispatch between them from the list below.
macro_rules! schedulers {
    ($( $name:literal => $variant:ident($scheduler:ty, $parameters:ty) $(or $wide:ty)?, )*) => {
        crate::component_plans! {
            /// A scheduler with its parameters, as a scenario gives it.
            pub enum SchedulerPlan of "scheduler" open Schedulers { $( $name => $variant($parameters) shows <$scheduler>::STATE, )* }
        }

        impl SchedulerPlan {
            /// Properties that follow from the parameters alone, before the scheduler is built.
            pub fn facts(&self) -> SchedulerFacts {
                match self {
                    $( SchedulerPlan::$variant(parameters) => parameters.facts(), )*
                    SchedulerPlan::Custom(it) => it.facts(),
                }
            }

            /// Properties of one of its classes.
            pub fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
                match self {
                    $( SchedulerPlan::$variant(parameters) => parameters.class_facts(class), )*
                    SchedulerPlan::Custom(_) => ClassFacts::default(),
                }
            }

            /// Checks requirements on all classes together.
            ///
            /// # Errors
            /// The mistake of the classes together, or the reason why the factory of a plug-in refuses them.
            pub fn check_classes(&self, classes: &[ClassPlan]) -> Result<(), String> {
                match self {
                    $( SchedulerPlan::$variant(parameters) => parameters.check_classes(classes), )*
                    SchedulerPlan::Custom(it) => it.check_classes(classes),
                }
            }
        }

        /// A running scheduler. `Custom` holds plug-ins, and the wide types of the list below.
        #[allow(missing_docs)] // a variant is documented by its component
        #[repr(u8)] // an explicit tag is read faster than one hidden in a field of a variant
        #[derive(Clone)]
        pub enum AnyScheduler {
            $( $variant($scheduler), )*
            Tree(Box<tree::Tree>),
            Custom(Box<dyn Scheduler + Send>),
        }

        impl AnyScheduler {
            /// Builds the scheduler that `plan` describes for a port, over `classes` in its order. It is a tree if classes have schedulers
            /// of their own.
            pub fn new(plan: &SchedulerPlan, classes: &[ClassPlan], context: impl Into<SchedulerContext>) -> AnyScheduler {
                let context = context.into();
                if classes.iter().any(|class| class.below.is_some()) {
                    return AnyScheduler::Tree(Box::new(tree::Tree::new(plan, classes, &context)));
                }
                AnyScheduler::flat(plan, classes, context)
            }

            /// Builds the scheduler alone, without the schedulers of its classes.
            fn flat(plan: &SchedulerPlan, classes: &[ClassPlan], context: SchedulerContext) -> AnyScheduler {
                match plan {
                    $( SchedulerPlan::$variant(parameters) => build!($variant, $scheduler, parameters, classes, context $(, $wide)?), )*
                    SchedulerPlan::Custom(it) => AnyScheduler::Custom(it.build(&ClassContext { classes, site: context.site, framing: context.framing }).1),
                }
            }
        }

        impl AnyScheduler {
            /// Adopts the changeable parameters of `plan` and of `classes`, in its order, from `now` on.
            pub fn change(&mut self, now: Time, plan: &SchedulerPlan, classes: &[ClassPlan], queues: &[QueueState]) {
                let parameters = plan.own_parameters();
                let other = match self {
                    AnyScheduler::Tree(it) => return it.change(now, plan, classes),
                    _ if !plan.changes_alone(classes) => None,
                    $( AnyScheduler::$variant(it) => it.change(now, parameters, classes, queues), )*
                    AnyScheduler::Custom(it) => it.change(now, parameters, classes, queues),
                };
                if let Some(other) = other {
                    *self = AnyScheduler::Custom(other);
                }
            }

            /// Calls `callee` with the scheduler in its own type.
            #[inline(always)]
            pub fn dispatch<D: Dispatch>(&mut self, callee: D) {
                match self {
                    $( AnyScheduler::$variant(it) => callee.call(it), )*
                    AnyScheduler::Tree(it) => callee.call(&mut **it),
                    AnyScheduler::Custom(it) => callee.call(&mut **it),
                }
            }
        }

        impl Probe for AnyScheduler {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    $( AnyScheduler::$variant(it) => it.probe(now, report), )*
                    AnyScheduler::Tree(it) => it.probe(now, report),
                    AnyScheduler::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl Scheduler for AnyScheduler {
            #[inline]
            fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
                match self {
                    $( AnyScheduler::$variant(it) => it.next(now, queues), )*
                    AnyScheduler::Tree(it) => it.next(now, queues),
                    AnyScheduler::Custom(it) => it.next(now, queues),
                }
            }

            fn next_by_heads(&mut self, now: Time, queues: &[QueueState], head_since: HeadTimes<'_>) -> Turn {
                match self {
                    $( AnyScheduler::$variant(it) => it.next_by_heads(now, queues, head_since), )*
                    AnyScheduler::Tree(it) => it.next_by_heads(now, queues, head_since),
                    AnyScheduler::Custom(it) => it.next_by_heads(now, queues, head_since),
                }
            }

            #[inline]
            fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_backlog(now, queue, queues), )*
                    AnyScheduler::Tree(it) => it.on_backlog(now, queue, queues),
                    AnyScheduler::Custom(it) => it.on_backlog(now, queue, queues),
                }
            }

            #[inline]
            fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_sent(now, queue, size, queues), )*
                    AnyScheduler::Tree(it) => it.on_sent(now, queue, size, queues),
                    AnyScheduler::Custom(it) => it.on_sent(now, queue, size, queues),
                }
            }

            #[inline]
            fn on_packet(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_packet(now, queue, queues), )*
                    AnyScheduler::Tree(it) => it.on_packet(now, queue, queues),
                    AnyScheduler::Custom(it) => it.on_packet(now, queue, queues),
                }
            }

            #[inline]
            fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_head_change(queue, queues), )*
                    AnyScheduler::Tree(it) => it.on_head_change(queue, queues),
                    AnyScheduler::Custom(it) => it.on_head_change(queue, queues),
                }
            }

            fn on_drop(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_drop(now, queue, size, queues), )*
                    AnyScheduler::Tree(it) => it.on_drop(now, queue, size, queues),
                    AnyScheduler::Custom(it) => it.on_drop(now, queue, size, queues),
                }
            }

            fn hooks(&self) -> Hooks {
                match self {
                    $( AnyScheduler::$variant(it) => it.hooks(), )*
                    AnyScheduler::Tree(it) => it.hooks(),
                    AnyScheduler::Custom(it) => it.hooks(),
                }
            }

            fn classify(&mut self, now: Time, packet: &Packet) -> usize {
                match self {
                    $( AnyScheduler::$variant(it) => it.classify(now, packet), )*
                    AnyScheduler::Tree(it) => it.classify(now, packet),
                    AnyScheduler::Custom(it) => it.classify(now, packet),
                }
            }

            fn on_arrival(&mut self, now: Time, packet: &Packet, queue: usize, queues: &[QueueState]) -> Verdict {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_arrival(now, packet, queue, queues), )*
                    AnyScheduler::Tree(it) => it.on_arrival(now, packet, queue, queues),
                    AnyScheduler::Custom(it) => it.on_arrival(now, packet, queue, queues),
                }
            }

            fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: usize, queues: &[QueueState]) -> DepartureVerdict {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_departure(now, packet, waited, queue, queues), )*
                    AnyScheduler::Tree(it) => it.on_departure(now, packet, waited, queue, queues),
                    AnyScheduler::Custom(it) => it.on_departure(now, packet, waited, queue, queues),
                }
            }

            fn next_deadline(&self) -> Time {
                match self {
                    $( AnyScheduler::$variant(it) => it.next_deadline(), )*
                    AnyScheduler::Tree(it) => it.next_deadline(),
                    AnyScheduler::Custom(it) => it.next_deadline(),
                }
            }

            fn on_timer(&mut self, now: Time, head_since: HeadTimes<'_>) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_timer(now, head_since), )*
                    AnyScheduler::Tree(it) => it.on_timer(now, head_since),
                    AnyScheduler::Custom(it) => it.on_timer(now, head_since),
                }
            }

            fn loan(&self, now: Time, class: usize, above: Option<Loan>) -> Option<Loan> {
                match self {
                    $( AnyScheduler::$variant(it) => it.loan(now, class, above), )*
                    AnyScheduler::Tree(it) => it.loan(now, class, above),
                    AnyScheduler::Custom(it) => it.loan(now, class, above),
                }
            }

            fn next_with_loan(&mut self, now: Time, queues: &[QueueState], is_paid: &[bool], above: Option<Loan>) -> (Turn, bool) {
                match self {
                    $( AnyScheduler::$variant(it) => it.next_with_loan(now, queues, is_paid, above), )*
                    AnyScheduler::Tree(it) => it.next_with_loan(now, queues, is_paid, above),
                    AnyScheduler::Custom(it) => it.next_with_loan(now, queues, is_paid, above),
                }
            }

            fn over_limit(&mut self, queues: &[QueueState]) -> Option<Eviction> {
                match self {
                    $( AnyScheduler::$variant(it) => it.over_limit(queues), )*
                    AnyScheduler::Tree(it) => it.over_limit(queues),
                    AnyScheduler::Custom(it) => it.over_limit(queues),
                }
            }

            fn redundant(&mut self, packet: &Packet, earlier: Earlier<'_>) -> Option<u32> {
                match self {
                    $( AnyScheduler::$variant(it) => it.redundant(packet, earlier), )*
                    AnyScheduler::Tree(it) => it.redundant(packet, earlier),
                    AnyScheduler::Custom(it) => it.redundant(packet, earlier),
                }
            }

            fn on_idle(&mut self) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_idle(), )*
                    AnyScheduler::Tree(it) => it.on_idle(),
                    AnyScheduler::Custom(it) => it.on_idle(),
                }
            }

            #[inline]
            fn reads_heads(&self) -> bool {
                match self {
                    $( AnyScheduler::$variant(it) => it.reads_heads(), )*
                    AnyScheduler::Tree(it) => it.reads_heads(),
                    AnyScheduler::Custom(it) => it.reads_heads(),
                }
            }
        }
    };
}

schedulers! {
    "fifo" => Fifo(fifo::Fifo, fifo::Parameters),
    "priority" => Priority(priority::Priority, priority::Parameters) or priority::GeneralPriority,
    "wrr" => Wrr(wrr::Wrr, wrr::Parameters),
    "drr" => Drr(drr::Drr, drr::Parameters),
    "scfq" => Scfq(scfq::Scfq<u64>, scfq::Parameters) or scfq::Scfq<u128>,
    "stfq" => Stfq(stfq::Stfq<u64>, stfq::Parameters) or stfq::Stfq<u128>,
    "wf2q-plus" => Wf2qPlus(wf2q_plus::Wf2qPlus<u64>, wf2q_plus::Parameters) or wf2q_plus::Wf2qPlus<u128>,
    "fq-codel" => FqCodel(fq_codel::FqCodel, fq_codel::Parameters),
    "dualpi2" => Dualpi2(dualpi2::DualPi2, dualpi2::Parameters),
    "htb" => Htb(htb::Htb, htb::Parameters),
    "cbq" => Cbq(cbq::Cbq<1>, cbq::Parameters) or cbq::Cbq<4>,
    "ets" => Ets(ets::Ets, ets::Parameters),
    "sfq" => Sfq(sfq::Sfq, sfq::Parameters),
    "fq-pie" => FqPie(fq_pie::FqPie, fq_pie::Parameters),
    "cake" => Cake(cake::Cake, cake::Parameters),
}

/// Decision of a scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This queue sends its head.
    Queue(usize),
    /// Nothing may be sent now. Ask again at this later time, or after an arrival.
    NotBefore(Time),
}

/// Set of the optional calls of a [`Scheduler`] that its decisions need. Undeclared calls are not made and cost nothing: only a port whose
/// scheduler declares none may run the loop that is compiled for each scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hooks(u8);

impl Hooks {
    /// No optional calls.
    pub const NONE: Hooks = Hooks(0);
    /// [`Scheduler::classify`]: the scheduler creates queues as packets arrive; otherwise there is one per class.
    pub const QUEUES: Hooks = Hooks(1);
    /// [`Scheduler::on_arrival`].
    pub const ARRIVAL: Hooks = Hooks(2);
    /// [`Scheduler::on_departure`].
    pub const DEPARTURE: Hooks = Hooks(4);
    /// [`Scheduler::next_deadline`] and [`Scheduler::on_timer`].
    pub const TIMER: Hooks = Hooks(8);
    /// [`Scheduler::over_limit`]. Not in a tree.
    pub const LIMIT: Hooks = Hooks(16);
    /// [`Scheduler::redundant`]. Not in a tree.
    pub const FILTER: Hooks = Hooks(32);
    /// [`Scheduler::next_by_heads`]. Not in a tree.
    pub const HEAD_TIMES: Hooks = Hooks(64);

    /// Union of both sets.
    pub const fn and(self, others: Hooks) -> Hooks {
        Hooks(self.0 | others.0)
    }

    /// Whether this set contains all of `others`.
    #[inline]
    pub const fn has(self, others: Hooks) -> bool {
        self.0 & others.0 == others.0
    }
}

/// Arrival time of the head of each queue, by the queue's number; `None` if the queue is empty.
pub type HeadTimes<'a> = &'a dyn Fn(usize) -> Option<Time>;

/// Packets of a queue that arrived before its last one, from the head on.
pub type Earlier<'a> = &'a mut dyn Iterator<Item = &'a Packet>;

/// A scheduler.
pub trait Scheduler: Probe + DynClone {
    /// Selects the queue that sends next. Called while the wire is free and a queue has a packet. The selected packet need not be sent: the
    /// call may be repeated, with the same result unless time passes or packets arrive.
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn;

    /// Same as [`Scheduler::next`], for a scheduler that compares the waiting times of heads; `head_since` returns the arrival time of the
    /// head of a queue. Needs [`Hooks::HEAD_TIMES`].
    fn next_by_heads(&mut self, now: Time, queues: &[QueueState], head_since: HeadTimes<'_>) -> Turn {
        let _ = head_since;
        self.next(now, queues)
    }

    /// Reports that `queue`, which was empty, has a packet; `queues` includes it.
    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        let _ = (now, queue, queues);
    }

    /// Reports that `queue` has another packet; `queues` includes it. A scheduler that does the same for every packet overrides this call,
    /// which saves the test.
    #[inline]
    fn on_packet(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        if queues[queue].packets == 1 {
            self.on_backlog(now, queue, queues);
        }
    }

    /// Reports that a packet of `size` bytes of `queue`, which [`Scheduler::next`] has selected, begins its transmission; `queues` no
    /// longer includes it.
    #[inline]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let _ = (now, queue, size, queues);
    }

    /// Reports that `queue`, which had a packet, has another head or none, although nothing was sent. The queue is a class with a scheduler
    /// of its own, which has changed its decision or holds all packets back.
    #[inline]
    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        let _ = (queue, queues);
    }

    /// Reports that a packet of `size` bytes that waited anywhere in `queue` was dropped; `queues` no longer includes it.
    #[inline]
    fn on_drop(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let _ = (now, size);
        self.on_head_change(queue, queues);
    }

    /// Loan to the classes below `class`, in a tree where some classes [lend](SchedulerFacts::lends). `above` is the loan of the schedulers
    /// above; `None` if none lends. A scheduler that does not lend passes it on.
    fn loan(&self, now: Time, class: usize, above: Option<Loan>) -> Option<Loan> {
        let _ = (now, class);
        above
    }

    /// Same as [`Scheduler::next`], for a scheduler that [lends](SchedulerFacts::lends). `is_paid` says for each queue whether a class
    /// below pays for its head. The second result says whether a class of this scheduler or below pays for the head of the selected queue.
    fn next_with_loan(&mut self, now: Time, queues: &[QueueState], is_paid: &[bool], above: Option<Loan>) -> (Turn, bool) {
        let _ = (is_paid, above);
        (self.next(now, queues), false)
    }

    /// Whether the scheduler reads [`QueueState::head`]; otherwise that field need not be correct.
    #[inline]
    fn reads_heads(&self) -> bool {
        true
    }

    /// Optional calls that the scheduler uses.
    fn hooks(&self) -> Hooks {
        Hooks::NONE
    }

    /// Queue of an arrival, by its flow, its codepoint or any other field. Creates the queue if it does not exist. Needs [`Hooks::QUEUES`].
    fn classify(&mut self, now: Time, packet: &Packet) -> usize {
        let _ = (now, packet);
        0
    }

    /// Decides on `packet`, which arrives for `queue`, before the discipline of the queue decides. Returns [`Verdict::Accept`] or
    /// [`Verdict::Drop`]. Needs [`Hooks::ARRIVAL`].
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: usize, queues: &[QueueState]) -> Verdict {
        let _ = (now, packet, queue, queues);
        Verdict::Accept
    }

    /// Decides on `packet`, the head of `queue`, which has `waited` and whose transmission could begin at `now`, once the discipline of the
    /// queue sends it; `queues` still includes it. Needs [`Hooks::DEPARTURE`].
    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: usize, queues: &[QueueState]) -> DepartureVerdict {
        let _ = (now, packet, waited, queue, queues);
        DepartureVerdict::Send
    }

    /// Time of the next call of [`Scheduler::on_timer`]. Only the timer itself, or an arrival that has been queued, may change it. Needs
    /// [`Hooks::TIMER`].
    fn next_deadline(&self) -> Time {
        Time::NEVER
    }

    /// Handles the deadline; `head_since` returns the arrival time of the head of a queue. The next deadline must be later.
    fn on_timer(&mut self, now: Time, head_since: HeadTimes<'_>) {
        let _ = (now, head_since);
    }

    /// Packet to drop because the backlog exceeds the limit, such as one of the longest queue; it may be the arrival itself. Called after
    /// each arrival has been queued, until it returns `None`. Needs [`Hooks::LIMIT`].
    fn over_limit(&mut self, queues: &[QueueState]) -> Option<Eviction> {
        let _ = queues;
        None
    }

    /// Position of an `earlier` packet that `packet`, the last of its queue, makes redundant, such as an acknowledgement. That packet is
    /// dropped ([`DropCause::Filtered`](crate::discipline::DropCause::Filtered)). Called after each arrival has been queued. Needs
    /// [`Hooks::FILTER`].
    fn redundant(&mut self, packet: &Packet, earlier: Earlier<'_>) -> Option<u32> {
        let _ = (packet, earlier);
        None
    }

    /// Adopts new values of changeable parameters, for itself and for its classes, from `now` on, and keeps its state; `parameters` are
    /// of the type that it declares (see [`own`](crate::parameters::own)). Called at each change of parameters of its port, even if its own
    /// do not change, after all else at this instant. If packets wait and the wire is free, the port then asks again which queue sends
    /// next. [`Scheduler::hooks`] must not depend on these parameters. Returns a scheduler that replaces this one if this one cannot hold
    /// the new values.
    fn change(
        &mut self,
        now: Time,
        parameters: &dyn Any,
        classes: &[ClassPlan],
        queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        let _ = (now, parameters, classes, queues);
        panic!("a scheduler with changeable parameters takes them");
    }

    /// Reports that the wire has become free and nothing has waited since; a packet is about to arrive. Needs [`Hooks::QUEUES`]: schedulers
    /// over classes do not get this call. They compute the end of their last transmission if they need it: see [`stfq`].
    fn on_idle(&mut self) {}
}

dyn_clone::clone_trait_object!(Scheduler);

/// Code that is compiled for each type of scheduler, so that a loop does not dispatch on the type at each step.
pub trait Dispatch {
    /// Runs with the scheduler.
    fn call<S: Scheduler + ?Sized>(self, scheduler: &mut S);
}
