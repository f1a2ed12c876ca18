//! Start of a stationary on-off source: its state at a random instant.
//!
//! Exponential periods have no memory, so the rest of the current period has the distribution of a whole one. Only two things
//! remain to be drawn: whether the source is on, and the on-time until its next packet.

use super::{draw, uniform, whole_spacings, OnOff, Remainder};
use crate::rng::Stream;
use crate::units::Duration;

impl OnOff {
    /// Time of the first packet.
    pub(super) fn first_of_stationary(&mut self, stream: &mut Stream) -> Duration {
        match self.remainder {
            Remainder::Carried => self.first_of_carried(stream),
            Remainder::Restarted => self.first_of_restarted(stream),
            Remainder::Whole => self.first_of_whole(stream),
        }
    }

    /// Only on-time counts between two packets. Any part of one spacing of on-time may have passed since the last packet, whether the
    /// source is on or off.
    fn first_of_carried(&mut self, stream: &mut Stream) -> Duration {
        let silence = if self.is_on(self.on, stream) { Duration::ZERO } else { draw(self.off, stream) };
        self.begin(stream);
        let needed = uniform(self.spacing, stream);
        silence + self.pass(needed, stream)
    }

    /// The current on period also has an exponential age, and a packet was sent at its start.
    fn first_of_restarted(&mut self, stream: &mut Stream) -> Duration {
        if !self.is_on(self.on, stream) {
            return self.first_after_silence(stream);
        }
        self.begin(stream);
        let since_last = draw(self.on, stream).as_ps() % self.spacing.as_ps();
        self.pass(self.spacing - Duration::from_ps(since_last), stream)
    }

    /// The instant is uniform within one spacing of the on period. With K spacings in the period, r of them follow that one with
    /// probability P(K > r) / E(K), where P(K > 0) = 1 and P(K > r) = exp(-(r + 1/2) spacing / on).
    fn first_of_whole(&mut self, stream: &mut Stream) -> Duration {
        let mean = whole_spacings(self.on.as_seconds() / self.spacing.as_seconds());
        let on = Duration::from_seconds(mean * self.spacing.as_seconds());
        if !self.is_on(on, stream) {
            return self.first_after_silence(stream);
        }
        let rest = uniform(self.spacing, stream);
        if stream.chance(1.0 / mean) {
            return rest + self.first_after_silence(stream);
        }
        let more = draw(self.on, stream).as_ps() / self.spacing.as_ps();
        self.left = self.spacing.times(1 + more);
        rest
    }

    /// Draws whether the source is on, given that on periods have the mean `on`.
    fn is_on(&self, on: Duration, stream: &mut Stream) -> bool {
        stream.chance(on.as_seconds() / (on + self.off).as_seconds())
    }

    /// The off period continues, and the next on period begins with a packet.
    fn first_after_silence(&mut self, stream: &mut Stream) -> Duration {
        let silence = draw(self.off, stream);
        self.begin(stream);
        silence
    }
}
