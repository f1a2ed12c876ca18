//! Delay variation between consecutive packets.

use super::distribution::Distribution;
use crate::units::Duration;

/// Signed differences of the one-way delays of a flow's consecutive packets [RFC3393 s4.2]; [RFC2598 A.3.1] calls their magnitudes
/// jitter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Differences of at least zero, where the later packet took at least as long.
    longer: Distribution,
    /// Negative differences, where the later packet took less time.
    shorter: Distribution,
}

impl Variation {
    /// Adds the difference of a packet with `delay` to the previous one with `before`.
    pub fn add(&mut self, before: Duration, delay: Duration) {
        if delay >= before {
            self.longer.add(delay - before);
        } else {
            self.shorter.add(before - delay);
        }
    }

    /// Adds the differences of another flow.
    pub fn merge(&mut self, other: &Variation) {
        self.longer.merge(&other.longer);
        self.shorter.merge(&other.shorter);
    }

    /// Magnitudes of the differences.
    pub fn magnitudes(&self) -> Distribution {
        let mut both = self.longer.clone();
        both.merge(&self.shorter);
        both
    }

    /// Number of differences.
    pub fn count(&self) -> u64 {
        self.longer.count() + self.shorter.count()
    }

    /// Mean in seconds; NaN without differences.
    pub fn mean(&self) -> f64 {
        let sum_ps = self.longer.sum_ps() as f64 - self.shorter.sum_ps() as f64;
        sum_ps / self.count() as f64 / crate::units::PS_PER_SECOND as f64
    }

    /// Minimum in seconds; NaN without differences.
    pub fn min(&self) -> f64 {
        let least_longer = || self.longer.min().map_or(f64::NAN, Duration::as_seconds);
        self.shorter.max().map_or_else(least_longer, |most| -most.as_seconds())
    }

    /// Maximum in seconds; NaN without differences.
    pub fn max(&self) -> f64 {
        let least_shorter = || self.shorter.min().map_or(f64::NAN, |least| -least.as_seconds());
        self.longer.max().map_or_else(least_shorter, Duration::as_seconds)
    }

    /// Quantile in seconds: the smallest difference that a fraction `quantile` of them does not exceed, with a relative error of 0.4 %;
    /// NaN without differences.
    pub fn quantile(&self, quantile: f64) -> f64 {
        let (all, below) = (self.count() as f64, self.shorter.count() as f64);
        // Requested rank, counted from the minimum. Subtracting half a rank protects from rounding.
        let rank = (quantile * all).ceil().max(1.0);
        if rank <= below {
            // Counted from the other end: the maximum magnitude is the minimum difference.
            return self.shorter.quantile((below - rank + 0.5) / below).map_or(f64::NAN, |span| -span.as_seconds());
        }
        self.longer.quantile((rank - below - 0.5) / self.longer.count() as f64).map_or(f64::NAN, Duration::as_seconds)
    }
}

/// Interarrival jitter of RTP: $J = J + (|D| - J) / 16$ for each packet, where D is its transit time minus that of the previous arrival
/// [RFC3550 s6.4.1, appendix A.8].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RtpJitter {
    /// J in sixteenths of a picosecond.
    sixteenths: u128,
    sum_ps: u128,
    updates: u64,
    max: Duration,
}

impl RtpJitter {
    /// Updates J for a packet with `delay`; the previous arrival had `before`.
    pub fn add(&mut self, before: Duration, delay: Duration) {
        let difference = delay.as_ps().abs_diff(before.as_ps());
        // Integers, rounded as in the appendix, so that no result depends on the order of floating-point operations.
        self.sixteenths = self.sixteenths + u128::from(difference) - ((self.sixteenths + 8) >> 4);
        self.updates += 1;
        self.sum_ps += u128::from(self.value().as_ps());
        self.max = self.max.max(self.value());
    }

    /// Current value of J.
    pub fn value(&self) -> Duration {
        // At most the maximum difference.
        Duration::from_ps((self.sixteenths >> 4) as u64)
    }

    /// Number of updates.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Sum of the values after each packet, in picoseconds.
    pub fn sum_ps(&self) -> u128 {
        self.sum_ps
    }

    /// Maximum of these values; `None` without updates.
    pub fn max(&self) -> Option<Duration> {
        (self.updates > 0).then_some(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ps(ps: u64) -> Duration {
        Duration::from_ps(ps)
    }

    fn seconds(ps: i64) -> f64 {
        ps as f64 / 1e12
    }

    fn over(delays: &[u64]) -> Variation {
        let mut variation = Variation::default();
        delays.windows(2).for_each(|pair| variation.add(ps(pair[0]), ps(pair[1])));
        variation
    }

    #[test]
    fn differences_by_hand() {
        // +4 -6 +1 0 -2, sorted -6 -2 0 +1 +4.
        let variation = over(&[10, 14, 8, 9, 9, 7]);
        let quantiles = [0.0, 0.2, 0.4, 0.5, 0.8, 1.0].map(|q| variation.quantile(q));
        assert_eq!(quantiles, [-6, -6, -2, 0, 1, 4].map(seconds));
        assert_eq!((variation.count(), variation.min(), variation.max()), (5, seconds(-6), seconds(4)));
        // From the first delay to the last: -3 in five steps.
        assert!((variation.mean() - -0.6e-12).abs() < 1e-24);
        let magnitudes = variation.magnitudes();
        // 0 1 2 4 6
        assert_eq!([0.2, 0.5, 0.9].map(|q| magnitudes.quantile(q)), [0, 2, 6].map(|span| Some(ps(span))));
        assert_eq!(magnitudes.sum_ps(), 13);
    }

    #[test]
    fn delays_that_only_grow_or_only_shrink_have_both_ends() {
        let growing = over(&[1, 3, 4]);
        assert_eq!((growing.min(), growing.max(), growing.quantile(0.0)), (seconds(1), seconds(2), seconds(1)));
        let shrinking = over(&[4, 3, 1]);
        assert_eq!((shrinking.min(), shrinking.max(), shrinking.quantile(1.0)), (seconds(-2), seconds(-1), seconds(-1)));
        assert!(over(&[]).mean().is_nan() && over(&[]).min().is_nan() && over(&[]).quantile(0.5).is_nan());
    }

    #[test]
    fn the_filter_of_rtp_by_hand() {
        // |D| = 160, 0, 320 ps: in sixteenths 160; 160 - 168>>4 = 150; 150 + 320 - 158>>4 = 461.
        let mut jitter = RtpJitter::default();
        let values = [(100, 260), (260, 260), (260, 580)].map(|(before, delay)| {
            jitter.add(ps(before), ps(delay));
            (jitter.sixteenths, jitter.value().as_ps())
        });
        assert_eq!(values, [(160, 10), (150, 9), (461, 28)]);
        assert_eq!((jitter.updates(), jitter.sum_ps(), jitter.max()), (3, 47, Some(ps(28))));
        // A constant difference is the limit, whatever its sign.
        (0..400).for_each(|i| if i % 2 == 0 { jitter.add(ps(0), ps(1600)) } else { jitter.add(ps(1600), ps(0)) });
        assert!(jitter.value().as_ps().abs_diff(1600) <= 1, "{:?}", jitter.value());
    }
}
