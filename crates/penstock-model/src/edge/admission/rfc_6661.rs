//! Admission of RFC 6661.

use crate::parameters::{Check, Probability};
use crate::units::Duration;

crate::parameters! {
    /// CL edge behaviour, admission: admits calls while the marked share of the egress' last report is below a limit.
    ///
    /// ## Decides
    /// The egress measures the arriving traffic by mark and reports every `measuring-interval` (T_meas). The ingress refuses
    /// calls while the marked share $(ThM + ETM) / (NM + ThM + ETM)$ of the last report is at least `cle-limit`. Otherwise,
    /// and before the first report, it admits them. It sends no requests to the egress.
    ///
    /// ## State
    /// Three counts of bits at the egress, one bit at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// - There is no report suppression [RFC6661 s3.2.3]. The reports of an idle aggregate stop after the first one without
    ///   traffic.
    /// - There is no timer for missing reports (T_fail) [RFC6661 s3.3.3].
    /// - The decision point is the ingress.
    /// - The RFC has no defaults. The default of `measuring-interval` is the lower end of the recommended range [RFC6661
    ///   s3.5.1]. The default of `cle-limit` is 5 %; according to the RFC, admission is not very sensitive to it [RFC6661
    ///   s5.1.1].
    ///
    /// ## Example
    /// ```toml
    /// admission.rfc-6661 = { measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6661 s3.2, s3.3.1].
    pub struct Parameters {
        /// Length of the egress' measurement for one report (T_meas); the RFC recommends 100 to 500 ms and has no default.
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

/// Checks the parameters common to RFC 6661 and RFC 6662.
pub(super) fn check(measuring_interval: Duration, cle_limit: Probability, mistake: &mut dyn FnMut(&str, String)) {
    if measuring_interval == Duration::ZERO {
        mistake("measuring-interval", "must be above zero".to_owned());
    }
    if cle_limit.0 == 0.0 {
        mistake("cle-limit", "0 refuses every call after the first report; must be above zero".to_owned());
    }
}
