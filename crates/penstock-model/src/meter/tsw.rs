//! Time sliding window, an estimator of the rate of a packet stream.

use crate::units::{Bytes, Duration, Rate, Time};

/// Rate over a window that slides with the packets. Uses only additions, multiplications and divisions of doubles, which give the same
/// result on every machine.
#[derive(Clone, Debug)]
pub(super) struct TimeSlidingWindow {
    /// AVG_INTERVAL, in seconds.
    interval: f64,
    /// avg-rate, in bit/s, as of `front`.
    rate: f64,
    /// Arrival time of the last packet (t-front).
    front: Time,
}

impl TimeSlidingWindow {
    /// A window of this length with the initial rate `target` [RFC2859 s3].
    pub fn new(interval: Duration, target: Rate) -> TimeSlidingWindow {
        TimeSlidingWindow { interval: interval.as_seconds(), rate: target.as_bps() as f64, front: Time::ZERO }
    }

    /// Records a packet of `size`; returns the rate including it, in bit/s [RFC2859 s3].
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes) -> f64 {
        self.rate = self.rate_with(now, size.bits() as f64);
        self.front = now;
        self.rate
    }

    /// Rate at `now` if no packet arrives, in bit/s. Does not change the window.
    pub fn rate(&self, now: Time) -> f64 {
        self.rate_with(now, 0.0)
    }

    /// Rate if `bits` arrive at `now`: the bits of the window plus the new bits, divided by the window plus the time since the last packet.
    #[inline]
    fn rate_with(&self, now: Time, bits: f64) -> f64 {
        (self.rate * self.interval + bits) / (now.since(self.front).as_seconds() + self.interval)
    }
}

/// Reason why `interval` is not a valid window; `None` if it is valid.
pub(super) fn interval_mistake(interval: Duration) -> Option<String> {
    (interval == Duration::ZERO).then(|| "is zero, so that there would be no rate; above 0 s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::at;
    use super::*;

    #[test]
    fn what_the_window_held_counts_beside_the_new_packet() {
        // 8 kbit/s for 1 s are 8000 bits; 1000 bytes after 1 s: (8000 + 8000) / 2 = 8 kbit/s; 1000 more at once: 16 kbit/s.
        let mut window = TimeSlidingWindow::new(Duration::from_secs(1), Rate::from_bps(8_000));
        assert_eq!(window.on_packet(at(1000), Bytes::new(1000)), 8_000.0);
        assert_eq!(window.on_packet(at(1000), Bytes::new(1000)), 16_000.0);
        // A silence of one window halves the rate, and one of three quarters it. Reading changes nothing.
        assert_eq!([2000, 4000, 1000].map(|ms| window.rate(at(ms))), [8_000.0, 4_000.0, 16_000.0]);
    }

    #[test]
    fn a_steady_stream_has_its_rate() {
        // 500 bytes every 4 ms are 1 Mbit/s. Each packet reduces the difference by 4 / 1004: 5e-5 of it remain after 10 s.
        let mut window = TimeSlidingWindow::new(Duration::from_secs(1), Rate::from_bps(100_000));
        let rate = (1..=2500).map(|i| window.on_packet(at(4 * i), Bytes::new(500))).last().expect("packets");
        assert!((rate - (1e6 - 9e5 * (1.0f64 / 1.004).powi(2500))).abs() < 1e-3, "{rate}");
    }
}
