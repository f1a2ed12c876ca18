//! Backward Congestion Notification (BCN), version 2.0 [Jiang06].

pub mod congestion_point;
pub mod rate_limiter;
pub mod reaction_point;

/// Feedback in messages counts in parts of a frame, so that messages carry whole numbers.
pub const PARTS_OF_A_FRAME: i32 = 256;

/// What a message tells a reaction point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// Fb in 1/256 frames: positive asks for a higher rate, negative for a lower one.
    Change(i32),
    /// The queue is above its severe threshold: stop, and restart after a random time.
    Stop,
}

impl Feedback {
    /// Whether it can make a rate limiter where there is none.
    pub fn asks_for_less(self) -> bool {
        matches!(self, Feedback::Change(..0) | Feedback::Stop)
    }
}
