//! Measurement of rates at the edges.

use crate::units::{Bytes, Duration, Rate, Time, PS_PER_SECOND};
use std::collections::VecDeque;

/// Returns `bits` per `span` as a rate, rounded to the nearest bit/s; zero if `span` is zero.
pub fn rate(bits: u64, span: Duration) -> Rate {
    let ps = u128::from(span.as_ps());
    if ps == 0 {
        return Rate::ZERO;
    }
    let scaled = u128::from(bits) * u128::from(PS_PER_SECOND);
    Rate::from_bps(u64::try_from((scaled + ps / 2) / ps).unwrap_or(u64::MAX))
}

/// Counts bits in one interval.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    from: Time,
    until: Time,
    bits: u64,
}

impl Interval {
    /// An interval of `length` that starts now.
    pub fn new(now: Time, length: Duration) -> Interval {
        Interval::between(now, now + length)
    }

    /// An interval with these ends.
    pub fn between(from: Time, until: Time) -> Interval {
        Interval { from, until, bits: 0 }
    }

    /// End of the interval.
    #[inline]
    pub fn until(&self) -> Time {
        self.until
    }

    /// Moves the end of the interval.
    pub fn extend(&mut self, until: Time) {
        self.until = until;
    }

    /// Counts a packet.
    #[inline]
    pub fn add(&mut self, size: Bytes) {
        self.bits += size.bits();
    }

    /// Bits counted so far.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Mean rate from the start of the interval to `now`.
    pub fn rate(&self, now: Time) -> Rate {
        rate(self.bits, now.since(self.from))
    }
}

/// Exact rate over a sliding window; stores the packets of the window.
#[derive(Clone, Debug)]
pub struct Sliding {
    window: Duration,
    /// Packets of the window and some earlier ones: arrival time, and total bits up to and including the packet.
    packets: VecDeque<(Time, u64)>,
    bits: u64,
    /// Total bits before the first of `packets`.
    forgotten: u64,
}

impl Sliding {
    /// A meter over the last `window`.
    pub fn new(window: Duration) -> Sliding {
        Sliding { window, packets: VecDeque::new(), bits: 0, forgotten: 0 }
    }

    /// Counts a packet.
    #[inline]
    pub fn add(&mut self, now: Time, size: Bytes) {
        if self.packets.len() == self.packets.capacity() {
            self.forget(now);
        }
        self.bits += size.bits();
        self.packets.push_back((now, self.bits));
    }

    /// Rate over the window that ends at `now`. The window excludes its start and includes `now`.
    pub fn rate(&mut self, now: Time) -> Rate {
        self.forget(now);
        rate(self.bits - self.forgotten, self.window)
    }

    #[cold]
    fn forget(&mut self, now: Time) {
        let past = self.packets.partition_point(|(at, _)| now.since(*at) >= self.window);
        if let Some((_, bits)) = self.packets.drain(..past).next_back() {
            self.forgotten = bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn rates_are_rounded_to_the_nearest_bit() {
        assert_eq!(rate(1280, Duration::from_ms(20)), Rate::from_bps(64_000));
        assert_eq!(rate(2, Duration::from_secs(3)), Rate::from_bps(1));
        assert_eq!(rate(1, Duration::from_secs(3)), Rate::ZERO);
        assert_eq!(rate(1, Duration::ZERO), Rate::ZERO);
    }

    #[test]
    fn an_interval_counts_from_its_beginning() {
        let mut interval = Interval::new(at(50), Duration::from_ms(100));
        (0..10).for_each(|_| interval.add(Bytes::new(125)));
        assert_eq!((interval.until(), interval.bits()), (at(150), 10_000));
        assert_eq!((interval.rate(at(150)), interval.rate(at(100))), (Rate::from_bps(100_000), Rate::from_bps(200_000)));
    }

    #[test]
    fn a_window_holds_what_came_after_its_beginning() {
        // 125 bytes a millisecond are 1 Mbit/s.
        let mut window = Sliding::new(Duration::from_ms(10));
        (0..=20).for_each(|ms| window.add(at(ms), Bytes::new(125)));
        assert_eq!(window.rate(at(20)), Rate::from_bps(1_000_000));
        assert_eq!(window.packets.len(), 10);
        assert_eq!(window.rate(at(25)), Rate::from_bps(500_000));
        assert_eq!((window.rate(at(30)), window.packets.len()), (Rate::ZERO, 0));
    }

    #[test]
    fn a_window_that_nobody_asks_forgets_all_the_same() {
        let mut window = Sliding::new(Duration::from_ms(10));
        (0..100_000).for_each(|ms| window.add(at(ms), Bytes::new(125)));
        assert!(window.packets.capacity() <= 32, "{}", window.packets.capacity());
        assert_eq!(window.rate(at(100_004)), Rate::from_bps(500_000));
    }
}
