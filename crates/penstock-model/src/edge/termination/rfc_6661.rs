//! Termination of RFC 6661.

use super::check_intervals;
use super::cut::{CallRate, Cut, Rounding, Victims};
use super::reported::{IngressSetup, Sustained, Trigger};
use crate::edge::EdgeContext;
use crate::parameters::{Check, Count};
use crate::units::Duration;

crate::parameters! {
    /// CL edge behaviour, termination: after two consecutive reports of excess, terminates calls down to the rate not in
    /// excess.
    ///
    /// ## Decides
    /// The egress measures the arriving traffic by mark and reports every `measuring-interval` (T_meas). After a report with
    /// excess-traffic marks, the ingress measures its sending rate S for the same time. If the next report has excess-traffic
    /// marks too, the ingress terminates calls with a total rate of $S - (NM + ThM)$, where NM and ThM are the rates of that
    /// report. It does so once both S and the report are available. Otherwise it terminates none.
    ///
    /// ## State
    /// Three bit counts at the egress; bits, packets and one report at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// - The decision point is the ingress, so requesting the sending rate takes no time. If a third report arrives before the
    ///   sending rate is known, it replaces the second.
    /// - The RFC has no defaults. The default of `measuring-interval` is the lower end of the recommended range [RFC6661
    ///   s3.5.1].
    /// - The RFC leaves the measurement of the sending rate to the implementer [RFC6661 s3.4]; the default of `sample-packets`
    ///   is ours.
    /// - The RFC requires only that enough time passes between two cuts [RFC6661 s3.3.2]; the default of `settle` is ours.
    ///
    /// ## Example
    /// ```toml
    /// termination.rfc-6661 = { measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6661 s3.2, s3.3.2].
    pub struct Parameters {
        /// Length of the egress' measurement for one report and of the ingress' measurement of its sending rate (T_meas); the
        /// RFC recommends 100 to 500 ms.
        measuring_interval: Duration = "100 ms";
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
        check_intervals(mistake, [("measuring-interval", self.measuring_interval)]);
    }
}

impl Parameters {
    pub(super) fn ingress(&self, context: &EdgeContext) -> IngressSetup {
        IngressSetup {
            trigger: Trigger::Excess,
            sustained: Sustained::NotExcess,
            interval: self.measuring_interval,
            sample_packets: self.sample_packets.0,
            settle: self.settle,
            cut: Cut { rounding: self.rounding, call_rate: self.call_rate, mean: context.call_rate },
        }
    }
}
