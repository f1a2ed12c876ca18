//! Termination of single threshold marking.

use super::check_intervals;
use super::cut::{scaled, CallRate, Cut, Rounding, Victims};
use crate::edge::rate_meter::{Interval, Sliding};
use crate::edge::{EdgeContext, Signal};
use crate::packet::PcnMark;
use crate::parameters::{Check, Count, Probability};
use crate::units::{Bytes, Duration, Rate, Time};

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
    /// which share of those sent has come, by their numbers, and R is that share of S; without loss R equals S.
    ///
    /// ## State
    /// The packets in the receiving window and the lengths of runs at the egress; bits and the lowest report at the ingress.
    /// Constant mean cost per packet.
    ///
    /// ## Departures
    /// A cancel is sent only after a report. An interval without a report terminates nothing and is the last. Where the
    /// document is silent: `receiving`, `receiving-window`, `counts-unmarked`, `reports`, `next-interval`, `after-cut`,
    /// `settle`, `keep-rate`, `rounding`, `call-rate` and `victims`.
    ///
    /// ## Example
    /// ```toml
    /// termination.single-threshold = { marked-run = 100, unmarked-run = 20 }
    /// ```
    ///
    /// ## References
    /// [Satoh10 s3.2.2, s3.3.2, s10.4].
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

crate::choice! {
    /// What the egress does about the run of marked packets after a cut.
    pub enum AfterCut {
        /// Nothing; it is not told.
        "continue" => Continue,
        /// It is told and counts from zero.
        "restart" => Restart,
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

/// How the egress measures what it receives.
#[derive(Clone, Debug)]
enum Receipts {
    /// Over a window.
    Window(Sliding),
    /// Over a window of this length that begins no earlier than the first report.
    Within(Sliding, Duration, Option<Time>),
    /// Since the last report, if it belongs to the run.
    Since(Option<Interval>),
    /// By the numbers of packets.
    Numbered(Arrived),
}

/// How many of the packets sent have come, by their numbers, as RTP's receivers know it ([RFC3550 A.3]).
#[derive(Clone, Copy, Debug, Default)]
struct Arrived {
    /// Number of the packet that was sent last before those counted.
    base: u32,
    /// The highest number so far.
    highest: u32,
    /// Packets counted.
    arrived: u32,
}

impl Arrived {
    #[inline]
    fn add(&mut self, number: u32) {
        self.arrived += 1;
        // Numbers wrap around; what is less than half a round ahead is later.
        if number.wrapping_sub(self.highest) < u32::MAX / 2 {
            self.highest = number;
        }
    }

    #[inline]
    fn restart(&mut self) {
        (self.base, self.arrived) = (self.highest, 0);
    }

    /// The share that has come; all if packets have come out of their order.
    fn share(&self) -> f64 {
        let sent = self.highest.wrapping_sub(self.base);
        if sent == 0 {
            return 1.0;
        }
        (f64::from(self.arrived) / f64::from(sent)).min(1.0)
    }
}

impl Receipts {
    #[inline]
    fn add(&mut self, now: Time, size: Bytes) {
        match self {
            Receipts::Window(window) | Receipts::Within(window, ..) => window.add(now, size),
            Receipts::Since(Some(interval)) => interval.add(size),
            Receipts::Since(None) | Receipts::Numbered(_) => {}
        }
    }

    /// The run that reports belong to is over.
    #[inline]
    fn forget(&mut self) {
        match self {
            Receipts::Window(_) => {}
            Receipts::Within(.., first) => *first = None,
            Receipts::Since(interval) => *interval = None,
            Receipts::Numbered(arrived) => arrived.restart(),
        }
    }

    /// The report that is due at `now`.
    fn report(&mut self, now: Time) -> Signal {
        let rate = match self {
            Receipts::Window(window) => Some(window.rate(now)),
            Receipts::Within(window, length, first) => {
                let first = *first.get_or_insert(now);
                (now.since(first) >= *length).then(|| window.rate(now))
            }
            Receipts::Since(interval) => interval.replace(Interval::new(now, Duration::FOREVER)).map(|interval| interval.rate(now)),
            Receipts::Numbered(arrived) => {
                let share = arrived.share();
                arrived.restart();
                return Signal::Arriving(share);
            }
        };
        Signal::Receiving(rate)
    }
}

/// The egress' part.
#[derive(Clone, Debug)]
pub struct Egress {
    marked_run: u32,
    unmarked_run: u32,
    counts_unmarked: CountsUnmarked,
    every: Duration,
    reports: Reports,
    receiving: Receipts,
    marked: u32,
    unmarked: u32,
    /// No report before this.
    next: Time,
    /// Reports have been sent that nothing has cancelled.
    reported: bool,
}

impl Egress {
    /// An egress with these parameters.
    pub fn new(parameters: &Parameters) -> Egress {
        let window = parameters.receiving_window.unwrap_or(parameters.report_interval);
        Egress {
            marked_run: parameters.marked_run.0,
            unmarked_run: parameters.unmarked_run.0,
            counts_unmarked: parameters.counts_unmarked,
            every: parameters.report_interval,
            reports: parameters.reports,
            receiving: match parameters.receiving {
                Receiving::Sliding => Receipts::Window(Sliding::new(window)),
                Receiving::WithinRun => Receipts::Within(Sliding::new(window), window, None),
                Receiving::BetweenReports => Receipts::Since(None),
                Receiving::Share => Receipts::Numbered(Arrived::default()),
            },
            marked: 0,
            unmarked: 0,
            next: Time::ZERO,
            reported: false,
        }
    }

    /// A packet arrives.
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> Option<Signal> {
        self.receiving.add(now, size);
        (self.marked, self.unmarked) = match mark {
            PcnMark::Unmarked => (0, self.unmarked.saturating_add(1)),
            PcnMark::Threshold | PcnMark::Excess => (self.marked.saturating_add(1), self.unmarked),
        };
        let counts = self.counts_unmarked == CountsUnmarked::SinceRun && self.marked < self.marked_run;
        if self.marked > 0 && !counts {
            self.unmarked = 0;
        }
        if self.reported && self.unmarked == self.unmarked_run {
            self.reported = false;
            self.receiving.forget();
            return Some(Signal::Cancel);
        }
        let goes_on = self.reports == Reports::UntilCancel && self.reported;
        if self.marked == 0 && !goes_on {
            self.receiving.forget();
        }
        if now < self.next || self.marked < self.marked_run && !goes_on {
            return None;
        }
        self.next = now + self.every;
        self.reported = true;
        if self.reports == Reports::FreshRun {
            self.marked = 0;
        }
        Some(self.receiving.report(now))
    }

    /// The packet that arrives is the `number`th of its aggregate.
    #[inline]
    pub fn on_number(&mut self, number: u32) {
        if let Receipts::Numbered(arrived) = &mut self.receiving {
            arrived.add(number);
        }
    }

    /// Calls have been terminated.
    pub fn on_restart(&mut self) {
        self.marked = 0;
        self.reported = false;
        self.receiving.forget();
    }
}

/// Higher than every rate.
const ANY: Rate = Rate::from_bps(u64::MAX);

/// The ingress' part.
#[derive(Clone, Debug)]
pub struct Ingress {
    length: Duration,
    kept_share: f64,
    keep_rate: Rate,
    next_interval: NextInterval,
    after_cut: AfterCut,
    settle: Duration,
    cut: Cut,
    sending: Option<Interval>,
    /// Whether there has been a report in the interval.
    heard: bool,
    /// The lowest rate reported in it.
    lowest: Rate,
    /// The lowest share reported in it.
    share: f64,
    /// Reports before this are ignored.
    ignored_until: Time,
}

impl Ingress {
    /// An ingress with these parameters.
    pub fn new(parameters: &Parameters, context: &EdgeContext) -> Ingress {
        Ingress {
            length: parameters.sending_interval,
            kept_share: 1.0 - parameters.extra.0,
            keep_rate: parameters.keep_rate.unwrap_or(Rate::ZERO),
            next_interval: parameters.next_interval,
            after_cut: parameters.after_cut,
            settle: parameters.settle,
            cut: Cut { rounding: parameters.rounding, call_rate: parameters.call_rate, mean: context.call_rate },
            sending: None,
            heard: false,
            lowest: ANY,
            share: 1.0,
            ignored_until: Time::ZERO,
        }
    }

    /// Whether the egress is to begin anew after a cut.
    pub fn restarts(&self) -> bool {
        self.after_cut == AfterCut::Restart
    }

    /// A packet goes out.
    #[inline]
    pub fn on_sent(&mut self, size: Bytes) {
        if let Some(sending) = &mut self.sending {
            sending.add(size);
        }
    }

    /// The egress reports what it receives.
    pub fn on_receiving(&mut self, now: Time, rate: Option<Rate>) {
        if self.hears(now) {
            self.lowest = self.lowest.min(rate.unwrap_or(ANY));
        }
    }

    /// The egress reports which share of what was sent it receives.
    pub fn on_arriving(&mut self, now: Time, share: f64) {
        if self.hears(now) {
            self.share = self.share.min(share);
        }
    }

    /// A report is heard, and begins an interval if none runs.
    fn hears(&mut self, now: Time) -> bool {
        if now < self.ignored_until {
            return false;
        }
        self.heard = true;
        if self.sending.is_none() {
            self.sending = Some(Interval::new(now, self.length));
        }
        true
    }

    /// The egress has seen enough unmarked packets.
    pub fn on_cancel(&mut self) {
        (self.sending, self.heard, self.lowest, self.share) = (None, false, ANY, 1.0);
    }

    /// When the interval ends.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.sending.as_ref().map_or(Time::NEVER, Interval::until)
    }

    /// The interval ends: how many calls to terminate.
    pub fn on_timer(&mut self, now: Time, live: u32) -> u32 {
        let lowest = std::mem::replace(&mut self.lowest, ANY);
        let share = std::mem::replace(&mut self.share, 1.0);
        let Some(interval) = self.sending.take().filter(|_| std::mem::take(&mut self.heard)) else {
            return 0;
        };
        if self.next_interval == NextInterval::AtOnce {
            self.sending = Some(Interval::new(now, self.length));
        }
        let sending = interval.rate(now);
        if sending <= self.keep_rate {
            return 0;
        }
        let calls = self.cut.calls(sending, scaled(lowest.min(scaled(sending, share)), self.kept_share), live);
        if calls > 0 {
            self.ignored_until = now + self.settle;
        }
        calls
    }
}
