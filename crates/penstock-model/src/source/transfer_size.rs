//! Size of transfers in bytes.

use super::laws::{bytes, law, FileLaw, LARGEST_FILE};
use super::size::entries;
use crate::parameters::{Kind, Parameter, Positive, Value};
use crate::rng::Stream;
use std::sync::Arc;

/// Size of a transfer: a distribution of file sizes, or a heavy-tailed one.
#[derive(Clone, Debug, PartialEq)]
pub enum TransferSize {
    /// Same laws as for files.
    File(FileLaw),
    /// Pareto: P(X > x) = (minimum / x)^shape. Sizes above the maximum become the maximum.
    Pareto {
        /// Exponent (alpha), above one, so that the mean exists.
        shape: f64,
        /// Minimum size in bytes.
        minimum: f64,
    },
    /// A measured cumulative distribution.
    Distribution(SizeDistribution),
}

/// A cumulative distribution. The scenario gives its name, and the reader of the scenario fills in the points.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeDistribution {
    /// The name of a file, or of a distribution that comes with the package.
    pub name: String,
    /// Sizes in bytes, each with the probability of at most this size. Both ascend, and the last probability is one. Empty until the
    /// distribution has been read.
    pub points: Arc<[(f64, f64)]>,
}

impl SizeDistribution {
    /// Size that transfers exceed with probability 1 - `share`: linear between points; the first size if `share` is below the first
    /// probability.
    fn quantile(&self, share: f64) -> f64 {
        let above = self.points.partition_point(|(_, probability)| *probability < share);
        match (above.checked_sub(1).map(|below| self.points[below]), self.points.get(above)) {
            (_, None) => self.points.last().map_or(1.0, |(bytes, _)| *bytes),
            (None, Some((bytes, _))) => *bytes,
            (Some((low, from)), Some((high, to))) => low + (high - low) * (share - from) / (to - from),
        }
    }

    fn mean(&self) -> f64 {
        let first = self.points.first().map_or(0.0, |(bytes, probability)| bytes * probability);
        first + self.points.windows(2).map(|pair| (pair[1].1 - pair[0].1) * (pair[0].0 + pair[1].0) / 2.0).sum::<f64>()
    }
}

impl TransferSize {
    /// Draws the size of the next transfer in bytes, at least one and at most 4 GB. A constant draws nothing from `stream`.
    pub fn sample(&self, stream: &mut Stream) -> u64 {
        let bytes = match self {
            TransferSize::File(law) => return law.sample(stream),
            TransferSize::Pareto { shape, minimum } => minimum * libm::pow(stream.open_unit(), -1.0 / shape),
            TransferSize::Distribution(distribution) => distribution.quantile(stream.unit()),
        };
        (bytes.clamp(1.0, LARGEST_FILE) + 0.5) as u64
    }

    /// Mean in bytes of the sizes drawn by [`TransferSize::sample`]; for the laws of files, without its bounds.
    pub fn mean(&self) -> f64 {
        match self {
            TransferSize::File(law) => law.mean(),
            // Integral of P(X > x) up to the maximum size. Sizes below one byte become one byte.
            TransferSize::Pareto { shape, minimum } => {
                let lowest = minimum.max(1.0);
                let beyond = |bytes: f64| libm::pow(minimum / bytes, *shape) * bytes / (shape - 1.0);
                lowest + beyond(lowest) - beyond(LARGEST_FILE)
            }
            TransferSize::Distribution(distribution) => distribution.mean(),
        }
    }
}

const SIZES: &str = r#""10 kB", { exponential = { mean = "10 kB" } }, { log-normal = { median = "2 kB", mean = "7 kB" } }, { pareto = { shape = 1.2, mean = "100 kB" } } or { distribution = "web-search" }"#;

impl Parameter for TransferSize {
    const KIND: Kind = Kind::Law(SIZES);
    const RANGE: &'static str = "1 byte to 4 GB";

    fn from_value(value: &Value) -> Result<Self, String> {
        if let Value::Table(laws) = value {
            if let [(law, Value::Text(name))] = laws.as_slice() {
                if law == "distribution" && !name.is_empty() {
                    return Ok(TransferSize::Distribution(SizeDistribution { name: name.clone(), points: Arc::default() }));
                }
            }
        }
        match law(value, SIZES)? {
            Some(("pareto", fields)) => {
                let [shape, mean] = entries(fields, ["shape", "mean"]).map_err(|message| format!("pareto: {message}"))?;
                let Positive(shape) = Positive::from_value(shape).map_err(|message| format!("pareto.shape: {message}"))?;
                let mean = bytes(mean).map_err(|message| format!("pareto.mean: {message}"))?;
                if shape <= 1.0 {
                    return Err("pareto.shape: must be above 1, as there is no mean otherwise".to_owned());
                }
                Ok(TransferSize::Pareto { shape, minimum: mean * (shape - 1.0) / shape })
            }
            Some((name, _)) if !["exponential", "log-normal"].contains(&name) => {
                Err(format!("unknown law {}; write {SIZES}", crate::printable::quoted(name)))
            }
            _ => FileLaw::from_value(value).map(TransferSize::File),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    const N: u32 = 100_000;

    fn samples(law: &TransferSize) -> Vec<f64> {
        let mut stream = Key::root(1, 0).child("sizes").stream();
        (0..N).map(|_| law.sample(&mut stream) as f64).collect()
    }

    fn share(samples: &[f64], holds: impl Fn(f64) -> bool) -> f64 {
        samples.iter().filter(|size| holds(**size)).count() as f64 / f64::from(N)
    }

    /// Asserts a share within four standard errors.
    fn assert_share(found: f64, expected: f64) {
        assert!((found - expected).abs() < 4.0 * (expected * (1.0 - expected) / f64::from(N)).sqrt(), "{found}, not {expected}");
    }

    #[test]
    fn pareto_has_its_tail_and_its_mean() {
        let text = |text: &str| Value::Text(text.to_owned());
        let fields = vec![("shape".to_owned(), Value::Float(2.5)), ("mean".to_owned(), text("50 kB"))];
        let law = TransferSize::from_value(&Value::Table(vec![("pareto".to_owned(), Value::Table(fields))])).expect("sound");
        let sizes = samples(&law);
        // minimum = 50 kB x 1.5 / 2.5 = 30 kB; P(X > 60 kB) = 2^-2.5.
        assert!(sizes.iter().all(|size| *size >= 30_000.0));
        assert_share(share(&sizes, |size| size > 60_000.0), 0.176_776_7);
        // The cut at M = 4 GB removes M (minimum / M)^alpha / (alpha - 1) from the mean.
        assert!((law.mean() - (50_000.0 - 0.000_410_8)).abs() < 1e-6);
        // The variance is minimum^2 alpha / ((alpha - 1)^2 (alpha - 2)) = (44.7 kB)^2.
        let mean = sizes.iter().sum::<f64>() / f64::from(N);
        assert!((mean - 50_000.0).abs() < 4.0 * 44_722.0 / f64::from(N).sqrt(), "{mean}");
    }

    #[test]
    fn the_mean_of_pareto_sizes_is_that_of_the_law_cut_at_the_maximum() {
        // L + (L / (alpha - 1)) (1 - (L / M)^(alpha - 1)) with M = 4 GB; without the cut, the means are 100 kB and 1 GB.
        let law = |shape: f64, mean: f64| TransferSize::Pareto { shape, minimum: mean * (shape - 1.0) / shape };
        for (shape, mean, expected) in [(1.2, 1e5, 93_005.2), (1.1, 1e5, 75_210.8), (1.2, 1e9, 558_656_732.9)] {
            assert!((law(shape, mean).mean() / expected - 1.0).abs() < 1e-6, "{}", law(shape, mean).mean());
        }
        let sizes = samples(&law(1.2, 1e9));
        let mean = sizes.iter().sum::<f64>() / f64::from(N);
        let variance = sizes.iter().map(|size| (size - mean) * (size - mean)).sum::<f64>() / f64::from(N);
        assert!((mean - law(1.2, 1e9).mean()).abs() < 4.0 * (variance / f64::from(N)).sqrt(), "{mean}");
        // Sizes below one byte become one: 1 + L^alpha / (alpha - 1), where the cut removes less than 10^-9.
        let small = TransferSize::Pareto { shape: 3.0, minimum: 0.5 };
        assert!((small.mean() - 1.0625).abs() < 1e-9, "{}", small.mean());
    }

    #[test]
    fn a_distribution_is_linear_between_its_points() {
        let points: Arc<[(f64, f64)]> = [(100.0, 0.2), (1000.0, 0.6), (5000.0, 1.0)].into();
        let law = TransferSize::Distribution(SizeDistribution { name: "d".to_owned(), points });
        let sizes = samples(&law);
        assert_share(share(&sizes, |size| size == 100.0), 0.2 + 0.4 * 0.5 / 900.0);
        // Half of the way from 100 to 1000, and a quarter from 1000 to 5000; sizes are rounded to bytes.
        assert_share(share(&sizes, |size| size < 550.5), 0.2 + 0.4 * 450.5 / 900.0);
        assert_share(share(&sizes, |size| size < 2000.5), 0.6 + 0.4 * 1000.5 / 4000.0);
        // .2 x 100 + .4 x 550 + .4 x 3000.
        assert!((law.mean() - 1440.0).abs() < 1e-9);
        let mean = sizes.iter().sum::<f64>() / f64::from(N);
        assert!((mean - 1440.0).abs() < 4.0 * 1500.0 / f64::from(N).sqrt(), "{mean}");
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        let pareto = |shape: f64| {
            let fields = vec![("shape".to_owned(), Value::Float(shape)), ("mean".to_owned(), Value::Text("1 kB".to_owned()))];
            TransferSize::from_value(&Value::Table(vec![("pareto".to_owned(), Value::Table(fields))]))
        };
        assert_eq!(pareto(1.0), Err("pareto.shape: must be above 1, as there is no mean otherwise".to_owned()));
        let unknown = TransferSize::from_value(&Value::Table(vec![("weibull".to_owned(), Value::Table(Vec::new()))]));
        assert_eq!(unknown, Err(format!("unknown law 'weibull'; write {SIZES}")));
        assert!(TransferSize::from_value(&Value::Text("5 GB".to_owned())).is_err());
    }
}
