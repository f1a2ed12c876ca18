//! Termination of CL.

use super::check_intervals;
use super::cut::{AfterCut, CallRate, Cut, Rounding, Victims};
use super::sustainable::{EgressSetup, IngressSetup, IntervalStart, Newer, Sending};
use crate::edge::admission::cle::Marks;
use crate::edge::EdgeContext;
use crate::parameters::{Check, Probability};
use crate::units::{Duration, Time};

crate::parameters! {
    /// CL, termination: terminates calls down to the rate that arrives unmarked.
    ///
    /// ## Decides
    /// The first packet that arrives marked for pre-emption starts an interval of `sar-interval` at the egress. The rate of
    /// the packets without that mark in the interval is the sustainable aggregate rate (SAR), which the egress reports to the
    /// ingress. The ingress then measures its sending rate S over `sending-interval`. If S exceeds $SAR (1 + E1)$, it
    /// terminates calls with a total rate of $S - SAR (1 - E2)$.
    ///
    /// ## State
    /// Bits of one interval at each edge. Constant cost per packet.
    ///
    /// ## Departures
    /// - [Satoh10] gives only the total interval of 200 ms; the rest is from [Briscoe06].
    /// - The margins of 5 % in [Briscoe06] are zero by default, because the later documents do not mention them.
    /// - The documents do not mention `settle`, which is from [RFC6661], and `after-cut`.
    /// - With `sar-start = "random-phase"` the egress measures continuously. An interval that a restart voids is not reported.
    /// - With `sending = "all-the-time"` and `sar-interval = "200 ms"`, both edges measure at the same time, which is another
    ///   reading of the document.
    ///
    /// ## Example
    /// ```toml
    /// termination.cl = { trigger-margin = 0.05, cut-margin = 0.05 }
    /// ```
    ///
    /// ## References
    /// [Briscoe06 flow pre-emption], [Satoh10 s10.3, s10.5].
    pub struct Parameters {
        /// Length of the egress' measurement of the SAR.
        sar_interval: Duration = "100 ms";
        /// Start of the egress' measurements.
        sar_start: IntervalStart = "marked-packet";
        /// Length of the ingress' measurement of the sending rate.
        sending_interval: Duration = "100 ms";
        /// When the ingress measures its sending rate.
        sending: Sending = "after-message";
        /// Effect of a message that arrives during the ingress' measurement.
        newer: Newer = "replaces";
        /// Minimum excess of the sending rate over the SAR, as a share of the SAR (E1).
        trigger_margin: Probability = "0";
        /// Depth of the cut below the SAR, as a share of the SAR (E2).
        cut_margin: Probability = "0";
        /// Time after a cut in which messages are ignored, so that its effect is seen first.
        settle: Duration = "0 ms";
        /// Action of the egress after a cut, on the current interval.
        after_cut: AfterCut = "continue";
        /// Marks that start an interval; packets without them count in the SAR.
        marks: Marks = "excess";
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
        check_intervals(mistake, [("sar-interval", self.sar_interval), ("sending-interval", self.sending_interval)]);
        check_newer(mistake, self.sending, self.newer);
    }
}

/// Reports a mistake if `newer` is set although there is no measurement interval.
pub(super) fn check_newer(mistake: &mut dyn FnMut(&str, String), sending: Sending, newer: Newer) {
    if sending == Sending::AllTheTime && newer == Newer::Ignored {
        mistake("newer", "has no effect with sending = \"all-the-time\"; leave it out".to_owned());
    }
}

impl Parameters {
    pub(super) fn egress(&self, context: &EdgeContext) -> EgressSetup {
        let interval = self.sar_interval;
        let mut phases = context.site.key.child("sar-phase").stream();
        let phase = (self.sar_start == IntervalStart::RandomPhase).then(|| Time::from_ps(phases.below(interval.as_ps())));
        EgressSetup { marks: self.marks, interval, phase, smoothed: None }
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
