//! Termination down to a rate given by two consecutive reports: common part of RFC 6661 and RFC 6662.

use super::cut::{scaled, Cut};
use crate::edge::rate_meter::Interval;
use crate::edge::report::Report;
use crate::units::{Bytes, Duration, Rate, Time};

/// Condition on a report that makes the ingress measure its sending rate.
#[derive(Clone, Copy, Debug)]
pub enum Trigger {
    /// Any excess-traffic mark [RFC6661 s3.3.2].
    Excess,
    /// A marked share at this limit or above [RFC6662 s3.3.2].
    Level(f64),
}

/// Rate to keep.
#[derive(Clone, Copy, Debug)]
pub enum Sustained {
    /// The rate of all traffic that is not excess-traffic-marked [RFC6661 s3.3.2].
    NotExcess,
    /// This factor times the rate of the unmarked traffic [RFC6662 s3.3.2].
    TimesUnmarked(f64),
}

/// Parameters of an ingress.
#[derive(Clone, Copy, Debug)]
pub struct IngressSetup {
    /// Condition that starts a round.
    pub trigger: Trigger,
    /// Rate to keep.
    pub sustained: Sustained,
    /// Length of the measurement of the sending rate.
    pub interval: Duration,
    /// Minimum number of packets in that measurement. The measurement is extended until they have been sent, or until an extension adds
    /// none.
    pub sample_packets: u32,
    /// Time after a cut in which reports start no round.
    pub settle: Duration,
    /// Conversion of rates to calls.
    pub cut: Cut,
}

/// State of a round, from the first report to the cut.
#[derive(Clone, Copy, Debug)]
struct Round {
    sending: Interval,
    packets: u32,
    /// Packets counted when the measurement was last extended.
    before: u32,
    sent: Option<Rate>,
    second: Option<Report>,
}

/// Ingress of a scheme with reports.
#[derive(Clone, Debug)]
pub struct Ingress {
    setup: IngressSetup,
    round: Option<Round>,
    /// Earliest time at which a report starts a round.
    settled: Time,
}

impl Ingress {
    /// An ingress with these parameters.
    pub fn new(setup: IngressSetup) -> Ingress {
        Ingress { setup, round: None, settled: Time::ZERO }
    }

    /// Records that a packet is sent.
    #[inline]
    pub fn on_sent(&mut self, size: Bytes) {
        if let Some(round) = &mut self.round {
            if round.sent.is_none() {
                round.sending.add(size);
                round.packets += 1;
            }
        }
    }

    /// Handles a report; returns the number of calls to terminate now.
    pub fn on_report(&mut self, now: Time, report: Report, live: u32) -> u32 {
        match &mut self.round {
            Some(_) if report.excess == Rate::ZERO => self.round = None,
            Some(round) => round.second = Some(report),
            None if now >= self.settled && self.setup.begins(report) => {
                let sending = Interval::new(now, self.setup.interval);
                self.round = Some(Round { sending, packets: 0, before: 0, sent: None, second: None });
            }
            None => {}
        }
        self.decide(now, live)
    }

    /// End of the measurement of the sending rate.
    #[inline]
    pub fn deadline(&self) -> Time {
        match &self.round {
            Some(Round { sending, sent: None, .. }) => sending.until(),
            _ => Time::NEVER,
        }
    }

    /// Handles the end of the measurement; returns the number of calls to terminate now.
    pub fn on_timer(&mut self, now: Time, live: u32) -> u32 {
        let Some(round) = &mut self.round else {
            return 0;
        };
        if round.packets < self.setup.sample_packets && round.packets > round.before {
            round.before = round.packets;
            round.sending.extend(now + self.setup.interval);
            return 0;
        }
        round.sent = Some(round.sending.rate(now));
        self.decide(now, live)
    }

    fn decide(&mut self, now: Time, live: u32) -> u32 {
        let Some(Round { sent: Some(sent), second: Some(report), .. }) = self.round else {
            return 0;
        };
        self.round = None;
        let calls = self.setup.cut.calls(sent, self.setup.sustained(report), live);
        if calls > 0 {
            self.settled = now + self.setup.settle;
        }
        calls
    }
}

impl IngressSetup {
    fn begins(&self, report: Report) -> bool {
        match self.trigger {
            Trigger::Excess => report.excess > Rate::ZERO,
            Trigger::Level(limit) => report.level() >= limit,
        }
    }

    fn sustained(&self, report: Report) -> Rate {
        match self.sustained {
            Sustained::NotExcess => Rate::from_bps(report.unmarked.as_bps() + report.threshold.as_bps()),
            Sustained::TimesUnmarked(u) => scaled(report.unmarked, u),
        }
    }
}
