//! Admission of RFC 6661.

use crate::parameters::{Check, Probability};
use crate::units::Duration;

crate::parameters! {
    /// CL edge behaviour, admission: the egress' last report says whether calls may begin.
    ///
    /// ## Decides
    /// The egress measures what arrives by mark and reports every `measuring-interval` (T_meas). While the marked share
    /// (ThM + ETM)/(NM + ThM + ETM) of the last report is `cle-limit` or more, the ingress refuses calls, else it admits
    /// them, without asking. Before the first report calls are admitted.
    ///
    /// ## State
    /// Three counts of bits at the egress, one bit at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// - There is no report suppression [RFC6661 s3.2.3], but the reports of an idle aggregate stop after one that says so. Nor
    ///   is there a timer for missing reports (T_fail) [RFC6661 s3.3.3].
    /// - The decision point is the ingress.
    /// - The RFC has no defaults for T_meas and CLE-limit. Ours are the lower end of the range that it recommends for T_meas
    ///   [RFC6661 s3.5.1], and 5 %; to the latter, it says, admission is not very sensitive [RFC6661 s5.1.1].
    ///
    /// ## Example
    /// ```toml
    /// admission.rfc-6661 = { measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6661 s3.2, s3.3.1].
    pub struct Parameters {
        /// How long the egress measures for one report (T_meas); the RFC recommends 100 to 500 ms and has no default.
        measuring_interval: Duration = "100 ms";
        /// Marked share from which calls are refused (CLE-limit); the RFC has no default.
        cle_limit: Probability = "0.05";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check(self.measuring_interval, self.cle_limit, mistake);
    }
}

/// What RFC 6661 and RFC 6662 require of both.
pub(super) fn check(measuring_interval: Duration, cle_limit: Probability, mistake: &mut dyn FnMut(&str, String)) {
    if measuring_interval == Duration::ZERO {
        mistake("measuring-interval", "must be above zero".to_owned());
    }
    if cle_limit.0 == 0.0 {
        mistake("cle-limit", "0 refuses every call after the first report; must be above zero".to_owned());
    }
}
