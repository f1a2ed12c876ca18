//! Termination of single marking.

use super::check_intervals;
use super::cl::check_newer;
use super::cut::{AfterCut, CallRate, Cut, Rounding, Victims};
use super::sustainable::{EgressSetup, IngressSetup, Newer, Sending};
use crate::edge::admission::cle::Marks;
use crate::edge::ewma::{Ewma, Weighs};
use crate::edge::EdgeContext;
use crate::parameters::{Check, Positive, Probability, Weight};
use crate::units::Duration;

crate::parameters! {
    /// Single marking (SM), termination: terminates calls down to U times the rate that arrives unmarked.
    ///
    /// ## Decides
    /// Like `cl`, but with the excess-traffic marks of the admissible rate. A marked packet starts an interval in which the
    /// egress measures the unmarked rate (SAR). The ingress measures its sending rate S and terminates calls with a total rate
    /// of $S - U SAR$ if that is above zero. With `smoothing`, the egress measures continuously and reports the SAR only while
    /// the moving average of the marked share exceeds $1 - 1/U$.
    ///
    /// ## State
    /// Bits of one interval at each edge, and the average. Constant cost per packet.
    ///
    /// ## Departures
    /// The draft averages the ratio of marked to unmarked traffic, which is unbounded, and compares it with U - 1. Here the
    /// average of the marked share is compared with 1 - 1/U, which is the same condition under a steady load. `settle` and
    /// `after-cut` are not in the draft.
    ///
    /// ## Example
    /// ```toml
    /// termination.sm = { u = 1.2 }
    /// ```
    ///
    /// ## References
    /// [Charny07 s2, s3].
    pub struct Parameters {
        /// Ratio of the supportable to the admissible rate, the same for all links (U); at least 1, and 1.2 or more advised.
        u: Positive = "1.2";
        /// Length of the egress' measurement of the SAR.
        sar_interval: Duration = "100 ms";
        /// Length of the ingress' measurement of the sending rate.
        sending_interval: Duration = "100 ms";
        /// When the ingress measures its sending rate.
        sending: Sending = "after-message";
        /// Effect of a message that arrives during the ingress' measurement.
        newer: Newer = "replaces";
        /// Minimum excess of the sending rate over the rate to keep, as a share of the latter.
        trigger_margin: Probability = "0";
        /// Depth of the cut below the rate to keep, as a share of it.
        cut_margin: Probability = "0";
        /// Time after a cut in which messages are ignored, so that its effect is seen first.
        settle: Duration = "0 ms";
        /// Action of the egress after a cut, on the current interval.
        after_cut: AfterCut = "continue";
        /// Weight of the old value in the average of the marked share, 0.9 in the draft's example; no average if left out.
        smoothing: Option<Weight>;
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
        check_intervals(mistake, [("sar-interval", self.sar_interval), ("sending-interval", self.sending_interval)]);
        check_newer(mistake, self.sending, self.newer);
        if self.smoothing.is_some_and(|weight| weight.0 == 1.0) {
            mistake("smoothing", "1 never takes in a sample; must be below 1".to_owned());
        }
    }
}

/// Reports a mistake if the supportable rate is below the admissible rate.
pub(super) fn check_u(mistake: &mut dyn FnMut(&str, String), u: Positive) {
    if u.0 < 1.0 {
        mistake("u", format!("{} puts the supportable rate below the admissible one; at least 1", u.0));
    }
}

impl Parameters {
    pub(super) fn egress(&self) -> EgressSetup {
        let average = |weight: Weight| (Ewma::new(weight, Weighs::OldValue, 0.0), 1.0 - 1.0 / self.u.0);
        EgressSetup { marks: Marks::Any, interval: self.sar_interval, phase: None, smoothed: self.smoothing.map(average) }
    }

    pub(super) fn ingress(&self, context: &EdgeContext) -> IngressSetup {
        IngressSetup {
            factor: self.u.0,
            trigger_margin: self.trigger_margin.0,
            cut_margin: self.cut_margin.0,
            interval: self.sending_interval,
            sending: self.sending,
            newer: self.newer,
            settle: self.settle,
            after_cut: self.after_cut,
            cut: Cut { rounding: self.rounding, call_rate: self.call_rate, mean: context.call_rate },
        }
    }
}
