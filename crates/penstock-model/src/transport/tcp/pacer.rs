//! Pacing spaces segments instead of sending bursts.

use crate::transport::congestion_control::Window;
use crate::units::{Bytes, Duration, Rate, Time};

/// Factor of the pacing rate in slow start: twice the rate at which a window is acknowledged, so that it can double in a round trip;
/// Linux' `tcp_pacing_ss_ratio`.
const SLOW_START_FACTOR: f64 = 2.0;

/// Factor in congestion avoidance: a fifth faster than that rate, so that pacing does not leave the window unused [RFC9002 s7.7];
/// Linux' `tcp_pacing_ca_ratio`.
const AVOIDANCE_FACTOR: f64 = 1.2;

crate::choice! {
    /// Pacing rate of a congestion control without its own.
    pub enum PacingRate {
        /// cwnd per smoothed round trip, times a factor [RFC9002 s7.7].
        "window" => Window,
        /// The larger of cwnd and the outstanding segments per smoothed round trip, times a factor; the first ten segments of a
        /// connection are not paced. As in Linux.
        "linux" => Linux,
    }
}

/// Schedule of the next segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// Earliest time of the next segment.
    pub next: Time,
    /// Time at which a delayed segment may leave; [`Time::NEVER`] without one.
    pub wake: Time,
}

impl Pacer {
    pub fn new() -> Pacer {
        Pacer { next: Time::ZERO, wake: Time::NEVER }
    }

    /// Whether a segment must wait; if so, records until when.
    pub fn holds_back(&mut self, now: Time) -> bool {
        self.wake = if now < self.next { self.next } else { Time::NEVER };
        now < self.next
    }

    /// Schedules the next segment after `size` bytes leave `now`; an unknown rate causes no spacing.
    pub fn on_sent(&mut self, now: Time, size: u32, rate: Option<Rate>) {
        self.next = now + rate.map_or(Duration::ZERO, |rate| rate.transmission_time(Bytes::new(u64::from(size))));
    }
}

/// Pacing rate for a control without its own: a window of packets of `size` bytes per smoothed round trip, times a factor. The factor
/// of slow start applies up to half of ssthresh, so that the rate is lower when slow start ends (as in Linux). If `outstanding` segments
/// are more than the window, they count instead.
pub(super) fn default_rate(window: &Window, outstanding: f64, size: u32, smoothed: Option<Duration>) -> Option<Rate> {
    let round = smoothed.filter(|round| *round > Duration::ZERO)?.as_seconds();
    let factor = if window.size < window.threshold / 2.0 { SLOW_START_FACTOR } else { AVOIDANCE_FACTOR };
    let rate = factor * window.size.max(outstanding) * f64::from(size) * 8.0 / round;
    Some(Rate::from_bps((rate as u64).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_a_window_per_round_trip_and_a_little_more() {
        // 10 packets of 1500 bytes in 100 ms are 1.2 Mbit/s.
        let rate = |threshold| {
            let window = Window { size: 10.0, threshold, max: 100 };
            default_rate(&window, 0.0, 1500, Some(Duration::from_ms(100))).map(Rate::as_bps)
        };
        assert_eq!((rate(100.0), rate(20.0), rate(5.0)), (Some(2_400_000), Some(1_440_000), Some(1_440_000)));
        assert_eq!(default_rate(&Window { size: 10.0, threshold: 5.0, max: 100 }, 0.0, 1500, None), None);
        // 20 segments are outstanding from before a reduction to 5.
        let window = Window { size: 5.0, threshold: 5.0, max: 100 };
        assert_eq!(default_rate(&window, 20.0, 1500, Some(Duration::from_ms(100))).map(Rate::as_bps), Some(2_880_000));
    }

    #[test]
    fn a_segment_waits_for_the_transmission_of_the_one_before() {
        let at_ms = |ms| Time::ZERO + Duration::from_ms(ms);
        let mut pacer = Pacer::new();
        assert!(!pacer.holds_back(at_ms(5)));
        pacer.on_sent(at_ms(5), 1500, Some(Rate::from_bps(1_200_000))); // 10 ms
        assert!(pacer.holds_back(at_ms(14)));
        assert_eq!(pacer.wake, at_ms(15));
        assert!(!pacer.holds_back(at_ms(15)));
        assert_eq!(pacer.wake, Time::NEVER);
    }
}
