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
mod tags;
pub mod tree;
pub mod wf2q_plus;
pub mod wrr;

use crate::units::{Rate, Time};
use class::ClassPlan;

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
            pub enum SchedulerPlan of "scheduler" { $( $name => $variant($parameters), )* }
        }

        /// A scheduler at work. `Custom` is for users of the crate, and for what does not fit 64 bits.
        #[allow(missing_docs)] // a variant is documented by its component
        #[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
        pub enum AnyScheduler {
            $( $variant($scheduler), )*
            Tree(Box<tree::Tree>),
            Custom(Box<dyn Scheduler + Send>),
        }

        impl AnyScheduler {
            /// Builds the scheduler that `plan` describes for a wire of `rate`, over `classes` in its order; classes that
            /// have schedulers of their own make it a tree.
            pub fn new(plan: &SchedulerPlan, classes: &[ClassPlan], rate: Rate) -> AnyScheduler {
                if classes.iter().any(|class| class.below.is_some()) {
                    return AnyScheduler::Tree(Box::new(tree::Tree::new(plan, classes, rate)));
                }
                AnyScheduler::flat(plan, classes, rate)
            }

            /// The scheduler alone, without those of its classes.
            fn flat(plan: &SchedulerPlan, classes: &[ClassPlan], rate: Rate) -> AnyScheduler {
                match plan {
                    $( SchedulerPlan::$variant(parameters) => build!($variant, $scheduler, parameters, classes, rate $(, $wide)?), )*
                }
            }
        }

        impl AnyScheduler {
            /// Shows `visitor` the scheduler as what it is.
            #[inline(always)]
            pub fn receive<V: Visitor>(&mut self, visitor: V) {
                match self {
                    $( AnyScheduler::$variant(it) => visitor.visit(it), )*
                    AnyScheduler::Tree(it) => visitor.visit(&mut **it),
                    AnyScheduler::Custom(it) => visitor.visit(&mut **it),
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
            fn on_change(&mut self, queue: usize, queues: &[QueueState]) {
                match self {
                    $( AnyScheduler::$variant(it) => it.on_change(queue, queues), )*
                    AnyScheduler::Tree(it) => it.on_change(queue, queues),
                    AnyScheduler::Custom(it) => it.on_change(queue, queues),
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
    "wf2q-plus" => Wf2qPlus(wf2q_plus::Wf2qPlus<u64>, wf2q_plus::Parameters) or wf2q_plus::Wf2qPlus<u128>,
    "fq-codel" => FqCodel(fq_codel::FqCodel, fq_codel::Parameters),
    "cbq" => Cbq(cbq::Cbq<1>, cbq::Parameters) or cbq::Cbq<4>,
}

impl SchedulerPlan {
    /// The keys of a class that this scheduler reads, and whether each must be written.
    pub fn class_keys(&self) -> &'static [(&'static str, bool)] {
        match self {
            SchedulerPlan::Fifo(_) | SchedulerPlan::FqCodel(_) => &[],
            SchedulerPlan::Priority(_) => &[("rate-limit", false)],
            SchedulerPlan::Wrr(_) | SchedulerPlan::Scfq(_) | SchedulerPlan::Wf2qPlus(_) => &[("weight", true)],
            SchedulerPlan::Drr(_) => &[("quantum", true)],
            SchedulerPlan::Cbq(_) => &[("share", true), ("priority", false), ("borrows", false)],
        }
    }
}

/// What a scheduler sees of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueState {
    /// Packets that wait.
    pub packets: u32,
    /// Bytes that wait.
    pub bytes: u64,
    /// Bytes of the packet at the head; 0 if none.
    pub head: u32,
}

/// What a scheduler decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This queue sends its head.
    Queue(usize),
    /// Nothing may be sent now; ask again at this later time, or when something has arrived.
    NotBefore(Time),
}

/// A scheduler.
pub trait Scheduler {
    /// Who sends next. Asked while the wire is free and a queue has a packet. What it names need not be sent: it may be
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
    /// its own, which has changed its mind or holds all back.
    #[inline]
    fn on_change(&mut self, queue: usize, queues: &[QueueState]) {
        let _ = (queue, queues);
    }

    /// A packet of `size` bytes that waited in `queue` has been dropped; `queues` no longer shows it. It was the head, or
    /// stood anywhere behind it.
    #[inline]
    fn on_drop(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let _ = (now, size);
        self.on_change(queue, queues);
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

    /// The wire has become free and nothing has waited since; a packet is about to arrive.
    fn on_idle(&mut self) {}
}

/// What is done with a scheduler of any kind. It is compiled for each, so that a loop need not ask for the kind each time.
pub trait Visitor {
    /// Does it.
    fn visit<S: Scheduler + ?Sized>(self, scheduler: &mut S);
}

/// The weights of classes. A class that has none, in a blueprint made by hand, has 1.
fn weights(classes: &[ClassPlan]) -> Vec<u64> {
    classes.iter().map(|class| class.keys.weight.map_or(1, |weight| u64::from(weight.0))).collect()
}

/// `unit` x (sum of the weights) / weight for each class: what a byte costs a class where the classes together pay `unit`.
/// Rounded to the nearest whole.
fn costs(unit: u128, classes: &[ClassPlan]) -> Vec<u128> {
    let weights = weights(classes);
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let cost = |weight: &u64| (unit * sum + u128::from(weight / 2)) / u128::from(*weight);
    weights.iter().map(cost).collect()
}

/// The least common multiple of the weights, in multiples of which [`costs`] are exact; `None` above `most`.
fn exact_unit(classes: &[ClassPlan], most: u64) -> Option<u64> {
    let join = |multiple: u64, weight: u64| {
        let multiple = multiple / common_divisor(u128::from(multiple), u128::from(weight)) as u64 * weight;
        (multiple <= most).then_some(multiple)
    };
    weights(classes).into_iter().try_fold(1, join)
}

/// The greatest common divisor.
fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Classes and queues for the tests of schedulers.
#[cfg(test)]
mod testing {
    use super::class::{ClassKeys, ClassPlan};
    use super::{QueueState, Scheduler, Turn};
    use crate::parameters::testing::read;
    use crate::rng::Key;
    use crate::units::{Duration, Time};
    use std::collections::VecDeque;

    /// A class with these keys, as `weight = 3`.
    pub(super) fn class(lines: &[&str]) -> ClassPlan {
        ClassPlan { keys: read::<ClassKeys>(lines).expect("sound"), ..ClassPlan::default() }
    }

    /// Classes with these weights.
    pub(super) fn weighted(weights: &[u32]) -> Vec<ClassPlan> {
        weights.iter().map(|weight| class(&[&format!("weight = {weight}")])).collect()
    }

    /// Queues of so many packets of so many bytes.
    pub(super) struct Queues(pub Vec<(u32, u32)>);

    impl Queues {
        pub fn states(&self) -> Vec<QueueState> {
            let state = |(packets, size): &(u32, u32)| QueueState {
                packets: *packets,
                bytes: u64::from(packets * size),
                head: if *packets > 0 { *size } else { 0 },
            };
            self.0.iter().map(state).collect()
        }

        /// Tells the scheduler of everything that waits.
        pub fn announce(&self, it: &mut impl Scheduler) {
            let states = self.states();
            (0..states.len()).filter(|queue| states[*queue].packets > 0).for_each(|queue| it.on_backlog(Time::ZERO, queue, &states));
        }

        /// Lets `n` packets go, all at time zero; asks twice each time, which must not matter.
        pub fn send(&mut self, it: &mut impl Scheduler, n: usize) -> Vec<usize> {
            let mut sent = Vec::new();
            while sent.len() < n && self.0.iter().any(|(packets, _)| *packets > 0) {
                let Turn::Queue(queue) = it.next(Time::ZERO, &self.states()) else { panic!("nothing holds packets back") };
                assert_eq!(it.next(Time::ZERO, &self.states()), Turn::Queue(queue));
                self.0[queue].0 -= 1;
                it.on_sent(Time::ZERO, queue, self.0[queue].1, &self.states());
                sent.push(queue);
            }
            sent
        }
    }

    /// Lets two schedulers serve the same random packets of three classes, which come and go all the time, on a link of
    /// 8 kbit/s; their decisions must be the same.
    pub(super) fn decide_alike(a: &mut impl Scheduler, b: &mut impl Scheduler, packets: usize) {
        let mut stream = Key::root(1, 0).stream();
        let mut queues = vec![VecDeque::new(); 3];
        let mut now = Time::ZERO;
        let states = |queues: &[VecDeque<u32>]| -> Vec<QueueState> {
            let state = |queue: &VecDeque<u32>| QueueState {
                packets: queue.len() as u32,
                bytes: queue.iter().map(|size| u64::from(*size)).sum(),
                head: queue.front().map_or(0, |size| *size),
            };
            queues.iter().map(state).collect()
        };
        for _ in 0..packets {
            let (class, size) = (stream.below(3) as usize, 1 + stream.below(1500) as u32);
            queues[class].push_back(size);
            if queues[class].len() == 1 {
                a.on_backlog(now, class, &states(&queues));
                b.on_backlog(now, class, &states(&queues));
            }
            // Something always waits, so that no busy period ends.
            while queues.iter().map(VecDeque::len).sum::<usize>() as u64 > 2 + stream.below(10) {
                let turn = a.next(now, &states(&queues));
                assert_eq!(turn, b.next(now, &states(&queues)));
                let Turn::Queue(class) = turn else { panic!("nothing holds packets back") };
                let size = queues[class].pop_front().expect("it has a packet");
                a.on_sent(now, class, size, &states(&queues));
                b.on_sent(now, class, size, &states(&queues));
                now += Duration::from_ms(u64::from(size));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::weighted;
    use super::*;

    #[test]
    fn costs_are_exact_where_weights_have_a_small_multiple() {
        assert_eq!(exact_unit(&weighted(&[4, 6, 9]), 100), Some(36));
        assert_eq!(exact_unit(&weighted(&[4, 6, 9]), 35), None);
        assert_eq!(costs(36, &weighted(&[4, 6, 9])), [171, 114, 76]);
        assert_eq!(costs(1, &weighted(&[1, 9])), [10, 1], "10/9 is rounded");
    }
}
