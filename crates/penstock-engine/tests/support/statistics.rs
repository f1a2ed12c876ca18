//! Intervals from independent replications.

use penstock_model::stats::moments::Moments;

/// How many independent replications an interval is made from.
const REPLICATIONS: u64 = 20;

/// Student's t with 19 degrees of freedom, two-sided 99.9 %.
const T: f64 = 3.883;

/// 20 independent runs, by their seeds.
pub fn replicate<T>(run: impl FnMut(u64) -> T) -> Vec<T> {
    (1..=REPLICATIONS).map(run).collect()
}

/// The mean over 20 replications and the half-width of its 99.9 % interval.
pub fn interval<T>(runs: &[T], measure: impl FnMut(&T) -> f64) -> (f64, f64) {
    assert_eq!(runs.len() as u64, REPLICATIONS);
    let mut moments = Moments::default();
    runs.iter().map(measure).for_each(|sample| moments.add(sample));
    let error = (moments.variance().expect("many") / REPLICATIONS as f64).sqrt();
    (moments.mean().expect("many"), T * error)
}

/// Asserts that `expected` lies in the 99.9 % interval of `(mean, half)`, and that the interval is narrow enough: `half` is at most
/// the fraction `resolution` of `expected`. Seeds are fixed, so a test either always passes or never.
#[track_caller]
pub fn agrees(what: &str, expected: f64, (mean, half): (f64, f64), resolution: f64) {
    assert!((mean - expected).abs() <= half, "{what}: expected {expected}, got {mean} +- {half}");
    assert!(half <= resolution * expected, "{what}: the interval {mean} +- {half} is too wide to tell");
}
