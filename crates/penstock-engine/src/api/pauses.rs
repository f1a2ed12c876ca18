//! Observations of PAUSE and priority flow control.

use penstock_model::id::LinkId;
use penstock_model::units::Duration;

/// Pause frames and pauses at the port of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseCounters {
    /// Frames that it sent to stop what feeds its node, those that prolong a pause included.
    pub frames: u64,
    /// Frames that it sent to resume.
    pub resumes: u64,
    /// How long it was paused itself.
    pub paused: Vec<PausedTime>,
    /// Whether it is of a circle of pauses that never lift.
    pub is_deadlocked: bool,
}

/// How long a class was paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausedTime {
    /// The class; `None` if it was the whole port.
    pub class: Option<u8>,
    /// So long inside the measurement period.
    pub time: Duration,
}

/// The paused part: a link's port, or a class of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PausedIngress {
    /// The link, whose port is paused.
    pub link: LinkId,
    /// The class that is paused; `None` if all are.
    pub class: Option<u8>,
}
