//! Rate of QCN's limiter.

use super::jittered;
use super::reaction_point::Parameters;
use crate::rng::Stream;
use crate::units::{Duration, Rate, Time};

/// Rate that the messages of congestion points have set at a reaction point.
#[derive(Clone, Debug)]
pub struct RateLimiter {
    /// Current rate (CR) and target rate (TR), in bit/s.
    rate: f64,
    target: f64,
    /// Rate of the port.
    line: f64,
    /// Number of completed cycles of both kinds since the last message, and the rest of the current ones.
    byte_cycles: u32,
    timer_cycles: u32,
    bytes_left: u64,
    timer_ends: Time,
}

impl RateLimiter {
    /// A limiter at the rate of the port, from `now` on.
    pub fn new(line: Rate, parameters: &Parameters, now: Time, stream: &mut Stream) -> RateLimiter {
        let line = line.as_bps() as f64;
        let (byte_cycles, timer_cycles) = (0, 0);
        let mut it = RateLimiter { rate: line, target: line, line, byte_cycles, timer_cycles, bytes_left: 0, timer_ends: now };
        it.begin_byte_cycle(parameters, stream);
        it.begin_timer_cycle(parameters, now, stream);
        it
    }

    /// Returns the rate at `now`.
    pub fn rate(&mut self, parameters: &Parameters, now: Time, stream: &mut Stream) -> Rate {
        while self.timer_ends <= now && self.rate < self.line {
            self.timer_cycles += 1;
            self.increase(parameters);
            self.begin_timer_cycle(parameters, self.timer_ends, stream);
        }
        Rate::from_bps(self.rate as u64)
    }

    /// Whether the limiter no longer limits, according to its rate at the last call of `rate`.
    pub fn is_released(&self) -> bool {
        self.rate >= self.line
    }

    /// Applies a message with quantised `feedback`.
    pub fn on_feedback(&mut self, feedback: u8, parameters: &Parameters, now: Time, stream: &mut Stream) {
        self.rate(parameters, now, stream);
        // Messages before the end of the first byte-counter cycle report the same congestion, so the target stays.
        if self.byte_cycles > 0 {
            self.target = self.rate;
            self.byte_cycles = 0;
            self.begin_byte_cycle(parameters, stream);
        }
        self.timer_cycles = 0;
        self.begin_timer_cycle(parameters, now, stream);
        let factor = (1.0 - parameters.decrease_gain.0 * f64::from(feedback)).max(parameters.least_decrease.0);
        self.rate = (self.rate * factor).max(parameters.floor.as_bps() as f64).min(self.line);
    }

    /// Counts a sent frame of `size` bytes.
    pub fn on_sent(&mut self, size: u32, parameters: &Parameters, stream: &mut Stream) {
        if u64::from(size) < self.bytes_left {
            self.bytes_left -= u64::from(size);
            return;
        }
        self.byte_cycles += 1;
        self.increase(parameters);
        self.begin_byte_cycle(parameters, stream);
    }

    fn begin_byte_cycle(&mut self, parameters: &Parameters, stream: &mut Stream) {
        let half = 1 + u64::from(self.byte_cycles >= parameters.fast_recovery.0);
        self.bytes_left = jittered(parameters.byte_counter.get() / half, parameters.jitter.0, stream);
    }

    fn begin_timer_cycle(&mut self, parameters: &Parameters, now: Time, stream: &mut Stream) {
        let half = 1 + u64::from(self.timer_cycles >= parameters.fast_recovery.0);
        let length = jittered((parameters.timer.as_ps() / half).max(1), parameters.jitter.0, stream);
        self.timer_ends = now + Duration::from_ps(length);
    }

    /// Raises the rate at the end of a cycle.
    fn increase(&mut self, parameters: &Parameters) {
        let threshold = parameters.fast_recovery.0;
        let (bytes, timer) = (self.byte_cycles, self.timer_cycles);
        if (bytes == 1 || timer == 1) && self.target > 10.0 * self.rate {
            self.target /= 8.0;
        } else if bytes.min(timer) > threshold {
            self.target += parameters.hyper_increase.as_bps() as f64 * f64::from(bytes.min(timer) - threshold);
        } else if bytes.max(timer) > threshold {
            self.target += parameters.active_increase.as_bps() as f64;
        }
        self.target = self.target.min(self.line);
        self.rate = 0.5 * (self.rate + self.target);
        // The rate only approaches the target, so it counts as recovered within one ten-thousandth of the line rate.
        if self.target >= self.line && self.rate > 0.9999 * self.line {
            self.rate = self.line;
        }
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
            let parameters = read(&[&["jitter = 0"], lines].concat()).expect("sound");
            let mut stream = Key::root(1, 0).stream();
            Limited(RateLimiter::new(LINE, &parameters, Time::ZERO, &mut stream), parameters, stream)
        }

        fn told(&mut self, feedback: u8, ms: u64) -> [f64; 2] {
            self.0.on_feedback(feedback, &self.1, Time::ZERO + Duration::from_ms(ms), &mut self.2);
            self.rates()
        }

        fn sent(&mut self, kilobytes: u32) -> [f64; 2] {
            (0..kilobytes).for_each(|_| self.0.on_sent(1000, &self.1, &mut self.2));
            self.rates()
        }

        fn waited(&mut self, until_ms: u64) -> [f64; 2] {
            self.0.rate(&self.1, Time::ZERO + Duration::from_ms(until_ms), &mut self.2);
            self.rates()
        }

        /// Current and target rate in Mbit/s.
        fn rates(&self) -> [f64; 2] {
            [self.0.rate / 1e6, self.0.target / 1e6]
        }
    }

    #[test]
    fn one_recovery_step_by_step() {
        let mut it = Limited::new(&[]);
        // Cuts by 64/128 and 32/128. The second message arrives within the first cycle, so the target does not change.
        assert_eq!(it.told(64, 0), [5000.0, 10_000.0]);
        assert_eq!(it.told(32, 1), [3750.0, 10_000.0]);
        // A cycle is 150 kB: it halves the distance to the target.
        assert_eq!(it.sent(149), [3750.0, 10_000.0]);
        assert_eq!(it.sent(1), [6875.0, 10_000.0]);
        // After a cycle, a message sets the target to the current rate: 6875 * (1 - 16/128).
        assert_eq!(it.told(16, 2), [6015.625, 6875.0]);
        // Five cycles of fast recovery; each halves the distance of 859.375.
        for (cycle, distance) in (1..=5).zip([429.6875, 214.84375, 107.421875, 53.7109375, 26.85546875]) {
            assert_eq!(it.sent(150), [6875.0 - distance, 6875.0], "cycle {cycle}");
        }
        // Active increase in cycles of 75 kB: the target gains 5 Mbit/s, then the distance 26.85546875 + 5 is halved.
        assert_eq!(it.sent(74), [6848.14453125, 6875.0]);
        assert_eq!(it.sent(1), [6864.072265625, 6880.0]);
        assert_eq!(it.sent(75), [6874.5361328125, 6885.0]);
        // The timer has run since 2 ms: five cycles end at 17, 32, 47, 62 and 77 ms. Each adds 5 to the target, since the byte counter is
        // beyond fast recovery.
        assert_eq!(it.waited(77)[1], 6910.0);
        // The sixth cycle ends after half the time: both counters are beyond fast recovery, by one and two cycles, so the target gains 50
        // once.
        assert_eq!(it.waited(84)[1], 6910.0);
        assert_eq!(it.waited(85)[1], 6960.0);
        // At 92 ms both are beyond it by two cycles: twice 50.
        assert_eq!(it.waited(92)[1], 7060.0);
    }

    #[test]
    fn no_message_more_than_halves_the_rate_nor_takes_it_below_the_floor() {
        let mut it = Limited::new(&["decrease-gain = 1/64"]);
        assert_eq!(it.told(63, 0)[0], 5000.0);
        for _ in 0..20 {
            it.told(63, 0);
        }
        assert_eq!(it.rates(), [10.0, 10_000.0]);
    }

    #[test]
    fn a_target_far_above_the_rate_comes_closer_first() {
        let mut it = Limited::new(&["decrease-gain = 1/64"]);
        (0..4).for_each(|_| {
            it.told(63, 0);
        });
        assert_eq!(it.rates(), [625.0, 10_000.0]);
        // The target is more than ten times the rate: the end of the first cycle reduces it to an eighth, 1250, and halves the distance.
        assert_eq!(it.sent(150), [937.5, 1250.0]);
        assert_eq!(it.sent(150), [1093.75, 1250.0]);
    }

    #[test]
    fn it_is_released_at_the_rate_of_the_port() {
        let mut it = Limited::new(&[]);
        it.told(63, 0);
        assert!(!it.0.is_released());
        assert_eq!(it.waited(10_000), [10_000.0, 10_000.0]);
        assert!(it.0.is_released());
    }
}
