//! Quantized congestion notification (QCN) [IEEE8021Qau].

pub mod congestion_point;
pub mod rate_limiter;
pub mod reaction_point;

use crate::rng::Stream;

/// Largest quantised feedback: six bits.
pub const MAX_FEEDBACK: u8 = 63;

/// Random multiple of `mean`, uniform between 1 - `jitter` and 1 + `jitter`. Without jitter no random number is drawn.
fn jittered(mean: u64, jitter: f64, stream: &mut Stream) -> u64 {
    if jitter == 0.0 {
        return mean;
    }
    let factor = 1.0 + jitter * (2.0 * stream.unit() - 1.0);
    (libm::round(mean as f64 * factor) as u64).max(1)
}
