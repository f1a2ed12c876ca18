//! Schedulers decide, when a port's wire is free, which of its queues sends next.

pub mod fifo;
pub mod priority;

use crate::units::Time;

crate::component_plans! {
    /// A scheduler with its parameters, as a scenario gives it.
    pub enum SchedulerPlan {
        "fifo" => Fifo(fifo::Parameters),
        "priority" => Priority(priority::Parameters),
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

/// A scheduler. The port asks it only while at least one queue has a packet.
pub trait Scheduler {
    /// The queue that sends next; it has a packet.
    fn next_queue(&mut self, now: Time, queues: &[QueueState]) -> usize;
}

/// A scheduler at work. `Custom` is for users of the crate.
#[allow(missing_docs)] // a variant is documented by its component
pub enum AnyScheduler {
    Fifo(fifo::Fifo),
    Priority(priority::Priority),
    Custom(Box<dyn Scheduler + Send>),
}

impl AnyScheduler {
    /// Builds the scheduler that `plan` describes.
    pub fn new(plan: &SchedulerPlan) -> AnyScheduler {
        match plan {
            SchedulerPlan::Fifo(_) => AnyScheduler::Fifo(fifo::Fifo),
            SchedulerPlan::Priority(_) => AnyScheduler::Priority(priority::Priority),
        }
    }
}

impl Scheduler for AnyScheduler {
    #[inline]
    fn next_queue(&mut self, now: Time, queues: &[QueueState]) -> usize {
        match self {
            AnyScheduler::Fifo(it) => it.next_queue(now, queues),
            AnyScheduler::Priority(it) => it.next_queue(now, queues),
            AnyScheduler::Custom(it) => it.next_queue(now, queues),
        }
    }
}
