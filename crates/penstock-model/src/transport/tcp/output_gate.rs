//! Delays of output: pacing, and the wait before a delayed retransmission.

use super::pacer::Pacer;
use crate::units::Time;

/// Times until which a sender sends less than its window permits. Only senders that may have to wait have this state.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputGate {
    /// Spaces segments; `None` without pacing.
    pub pacer: Option<Pacer>,
    /// End of the wait before a retransmission; [`Time::NEVER`] without one.
    pub wait_end: Time,
}

impl OutputGate {
    pub fn new(paced: bool) -> OutputGate {
        OutputGate { pacer: paced.then(Pacer::new), wait_end: Time::NEVER }
    }

    /// Time at which to ask the sender again.
    pub fn wake(&self) -> Time {
        self.pacer.map_or(Time::NEVER, |pacer| pacer.wake).min(self.wait_end)
    }

    /// Whether pacing delays the next segment.
    pub fn holds_back(&mut self, now: Time) -> bool {
        self.pacer.as_mut().is_some_and(|pacer| pacer.holds_back(now))
    }
}
