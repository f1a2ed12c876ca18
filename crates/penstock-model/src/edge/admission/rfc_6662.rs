//! Admission of RFC 6662.

use super::rfc_6661;
use crate::parameters::{Check, Probability};
use crate::units::Duration;

crate::parameters! {
    /// SM edge behaviour, admission: the egress' last report says whether calls may begin.
    ///
    /// ## Decides
    /// As `rfc-6661`, with excess-traffic marks at the admissible rate only: while the marked share ETM/(NM + ETM) of the
    /// last report is `cle-limit` or more, the ingress refuses calls, else it admits them.
    ///
    /// ## State
    /// Counts of bits at the egress, one bit at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// Those of `rfc-6661`, but a `cle-limit` of about 5 % is what this RFC recommends [RFC6662 s5.1.1]. A threshold mark, which
    /// this scheme does not know, counts as marked.
    ///
    /// ## Example
    /// ```toml
    /// admission.rfc-6662 = { measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6662 s3.2, s3.3.1].
    pub struct Parameters {
        /// How long the egress measures for one report (T_meas); the RFC recommends 100 to 500 ms and has no default.
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
