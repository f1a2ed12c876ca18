//! Termination down to a rate that the egress measures: the common part of CL and SM.

use super::cut::{scaled, AfterCut, Cut};
use crate::edge::admission::cle::Marks;
use crate::edge::ewma::Ewma;
use crate::edge::rate_meter::{Interval, Sliding};
use crate::edge::Signal;
use crate::packet::PcnMark;
use crate::units::{Bytes, Duration, Rate, Time};

crate::choice! {
    /// When the ingress measures its sending rate.
    pub enum Sending {
        /// In an interval that starts with the egress' message.
        "after-message" => AfterMessage,
        /// Continuously: the rate over the interval before the message is used, and the ingress acts at once.
        "all-the-time" => AllTheTime,
    }
}

crate::choice! {
    /// Effect of a message that arrives while the sending rate is measured for an earlier one.
    pub enum Newer {
        /// Its rate replaces the earlier one.
        "replaces" => Replaces,
        /// It has no effect.
        "ignored" => Ignored,
    }
}

crate::choice! {
    /// Start of the egress' measurement intervals.
    pub enum IntervalStart {
        /// The first marked packet starts an interval.
        "marked-packet" => MarkedPacket,
        /// Intervals follow one another from a random phase, its own for each aggregate. An interval with a marked packet is
        /// reported.
        "random-phase" => RandomPhase,
    }
}

/// Parameters of an egress.
#[derive(Clone, Copy, Debug)]
pub struct EgressSetup {
    /// Marks that count. Packets without them form the SAR.
    pub marks: Marks,
    /// Length of the measurement of the SAR.
    pub interval: Duration,
    /// A time at which an interval ends, from which the ends of all others follow. `None` if a marked packet starts an interval.
    pub phase: Option<Time>,
    /// Moving average of the marked share, and the value above which the SAR is reported. `None` if every measurement is reported.
    pub smoothed: Option<(Ewma, f64)>,
}

/// The egress: a marked packet starts an interval, and at its end the egress reports the rate of the unmarked packets (SAR).
#[derive(Clone, Debug)]
pub struct Egress {
    setup: EgressSetup,
    unmarked: Option<Interval>,
    marked_bits: u64,
    /// End of the interval that a cut has invalidated, if intervals have a phase.
    void_until: Time,
}

impl Egress {
    /// An egress with these parameters.
    pub fn new(setup: EgressSetup) -> Egress {
        Egress { setup, unmarked: None, marked_bits: 0, void_until: Time::ZERO }
    }

    /// Handles the arrival of a packet.
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        let marked = self.setup.marks.count(mark);
        if self.unmarked.is_none() {
            self.unmarked = self.starting(now, marked);
        }
        if let Some(interval) = &mut self.unmarked {
            if marked {
                self.marked_bits += size.bits();
            } else {
                interval.add(size);
            }
        }
    }

    /// Interval whose first packet is one that arrives now; `None` if this packet starts none.
    fn starting(&self, now: Time, marked: bool) -> Option<Interval> {
        let Some(until) = self.end_by_phase(now) else {
            return (marked || self.setup.smoothed.is_some()).then(|| Interval::new(now, self.setup.interval));
        };
        let from = Time::from_ps(until.as_ps().saturating_sub(self.setup.interval.as_ps()));
        (now >= self.void_until).then(|| Interval::between(from, until))
    }

    /// End of the interval that contains `now`; `None` if intervals have no phase.
    fn end_by_phase(&self, now: Time) -> Option<Time> {
        let phase = self.setup.phase?;
        let length = self.setup.interval.as_ps();
        let past = now.as_ps().checked_sub(phase.as_ps());
        Some(past.map_or(phase, |past| now + Duration::from_ps(length - past % length)))
    }

    /// End of the interval.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.unmarked.as_ref().map_or(Time::NEVER, Interval::until)
    }

    /// Lower bound on the time of the next signal, whatever arrives from `now` on: an interval has to pass first.
    #[inline]
    pub fn silent_until(&self, now: Time) -> Time {
        self.deadline().min(self.end_by_phase(now).unwrap_or(now + self.setup.interval))
    }

    /// Handles the end of the interval. Returns the signal to send, if any.
    pub fn on_timer(&mut self, now: Time) -> Option<Signal> {
        let interval = self.unmarked.take()?;
        let marked = std::mem::take(&mut self.marked_bits);
        let told = Signal::Sustainable(interval.rate(now));
        let Some((average, above)) = &mut self.setup.smoothed else {
            return (self.setup.phase.is_none() || marked > 0).then_some(told);
        };
        let all = marked + interval.bits();
        if all == 0 {
            return None;
        }
        self.unmarked = Some(Interval::new(now, self.setup.interval));
        average.add(marked as f64 / all as f64);
        (average.value() > *above).then_some(told)
    }

    /// Discards the current measurement, since calls have been terminated.
    pub fn on_restart(&mut self) {
        let void = self.unmarked.take().filter(|_| self.setup.phase.is_some());
        self.void_until = void.map_or(self.void_until, |interval| interval.until());
        self.marked_bits = 0;
    }
}

/// Parameters of an ingress.
#[derive(Clone, Copy, Debug)]
pub struct IngressSetup {
    /// Ratio of the rate to keep to the reported SAR (U).
    pub factor: f64,
    /// Minimum excess of the sending rate over the rate to keep, as a share of the latter (E1).
    pub trigger_margin: f64,
    /// Depth of the cut below the rate to keep, as a share of it (E2).
    pub cut_margin: f64,
    /// Length of the measurement of the sending rate.
    pub interval: Duration,
    /// Times at which the sending rate is measured.
    pub sending: Sending,
    /// Effect of a message during the measurement.
    pub newer: Newer,
    /// Time after a cut in which messages are ignored.
    pub settle: Duration,
    /// Action of the egress after a cut.
    pub after_cut: AfterCut,
    /// Conversion of rates to calls.
    pub cut: Cut,
}

/// The ingress.
#[derive(Clone, Debug)]
pub struct Ingress {
    setup: IngressSetup,
    always: Option<Sliding>,
    measuring: Option<(Interval, Rate)>,
    /// Messages before this time are ignored.
    ignored_until: Time,
}

impl Ingress {
    /// An ingress with these parameters.
    pub fn new(setup: IngressSetup) -> Ingress {
        let always = (setup.sending == Sending::AllTheTime).then(|| Sliding::new(setup.interval));
        Ingress { setup, always, measuring: None, ignored_until: Time::ZERO }
    }

    /// Whether the egress restarts after a cut.
    pub fn restarts(&self) -> bool {
        self.setup.after_cut == AfterCut::Restart
    }

    /// Records that a packet is sent.
    #[inline]
    pub fn on_sent(&mut self, now: Time, size: Bytes) {
        if let Some(always) = &mut self.always {
            always.add(now, size);
        }
        if let Some((interval, _)) = &mut self.measuring {
            interval.add(size);
        }
    }

    /// Handles a report of the SAR; returns the number of calls to terminate now.
    pub fn on_sustainable(&mut self, now: Time, rate: Rate, live: u32) -> u32 {
        if now < self.ignored_until {
            return 0;
        }
        if let Some(always) = &mut self.always {
            let sending = always.rate(now);
            return self.cut(now, sending, rate, live);
        }
        match &mut self.measuring {
            None => self.measuring = Some((Interval::new(now, self.setup.interval), rate)),
            Some((_, told)) if self.setup.newer == Newer::Replaces => *told = rate,
            Some(_) => {}
        }
        0
    }

    /// End of the interval.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.measuring.as_ref().map_or(Time::NEVER, |(interval, _)| interval.until())
    }

    /// Handles the end of the interval; returns the number of calls to terminate.
    pub fn on_timer(&mut self, now: Time, live: u32) -> u32 {
        match self.measuring.take() {
            Some((interval, told)) => self.cut(now, interval.rate(now), told, live),
            None => 0,
        }
    }

    fn cut(&mut self, now: Time, sending: Rate, told: Rate, live: u32) -> u32 {
        let kept = |margin: f64| scaled(told, self.setup.factor * margin);
        if sending <= kept(1.0 + self.setup.trigger_margin) {
            return 0;
        }
        let calls = self.setup.cut.calls(sending, kept(1.0 - self.setup.cut_margin), live);
        if calls > 0 {
            self.ignored_until = now + self.setup.settle;
        }
        calls
    }
}
