//! The scenario as a tree of TOML values with their locations.

use crate::read::deep_keys::{deep_keys, MOST_PARTS, PARSER_MESSAGE};
use crate::read::files::ReadOptions;
use crate::read::mistake::{Mistakes, SourceLocation};
use penstock_model::parameters::Value;
use penstock_model::printable::shortened;
use std::cell::Cell;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// A value and its location.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub location: SourceLocation,
    pub item: Item,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Text(String),
    Integer(i64),
    Float(f64),
    Switch(bool),
    List(Vec<Tree>),
    /// In the order written.
    Table(Vec<TableEntry>),
}

/// A key of a table, with its value.
#[derive(Clone, Debug)]
pub(crate) struct TableEntry {
    pub key: String,
    pub location: SourceLocation,
    pub tree: Tree,
}

impl TableEntry {
    /// Adds the tables of `other`; `None` unless both are lists of `[[tables]]`.
    fn take_tables(&mut self, other: TableEntry) -> Option<()> {
        if !self.is_headed() || !other.is_headed() {
            return None;
        }
        let (Item::List(tables), Item::List(more)) = (&mut self.tree.item, other.tree.item) else { return None };
        tables.extend(more);
        Some(())
    }

    /// Whether its key is in a header such as `[[flows]]`. A header begins before the key, and a plain value after it.
    fn is_headed(&self) -> bool {
        match (self.location, self.tree.location) {
            (SourceLocation::Text { line, column }, SourceLocation::Text { line: first, column: begin }) => (first, begin) < (line, column),
            _ => false,
        }
    }
}

impl Tree {
    /// The value as components read it.
    pub fn value(&self) -> Value {
        match &self.item {
            Item::Text(text) => Value::Text(text.clone()),
            Item::Integer(number) => Value::Integer(*number),
            Item::Float(number) => Value::Float(*number),
            Item::Switch(switch) => Value::Switch(*switch),
            Item::List(items) => Value::List(items.iter().map(Tree::value).collect()),
            Item::Table(table) => Value::Table(table.iter().map(|branch| (branch.key.clone(), branch.tree.value())).collect()),
        }
    }

    /// The entry under `key`, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        match &self.item {
            Item::Table(table) => table.iter().find(|branch| branch.key == key).map(|branch| &branch.tree),
            _ => None,
        }
    }

    /// The text under `key`.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Tree { item: Item::Text(text), .. }) => Some(text),
            _ => None,
        }
    }
}

impl Tree {
    /// Removes the entry at `path`, such as `links[1].queue.red.limit`; returns whether it existed.
    pub fn remove(&mut self, path: &str) -> bool {
        let Item::Table(entries) = &mut self.item else { return false };
        let (segment, rest) = path.split_once('.').map_or((path, None), |(segment, rest)| (segment, Some(rest)));
        let (key, index) = segment
            .strip_suffix(']')
            .and_then(|segment| segment.split_once('['))
            .map_or((segment, None), |(key, index)| (key, Some(index.parse::<usize>())));
        let Some(found) = entries.iter().position(|entry| entry.key == key) else { return false };
        match (index, rest, &mut entries[found].tree.item) {
            (None, None, _) => {
                entries.remove(found);
                true
            }
            (None, Some(rest), _) => entries[found].tree.remove(rest),
            (Some(Ok(index)), Some(rest), Item::List(items)) => items.get_mut(index).is_some_and(|item| item.remove(rest)),
            _ => false,
        }
    }
}

/// Maximum size of a scenario in bytes: a million nodes are 14 MB, a million measurements 45 MB.
pub const LARGEST_TEXT: usize = 64 << 20;

/// Reads a file; `None` if nothing of it is TOML.
pub(crate) fn parse(text: &str, mistakes: &Mistakes) -> Option<Tree> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > LARGEST_TEXT {
        let mib = LARGEST_TEXT >> 20;
        let message =
            format!("is larger than {mib} MiB, which is the most; a group such as hosts = {{ count = 24 }} makes many nodes at once");
        mistakes.add(SourceLocation::Whole, "", message);
        return None;
    }
    let lines = Lines::new(text);
    parse_in_parts(text, &lines).or_else(|| parse_whole(text, &lines, mistakes))
}

/// Maximum number of keys at the top of a file that is read in parts; a scenario has a dozen.
const MOST_TOP_KEYS: usize = 64;

/// Reads a file one `[[table]]` at a time, so that the parser's own memory stays small and in the caches. `None` if that is not
/// possible: with mistakes, multi-line texts, or tables continued after other ones.
fn parse_in_parts(text: &str, lines: &Lines<'_>) -> Option<Tree> {
    if text.contains("\"\"\"") || text.contains("'''") {
        return None;
    }
    // A line within a value may begin like a header; then the part before it ends within that value, which is a mistake.
    let heads = lines.starts.iter().copied().filter(|start| text[*start..].starts_with("[["));
    let (mut root, mut begin): (Vec<TableEntry>, usize) = (Vec::new(), 0);
    let mistakes = Mistakes::new("", Vec::new(), ReadOptions::default());
    for end in heads.chain([text.len()]) {
        let table = DeTable::parse(&text[begin..end]).ok()?;
        let part = Converter { location: &|offset| lines.location(begin + offset), mistakes: &mistakes }.entries(table.get_ref());
        for entry in part {
            match root.iter_mut().find(|known| known.key == entry.key) {
                None => root.push(entry),
                Some(known) => known.take_tables(entry)?,
            }
        }
        if !mistakes.is_empty() || root.len() > MOST_TOP_KEYS {
            return None;
        }
        begin = end;
    }
    Some(Tree { location: lines.location(0), item: Item::Table(root) })
}

/// Reads a file at once.
fn parse_whole(text: &str, lines: &Lines<'_>, mistakes: &Mistakes) -> Option<Tree> {
    let (table, errors) = DeTable::parse_recoverable(text);
    // The parser gives the position of every error except a key with too many parts.
    let is_deep = |error: &toml::de::Error| error.span().is_none() && error.message().trim() == PARSER_MESSAGE;
    let mut deep = if errors.iter().any(is_deep) { deep_keys(text) } else { Vec::new() }.into_iter();
    for error in &errors {
        if is_deep(error) {
            let location = deep.next().map_or(SourceLocation::Whole, |offset| lines.location(offset));
            mistakes.add(
                location,
                "",
                format!("a key has more than {MOST_PARTS} parts with dots between; no key of a scenario has as many"),
            );
            continue;
        }
        let location = error.span().map_or(SourceLocation::Whole, |span| lines.location(span.start));
        mistakes.add(location, "", format!("this is not TOML: {}", error.message().trim().replace('\n', ", ")));
    }
    errors.is_empty().then(|| Converter { location: &|offset| lines.location(offset), mistakes }.table(table.span().start, table.get_ref()))
}

/// Reads the value of a setting: TOML if it is TOML, else text.
pub(crate) fn parse_setting_value(text: &str, location: SourceLocation, mistakes: &Mistakes) -> Tree {
    match DeValue::parse(text) {
        Ok(value) => Converter { location: &|_| location, mistakes }.value(value.span().start, value.get_ref()),
        Err(_) => Tree { location, item: Item::Text(text.to_owned()) },
    }
}

/// Why `text` is not a TOML value, if it is not.
pub(crate) fn toml_error(text: &str) -> Option<String> {
    DeValue::parse(text).err().map(|error| error.message().trim().replace('\n', ", "))
}

struct Converter<'a> {
    location: &'a dyn Fn(usize) -> SourceLocation,
    mistakes: &'a Mistakes,
}

impl Converter<'_> {
    fn table(&self, start: usize, table: &DeTable<'_>) -> Tree {
        Tree { location: (self.location)(start), item: Item::Table(self.entries(table)) }
    }

    fn entries(&self, table: &DeTable<'_>) -> Vec<TableEntry> {
        // The parser's map is sorted by key; the order written is that of the keys' places.
        let mut entries: Vec<(&Spanned<_>, &Spanned<DeValue<'_>>)> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let branch = |(key, value): &(&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| TableEntry {
            key: key.get_ref().to_string(),
            location: (self.location)(key.span().start),
            tree: self.value(value.span().start, value.get_ref()),
        };
        entries.iter().map(branch).collect()
    }

    fn value(&self, start: usize, value: &DeValue<'_>) -> Tree {
        let location = (self.location)(start);
        let item = match value {
            DeValue::String(text) => Item::Text(text.to_string()),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Item::Integer(number),
                Err(_) => {
                    self.mistakes.add(
                        location,
                        "",
                        format!("{} is too large; whole numbers go up to {}", shortened(number.as_str(), 60), i64::MAX),
                    );
                    Item::Integer(1)
                }
            },
            DeValue::Float(number) => Item::Float(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(switch) => Item::Switch(*switch),
            // No key accepts a date, so the reader of the key reports the allowed values.
            DeValue::Datetime(date) => Item::Text(date.to_string()),
            DeValue::Array(items) => Item::List(items.iter().map(|item| self.value(item.span().start, item.get_ref())).collect()),
            DeValue::Table(table) => return self.table(start, table),
        };
        Tree { location, item }
    }
}

/// The beginning of each line, and the number of characters before each block of [`BLOCK`] bytes, because a line may be as long as
/// the file.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The line of the previous lookup: the next one is often on the same line, or on the one after.
    last: Cell<usize>,
    /// `None` where each byte is a character.
    before_block: Option<Vec<usize>>,
}

/// Bytes whose characters are counted for each lookup.
const BLOCK: usize = 256;

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Lines<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(offset, _)| offset + 1)).collect();
        let before_block = (!text.is_ascii()).then(|| {
            let ends = text.as_bytes().chunks(BLOCK).scan(0, |count, block| {
                *count += characters(block);
                Some(*count)
            });
            std::iter::once(0).chain(ends).collect()
        });
        Lines { text, starts, last: Cell::new(1), before_block }
    }

    /// Number of characters that begin before `offset`.
    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let Some(before_block) = &self.before_block else { return offset };
        let block = offset / BLOCK;
        before_block[block] + characters(&self.text.as_bytes()[block * BLOCK..offset])
    }

    /// The line on which `offset` lies, from 1.
    fn line(&self, offset: usize) -> usize {
        let starts_after = |line: usize| self.starts.get(line).is_none_or(|start| *start > offset);
        let last = self.last.get();
        let is_near = self.starts[last - 1] <= offset;
        let line = match [last, last + 1].into_iter().find(|line| is_near && starts_after(*line)) {
            Some(line) => line,
            None => self.starts.partition_point(|start| *start <= offset),
        };
        self.last.set(line);
        line
    }

    fn location(&self, offset: usize) -> SourceLocation {
        let line = self.line(offset);
        let before = self.characters_before(offset) - self.characters_before(self.starts[line - 1]);
        SourceLocation::Text { line: u32::try_from(line).unwrap_or(u32::MAX), column: 1 + u32::try_from(before).unwrap_or(u32::MAX - 1) }
    }
}

/// Number of characters that begin among these bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares both ways of reading; returns whether parts were possible.
    fn reads_in_parts_as_at_once(text: &str) -> bool {
        let (lines, mistakes) = (Lines::new(text), Mistakes::new("", Vec::new(), ReadOptions::default()));
        let whole = parse_whole(text, &lines, &mistakes).filter(|_| mistakes.is_empty());
        let parts = parse_in_parts(text, &lines);
        if parts.is_some() {
            assert_eq!(format!("{parts:?}"), format!("{whole:?}"), "{text}");
        }
        parts.is_some()
    }

    #[test]
    fn lists_of_tables_are_read_in_parts() {
        let text = "a = 1\n[[b]]\nc.d = 'x'\n[b.e]\nf = 2\n[g]\nh = [[1], [2]]\n[[b]]\n[[i]]\n# end\n[[b]]\nc = {}\n";
        assert!(reads_in_parts_as_at_once(text));
        assert!(reads_in_parts_as_at_once("[[\"ü b\"]]\r\nx = 1.5\r\n[[\"ü b\"]]"));
    }

    #[test]
    fn what_goes_on_behind_another_table_is_read_at_once() {
        for text in [
            "[[a]]\n[[b]]\n[a.c]\nd = 1\n",
            "[[a]]\n[[a.b]]\n[[a.b]]\n",
            "a = [\n[[1]],\n[[2]]]\n",
            "a = \"\"\"\n[[b]]\n\"\"\"\n",
            "[[a]]\nb = 99999999999999999999\n",
            "a = [{}]\n[[a]]\n",
            "[[a]]\n[a]\n",
            "[a]\n[[b]]\n[a]\n",
            "[[a]]\nb = 1\nb = 2\n",
            "[[a]\n",
        ] {
            assert!(!reads_in_parts_as_at_once(text), "{text}");
        }
    }

    /// All texts of up to four of these lines.
    #[test]
    fn parts_are_read_as_the_whole() {
        const LINES: [&str; 17] = [
            "[[a]]",
            "[[b]]",
            "[[a.b]]",
            "[a]",
            "[a.c]",
            "[c]",
            "[b.d.e]",
            "a = 1",
            "b.c = [{}]",
            "c = [[1]]",
            "d = [",
            "[[1]],",
            "[[2]]",
            "]",
            "'''",
            "e = {f = [[]]}",
            "  [[b]] # c",
        ];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            texts = texts.iter().flat_map(|text| LINES.iter().map(move |line| format!("{text}{line}\n"))).collect();
            let in_parts = texts.iter().filter(|text| reads_in_parts_as_at_once(text)).count();
            assert!((1..texts.len()).contains(&in_parts));
        }
    }

    #[test]
    fn places_count_characters_on_lines_of_any_length() {
        for text in [format!("a = 1\n{}x\nü", "äb€".repeat(1000)), format!("a = 1\n{}x\n", "abc".repeat(1000))] {
            places_count_characters(&text);
        }
    }

    fn places_count_characters(text: &str) {
        let lines = Lines::new(text);
        for (offset, character) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().expect("one part at least").chars().count() + 1;
            let place = SourceLocation::Text { line: line as u32, column: column as u32 };
            assert_eq!(lines.location(offset), place, "{character:?} at {offset}");
        }
    }
}
