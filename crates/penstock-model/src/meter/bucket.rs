//! The token bucket that the meters are made of, in exact integers.

use crate::units::{Bytes, Duration, Rate, Time, PS_PER_SECOND};

crate::choice! {
    /// What the buckets hold at the beginning.
    pub enum Start {
        /// As many tokens as fit.
        "full" => Full,
        /// Nothing.
        "empty" => Empty,
    }
}

/// One bit, in the unit of tokens: 1 bit/s for 1 ps gives one token.
const BIT: u128 = PS_PER_SECOND as u128;

/// A bucket that fills with tokens at a rate and holds no more than its depth. Tokens are counted in bit/s x ps, so filling
/// and taking are exact whatever the rate and the instants.
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

    /// What the bucket holds at `now`, in whole bytes. Reading changes nothing.
    pub fn fill(&self, now: Time) -> Bytes {
        let level = self.depth.min(self.level + self.inflow(now));
        Bytes::new((level / (8 * BIT)) as u64)
    }

    /// Whether a packet of `size` finds its tokens at `now`. Reading changes nothing.
    #[inline]
    pub fn holds(&self, now: Time, size: Bytes) -> bool {
        self.depth.min(self.level + self.inflow(now)) >= tokens(size)
    }

    /// Brings the bucket to `now` and gives back the tokens that found no place.
    #[inline]
    pub fn settle(&mut self, now: Time) -> Overflow {
        let inflow = self.inflow(now);
        self.at = self.at.max(now);
        self.pour(Overflow(inflow))
    }

    /// Adds tokens from elsewhere and gives back those that found no place.
    #[inline]
    pub fn pour(&mut self, tokens: Overflow) -> Overflow {
        let level = self.level + tokens.0;
        self.level = level.min(self.depth);
        Overflow(level - self.level)
    }

    /// Takes the tokens of a packet of `size` if all are there, as of the last [`Bucket::settle`].
    #[inline]
    pub fn take(&mut self, size: Bytes) -> bool {
        let needed = tokens(size);
        let there = self.level >= needed;
        if there {
            self.level -= needed;
        }
        there
    }

    #[inline]
    fn inflow(&self, now: Time) -> u128 {
        let span: Duration = now.since(self.at);
        u128::from(self.rate) * u128::from(span.as_ps())
    }
}

/// Tokens on their way from one bucket to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow(u128);

#[inline]
fn tokens(size: Bytes) -> u128 {
    u128::from(size.bits()) * BIT
}
