//! Integer types in which buckets count.

use std::fmt::Debug;
use std::hint::select_unpredictable;

/// An unsigned integer of 64 bits, or of 128 if 64 do not suffice. Arithmetic saturates.
pub trait BucketInteger: Copy + Ord + Debug + Send + 'static {
    /// Zero.
    const ZERO: Self;

    /// Converts `value`; `None` if it does not fit.
    fn new(value: u128) -> Option<Self>;

    /// The value as 128 bits.
    fn value(self) -> u128;

    /// `a` times `b`, at most the maximum of the type.
    fn product(a: u64, b: u64) -> Self;

    /// Sum, at most the maximum of the type.
    fn plus(self, other: Self) -> Self;

    /// Difference, at least zero.
    fn less(self, other: Self) -> Self;
}

impl BucketInteger for u64 {
    const ZERO: u64 = 0;

    fn new(value: u128) -> Option<u64> {
        u64::try_from(value).ok()
    }

    #[inline]
    fn value(self) -> u128 {
        u128::from(self)
    }

    #[inline]
    fn product(a: u64, b: u64) -> u64 {
        a.saturating_mul(b)
    }

    #[inline]
    fn plus(self, other: u64) -> u64 {
        self.saturating_add(other)
    }

    #[inline]
    fn less(self, other: u64) -> u64 {
        // Whether a bucket is full is unpredictable, so a branch would often be mispredicted.
        select_unpredictable(self > other, self.wrapping_sub(other), 0)
    }
}

impl BucketInteger for u128 {
    const ZERO: u128 = 0;

    fn new(value: u128) -> Option<u128> {
        Some(value)
    }

    #[inline]
    fn value(self) -> u128 {
        self
    }

    #[inline]
    fn product(a: u64, b: u64) -> u128 {
        u128::from(a) * u128::from(b)
    }

    #[inline]
    fn plus(self, other: u128) -> u128 {
        self.saturating_add(other)
    }

    #[inline]
    fn less(self, other: u128) -> u128 {
        self.saturating_sub(other)
    }
}
