//! Marking by RED's curve, applied to the queue instead of its average, as in the switches of DCQCN.

use super::early_drop::{amount, same_unit, unit_mistake};
use super::{Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, OwnLimit, Probability};
use crate::rng::Stream;
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// RED marking: marks ECN-capable arrivals with a probability that rises with the queue, and drops only when the queue is full.
    ///
    /// ## Decides
    /// q is the instantaneous queue, excluding the arrival and the packet in service. An ECN-capable arrival is marked with CE with
    /// this probability:
    ///
    /// | queue | probability |
    /// |---|---|
    /// | up to `min-threshold` (K_min) | 0 |
    /// | up to `max-threshold` (K_max) | $P_max (q - K_min) / (K_max - K_min)$ |
    /// | above | 1 |
    ///
    /// Other arrivals are accepted unchanged. An arrival that does not fit into `limit` is dropped (cause `overflow`), ECN-capable
    /// or not.
    ///
    /// ## State
    /// None; one random number per ECN-capable arrival between the thresholds.
    ///
    /// ## Departures
    /// None. Unlike `red` with `ecn`, there is no average, marks are independent of one another, and nothing is dropped above the
    /// upper threshold.
    ///
    /// ## Example
    /// ```toml
    /// queue.red-marking = { limit = "1 MB", min-threshold = "5 kB", max-threshold = "200 kB", max-probability = "1 %" }
    /// ```
    ///
    /// ## References
    /// Zhu et al. [Zhu15].
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: OwnLimit = "1 MB";
        /// Nothing is marked up to this (K_min), in packets or bytes as `limit` is [Zhu15].
        min_threshold: Limit = "5 kB", changeable;
        /// Everything is marked above this (K_max), in the unit of `min-threshold` [Zhu15].
        max_threshold: Limit = "200 kB", changeable;
        /// Probability at K_max (P_max) [Zhu15].
        max_probability: Probability = "0.01", changeable;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        for (name, threshold) in [("min-threshold", self.min_threshold), ("max-threshold", self.max_threshold)] {
            if let Some(message) = self.limit.0.and_then(|limit| unit_mistake(threshold, limit)) {
                mistake(name, message);
                return;
            }
        }
        if !same_unit(self.min_threshold, self.max_threshold) {
            mistake("max-threshold", "must be in packets if min-threshold is, and in bytes if min-threshold is".to_owned());
            return;
        }
        if amount(self.min_threshold) >= amount(self.max_threshold) {
            mistake("max-threshold", "must be above min-threshold".to_owned());
        }
        if self.limit.0.is_some_and(|limit| amount(self.min_threshold) >= amount(limit)) {
            mistake("min-threshold", "is not below limit, so nothing would be marked".to_owned());
        }
    }
}

impl Parameters {
    /// The two thresholds, and the slope of the probability per packet or byte between them.
    fn line(&self) -> (u64, u64, f64) {
        let (low, high) = (amount(self.min_threshold), amount(self.max_threshold));
        (low, high, self.max_probability.0 / (high - low) as f64)
    }
}

/// State of RED marking.
#[derive(Clone, Debug)]
pub struct RedMarking {
    limit: OwnLimit,
    /// Whether thresholds are in bytes.
    in_bytes: bool,
    low: u64,
    high: u64,
    /// Slope of the probability, per packet or byte.
    slope: f64,
    stream: Stream,
}

impl RedMarking {
    /// RED marking with these parameters; it draws from the stream `red-marking` of its port.
    pub fn new(parameters: &Parameters, port: &PortContext) -> RedMarking {
        let (low, high, slope) = parameters.line();
        let in_bytes = matches!(parameters.min_threshold, Limit::Bytes(_));
        RedMarking { limit: parameters.limit, in_bytes, low, high, slope, stream: port.site.key.child("red-marking").stream() }
    }
}

crate::state! {
    impl RedMarking, |_it, _now| {}
}

impl Discipline for RedMarking {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if !self.limit.has_room(queue.packets, queue.bytes, packet.size) {
            return Verdict::Drop(DropCause::Overflow);
        }
        let waiting = if self.in_bytes { queue.bytes } else { u64::from(queue.packets) };
        if !packet.ecn.is_capable() || waiting <= self.low {
            return Verdict::Accept;
        }
        if waiting > self.high || self.stream.chance((waiting - self.low) as f64 * self.slope) {
            Verdict::Mark
        } else {
            Verdict::Accept
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.limit.0
    }

    fn always_marks() -> bool {
        true
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        (self.low, self.high, self.slope) = own::<Parameters>(parameters).line();
    }

    fn hooks(&self) -> Hooks {
        Hooks::MARK
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{packet, port, queue};
    use super::*;
    use crate::packet::Ecn;
    use crate::parameters::testing::read;

    const LINES: [&str; 4] = ["limit = 60 packets", "min-threshold = 10 packets", "max-threshold = 50 packets", "max-probability = 0.2"];

    /// Share of 100,000 arrivals that are marked if each finds this queue.
    fn share(waiting: u32, ecn: Ecn) -> f64 {
        let mut it = RedMarking::new(&read(&LINES).expect("sound"), &port());
        let packet = Packet { ecn, ..packet(500, 0) };
        let marks = (0..100_000).filter(|_| it.on_arrival(Time::ZERO, &packet, &queue([waiting, 0, 0, 0])) == Verdict::Mark);
        marks.count() as f64 / 1e5
    }

    #[test]
    fn the_probability_rises_between_the_thresholds() {
        // The queue of 20 is a quarter of the way from 10 to 50: a quarter of 0.2. Four standard errors of sqrt(p (1 - p) / 100 000).
        for (waiting, expected, error) in [(20, 0.05, 0.0028), (50, 0.2, 0.0051)] {
            let seen = share(waiting, Ecn::Ect0);
            assert!((seen - expected).abs() < error, "{waiting} waiting: {seen}");
        }
        assert_eq!([10, 51, 59].map(|waiting| share(waiting, Ecn::Ect0)), [0.0, 1.0, 1.0]);
        assert_eq!(share(59, Ecn::NotEct), 0.0);
    }

    #[test]
    fn only_what_has_no_room_is_dropped() {
        let mut it = RedMarking::new(&read(&LINES).expect("sound"), &port());
        for ecn in [Ecn::Ect0, Ecn::NotEct] {
            let verdict = it.on_arrival(Time::ZERO, &Packet { ecn, ..packet(500, 0) }, &queue([60, 0, 0, 0]));
            assert_eq!(verdict, Verdict::Drop(DropCause::Overflow));
        }
    }

    #[test]
    fn mistakes_are_told() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(mistakes(&["max-threshold = 5 kB"]), ["max-threshold: must be above min-threshold"]);
        assert_eq!(mistakes(&["limit = 5 kB"]), ["min-threshold: is not below limit, so nothing would be marked"]);
        let unit = "max-threshold: must be in packets if min-threshold is, and in bytes if min-threshold is";
        assert_eq!(mistakes(&["limit = none", "min-threshold = 10 packets"]), [unit]);
        assert_eq!(mistakes(&["limit = 60 packets"]), ["min-threshold: must be in packets if limit is, otherwise in bytes or as a time"]);
    }

    #[test]
    fn without_a_limit_the_thresholds_say_what_counts() {
        let bytes = ["limit = none", "min-threshold = 5 kB", "max-threshold = 200 kB"];
        let packets = ["limit = none", "min-threshold = 10 packets", "max-threshold = 50 packets"];
        let capable = Packet { ecn: Ecn::Ect0, ..packet(500, 0) };
        // 401 packets of 500 bytes are 200.5 kB.
        for (lines, waiting) in [(&bytes, 401), (&packets, 51)] {
            let mut it = RedMarking::new(&read(lines).expect("sound"), &port());
            assert_eq!(it.limit(), None);
            let verdict = |it: &mut RedMarking, waiting| it.on_arrival(Time::ZERO, &capable, &queue([waiting, 0, 0, 0]));
            assert_eq!([verdict(&mut it, 10), verdict(&mut it, waiting)], [Verdict::Accept, Verdict::Mark], "{lines:?}");
        }
    }
}
