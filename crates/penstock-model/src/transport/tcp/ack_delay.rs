//! Delay of acknowledgements that follows the spacing of segments, as in Linux.

use super::quick_acks::QuickAcks;
use crate::units::{Duration, Time};

/// Rules for acknowledging a segment in order, in addition to `ack-every` and a constant delay.
#[derive(Clone, Debug)]
pub(super) struct AckTimes {
    pub delay: Option<AdaptiveDelay>,
    pub quick: Option<QuickAcks>,
}

impl AckTimes {
    /// Records a segment in order; returns whether it is acknowledged at once, and otherwise the delay.
    pub fn on_segment(&mut self, now: Time) -> (bool, Option<Duration>) {
        let is_quick = self.quick.as_mut().is_some_and(|quick| {
            quick.on_segment(now);
            quick.is_available()
        });
        (is_quick, self.delay.as_mut().map(|delay| delay.on_segment(now)))
    }
}

/// Delay of the next acknowledgement (ATO in Linux), between a minimum and a maximum.
#[derive(Clone, Debug)]
pub(super) struct AdaptiveDelay {
    min: Duration,
    max: Duration,
    current: Duration,
    /// Arrival of the last segment in order.
    last: Option<Time>,
}

impl AdaptiveDelay {
    /// Delay before any segment has arrived: the minimum.
    pub fn new(min: Duration, max: Duration) -> AdaptiveDelay {
        AdaptiveDelay { min, max, current: min, last: None }
    }

    /// Updates the delay when a segment arrives in order, and returns it.
    ///
    /// The delay approaches the minimum while segments are closer than half of it, and otherwise twice their spacing. A spacing
    /// beyond the present delay changes nothing.
    pub fn on_segment(&mut self, now: Time) -> Duration {
        if let Some(last) = self.last.replace(now) {
            let (spacing, floor) = (now.since(last), half(self.min));
            if spacing < self.current || spacing <= floor {
                self.current = (half(self.current) + spacing.max(floor)).min(self.max);
            }
        }
        self.current
    }

    /// Doubles the delay after an acknowledgement that has waited for all of it.
    pub fn on_timeout(&mut self) {
        self.current = (self.current + self.current).min(self.max);
    }
}

fn half(duration: Duration) -> Duration {
    Duration::from_ps(duration.as_ps() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_follows_the_spacing_of_segments() {
        let mut it = AdaptiveDelay::new(Duration::from_ms(40), Duration::from_ms(200));
        // Arrival and delay, both in ms. At 40 ms: 20 + 30 = 50. A spacing of 10 counts as half the minimum: 20 + 20.
        let arrivals = [(0, 40), (10, 40), (40, 50), (80, 65), (180, 65), (230, 82), (235, 61), (240, 50)];
        for (at, delay) in arrivals {
            assert_eq!(it.on_segment(Time::ZERO + Duration::from_ms(at)).as_ps() / 1_000_000_000, delay, "at {at} ms");
        }
        // 50.625 doubles until the maximum.
        let doubled = [101, 200, 200].map(|_| {
            it.on_timeout();
            it.current.as_ps() / 1_000_000_000
        });
        assert_eq!(doubled, [101, 200, 200]);
    }
}
