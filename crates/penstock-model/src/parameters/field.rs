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
    /// One of these words.
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
    /// A table; the text names the section that describes it.
    Table(&'static str),
}

/// One declared parameter.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The field's name in Rust; the scenario key has hyphens, see [`Field::key`].
    pub name: &'static str,
    /// Its meaning, with its symbol and source.
    pub doc: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// The default as an author would write it; `None` means that it must be given.
    pub default: Option<&'static str>,
    /// Whether it may be left out and then has no value.
    pub optional: bool,
    /// The allowed range in words; empty when the kind says it all.
    pub range: &'static str,
    /// Whether it can be changed during a run.
    pub is_changeable: bool,
}

impl Field {
    /// The key in a scenario: the name with hyphens.
    pub fn key(&self) -> String {
        key_of(self.name)
    }

    /// Whether `key` is its key.
    pub fn has_key(&self, key: &str) -> bool {
        let as_in_key = |byte| if byte == b'_' { b'-' } else { byte };
        self.name.len() == key.len() && self.name.bytes().map(as_in_key).eq(key.bytes())
    }
}

/// The name of a field without the `r#` of a word that is a keyword of Rust.
#[doc(hidden)]
pub const fn plain(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// The key in a scenario of a field with this name in Rust.
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
    /// The state that it shows.
    pub state: &'static [Variable],
    /// The parameters of each of its classes, if it is a scheduler of classes.
    pub class: Option<Declaration>,
    /// The named sets of its parameters.
    pub profiles: &'static [Profile],
}
