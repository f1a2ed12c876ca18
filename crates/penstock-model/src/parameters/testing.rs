//! Reading parameters in tests as an author would write them.

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
