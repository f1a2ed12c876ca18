//! Strict priority.

use super::{QueueState, Scheduler};
use crate::parameters::Check;
use crate::units::Time;

crate::parameters! {
    /// Strict priority: the first queue that has a packet sends, without preemption.
    ///
    /// ## Decides
    /// Queues are served in the order of `order`; a packet in service is finished before a better one begins.
    ///
    /// ## State
    /// None; the cost per decision grows with the number of queues.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.priority = { order = ["ef", "default"] }
    /// ```
    ///
    /// ## References
    /// [Cobham54] for the mean waits; RFC 3246 s2.2 for its use as an Expedited Forwarding scheduler.
    pub struct Parameters {
        /// The classes from the most to the least urgent; each class of the port stands here once.
        order: Vec<ClassName>;
    }
}
impl Check for Parameters {}

pub use crate::parameters::ClassName;

/// Strict priority at work.
#[derive(Clone, Copy, Debug)]
pub struct Priority;

impl Scheduler for Priority {
    #[inline]
    fn next_queue(&mut self, _now: Time, queues: &[QueueState]) -> usize {
        queues.iter().position(|queue| queue.packets > 0).expect("asked only while a queue has a packet")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_backlogged_queue_sends() {
        let queue = |packets| QueueState { packets, bytes: 0, head: 0 };
        let mut priority = Priority;
        assert_eq!(priority.next_queue(Time::ZERO, &[queue(0), queue(2), queue(1)]), 1);
        assert_eq!(priority.next_queue(Time::ZERO, &[queue(1), queue(2)]), 0);
    }
}
