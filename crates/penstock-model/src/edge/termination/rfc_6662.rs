//! Termination of RFC 6662.

use super::check_intervals;
use super::cut::{CallRate, Cut, Rounding, Victims};
use super::reported::{IngressSetup, Sustained, Trigger};
use super::sm::check_u;
use crate::edge::EdgeContext;
use crate::parameters::{Check, Count, Positive, Probability};
use crate::units::Duration;

crate::parameters! {
    /// SM edge behaviour, termination: terminates calls down to U times the rate that arrives unmarked.
    ///
    /// ## Decides
    /// The egress measures the arriving traffic by mark and reports every `measuring-interval` (T_meas). After a report whose
    /// marked share is at least `cle-limit` (the state in which calls are refused), the ingress measures its sending rate S
    /// for the same time. If the next report has excess-traffic marks, the ingress terminates calls with a total rate of
    /// $S - U NM$, with the NM rate of that report, if that is above zero.
    ///
    /// ## State
    /// Bit counts at the egress; bits, packets and one report at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// The same as for `rfc-6661`. The RFC has no defaults. The default of `u` is the lower end of the range that it finds
    /// reasonable, 1.2 to 2. It recommends a `cle-limit` of about 5 % [RFC6662 s5.1.1].
    ///
    /// ## Example
    /// ```toml
    /// termination.rfc-6662 = { u = 1.2, measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6662 s3.2, s3.3.2].
    pub struct Parameters {
        /// Ratio of the supportable to the admissible rate, the same for all links (U).
        u: Positive = "1.2";
        /// Length of the egress' measurement for one report and of the ingress' measurement of its sending rate (T_meas); the
        /// RFC recommends 100 to 500 ms.
        measuring_interval: Duration = "100 ms";
        /// Marked share from which termination is considered (CLE-limit).
        cle_limit: Probability = "0.05";
        /// Minimum number of packets in the ingress' measurement, which is extended until they have been sent.
        sample_packets: Count = "30";
        /// Time after a cut in which reports cause no further cut, so that its effect is seen first.
        settle: Duration = "200 ms";
        /// Rounding to a whole number of calls.
        rounding: Rounding = "nearest";
        /// Rate assumed for one call.
        call_rate: CallRate = "mean";
        /// Calls to terminate.
        victims: Victims = "random";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_u(mistake, self.u);
        check_intervals(mistake, [("measuring-interval", self.measuring_interval)]);
    }
}

impl Parameters {
    pub(super) fn ingress(&self, context: &EdgeContext) -> IngressSetup {
        IngressSetup {
            trigger: Trigger::Level(self.cle_limit.0),
            sustained: Sustained::TimesUnmarked(self.u.0),
            interval: self.measuring_interval,
            sample_packets: self.sample_packets.0,
            settle: self.settle,
            cut: Cut { rounding: self.rounding, call_rate: self.call_rate, mean: context.call_rate },
        }
    }
}
