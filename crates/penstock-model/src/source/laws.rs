//! Distributions of file sizes and of durations.

use super::size::entries;
use crate::parameters::{Kind, Parameter, Value};
use crate::printable::quoted;
use crate::rng::Stream;
use crate::units::{Bytes, Duration};

/// Size of a file: `"10 kB"`, `{ exponential = { mean = "10 kB" } }` or
/// `{ log-normal = { median = "2 kB", mean = "7 kB" } }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FileLaw {
    /// Constant size.
    Constant(u64),
    /// Exponential with this mean in bytes.
    Exponential(f64),
    /// Log-normal.
    LogNormal {
        /// Median in bytes.
        median: f64,
        /// Standard deviation of the natural logarithm (sigma).
        sigma: f64,
    },
}

/// Maximum size of a file, at which heavy tails are cut off.
pub(super) const LARGEST_FILE: f64 = 4e9;

impl FileLaw {
    /// Draws the size of the next file in bytes, at least one and at most 4 GB. A constant draws nothing from `stream`.
    pub fn sample(&self, stream: &mut Stream) -> u64 {
        let bytes = match self {
            FileLaw::Constant(bytes) => return *bytes,
            FileLaw::Exponential(mean) => stream.exponential() * mean,
            FileLaw::LogNormal { median, sigma } => median * libm::exp(sigma * normal(stream)),
        };
        (bytes.clamp(1.0, LARGEST_FILE) + 0.5) as u64
    }
}

impl FileLaw {
    /// The mean in bytes, without the bounds of [`FileLaw::sample`].
    pub fn mean(&self) -> f64 {
        match self {
            FileLaw::Constant(bytes) => *bytes as f64,
            FileLaw::Exponential(mean) => *mean,
            FileLaw::LogNormal { median, sigma } => median * libm::exp(sigma * sigma / 2.0),
        }
    }
}

/// Normal with mean 0 and variance 1 [Box58].
pub(super) fn normal(stream: &mut Stream) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(stream.open_unit()));
    radius * libm::cos(std::f64::consts::TAU * stream.unit())
}

const FILES: &str = r#""10 kB", { exponential = { mean = "10 kB" } } or { log-normal = { median = "2 kB", mean = "7 kB" } }"#;

impl Parameter for FileLaw {
    const KIND: Kind = Kind::Law(FILES);
    const RANGE: &'static str = "1 byte to 4 GB";

    fn from_value(value: &Value) -> Result<Self, String> {
        let Some((law, fields)) = law(value, FILES)? else {
            return bytes(value).map(|bytes| FileLaw::Constant(bytes as u64));
        };
        match law {
            "exponential" => {
                let [mean] = entries(fields, ["mean"]).map_err(|message| format!("exponential: {message}"))?;
                bytes(mean).map(FileLaw::Exponential).map_err(|message| format!("exponential.mean: {message}"))
            }
            "log-normal" => {
                let [median, mean] = entries(fields, ["median", "mean"]).map_err(|message| format!("log-normal: {message}"))?;
                let median = bytes(median).map_err(|message| format!("log-normal.median: {message}"))?;
                let mean = bytes(mean).map_err(|message| format!("log-normal.mean: {message}"))?;
                if mean <= median {
                    return Err("log-normal.mean: must lie above the median, as it does under every such law".to_owned());
                }
                Ok(FileLaw::LogNormal { median, sigma: libm::sqrt(2.0 * libm::log(mean / median)) })
            }
            _ => Err(format!("unknown law {}; write {FILES}", quoted(law))),
        }
    }
}

pub(super) fn bytes(value: &Value) -> Result<f64, String> {
    match Bytes::from_value(value)?.get() as f64 {
        bytes if bytes <= LARGEST_FILE => Ok(bytes),
        _ => Err("is larger than any file; at most 4 GB".to_owned()),
    }
}

/// A duration: `"3 s"`, `{ uniform = ["1 s", "5 s"] }` or `{ exponential = { mean = "3 s" } }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpanLaw {
    /// Constant duration.
    Constant(Duration),
    /// Uniform between two durations.
    Uniform(Duration, Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

impl SpanLaw {
    /// Draws the next duration. A constant draws nothing from `stream`.
    pub fn sample(&self, stream: &mut Stream) -> Duration {
        match self {
            SpanLaw::Constant(span) => *span,
            SpanLaw::Uniform(least, most) => *least + Duration::from_ps(stream.below((*most - *least).as_ps() + 1)),
            SpanLaw::Exponential(mean) => Duration::from_seconds(stream.exponential() * mean.as_seconds()),
        }
    }
}

const SPANS: &str = r#""3 s", { uniform = ["1 s", "5 s"] } or { exponential = { mean = "3 s" } }"#;

impl Parameter for SpanLaw {
    const KIND: Kind = Kind::Law(SPANS);
    const RANGE: &'static str = "zero or more";

    fn from_value(value: &Value) -> Result<Self, String> {
        if let Value::Table(laws) = value {
            if let [(law, Value::List(ends))] = laws.as_slice() {
                let [least, most] = match (law.as_str(), ends.as_slice()) {
                    ("uniform", [least, most]) => [Duration::from_value(least)?, Duration::from_value(most)?],
                    _ => return Err(format!("write {SPANS}")),
                };
                if least > most {
                    return Err(format!("uniform: runs from {least} down to {most}; write the shorter span first"));
                }
                return Ok(SpanLaw::Uniform(least, most));
            }
        }
        match law(value, SPANS)? {
            None => Duration::from_value(value).map(SpanLaw::Constant),
            Some(("exponential", fields)) => {
                let [mean] = entries(fields, ["mean"]).map_err(|message| format!("exponential: {message}"))?;
                Duration::from_value(mean).map(SpanLaw::Exponential).map_err(|message| format!("exponential.mean: {message}"))
            }
            Some((law, _)) => Err(format!("unknown law {}; write {SPANS}", quoted(law))),
        }
    }
}

/// Name of a distribution and its fields.
type Named<'a> = (&'a str, &'a [(String, Value)]);

/// Distribution of a value; `None` for a plain quantity.
pub(super) fn law<'a>(value: &'a Value, forms: &str) -> Result<Option<Named<'a>>, String> {
    let Value::Table(laws) = value else { return Ok(None) };
    match laws.as_slice() {
        [(law, Value::Table(fields))] => Ok(Some((law, fields))),
        _ => Err(format!("write {forms}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn table(entries: &[(&str, Value)]) -> Value {
        Value::Table(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn log_normal(median: &str, mean: &str) -> Value {
        table(&[("log-normal", table(&[("median", text(median)), ("mean", text(mean))]))])
    }

    fn stream() -> Stream {
        Key::root(1, 0).child("laws").stream()
    }

    #[test]
    fn half_the_files_of_a_log_normal_law_are_below_its_median() {
        let law = FileLaw::from_value(&log_normal("2 kB", "7 kB")).expect("sound");
        let (mut stream, n) = (stream(), 400_000u32);
        let sizes: Vec<f64> = (0..n).map(|_| law.sample(&mut stream) as f64).collect();
        let below = sizes.iter().filter(|size| **size < 2000.0).count() as f64 / f64::from(n);
        // Standard error .5 / sqrt n; four of them.
        assert!((below - 0.5).abs() < 4.0 * 0.5 / f64::from(n).sqrt(), "{below}");
        // exp(sigma^2) = (7/2)^2, so the standard deviation is 7 kB sqrt(12.25 - 1).
        let mean = sizes.iter().sum::<f64>() / f64::from(n);
        assert!((mean - 7000.0).abs() < 4.0 * 7000.0 * (11.25 / f64::from(n)).sqrt(), "{mean}");
        // P(X > e^(sigma) median) is that of a normal variable above 1: .15866.
        let sigma = (2.0 * 3.5f64.ln()).sqrt();
        let above = sizes.iter().filter(|size| **size > 2000.0 * sigma.exp()).count() as f64 / f64::from(n);
        assert!((above - 0.15866).abs() < 4.0 * (0.1335 / f64::from(n)).sqrt(), "{above}");
    }

    /// Checks the mean, and P(X > mean) = 1/e, within four standard errors.
    fn assert_exponential(samples: &[f64], mean: f64) {
        let n = samples.len() as f64;
        let found = samples.iter().sum::<f64>() / n;
        assert!((found - mean).abs() < 4.0 * mean / n.sqrt(), "{found}");
        let above = samples.iter().filter(|sample| **sample > mean).count() as f64 / n;
        assert!((above - (-1f64).exp()).abs() < 4.0 * (0.2325 / n).sqrt(), "{above}");
    }

    #[test]
    fn the_other_laws_have_their_shape() {
        let (mut stream, n) = (stream(), 100_000u32);
        let exponential = FileLaw::from_value(&table(&[("exponential", table(&[("mean", text("10 kB"))]))])).expect("sound");
        let files: Vec<f64> = (0..n).map(|_| exponential.sample(&mut stream) as f64).collect();
        assert_exponential(&files, 10_000.0);
        let uniform = SpanLaw::from_value(&table(&[("uniform", Value::List(vec![text("1 s"), text("5 s")]))])).expect("sound");
        let spans: Vec<f64> = (0..n).map(|_| uniform.sample(&mut stream).as_seconds()).collect();
        assert!(spans.iter().all(|span| (1.0..=5.0).contains(span)));
        // Standard deviation 4 s / sqrt 12.
        let mean = spans.iter().sum::<f64>() / f64::from(n);
        assert!((mean - 3.0).abs() < 4.0 * 4.0 / (12.0 * f64::from(n)).sqrt(), "{mean}");
        let exponential = SpanLaw::from_value(&table(&[("exponential", table(&[("mean", text("3 s"))]))])).expect("sound");
        let spans: Vec<f64> = (0..n).map(|_| exponential.sample(&mut stream).as_seconds()).collect();
        assert_exponential(&spans, 3.0);
        assert_eq!(FileLaw::from_value(&text("10 kB")).expect("sound").sample(&mut stream), 10_000);
        assert_eq!(SpanLaw::from_value(&text("3 s")).expect("sound").sample(&mut stream), Duration::from_secs(3));
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        let file = |value: &Value| FileLaw::from_value(value).expect_err("a mistake");
        assert_eq!(file(&log_normal("7 kB", "2 kB")), "log-normal.mean: must lie above the median, as it does under every such law");
        assert_eq!(file(&table(&[("pareto", table(&[]))])), format!("unknown law 'pareto'; write {FILES}"));
        assert_eq!(file(&text("5 GB")), "is larger than any file; at most 4 GB");
        let span = |value: &Value| SpanLaw::from_value(value).expect_err("a mistake");
        let backwards = table(&[("uniform", Value::List(vec![text("5 s"), text("1 s")]))]);
        assert_eq!(span(&backwards), "uniform: runs from 5 s down to 1 s; write the shorter span first");
        assert_eq!(span(&table(&[("uniform", Value::List(vec![text("5 s")]))])), format!("write {SPANS}"));
    }
}
