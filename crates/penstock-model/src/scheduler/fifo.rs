//! First in, first out.

use super::{QueueState, Scheduler};
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

/// FIFO at work.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Scheduler for Fifo {
    fn next_queue(&mut self, _now: Time, _queues: &[QueueState]) -> usize {
        0
    }
}
