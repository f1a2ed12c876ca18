//! Admission by a congestion level estimate.

use crate::edge::ewma::{Ewma, Weighs};
use crate::packet::PcnMark;
use crate::parameters::{Check, Probability, Weight};
use crate::units::{Bytes, Duration, Time};

crate::parameters! {
    /// Congestion level estimate: admits a call while the marked share of its aggregate's packets is low.
    ///
    /// ## Decides
    /// The egress keeps a moving average of the aggregate's marked share, the congestion level estimate (CLE). `update`
    /// selects its samples:
    ///
    /// | `update` | Sample |
    /// |---|---|
    /// | `packet` | 1 for each marked packet, 0 for each unmarked one |
    /// | `interval` | marked share of the bits of each interval |
    ///
    /// For each call, the ingress sends a request to the egress. The egress answers with the CLE at the arrival of the
    /// request, and the call is admitted if that is below `threshold`.
    ///
    /// ## State
    /// The average, the time of the last packet, and the bits of the current interval. Constant cost per packet.
    ///
    /// ## Departures
    /// The document does not define the CLE of an aggregate without packets (see `idle`), the meaning of the weight (`weighs`)
    /// or the initial value (`initial`). The first interval starts with a packet, and intervals follow one another until one
    /// is empty. An empty interval is no sample.
    ///
    /// ## Example
    /// ```toml
    /// admission.cle = { threshold = 0.000001, weight = 0.3 }
    /// ```
    ///
    /// ## References
    /// [Satoh10 s3.2.1, s3.3.1, s10.1, s11.1]; CL and SM: [Briscoe06], [Charny07].
    pub struct Parameters {
        /// Level from which calls are refused (CLE threshold).
        threshold: Probability;
        /// Weight of the moving average; default of [Satoh10 s11.1].
        weight: Weight = "0.3";
        /// Term of the moving average that `weight` multiplies.
        weighs: Weighs = "new-sample";
        /// Samples of the moving average.
        update: Update = "packet";
        /// Length of an interval, for `update = "interval"`.
        interval: Option<Duration>;
        /// Marks that count.
        marks: Marks = "any";
        /// Decision about a call if the level equals the threshold.
        at_threshold: AtThreshold = "refuse";
        /// How the level changes while no packets arrive.
        idle: Idle = "reset";
        /// Time constant of `idle = "decay"`, or silence after which `"time-out"` sets the level to 0.
        idle_time: Option<Duration>;
        /// Initial level.
        initial: Probability = "0";
    }
}

crate::choice! {
    /// When a congestion level estimate adds a sample.
    pub enum Update {
        /// With every packet.
        "packet" => Packet,
        /// At the end of every interval.
        "interval" => Interval,
    }
}

crate::choice! {
    /// Marks that a scheme counts.
    pub enum Marks {
        /// Threshold and excess-traffic marks.
        "any" => Any,
        /// Threshold marks only.
        "threshold" => Threshold,
        /// Excess-traffic marks only.
        "excess" => Excess,
    }
}

impl Marks {
    /// Whether `mark` counts.
    #[inline]
    pub fn count(self, mark: PcnMark) -> bool {
        match self {
            Marks::Any => mark != PcnMark::Unmarked,
            Marks::Threshold => mark == PcnMark::Threshold,
            Marks::Excess => mark == PcnMark::Excess,
        }
    }
}

crate::choice! {
    /// Decision about a call if the level equals the threshold.
    pub enum AtThreshold {
        /// The call is refused [Satoh10 s10.1].
        "refuse" => Refuse,
        /// The call is admitted [Satoh10 s3.3.1].
        "admit" => Admit,
    }
}

crate::choice! {
    /// How the level of an aggregate changes while no packets arrive.
    pub enum Idle {
        /// It stays as it is, and may block the aggregate forever.
        "frozen" => Frozen,
        /// It is reset to 0 by a request of a call whose aggregate has no live call.
        "reset" => Reset,
        /// It decays exponentially with the time since the last packet.
        "decay" => Decay,
        /// It is 0 once no packet has arrived for `idle-time`.
        "time-out" => TimeOut,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        match (self.update, self.interval) {
            (Update::Interval, None) => mistake("interval", "is missing; update = \"interval\" needs one".to_owned()),
            (Update::Interval, Some(Duration::ZERO)) => mistake("interval", "must be above zero".to_owned()),
            (Update::Packet, Some(_)) => mistake("interval", "has no effect with update = \"packet\"; leave it out".to_owned()),
            _ => {}
        }
        match (self.idle, self.idle_time) {
            (Idle::Decay | Idle::TimeOut, None) => {
                mistake("idle-time", "is missing; idle = \"decay\" and \"time-out\" need one".to_owned());
            }
            (Idle::Decay | Idle::TimeOut, Some(Duration::ZERO)) => mistake("idle-time", "must be above zero".to_owned()),
            (Idle::Frozen | Idle::Reset, Some(_)) => {
                mistake("idle-time", "has an effect only with idle = \"decay\" or \"time-out\"; leave it out".to_owned());
            }
            _ => {}
        }
        if self.threshold.0 == 0.0 && self.at_threshold == AtThreshold::Refuse {
            mistake("threshold", "0 refuses every call; write at-threshold = \"admit\" to admit at 0".to_owned());
        }
    }
}

/// Admission rule of the ingress.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    threshold: f64,
    at_threshold: AtThreshold,
}

impl Rule {
    /// A rule with these parameters.
    pub fn new(parameters: &Parameters) -> Rule {
        Rule { threshold: parameters.threshold.0, at_threshold: parameters.at_threshold }
    }

    /// Whether a call is admitted at `level`.
    pub fn admits(&self, level: f64) -> bool {
        match self.at_threshold {
            AtThreshold::Refuse => level < self.threshold,
            AtThreshold::Admit => level <= self.threshold,
        }
    }
}

/// Congestion level estimate at the egress.
#[derive(Clone, Debug)]
pub struct Estimator {
    average: Ewma,
    marks: Marks,
    idle: Idle,
    /// Whether each packet is a sample and its time does not matter.
    is_timeless: bool,
    timed: Box<Timed>,
}

/// State that only some estimates need.
#[derive(Clone, Debug)]
struct Timed {
    idle_time: Duration,
    last: Time,
    /// Length of an interval; zero if each packet is a sample.
    interval: Duration,
    until: Time,
    bits: u64,
    marked_bits: u64,
}

impl Estimator {
    /// An estimate with these parameters.
    pub fn new(parameters: &Parameters) -> Estimator {
        Estimator {
            average: Ewma::new(parameters.weight, parameters.weighs, parameters.initial.0),
            marks: parameters.marks,
            idle: parameters.idle,
            is_timeless: parameters.update == Update::Packet && matches!(parameters.idle, Idle::Frozen | Idle::Reset),
            timed: Box::new(Timed {
                idle_time: parameters.idle_time.unwrap_or(Duration::FOREVER),
                last: Time::ZERO,
                interval: parameters.interval.unwrap_or(Duration::ZERO),
                until: Time::NEVER,
                bits: 0,
                marked_bits: 0,
            }),
        }
    }

    /// Handles the arrival of a packet.
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        let marked = self.marks.count(mark);
        if self.is_timeless {
            self.average.add(f64::from(u8::from(marked)));
        } else {
            self.on_timed_packet(now, size, marked);
        }
    }

    /// Whether each packet is a sample and its time does not matter.
    #[inline]
    pub fn only_samples(&self) -> bool {
        self.is_timeless
    }

    /// Handles the arrival of a packet with this mark, at an estimate that [only samples](Estimator::only_samples) marks.
    #[inline(always)]
    pub fn on_mark(&mut self, mark: PcnMark) {
        debug_assert!(self.is_timeless);
        self.average.add(f64::from(u8::from(self.marks.count(mark))));
    }

    /// Handles the arrival of packets with these marks, at an estimate that [only samples](Estimator::only_samples) marks.
    #[inline(always)]
    pub fn on_marks(&mut self, marks: impl Iterator<Item = PcnMark>) {
        let contribution = |mark| self.average.weighted(f64::from(u8::from(self.marks.count(mark))));
        let contributions = [PcnMark::Unmarked, PcnMark::Threshold, PcnMark::Excess].map(contribution);
        let mut average = self.average;
        for mark in marks {
            average.add_weighted(contributions[mark as usize]);
        }
        self.average = average;
    }

    #[inline(never)]
    fn on_timed_packet(&mut self, now: Time, size: Bytes, marked: bool) {
        if matches!(self.idle, Idle::Decay | Idle::TimeOut) {
            self.average.set(self.level(now));
        }
        let timed = &mut *self.timed;
        timed.last = now;
        if timed.interval == Duration::ZERO {
            self.average.add(f64::from(u8::from(marked)));
            return;
        }
        if timed.until == Time::NEVER {
            timed.until = now + timed.interval;
        }
        timed.bits += size.bits();
        timed.marked_bits += if marked { size.bits() } else { 0 };
    }

    /// Level for a request that was sent while the aggregate had `live` calls.
    pub fn on_request(&mut self, now: Time, live: u32) -> f64 {
        if self.idle == Idle::Reset && live == 0 {
            self.average.set(0.0);
            (self.timed.bits, self.timed.marked_bits) = (0, 0);
        }
        self.level(now)
    }

    /// Level at `now`.
    pub fn level(&self, now: Time) -> f64 {
        let (level, silence) = (self.average.value(), now.since(self.timed.last));
        match self.idle {
            Idle::Frozen | Idle::Reset => level,
            Idle::Decay => level * libm::exp(-silence.as_seconds() / self.timed.idle_time.as_seconds()),
            Idle::TimeOut if silence >= self.timed.idle_time => 0.0,
            Idle::TimeOut => level,
        }
    }

    /// Whether the estimate samples intervals.
    pub fn has_deadlines(&self) -> bool {
        self.timed.interval != Duration::ZERO
    }

    /// End of the current interval.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.timed.until
    }

    /// Handles the end of the current interval.
    pub fn on_timer(&mut self, now: Time) {
        let timed = &mut *self.timed;
        let (bits, marked_bits) = (std::mem::take(&mut timed.bits), std::mem::take(&mut timed.marked_bits));
        timed.until = if bits == 0 { Time::NEVER } else { now + timed.interval };
        if bits > 0 {
            self.average.add(marked_bits as f64 / bits as f64);
        }
    }
}
