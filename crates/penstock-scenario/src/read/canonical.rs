//! The canonical form of a scenario, for hashing.

use crate::read::tree::{Item, TableEntry, Tree};
use std::collections::BTreeMap;

/// Top-level keys that do not change the simulation; the seed is an argument of a run, and components of a file that is used have
/// digests of their own.
const EXCLUDED_KEYS: [&str; 6] = ["description", "measure", "seed", "series", "trace", "use"];

/// Writes JSON with sorted keys and without blanks. Impairments and PCN meters, whose order has a meaning, become a list of pairs.
///
/// Under `files` are the names of files that the scenario reads, with digests of their content; under `components` the plug-in
/// components, with digests of their sources.
pub(crate) fn write(tree: &Tree, files: &[(String, String)], components: &BTreeMap<String, Option<String>>) -> String {
    let components: Vec<(String, String)> =
        components.iter().map(|(name, digest)| (name.clone(), digest.clone().unwrap_or_default())).collect();
    let digests = [("files", files), ("components", &components)].map(|(key, digests)| of_digests(key, digests, tree));
    let mut text = String::new();
    match &tree.item {
        Item::Table(entries) => {
            let kept = entries.iter().filter(|entry| !EXCLUDED_KEYS.contains(&entry.key.as_str()));
            table(&mut text, kept.chain(digests.iter().flatten()).collect());
        }
        _ => value(&mut text, tree),
    }
    text
}

/// Names and digests as a top-level entry; `None` if the list is empty.
fn of_digests(key: &str, digests: &[(String, String)], tree: &Tree) -> Option<TableEntry> {
    let (key, location) = (key.to_owned(), tree.location);
    let of_item = |item: Item| Tree { item, location };
    let entry = |(name, digest): &(String, String)| TableEntry { key: name.clone(), location, tree: of_item(Item::Text(digest.clone())) };
    let entries: Vec<TableEntry> = digests.iter().map(entry).collect();
    (!entries.is_empty()).then(|| TableEntry { key, location, tree: of_item(Item::Table(entries)) })
}

/// The entries of `[[measure]]` in the same form, or `default` if the scenario has none; then `always`, for the numbers that every
/// run yields.
pub(crate) fn measures(tree: &Tree) -> Vec<String> {
    let written = |entry: &Tree| {
        let mut text = String::new();
        value(&mut text, entry);
        text
    };
    let mut texts = match tree.get("measure").map(|measure| &measure.item) {
        Some(Item::List(entries)) => entries.iter().map(written).collect(),
        _ => vec!["default".to_owned()],
    };
    texts.push("always".to_owned());
    texts
}

fn value(text: &mut String, tree: &Tree) {
    match &tree.item {
        Item::Text(word) => quoted(text, word),
        Item::Integer(number) => text.push_str(&number.to_string()),
        Item::Float(number) if number.is_finite() => text.push_str(&format!("{number:?}")),
        Item::Float(number) => quoted(text, &number.to_string()),
        Item::Switch(switch) => text.push_str(&switch.to_string()),
        Item::List(items) => list(text, items.iter(), value),
        Item::Table(entries) => table(text, entries.iter().collect()),
    }
}

fn table(text: &mut String, mut entries: Vec<&TableEntry>) {
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    text.push('{');
    for (i, entry) in entries.into_iter().enumerate() {
        text.push_str(if i > 0 { "," } else { "" });
        quoted(text, &entry.key);
        text.push(':');
        match &entry.tree.item {
            Item::Table(parts) if matches!(entry.key.as_str(), "impairment" | "pcn") => list(text, parts.iter(), |text, part| {
                text.push('[');
                quoted(text, &part.key);
                text.push(',');
                value(text, &part.tree);
                text.push(']');
            }),
            _ => value(text, &entry.tree),
        }
    }
    text.push('}');
}

fn list<'a, T: 'a>(text: &mut String, items: impl Iterator<Item = &'a T>, mut write: impl FnMut(&mut String, &T)) {
    text.push('[');
    for (i, item) in items.enumerate() {
        text.push_str(if i > 0 { "," } else { "" });
        write(text, item);
    }
    text.push(']');
}

fn quoted(text: &mut String, word: &str) {
    if !word.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        // Nothing in it is escaped.
        text.push('"');
        text.push_str(word);
        text.push('"');
        return;
    }
    text.push_str(&serde_json::Value::from(word).to_string());
}
