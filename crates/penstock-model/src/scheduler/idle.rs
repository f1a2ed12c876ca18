//! End of the last transmission. A scheduler over classes needs it, since it gets no report when its port becomes idle.

use super::QueueState;
use crate::transmission::WireRate;
use crate::units::Time;

/// The last transmission. Its end is computed only if it matters, since a division would cost more than the rest of a decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastTransmission {
    /// The wire at the beginning.
    wire: WireRate,
    start: Time,
    size: u32,
}

impl LastTransmission {
    /// No transmission yet.
    pub fn none(wire: WireRate) -> LastTransmission {
        LastTransmission { wire, start: Time::ZERO, size: 0 }
    }

    /// Records that a packet of `size` bytes begins its transmission.
    #[inline(always)]
    pub fn begin(&mut self, now: Time, size: u32) {
        (self.start, self.size) = (now, size);
    }

    /// Whether nothing waited and the wire was free when `queue`, which was empty, got its packet at `now`. An arrival at the very end of a
    /// transmission precedes the decision at that instant, so it does not find the wire free.
    #[inline(always)]
    pub fn is_over(&self, now: Time, queue: usize, queues: &[QueueState]) -> bool {
        queues.iter().enumerate().all(|(i, state)| i == queue || state.packets == 0) && self.has_ended(now)
    }

    #[cold]
    fn has_ended(&self, now: Time) -> bool {
        self.start + self.wire.transmission_time(self.size) < now
    }
}
