//! Admission of RFC 6662.

use super::rfc_6661;
use crate::parameters::{Check, Probability};
use crate::units::Duration;

crate::parameters! {
    /// SM edge behaviour, admission: admits calls while the marked share of the egress' last report is below a limit.
    ///
    /// ## Decides
    /// Like `rfc-6661`, but with excess-traffic marks at the admissible rate only: the ingress refuses calls while the marked
    /// share $ETM / (NM + ETM)$ of the last report is at least `cle-limit`, and admits them otherwise.
    ///
    /// ## State
    /// Counts of bits at the egress, one bit at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// The same as for `rfc-6661`, except that this RFC recommends a `cle-limit` of about 5 % [RFC6662 s5.1.1]. A packet with
    /// a threshold mark, which this scheme does not define, counts as marked.
    ///
    /// ## Example
    /// ```toml
    /// admission.rfc-6662 = { measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6662 s3.2, s3.3.1].
    pub struct Parameters {
        /// Length of the egress' measurement for one report (T_meas); the RFC recommends 100 to 500 ms and has no default.
        measuring_interval: Duration = "100 ms";
        /// Marked share from which calls are refused (CLE-limit); the RFC recommends about 5 %.
        cle_limit: Probability = "0.05";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        rfc_6661::check(self.measuring_interval, self.cle_limit, mistake);
    }
}
