//! CL's termination.

use super::check_intervals;
use super::cut::{AfterCut, CallRate, Cut, Rounding, Victims};
use super::sustainable::{EgressSetup, IngressSetup, Newer, Sending};
use crate::edge::admission::cle::Marks;
use crate::edge::EdgeContext;
use crate::parameters::{Check, Probability};
use crate::units::Duration;

crate::parameters! {
    /// CL, termination: calls end down to the rate that arrived without a mark.
    ///
    /// ## Decides
    /// The first packet that arrives marked for pre-emption begins an interval of `sar-interval`; the rate of the packets in
    /// it without that mark is the sustainable aggregate rate (SAR), which is told to the ingress. That measures its sending
    /// rate S for `sending-interval` and terminates calls worth S - SAR (1 - E2) if S exceeds SAR (1 + E1).
    ///
    /// ## State
    /// Bits of an interval at each edge. Constant cost per packet.
    ///
    /// ## Departures
    /// [Satoh10] names only the interval of 200 ms in all; the rest is of [Briscoe06], whose margins of 5 % are zero here, as
    /// the later documents do not mention them. Nor do they mention `settle`, which is [RFC6661]'s, and `after-cut`. `sending = "all-the-time"`
    /// with `sar-interval = "200 ms"` is the reading in which both edges measure at the same time.
    ///
    /// ## Example
    /// ```toml
    /// termination.cl = { trigger-margin = 0.05, cut-margin = 0.05 }
    /// ```
    ///
    /// ## References
    /// [Briscoe06 flow pre-emption], [Satoh10 s10.3, s10.5].
    pub struct Parameters {
        /// How long the egress measures what may stay.
        sar_interval: Duration = "100 ms";
        /// How long the ingress measures what it sends.
        sending_interval: Duration = "100 ms";
        /// When the ingress measures.
        sending: Sending = "after-message";
        /// What a second message does while the ingress measures for a first.
        newer: Newer = "replaces";
        /// How far the sending rate must exceed the SAR, as a share of it (E1).
        trigger_margin: Probability = "0";
        /// How far below the SAR the cut goes, as a share of it (E2).
        cut_margin: Probability = "0";
        /// After a cut, how long messages are ignored, so that its effect is seen first.
        settle: Duration = "0 ms";
        /// What the egress does about the interval that runs at a cut.
        after_cut: AfterCut = "continue";
        /// Which marks make a packet one too many.
        marks: Marks = "excess";
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
        check_intervals(mistake, [("sar-interval", self.sar_interval), ("sending-interval", self.sending_interval)]);
        check_newer(mistake, self.sending, self.newer);
    }
}

/// Reports a rule for messages during an interval that there is not.
pub(super) fn check_newer(mistake: &mut dyn FnMut(&str, String), sending: Sending, newer: Newer) {
    if sending == Sending::AllTheTime && newer == Newer::Ignored {
        mistake("newer", "has no effect with sending = \"all-the-time\"; leave it out".to_owned());
    }
}

impl Parameters {
    pub(super) fn egress(&self) -> EgressSetup {
        EgressSetup { marks: self.marks, interval: self.sar_interval, smoothed: None }
    }

    pub(super) fn ingress(&self, context: &EdgeContext) -> IngressSetup {
        IngressSetup {
            factor: 1.0,
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
