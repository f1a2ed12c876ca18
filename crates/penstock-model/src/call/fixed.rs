//! Fixed holding times.

use crate::parameters::Check;
use crate::units::Duration;

crate::parameters! {
    /// Fixed: all calls last the same time.
    ///
    /// ## Decides
    /// Each call ends `time` after it begins.
    ///
    /// ## State
    /// None.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// holding.fixed = { time = "60 s" }
    /// ```
    ///
    /// ## References
    /// None. Serves to check that the blocking of a loss system does not depend on the distribution of the holding time.
    pub struct Parameters {
        /// Holding time of a call.
        time: Duration;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        super::check_positive("time", self.time, mistake);
    }
}
