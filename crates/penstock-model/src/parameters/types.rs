//! Types of parameters shared by several components.

use super::value::decimal;
use super::{Kind, Parameter, Value};
use crate::atm::CELL;
use crate::printable::{is_escaped, quoted};
use crate::units::{split_quantity, with_unit_of, Bytes, Duration, Rate, PS_PER_SECOND};

/// Reads a quantity. A bare number is a mistake, since a unit is required.
fn quantity<T>(value: &Value, example: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, String> {
    match value {
        Value::Text(text) => read(text),
        Value::Integer(_) | Value::Float(_) => {
            let number = value.quoted();
            Err(format!("{number} has no unit; write \"{}\"", with_unit_of(example, &number)))
        }
        other => Err(format!("{} is not a quantity; write \"{example}\"", other.quoted())),
    }
}

/// Reads a time. `example` is a typical value for messages.
pub fn duration(value: &Value, example: &str) -> Result<Duration, String> {
    quantity(value, example, |text| Duration::read(text, example))
}

impl Parameter for Duration {
    const KIND: Kind = Kind::Quantity("30 ms");
    const RANGE: &'static str = "zero or more";
    fn from_value(value: &Value) -> Result<Self, String> {
        duration(value, "30 ms")
    }
}

impl Parameter for Rate {
    const KIND: Kind = Kind::Quantity("1.5 Mbit/s");
    const RANGE: &'static str = "above zero, at most 100 Tbit/s";
    fn from_value(value: &Value) -> Result<Self, String> {
        let rate: Rate = quantity(value, "1.5 Mbit/s", str::parse)?;
        match rate.as_bps() {
            0 => Err("a rate must be above zero".to_owned()),
            1..=100_000_000_000_000 => Ok(rate),
            _ => Err(format!("{rate} is beyond any link; at most 100 Tbit/s")),
        }
    }
}

/// A rate that may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RateOrZero(pub Rate);

impl Parameter for RateOrZero {
    const KIND: Kind = Rate::KIND;
    const RANGE: &'static str = "zero or more, at most 100 Tbit/s";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text.parse() == Ok(Rate::ZERO) => Ok(RateOrZero(Rate::ZERO)),
            _ => Rate::from_value(value).map(RateOrZero),
        }
    }
}

/// A size that may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BytesOrZero(pub Bytes);

impl Parameter for BytesOrZero {
    const KIND: Kind = Bytes::KIND;
    const RANGE: &'static str = "zero or more";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text.parse() == Ok(Bytes::new(0)) => Ok(BytesOrZero(Bytes::new(0))),
            _ => Bytes::from_value(value).map(BytesOrZero),
        }
    }
}

/// Maximum size in a scenario: its number of bits, and everything counted in bits, fits in 64 bits.
pub(crate) const LARGEST_SIZE: Bytes = Bytes::new(1_000_000_000_000_000_000);

impl Parameter for Bytes {
    const KIND: Kind = Kind::Quantity("576 bytes");
    const RANGE: &'static str = "above zero";
    fn from_value(value: &Value) -> Result<Self, String> {
        match quantity::<Bytes>(value, "576 bytes", str::parse)? {
            bytes if bytes.get() == 0 => Err("a size must be above zero".to_owned()),
            bytes if bytes > LARGEST_SIZE => Err(format!("{bytes} are out of range; at most 10^9 GB")),
            bytes => Ok(bytes),
        }
    }
}

/// Number of bytes that each visit adds to the bytes that a class may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantum(pub Bytes);

impl Quantum {
    /// The product with the weight of a class, the number of classes and the sum of their weights fits into 63 bits: 10^12 x 10^4 x 256 =
    /// 2.56 x 10^18.
    const MOST: Bytes = Bytes::new(1_000_000_000_000);

    /// In bytes.
    #[inline]
    pub fn get(self) -> u64 {
        self.0.get()
    }
}

impl Parameter for Quantum {
    const KIND: Kind = Kind::Quantity("1500 bytes");
    const RANGE: &'static str = "above zero, at most 1000 GB";
    fn from_value(value: &Value) -> Result<Self, String> {
        match quantity::<Bytes>(value, "1500 bytes", str::parse)? {
            bytes if bytes.get() == 0 => Err("a quantum must be above zero".to_owned()),
            bytes if bytes > Quantum::MOST => {
                Err(format!("{bytes} are too many for a turn: the product of quantum and weight would overflow; at most 1000 GB"))
            }
            bytes => Ok(Quantum(bytes)),
        }
    }
}

impl Parameter for bool {
    const KIND: Kind = Kind::Switch;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Switch(switch) => Ok(*switch),
            other => Err(format!("{} is neither true nor false", other.quoted())),
        }
    }
}

/// Maximum length of a queue in packets or bytes, as in `60 packets` or `64 KiB`. The packets of a cell link may be called cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number of packets of any size.
    Packets(u32),
    /// A number of bytes.
    Bytes(Bytes),
}

impl Limit {
    /// Whether a packet of `size` bytes fits in addition to these packets and bytes.
    #[inline(always)]
    pub fn has_room(self, packets: u32, bytes: u64, size: u32) -> bool {
        match self {
            Limit::Packets(limit) => packets < limit,
            Limit::Bytes(limit) => bytes + u64::from(size) <= limit.get(),
        }
    }

    /// Whether these packets or bytes reach the limit.
    #[inline(always)]
    pub fn is_reached(self, packets: u32, bytes: u64) -> bool {
        match self {
            Limit::Packets(level) => packets >= level,
            Limit::Bytes(level) => bytes >= level.get(),
        }
    }
}

/// Line of a link, which converts times to queue lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRate {
    /// Initial rate.
    pub rate: Rate,
    /// Whether the line carries cells, which its queues then count.
    pub cells: bool,
}

impl LineRate {
    /// Converts a time, as written in a scenario, to the whole bytes or cells that the line sends in it. Returns other values unchanged.
    pub(super) fn length(self, value: Value) -> Value {
        let time = match &value {
            Value::Text(text) if is_time(text) => text.parse::<Duration>().ok(),
            _ => None,
        };
        let Some(time) = time else { return value };
        let bits = u128::from(self.rate.as_bps()) * u128::from(time.as_ps()) / u128::from(PS_PER_SECOND);
        let (size, unit) = if self.cells { (8 * u128::from(CELL), "cells") } else { (8, "bytes") };
        Value::Text(format!("{} {unit}", bits / size))
    }
}

/// Whether the unit of a quantity is one of time.
fn is_time(text: &str) -> bool {
    matches!(split_quantity(text).1, "s" | "ms" | "us" | "ns" | "ps" | "min")
}

impl Parameter for Limit {
    const KIND: Kind = Kind::Quantity("60 packets");
    const RANGE: &'static str =
        "at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for what it sends in that time at its initial rate";
    fn at_line(value: Value, line: LineRate) -> Value {
        line.length(value)
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = match value {
            Value::Text(text) => text,
            Value::Integer(number) => return Err(format!("{number} has no unit; write \"{number} packets\" or \"20 KiB\"")),
            other => return Err(format!("{} is not a queue size; write \"60 packets\" or \"64 KiB\"", other.quoted())),
        };
        let (number, unit) = split_quantity(text);
        match unit {
            "packets" | "packet" | "cells" | "cell" => match number.replace('_', "").parse::<u32>() {
                Ok(0) => Err("a queue size must be above zero".to_owned()),
                Ok(packets) => Ok(Limit::Packets(packets)),
                Err(_) => Err(format!("{} is not a whole number of packets between 1 and {}", quoted(text), u32::MAX)),
            },
            "" => Err(format!("{} has no unit; write \"{}\" or \"20 KiB\"", quoted(text), with_unit_of("60 packets", number))),
            _ if is_time(text) => {
                Err(format!("{} is a time, which is a queue length at a link only; write \"60 packets\" or \"64 KiB\"", quoted(text)))
            }
            _ => Bytes::from_value(value).map(Limit::Bytes).map_err(|message| format!("{message}, or \"60 packets\"")),
        }
    }
}

/// A threshold for the length of a queue: a [`Limit`] that may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueThreshold(pub Limit);

impl Parameter for QueueThreshold {
    const KIND: Kind = Kind::Quantity("20 packets");
    const RANGE: &'static str = "packets or bytes, zero or more; at a link also a time, for what it sends in that time at its initial rate";
    fn at_line(value: Value, line: LineRate) -> Value {
        line.length(value)
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        if let Value::Text(text) = value {
            let (number, unit) = split_quantity(text);
            if matches!(unit, "packets" | "packet" | "cells" | "cell") && number.parse() == Ok(0) {
                return Ok(QueueThreshold(Limit::Packets(0)));
            }
            if text.parse() == Ok(Bytes::new(0)) {
                return Ok(QueueThreshold(Limit::Bytes(Bytes::new(0))));
            }
        }
        Limit::from_value(value).map(QueueThreshold)
    }
}

/// Reads a number within bounds.
fn number(value: &Value, low: f64, high: f64, range: &str) -> Result<f64, String> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Text(text) => percent_or_fraction(text).ok_or_else(|| format!("{} is not a number {range}", quoted(text)))?,
        other => return Err(format!("{} is not a number {range}", other.quoted())),
    };
    if number.is_finite() && (low..=high).contains(&number) {
        Ok(number)
    } else {
        Err(format!("{} is out of range; {range}", decimal(number)))
    }
}

/// Converts `10 %` to 0.1 and `1/30` to the nearest double.
fn percent_or_fraction(text: &str) -> Option<f64> {
    if let Some(percent) = text.trim().strip_suffix('%') {
        return percent.trim().parse::<f64>().ok().map(|number| number / 100.0);
    }
    let (above, below) = text.split_once('/')?;
    let (above, below) = (above.trim().parse::<f64>().ok()?, below.trim().parse::<f64>().ok()?);
    (below != 0.0).then_some(above / below)
}

macro_rules! bounded_numbers {
    ($($(#[doc = $doc:literal])* $name:ident in $low:literal ..= $high:literal, $range:literal;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name(pub f64);

        impl Parameter for $name {
            const KIND: Kind = Kind::Number;
            const RANGE: &'static str = $range;
            fn from_value(value: &Value) -> Result<Self, String> {
                number(value, $low, $high, $range).map($name)
            }
        }
    )*};
}

bounded_numbers! {
    /// A probability or a share: `0.1`, `"10 %"` or `"1/30"`.
    Probability in 0.0..=1.0, "between 0 and 1";
    /// The weight of a new sample in a moving average.
    Weight in 1e-12..=1.0, "above 0, at most 1";
    /// A factor above 0 and at most 1.
    Fraction in 1e-12..=1.0, "above 0, at most 1";
    /// A positive number without a unit.
    Positive in 1e-12..=1e12, "above 0";
}

/// A whole number of things, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u32);

impl Parameter for Count {
    const KIND: Kind = Kind::Integer;
    const RANGE: &'static str = "a whole number, at least 1";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number) if (1..=i64::from(u32::MAX)).contains(number) => Ok(Count(*number as u32)),
            other => Err(format!("{} is out of range; a whole number, at least 1", other.quoted())),
        }
    }
}

/// A whole number of things, possibly none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CountOrZero(pub u32);

impl Parameter for CountOrZero {
    const KIND: Kind = Kind::Integer;
    const RANGE: &'static str = "a whole number, zero or more";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number) if (0..=i64::from(u32::MAX)).contains(number) => Ok(CountOrZero(*number as u32)),
            other => Err(format!("{} is out of range; a whole number, zero or more", other.quoted())),
        }
    }
}

/// A drop precedence: 0 is the best protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Precedence(pub u8);

impl Parameter for Precedence {
    const KIND: Kind = Kind::Integer;
    const RANGE: &'static str = "0 to 3";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number @ 0..=3) => Ok(Precedence(*number as u8)),
            other => Err(format!("{} is not a drop precedence; a whole number, 0 to 3", other.quoted())),
        }
    }
}

impl<T: Parameter> Parameter for Vec<T>
where
    T: ListItem,
{
    const KIND: Kind = Kind::List(&T::KIND);
    const RANGE: &'static str = T::RANGE;
    fn at_line(value: Value, line: LineRate) -> Value {
        match value {
            Value::List(values) => Value::List(values.into_iter().map(|value| T::at_line(value, line)).collect()),
            other => other,
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(values) if values.is_empty() => Err("the list is empty".to_owned()),
            Value::List(values) => {
                values.iter().enumerate().map(|(i, value)| T::from_value(value).map_err(|message| format!("item {i}: {message}"))).collect()
            }
            other => Err(format!("{} is not a list", other.quoted())),
        }
    }
}

/// Maximum number of characters of a name, so that several names fit on a line.
pub const LONGEST_NAME: usize = 100;

/// The name of a traffic class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassName(pub String);

impl Parameter for ClassName {
    const KIND: Kind = Kind::Name("class");
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text.chars().any(is_escaped) => {
                Err(format!("{} cannot name a class; leave out characters that cannot be seen", quoted(text)))
            }
            Value::Text(text) if text.chars().count() > LONGEST_NAME => {
                Err(format!("{} is too long to name a class; at most {LONGEST_NAME} characters", quoted(text)))
            }
            Value::Text(text) if !text.is_empty() => Ok(ClassName(text.clone())),
            other => Err(format!("{} is not the name of a class", other.quoted())),
        }
    }
}
impl ListItem for ClassName {}

/// Types allowed in a list parameter.
pub trait ListItem {}
impl ListItem for Limit {}
impl ListItem for QueueThreshold {}
impl ListItem for Probability {}
impl ListItem for Duration {}
impl ListItem for Rate {}
impl ListItem for Bytes {}
impl ListItem for Count {}
