//! The token bucket of the PCN meters, in exact integers. Unlike the bucket of the colour markers it may give less than a
//! packet needs or go into debt, and its thresholds are seldom whole bytes.

use super::depth::Depth;
use crate::meter::bucket::Start;
use crate::units::{Bytes, Rate, Time, PS_PER_SECOND};

/// Tokens, counted in bit/s x ps: 10^12 of them are a bit.
pub type Tokens = i128;

/// The tokens of a packet of `size`.
#[inline]
pub fn tokens(size: Bytes) -> Tokens {
    i128::from(size.bits()) * i128::from(PS_PER_SECOND)
}

/// A bucket that fills with tokens at a rate and holds no more than its size.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: u64,
    size: Tokens,
    fill: Tokens,
    at: Time,
}

impl Bucket {
    /// A bucket of `size` that fills at `rate`.
    pub fn new(rate: Rate, size: Depth, start: Start) -> Bucket {
        let size = size.at(rate);
        let fill = match start {
            Start::Full => size,
            Start::Empty => 0,
        };
        Bucket { rate: rate.as_bps(), size, fill, at: Time::ZERO }
    }

    /// Brings the bucket to `now`.
    #[inline]
    pub fn settle(&mut self, now: Time) {
        self.fill = self.fill_at(now);
        self.at = self.at.max(now);
    }

    /// What it holds, as of the last [`Bucket::settle`].
    #[inline]
    pub fn fill(&self) -> Tokens {
        self.fill
    }

    /// What it can hold.
    #[inline]
    pub fn size(&self) -> Tokens {
        self.size
    }

    /// Takes the tokens of a packet of `size`, or what there is.
    #[inline]
    pub fn remove(&mut self, size: Bytes) {
        self.fill = (self.fill - tokens(size)).max(0);
    }

    /// Takes the tokens of a packet of `size`, into debt if need be.
    #[inline]
    pub fn owe(&mut self, size: Bytes) {
        self.fill -= tokens(size);
    }

    /// What it holds at `now`. Reading changes nothing.
    #[inline]
    pub fn fill_at(&self, now: Time) -> Tokens {
        // The product of two u64 fits: below 2^127 up to 10^19 bit/s.
        let inflow = (u128::from(self.rate) * u128::from(now.since(self.at).as_ps())) as i128;
        self.size.min(self.fill + inflow)
    }
}

/// Tokens as bits, for probes.
pub fn bits(tokens: Tokens) -> f64 {
    tokens as f64 / PS_PER_SECOND as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    #[test]
    fn the_fill_is_exact_and_bounded() {
        // 8 kbit/s is a byte a millisecond.
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut bucket = Bucket::new(Rate::from_bps(8_000), Depth::Time(Duration::from_ms(100)), Start::Full);
        assert_eq!((bits(bucket.size()), bits(bucket.fill())), (800.0, 800.0));
        bucket.settle(at(5));
        bucket.remove(Bytes::new(70));
        assert_eq!((bits(bucket.fill_at(at(10))), bits(bucket.fill_at(at(200)))), (280.0, 800.0));
        bucket.remove(Bytes::new(31));
        assert_eq!(bucket.fill(), 0);
        bucket.owe(Bytes::new(4));
        bucket.settle(at(6));
        assert_eq!(bits(bucket.fill()), -24.0);
        assert_eq!(Bucket::new(Rate::from_bps(8_000), Depth::Bytes(Bytes::new(9)), Start::Empty).fill(), 0);
    }
}
