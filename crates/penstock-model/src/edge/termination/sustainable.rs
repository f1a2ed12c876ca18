//! Cutting down to a rate that the egress has measured: what CL and SM share.

use super::cut::{scaled, AfterCut, Cut};
use crate::edge::admission::cle::Marks;
use crate::edge::ewma::Ewma;
use crate::edge::rate_meter::{Interval, Sliding};
use crate::edge::Signal;
use crate::packet::PcnMark;
use crate::units::{Bytes, Duration, Rate, Time};

crate::choice! {
    /// How the ingress measures its sending rate.
    pub enum Sending {
        /// For an interval that begins with the egress' message.
        "after-message" => AfterMessage,
        /// All the time: the interval before the message counts, and the ingress acts at once.
        "all-the-time" => AllTheTime,
    }
}

crate::choice! {
    /// What a message does that arrives while the sending rate is being measured for an earlier one.
    pub enum Newer {
        /// Its rate replaces the earlier one.
        "replaces" => Replaces,
        /// Nothing.
        "ignored" => Ignored,
    }
}

/// What an egress is built from.
#[derive(Clone, Copy, Debug)]
pub struct EgressSetup {
    /// Which marks make a packet one too many.
    pub marks: Marks,
    /// How long what may stay is measured.
    pub interval: Duration,
    /// The smoothed marked share and the value above which it is told; without it every measurement is.
    pub smoothed: Option<(Ewma, f64)>,
}

/// The egress' part: a marked packet begins an interval, at whose end the rate of the unmarked ones (SAR) is told.
#[derive(Clone, Debug)]
pub struct Egress {
    setup: EgressSetup,
    unmarked: Option<Interval>,
    marked_bits: u64,
}

impl Egress {
    /// An egress.
    pub fn new(setup: EgressSetup) -> Egress {
        Egress { setup, unmarked: None, marked_bits: 0 }
    }

    /// A packet arrives.
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        let marked = self.setup.marks.count(mark);
        if self.unmarked.is_none() && (marked || self.setup.smoothed.is_some()) {
            self.unmarked = Some(Interval::new(now, self.setup.interval));
        }
        if let Some(interval) = &mut self.unmarked {
            if marked {
                self.marked_bits += size.bits();
            } else {
                interval.add(size);
            }
        }
    }

    /// When the interval ends.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.unmarked.as_ref().map_or(Time::NEVER, Interval::until)
    }

    /// Whatever arrives from `now` on, nothing is told before this: an interval has to pass first.
    #[inline]
    pub fn silent_until(&self, now: Time) -> Time {
        self.deadline().min(now + self.setup.interval)
    }

    /// The interval ends.
    pub fn on_timer(&mut self, now: Time) -> Option<Signal> {
        let interval = self.unmarked.take()?;
        let marked = std::mem::take(&mut self.marked_bits);
        let told = Signal::Sustainable(interval.rate(now));
        let Some((average, above)) = &mut self.setup.smoothed else {
            return Some(told);
        };
        let all = marked + interval.bits();
        if all == 0 {
            return None;
        }
        self.unmarked = Some(Interval::new(now, self.setup.interval));
        average.add(marked as f64 / all as f64);
        (average.value() > *above).then_some(told)
    }

    /// Calls have been terminated: what has been measured of the time before counts no more.
    pub fn on_restart(&mut self) {
        (self.unmarked, self.marked_bits) = (None, 0);
    }
}

/// What an ingress is built from.
#[derive(Clone, Copy, Debug)]
pub struct IngressSetup {
    /// The rate to keep over the one told (U).
    pub factor: f64,
    /// How far the sending rate must exceed the rate to keep, as a share of it (E1).
    pub trigger_margin: f64,
    /// How far below the rate to keep the cut goes, as a share of it (E2).
    pub cut_margin: f64,
    /// How long the sending rate is measured.
    pub interval: Duration,
    /// When it is measured.
    pub sending: Sending,
    /// What a message does in the meantime.
    pub newer: Newer,
    /// After a cut, how long messages are ignored.
    pub settle: Duration,
    /// What the egress does after it.
    pub after_cut: AfterCut,
    /// From rates to calls.
    pub cut: Cut,
}

/// The ingress' part.
#[derive(Clone, Debug)]
pub struct Ingress {
    setup: IngressSetup,
    always: Option<Sliding>,
    measuring: Option<(Interval, Rate)>,
    /// Messages before this are ignored.
    ignored_until: Time,
}

impl Ingress {
    /// An ingress.
    pub fn new(setup: IngressSetup) -> Ingress {
        let always = (setup.sending == Sending::AllTheTime).then(|| Sliding::new(setup.interval));
        Ingress { setup, always, measuring: None, ignored_until: Time::ZERO }
    }

    /// Whether the egress is to restart after a cut.
    pub fn restarts(&self) -> bool {
        self.setup.after_cut == AfterCut::Restart
    }

    /// A packet goes out.
    #[inline]
    pub fn on_sent(&mut self, now: Time, size: Bytes) {
        if let Some(always) = &mut self.always {
            always.add(now, size);
        }
        if let Some((interval, _)) = &mut self.measuring {
            interval.add(size);
        }
    }

    /// The egress tells what may stay: how many calls to terminate at once.
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

    /// When the interval ends.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.measuring.as_ref().map_or(Time::NEVER, |(interval, _)| interval.until())
    }

    /// The interval ends: how many calls to terminate.
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
