//! Round-trip estimation and the retransmission timeout.

use super::Parameters;
use crate::units::{Duration, Time};

crate::choice! {
    /// Retransmission timeout (RTO).
    pub enum RtoEstimation {
        /// SRTT + 4 RTTVAR, at least `min-rto` [RFC6298 s2].
        "rfc-6298" => Rfc6298,
        /// As in Linux: `min-rto` is the minimum of 4 RTTVAR, not of the timeout. RTTVAR rises at once to the largest deviation in a
        /// round trip, and falls per round trip by a quarter of its distance from it. A sudden shorter round trip raises it only
        /// slightly. Back-off keeps SRTT and RTTVAR.
        "linux" => Linux,
    }
}

/// Smoothed round trip and its variation [Jacobson88; RFC6298 s2], with back-off [RFC6298 s5].
///
/// Times are counted in clock ticks, or in picoseconds for an exact clock; the recurrences are the same.
#[derive(Clone, Debug)]
pub(super) struct Estimator {
    /// 8 SRTT.
    srtt_by_8: u64,
    /// 4 RTTVAR.
    rttvar_by_4: u64,
    /// Timeout before bounds and back-off.
    unbounded: Duration,
    /// Back-off factor of the timeout: 1, 2, 4 and so on.
    backoff: u32,
    /// RTO: the timeout within its bounds, with back-off.
    rto: Duration,
    /// Whether the next sample restarts the averages.
    fresh: bool,
    /// Time from the first tick of the clock to the beginning of the run.
    clock_offset: Duration,
    /// State of the variation as Linux computes it, if requested.
    linux: Option<Box<LinuxVariation>>,
}

/// Outstanding segments: the first, and the one after the last.
pub(super) type Outstanding = (u32, u32);

/// Variation of the round trip in Linux: the maximum of a round trip, which decays by a quarter per round trip
/// (`tcp_rtt_estimator`).
#[derive(Clone, Debug, Default)]
struct LinuxVariation {
    /// 4 times the smoothed deviation (`mdev_us`).
    deviation_by_4: u64,
    /// Maximum of the deviation in this round trip (`mdev_max_us`).
    max_by_4: u64,
    /// The round trip ends when more than this segment is acknowledged (`rtt_seq`).
    round_end: u32,
}

impl LinuxVariation {
    /// Starts with the first sample; returns 4 RTTVAR.
    fn begin(&mut self, sample: u64, floor: u64, (_, high): Outstanding) -> u64 {
        self.deviation_by_4 = sample * 2;
        self.max_by_4 = self.deviation_by_4.max(floor);
        self.round_end = high;
        self.max_by_4
    }

    /// Adds a sample, given the smoothed round trip and 4 RTTVAR before it; returns 4 RTTVAR.
    fn add(&mut self, sample: u64, srtt: u64, rttvar_by_4: u64, floor: u64, (unacknowledged, high): Outstanding) -> u64 {
        let (difference, deviation) = (sample.abs_diff(srtt), self.deviation_by_4 / 4);
        // A deviation that grows because the round trip has become shorter counts only an eighth.
        let weight = if sample < srtt && difference > deviation { 8 } else { 1 };
        self.deviation_by_4 = self.deviation_by_4 - deviation.min(self.deviation_by_4);
        self.deviation_by_4 += if difference > deviation { deviation + (difference - deviation) / weight } else { difference };
        self.max_by_4 = self.max_by_4.max(self.deviation_by_4);
        let mut rttvar_by_4 = rttvar_by_4.max(self.max_by_4);
        if unacknowledged > self.round_end {
            rttvar_by_4 -= (rttvar_by_4 - self.max_by_4) / 4;
            self.round_end = high;
            self.max_by_4 = floor;
        }
        rttvar_by_4
    }
}

/// Back-off factor above which the averages are obsolete, as in BSD and ns-2 [RFC6298 s5 permits it].
const FORGET_ABOVE: u32 = 8;

/// Timeout when data follows a SYN that was lost [RFC6298 s5.7].
const AFTER_LOST_SYN: Duration = Duration::from_secs(3);

impl Estimator {
    pub fn new(parameters: &Parameters, clock_offset: Duration) -> Estimator {
        let (unbounded, rto) = (parameters.initial_rto, Duration::ZERO);
        let linux = (parameters.rto == RtoEstimation::Linux).then(Box::default);
        let mut estimator = Estimator { srtt_by_8: 0, rttvar_by_4: 0, unbounded, backoff: 1, rto, fresh: true, clock_offset, linux };
        estimator.settle(parameters);
        estimator
    }

    /// Updates the averages with a segment that was sent at `sent` and is acknowledged `now`, which leaves `outstanding` segments. Ends the
    /// back-off [RFC6298 s5].
    pub fn on_sample(&mut self, parameters: &Parameters, sent: Time, now: Time, outstanding: Outstanding) {
        let tick = parameters.timer_tick.as_ps().max(1);
        // A ticking clock counts the ticks between the two instants, at least one.
        let ticks = |time: Duration| if tick == 1 { time.as_ps() } else { time.as_ps() / tick };
        let ticks_at = |instant: Time| ticks((instant + self.clock_offset).since(Time::ZERO));
        // Sums of 12 samples fit. Only a round trip of 13 days or more, at the finest tick, is reported as shorter.
        let sample = (ticks_at(now) - ticks_at(sent)).clamp(1, u64::MAX / 16);
        if self.fresh {
            self.srtt_by_8 = sample * 8;
            self.rttvar_by_4 = match &mut self.linux {
                Some(linux) => linux.begin(sample, ticks(parameters.min_rto), outstanding),
                None => sample * 2,
            };
            self.fresh = false;
        } else {
            let srtt = self.srtt_by_8 / 8;
            self.srtt_by_8 = (self.srtt_by_8 + sample - srtt).max(1);
            self.rttvar_by_4 = match &mut self.linux {
                Some(linux) => linux.add(sample, srtt, self.rttvar_by_4, ticks(parameters.min_rto), outstanding),
                None => (self.rttvar_by_4 + sample.abs_diff(srtt) - self.rttvar_by_4 / 4).max(1),
            };
        }
        self.unbounded = Duration::from_ps(tick).times(self.srtt_by_8 / 8 + self.rttvar_by_4);
        self.backoff = 1;
        self.settle(parameters);
    }

    /// Applies back-off after the timer has expired.
    pub fn back_off(&mut self, parameters: &Parameters) {
        self.backoff = self.backoff.saturating_mul(2).min(parameters.max_backoff.0);
        if self.backoff > FORGET_ABOVE && self.linux.is_none() {
            self.fresh = true;
        }
        self.settle(parameters);
    }

    /// Sets the timeout for data after a lost SYN: there is no sample yet, and the path may be slow.
    pub fn on_lost_syn(&mut self, parameters: &Parameters) {
        self.unbounded = parameters.initial_rto.max(AFTER_LOST_SYN);
        self.backoff = 1;
        self.settle(parameters);
    }

    fn settle(&mut self, parameters: &Parameters) {
        let backed_off = self.unbounded.max(parameters.min_rto).times(u64::from(self.backoff));
        self.rto = backed_off.min(parameters.max_rto).max(parameters.timer_tick.times(2));
    }

    /// SRTT; `None` before the first sample.
    pub fn smoothed(&self, parameters: &Parameters) -> Option<Duration> {
        let tick = parameters.timer_tick.as_ps().max(1);
        (!self.fresh).then(|| Duration::from_ps((u128::from(tick) * u128::from(self.srtt_by_8) / 8) as u64))
    }

    /// RTTVAR; `None` before the first sample.
    pub fn variation(&self, parameters: &Parameters) -> Option<Duration> {
        let tick = parameters.timer_tick.as_ps().max(1);
        (!self.fresh).then(|| Duration::from_ps((u128::from(tick) * u128::from(self.rttvar_by_4) / 4) as u64))
    }

    /// RTO.
    #[inline]
    pub fn timeout(&self) -> Duration {
        self.rto
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::harness::{parameters, text};
    use super::*;

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn an_exact_clock_follows_rfc_6298() {
        let parameters = parameters(&[("min-rto", text("0 s"))]);
        let mut estimator = Estimator::new(&parameters, Duration::ZERO);
        assert_eq!(estimator.timeout(), Duration::from_secs(1));
        estimator.on_sample(&parameters, at_ms(7), at_ms(107), (1, 2));
        assert_eq!(estimator.timeout(), Duration::from_ms(100 + 4 * 50));
        estimator.on_sample(&parameters, at_ms(200), at_ms(260), (1, 2));
        // SRTT = 7/8 100 + 1/8 60 = 95; RTTVAR = 3/4 50 + 1/4 40 = 47.5.
        assert_eq!(estimator.timeout(), Duration::from_ms(95 + 190));
    }

    #[test]
    fn a_ticking_clock_counts_the_ticks_between() {
        let parameters = parameters(&[("min-rto", text("0 s")), ("timer-tick", text("100 ms"))]);
        let after = |samples: &[(u64, u64)]| {
            let mut estimator = Estimator::new(&parameters, Duration::ZERO);
            samples.iter().for_each(|(sent, now)| estimator.on_sample(&parameters, at_ms(*sent), at_ms(*now), (1, 2)));
            estimator.timeout()
        };
        assert_eq!(after(&[(0, 250)]), Duration::from_ms(200 + 400)); // 2 ticks: 2 + 4 x 1
        assert_eq!(after(&[(90, 310)]), Duration::from_ms(300 + 600)); // 3 ticks, although only 220 ms
        assert_eq!(after(&[(110, 130)]), Duration::from_ms(100 + 200)); // none counts as one
                                                                        // 2 then 5 ticks: 8 SRTT = 16 + 3, 4 RTTVAR = 4 + 3 - 1; RTO = 19 / 8 rounded down + 6 = 8 ticks.
        assert_eq!(after(&[(0, 200), (300, 800)]), Duration::from_ms(800));
    }

    #[test]
    fn the_ticks_of_a_clock_begin_at_its_offset() {
        let parameters = parameters(&[("min-rto", text("0 s")), ("timer-tick", text("100 ms"))]);
        // 150 ms from time zero are one tick where ticks fall at 100 and 200 ms, two where they fall at 40 and 140.
        for (offset, ticks) in [(0, 1), (49, 1), (50, 2), (60, 2), (99, 2)] {
            let mut estimator = Estimator::new(&parameters, Duration::from_ms(offset));
            estimator.on_sample(&parameters, at_ms(0), at_ms(150), (1, 2));
            assert_eq!(estimator.timeout(), Duration::from_ms(300 * ticks), "offset of {offset} ms");
        }
    }

    #[test]
    fn a_timeout_lasts_two_ticks_at_least() {
        let given = [("min-rto", text("0 s")), ("initial-rto", text("50 ms")), ("timer-tick", text("100 ms"))];
        let parameters = parameters(&given);
        assert_eq!(Estimator::new(&parameters, Duration::ZERO).timeout(), Duration::from_ms(200));
    }

    #[test]
    fn the_least_timeout_is_backed_off_too() {
        let parameters = parameters(&[]);
        let mut estimator = Estimator::new(&parameters, Duration::ZERO);
        estimator.on_sample(&parameters, at_ms(0), at_ms(100), (1, 2));
        estimator.back_off(&parameters);
        assert_eq!(estimator.timeout(), Duration::from_secs(2));
    }

    #[test]
    fn four_back_offs_make_the_averages_obsolete() {
        let parameters = parameters(&[("min-rto", text("0 s"))]);
        let mut estimator = Estimator::new(&parameters, Duration::ZERO);
        estimator.on_sample(&parameters, at_ms(0), at_ms(100), (1, 2));
        (0..4).for_each(|_| estimator.back_off(&parameters));
        assert_eq!(estimator.timeout(), Duration::from_ms(16 * 300));
        estimator.on_sample(&parameters, at_ms(9000), at_ms(9010), (1, 2));
        assert_eq!(estimator.timeout(), Duration::from_ms(10 + 20));
    }

    /// Checks RTO in milliseconds, estimated as in Linux, after each sample: its round trip in ms, and the outstanding segments.
    fn of_linux(samples: &[(u64, Outstanding, f64)]) {
        let parameters = parameters(&[("rto", text("linux")), ("min-rto", text("200 ms"))]);
        let mut estimator = Estimator::new(&parameters, Duration::ZERO);
        for (i, (rtt, outstanding, rto)) in samples.iter().enumerate() {
            estimator.on_sample(&parameters, at_ms(0), at_ms(*rtt), *outstanding);
            assert_eq!(estimator.timeout().as_seconds() * 1e3, *rto, "after sample {i}");
        }
    }

    #[test]
    fn in_linux_the_minimum_applies_to_the_variation() {
        of_linux(&[(100, (0, 0), 300.0), (100, (1, 2), 300.0), (100, (2, 3), 300.0)]);
        // RFC 6298: `min-rto` is the minimum of the whole timeout.
        let parameters = parameters(&[("min-rto", text("200 ms")), ("initial-rto", text("1 s"))]);
        let mut estimator = Estimator::new(&parameters, Duration::ZERO);
        (0..40).for_each(|_| estimator.on_sample(&parameters, at_ms(0), at_ms(100), (1, 2)));
        assert_eq!(estimator.timeout(), Duration::from_ms(200));
    }

    #[test]
    fn in_linux_the_variation_is_the_maximum_of_a_round_trip_and_decays_by_a_quarter() {
        // 4 mdev is 800, then 600 in the round trip that ends with segment 10. 4 RTTVAR stays 800 until its end, where the maximum of the
        // round trip is 800 too. In the next round trip the maximum is 450, then 337.5: 800 - (800 - 450) / 4 = 712.5.
        of_linux(&[(400, (0, 10), 1200.0), (400, (11, 20), 1200.0), (400, (12, 20), 1200.0), (400, (21, 30), 1112.5)]);
    }

    #[test]
    fn in_linux_a_shorter_round_trip_raises_the_variation_by_an_eighth_of_the_difference() {
        // 4 mdev is 800 after 400 ms. Ten samples reduce it to 800 x 0.75^10 = 45.05, with SRTT 400. 300 ms differ by 100, where mdev is
        // 11.26, so 4 mdev grows by 88.74 / 8 to 56.1, which is below the minimum of 200. 700 ms make it grow by the whole difference from
        // SRTT, 387.5: 700 - 387.5 - 14.0 + 56.1 = 354.5, with SRTT 426.6.
        let parameters = parameters(&[("rto", text("linux")), ("min-rto", text("200 ms"))]);
        let mut estimator = Estimator::new(&parameters, Duration::ZERO);
        (0..11).for_each(|_| estimator.on_sample(&parameters, at_ms(0), at_ms(400), (0, 10)));
        let by_4 = |estimator: &Estimator| estimator.linux.as_ref().map_or(0, |it| it.deviation_by_4 / 1_000_000_000);
        assert_eq!(by_4(&estimator), 45);
        estimator.on_sample(&parameters, at_ms(0), at_ms(300), (0, 10));
        assert_eq!(by_4(&estimator), 56);
        estimator.on_sample(&parameters, at_ms(0), at_ms(700), (0, 10));
        assert_eq!(by_4(&estimator), 354);
    }

    #[test]
    fn in_linux_back_off_keeps_the_averages() {
        let parameters = parameters(&[("rto", text("linux")), ("min-rto", text("200 ms"))]);
        let mut estimator = Estimator::new(&parameters, Duration::ZERO);
        estimator.on_sample(&parameters, at_ms(0), at_ms(100), (0, 0));
        (0..4).for_each(|_| estimator.back_off(&parameters));
        assert_eq!((estimator.timeout(), estimator.smoothed(&parameters)), (Duration::from_ms(16 * 300), Some(Duration::from_ms(100))));
    }
}
