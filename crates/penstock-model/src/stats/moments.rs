//! Mean and variance of a stream of samples.

/// Count, mean, variance and extremes, in one pass and without cancellation [Welford62 p419].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
    min: f64,
    max: f64,
}

impl Moments {
    /// Adds a sample.
    #[inline]
    pub fn add(&mut self, sample: f64) {
        (self.min, self.max) = if self.count == 0 { (sample, sample) } else { (self.min.min(sample), self.max.max(sample)) };
        self.count += 1;
        let from_old = sample - self.mean;
        self.mean += from_old / self.count as f64;
        self.squares += from_old * (sample - self.mean);
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean; `None` without samples.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Unbiased variance; `None` below two samples.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// Minimum and maximum; `None` without samples.
    pub fn range(&self) -> Option<(f64, f64)> {
        (self.count > 0).then_some((self.min, self.max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_set_by_hand() {
        let mut moments = Moments::default();
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().for_each(|x| moments.add(x));
        // Mean 40/8; squared deviations 9+1+1+1+0+0+4+16 = 32, over 7.
        assert_eq!((moments.count(), moments.mean(), moments.range()), (8, Some(5.0), Some((2.0, 9.0))));
        assert!((moments.variance().expect("two or more") - 32.0 / 7.0).abs() < 1e-14);
    }

    #[test]
    fn a_large_offset_costs_no_digits() {
        let mut moments = Moments::default();
        [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0].into_iter().for_each(|x| moments.add(x));
        // 36 + 9 + 9 + 36 = 90, over 3; the sum of squares minus the squared sum would lose all digits.
        assert!((moments.variance().expect("two or more") - 30.0).abs() < 1e-6);
    }

    #[test]
    fn too_few_samples_have_no_value() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.variance(), moments.range()), (None, None, None));
        moments.add(-3.0);
        assert_eq!((moments.mean(), moments.variance(), moments.range()), (Some(-3.0), None, Some((-3.0, -3.0))));
    }
}
