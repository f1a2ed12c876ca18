//! Types of the scenario's own keys.

use penstock_model::discipline::PRECEDENCES;
use penstock_model::parameters::{duration, Kind, ListItem, Parameter, Value, LONGEST_NAME};
use penstock_model::printable::{is_escaped, quoted};
use penstock_model::units::{Duration, Rate, Time};
use std::path::Path;

/// Free text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

impl Parameter for Text {
    const KIND: Kind = Kind::Name("text");
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(Text(text.clone())),
            other => Err(format!("{} is not a text; write it in quotes", other.quoted())),
        }
    }
}

/// Whether a file has the name of a Python file.
pub fn is_python_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "py")
}

/// The name of a Python file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonFile(pub String);

impl Parameter for PythonFile {
    const KIND: Kind = Kind::Name("file");
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if is_python_file(text) => Ok(PythonFile(text.clone())),
            other => Err(format!("{} is not the name of a Python file; write use = \"my_queues.py\"", other.quoted())),
        }
    }
}

/// Any value; another reader interprets it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyValue;

impl Parameter for AnyValue {
    const KIND: Kind = Kind::Number;
    fn from_value(_: &Value) -> Result<Self, String> {
        Ok(AnyValue)
    }
}

/// A name that the scenario gives to something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub String);

impl Parameter for Name {
    const KIND: Kind = Kind::Name("text");
    const RANGE: &'static str = "letters, digits, '-' and '_'; at most 100";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => check_name(text).map(|()| Name(text.clone())),
            other => Err(format!("{} is not a name; write it in quotes", other.quoted())),
        }
    }
}

/// Whether `text` may name something: paths and settings are taken apart at dots and brackets.
pub(crate) fn check_name(text: &str) -> Result<(), String> {
    let sound = |c: char| (c.is_alphanumeric() && !is_escaped(c)) || c == '-' || c == '_';
    // Combining diacritical marks, of names in decomposed form (NFD).
    if let Some(mark) = text.chars().find(|c| ('\u{300}'..='\u{36f}').contains(c)) {
        Err(format!(
            "{} cannot be a name, since it has an accent as a character of its own, U+{:04X}; write a letter with its accent as one \
             character (Unicode NFC)",
            quoted(text),
            mark as u32
        ))
    } else if text.is_empty() || !text.chars().all(sound) {
        Err(format!("{} cannot be a name; use letters, digits, '-' and '_'", quoted(text)))
    } else if text.chars().count() > LONGEST_NAME {
        Err(format!("{} is too long for a name; at most {LONGEST_NAME} characters", quoted(text)))
    } else {
        Ok(())
    }
}

/// The name of a file, relative to the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(pub String);

impl Parameter for FileName {
    const KIND: Kind = Kind::Name("file");
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(name) if !name.is_empty() => Ok(FileName(name.clone())),
            other => Err(format!("{} is not the name of a file; write it in quotes", other.quoted())),
        }
    }
}

/// The name of a node or a group of nodes, a member such as `hosts[3]`, or members such as `hosts[2-5]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName(pub String);

impl Parameter for NodeName {
    const KIND: Kind = Kind::Name("node");
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(NodeName(text.clone())),
            other => Err(format!("{} is not the name of a node; write it in quotes", other.quoted())),
        }
    }
}
impl ListItem for NodeName {}

/// The name of a node or a group of nodes, or a list of such names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeNames(pub Vec<String>);

impl Parameter for NodeNames {
    const KIND: Kind = Kind::Law("\"hosts\" or [\"r1\", \"r2\"]");
    fn from_value(value: &Value) -> Result<Self, String> {
        let name = |value: &Value| NodeName::from_value(value).map(|name| name.0);
        match value {
            Value::List(values) if values.is_empty() => Err("the list is empty".to_owned()),
            Value::List(values) => values.iter().map(name).collect::<Result<_, _>>().map(NodeNames),
            other => name(other).map(|name| NodeNames(vec![name])),
        }
    }
}

impl std::fmt::Display for NodeNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("+"))
    }
}

/// The name of flows or links, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl Parameter for Names {
    const KIND: Kind = Kind::Law("\"tcp\" or [\"tcp\", \"udp\"]");
    fn from_value(value: &Value) -> Result<Self, String> {
        let one = |value: &Value| match value {
            Value::Text(text) => Ok(text.clone()),
            other => Err(format!("{} is not a name; write \"tcp\" or [\"tcp\", \"udp\"]", other.quoted())),
        };
        match value {
            Value::List(values) if values.is_empty() => Err("the list is empty".to_owned()),
            Value::List(values) => values.iter().map(one).collect::<Result<_, _>>().map(Names),
            other => one(other).map(|name| Names(vec![name])),
        }
    }
}

/// An instant of a run, or its length: of the order of seconds, which its example shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunTime(pub Duration);

impl Parameter for RunTime {
    const KIND: Kind = Kind::Quantity("10 s");
    const RANGE: &'static str = Duration::RANGE;
    fn from_value(value: &Value) -> Result<Self, String> {
        duration(value, "10 s").map(RunTime)
    }
}

/// A drop precedence: 0 is the best protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precedence(pub u8);

impl Parameter for Precedence {
    const KIND: Kind = Kind::Integer;
    const RANGE: &'static str = "0, 1, 2 or 3";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number) if (0..PRECEDENCES as i64).contains(number) => Ok(Precedence(*number as u8)),
            other => Err(format!("{} is not a precedence; 0 (the best protected), 1, 2 or 3", other.quoted())),
        }
    }
}

/// The root of the random streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Parameter for Seed {
    const KIND: Kind = Kind::Integer;
    const RANGE: &'static str = "a whole number, 0 or more";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number) if *number >= 0 => Ok(Seed(number.unsigned_abs())),
            other => Err(format!("{} is not a seed; a whole number, 0 or more", other.quoted())),
        }
    }
}

/// When the members of a group start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start(pub Time, pub Time);

impl Parameter for Start {
    const KIND: Kind = Kind::Law("\"0 s\" or { uniform = [\"0 s\", \"1 s\"] }");
    fn from_value(value: &Value) -> Result<Self, String> {
        let usage = "write start = \"0 s\" or start = { uniform = [\"0 s\", \"1 s\"] }";
        let (RunTime(first), RunTime(last)) = one_or_uniform(value, usage)?;
        if first > last {
            return Err(format!("runs from {first} back to {last}; write the earlier instant first"));
        }
        Ok(Start(Time::ZERO + first, Time::ZERO + last))
    }
}

/// The propagation delay of a link: fixed, or drawn once per run between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDelay(pub Duration, pub Duration);

impl Parameter for LinkDelay {
    const KIND: Kind = Kind::Law("\"30 ms\" or { uniform = [\"1 ms\", \"100 ms\"] }");
    fn from_value(value: &Value) -> Result<Self, String> {
        let usage = "write delay = \"30 ms\" or delay = { uniform = [\"1 ms\", \"100 ms\"] }";
        let (least, most): (Duration, Duration) = one_or_uniform(value, usage)?;
        if least > most {
            return Err(format!("runs from {least} down to {most}; write the shorter delay first"));
        }
        Ok(LinkDelay(least, most))
    }
}

/// A span, or the two of `{ uniform = [a, b] }`.
fn one_or_uniform<T: Parameter + Copy>(value: &Value, usage: &str) -> Result<(T, T), String> {
    let Value::Table(table) = value else { return T::from_value(value).map(|span| (span, span)) };
    match &table[..] {
        [(key, Value::List(ends))] if key == "uniform" => match &ends[..] {
            [first, last] => Ok((T::from_value(first)?, T::from_value(last)?)),
            _ => Err(usage.to_owned()),
        },
        _ => Err(usage.to_owned()),
    }
}

/// The rate of a link; `unlimited` is the largest, for access links that must not be the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRate(pub Rate);

impl LinkRate {
    const UNLIMITED: Rate = Rate::from_bps(100_000_000_000_000);
}

impl Parameter for LinkRate {
    const KIND: Kind = Rate::KIND;
    const RANGE: &'static str = "above zero, at most 100 Tbit/s; \"unlimited\" is 100 Tbit/s";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text == "unlimited" => Ok(LinkRate(LinkRate::UNLIMITED)),
            other => Rate::from_value(other).map(LinkRate),
        }
    }
}

/// The weight that a link adds to a route, in thousandths.
///
/// Sums must be exact, or routes of equal weight could not be recognised; 16 million links of the maximum weight fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkWeight(pub u64);

impl LinkWeight {
    const LARGEST: u64 = 1_000_000_000;
}

impl Parameter for LinkWeight {
    const KIND: Kind = Kind::Number;
    const RANGE: &'static str = "above zero, at most 10^9, with up to three decimals";
    fn from_value(value: &Value) -> Result<Self, String> {
        let allowed = "a number above zero, at most 1000000000, with up to three decimals";
        match value {
            Value::Integer(number) if (1..=Self::LARGEST as i64).contains(number) => Ok(LinkWeight(number.unsigned_abs() * 1000)),
            Value::Float(number) if *number > 0.0 && *number <= Self::LARGEST as f64 => {
                let thousandths = (number * 1000.0).round();
                // A number with at most three decimal places equals the double nearest to it; any other number does not.
                if thousandths / 1000.0 == *number {
                    Ok(LinkWeight(thousandths as u64))
                } else {
                    Err(format!("{} has more than three decimals; a weight is {allowed}", value.quoted()))
                }
            }
            other => Err(format!("{} is not a weight; {allowed}", other.quoted())),
        }
    }
}
