//! The token bucket of the meters, in exact integers.

use crate::units::{Bytes, Duration, Rate, Time, PS_PER_SECOND};

crate::choice! {
    /// Initial level of the buckets.
    pub enum Start {
        /// Full.
        "full" => Full,
        /// Empty.
        "empty" => Empty,
    }
}

/// One bit, in the unit of tokens: 1 bit/s for 1 ps gives one token.
const BIT: u128 = PS_PER_SECOND as u128;

/// A bucket that fills with tokens at a rate and holds at most its depth. Tokens are counted in bit/s x ps, so that filling and taking are
/// exact for all rates and times.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: u64,
    depth: u128,
    level: u128,
    at: Time,
}

impl Bucket {
    /// A bucket of `depth` that fills at `rate`.
    pub fn new(rate: Rate, depth: Bytes, start: Start) -> Bucket {
        let depth = tokens(depth);
        let level = match start {
            Start::Full => depth,
            Start::Empty => 0,
        };
        Bucket { rate: rate.as_bps(), depth, level, at: Time::ZERO }
    }

    /// Fill rate.
    pub fn rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }

    /// Depth.
    pub fn depth(&self) -> Bytes {
        Bytes::new((self.depth / (8 * BIT)) as u64)
    }

    /// Changes the rate and the depth from `now` on; tokens above the new depth are lost.
    pub fn change(&mut self, now: Time, rate: Rate, depth: Bytes) {
        self.settle(now);
        (self.rate, self.depth) = (rate.as_bps(), tokens(depth));
        self.level = self.level.min(self.depth);
    }

    /// Same as [`Bucket::change`], for an optional bucket. A bucket that is added at `now` starts at the level `start`.
    pub fn change_optional(bucket: &mut Option<Bucket>, now: Time, to: Option<(Rate, Bytes)>, start: Start) {
        *bucket = to.map(|(rate, depth)| match bucket.take() {
            Some(mut bucket) => {
                bucket.change(now, rate, depth);
                bucket
            }
            None => Bucket { at: now, ..Bucket::new(rate, depth, start) },
        });
    }

    /// Level at `now`, in whole bytes. Does not change the bucket.
    pub fn fill(&self, now: Time) -> Bytes {
        let level = self.depth.min(self.level + self.inflow(now));
        Bytes::new((level / (8 * BIT)) as u64)
    }

    /// Level at `now`, in bits. Does not change the bucket.
    pub fn bits(&self, now: Time) -> f64 {
        self.depth.min(self.level + self.inflow(now)) as f64 / BIT as f64
    }

    /// Whether the bucket holds the tokens of a packet of `size` at `now`. Does not change the bucket.
    #[inline]
    pub fn holds(&self, now: Time, size: Bytes) -> bool {
        self.depth.min(self.level + self.inflow(now)) >= tokens(size)
    }

    /// Fills the bucket up to `now`; returns the tokens that do not fit.
    #[inline]
    pub fn settle(&mut self, now: Time) -> Overflow {
        let inflow = self.inflow(now);
        self.at = self.at.max(now);
        self.pour(Overflow(inflow))
    }

    /// Adds tokens of another bucket; returns the tokens that do not fit.
    #[inline]
    pub fn pour(&mut self, tokens: Overflow) -> Overflow {
        let level = self.level + tokens.0;
        self.level = level.min(self.depth);
        Overflow(level - self.level)
    }

    /// Takes the tokens of a packet of `size` if the bucket holds them, without filling it first. Returns whether it held them.
    #[inline]
    pub fn take(&mut self, size: Bytes) -> bool {
        let needed = tokens(size);
        let there = self.level >= needed;
        if there {
            self.level -= needed;
        }
        there
    }

    /// First instant, `now` or later, at which the bucket holds the tokens of a packet of `size`, provided that no other packet takes any.
    /// A packet larger than the bucket is ready when the bucket is full. Does not change the bucket.
    #[inline]
    pub fn ready(&self, now: Time, size: Bytes) -> Time {
        let needed = tokens(size).min(self.depth);
        let there = self.depth.min(self.level + self.inflow(now));
        if there >= needed {
            return now;
        }
        match self.rate {
            0 => Time::NEVER,
            rate => self.at.max(now) + Duration::from_ps(u64::try_from((needed - there).div_ceil(u128::from(rate))).unwrap_or(u64::MAX)),
        }
    }

    /// Takes the tokens of a packet of `size` at `now` if it is [ready](Bucket::ready).
    #[inline]
    pub fn spend(&mut self, now: Time, size: Bytes) {
        self.settle(now);
        let needed = tokens(size).min(self.depth);
        if self.level >= needed {
            self.level -= needed;
        }
    }

    #[inline]
    fn inflow(&self, now: Time) -> u128 {
        let span: Duration = now.since(self.at);
        u128::from(self.rate) * u128::from(span.as_ps())
    }
}

/// Tokens that overflow from one bucket into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow(u128);

#[inline]
fn tokens(size: Bytes) -> u128 {
    u128::from(size.bits()) * BIT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn reading_changes_nothing() {
        // 8 kbit/s is a byte a millisecond.
        let bucket = Bucket::new(Rate::from_bps(8_000), Bytes::new(100), Start::Empty);
        assert_eq!(bucket.fill(ms(60)), Bytes::new(60));
        assert_eq!(bucket.fill(ms(7)), Bytes::new(7));
        assert_eq!(bucket.fill(ms(101)), Bytes::new(100));
        assert!(bucket.holds(ms(60), Bytes::new(60)) && !bucket.holds(ms(60), Bytes::new(61)));
    }

    #[test]
    fn packets_are_ready_when_their_tokens_are_there() {
        let mut bucket = Bucket::new(Rate::from_bps(8_000), Bytes::new(100), Start::Full);
        assert_eq!(bucket.ready(ms(5), Bytes::new(100)), ms(5));
        bucket.spend(ms(5), Bytes::new(70));
        assert_eq!(bucket.ready(ms(5), Bytes::new(30)), ms(5));
        assert_eq!(bucket.ready(ms(15), Bytes::new(50)), ms(25));
        bucket.spend(ms(15), Bytes::new(50));
        assert_eq!(bucket.fill(ms(15)), Bytes::new(40), "too early, so nothing is taken");
        // Larger than the bucket: ready when the bucket is full.
        assert_eq!(bucket.ready(ms(15), Bytes::new(101)), ms(75));
        bucket.spend(ms(75), Bytes::new(101));
        assert_eq!(bucket.fill(ms(75)), Bytes::new(0));
        assert_eq!(
            Bucket::new(Rate::from_bps(3), Bytes::new(9), Start::Empty).ready(ms(0), Bytes::new(1)),
            Time::from_ps(2_666_666_666_667)
        );
    }

    #[test]
    fn what_finds_no_place_overflows() {
        let mut bucket = Bucket::new(Rate::from_bps(8_000), Bytes::new(100), Start::Full);
        assert!(bucket.take(Bytes::new(30)));
        let mut other = Bucket::new(Rate::ZERO, Bytes::new(50), Start::Empty);
        other.pour(bucket.settle(ms(40)));
        assert_eq!((bucket.fill(ms(40)), other.fill(ms(40))), (Bytes::new(100), Bytes::new(10)));
    }

    #[test]
    fn no_token_is_lost_to_rounding() {
        // 3 bit/s, updated a million times in 8/3 s at steps that do not divide it.
        let mut bucket = Bucket::new(Rate::from_bps(3), Bytes::new(10), Start::Empty);
        (1..=1_000_000u64).for_each(|i| {
            bucket.settle(Time::from_ps(i * 2_666_666));
        });
        assert!(!bucket.take(Bytes::new(1)));
        bucket.settle(Time::from_ps(2_666_666_666_666));
        assert!(!bucket.take(Bytes::new(1)));
        bucket.settle(Time::from_ps(2_666_666_666_667));
        assert!(bucket.take(Bytes::new(1)));
    }
}
