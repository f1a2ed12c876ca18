//! Adaptive RED.

use super::early_drop::{amount, unit_mistake, Idle, Mode, NearEmpty, Spacing, UNREACHED};
use super::red::{self, Red};
use super::{Discipline, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Check, Fraction, Limit, Probability, QueueThreshold, Weight};
use crate::units::{Bytes, Duration, Rate, Time};

/// Limits within which max_p is adapted.
const MAX_P: (f64, f64) = (0.01, 0.5);
/// Interval of the average's position between the thresholds (0 to 1) in which it is on target.
const ON_TARGET: (f64, f64) = (0.4, 0.6);
/// Minimum of the automatic lower threshold, in packets.
const MIN_THRESHOLD: f64 = 5.0;

crate::parameters! {
    /// Adaptive RED: RED that keeps the average queue halfway between its thresholds by adapting max_p.
    ///
    /// ## Decides
    /// Works like `red` with `gentle`: with `ecn`, it marks ECN-capable packets up to twice `max-threshold` and drops them from there
    /// on. Thresholds and weight that are left out follow from the rate of the link, C mean packets per second:
    ///
    /// | parameter | automatic value |
    /// |---|---|
    /// | `min-threshold` (min) | `target-delay` x C / 2, at least 5 packets |
    /// | `max-threshold` (max) | 3 min |
    /// | `weight` (w) | $1 - e^{-1/C}$ |
    ///
    /// The first arrival after each `interval` adapts max_p to the average queue:
    ///
    /// | average | max_p |
    /// |---|---|
    /// | above min + 0.6 (max - min), and max_p at most 0.5 | increased by the smaller of `increase` and max_p / 4 |
    /// | below min + 0.4 (max - min), and max_p at least 0.01 | multiplied by `decrease` |
    ///
    /// ## State
    /// The state of `red`, max_p, and the time of its last adaptation.
    ///
    /// ## Departures
    /// - Only an arrival ends an interval, so max_p stays while none come. In ns-2 the next interval begins only when max_p changes.
    /// - The paper's text keeps max_p between 0.01 and 0.5. Here, as in the paper's pseudocode, only the value before a step must be
    ///   in this range, so one step may leave it.
    /// - Automatic values follow from the initial rate of the link. A `limit` that is not above the automatic `min-threshold` is refused.
    ///   With `limit` in bytes, automatic thresholds are converted at `mean-packet` per packet.
    /// - The departures of `red` apply, and so do its defaults for parameters that do not exist here.
    ///
    /// ## Example
    /// ```toml
    /// queue.adaptive-red = { limit = "200 packets", target-delay = "5 ms", mean-packet = "1000 bytes" }
    /// ```
    ///
    /// ## References
    /// [Floyd01 s4, s5]; the automatic thresholds are ns-2's.
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit = "1000 packets";
        /// Average queueing delay that the automatic thresholds aim at; default of [Floyd01 s5] and ns-2.
        target_delay: Duration = "5 ms";
        /// Average below which nothing is dropped (min_th), in the unit of `limit`; automatic if left out.
        min_threshold: Option<QueueThreshold>;
        /// Average from which the probability rises from max_p to 1 (max_th), in the unit of `limit`; automatic if left out.
        max_threshold: Option<Limit>;
        /// Initial drop probability just below `max-threshold` (max_p); default of ns-2.
        max_probability: Probability = "0.1";
        /// Weight of an arrival's sample in the average (w_q); automatic if left out.
        weight: Option<Weight>;
        /// Mean size of a packet, which converts rates and idle time to packets; default of ns-2.
        mean_packet: Bytes = "500 bytes";
        /// Time between adaptations of max_p [Floyd01 s4].
        interval: Duration = "500 ms";
        /// Maximum increase of max_p (alpha) [Floyd01 s4].
        increase: Probability = "0.01";
        /// Factor of max_p when it decreases (beta) [Floyd01 s4].
        decrease: Fraction = "0.9";
        /// Spacing of drops; default of ns-2.
        spacing: Spacing = "wait";
        /// Whether large packets are dropped more often than small ones; if left out, by the unit of `limit`.
        mode: Option<Mode>;
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.interval == Duration::ZERO {
            mistake("interval", "must be above 0 s".to_owned());
        }
        let written = [("min-threshold", self.min_threshold.map(|threshold| threshold.0)), ("max-threshold", self.max_threshold)];
        let written: Vec<(&str, Limit)> = written.into_iter().filter_map(|(key, threshold)| Some((key, threshold?))).collect();
        for (key, threshold) in &written {
            if let Some(message) = unit_mistake(*threshold, self.limit) {
                return mistake(key, message);
            }
        }
        if let [(_, min), (_, max)] = written[..] {
            if amount(min) >= amount(max) {
                mistake("max-threshold", "must be above min-threshold".to_owned());
            }
        } else if written.iter().any(|(key, _)| *key == "max-threshold") {
            mistake("max-threshold", "needs a min-threshold, which otherwise follows from the rate of the link".to_owned());
        }
        if self.min_threshold.is_some_and(|min| amount(min.0) >= amount(self.limit)) {
            mistake("min-threshold", UNREACHED.to_owned());
        }
    }
}

impl Parameters {
    /// Mistake at a link of this initial rate, with its key: `limit` is not above the automatic minimum threshold.
    pub(super) fn mistake_at(&self, rate: Rate) -> Option<(&'static str, String)> {
        let min = self.red(rate).min_threshold.0;
        let text = |limit: Limit| match limit {
            Limit::Packets(packets) => format!("{packets} packets"),
            Limit::Bytes(bytes) => bytes.to_string(),
        };
        (amount(min) >= amount(self.limit)).then(|| {
            let (limit, min) = (text(self.limit), text(min));
            let message = format!(
                "{limit} are not above the automatic min-threshold, {min} at {rate}, so the average never reaches it and nothing would \
                 be dropped early; write more than {min}, or a shorter target-delay"
            );
            ("limit", message)
        })
    }

    /// RED with the automatic values for a link of this rate.
    fn red(&self, rate: Rate) -> red::Parameters {
        let per_second = rate.as_bps() as f64 / self.mean_packet.bits() as f64;
        let automatic = (self.target_delay.as_seconds() * per_second / 2.0).max(MIN_THRESHOLD);
        let of_limit = |packets: f64| match self.limit {
            Limit::Packets(_) => Limit::Packets((packets + 0.5) as u32),
            Limit::Bytes(_) => Limit::Bytes(Bytes::new((packets * self.mean_packet.get() as f64 + 0.5) as u64)),
        };
        let min = self.min_threshold.unwrap_or(QueueThreshold(of_limit(automatic)));
        let max = self.max_threshold.unwrap_or(match min.0 {
            Limit::Packets(packets) => Limit::Packets(packets.saturating_mul(3).max(1)),
            Limit::Bytes(bytes) => Limit::Bytes(Bytes::new(bytes.get().saturating_mul(3).max(1))),
        });
        red::Parameters {
            limit: self.limit,
            min_threshold: min,
            max_threshold: max,
            max_probability: self.max_probability,
            weight: self.weight.unwrap_or(Weight(-libm::expm1(-1.0 / per_second))),
            mean_packet: self.mean_packet,
            idle: Idle::Corrected,
            spacing: self.spacing,
            near_empty: NearEmpty::Restart,
            mode: self.mode,
            gentle: true,
            ecn: self.ecn,
        }
    }
}

/// State of Adaptive RED.
#[derive(Clone, Debug)]
pub struct AdaptiveRed {
    red: Red,
    interval: Duration,
    increase: f64,
    decrease: f64,
    /// Range of the average in which max_p stays unchanged.
    target: (f64, f64),
    adapted: Time,
}

impl AdaptiveRed {
    /// An Adaptive RED discipline with these parameters; it draws from the port's stream `early-drop`.
    pub fn new(parameters: &Parameters, port: &PortContext) -> AdaptiveRed {
        let mut red = Red::new(&parameters.red(port.site.rate), port);
        let (min, max) = (red.curve_mut().min, red.curve_mut().max);
        let at = |part: f64| min + part * (max - min);
        AdaptiveRed {
            red,
            interval: parameters.interval,
            increase: parameters.increase.0,
            decrease: parameters.decrease.0,
            target: (at(ON_TARGET.0), at(ON_TARGET.1)),
            adapted: Time::ZERO,
        }
    }

    /// Adapts max_p to the average if an interval has passed since the last adaptation.
    #[inline]
    fn adapt(&mut self, now: Time) {
        if now.since(self.adapted) < self.interval {
            return;
        }
        self.adapted = now;
        let (average, (low, high)) = (self.red.average(), self.target);
        let max_p = &mut self.red.curve_mut().max_p;
        if average > high && *max_p <= MAX_P.1 {
            *max_p += self.increase.min(*max_p / 4.0);
        } else if average < low && *max_p >= MAX_P.0 {
            *max_p *= self.decrease;
        }
    }
}

crate::state! {
    impl AdaptiveRed, red: Red, |it, _now| {
        /// Drop probability just below the upper threshold (max_p).
        "max-probability", "1", is it.red.max_p();
    }
}

impl Discipline for AdaptiveRed {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let waiting = self.red.observe(now, packet, queue);
        self.adapt(now);
        self.red.decide(packet, queue, waiting)
    }

    fn limit(&self) -> Option<Limit> {
        self.red.limit()
    }

    fn hooks(&self) -> Hooks {
        self.red.hooks()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arrivals, packet, port, queue};
    use super::*;
    use crate::parameters::testing::read;

    fn parameters(lines: &[&str]) -> Parameters {
        read(lines).expect("sound")
    }

    #[test]
    fn thresholds_and_weight_follow_from_the_rate() {
        let automatic = |lines: &[&str], mbps: u64| {
            let red = parameters(lines).red(Rate::from_bps(mbps * 1_000_000));
            (amount(red.min_threshold.0), amount(red.max_threshold), red.weight.0)
        };
        // 30 Mbit/s are 7500 packets of 500 bytes per second: 18.75 in 2.5 ms.
        let (min, max, weight) = automatic(&[], 30);
        assert_eq!((min, max), (19, 57));
        assert!((weight - (1.0 - libm::exp(-1.0 / 7500.0))).abs() < 1e-12);
        // At 1.5 Mbit/s, 375 per second, the minimum: 5 packets.
        assert_eq!((automatic(&[], 1).0, automatic(&[], 1).1), (5, 15));
        assert_eq!(automatic(&["limit = 1 MB"], 30).0, 9375);
        assert_eq!(automatic(&["limit = 1 MB", "min-threshold = 0 bytes"], 30).1, 1);
        assert_eq!(automatic(&["target-delay = 20 ms", "mean-packet = 1000 bytes"], 30).0, 38); // 37.5
        let written = ["min-threshold = 7 packets", "max-threshold = 9 packets", "weight = 0.3"];
        assert_eq!(automatic(&written, 30), (7, 9, 0.3));
        assert_eq!(automatic(&written[..1], 30).1, 21);
    }

    /// RED with thresholds of 20 and 40 and a target range of 28 to 32. Weight 1 makes the average equal the queue.
    fn instant(more: &[&str]) -> AdaptiveRed {
        let lines = ["limit = 100 packets", "min-threshold = 20 packets", "max-threshold = 40 packets", "weight = 1"];
        AdaptiveRed::new(&parameters(&[&lines, more].concat()), &port())
    }

    fn arrive(it: &mut AdaptiveRed, ms: u64, waiting: u32) -> f64 {
        it.on_arrival(Time::ZERO + Duration::from_ms(ms), &packet(500, 0), &queue([waiting, 0, 0, 0]));
        it.red.max_p()
    }

    #[test]
    fn max_p_rises_above_the_target_and_falls_below_it_once_per_interval() {
        let mut it = instant(&["max-probability = 0.1"]);
        assert_eq!(arrive(&mut it, 499, 33), 0.1);
        assert_eq!(arrive(&mut it, 500, 33), 0.1 + 0.01);
        assert_eq!(arrive(&mut it, 999, 33), 0.1 + 0.01);
        for waiting in [32, 28] {
            assert_eq!(arrive(&mut it, if waiting == 32 { 1000 } else { 1500 }, waiting), 0.1 + 0.01, "on target at {waiting}");
        }
        assert_eq!(arrive(&mut it, 2000, 27), (0.1 + 0.01) * 0.9);
        // A small max_p rises by a quarter of itself.
        let mut it = instant(&["max-probability = 0.02"]);
        assert_eq!(arrive(&mut it, 600, 33), 0.02 + 0.005);
        // The next interval begins at 600 ms.
        assert_eq!(arrive(&mut it, 1099, 33), 0.02 + 0.005);
    }

    #[test]
    fn max_p_stays_about_its_range() {
        let mut it = instant(&["max-probability = 0.5"]);
        assert_eq!([500, 1000].map(|ms| arrive(&mut it, ms, 33)), [0.51; 2]);
        let mut it = instant(&["max-probability = 0.01"]);
        assert_eq!([500, 1000].map(|ms| arrive(&mut it, ms, 3)), [0.01 * 0.9; 2]);
    }

    #[test]
    fn the_new_value_holds_for_the_arrival_itself() {
        // p = max_p at the upper threshold: 1 at first, 0.5 after one decrease by half, which a low average causes.
        let it = || instant(&["max-probability = 1", "decrease = 0.5", "spacing = independent"]);
        let mut adapted = it();
        arrive(&mut adapted, 500, 10);
        let dropped = |it: &mut AdaptiveRed| {
            let verdicts = arrivals(it, 0, &queue([39, 0, 0, 0]), 2001);
            verdicts.iter().filter(|verdict| **verdict != Verdict::Accept).count() as f64
        };
        assert!((it().red.curve_mut().probability(39.0) - 0.95).abs() < 1e-12);
        // Expected: 0.475 of 2000, since only arrivals after the first one above the minimum can be dropped. Within four standard errors.
        assert!((dropped(&mut adapted) - 950.0).abs() < 4.0 * (2000.0f64 * 0.475 * 0.525).sqrt());
    }

    #[test]
    fn an_automatic_threshold_must_be_below_the_limit() {
        let told = |lines: &[&str], mbps: u64| parameters(lines).mistake_at(Rate::from_bps(mbps * 1_000_000));
        // 1600 Mbit/s are 400 000 packets of 500 bytes per second: 1000 in 2.5 ms.
        assert_eq!(told(&[], 1599), None);
        let (key, message) = told(&[], 1600).expect("a mistake");
        let expected = "1000 packets are not above the automatic min-threshold, 1000 packets at 1600 Mbit/s, so the average never \
                        reaches it and nothing would be dropped early; write more than 1000 packets, or a shorter target-delay";
        assert_eq!((key, message.as_str()), ("limit", expected));
        assert_eq!(told(&["limit = 1001 packets"], 1600), None);
        assert_eq!(told(&["limit = 500 kB"], 1599), None);
        assert!(told(&["limit = 500 kB"], 1600).is_some_and(|(_, message)| message.starts_with("500000 bytes are not above")));
        assert_eq!(told(&["min-threshold = 9 packets"], 1600), None);
    }

    #[test]
    fn thresholds_that_do_not_fit_are_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(
            mistakes(&["max-threshold = 30 packets"]),
            ["max-threshold: needs a min-threshold, which otherwise follows from the rate of the link"]
        );
        assert_eq!(mistakes(&["interval = 0 s"]), ["interval: must be above 0 s"]);
        assert_eq!(mistakes(&["min-threshold = 3 kB"]), ["min-threshold: must be in packets if limit is, otherwise in bytes or as a time"]);
        assert_eq!(mistakes(&["min-threshold = 3 packets", "max-threshold = 3 packets"]), ["max-threshold: must be above min-threshold"]);
        assert_eq!(mistakes(&["limit = 9 packets", "min-threshold = 9 packets"]), [format!("min-threshold: {UNREACHED}")]);
    }
}
