//! Distribution of durations.

use crate::units::Duration;
use hdrhistogram::Histogram;

/// Counts durations in buckets whose width is at most 2^-7 of their lower bound. Quantiles have a relative error of at most 2^-8 (0.4 %);
/// sums, extremes and constants are exact. The distributions of parts of a run add up to that of the whole, in any order.
#[derive(Clone, Debug)]
pub struct Distribution {
    buckets: Histogram<u64>,
    sum_ps: u128,
    /// Minimum; [`Duration::FOREVER`] without samples.
    min: Duration,
    /// Maximum; zero without samples.
    max: Duration,
}

/// Decimal digits that the buckets distinguish: 256 values up to the end of an octave, half of them in it, so a width of 2^-7.
const DIGITS: u8 = 2;

impl Default for Distribution {
    fn default() -> Distribution {
        let buckets = Histogram::new(DIGITS).expect("one to five digits");
        Distribution { buckets, sum_ps: 0, min: Duration::FOREVER, max: Duration::ZERO }
    }
}

impl PartialEq for Distribution {
    fn eq(&self, other: &Distribution) -> bool {
        self.buckets == other.buckets && (self.sum_ps, self.min, self.max) == (other.sum_ps, other.min, other.max)
    }
}

impl Eq for Distribution {}

impl Distribution {
    /// Adds a duration.
    pub fn add(&mut self, span: Duration) {
        // The buckets end at 107 days.
        self.buckets.record(span.as_ps().min(i64::MAX as u64)).expect("the buckets grow");
        self.sum_ps += u128::from(span.as_ps());
        self.min = self.min.min(span);
        self.max = self.max.max(span);
    }

    /// Adds all durations of another distribution.
    pub fn merge(&mut self, other: &Distribution) {
        self.buckets.add(&other.buckets).expect("the buckets grow");
        self.sum_ps += other.sum_ps;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Number of durations.
    pub fn count(&self) -> u64 {
        self.buckets.len()
    }

    /// Sum in picoseconds.
    pub fn sum_ps(&self) -> u128 {
        self.sum_ps
    }

    /// Minimum; `None` without samples.
    pub fn min(&self) -> Option<Duration> {
        (self.count() > 0).then_some(self.min)
    }

    /// Maximum; `None` without samples.
    pub fn max(&self) -> Option<Duration> {
        (self.count() > 0).then_some(self.max)
    }

    /// Quantile: the smallest duration that a fraction `quantile` of the samples does not exceed, with a relative error of 0.4 %;
    /// `None` without samples.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        (self.count() > 0).then(|| {
            let bucket = self.buckets.value_at_quantile(quantile);
            // The first bucket begins below the minimum, and the last one ends above the maximum.
            Duration::from_ps(self.buckets.median_equivalent(bucket)).clamp(self.min, self.max)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(spans: &[u64]) -> Distribution {
        let mut distribution = Distribution::default();
        spans.iter().for_each(|span| distribution.add(Duration::from_ps(*span)));
        distribution
    }

    #[test]
    fn small_numbers_are_exact() {
        let distribution = of(&[5, 1, 4, 2, 3, 0, 7, 8, 9, 6]);
        let quantiles = [0.0, 0.1, 0.5, 0.9, 0.91, 1.0].map(|q| distribution.quantile(q).expect("samples").as_ps());
        // The k-th of ten for q in ((k-1)/10, k/10].
        assert_eq!(quantiles, [0, 0, 4, 8, 9, 9]);
        assert_eq!((distribution.count(), distribution.sum_ps(), distribution.max()), (10, 45, Some(Duration::from_ps(9))));
        assert_eq!((of(&[]).quantile(0.5), of(&[]).max()), (None, None));
    }

    #[test]
    fn a_constant_is_exact() {
        // 12.01 s, whose bucket has the middle 11.9915 s.
        let constant = of(&[12_010_000_000_000; 3]);
        let mut merged = of(&[12_010_000_000_000]);
        merged.merge(&constant);
        merged.merge(&of(&[]));
        for distribution in [constant, merged] {
            let quantiles = [0.0, 0.01, 0.5, 1.0].map(|q| distribution.quantile(q).expect("samples").as_ps());
            assert_eq!(quantiles, [12_010_000_000_000; 4]);
        }
    }

    proptest! {
        #[test]
        fn quantiles_are_within_their_error(mut spans in prop::collection::vec(0u64..1 << 45, 1..200), q in 0.0f64..1.0) {
            let distribution = of(&spans);
            spans.sort_unstable();
            let rank = ((q * spans.len() as f64).ceil() as usize).max(1);
            let (found, exact) = (distribution.quantile(q).expect("samples").as_ps(), spans[rank - 1]);
            prop_assert!(found.abs_diff(exact) * 256 <= exact, "{} for {}", found, exact);
        }

        #[test]
        fn merging_is_counting_together(a in prop::collection::vec(0u64..1 << 50, 0..50), b in prop::collection::vec(0u64..1 << 50, 0..50)) {
            let (mut ab, mut ba) = (of(&a), of(&b));
            ab.merge(&of(&b));
            ba.merge(&of(&a));
            let together = of(&[a, b].concat());
            prop_assert_eq!(&ab, &together);
            prop_assert_eq!(&ba, &together);
        }
    }
}
