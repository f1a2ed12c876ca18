//! Schedulers decide, when a port's wire is free, which of its queues sends next.
//!
//! A scheduler sees only how much waits in each queue. It may also answer that nothing may be sent before some time, and
//! a [`tree::Tree`] of schedulers is a scheduler itself.

pub mod cbq;
pub mod class;
mod class_set;
pub mod drr;
pub mod fifo;
pub mod fq_codel;
pub mod priority;
pub mod scfq;
pub mod stfq;
mod tags;
#[cfg(test)]
mod testing;
pub mod tree;
mod weights;
pub mod wf2q_plus;
pub mod wrr;

use crate::parameters::Limit;
use crate::probe::{Probe, ReportVariable};
use crate::transmission::WireRate;
use crate::units::Time;
use class::ClassPlan;
use dyn_clone::DynClone;

/// Builds a scheduler: one whose virtual times or classes may not fit 64 bits takes more where it must.
macro_rules! build {
    ($variant:ident, $scheduler:ty, $parameters:ident, $classes:ident, $rate:ident) => {
        AnyScheduler::$variant(<$scheduler>::new($parameters, $classes, $rate))
    };
    ($variant:ident, $scheduler:ty, $parameters:ident, $classes:ident, $rate:ident, $wide:ty) => {
        match <$scheduler>::new($parameters, $classes, $rate) {
            Some(it) => AnyScheduler::$variant(it),
            None => AnyScheduler::Custom(Box::new(<$wide>::new($parameters, $classes, $rate).expect("that fits all that there can be"))),
        }
    };
}

/// Makes the plan, the scheduler at work and the dispatch between them from the list below.
macro_rules! schedulers {
    ($( $name:literal => $variant:ident($scheduler:ty, $parameters:ty) $(or $wide:ty)?, )*) => {
        crate::component_plans! {
            /// A scheduler with its parameters, as a scenario gives it.
            pub enum SchedulerPlan of "scheduler" { $( $name => $variant($parameters) shows <$scheduler>::STATE, )* }
        }

        /// A scheduler at work. `Custom` is for users of the crate, and for what does not fit 64 bits.
        #[allow(missing_docs)] // a variant is documented by its component
        #[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
        #[derive(Clone)]
        pub enum AnyScheduler {
            $( $variant($scheduler), )*
            Tree(Box<tree::Tree>),
            Custom(Box<dyn Scheduler + Send>),
        }

        impl AnyScheduler {
            /// Builds the scheduler that `plan` describes for a wire of `rate`, over `classes` in its order; classes that
            /// have schedulers of their own make it a tree.
            pub fn new(plan: &SchedulerPlan, classes: &[ClassPlan], rate: impl Into<WireRate>) -> AnyScheduler {
                let rate = rate.into();
                if classes.iter().any(|class| class.below.is_some()) {
                    return AnyScheduler::Tree(Box::new(tree::Tree::new(plan, classes, rate)));
                }
                AnyScheduler::flat(plan, classes, rate)
            }

            /// The scheduler alone, without those of its classes.
            fn flat(plan: &SchedulerPlan, classes: &[ClassPlan], rate: WireRate) -> AnyScheduler {
                match plan {
                    $( SchedulerPlan::$variant(parameters) => build!($variant, $scheduler, parameters, classes, rate $(, $wide)?), )*
                }
            }
        }

        impl AnyScheduler {
            /// Calls `callee` with the scheduler by its own type.
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

            fn makes_flow_queues(&self) -> bool {
                match self {
                    $( AnyScheduler::$variant(it) => it.makes_flow_queues(), )*
                    AnyScheduler::Tree(it) => it.makes_flow_queues(),
                    AnyScheduler::Custom(it) => it.makes_flow_queues(),
                }
            }

            fn flow_queue(&mut self, hash: u64) -> usize {
                match self {
                    $( AnyScheduler::$variant(it) => it.flow_queue(hash), )*
                    AnyScheduler::Tree(it) => it.flow_queue(hash),
                    AnyScheduler::Custom(it) => it.flow_queue(hash),
                }
            }

            fn over_limit(&mut self, queues: &[QueueState]) -> Option<usize> {
                match self {
                    $( AnyScheduler::$variant(it) => it.over_limit(queues), )*
                    AnyScheduler::Tree(it) => it.over_limit(queues),
                    AnyScheduler::Custom(it) => it.over_limit(queues),
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
    "priority" => Priority(priority::Priority<1>, priority::Parameters) or priority::Priority<4>,
    "wrr" => Wrr(wrr::Wrr, wrr::Parameters),
    "drr" => Drr(drr::Drr, drr::Parameters),
    "scfq" => Scfq(scfq::Scfq<u64>, scfq::Parameters) or scfq::Scfq<u128>,
    "stfq" => Stfq(stfq::Stfq<u64>, stfq::Parameters) or stfq::Stfq<u128>,
    "wf2q-plus" => Wf2qPlus(wf2q_plus::Wf2qPlus<u64>, wf2q_plus::Parameters) or wf2q_plus::Wf2qPlus<u128>,
    "fq-codel" => FqCodel(fq_codel::FqCodel, fq_codel::Parameters),
    "cbq" => Cbq(cbq::Cbq<1>, cbq::Parameters) or cbq::Cbq<4>,
}

impl SchedulerPlan {
    /// Whether it makes its queues by flow, for which it must stand alone at its link: a class of a tree is one queue.
    pub fn makes_flow_queues(&self) -> bool {
        matches!(self, SchedulerPlan::FqCodel(_))
    }

    /// The most that may wait in all queues of flows, where the scheduler makes such.
    pub fn flow_queues_limit(&self) -> Option<Limit> {
        match self {
            SchedulerPlan::FqCodel(parameters) => Some(parameters.limit),
            _ => None,
        }
    }

    /// The keys of a class that this scheduler reads, and whether each must be written.
    pub fn class_keys(&self) -> &'static [(&'static str, bool)] {
        match self {
            SchedulerPlan::Fifo(_) | SchedulerPlan::FqCodel(_) => &[],
            SchedulerPlan::Priority(_) => &[("rate-limit", false)],
            SchedulerPlan::Wrr(_) | SchedulerPlan::Scfq(_) | SchedulerPlan::Stfq(_) | SchedulerPlan::Wf2qPlus(_) => &[("weight", true)],
            SchedulerPlan::Drr(_) => &[("quantum", true)],
            SchedulerPlan::Cbq(_) => &[("share", true), ("priority", false), ("borrows", false)],
        }
    }
}

/// The state of a queue, as schedulers see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueState {
    /// Packets that wait.
    pub packets: u32,
    /// Bytes that wait.
    pub bytes: u64,
    /// Bytes of the packet at the head; 0 if none.
    pub head: u32,
}

/// The decision of a scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This queue sends its head.
    Queue(usize),
    /// Nothing may be sent now; ask again at this later time, or when something has arrived.
    NotBefore(Time),
}

/// A scheduler.
pub trait Scheduler: Probe + DynClone {
    /// Which queue sends next. Asked while the wire is free and a queue has a packet. What it names need not be sent: it may be
    /// asked again, and the answer stays unless time passes or packets arrive.
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn;

    /// Queue `queue`, which was empty, has a packet; `queues` already shows it.
    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        let _ = (now, queue, queues);
    }

    /// Queue `queue` has one more packet; `queues` already shows it. One that does the same each time as on a backlog saves
    /// the question.
    #[inline]
    fn on_packet(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        if queues[queue].packets == 1 {
            self.on_backlog(now, queue, queues);
        }
    }

    /// A packet of `size` bytes of queue `queue`, which [`Scheduler::next`] has named, begins its transmission; `queues`
    /// no longer shows it.
    #[inline]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let _ = (now, queue, size, queues);
    }

    /// Queue `queue`, which had a packet, has another head or none, though nothing was sent: it is a class with a scheduler of
    /// its own, which has decided otherwise or holds all back.
    #[inline]
    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        let _ = (queue, queues);
    }

    /// A packet of `size` bytes that waited in `queue` has been dropped; `queues` no longer shows it. It was the head, or
    /// stood anywhere behind it.
    #[inline]
    fn on_drop(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let _ = (now, size);
        self.on_head_change(queue, queues);
    }

    /// Whether it reads [`QueueState::head`]; if not, that need not be right.
    #[inline]
    fn reads_heads(&self) -> bool {
        true
    }

    /// Whether its queues are made as packets of flows arrive; otherwise they are those of classes.
    fn makes_flow_queues(&self) -> bool {
        false
    }

    /// The queue of an arrival whose flow has this hash; one that is not there yet gets the next number. The methods below, too,
    /// are for schedulers that make flow queues.
    fn flow_queue(&mut self, hash: u64) -> usize {
        let _ = hash;
        0
    }

    /// The queue whose head is to be dropped because more waits than may; asked after each arrival until there is none.
    fn over_limit(&mut self, queues: &[QueueState]) -> Option<usize> {
        let _ = queues;
        None
    }

    /// The wire has become free and nothing has waited since; a packet is about to arrive. One over classes is not told, and counts
    /// the time of its last transmission where it must know: see [`stfq`].
    fn on_idle(&mut self) {}
}

dyn_clone::clone_trait_object!(Scheduler);

/// What is compiled for each kind of scheduler, so that a loop does not dispatch on the kind each time.
pub trait Dispatch {
    /// Works with the scheduler.
    fn call<S: Scheduler + ?Sized>(self, scheduler: &mut S);
}
