//! Rate of one limiter of BCN's reaction point.

use super::reaction_point::{Parameters, Release};
use crate::feedback::{Feedback, PARTS_OF_A_FRAME};
use crate::rng::Stream;
use crate::units::{Duration, Rate, Time};

/// Rate that the messages of one congestion point have set at one reaction point.
#[derive(Clone, Debug)]
pub struct RateLimiter {
    rate: Rate,
    /// Rate of the port.
    line: Rate,
    /// Earliest time of the next frame.
    stopped_until: Time,
    /// Time at which the rate last drifted or was set.
    drifted: Time,
}

impl RateLimiter {
    /// A limiter at the rate of the port, from `now` on.
    pub fn new(line: Rate, now: Time) -> RateLimiter {
        RateLimiter { rate: line, line, stopped_until: Time::ZERO, drifted: now }
    }

    /// Returns the rate at `now`.
    pub fn rate(&mut self, parameters: &Parameters, now: Time) -> Rate {
        self.drift(parameters, now);
        self.rate
    }

    /// Time before which no frame leaves.
    pub fn stopped_until(&self) -> Time {
        self.stopped_until
    }

    /// Whether the limiter no longer limits, according to its rate at the last call of `rate`.
    pub fn is_released(&self, parameters: &Parameters) -> bool {
        parameters.release == Release::AtLineRate && self.rate >= self.line
    }

    /// Applies a message; during a stop, messages have no effect.
    pub fn on_feedback(&mut self, feedback: Feedback, parameters: &Parameters, now: Time, stream: &mut Stream) {
        if now < self.stopped_until {
            return;
        }
        self.drift(parameters, now);
        self.drifted = now;
        let rate = self.rate.as_bps() as f64;
        match feedback {
            Feedback::Stop => {
                let most = parameters.restart_within.as_ps();
                self.stopped_until = now + Duration::from_ps(1 + stream.below(most.max(1)));
                (self.rate, self.drifted) = (parameters.restart_rate.min(self.line), self.stopped_until);
            }
            // A message of another mechanism has no effect.
            Feedback::Quantized(_) => {}
            Feedback::Change(parts) => {
                let feedback = f64::from(parts) / f64::from(PARTS_OF_A_FRAME);
                let changed = if parts > 0 {
                    rate + parameters.increase_gain.0 * feedback * parameters.rate_unit.as_bps() as f64
                } else {
                    rate * (1.0 - parameters.decrease_gain.0 * -feedback)
                };
                let floor = parameters.floor.map_or(1, Rate::as_bps).min(self.line.as_bps());
                self.rate = Rate::from_bps((changed.max(0.0) as u64).clamp(floor, self.line.as_bps()));
            }
        }
    }

    /// Adds the drift since the last update.
    fn drift(&mut self, parameters: &Parameters, now: Time) {
        let (Some(gain), Some(interval)) = (parameters.drift, parameters.drift_interval) else { return };
        if now <= self.drifted {
            return;
        }
        let steps = now.since(self.drifted).as_ps() / interval.as_ps();
        self.drifted += interval.times(steps);
        let gained = gain.as_bps().saturating_mul(steps);
        self.rate = Rate::from_bps(self.rate.as_bps().saturating_add(gained)).min(self.line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    const LINE: Rate = Rate::from_bps(10_000_000_000);

    struct Limited(RateLimiter, Parameters, Stream);

    impl Limited {
        fn new(lines: &[&str]) -> Limited {
            Limited(RateLimiter::new(LINE, Time::ZERO), read(lines).expect("sound"), Key::root(1, 0).stream())
        }

        /// Rate in Mbit/s after feedback of `frames` frames.
        fn after(&mut self, frames: i32) -> f64 {
            self.0.on_feedback(Feedback::Change(frames * PARTS_OF_A_FRAME), &self.1, Time::ZERO, &mut self.2);
            self.0.rate.as_bps() as f64 / 1e6
        }
    }

    #[test]
    fn negative_feedback_shrinks_and_positive_adds() {
        let mut it = Limited::new(&[]);
        // 1 - 0.0124 * 16 = 0.8016; then + 4 * 16 * 8 Mbit/s = 512 Mbit/s; then 1 - 0.0124 * 80 = 0.008.
        assert_eq!(it.after(-16), 8016.0);
        assert_eq!(it.after(16), 8528.0);
        assert!((it.after(-80) - 68.224).abs() < 1e-5);
        // 4 * 80 * 8 Mbit/s.
        assert!((it.after(80) - 2628.224).abs() < 1e-5);
        assert!(!it.0.is_released(&it.1));
        for _ in 0..3 {
            it.after(80);
        }
        assert_eq!(it.0.rate, LINE);
        assert!(it.0.is_released(&it.1));
    }

    #[test]
    fn the_published_gain_needs_a_floor() {
        // 1 - 80/64 = -1/4: below zero, so the floor; 1 - 16/64 = 3/4.
        let mut it = Limited::new(&["decrease-gain = 1/64", "floor = 8 Mbit/s"]);
        assert_eq!(it.after(-16), 7500.0);
        assert_eq!(it.after(-80), 8.0);
    }

    #[test]
    fn a_rate_drifts_upwards() {
        let mut it = Limited::new(&["drift = 10 Mbit/s", "drift-interval = 1 ms"]);
        it.after(-16);
        let at = |us| Time::ZERO + Duration::from_us(us);
        for (us, mbps) in [(999, 8016), (1000, 8026), (3500, 8046), (4000, 8056), (1_000_000, 10_000)] {
            assert_eq!(it.0.rate(&it.1, at(us)), Rate::from_bps(mbps * 1_000_000), "{us} us");
        }
    }

    #[test]
    fn a_stop_lasts_a_random_time() {
        let mut ends = Vec::new();
        let mut it = Limited::new(&["restart-within = 1 ms", "restart-rate = 50 Mbit/s"]);
        for _ in 0..100 {
            it.0 = RateLimiter::new(LINE, Time::ZERO);
            it.0.on_feedback(Feedback::Stop, &it.1, Time::ZERO, &mut it.2);
            assert_eq!(it.0.rate, Rate::from_bps(50_000_000));
            // Messages have no effect until the restart.
            assert_eq!(it.after(80), 50.0);
            ends.push(it.0.stopped_until().as_seconds());
        }
        assert!(ends.iter().all(|end| *end > 0.0 && *end <= 1e-3));
        // Four standard errors of the mean: 1 ms / sqrt(12 * 100).
        assert!((ends.iter().sum::<f64>() / 100.0 - 5e-4).abs() < 1.2e-4);
    }
}
