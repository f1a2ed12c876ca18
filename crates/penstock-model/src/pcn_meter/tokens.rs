//! Tokens, the unit in which PCN meters count.

use crate::units::{Bytes, PS_PER_SECOND};

/// Number of tokens, in bit/s x ps: 10^12 tokens are one bit.
pub type Tokens = u128;

/// Tokens per byte.
pub(super) const PER_BYTE: u64 = 8 * PS_PER_SECOND;

/// Tokens of a packet of `size`.
#[inline]
pub fn tokens(size: Bytes) -> Tokens {
    u128::from(size.get()) * u128::from(PER_BYTE)
}
