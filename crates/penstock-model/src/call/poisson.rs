//! Poisson arrivals.

use crate::parameters::Check;
use crate::units::Duration;

crate::parameters! {
    /// Poisson: calls arrive one by one, at exponential intervals.
    ///
    /// ## Decides
    /// The time to each call, the first included, is exponential with mean `interval`.
    ///
    /// ## State
    /// None; one random number per call.
    ///
    /// ## Departures
    /// None. Times are rounded to the picosecond.
    ///
    /// ## Example
    /// ```toml
    /// arrivals.poisson = { interval = "12 ms" }
    /// ```
    ///
    /// ## References
    /// [Satoh10 s10.2, s11.3].
    pub struct Parameters {
        /// Mean time between calls of one aggregate.
        interval: Duration;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        super::check_positive("interval", self.interval, mistake);
    }
}
