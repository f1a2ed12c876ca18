//! The unit in which PCN meters count.

use crate::units::{Bytes, PS_PER_SECOND};

/// Tokens, counted in bit/s x ps: 10^12 of them are a bit.
pub type Tokens = u128;

/// The tokens of a byte.
pub(super) const PER_BYTE: u64 = 8 * PS_PER_SECOND;

/// The tokens of a packet of `size`.
#[inline]
pub fn tokens(size: Bytes) -> Tokens {
    u128::from(size.get()) * u128::from(PER_BYTE)
}
