//! Exponentially weighted moving averages.

use crate::parameters::Weight;

crate::choice! {
    /// The term that the weight of a moving average multiplies; publications differ.
    pub enum Weighs {
        /// The new sample: average = w sample + (1 - w) average.
        "new-sample" => NewSample,
        /// The old value: average = (1 - w) sample + w average.
        "old-value" => OldValue,
    }
}

/// A moving average.
#[derive(Clone, Copy, Debug)]
pub struct Ewma {
    value: f64,
    of_new: f64,
    of_old: f64,
}

impl Ewma {
    /// An average with the initial value `value`.
    pub fn new(weight: Weight, weighs: Weighs, value: f64) -> Ewma {
        let (of_new, of_old) = match weighs {
            Weighs::NewSample => (weight.0, 1.0 - weight.0),
            Weighs::OldValue => (1.0 - weight.0, weight.0),
        };
        Ewma { value, of_new, of_old }
    }

    /// Adds a sample, which must not be negative.
    #[inline]
    pub fn add(&mut self, sample: f64) {
        self.add_weighted(self.weighted(sample));
    }

    /// Contribution of a sample: its value times its weight.
    #[inline]
    pub fn weighted(&self, sample: f64) -> f64 {
        self.of_new * sample
    }

    /// Adds a sample that has been [weighted](Ewma::weighted).
    ///
    /// A result below the smallest normal number becomes zero. Otherwise rounding would keep an average of zeros at a subnormal number
    /// forever, and processors compute with those many times more slowly.
    #[inline]
    pub fn add_weighted(&mut self, contribution: f64) {
        let value = contribution + self.of_old * self.value;
        // A branch, so that the next sample does not wait for the comparison.
        self.value = if value > 0.0 && value < f64::MIN_POSITIVE { zero() } else { value };
    }

    /// The average.
    #[inline]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Replaces the average.
    #[inline]
    pub fn set(&mut self, value: f64) {
        self.value = value;
    }
}

/// Returns zero. In a function of its own, since it is called only once in a long silence.
#[cold]
#[inline(never)]
fn zero() -> f64 {
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of samples 0 after a single sample 1 for which the average stays at or above `threshold`.
    fn memory(weight: f64, threshold: f64) -> usize {
        let mut average = Ewma::new(Weight(weight), Weighs::NewSample, 0.0);
        average.add(1.0);
        let mut next = || {
            average.add(0.0);
            average.value()
        };
        (0..).take_while(|_| next() >= threshold).count()
    }

    #[test]
    fn a_mark_is_remembered_for_so_many_packets() {
        // floor(ln(threshold/w) / ln(1 - w))
        assert_eq!([0.05, 1e-5, 1e-6].map(|threshold| memory(0.3, threshold)), [5, 28, 35]);
    }

    #[test]
    fn an_average_of_zeros_comes_to_zero() {
        let mut average = Ewma::new(Weight(0.3), Weighs::NewSample, 1.0);
        // ln(2^-1022) / ln(0.7) = 1986.1
        (0..1986).for_each(|_| average.add(0.0));
        assert!(average.value() >= f64::MIN_POSITIVE);
        average.add(0.0);
        assert_eq!(average.value(), 0.0);
    }

    #[test]
    fn the_weight_is_that_of_the_sample_or_of_the_past() {
        let after_one = |weighs: Weighs| {
            let mut average = Ewma::new(Weight(0.875), weighs, 0.5);
            average.add(1.0);
            average.value()
        };
        assert_eq!((after_one(Weighs::NewSample), after_one(Weighs::OldValue)), (0.9375, 0.5625));
    }
}
