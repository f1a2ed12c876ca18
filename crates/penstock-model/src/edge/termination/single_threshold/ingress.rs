//! Ingress of an aggregate under single threshold marking.

use super::parameters::{NextInterval, Parameters};
use crate::edge::rate_meter::Interval;
use crate::edge::termination::cut::{scaled, AfterCut, Cut};
use crate::edge::EdgeContext;
use crate::units::{Bytes, Duration, Rate, Time};

/// A rate above every reported rate.
const NO_LIMIT: Rate = Rate::from_bps(u64::MAX);

/// The ingress: measures its sending rate after a report and decides how many calls to terminate.
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
    /// Whether a report has arrived in the interval.
    reported: bool,
    /// Lowest rate reported in the interval.
    lowest: Rate,
    /// Lowest share reported in the interval.
    share: f64,
    /// Reports before this time are ignored.
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
            reported: false,
            lowest: NO_LIMIT,
            share: 1.0,
            ignored_until: Time::ZERO,
        }
    }

    /// Whether the egress restarts after a cut.
    pub fn restarts(&self) -> bool {
        self.after_cut == AfterCut::Restart
    }

    /// Records that a packet is sent.
    #[inline]
    pub fn on_sent(&mut self, size: Bytes) {
        if let Some(sending) = &mut self.sending {
            sending.add(size);
        }
    }

    /// Handles a report of the receiving rate.
    pub fn on_receiving(&mut self, now: Time, rate: Option<Rate>) {
        if self.accept_report(now) {
            self.lowest = self.lowest.min(rate.unwrap_or(NO_LIMIT));
        }
    }

    /// Handles a report of the share of the sent packets that have arrived.
    pub fn on_arriving(&mut self, now: Time, share: f64) {
        if self.accept_report(now) {
            self.share = self.share.min(share);
        }
    }

    /// Returns whether a report counts. If so, starts an interval unless one is running.
    fn accept_report(&mut self, now: Time) -> bool {
        if now < self.ignored_until {
            return false;
        }
        self.reported = true;
        if self.sending.is_none() {
            self.sending = Some(Interval::new(now, self.length));
        }
        true
    }

    /// Handles the egress' message that enough unmarked packets have arrived.
    pub fn on_cancel(&mut self) {
        (self.sending, self.reported, self.lowest, self.share) = (None, false, NO_LIMIT, 1.0);
    }

    /// End of the interval.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.sending.as_ref().map_or(Time::NEVER, Interval::until)
    }

    /// Handles the end of the interval; returns the number of calls to terminate.
    pub fn on_timer(&mut self, now: Time, live: u32) -> u32 {
        let lowest = std::mem::replace(&mut self.lowest, NO_LIMIT);
        let share = std::mem::replace(&mut self.share, 1.0);
        let Some(interval) = self.sending.take().filter(|_| std::mem::take(&mut self.reported)) else {
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
