//! Positions of keys in a TOML text, for readers of files that are not scenarios.

use toml::de::{DeTable, DeValue};

/// The keys of a TOML text with their lines, counted from 1; nothing if the text is not TOML.
///
/// A path has the parts of dotted keys apart, and the index of an entry of a list as a number.
pub fn key_lines(text: &str) -> Vec<(Vec<String>, usize)> {
    let mut found = Vec::new();
    if let Ok(table) = DeTable::parse(text) {
        add_table(table.get_ref(), &[], &mut found);
    }
    let starts: Vec<usize> = text.match_indices('\n').map(|(offset, _)| offset + 1).collect();
    found.into_iter().map(|(path, offset)| (path, starts.partition_point(|start| *start <= offset) + 1)).collect()
}

fn add_table(table: &DeTable<'_>, path: &[String], found: &mut Vec<(Vec<String>, usize)>) {
    for (key, value) in table {
        let own = [path, &[key.get_ref().to_string()]].concat();
        found.push((own.clone(), key.span().start));
        add_value(value.get_ref(), &own, found);
    }
}

fn add_value(value: &DeValue<'_>, path: &[String], found: &mut Vec<(Vec<String>, usize)>) {
    match value {
        DeValue::Table(table) => add_table(table, path, found),
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if matches!(item.get_ref(), DeValue::Table(_) | DeValue::Array(_)) {
                    let own = [path, &[index.to_string()]].concat();
                    found.push((own.clone(), item.span().start));
                    add_value(item.get_ref(), &own, found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_on_their_lines() {
        let text = "a = 1\n[grid]\nb.c = [\n  2,\n]\n[[list]]\nd = 3\n[[list]]\ne = [\n { f = 1 }\n]\n";
        let found = key_lines(text);
        let line = |path: &str| {
            let [(_, line)] = found.iter().filter(|(parts, _)| parts.join(".") == path).collect::<Vec<_>>()[..] else {
                panic!("{path} is not there once")
            };
            *line
        };
        let paths = ["a", "grid", "grid.b", "grid.b.c", "list", "list.0.d", "list.1", "list.1.e", "list.1.e.0", "list.1.e.0.f"];
        assert_eq!(paths.map(line), [1, 2, 3, 3, 6, 7, 8, 9, 10, 10]);
        assert_eq!(key_lines("a ="), []);
    }
}
