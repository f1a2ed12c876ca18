//! Parameters of termination with single threshold marking.

use crate::edge::termination::check_intervals;
use crate::edge::termination::cut::{AfterCut, CallRate, Rounding, Victims};
use crate::parameters::{Check, Count, Probability};
use crate::units::{Duration, Rate};

crate::parameters! {
    /// Single threshold marking, termination: while every packet arrives marked, a share of the calls ends per interval.
    ///
    /// ## Decides
    /// The egress measures the rate R that arrives. After `marked-run` (L) marked packets in a row it reports R, and again
    /// with the first packet `report-interval` later as long as `reports` says; `unmarked-run` (M) unmarked ones in a row
    /// cancel. A report begins a measurement of the sending rate S over `sending-interval`, at whose end calls worth
    /// S - (1 - y) min(R, S) are terminated, R being the lowest reported in it. Where R is not below S, as without loss,
    /// each interval leaves (1 - y) of the rate.
    ///
    /// With `receiving = "sliding"` R looks back over `receiving-window`, also beyond the moment at which the load rose: the
    /// first reports are then low and the first cut is large. With `"between-reports"` the first report of a run only
    /// begins the measurement of S, and each later one tells what arrived since the one before. With `"within-run"` R looks
    /// back over `receiving-window` too, but is told only once that much time has passed since the first report of a run,
    /// so that nothing counts from before the overload. With `"share"` both rates are of the same packets: the egress tells
    /// which share of those sent has come, by their numbers, and R is that share of S; without loss R equals S. A packet that
    /// others overtake is lost only if it has not come within `waiting-time` after the first of them.
    ///
    /// ## State
    /// The packets in the receiving window, or those from the first one missing on, and the lengths of runs at the egress; bits
    /// and the lowest report at the ingress. Constant mean cost per packet.
    ///
    /// ## Departures
    /// A cancel is sent only after a report. An interval without a report terminates nothing and is the last. Where the
    /// document is silent: `receiving`, `receiving-window`, `waiting-time`, `counts-unmarked`, `reports`, `next-interval`, `after-cut`,
    /// `settle`, `keep-rate`, `rounding`, `call-rate` and `victims`.
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
        /// Unmarked packets in a row that cancel (M); default of [Satoh10 s10.4].
        unmarked_run: Count = "20";
        /// Which unmarked packets make up `unmarked-run`.
        counts_unmarked: CountsUnmarked = "in-a-row";
        /// The share of the rate that goes at each cut beyond the difference of sending and receiving (y); default of [Satoh10 s10.4].
        extra: Probability = "5 %";
        /// Time between reports; default of [Satoh10 s10.4].
        report_interval: Duration = "33.3 ms";
        /// What a report tells.
        receiving: Receiving = "sliding";
        /// How far back it looks, but for `receiving = "between-reports"` and `"share"`; left out, `report-interval`.
        receiving_window: Option<Duration>;
        /// How long a packet that others have overtaken may still come before it counts as lost (Tmax); for `receiving = "share"`.
        waiting_time: Duration = "100 ms";
        /// How long the sending rate is measured; default of [Satoh10 s10.4].
        sending_interval: Duration = "100 ms";
        /// How long reports go on.
        reports: Reports = "while-marked";
        /// When the next measurement of the sending rate begins.
        next_interval: NextInterval = "at-once";
        /// What the egress does about the run of marked packets after a cut.
        after_cut: AfterCut = "continue";
        /// After a cut, how long reports are ignored; for `next-interval = "next-report"`.
        settle: Duration = "0 ms";
        /// A sending rate up to which the ingress terminates nothing; left out, it knows none.
        keep_rate: Option<Rate>;
        /// How amounts are made into whole calls.
        rounding: Rounding = "nearest";
        /// What one call is taken to send.
        call_rate: CallRate = "mean";
        /// Which calls are terminated.
        victims: Victims = "random";
    }
}

crate::choice! {
    /// What a report of the receiving rate tells.
    pub enum Receiving {
        /// The rate over the time just past.
        "sliding" => Sliding,
        /// The rate since the report before; the first of a run tells none.
        "between-reports" => BetweenReports,
        /// The rate over the time just past, once all of it lies behind the first report of the run; before that, none.
        "within-run" => WithinRun,
        /// The share that has come of the packets sent since the report before; of the first of a run, since the run began.
        "share" => Share,
    }
}

crate::choice! {
    /// Which unmarked packets make up a run that cancels.
    pub enum CountsUnmarked {
        /// Those without a marked one between them.
        "in-a-row" => InARow,
        /// All since the marked packets last made up a run: single marks between them do not matter.
        "since-run" => SinceRun,
    }
}

crate::choice! {
    /// How long the reports of the receiving rate go on.
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
        /// With the end of the one before.
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
