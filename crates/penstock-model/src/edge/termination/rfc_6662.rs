//! Termination of RFC 6662.

use super::check_intervals;
use super::cut::{CallRate, Cut, Rounding, Victims};
use super::reported::{IngressSetup, Sustained, Trigger};
use super::sm::check_u;
use crate::edge::EdgeContext;
use crate::parameters::{Check, Count, Positive, Probability};
use crate::units::Duration;

crate::parameters! {
    /// SM edge behaviour, termination: calls end down to U times what arrived without a mark.
    ///
    /// ## Decides
    /// The egress measures what arrives by mark and reports every `measuring-interval` (T_meas). A report whose marked share
    /// is `cle-limit` or more, the state in which calls are refused, makes the ingress measure what it sends for as long. If
    /// the next report has excess-traffic marks too, calls worth the sent rate less U times the reported NM rate are
    /// terminated, if that is above zero.
    ///
    /// ## State
    /// Counts of bits at the egress; bits, packets and a report at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// Those of `rfc-6661`. The RFC has no defaults; 1.2 is the lower end of what it finds reasonable for U, 1.2 to 2, and a
    /// `cle-limit` of about 5 % is what it recommends [RFC6662 s5.1.1].
    ///
    /// ## Example
    /// ```toml
    /// termination.rfc-6662 = { u = 1.2, measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6662 s3.2, s3.3.2].
    pub struct Parameters {
        /// Supportable over admissible rate, the same for all links (U).
        u: Positive = "1.2";
        /// How long the egress measures for one report, and the ingress what it sends (T_meas); the RFC recommends 100 to
        /// 500 ms.
        measuring_interval: Duration = "100 ms";
        /// Marked share from which termination is considered (CLE-limit).
        cle_limit: Probability = "0.05";
        /// The fewest packets in the ingress' measurement, which goes on until they are there.
        sample_packets: Count = "30";
        /// After a cut, how long reports begin no other, so that its effect is seen first.
        settle: Duration = "200 ms";
        /// How amounts are made into whole calls.
        rounding: Rounding = "nearest";
        /// What one call is taken to send.
        call_rate: CallRate = "mean";
        /// Which calls are terminated.
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
