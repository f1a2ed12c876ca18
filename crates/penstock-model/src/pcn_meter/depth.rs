//! Depths of the buckets and virtual queues of PCN meters.

use super::tokens::{tokens, Tokens};
use crate::parameters::{Kind, Parameter, Value};
use crate::printable::quoted;
use crate::units::{split_quantity, with_unit_of, Bytes, Duration, Rate};
use std::fmt;

/// An amount of tokens: a time at the bucket's own rate, such as `20 ms`, or bytes, such as `8 kB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The tokens that arrive at the bucket's rate in this time.
    Time(Duration),
    /// A number of bytes.
    Bytes(Bytes),
}

impl Depth {
    /// Exact number of tokens for a bucket that fills at `rate`.
    pub fn at(self, rate: Rate) -> Tokens {
        match self {
            Depth::Time(time) => u128::from(rate.as_bps()) * u128::from(time.as_ps()),
            Depth::Bytes(bytes) => tokens(bytes),
        }
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Depth::Time(time) => time.fmt(f),
            Depth::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

impl Parameter for Depth {
    const KIND: Kind = Kind::Quantity("20 ms");
    const RANGE: &'static str = "above zero; a time at the bucket's rate, or bytes";

    fn from_value(value: &Value) -> Result<Self, String> {
        let text = match value {
            Value::Text(text) => text,
            Value::Integer(number) => return Err(format!("{number} has no unit; write \"{number} ms\" or \"8 kB\"")),
            other => return Err(format!("{} is not a depth; write \"20 ms\" or \"8 kB\"", other.quoted())),
        };
        let (number, unit) = split_quantity(text);
        let depth = match unit {
            "" => return Err(format!("{} has no unit; write \"{}\" or \"8 kB\"", quoted(text), with_unit_of("20 ms", number))),
            "min" | "s" | "ms" | "us" | "ns" | "ps" => Depth::Time(text.parse()?),
            _ => Depth::Bytes(text.parse().map_err(|message| format!("{message}, or \"20 ms\""))?),
        };
        match depth {
            Depth::Time(Duration::ZERO) => Err("a depth must be above zero".to_owned()),
            Depth::Bytes(bytes) if bytes.get() == 0 => Err("a depth must be above zero".to_owned()),
            depth => Ok(depth),
        }
    }
}

/// Reports a mistake if the threshold of a bucket that fills at `rate` is not below its size.
pub(super) fn check_below(
    mistake: &mut dyn FnMut(&str, String),
    rate: Rate,
    (key, threshold): (&str, Depth),
    (size_key, size): (&str, Depth),
) {
    if threshold.at(rate) >= size.at(rate) {
        mistake(key, format!("{threshold} is not below {size_key}, {size}"));
    }
}

/// Reports a mistake if the admissible rate exceeds the supportable rate.
pub(super) fn check_rates(mistake: &mut dyn FnMut(&str, String), admissible: Rate, supportable: Rate) {
    if admissible > supportable {
        mistake("admissible-rate", format!("{admissible} is above supportable-rate, {supportable}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Depth, String> {
        Depth::from_value(&Value::Text(text.to_owned()))
    }

    #[test]
    fn a_depth_is_a_time_or_a_size() {
        assert_eq!(read("20 ms"), Ok(Depth::Time(Duration::from_ms(20))));
        assert_eq!(read("8 kB"), Ok(Depth::Bytes(Bytes::new(8000))));
        // 20 ms at 64 Mbit/s are 160 kB.
        let rate = Rate::from_bps(64_000_000);
        assert_eq!(Depth::Time(Duration::from_ms(20)).at(rate), Depth::Bytes(Bytes::new(160_000)).at(rate));
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        assert_eq!(Depth::from_value(&Value::Integer(20)), Err("20 has no unit; write \"20 ms\" or \"8 kB\"".to_owned()));
        assert_eq!(Depth::from_value(&Value::Switch(true)), Err("true is not a depth; write \"20 ms\" or \"8 kB\"".to_owned()));
        assert_eq!(read("30"), Err("'30' has no unit; write \"30 ms\" or \"8 kB\"".to_owned()));
        assert_eq!(read("0 ms"), Err("a depth must be above zero".to_owned()));
        assert_eq!(read("0 kB"), Err("a depth must be above zero".to_owned()));
        assert!(read("3 packets").expect_err("a mistake").starts_with("unknown unit 'packets' in '3 packets'; write "));
    }
}
