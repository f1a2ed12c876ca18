//! Random Early Detection.

use super::early_drop::{amount, hooks, same_unit, verdict, Averaging, Curve, CurveDrops, DropCount, SpacingRule, MEAN_PACKET};
pub use super::early_drop::{Idle, Spacing};
use super::{Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Check, Limit, Probability, Weight};
use crate::rng::Stream;
use crate::units::{Bytes, Time};

crate::parameters! {
    /// Random Early Detection: drops at random, more often the longer the queue has been on average.
    ///
    /// ## Decides
    /// Each arrival updates the average queue, ave = (1 - w) ave + w q, where q is what waits and neither the arrival
    /// nor the packet in service counts. An arrival that ends m mean packet times of idleness first ages it by (1 - w)^m.
    /// Below `min-threshold` nothing is dropped. Between the thresholds the probability is
    /// p = max_p (ave - min) / (max - min), and `spacing` makes it into drops. From `max-threshold` on every arrival is
    /// dropped (cause `forced`); with `gentle` the probability rises from max_p there to 1 at twice that threshold.
    /// Whatever does not fit into `limit` is dropped (cause `overflow`), and any drop restarts the count of the spacing. With
    /// `ecn` an ECN-capable packet is marked where it would be dropped early; above `max-threshold` and without room it is
    /// dropped like any other [RFC3168 s7].
    ///
    /// ## State
    /// The average, the packets and bytes since the last drop, and whether the average was above the minimum.
    /// Constant cost per packet; one random number per arrival between the thresholds.
    ///
    /// ## Departures
    /// Like ns-2's queue/red.cc and unlike [Floyd93 s4]: nothing is dropped while at most one packet (or byte) waits, and
    /// the arrival that finds the average risen above the minimum only starts the count. Spacing `count` counts the
    /// packets accepted since the last drop, which gives the gaps uniform on 1 to 1/p of [Floyd93 s7]; the pseudo-code of
    /// the same article and ns-2 without `wait_` count the arrival too, and their gaps end one packet earlier. With a
    /// limit in bytes a packet must fit whole, as in tail drop; ns-2 lets the last one exceed it. The defaults
    /// (`wait`, not `gentle`) are those of ns-2 until April 2001, which most published results with RED share.
    ///
    /// ## Example
    /// ```toml
    /// queue.red = { limit = "60 packets", min-threshold = "20 packets", max-threshold = "40 packets", max-probability = "1/30" }
    /// ```
    ///
    /// ## References
    /// [Floyd93 s4, s7]; gentle: S. Floyd, note of March 2000; byte mode: [Floyd93 s4], against it RFC 7141 s2.2.
    pub struct Parameters {
        /// The most that the queue may hold.
        limit: Limit;
        /// Average below which nothing is dropped (min_th), in the unit of `limit`.
        min_threshold: Limit;
        /// Average from which everything is dropped (max_th), in the unit of `limit`.
        max_threshold: Limit;
        /// Drop probability just below `max-threshold`, before spacing (max_p).
        max_probability: Probability;
        /// Weight of an arrival's sample in the average (w_q); default of [Floyd93 s6] and ns-2.
        weight: Weight = "0.002";
        /// Mean packet, which makes idle time into packets and scales mode `bytes`; default of ns-2.
        mean_packet: Bytes = "500 bytes";
        /// What idle time does to the average.
        idle: Idle = "corrected";
        /// How drops follow one another; default of ns-2.
        spacing: Spacing = "wait";
        /// Whether large packets are dropped more often than small ones; left out, it follows the unit of the thresholds.
        mode: Option<Mode>;
        /// Whether the probability rises steadily to 1 above `max-threshold`; off in [Floyd93 s4], on in ns-2 since 2001.
        gentle: bool = "false";
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false";
    }
}

crate::choice! {
    /// What a drop probability applies to.
    pub enum Mode {
        /// Every packet alike.
        "packets" => Packets,
        /// In proportion to its size over `mean-packet`; the spacing counts bytes in whole mean packets.
        "bytes" => Bytes,
    }
}

impl Parameters {
    fn mode(&self) -> Mode {
        self.mode.unwrap_or(match self.min_threshold {
            Limit::Packets(_) => Mode::Packets,
            Limit::Bytes(_) => Mode::Bytes,
        })
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if !same_unit(self.min_threshold, self.limit) || !same_unit(self.max_threshold, self.limit) {
            mistake("limit", "limit, min-threshold and max-threshold must all be in packets or all in bytes".to_owned());
            return;
        }
        if amount(self.min_threshold) >= amount(self.max_threshold) {
            mistake("max-threshold", "must be above min-threshold".to_owned());
        }
        if amount(self.max_threshold) > amount(self.limit) {
            mistake("max-threshold", "is above limit, where the average never comes; at most limit".to_owned());
        }
        if self.mean_packet != MEAN_PACKET && self.idle == Idle::Ignored && self.mode() == Mode::Packets {
            mistake("mean-packet", "has no effect with idle = \"ignored\" and mode = \"packets\"; leave it out".to_owned());
        }
    }
}

/// RED at work.
#[derive(Clone, Debug)]
pub struct Red {
    limit: Limit,
    averaging: Averaging,
    spacing_rule: SpacingRule,
    average: f64,
    count: DropCount,
    drops: CurveDrops,
    in_bytes: bool,
    ecn: bool,
    stream: Stream,
}

impl Red {
    /// A RED discipline with these parameters; it draws from the port's stream `early-drop`.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Red {
        let curve = Curve {
            min: amount(parameters.min_threshold) as f64,
            max: amount(parameters.max_threshold) as f64,
            max_p: parameters.max_probability.0,
            gentle: parameters.gentle,
        };
        let mean_packet = (parameters.mode() == Mode::Bytes).then_some(parameters.mean_packet.get());
        Red {
            limit: parameters.limit,
            averaging: Averaging::new(parameters.weight, parameters.idle, parameters.mean_packet, port.rate),
            spacing_rule: SpacingRule { spacing: parameters.spacing, mean_packet },
            average: 0.0,
            count: DropCount::default(),
            drops: CurveDrops::new(curve),
            in_bytes: matches!(parameters.limit, Limit::Bytes(_)),
            ecn: parameters.ecn,
            stream: port.key.child("early-drop").stream(),
        }
    }

    /// The average queue as of the last arrival, in the unit of the thresholds.
    pub fn average(&self) -> f64 {
        self.average
    }
}

impl Discipline for Red {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let waiting = if self.in_bytes { queue.bytes } else { u64::from(queue.packets) };
        self.average = self.averaging.next(self.average * self.averaging.decay(now, queue.idle_since), waiting);
        self.count.add(packet.size);
        let decided = self.drops.decide(self.average, waiting, &mut self.count, packet.size, &self.spacing_rule, &mut self.stream);
        let cause = if queue.has_room(packet, self.limit) { decided } else { Some(DropCause::Overflow) };
        if cause.is_some() {
            self.count.clear();
        }
        verdict(cause, self.ecn, packet)
    }

    fn hooks(&self) -> Hooks {
        hooks(self.ecn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arrivals, gaps, packet, port, queue};
    use super::*;
    use crate::packet::Ecn;
    use crate::parameters::testing::read;
    use crate::units::Duration;

    const FORCED: Verdict = Verdict::Drop(DropCause::Forced);
    const EARLY: Verdict = Verdict::Drop(DropCause::Early);
    const OVERFLOW: Verdict = Verdict::Drop(DropCause::Overflow);

    fn plan(more: &[&str]) -> Result<Parameters, Vec<String>> {
        let mut lines = vec!["limit = 60 packets", "min-threshold = 20 packets", "max-threshold = 40 packets"];
        lines.retain(|line| !more.iter().any(|own| own.split(" = ").next() == line.split(" = ").next()));
        lines.extend(more);
        read(&lines)
    }

    /// RED whose average is the queue itself (w = 1).
    fn instant(more: &[&str]) -> Red {
        let lines: Vec<&str> = more.iter().copied().chain(["weight = 1"]).collect();
        Red::new(&plan(&lines).expect("sound"), &port())
    }

    fn holding(packets: u32) -> Occupancy {
        queue([packets, 0, 0, 0])
    }

    #[test]
    fn certain_drops_have_their_causes() {
        let mut red = instant(&["max-probability = 1"]);
        assert_eq!(arrivals(&mut red, 0, &holding(19), 3), [Verdict::Accept; 3]);
        assert_eq!(arrivals(&mut red, 0, &holding(40), 2), [FORCED; 2]);
        assert_eq!(arrivals(&mut red, 0, &holding(60), 2), [OVERFLOW; 2]);
    }

    #[test]
    fn the_first_arrival_above_the_minimum_only_starts_the_count() {
        let mut red = instant(&["max-probability = 1", "spacing = independent", "gentle = true"]);
        // At the maximum threshold p = max_p = 1.
        assert_eq!(arrivals(&mut red, 0, &holding(40), 3), [Verdict::Accept, EARLY, EARLY]);
        arrivals(&mut red, 0, &holding(19), 1);
        assert_eq!(arrivals(&mut red, 0, &holding(40), 2), [Verdict::Accept, EARLY]);
    }

    #[test]
    fn nothing_is_dropped_while_at_most_one_packet_waits() {
        let mut red = Red::new(&plan(&["max-probability = 1"]).expect("sound"), &port());
        arrivals(&mut red, 0, &holding(59), 2000);
        assert!(red.average() > 57.0);
        assert_eq!(arrivals(&mut red, 0, &holding(1), 2), [Verdict::Accept; 2]);
        assert_eq!(arrivals(&mut red, 0, &holding(2), 1), [FORCED]);
    }

    #[test]
    fn an_idle_port_ages_the_average() {
        let mut red = Red::new(&plan(&["max-probability = 0.1"]).expect("sound"), &port());
        arrivals(&mut red, 0, &holding(10), 1000);
        let before = red.average();
        let idle = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
        red.on_arrival(Time::ZERO + Duration::from_ms(100), &packet(500, 0), &idle);
        // 37 whole packet times, then the arrival's own sample of 0.
        assert!((red.average() - before * 0.998f64.powi(38)).abs() < 1e-12);
    }

    /// Gaps at p = .1: the average stays half-way between the thresholds.
    fn gaps_at_a_tenth(spacing: &str) -> Vec<usize> {
        let mut red = instant(&["max-probability = 0.2", spacing]);
        gaps(&arrivals(&mut red, 0, &holding(30), 200_000))
    }

    /// Every gap of the range occurs equally often, within four and a half standard errors, and no other does.
    fn assert_uniform(gaps: &[usize], range: std::ops::RangeInclusive<usize>) {
        let share = 1.0 / range.clone().count() as f64;
        let (expected, error) = (gaps.len() as f64 * share, (gaps.len() as f64 * share * (1.0 - share)).sqrt());
        assert!(gaps.iter().all(|gap| range.contains(gap)));
        for gap in range {
            let seen = gaps.iter().filter(|seen| **seen == gap).count() as f64;
            assert!((seen - expected).abs() < 4.5 * error, "gap {gap}: {seen} of {}, expected {expected}", gaps.len());
        }
    }

    #[test]
    fn count_makes_gaps_uniform_up_to_the_inverse_probability() {
        // Mean (1/p + 1)/2 = 5.5 [Floyd93 s7].
        assert_uniform(&gaps_at_a_tenth("spacing = count"), 1..=10);
    }

    #[test]
    fn wait_makes_gaps_uniform_from_the_inverse_probability_to_its_double() {
        // Mean 14.5, about 1.5/p.
        assert_uniform(&gaps_at_a_tenth("spacing = wait"), 10..=19);
    }

    #[test]
    fn independent_drops_have_geometric_gaps() {
        let gaps = gaps_at_a_tenth("spacing = independent");
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<usize>() as f64 / n;
        // Mean 1/p, variance (1-p)/p^2 = 90; four standard errors.
        assert!((mean - 10.0).abs() < 4.0 * (90.0 / n).sqrt(), "{mean}");
        let ones = gaps.iter().filter(|gap| **gap == 1).count() as f64 / n;
        assert!((ones - 0.1).abs() < 4.0 * (0.09 / n).sqrt(), "{ones}");
    }

    #[test]
    fn any_drop_restarts_the_count() {
        let mut red = instant(&["max-probability = 0.2"]);
        arrivals(&mut red, 0, &holding(30), 1);
        for _ in 0..300 {
            assert_eq!(arrivals(&mut red, 0, &holding(60), 1), [OVERFLOW]);
            // With wait and p = .1 the ninth arrival after a drop is still safe; without a restart it would rarely be.
            assert_eq!(arrivals(&mut red, 0, &holding(30), 9), [Verdict::Accept; 9]);
        }
    }

    #[test]
    fn thresholds_in_bytes_measure_bytes_and_drop_by_size() {
        let bytes = ["limit = 30 kB", "min-threshold = 10 kB", "max-threshold = 20 kB", "max-probability = 0.2", "spacing = independent"];
        let mut red = instant(&bytes);
        let mut drops = |size: u32| {
            let n = 100_000;
            let dropped = (0..n).filter(|_| red.on_arrival(Time::ZERO, &packet(size, 0), &holding(30)) == EARLY).count();
            f64::from(u32::try_from(dropped).expect("small")) / f64::from(n)
        };
        // 15 kB wait: p = .1 for a mean packet of 500 bytes, .2 for 1000, .008 for 40. Four standard errors.
        assert!((drops(1000) - 0.2).abs() < 4.0 * (0.16f64 / 1e5).sqrt());
        assert!((drops(40) - 0.008).abs() < 4.0 * (0.008f64 / 1e5).sqrt());
        let mut alike = instant(&[&bytes[..], &["mode = packets"]].concat());
        let n = gaps(&(0..100_000).map(|_| alike.on_arrival(Time::ZERO, &packet(1000, 0), &holding(30))).collect::<Vec<_>>()).len();
        assert!((n as f64 / 1e5 - 0.1).abs() < 4.0 * (0.09f64 / 1e5).sqrt());
        assert_eq!(instant(&bytes).on_arrival(Time::ZERO, &packet(501, 0), &holding(59)), OVERFLOW);
    }

    #[test]
    fn capable_packets_are_marked_instead_of_dropped_early() {
        let of = |ecn: Ecn, waiting: u32, lines: &[&str]| {
            let mut red = instant(&[&["max-probability = 1", "spacing = independent"], lines].concat());
            let packet = Packet { ecn, ..packet(500, 0) };
            // The first only starts the count.
            red.on_arrival(Time::ZERO, &packet, &holding(39));
            let verdicts = [(); 40].map(|_| red.on_arrival(Time::ZERO, &packet, &holding(waiting)));
            verdicts.into_iter().find(|verdict| *verdict != Verdict::Accept)
        };
        for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            assert_eq!(of(ecn, 39, &["ecn = true"]), Some(Verdict::Mark));
            assert_eq!(of(ecn, 39, &[]), Some(EARLY));
        }
        assert_eq!(of(Ecn::NotEct, 39, &["ecn = true"]), Some(EARLY));
        // Above the maximum threshold, and without room, all are dropped [RFC3168 s7].
        assert_eq!(of(Ecn::Ect0, 40, &["ecn = true"]), Some(FORCED));
        assert_eq!(of(Ecn::Ect0, 60, &["ecn = true"]), Some(OVERFLOW));
    }

    #[test]
    fn a_mark_restarts_the_count_as_a_drop_does() {
        let mut red = instant(&["max-probability = 0.2", "ecn = true"]);
        let packet = Packet { ecn: Ecn::Ect0, ..packet(500, 0) };
        let verdicts: Vec<Verdict> = (0..20_000).map(|_| red.on_arrival(Time::ZERO, &packet, &holding(30))).collect();
        assert_uniform(&gaps(&verdicts), 10..=19);
        assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Accept | Verdict::Mark)));
    }

    #[test]
    fn settings_that_contradict_or_do_nothing_are_refused() {
        let mistakes = |more: &[&str]| plan(&[&["max-probability = 1/30"], more].concat()).expect_err("a mistake");
        assert_eq!(mistakes(&["min-threshold = 40 packets"]), ["max-threshold: must be above min-threshold"]);
        assert_eq!(mistakes(&["limit = 39 packets"]), ["max-threshold: is above limit, where the average never comes; at most limit"]);
        assert_eq!(mistakes(&["limit = 60 kB"]), ["limit: limit, min-threshold and max-threshold must all be in packets or all in bytes"]);
        assert_eq!(
            mistakes(&["idle = ignored", "mean-packet = 576 bytes"]),
            ["mean-packet: has no effect with idle = \"ignored\" and mode = \"packets\"; leave it out"]
        );
        assert!(plan(&["max-probability = 1/30", "idle = ignored", "mean-packet = 576 bytes", "mode = bytes"]).is_ok());
        assert_eq!(plan(&["max-probability = 1/30"]).expect("sound").max_probability, Probability(1.0 / 30.0));
    }
}
