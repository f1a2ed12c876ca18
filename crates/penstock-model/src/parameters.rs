//! How a component declares its parameters: once, for the scenario reader, the schema, the Python classes and the docs.
//!
//! ```
//! use penstock_model::parameters;
//! use penstock_model::parameters::Check;
//! use penstock_model::units::{Duration, Rate};
//!
//! parameters! {
//!     /// A made-up shaper: releases packets at a fixed rate.
//!     pub struct Parameters {
//!         /// Long-run rate of the output (r).
//!         rate: Rate;
//!         /// How long a packet may wait.
//!         patience: Duration = "50 ms";
//!     }
//! }
//! impl Check for Parameters {}
//! ```
//!
//! A field without a default must be given. Scenario keys are the field names with hyphens (`max-threshold`). What a
//! type cannot express (one threshold below another) goes into the component's [`Check`].

mod component;

#[doc(hidden)]
pub use component::{component_from_value, read_component};

use crate::units::{split_quantity, Bytes, Duration, Rate};

/// A value as the scenario's author wrote it, before any unit is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A quoted text, usually a quantity such as `10 Mbit/s`.
    Text(String),
    /// A bare whole number.
    Integer(i64),
    /// A bare decimal number.
    Float(f64),
    /// `true` or `false`.
    Switch(bool),
    /// A list.
    List(Vec<Value>),
    /// An inline table, in the order written.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// How an error message quotes the value.
    pub fn quoted(&self) -> String {
        match self {
            Value::Text(text) => format!("'{text}'"),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Switch(switch) => switch.to_string(),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}

/// What a parameter is, for schemas and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A quantity with a unit; the text is an example.
    Quantity(&'static str),
    /// A whole number.
    Integer,
    /// A real number.
    Number,
    /// One of these words.
    Choice(&'static [(&'static str, &'static str)]),
    /// `true` or `false`.
    Switch,
    /// A list of the kind's values.
    List(&'static Kind),
    /// A name that the scenario declares; the text says of what.
    Name(&'static str),
    /// A quantity, or a table with one of several laws; the text says which.
    Law(&'static str),
    /// A component of another kind: its name, or a table with its name and its parameters.
    Component {
        /// The kind of component, such as `congestion-control`.
        of: &'static str,
        /// The components of this kind.
        names: &'static [&'static str],
    },
}

/// One declared parameter.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The field's name in Rust; the scenario key has hyphens, see [`Field::key`].
    pub name: &'static str,
    /// What it means, with its symbol and source.
    pub doc: &'static str,
    /// What kind of value it takes.
    pub kind: Kind,
    /// The default as an author would write it; `None` means that it must be given.
    pub default: Option<&'static str>,
    /// May be left out, and then has no value.
    pub optional: bool,
    /// The allowed range in words; empty when the kind says it all.
    pub range: &'static str,
}

impl Field {
    /// The key in a scenario: the name with hyphens.
    pub fn key(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// A type that a parameter may have.
pub trait Parameter: Sized {
    /// What an author writes for it.
    const KIND: Kind;
    /// The allowed range in words.
    const RANGE: &'static str = "";
    /// May be left out without a default.
    const OPTIONAL: bool = false;

    /// Reads a value.
    ///
    /// # Errors
    /// Says what is wrong and what is allowed; the caller adds the place.
    fn from_value(value: &Value) -> Result<Self, String>;

    /// Reads what is written for `field`, and reports mistakes to `reader`.
    fn read_from(field: &Field, reader: &mut dyn Reader) -> Reading<Self> {
        match reader.take(field).map(|value| Self::from_value(&value)) {
            None => Reading::Absent,
            Some(Ok(value)) => Reading::Given(value),
            Some(Err(message)) => {
                reader.mistake(&field.key(), message);
                Reading::Broken
            }
        }
    }

    /// The value of a parameter that was left out, where [`Parameter::OPTIONAL`].
    fn absent() -> Option<Self> {
        None
    }
}

/// What became of something that may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading<T> {
    /// It was not written.
    Absent,
    /// It was, with a mistake that has been reported.
    Broken,
    /// It was.
    Given(T),
}

/// Where the parameters of one component come from, and where its mistakes go. The scenario reader adds file, line and path.
pub trait Reader {
    /// The value written for `field`, if any; the field counts as known.
    fn take(&mut self, field: &Field) -> Option<Value>;
    /// Reports a mistake in a parameter (or in the component as a whole, with an empty key).
    fn mistake(&mut self, key: &str, message: String);

    /// Calls `read` with the name and the parameters of the component written for `field`, a [`Kind::Component`], unless
    /// its name is a mistake; false if nothing is written.
    fn component(&mut self, field: &Field, read: &mut dyn FnMut(&str, &mut dyn Reader)) -> bool {
        let Some(value) = self.take(field) else { return false };
        let key = field.key();
        let mut mistake = |below: &str, message: String| {
            let path = if below.is_empty() { key.clone() } else { format!("{key}.{below}") };
            self.mistake(&path, message);
        };
        component::visit_component(&value, &field.kind, &mut mistake, read);
        true
    }
}

/// A parameter struct made by [`parameters!`].
pub trait Parameters: Sized {
    /// The component's documentation.
    const DOC: &'static str;
    /// Its parameters, in order.
    const FIELDS: &'static [Field];

    /// Reads all fields, reporting every mistake to `reader`; `None` if there was any.
    fn read(reader: &mut dyn Reader) -> Option<Self>;
}

/// Relations between parameters that no single type expresses. Every parameter struct implements it, most with an empty body.
pub trait Check {
    /// Calls `mistake(key, message)` for each relation that does not hold.
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let _ = mistake;
    }
}

/// A component's entry in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The scenario key, such as `selective-drop`.
    pub name: &'static str,
    /// The docstring (Markdown).
    pub doc: &'static str,
    /// The parameters.
    pub fields: &'static [Field],
}

/// Reads one field, or gives its default; mistakes have been reported.
#[doc(hidden)]
pub fn read_field<T: Parameter>(field: &Field, reader: &mut dyn Reader) -> Option<T> {
    let value = match T::read_from(field, reader) {
        Reading::Given(value) => return Some(value),
        Reading::Broken => return None,
        Reading::Absent => match field.default {
            Some(default) => T::from_value(&default_value(default)),
            None => T::absent().ok_or_else(|| format!("is missing and has no default; {}", hint(field))),
        },
    };
    value.map_err(|message| reader.mistake(&field.key(), message)).ok()
}

/// A default as written in [`parameters!`]: a bare number or switch where it reads as one, else text.
pub fn default_value(text: &str) -> Value {
    if let Ok(number) = text.parse::<i64>() {
        return Value::Integer(number);
    }
    match (text.parse::<f64>(), text.parse::<bool>()) {
        (Ok(number), _) => Value::Float(number),
        (_, Ok(switch)) => Value::Switch(switch),
        _ => Value::Text(text.to_owned()),
    }
}

fn hint(field: &Field) -> String {
    match field.kind {
        Kind::Quantity(example) => format!("write {} = \"{example}\"", field.key()),
        Kind::Integer => format!("write {} = 1", field.key()),
        Kind::Number => format!("write {} = 0.5", field.key()),
        Kind::Choice(words) => format!("one of {}", join_words(words.iter().map(|(word, _)| *word))),
        Kind::Switch => format!("write {} = true or false", field.key()),
        Kind::Name(of) => format!("write {} = \"name of a {of}\"", field.key()),
        Kind::List(_) => format!("write {} = [...]", field.key()),
        Kind::Law(text) => format!("write {} = {text}", field.key()),
        Kind::Component { names, .. } => format!("one of {}", join_words(names.iter().copied())),
    }
}

/// `a, b, c` for error messages.
pub fn join_words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Declares a component's parameters; see the [module](self).
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $field_doc:literal])* $field:ident : $type:ty $(= $default:literal)? ; )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $( $(#[doc = $field_doc])* pub $field: $type, )*
        }

        impl $crate::parameters::Parameters for $name {
            const DOC: &'static str = concat!($($doc, "\n"),*);
            const FIELDS: &'static [$crate::parameters::Field] = &[
                $( $crate::parameters::Field {
                    name: stringify!($field),
                    doc: concat!($($field_doc, "\n"),*),
                    kind: <$type as $crate::parameters::Parameter>::KIND,
                    default: $crate::parameters!(@default $($default)?),
                    optional: <$type as $crate::parameters::Parameter>::OPTIONAL,
                    range: <$type as $crate::parameters::Parameter>::RANGE,
                }, )*
            ];

            #[allow(unused_variables, unused_mut, unused_assignments)] // components without parameters
            fn read(reader: &mut dyn $crate::parameters::Reader) -> Option<Self> {
                let mut fields = Self::FIELDS.iter();
                $( let $field = $crate::parameters::read_field::<$type>(fields.next().expect("one field each"), reader); )*
                let parameters = Self { $( $field: $field?, )* };
                let mut sound = true;
                $crate::parameters::Check::check(&parameters, &mut |key, message| {
                    sound = false;
                    reader.mistake(key, message);
                });
                sound.then_some(parameters)
            }
        }
    };
    (@default $default:literal) => { Some($default) };
    (@default) => { None };
}

/// Declares a parameter that is one of several documented words.
///
/// The words never select between algorithms that deserve a component of their own.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident { $( $(#[doc = $word_doc:literal])* $word:literal => $variant:ident, )* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $word_doc])* $variant, )* }

        impl $crate::parameters::Parameter for $name {
            const KIND: $crate::parameters::Kind =
                $crate::parameters::Kind::Choice(&[$( ($word, concat!($($word_doc),*)), )*]);

            fn from_value(value: &$crate::parameters::Value) -> Result<Self, String> {
                match value {
                    $( $crate::parameters::Value::Text(text) if text == $word => Ok(Self::$variant), )*
                    other => Err(format!(
                        "{} is not one of {}",
                        other.quoted(),
                        $crate::parameters::join_words([$($word),*].into_iter()),
                    )),
                }
            }
        }
    };
}

/// Lists the components of one kind: the plan (parameters, as read from a scenario), the names and the catalogue entries.
///
/// `"red" => Red(red::Parameters),` adds the variant `Red` under the scenario key `red`. The plan is a [`Parameter`] itself,
/// so that a component may contain one of another kind: `queue: DisciplinePlan = "tail-drop";`.
///
/// [`Parameter`]: crate::parameters::Parameter
#[macro_export]
macro_rules! component_plans {
    ( $(#[doc = $doc:literal])* $vis:vis enum $plan:ident of $kind:literal { $( $name:literal => $variant:ident($parameters:ty), )* } ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // a variant is documented by its parameters
        $vis enum $plan { $( $variant($parameters), )* }

        impl $plan {
            /// The kind of these components.
            pub const OF: &'static str = $kind;

            /// The scenario keys, in the order of the list.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The catalogue entries, in the order of the list.
            pub const ENTRIES: &'static [$crate::parameters::Entry] = &[
                $( $crate::parameters::Entry {
                    name: $name,
                    doc: <$parameters as $crate::parameters::Parameters>::DOC,
                    fields: <$parameters as $crate::parameters::Parameters>::FIELDS,
                }, )*
            ];

            /// Reads the parameters of the component called `name`; `None` after a reported mistake or for an unknown name.
            pub fn read(name: &str, reader: &mut dyn $crate::parameters::Reader) -> Option<Self> {
                match name {
                    $( $name => <$parameters as $crate::parameters::Parameters>::read(reader).map(Self::$variant), )*
                    _ => None,
                }
            }

            /// The scenario key of this plan's component.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => $name, )* }
            }
        }

        impl $crate::parameters::Parameter for $plan {
            const KIND: $crate::parameters::Kind = $crate::parameters::Kind::Component { of: Self::OF, names: Self::NAMES };

            fn from_value(value: &$crate::parameters::Value) -> Result<Self, String> {
                $crate::parameters::component_from_value(value, &Self::KIND, Self::read)
            }

            fn read_from(
                field: &$crate::parameters::Field,
                reader: &mut dyn $crate::parameters::Reader,
            ) -> $crate::parameters::Reading<Self> {
                $crate::parameters::read_component(field, reader, Self::read)
            }
        }
    };
}

/// Reads a bare number where a unit is required as the mistake that it is.
fn quantity<T: std::str::FromStr<Err = String>>(value: &Value, example: &str) -> Result<T, String> {
    match value {
        Value::Text(text) => text.parse(),
        Value::Integer(number) => Err(format!("{number} has no unit; write \"{example}\"")),
        Value::Float(number) => Err(format!("{number} has no unit; write \"{example}\"")),
        other => Err(format!("{} is not a quantity; write \"{example}\"", other.quoted())),
    }
}

impl Parameter for Duration {
    const KIND: Kind = Kind::Quantity("30 ms");
    const RANGE: &'static str = "zero or more";
    fn from_value(value: &Value) -> Result<Self, String> {
        quantity(value, "30 ms")
    }
}

impl Parameter for Rate {
    const KIND: Kind = Kind::Quantity("1.5 Mbit/s");
    const RANGE: &'static str = "above zero, at most 100 Tbit/s";
    fn from_value(value: &Value) -> Result<Self, String> {
        let rate: Rate = quantity(value, "1.5 Mbit/s")?;
        match rate.as_bps() {
            0 => Err("a rate must be above zero".to_owned()),
            1..=100_000_000_000_000 => Ok(rate),
            _ => Err(format!("{rate} is beyond any link; at most 100 Tbit/s")),
        }
    }
}

impl Parameter for Bytes {
    const KIND: Kind = Kind::Quantity("576 bytes");
    const RANGE: &'static str = "above zero";
    fn from_value(value: &Value) -> Result<Self, String> {
        match quantity::<Bytes>(value, "576 bytes")? {
            bytes if bytes.get() == 0 => Err("a size must be above zero".to_owned()),
            bytes => Ok(bytes),
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

impl<T: Parameter> Parameter for Option<T> {
    const KIND: Kind = T::KIND;
    const RANGE: &'static str = T::RANGE;
    const OPTIONAL: bool = true;
    fn from_value(value: &Value) -> Result<Self, String> {
        T::from_value(value).map(Some)
    }
    fn read_from(field: &Field, reader: &mut dyn Reader) -> Reading<Self> {
        match T::read_from(field, reader) {
            Reading::Given(value) => Reading::Given(Some(value)),
            Reading::Absent => Reading::Absent,
            Reading::Broken => Reading::Broken,
        }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// How much a queue may hold: packets or bytes, as in `60 packets` or `64 KiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many packets, whatever their size.
    Packets(u32),
    /// So many bytes.
    Bytes(Bytes),
}

impl Limit {
    /// Whether `size` bytes still fit beside so many packets and bytes.
    #[inline(always)]
    pub fn has_room(self, packets: u32, bytes: u64, size: u32) -> bool {
        match self {
            Limit::Packets(limit) => packets < limit,
            Limit::Bytes(limit) => bytes + u64::from(size) <= limit.get(),
        }
    }
}

impl Parameter for Limit {
    const KIND: Kind = Kind::Quantity("60 packets");
    const RANGE: &'static str = "at least 1 packet or 1 byte";
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = match value {
            Value::Text(text) => text,
            Value::Integer(number) => return Err(format!("{number} has no unit; write \"{number} packets\" or \"20 KiB\"")),
            other => return Err(format!("{} is not a queue size; write \"60 packets\" or \"64 KiB\"", other.quoted())),
        };
        let (number, unit) = split_quantity(text);
        match unit {
            "packets" | "packet" => match number.replace('_', "").parse::<u32>() {
                Ok(0) => Err("a queue size must be above zero".to_owned()),
                Ok(packets) => Ok(Limit::Packets(packets)),
                Err(_) => Err(format!("'{text}' is not a whole number of packets between 1 and {}", u32::MAX)),
            },
            "" => Err(format!("'{text}' has no unit; write \"60 packets\" or \"20 KiB\"")),
            _ => Bytes::from_value(value).map(Limit::Bytes).map_err(|message| format!("{message}, or \"60 packets\"")),
        }
    }
}

/// Reads a number within bounds.
fn number(value: &Value, low: f64, high: f64, range: &str) -> Result<f64, String> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Text(text) => percent_or_fraction(text).ok_or_else(|| format!("'{text}' is not a number {range}"))?,
        other => return Err(format!("{} is not a number {range}", other.quoted())),
    };
    if number.is_finite() && (low..=high).contains(&number) {
        Ok(number)
    } else {
        Err(format!("{number} is out of range; {range}"))
    }
}

/// `10 %` as 0.1 and `1/30` as the nearest double.
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

/// The name of a traffic class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassName(pub String);

impl Parameter for ClassName {
    const KIND: Kind = Kind::Name("class");
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if !text.is_empty() => Ok(ClassName(text.clone())),
            other => Err(format!("{} is not the name of a class", other.quoted())),
        }
    }
}
impl ListItem for ClassName {}

/// Types that may stand in a list parameter.
pub trait ListItem {}
impl ListItem for Limit {}
impl ListItem for Probability {}
impl ListItem for Duration {}
impl ListItem for Rate {}
impl ListItem for Bytes {}

/// Reading parameters in tests as an author would write them.
#[cfg(test)]
pub(crate) mod testing {
    use super::{default_value, Field, Parameters, Reader, Value};

    struct Written(Vec<(String, Value)>, Vec<String>);

    impl Reader for Written {
        fn take(&mut self, field: &Field) -> Option<Value> {
            let found = self.0.iter().position(|(key, _)| *key == field.key())?;
            Some(self.0.swap_remove(found).1)
        }
        fn mistake(&mut self, key: &str, message: String) {
            self.1.push(format!("{key}: {message}"));
        }
    }

    /// Reads `limit = 60 packets` and the like; `[a, b]` is a list. Gives the mistakes where there are any.
    pub(crate) fn read<P: Parameters>(lines: &[&str]) -> Result<P, Vec<String>> {
        let pairs = lines.iter().map(|line| line.split_once(" = ").expect("key = value"));
        let mut written = Written(pairs.map(|(key, text)| (key.to_owned(), value(text))).collect(), vec![]);
        let read = P::read(&mut written);
        assert!(written.0.is_empty(), "unknown keys: {:?}", written.0);
        read.ok_or(written.1)
    }

    fn value(text: &str) -> Value {
        match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            Some(items) => Value::List(items.split(", ").map(default_value).collect()),
            None => default_value(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    parameters! {
        /// A component for these tests.
        struct Sample {
            /// How fast.
            rate: Rate;
            /// How much.
            max_size: Limit = "60 packets";
            /// How likely.
            share: Option<Probability>;
        }
    }
    impl Check for Sample {}

    struct Table(Vec<(&'static str, Value)>, Vec<String>);
    impl Reader for Table {
        fn take(&mut self, field: &Field) -> Option<Value> {
            self.0.iter().find(|(key, _)| *key == field.key()).map(|(_, value)| value.clone())
        }
        fn mistake(&mut self, key: &str, message: String) {
            self.1.push(format!("{key}: {message}"));
        }
    }

    #[test]
    fn fields_are_read_with_defaults() {
        let mut table = Table(vec![("rate", Value::Text("2 Mbit/s".into()))], vec![]);
        let sample = Sample::read(&mut table).expect("sound");
        assert_eq!(sample, Sample { rate: Rate::from_bps(2_000_000), max_size: Limit::Packets(60), share: None });
        assert_eq!(Sample::FIELDS[1].key(), "max-size");
    }

    #[test]
    fn all_mistakes_are_reported_together() {
        let mut table = Table(vec![("max-size", Value::Integer(20)), ("share", Value::Float(1.5))], vec![]);
        assert!(Sample::read(&mut table).is_none());
        assert_eq!(
            table.1,
            [
                "rate: is missing and has no default; write rate = \"1.5 Mbit/s\"",
                "max-size: 20 has no unit; write \"20 packets\" or \"20 KiB\"",
                "share: 1.5 is out of range; between 0 and 1",
            ]
        );
    }

    #[test]
    fn shares_may_be_written_as_percent_or_fraction() {
        let read = |text: &str| Probability::from_value(&Value::Text(text.into())).map(|p| p.0);
        assert_eq!(read("10 %"), Ok(0.1));
        assert_eq!(read("1/30"), Ok(1.0 / 30.0));
        assert!(read("ten").is_err());
    }

    #[test]
    fn every_component_has_a_complete_page() {
        use crate::{buffer::BufferPlan, discipline::DisciplinePlan, impairment::ImpairmentPlan, meter::MeterPlan, source::SourcePlan};
        let kinds = [("queue", DisciplinePlan::ENTRIES), ("marker", MeterPlan::ENTRIES), ("source", SourcePlan::ENTRIES)];
        for (kind, entries) in kinds.into_iter().chain([("impairment", ImpairmentPlan::ENTRIES), ("buffer", BufferPlan::ENTRIES)]) {
            for entry in entries {
                let mut rest = entry.doc;
                for heading in ["## Decides\n", "## State\n", "## Departures\n", "## Example\n ```toml\n", "## References\n"] {
                    let at = rest.find(heading).unwrap_or_else(|| panic!("{}: no {heading:?} in its place", entry.name));
                    rest = &rest[at + heading.len()..];
                }
                assert!(entry.doc.contains(&format!("\n {kind}.{} = {{", entry.name)), "{}: the example does not use it", entry.name);
                assert!(entry.fields.iter().all(|field| !field.doc.trim().is_empty()), "{}: undocumented parameter", entry.name);
            }
        }
    }
}
