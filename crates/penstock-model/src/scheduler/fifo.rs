//! First in, first out.

use super::class::ClassPlan;
use super::{HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::Check;
use crate::units::Time;

crate::parameters! {
    /// First in, first out: one queue, served in the order of arrival.
    ///
    /// ## Decides
    /// Nothing: there is one queue. Departures are known on arrival, so a port with it costs one event per packet.
    ///
    /// ## State
    /// None.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.fifo = {}
    /// ```
    ///
    /// ## References
    /// RFC 970 s2.
    pub struct Parameters {}
}
impl Check for Parameters {}

impl HasFacts for Parameters {}

/// State of FIFO.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Fifo {
    /// Scheduler of a single queue.
    pub fn new(_: &Parameters, _: &[ClassPlan], _: impl Into<SchedulerContext>) -> Fifo {
        Fifo
    }
}

crate::state! {
    impl Fifo, |_it, _now| {}
}

impl Scheduler for Fifo {
    #[inline]
    fn next(&mut self, _now: Time, _queues: &[QueueState]) -> Turn {
        Turn::Queue(0)
    }

    #[inline]
    fn reads_heads(&self) -> bool {
        false
    }
}
