//! Termination of RFC 6661.

use super::check_intervals;
use super::cut::{CallRate, Cut, Rounding, Victims};
use super::reported::{IngressSetup, Sustained, Trigger};
use crate::edge::EdgeContext;
use crate::parameters::{Check, Count};
use crate::units::Duration;

crate::parameters! {
    /// CL edge behaviour, termination: two reports of excess in a row end calls down to what was not excess.
    ///
    /// ## Decides
    /// The egress measures what arrives by mark and reports every `measuring-interval` (T_meas). A report with
    /// excess-traffic marks makes the ingress measure what it sends for as long. If the next report has such marks too, calls
    /// worth the sent rate less the reported NM and ThM rates are terminated once both are there; if not, none are.
    ///
    /// ## State
    /// Three counts of bits at the egress; bits, packets and a report at the ingress. Constant cost per packet.
    ///
    /// ## Departures
    /// - The decision point is the ingress, so that asking for the sent rate takes no time. Where a third report comes before
    ///   the sent rate is known, it takes the second's place.
    /// - The RFC has no defaults. `measuring-interval` is the lower end of the range that it recommends [RFC6661 s3.5.1]. How the
    ///   sent rate is measured is left to the implementer [RFC6661 s3.4], and that enough time should pass between two cuts is all
    ///   that it says of `settle` [RFC6661 s3.3.2]: 30 packets and 200 ms are ours.
    ///
    /// ## Example
    /// ```toml
    /// termination.rfc-6661 = { measuring-interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC6661 s3.2, s3.3.2].
    pub struct Parameters {
        /// How long the egress measures for one report, and the ingress what it sends (T_meas); the RFC recommends 100 to
        /// 500 ms.
        measuring_interval: Duration = "100 ms";
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
