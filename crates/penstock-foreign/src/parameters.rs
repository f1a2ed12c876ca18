//! Parameters whose declarations are values: each is read as the type of its kind, and is a word of 64 bits.

use crate::hook::leak;
use penstock_model::parameters::{
    join_words, read_field, AnyParameters, ChangeError, CountOrZero, Field, Kind, Limit, LineRate, Parameter, Probability, QueueThreshold,
    Reader, Value, Weight,
};
use penstock_model::printable::quoted;
use penstock_model::units::{Bytes, Duration, Rate};
use std::any::Any;
use std::sync::Arc;

/// A parameter.
#[derive(Clone, Debug, Default)]
pub struct ParameterDeclaration {
    /// Its name in Python.
    pub name: String,
    /// Its meaning.
    pub doc: String,
    /// One of [`PARAMETER_KINDS`](crate::PARAMETER_KINDS).
    pub kind: String,
    /// The words of a choice, each with its documentation.
    pub words: Vec<(String, String)>,
    /// The default as an author would write it; none if it must be given.
    pub default: Option<String>,
    /// Whether it can be changed during a run.
    pub is_changeable: bool,
}

/// Reads the value of a field; the limit is that of a queue.
type Read = fn(&Field, &mut dyn Reader) -> Option<(u64, Option<Limit>)>;

/// The parameters of a component.
pub(crate) struct Declared {
    pub fields: &'static [Field],
    reads: Vec<Read>,
}

/// Their values, as a scenario gives them.
#[derive(Clone, Default)]
pub(crate) struct Values {
    pub words: Vec<u64>,
    /// The value of the parameter `limit`, if that is the limit of a queue.
    pub limit: Option<Limit>,
    fields: &'static [Field],
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.words, self.limit)
    }
}

/// The kinds of parameters: of quantities with units, numbers, and words.
pub const PARAMETER_KINDS: [&str; 11] =
    ["limit", "packets", "bytes", "time", "rate", "probability", "weight", "number", "count", "switch", "choice"];

/// A queue length in packets.
struct Packets(u32);

impl Parameter for Packets {
    const KIND: Kind = Kind::Quantity("20 packets");
    const RANGE: &'static str = "packets, zero or more";
    fn at_line(value: Value, line: LineRate) -> Value {
        if line.cells {
            QueueThreshold::at_line(value, line)
        } else {
            value
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match QueueThreshold::from_value(value)?.0 {
            Limit::Packets(packets) => Ok(Packets(packets)),
            Limit::Bytes(_) => Err(format!("{} is not a number of packets; write \"20 packets\"", value.quoted())),
        }
    }
}

/// A real number.
struct Number(f64);

impl Parameter for Number {
    const KIND: Kind = Kind::Number;
    const RANGE: &'static str = "a number";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number) => Ok(Number(*number as f64)),
            Value::Float(number) if number.is_finite() => Ok(Number(*number)),
            other => Err(format!("{} is not a number", other.quoted())),
        }
    }
}

/// The kind of a field, its range, and the function that reads it.
type FieldKind = (Kind, &'static str, Read);

fn of<T: Parameter>(read: Read) -> FieldKind {
    (T::KIND, T::RANGE, read)
}

/// The kind of this name.
fn kind(name: &str) -> Option<FieldKind> {
    macro_rules! read {
        ($type:ty, |$it:ident| $word:expr) => {
            of::<$type>(|field, reader| read_field::<$type>(field, reader).map(|$it| ($word, None)))
        };
    }
    let limit: Read = |field, reader| read_field::<Limit>(field, reader).map(|limit| (amount(limit), Some(limit)));
    let kinds = [
        of::<Limit>(limit),
        read!(Packets, |it| u64::from(it.0)),
        read!(Bytes, |it| it.get()),
        read!(Duration, |it| it.as_ps().min(i64::MAX as u64)),
        read!(Rate, |it| it.as_bps()),
        read!(Probability, |it| it.0.to_bits()),
        read!(Weight, |it| it.0.to_bits()),
        read!(Number, |it| it.0.to_bits()),
        read!(CountOrZero, |it| u64::from(it.0)),
        read!(bool, |it| u64::from(it)),
        (Kind::Choice(&[]), "", read_choice as Read),
    ];
    PARAMETER_KINDS.iter().zip(kinds).find(|(known, _)| **known == name).map(|(_, kind)| kind)
}

fn amount(limit: Limit) -> u64 {
    match limit {
        Limit::Packets(packets) => u64::from(packets),
        Limit::Bytes(bytes) => bytes.get(),
    }
}

/// Reads one of the words of a choice as its position among them.
fn read_choice(field: &Field, reader: &mut dyn Reader) -> Option<(u64, Option<Limit>)> {
    let Kind::Choice(words) = field.kind else { unreachable!("a choice is read as one") };
    let one_of = || join_words(words.iter().map(|(word, _)| *word));
    let written = reader.take(field).or_else(|| field.default.map(|word| Value::Text(word.to_owned())));
    let message = match &written {
        None => format!("is missing and has no default; one of {}", one_of()),
        Some(Value::Text(text)) => match words.iter().position(|(word, _)| word == text) {
            Some(position) => return Some((position as u64, None)),
            None => format!("{} is not one of {}", quoted(text), one_of()),
        },
        Some(other) => format!("{} is not one of {}", other.quoted(), one_of()),
    };
    reader.mistake(&field.key(), message);
    None
}

/// The parameters of these declarations.
///
/// # Errors
/// If the kind of one is unknown.
pub(crate) fn declared(all: &[ParameterDeclaration]) -> Result<Declared, String> {
    let (mut fields, mut reads) = (Vec::new(), Vec::new());
    for it in all {
        let Some((mut kind, range, read)) = kind(&it.kind) else {
            return Err(format!("parameter '{}': there is no kind '{}'; one of {}", it.name, it.kind, PARAMETER_KINDS.join(", ")));
        };
        if let Kind::Choice(_) = kind {
            let words: Vec<_> = it.words.iter().map(|(word, doc)| (leak(word), leak(doc))).collect();
            kind = Kind::Choice(words.leak());
        }
        fields.push(Field {
            name: leak(&it.name),
            doc: leak(&it.doc),
            kind,
            default: it.default.as_deref().map(leak),
            optional: false,
            range,
            is_changeable: it.is_changeable,
        });
        reads.push(read);
    }
    Ok(Declared { fields: fields.leak(), reads })
}

impl Declared {
    /// Reads all parameters, reporting every mistake to `reader`; `None` if there was any.
    pub fn read(&self, reader: &mut dyn Reader) -> Option<Arc<Values>> {
        let read: Vec<_> = self.fields.iter().zip(&self.reads).map(|(field, read)| read(field, reader)).collect();
        let read: Vec<(u64, Option<Limit>)> = read.into_iter().collect::<Option<_>>()?;
        let limit = self.fields.iter().zip(&read).find(|(field, _)| field.name == "limit").and_then(|(_, (_, limit))| *limit);
        Some(Arc::new(Values { words: read.into_iter().map(|(word, _)| word).collect(), limit, fields: self.fields }))
    }
}

/// Values as parameters of a plan.
pub(crate) fn erased(values: Arc<Values>) -> AnyParameters {
    let fields = values.fields;
    AnyParameters::declared(values, fields, check_change)
}

fn check_change(one: &dyn Any, other: &dyn Any) -> Result<(), ChangeError> {
    let [one, other] = [one, other].map(penstock_model::parameters::own::<Values>);
    let changed = one.fields.iter().enumerate().find(|(i, field)| !field.is_changeable && one.words[*i] != other.words[*i]);
    match changed {
        None => Ok(()),
        Some((_, field)) => {
            let changeable = one.fields.iter().filter(|field| field.is_changeable).map(Field::key).collect();
            Err(ChangeError::NotChangeable { key: field.key(), changeable })
        }
    }
}
