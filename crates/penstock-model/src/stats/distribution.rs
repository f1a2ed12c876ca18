//! The distribution of spans of time.

use crate::units::Duration;
use hdrhistogram::Histogram;

/// Counts spans in buckets whose width is at most 2^-7 of their least value: quantiles are exact to 2^-8 (0.4 %) of
/// themselves, sums and extremes exactly. Distributions of parts of a run add up to that of the whole, in any order.
#[derive(Clone, Debug)]
pub struct Distribution {
    buckets: Histogram<u64>,
    sum_ps: u128,
    /// Zero without samples.
    max: Duration,
}

/// Decimal digits that the buckets tell apart: 256 values per octave and its predecessors, so a width of 2^-7.
const DIGITS: u8 = 2;

impl Default for Distribution {
    fn default() -> Distribution {
        let buckets = Histogram::new(DIGITS).expect("one to five digits");
        Distribution { buckets, sum_ps: 0, max: Duration::ZERO }
    }
}

impl PartialEq for Distribution {
    fn eq(&self, other: &Distribution) -> bool {
        self.buckets == other.buckets && self.sum_ps == other.sum_ps && self.max == other.max
    }
}

impl Eq for Distribution {}

impl Distribution {
    /// Takes in one span.
    pub fn add(&mut self, span: Duration) {
        // Beyond 107 days the buckets end.
        self.buckets.record(span.as_ps().min(i64::MAX as u64)).expect("the buckets grow");
        self.sum_ps += u128::from(span.as_ps());
        self.max = self.max.max(span);
    }

    /// Takes in all spans of another distribution.
    pub fn merge(&mut self, other: &Distribution) {
        self.buckets.add(&other.buckets).expect("the buckets grow");
        self.sum_ps += other.sum_ps;
        self.max = self.max.max(other.max);
    }

    /// How many spans there were.
    pub fn count(&self) -> u64 {
        self.buckets.len()
    }

    /// Their sum in picoseconds.
    pub fn sum_ps(&self) -> u128 {
        self.sum_ps
    }

    /// The longest; `None` without any.
    pub fn max(&self) -> Option<Duration> {
        (self.count() > 0).then_some(self.max)
    }

    /// The least span that is not exceeded by a share of `quantile`, to 0.4 % of itself; `None` without any.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        (self.count() > 0).then(|| {
            let bucket = self.buckets.value_at_quantile(quantile);
            // The last bucket reaches beyond the longest span.
            Duration::from_ps(self.buckets.median_equivalent(bucket)).min(self.max)
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
