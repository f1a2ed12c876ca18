//! Parameters of termination with single threshold marking.

use crate::edge::termination::check_intervals;
use crate::edge::termination::cut::{AfterCut, CallRate, Rounding, Victims};
use crate::parameters::{Check, Count, Probability};
use crate::units::{Duration, Rate};

crate::parameters! {
    /// Single threshold marking, termination: terminates a share of the calls per interval while every packet arrives marked.
    ///
    /// ## Decides
    /// The egress measures the receiving rate R. After `marked-run` (L) consecutive marked packets it reports R. While
    /// `reports` allows it, it reports again with the first packet at least `report-interval` later. After `unmarked-run` (M)
    /// consecutive unmarked packets it cancels its reports.
    ///
    /// A report starts a measurement of the sending rate S over `sending-interval` at the ingress. At the end of the interval,
    /// the ingress terminates calls with a total rate of $S - (1 - y) min(R, S)$, where R is the lowest rate reported in the
    /// interval. If R is not below S, as without loss, each interval reduces the rate to (1 - y) of its value.
    ///
    /// `receiving` defines R:
    ///
    /// | `receiving` | R | First report of a run |
    /// |---|---|---|
    /// | `sliding` | rate over the last `receiving-window` | carries R, which is low if the window reaches back before the load rose, so that the first cut is large |
    /// | `between-reports` | rate since the previous report | only starts the measurement of S |
    /// | `within-run` | rate over the last `receiving-window` | only starts the measurement of S; so does every report until `receiving-window` has passed since the first. So no traffic from before the overload counts |
    /// | `share` | S times the share of the sent packets that have arrived, by their sequence numbers | carries the share since the run began |
    ///
    /// With `share`, both rates refer to the same packets, so that R equals S without loss. A missing packet counts as lost
    /// only if it has not arrived within `waiting-time` after the first packet that overtook it.
    ///
    /// ## State
    /// At the egress, the packets in the receiving window (or those from the first missing one on) and the lengths of the
    /// runs; at the ingress, bits and the lowest report. Constant mean cost per packet.
    ///
    /// ## Departures
    /// - The egress cancels only after a report.
    /// - An interval without a report terminates no calls; the next one begins with the next report.
    /// - The document does not define `receiving`, `receiving-window`, `waiting-time`, `counts-unmarked`, `reports`,
    ///   `next-interval`, `after-cut`, `settle`, `keep-rate`, `rounding`, `call-rate` and `victims`.
    ///
    /// ## Example
    /// ```toml
    /// termination.single-threshold = { marked-run = 100, unmarked-run = 20 }
    /// ```
    ///
    /// ## References
    /// [Satoh10 s3.2.2, s3.3.2, s10.4], [RFC7680 s2.2] for the waiting time.
    pub struct Parameters {
        /// Marked packets in a row after which the egress reports (L); default of [Satoh10 s10.4].
        marked_run: Count = "100";
        /// Unmarked packets in a row after which the egress cancels its reports (M); default of [Satoh10 s10.4].
        unmarked_run: Count = "20";
        /// Unmarked packets that count towards `unmarked-run`.
        counts_unmarked: CountsUnmarked = "in-a-row";
        /// Share of the rate terminated by each cut in addition to the difference of sending and receiving rate (y); default
        /// of [Satoh10 s10.4].
        extra: Probability = "5 %";
        /// Time between reports; default of [Satoh10 s10.4].
        report_interval: Duration = "33.3 ms";
        /// Contents of a report.
        receiving: Receiving = "sliding";
        /// Window of `receiving = "sliding"` and `"within-run"`; `report-interval` if left out.
        receiving_window: Option<Duration>;
        /// Time after which an overtaken packet that has not arrived counts as lost (Tmax); for `receiving = "share"`.
        waiting_time: Duration = "100 ms";
        /// Length of the measurement of the sending rate; default of [Satoh10 s10.4].
        sending_interval: Duration = "100 ms";
        /// How long reports continue.
        reports: Reports = "while-marked";
        /// When the next measurement of the sending rate begins.
        next_interval: NextInterval = "at-once";
        /// Action of the egress after a cut, on the run of marked packets.
        after_cut: AfterCut = "continue";
        /// Time after a cut in which reports are ignored; for `next-interval = "next-report"`.
        settle: Duration = "0 ms";
        /// Sending rate up to which the ingress terminates no calls; none if left out.
        keep_rate: Option<Rate>;
        /// Rounding to a whole number of calls.
        rounding: Rounding = "nearest";
        /// Rate assumed for one call.
        call_rate: CallRate = "mean";
        /// Calls to terminate.
        victims: Victims = "random";
    }
}

crate::choice! {
    /// Contents of a report of the receiving rate.
    pub enum Receiving {
        /// The rate over a sliding window.
        "sliding" => Sliding,
        /// The rate since the previous report; the first report of a run carries no rate.
        "between-reports" => BetweenReports,
        /// The rate over a sliding window, once the window lies entirely after the first report of the run; before that, no
        /// rate.
        "within-run" => WithinRun,
        /// The share of arrived packets among those sent since the previous report; in the first report of a run, since the
        /// run began.
        "share" => Share,
    }
}

crate::choice! {
    /// Unmarked packets that count towards a run that cancels.
    pub enum CountsUnmarked {
        /// Unmarked packets without a marked one between them.
        "in-a-row" => InARow,
        /// All unmarked packets since the last full run of marked packets; single marks between them do not matter.
        "since-run" => SinceRun,
    }
}

crate::choice! {
    /// How long the reports of the receiving rate continue.
    pub enum Reports {
        /// While the run of marked packets is unbroken.
        "while-marked" => WhileMarked,
        /// Until they are cancelled.
        "until-cancel" => UntilCancel,
        /// Each needs a run of its own.
        "fresh-run" => FreshRun,
    }
}

crate::choice! {
    /// When the next measurement of the sending rate begins.
    pub enum NextInterval {
        /// At the end of the previous one.
        "at-once" => AtOnce,
        /// With the next report.
        "next-report" => NextReport,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_intervals(mistake, [("report-interval", self.report_interval), ("sending-interval", self.sending_interval)]);
        match self.receiving_window {
            Some(Duration::ZERO) => mistake("receiving-window", "must be above zero".to_owned()),
            Some(_) if matches!(self.receiving, Receiving::BetweenReports | Receiving::Share) => {
                let message = "has an effect only with receiving = \"sliding\" and \"within-run\"; leave it out";
                mistake("receiving-window", message.to_owned());
            }
            _ => {}
        }
        if self.report_interval >= self.sending_interval {
            let (report, sending) = (self.report_interval, self.sending_interval);
            mistake("report-interval", format!("{report} is not shorter than sending-interval, {sending}"));
        }
        if self.extra.0 == 1.0 {
            mistake("extra", "1 terminates every call at the first cut; must be below 1".to_owned());
        }
        if self.settle > Duration::ZERO && self.next_interval == NextInterval::AtOnce {
            mistake("settle", "has an effect only with next-interval = \"next-report\"; leave it out".to_owned());
        }
    }
}
