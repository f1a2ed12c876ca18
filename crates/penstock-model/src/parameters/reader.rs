//! Reading of declared parameters: their types and the source of their values.

use super::types::LineRate;
use super::{default_value, ChangeError, Declaration, Entry, Field, Kind, Profile, Value};
use crate::printable::quoted;
use crate::registry::Registry;

/// A type of parameters.
pub trait Parameter: Sized {
    /// Kind of value as written in a scenario.
    const KIND: Kind;
    /// The allowed range in words.
    const RANGE: &'static str = "";
    /// Whether the parameter may be left out without a default.
    const OPTIONAL: bool = false;

    /// Reads a value.
    ///
    /// # Errors
    /// The mistake and the allowed values; the caller adds the path.
    fn from_value(value: &Value) -> Result<Self, String>;

    /// Converts a time to the length that `line` sends in it, for types of queue lengths.
    fn at_line(value: Value, line: LineRate) -> Value {
        let _ = line;
        value
    }

    /// Reads the value of `field` and reports mistakes to `reader`.
    fn read_from(field: &Field, reader: &mut dyn Reader) -> Reading<Self> {
        let line = reader.line();
        let at_line = |value: Value| match line {
            Some(line) => Self::at_line(value, line),
            None => value,
        };
        match reader.take(field).map(|value| Self::from_value(&at_line(value))) {
            None => Reading::Absent,
            Some(Ok(value)) => Reading::Given(value),
            Some(Err(message)) => {
                reader.mistake(&field.key(), message);
                Reading::Broken
            }
        }
    }

    /// Checks that a running component can change from this value of a changeable parameter to `other`. A value with its own
    /// parameters declares which of them are changeable.
    ///
    /// # Errors
    /// If one of its own parameters differs and is not changeable.
    fn check_change(&self, other: &Self) -> Result<(), ChangeError> {
        let _ = other;
        Ok(())
    }

    /// Value of a parameter that was left out, if it is [`Parameter::OPTIONAL`].
    fn absent() -> Option<Self> {
        None
    }
}

/// Result of reading a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading<T> {
    /// The parameter was left out.
    Absent,
    /// The value has a mistake, which has been reported.
    Broken,
    /// The value.
    Given(T),
}

/// Source of the parameters of one component, and receiver of its mistakes. The scenario reader adds file, line and path.
pub trait Reader {
    /// Returns the value written for `field`, if any. The field then counts as known.
    fn take(&mut self, field: &Field) -> Option<Value>;
    /// Reports a mistake in a parameter, or in the component as a whole if the key is empty.
    fn mistake(&mut self, key: &str, message: String);

    /// Line that converts times to queue lengths; `None` if there is no link.
    fn line(&self) -> Option<LineRate> {
        None
    }

    /// Components of plug-ins.
    fn registry(&self) -> &Registry {
        Registry::NONE
    }

    /// Calls `read` with the name and the parameters of the component written for `field`, a [`Kind::Component`], unless the name is a
    /// mistake. Returns false if nothing is written.
    fn component(&mut self, field: &Field, read: &mut dyn FnMut(&str, &mut dyn Reader)) -> bool {
        let Some(value) = self.take(field) else { return false };
        let (key, registry) = (field.key(), self.registry().clone());
        let mut mistake = |below: &str, message: String| {
            let path = if below.is_empty() { key.clone() } else { format!("{key}.{below}") };
            self.mistake(&path, message);
        };
        visit_component(&value, (&field.kind, &registry), &mut mistake, read);
        true
    }

    /// Calls `read` with the parameters of the table written for `field`, a [`Kind::Table`], unless it is no table. Returns false if
    /// nothing is written.
    fn table(&mut self, field: &Field, read: &mut dyn FnMut(&mut dyn Reader)) -> bool {
        let Some(value) = self.take(field) else { return false };
        let (key, registry) = (field.key(), self.registry().clone());
        let mut mistake = |path: &str, message: String| self.mistake(path, message);
        match &value {
            Value::Table(parameters) => visit_table((&key, parameters), &registry, &mut mistake, read),
            other => mistake(&key, not_a_table(other)),
        }
        true
    }
}

/// A parameter struct made by [`parameters!`].
pub trait Parameters: Sized {
    /// Documentation of the component.
    const DOC: &'static str;
    /// Parameters in order.
    const FIELDS: &'static [Field];
    /// Named sets of parameters.
    const PROFILES: &'static [Profile] = &[];
    /// Parameters of each class, if the component is a scheduler with classes.
    const CLASS: Option<Declaration> = None;

    /// Reads all fields and reports every mistake to `reader`; `None` if there was any.
    fn read(reader: &mut dyn Reader) -> Option<Self>;

    /// Checks that a running component can change from these parameters to `other`.
    ///
    /// # Errors
    /// If a parameter that is not changeable differs.
    fn check_change(&self, other: &Self) -> Result<(), ChangeError>;
}

/// Plan of a kind of components, made by [`component_plans!`](crate::component_plans): a component with its parameters.
pub trait Plan: Sized {
    /// The kind.
    const OF: &'static str;
    /// The scenario keys of this crate's components.
    const NAMES: &'static [&'static str];
    /// Catalogue entries of these components, in the same order.
    const ENTRIES: &'static [Entry];

    /// Reads the parameters of the component `name`, which may belong to a plug-in; `None` after a reported mistake or for an unknown name.
    fn read(name: &str, reader: &mut dyn Reader) -> Option<Self>;
}

/// Checks relations between parameters that no single type expresses. Every parameter struct implements it, usually with an empty body.
pub trait Check {
    /// Calls `mistake(key, message)` for each relation that does not hold.
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let _ = mistake;
    }
}

/// Reads one field or its default; `None` after a reported mistake.
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

fn hint(field: &Field) -> String {
    match field.kind {
        Kind::Quantity(example) => format!("write {} = \"{example}\"", field.key()),
        Kind::Integer | Kind::IntegerOrList => format!("write {} = 1", field.key()),
        Kind::Number => format!("write {} = 0.5", field.key()),
        Kind::Choice(words) | Kind::OpenChoice { words, .. } => format!("one of {}", join_words(words.iter().map(|(word, _)| *word))),
        Kind::Switch => format!("write {} = true or false", field.key()),
        Kind::Name(of) => format!("write {} = \"name of a {of}\"", field.key()),
        Kind::List(_) => format!("write {} = [...]", field.key()),
        Kind::Law(text) => format!("write {} = {text}", field.key()),
        Kind::Component { names, .. } => format!("one of {}", join_words(names.iter().copied())),
        Kind::Table(_) => format!("write {} = {{ ... }}", field.key()),
    }
}

/// Joins words to `a, b, c` for error messages.
pub fn join_words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

impl<T: Parameter> Parameter for Option<T> {
    const KIND: Kind = T::KIND;
    const RANGE: &'static str = T::RANGE;
    const OPTIONAL: bool = true;
    fn from_value(value: &Value) -> Result<Self, String> {
        T::from_value(value).map(Some)
    }
    fn at_line(value: Value, line: LineRate) -> Value {
        T::at_line(value, line)
    }
    fn read_from(field: &Field, reader: &mut dyn Reader) -> Reading<Self> {
        match T::read_from(field, reader) {
            Reading::Given(value) => Reading::Given(Some(value)),
            Reading::Absent => Reading::Absent,
            Reading::Broken => Reading::Broken,
        }
    }
    fn check_change(&self, other: &Self) -> Result<(), ChangeError> {
        match (self, other, &T::KIND) {
            (Some(one), Some(other), _) => one.check_change(other),
            (None, None, _) => Ok(()),
            // A component, or an object that a table describes, cannot appear or disappear.
            (_, _, Kind::Component { .. } | Kind::Table(_)) => Err(ChangeError::Existence),
            _ => Ok(()),
        }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Calls `read` with the name and the parameters of the component that `value` describes: a name, or a table with one name. Mistakes are
/// reported below `value`, as in `cubic.beta`.
pub(super) fn visit_component(
    value: &Value,
    (kind, registry): (&Kind, &Registry),
    mistake: &mut dyn FnMut(&str, String),
    read: &mut dyn FnMut(&str, &mut dyn Reader),
) {
    let Kind::Component { of, names } = kind else { unreachable!("only components are read as components") };
    let names = registry.names(of, names);
    let one_of = || format!("one of {}", join_words(names.iter().copied()));
    let (name, parameters): (&str, &[(String, Value)]) = match value {
        Value::Text(name) => (name, &[]),
        Value::Table(entries) => match &entries[..] {
            [(name, Value::Table(parameters))] => (name, parameters),
            [(name, other)] => return mistake(name, not_a_table(other)),
            [] => return mistake("", format!("names no {of}; {}", one_of())),
            [(first, _), (second, _), ..] => return mistake("", format!("names two, {} and {}; keep one", quoted(first), quoted(second))),
        },
        other => return mistake("", format!("{} is not the name of a {of}; {}", other.quoted(), one_of())),
    };
    if !names.contains(&name) {
        return mistake("", format!("unknown {of} {}; {}", quoted(name), one_of()));
    }
    visit_table((name, parameters), registry, mistake, &mut |table| read(name, table));
}

fn not_a_table(value: &Value) -> String {
    format!("{} is not a table; write {{ key = value }}", value.quoted())
}

/// Calls `read` with a table and its name. Keys that it does not request are mistakes.
fn visit_table(
    (name, parameters): (&str, &[(String, Value)]),
    registry: &Registry,
    mistake: &mut dyn FnMut(&str, String),
    read: &mut dyn FnMut(&mut dyn Reader),
) {
    let mut table = Table { name, parameters, registry, known: Vec::new(), mistake };
    read(&mut table);
    for (key, _) in parameters.iter().filter(|(key, _)| !table.known.contains(key)) {
        (table.mistake)(&format!("{name}.{key}"), format!("unknown key {}", quoted(key)));
    }
}

/// Reads the table written for `field`, with mistakes below its key.
#[doc(hidden)]
pub fn read_table<T: Parameters>(field: &Field, reader: &mut dyn Reader) -> Reading<T> {
    let mut read = None;
    match (reader.table(field, &mut |table| read = T::read(table)), read) {
        (false, _) => Reading::Absent,
        (true, Some(parameters)) => Reading::Given(parameters),
        (true, None) => Reading::Broken,
    }
}

/// Parameters of one component as plain values.
struct Table<'a> {
    name: &'a str,
    parameters: &'a [(String, Value)],
    registry: &'a Registry,
    known: Vec<String>,
    mistake: &'a mut dyn FnMut(&str, String),
}

impl Reader for Table<'_> {
    fn take(&mut self, field: &Field) -> Option<Value> {
        let key = field.key();
        let found = self.parameters.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone());
        self.known.push(key);
        found
    }

    fn registry(&self) -> &Registry {
        self.registry
    }

    fn mistake(&mut self, key: &str, message: String) {
        let path = if key.is_empty() { self.name.to_owned() } else { format!("{}.{key}", self.name) };
        (self.mistake)(&path, message);
    }
}
