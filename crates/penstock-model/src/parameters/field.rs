//! Declared parameters, for the catalogue, the schema and the pages.

use super::{Declaration, Profile};
use crate::probe::Variable;

/// Kind of a parameter, for schemas and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A quantity with a unit; the text is an example.
    Quantity(&'static str),
    /// A whole number.
    Integer,
    /// A real number.
    Number,
    /// One of these words, each with its documentation.
    Choice(&'static [(&'static str, &'static str)]),
    /// One of these words, or the name of a component of a plug-in.
    OpenChoice {
        /// The kind of component, such as `metric`.
        of: &'static str,
        /// The words, each with its documentation.
        words: &'static [(&'static str, &'static str)],
    },
    /// `true` or `false`.
    Switch,
    /// A whole number, or a list of them.
    IntegerOrList,
    /// A list of the kind's values.
    List(&'static Kind),
    /// A name that the scenario declares; the text says what it names.
    Name(&'static str),
    /// A quantity, or a table with one of several laws; the text gives the forms.
    Law(&'static str),
    /// A component of another kind: its name, or a table with its name and its parameters.
    Component {
        /// The kind of component, such as `congestion-control`.
        of: &'static str,
        /// The components of this kind.
        names: &'static [&'static str],
    },
    /// A table; the text names the section that describes it.
    Table(&'static str),
}

/// One declared parameter.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The field's name in Rust; the scenario key has hyphens, see [`Field::key`].
    pub name: &'static str,
    /// Meaning of the parameter, with its symbol and source.
    pub doc: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// Default as an author would write it; `None` if the parameter is required or optional.
    pub default: Option<&'static str>,
    /// Whether the parameter may be left out and then has no value.
    pub optional: bool,
    /// Allowed range in words; empty if the kind gives it.
    pub range: &'static str,
    /// Whether the parameter can be changed during a run.
    pub is_changeable: bool,
}

impl Field {
    /// Key in a scenario: the name with hyphens.
    pub fn key(&self) -> String {
        key_of(self.name)
    }

    /// Whether `key` is the key of this parameter.
    pub fn has_key(&self, key: &str) -> bool {
        let as_in_key = |byte| if byte == b'_' { b'-' } else { byte };
        self.name.len() == key.len() && self.name.bytes().map(as_in_key).eq(key.bytes())
    }
}

/// Name of a field, without the `r#` that Rust needs for keywords.
#[doc(hidden)]
pub const fn plain(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Key in a scenario of a field with this name in Rust.
pub fn key_of(name: &str) -> String {
    name.replace('_', "-")
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
    /// State variables that the component reports.
    pub state: &'static [Variable],
    /// Parameters of each of its classes, if the component is a scheduler with classes.
    pub class: Option<Declaration>,
    /// Named sets of parameters.
    pub profiles: &'static [Profile],
}
