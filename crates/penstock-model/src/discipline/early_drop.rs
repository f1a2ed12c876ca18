//! Common arithmetic of RED and RED_n: the average queue, the drop curve and the spacing of drops [Floyd93 s4].

use super::{DropCause, Hooks, Verdict};
use crate::packet::Packet;
use crate::parameters::{Limit, Weight};
use crate::rng::Stream;
use crate::units::{Bytes, Rate, Time, PS_PER_SECOND};

crate::choice! {
    /// Ageing of the average by idle time.
    pub enum Idle {
        /// The average ages as if mean packets had found an empty queue; their number is the idle time in whole packets, as in
        /// ns-2.
        "corrected" => Corrected,
        /// Like `corrected`, but fractions of a packet count too, as in [Floyd93 s4] with a linear f(t).
        "exact" => Exact,
        /// No ageing: only arrivals change the average.
        "ignored" => Ignored,
    }
}

crate::choice! {
    /// Spacing of drops at a constant average; p is the probability given by the curve.
    pub enum Spacing {
        /// Gaps uniform on 1/p to 2/p: no drop for 1/p packets, then p/(2 - count p); ns-2's default (`wait_`).
        "wait" => Wait,
        /// Gaps uniform on 1 to 1/p: p/(1 - count p) [Floyd93 s7].
        "count" => Count,
        /// Geometric gaps: each packet is dropped with probability p.
        "independent" => Independent,
    }
}

crate::choice! {
    /// Treatment of an arrival that finds at most one packet (or byte) waiting while the average is above the minimum.
    pub enum NearEmpty {
        /// It is not dropped, and the average counts as having been below the minimum, as in ns-2: the next arrival that finds
        /// more packets is not dropped either, and starts the count.
        "restart" => Restart,
        /// It is not dropped; the count continues.
        "spare" => Spare,
        /// It is treated like any other arrival [Floyd93 s4].
        "drop" => Drop,
    }
}

crate::choice! {
    /// Unit to which a drop probability applies.
    pub enum Mode {
        /// Packets: all have the same probability.
        "packets" => Packets,
        /// Bytes: the probability of a packet is proportional to its size divided by `mean-packet`; the spacing counts bytes
        /// in whole mean packets.
        "bytes" => Bytes,
    }
}

impl Mode {
    /// Default mode for thresholds in the unit of `limit`.
    pub(super) fn of_unit(limit: Limit) -> Mode {
        match limit {
            Limit::Packets(_) => Mode::Packets,
            Limit::Bytes(_) => Mode::Bytes,
        }
    }
}

/// The default mean packet, ns-2's `mean_pktsize_`.
pub(super) const MEAN_PACKET: Bytes = Bytes::new(500);

/// Exponentially weighted average of the queue: how it changes with each arrival and over idle time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Averaging {
    weight: f64,
    /// Link rate (bit/s) and mean packet (bit ps/s), which convert idle time to packets; `None` if idle time is ignored.
    idle: Option<(u64, u128)>,
    /// Whether fractions of a packet count in idle time.
    is_exact: bool,
}

impl Averaging {
    pub(super) fn new(weight: Weight, idle: Idle, mean_packet: Bytes, rate: Rate) -> Averaging {
        let packet = u128::from(mean_packet.bits()) * u128::from(PS_PER_SECOND);
        let idle_rate = (idle != Idle::Ignored).then_some((rate.as_bps(), packet));
        Averaging { weight: weight.0, idle: idle_rate, is_exact: idle == Idle::Exact }
    }

    /// Factor by which the average ages over an idle time of m mean packets that ends at `now`: (1-w)^m.
    #[inline]
    pub(super) fn decay(&self, now: Time, idle_since: Option<Time>) -> f64 {
        let (Some((rate, packet)), Some(since)) = (self.idle, idle_since) else {
            return 1.0;
        };
        let idle = u128::from(rate) * u128::from(now.since(since).as_ps());
        let missed = if self.is_exact { idle as f64 / packet as f64 } else { (idle / packet) as f64 };
        libm::pow(1.0 - self.weight, missed)
    }

    /// The average after an arrival that finds `queue`.
    #[inline]
    pub(super) fn next(&self, average: f64, queue: u64) -> f64 {
        (1.0 - self.weight) * average + self.weight * queue as f64
    }
}

/// The probability that RED gives to an average queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) max_p: f64,
    pub(super) gentle: bool,
}

/// Position of an average on the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Zone {
    /// Below the minimum threshold: no drops.
    Safe,
    /// Drops are random; the value is the probability before spacing.
    Random(f64),
    /// Every packet is dropped.
    Forced,
}

impl Curve {
    /// The drop probability of `average`, before drops are spaced.
    pub(super) fn probability(&self, average: f64) -> f64 {
        match self.zone(average) {
            Zone::Safe => 0.0,
            Zone::Random(probability) => probability,
            Zone::Forced => 1.0,
        }
    }

    #[inline]
    fn zone(&self, average: f64) -> Zone {
        if average < self.min {
            Zone::Safe
        } else if average < self.max {
            Zone::Random(self.max_p * (average - self.min) / (self.max - self.min))
        } else if self.gentle && average < 2.0 * self.max {
            Zone::Random(self.max_p + (1.0 - self.max_p) * (average - self.max) / self.max)
        } else {
            Zone::Forced
        }
    }
}

/// The count of arrivals since the last drop, the arriving packet included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DropCount {
    packets: u64,
    bytes: u64,
}

impl DropCount {
    /// Number of packets.
    pub(super) fn packets(&self) -> u64 {
        self.packets
    }

    #[inline]
    pub(super) fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        *self = DropCount::default();
    }
}

/// Converts probabilities to decisions by the spacing of drops.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpacingRule {
    pub(super) spacing: Spacing,
    /// Mean packet in bytes if drop probabilities are proportional to packet size.
    pub(super) mean_packet: Option<u64>,
}

impl SpacingRule {
    /// Probability of dropping an arrival of `size` bytes, which `count` already includes, when the curve gives `p`.
    #[inline]
    fn probability(&self, p: f64, count: &DropCount, size: u32) -> f64 {
        let (arrived, accepted) = match self.mean_packet {
            None => (count.packets, count.packets - 1),
            Some(mean) => (count.bytes / mean, (count.bytes - u64::from(size)) / mean),
        };
        let (arrived, accepted) = (arrived as f64 * p, accepted as f64 * p);
        let spaced = match self.spacing {
            Spacing::Wait if arrived < 1.0 => 0.0,
            Spacing::Wait if arrived < 2.0 => p / (2.0 - arrived),
            Spacing::Count if accepted < 1.0 => p / (1.0 - accepted),
            Spacing::Wait | Spacing::Count => 1.0,
            Spacing::Independent => p,
        };
        match self.mean_packet {
            Some(mean) if spaced < 1.0 => spaced * f64::from(size) / mean as f64,
            _ => spaced,
        }
    }
}

/// The decisions along one curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurveDrops {
    pub(super) curve: Curve,
    near_empty: NearEmpty,
    above_min: bool,
}

impl CurveDrops {
    pub(super) fn new(curve: Curve, near_empty: NearEmpty) -> CurveDrops {
        CurveDrops { curve, near_empty, above_min: false }
    }

    /// Cause for which an arrival of `size` bytes, already in `count`, is dropped although there is room; `None` if it is accepted.
    ///
    /// The first arrival with an average above the minimum only restarts the count, and `near_empty` governs arrivals that find at most one
    /// unit queued (ns-2's queue/red.cc).
    #[inline]
    pub(super) fn decide(
        &mut self,
        average: f64,
        queue: u64,
        count: &mut DropCount,
        size: u32,
        spacing_rule: &SpacingRule,
        stream: &mut Stream,
    ) -> Option<DropCause> {
        match self.curve.zone(average) {
            Zone::Random(_) | Zone::Forced if queue <= 1 && self.near_empty != NearEmpty::Drop => {
                self.above_min &= self.near_empty == NearEmpty::Spare;
            }
            Zone::Safe => self.above_min = false,
            Zone::Forced => return Some(DropCause::Forced),
            Zone::Random(_) if !self.above_min => {
                self.above_min = true;
                count.clear();
                count.add(size);
            }
            Zone::Random(p) if stream.chance(spacing_rule.probability(p, count, size)) => return Some(DropCause::Early),
            Zone::Random(_) => {}
        }
        None
    }
}

/// Verdict on an arrival with a `cause` to drop it. With `ecn`, an ECN-capable packet is marked instead of being dropped early. It is still
/// dropped if there is no room, or where the curve drops every packet: from the maximum threshold on, or from twice that threshold on if
/// the curve is gentle [RFC3168 s7].
#[inline]
pub(super) fn verdict(cause: Option<DropCause>, ecn: bool, packet: &Packet) -> Verdict {
    match cause {
        None => Verdict::Accept,
        Some(DropCause::Early) if ecn && packet.ecn.is_capable() => Verdict::Mark,
        Some(cause) => Verdict::Drop(cause),
    }
}

/// Hooks of RED and RED_n.
pub(super) fn hooks(ecn: bool) -> Hooks {
    if ecn {
        Hooks::MARK
    } else {
        Hooks::ARRIVAL
    }
}

/// The number in a limit, without its unit.
pub(super) fn amount(limit: Limit) -> u64 {
    match limit {
        Limit::Packets(packets) => u64::from(packets),
        Limit::Bytes(bytes) => bytes.get(),
    }
}

/// Message for a minimum threshold at or above `limit`, which an average of queues up to `limit` never reaches.
pub(super) const UNREACHED: &str = "is not below limit, so the average never reaches it and nothing would be dropped early";

/// Mistake text if `threshold` has another unit than `limit`.
pub(super) fn unit_mistake(threshold: Limit, limit: Limit) -> Option<String> {
    (!same_unit(threshold, limit)).then(|| "must be in packets if limit is, otherwise in bytes or as a time".to_owned())
}

/// Whether two limits have the same unit.
pub(super) fn same_unit(a: Limit, b: Limit) -> bool {
    matches!(a, Limit::Packets(_)) == matches!(b, Limit::Packets(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;
    use crate::units::Duration;

    fn averaging(idle: Idle) -> Averaging {
        Averaging::new(Weight(0.002), idle, MEAN_PACKET, Rate::from_bps(1_500_000))
    }

    #[test]
    fn a_step_is_half_answered_after_346_arrivals() {
        // q (1 - (1-w)^k) at w = .002: 1 - .998^346 = .499773, 1 - .998^347 = .500774.
        let mut average = 0.0;
        let after: Vec<f64> = (0..347)
            .map(|_| {
                average = averaging(Idle::Corrected).next(average, 100);
                average
            })
            .collect();
        assert!((after[0] - 0.2).abs() < 1e-15);
        assert!((after[345] - 49.9773).abs() < 1e-4 && (after[346] - 50.0774).abs() < 1e-4, "{:?}", &after[345..]);
    }

    #[test]
    fn idle_time_counts_in_whole_mean_packets() {
        // 500 bytes at 1.5 Mbit/s: 375 a second, so 100 ms hold 37.5 of them and 37 count.
        let now = Time::ZERO + Duration::from_ms(300);
        let since = Some(Time::ZERO + Duration::from_ms(200));
        assert!((averaging(Idle::Corrected).decay(now, since) - 0.998f64.powi(37)).abs() < 1e-12);
        assert_eq!(averaging(Idle::Corrected).decay(now, None), 1.0);
        assert_eq!(averaging(Idle::Ignored).decay(now, since), 1.0);
        // Exact counting includes all 37.5, and half a packet in 4/3 ms.
        assert!((averaging(Idle::Exact).decay(now, since) - 0.998f64.powf(37.5)).abs() < 1e-12);
        assert!((averaging(Idle::Exact).decay(Time::from_ps(1_333_333_333), Some(Time::ZERO)) - 0.998f64.sqrt()).abs() < 1e-12);
        assert_eq!(averaging(Idle::Exact).decay(now, None), 1.0);
        // 8/3 ms is one mean packet; a picosecond less than that is none.
        let packet = Time::from_ps(2_666_666_667);
        assert_eq!(averaging(Idle::Corrected).decay(packet, Some(Time::ZERO)), 0.998);
        assert_eq!(averaging(Idle::Corrected).decay(packet, Some(Time::from_ps(1))), 1.0);
    }

    /// With Poisson arrivals at load r, the length of an idle period is exponential with a mean of 1/r mean packets; it holds
    /// 1/(e^r - 1) whole packets on average.
    #[test]
    fn of_random_idle_periods_a_share_of_r_over_e_to_the_r_less_one_ages_the_average() {
        let mut stream = Key::root(1, 0).stream();
        let (corrected, exact) = (averaging(Idle::Corrected), averaging(Idle::Exact));
        for (load, share) in [(0.1, 0.9508), (0.5, 0.7707), (1.1, 0.5489)] {
            assert!((load / (libm::exp(load) - 1.0) - share).abs() < 5e-5);
            // The logarithm of the remaining average is the number of packets by which it aged.
            let mut aged = [0.0, 0.0];
            for _ in 0..100_000 {
                let until = Time::from_ps((stream.exponential() / load * 8e12 / 3e3) as u64);
                aged[0] += libm::log(corrected.decay(until, Some(Time::ZERO)));
                aged[1] += libm::log(exact.decay(until, Some(Time::ZERO)));
            }
            // Each idle period loses less than one packet, so the loss has a standard deviation below 1/2. The tolerance is four standard
            // errors of the mean over the mean length 1/r.
            let error = 4.0 * 0.5 * load / 100_000f64.sqrt();
            assert!((aged[0] / aged[1] - share).abs() < error, "{} at {load}", aged[0] / aged[1]);
        }
    }

    #[test]
    fn the_curve_has_its_corners() {
        let curve = Curve { min: 20.0, max: 40.0, max_p: 0.1, gentle: false };
        assert_eq!(curve.zone(19.999), Zone::Safe);
        assert_eq!(curve.zone(20.0), Zone::Random(0.0));
        assert_eq!(curve.zone(30.0), Zone::Random(0.05));
        assert_eq!(curve.zone(40.0), Zone::Forced);
        let gentle = Curve { gentle: true, ..curve };
        assert_eq!(gentle.zone(30.0), Zone::Random(0.05));
        assert_eq!(gentle.zone(40.0), Zone::Random(0.1));
        assert_eq!(gentle.zone(60.0), Zone::Random(0.1 + 0.9 * 0.5));
        assert_eq!(gentle.zone(80.0), Zone::Forced);
    }

    fn spaced(spacing: Spacing, mean_packet: Option<u64>, sizes: &[u32]) -> f64 {
        let mut count = DropCount::default();
        sizes.iter().for_each(|size| count.add(*size));
        SpacingRule { spacing, mean_packet }.probability(0.25, &count, *sizes.last().expect("an arrival"))
    }

    #[test]
    fn spacing_follows_the_packets_since_the_last_drop() {
        let after = |spacing, arrived: usize| spaced(spacing, None, &vec![500; arrived]);
        // p = 1/4: wait gives 0, 0, 0, then 1/4, 1/3, 1/2, 1.
        let wait: Vec<f64> = (1..=8).map(|n| after(Spacing::Wait, n)).collect();
        assert_eq!(wait, [0.0, 0.0, 0.0, 0.25, 0.25 / 0.75, 0.5, 1.0, 1.0]);
        // count gives 1/4, 1/3, 1/2, 1: equal chances of 1, 2, 3 and 4.
        let count: Vec<f64> = (1..=5).map(|n| after(Spacing::Count, n)).collect();
        assert_eq!(count, [0.25, 0.25 / 0.75, 0.5, 1.0, 1.0]);
        assert_eq!(after(Spacing::Independent, 9), 0.25);
    }

    #[test]
    fn byte_mode_scales_with_the_packet_and_counts_mean_packets() {
        assert_eq!(spaced(Spacing::Independent, Some(500), &[1000]), 0.5);
        assert_eq!(spaced(Spacing::Independent, Some(500), &[40]), 0.02);
        // 1600 bytes arrived: three mean packets, not yet 1/p; 2000 are four.
        assert_eq!(spaced(Spacing::Wait, Some(500), &[1500, 100]), 0.0);
        assert_eq!(spaced(Spacing::Wait, Some(500), &[1500, 500]), 0.25);
        // 1500 bytes accepted before: p / (1 - 3/4) = 1, and a certain drop does not depend on the size.
        assert_eq!(spaced(Spacing::Count, Some(500), &[1500, 40]), 1.0);
    }
}
