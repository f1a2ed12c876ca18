//! Arrivals in batches.

use crate::parameters::{Check, Positive};
use crate::rng::Stream;
use crate::units::Duration;

crate::parameters! {
    /// Batches: several calls arrive at once, at exponential intervals.
    ///
    /// ## Decides
    /// The time to each batch is exponential with mean `interval`. A batch has k + 1 calls (k = 0, 1, ...) with probability
    /// $(1/m) (1 - 1/m)^k$, where m is `mean-size`.
    ///
    /// ## State
    /// None; two random numbers per batch.
    ///
    /// ## Departures
    /// The drafts give only the mean, 5; geometric sizes are the usual reading.
    ///
    /// ## Example
    /// ```toml
    /// arrivals.batch = { interval = "60 ms", mean-size = 5 }
    /// ```
    ///
    /// ## References
    /// [Charny07 appendix A], [Zhang07 s3].
    pub struct Parameters {
        /// Mean time between batches of one aggregate.
        interval: Duration;
        /// Mean calls in a batch (m), at least 1; default of the drafts.
        mean_size: Positive = "5";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        super::check_positive("interval", self.interval, mistake);
        if self.mean_size.0 < 1.0 {
            mistake("mean-size", format!("{} is less than a call; at least 1", self.mean_size.0));
        }
        if self.mean_size.0 > 1e6 {
            mistake("mean-size", format!("{} is out of range; at most 1000000", self.mean_size.0));
        }
    }
}

impl Parameters {
    /// Draws the size of a batch by inversion.
    pub(super) fn size(&self, stream: &mut Stream) -> u32 {
        if self.mean_size.0 == 1.0 {
            return 1;
        }
        let more = libm::floor(libm::log(stream.open_unit()) / libm::log1p(-1.0 / self.mean_size.0));
        1 + more as u32
    }
}
