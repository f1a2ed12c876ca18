//! Exponential holding times.

use crate::parameters::Check;
use crate::units::Duration;

crate::parameters! {
    /// Exponential: calls last an exponential time.
    ///
    /// ## Decides
    /// Each call's holding time is exponential with mean `mean`.
    ///
    /// ## State
    /// None; one random number per call.
    ///
    /// ## Departures
    /// None. Times are rounded to the picosecond.
    ///
    /// ## Example
    /// ```toml
    /// holding.exponential = { mean = "60 s" }
    /// ```
    ///
    /// ## References
    /// [Satoh10 s10.2].
    pub struct Parameters {
        /// Mean holding time.
        mean: Duration;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        super::check_positive("mean", self.mean, mistake);
    }
}
