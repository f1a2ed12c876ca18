//! The canonical form of a scenario, for hashing.

use crate::read::tree::{Item, TableEntry, Tree};

/// Keys of the top level that no result depends on; the seed is an argument of a run.
const EXCLUDED_KEYS: [&str; 4] = ["description", "seed", "series", "trace"];

/// JSON with sorted keys and without blanks. Impairments and PCN meters, whose order has a meaning, become a list of pairs.
///
/// Files that the scenario names stand there with digests of their content, under `files`.
pub(crate) fn write(tree: &Tree, files: &[(String, String)]) -> String {
    let mut kept = tree.clone();
    if let Item::Table(table) = &mut kept.item {
        table.retain(|branch| !EXCLUDED_KEYS.contains(&branch.key.as_str()));
        if !files.is_empty() {
            let text = |digest: &String| Tree { item: Item::Text(digest.clone()), location: tree.location };
            let entry = |(name, digest): &(String, String)| TableEntry { key: name.clone(), location: tree.location, tree: text(digest) };
            let digests = Tree { item: Item::Table(files.iter().map(entry).collect()), location: tree.location };
            table.push(TableEntry { key: "files".to_owned(), location: tree.location, tree: digests });
        }
    }
    let mut text = String::new();
    value(&mut text, &kept);
    text
}

fn value(text: &mut String, tree: &Tree) {
    match &tree.item {
        Item::Text(word) => quoted(text, word),
        Item::Integer(number) => text.push_str(&number.to_string()),
        Item::Float(number) if number.is_finite() => text.push_str(&format!("{number:?}")),
        Item::Float(number) => quoted(text, &number.to_string()),
        Item::Switch(switch) => text.push_str(&switch.to_string()),
        Item::List(items) => list(text, items.iter(), value),
        Item::Table(table) => {
            let mut branches: Vec<&TableEntry> = table.iter().collect();
            branches.sort_by(|a, b| a.key.cmp(&b.key));
            text.push('{');
            for (i, branch) in branches.iter().enumerate() {
                text.push_str(if i > 0 { "," } else { "" });
                quoted(text, &branch.key);
                text.push(':');
                match &branch.tree.item {
                    Item::Table(parts) if matches!(branch.key.as_str(), "impairment" | "pcn") => list(text, parts.iter(), |text, part| {
                        text.push('[');
                        quoted(text, &part.key);
                        text.push(',');
                        value(text, &part.tree);
                        text.push(']');
                    }),
                    _ => value(text, &branch.tree),
                }
            }
            text.push('}');
        }
    }
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
    text.push_str(&serde_json::Value::from(word).to_string());
}
