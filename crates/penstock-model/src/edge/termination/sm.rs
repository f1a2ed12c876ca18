//! Single marking's termination.

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
    /// Single marking (SM), termination: calls end down to U times the rate that arrived without a mark.
    ///
    /// ## Decides
    /// As `cl`, with the excess-traffic marks of the admissible rate: a marked packet begins an interval in which the egress
    /// measures the unmarked rate (SAR); the ingress measures its sending rate S and terminates calls worth S - U SAR if
    /// that is above zero. With `smoothing` the egress measures all the time and tells the SAR only while a moving average
    /// of the marked share says that marked traffic exceeds U - 1 times the unmarked.
    ///
    /// ## State
    /// Bits of an interval at each edge, and the average. Constant cost per packet.
    ///
    /// ## Departures
    /// The draft averages marked over unmarked traffic, which has no bound; here it is marked over all, compared with
    /// 1 - 1/U, which is the same condition on a steady load. `settle` and `after-cut` are not the draft's.
    ///
    /// ## Example
    /// ```toml
    /// termination.sm = { u = 1.2 }
    /// ```
    ///
    /// ## References
    /// [Charny07 s2, s3].
    pub struct Parameters {
        /// Supportable over admissible rate, the same for all links (U); at least 1, and 1.2 or more advised.
        u: Positive = "1.2";
        /// How long the egress measures what may stay.
        sar_interval: Duration = "100 ms";
        /// How long the ingress measures what it sends.
        sending_interval: Duration = "100 ms";
        /// When the ingress measures.
        sending: Sending = "after-message";
        /// What a second message does while the ingress measures for a first.
        newer: Newer = "replaces";
        /// How far the sending rate must exceed the rate to keep, as a share of it.
        trigger_margin: Probability = "0";
        /// How far below the rate to keep the cut goes, as a share of it.
        cut_margin: Probability = "0";
        /// After a cut, how long messages are ignored, so that its effect is seen first.
        settle: Duration = "0 ms";
        /// What the egress does about the interval that runs at a cut.
        after_cut: AfterCut = "continue";
        /// Weight of the past in the average of the marked share, 0.9 in the draft's example; left out, there is no average.
        smoothing: Option<Weight>;
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
        check_intervals(mistake, [("sar-interval", self.sar_interval), ("sending-interval", self.sending_interval)]);
        check_newer(mistake, self.sending, self.newer);
        if self.smoothing.is_some_and(|weight| weight.0 == 1.0) {
            mistake("smoothing", "1 never takes in a sample; must be below 1".to_owned());
        }
    }
}

/// Reports a supportable rate below the admissible one.
pub(super) fn check_u(mistake: &mut dyn FnMut(&str, String), u: Positive) {
    if u.0 < 1.0 {
        mistake("u", format!("{} puts the supportable rate below the admissible one; at least 1", u.0));
    }
}

impl Parameters {
    pub(super) fn egress(&self) -> EgressSetup {
        let average = |weight: Weight| (Ewma::new(weight, Weighs::OldValue, 0.0), 1.0 - 1.0 / self.u.0);
        EgressSetup { marks: Marks::Any, interval: self.sar_interval, smoothed: self.smoothing.map(average) }
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
