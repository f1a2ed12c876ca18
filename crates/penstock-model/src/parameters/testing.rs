//! Reads parameters in tests as an author would write them.

use super::{default_value, Field, Parameters, Reader, Value};
use crate::registry::Registry;

/// Lines such as `limit = 60 packets`, read with the components of these plug-ins.
pub(crate) struct Lines<'a> {
    pairs: Vec<(String, Value)>,
    registry: &'a Registry,
    /// Mistakes, each with its key.
    pub mistakes: Vec<String>,
}

impl<'a> Lines<'a> {
    /// Parses these lines; `[a, b]` is a list.
    pub fn new(lines: &[&str], registry: &'a Registry) -> Lines<'a> {
        let pair = |line: &&str| line.split_once(" = ").map(|(key, text)| (key.to_owned(), value(text))).expect("key = value");
        Lines { pairs: lines.iter().map(pair).collect(), registry, mistakes: Vec::new() }
    }
}

impl Reader for Lines<'_> {
    fn take(&mut self, field: &Field) -> Option<Value> {
        let found = self.pairs.iter().position(|(key, _)| *key == field.key())?;
        Some(self.pairs.swap_remove(found).1)
    }
    fn mistake(&mut self, key: &str, message: String) {
        self.mistakes.push(format!("{key}: {message}"));
    }
    fn registry(&self) -> &Registry {
        self.registry
    }
}

/// Reads [`Lines`]. Returns the mistakes if there are any.
pub(crate) fn read<P: Parameters>(lines: &[&str]) -> Result<P, Vec<String>> {
    let mut written = Lines::new(lines, Registry::NONE);
    let read = P::read(&mut written);
    assert!(written.pairs.is_empty(), "unknown keys: {:?}", written.pairs);
    read.ok_or(written.mistakes)
}

fn value(text: &str) -> Value {
    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(items) => Value::List(items.split(", ").map(default_value).collect()),
        None => default_value(text),
    }
}
