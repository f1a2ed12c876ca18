//! Reads one table of a scenario: keys one by one, and at the end every other key is a mistake.

use crate::catalogue::kinds::{key_of_kind, KINDS};
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::suggest::{join_words, nearest, unknown};
use crate::read::tree::{Item, TableEntry, Tree};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::parameters::{key_of, Field, Kind, LineRate, Plan, Reader, Reading, Value};
use penstock_model::printable::quoted;
use penstock_model::registry::Registry;

/// A table being read.
pub(crate) struct Section<'a> {
    pub mistakes: &'a Mistakes,
    pub path: String,
    pub location: SourceLocation,
    /// Line rate of the link to which this section belongs; it converts times to queue lengths.
    pub line: Option<LineRate>,
    table: &'a [TableEntry],
    // For each entry, whether it was asked for.
    asked: Vec<bool>,
    // The keys that were asked for, written or not; keys of fields in their Rust spelling.
    known: Vec<&'static str>,
    // A mistake has already advised to write the whole table.
    hinted: bool,
    // Fields read so far that are choices, and their words, for suggestions.
    choices: Vec<(&'static str, &'static [(&'static str, &'static str)])>,
}

impl<'a> Section<'a> {
    /// Begins to read `tree`, which must be a table.
    pub fn new(mistakes: &'a Mistakes, path: String, location: SourceLocation, tree: &'a Tree) -> Option<Section<'a>> {
        match &tree.item {
            Item::Table(table) => Some(Section::of(mistakes, path, location, table)),
            _ => {
                mistakes.add(location, &path, format!("{} is not a table; write {{ key = value }}", tree.value().quoted()));
                None
            }
        }
    }

    /// A table without entries.
    fn empty(mistakes: &'a Mistakes, path: String, location: SourceLocation) -> Section<'a> {
        Section::of(mistakes, path, location, &[])
    }

    fn of(mistakes: &'a Mistakes, path: String, location: SourceLocation, table: &'a [TableEntry]) -> Section<'a> {
        let asked = vec![false; table.len()];
        Section { mistakes, path, location, line: None, table, asked, known: Vec::new(), hinted: false, choices: Vec::new() }
    }

    /// The entry under `key`, which counts as known from now on.
    pub fn entry(&mut self, key: &'static str) -> Option<&'a TableEntry> {
        self.ask(key, |written| written == key)
    }

    fn entry_of(&mut self, field: &Field) -> Option<&'a TableEntry> {
        self.ask(field.name, |written| field.has_key(written))
    }

    #[inline]
    fn ask(&mut self, name: &'static str, is_meant: impl Fn(&str) -> bool) -> Option<&'a TableEntry> {
        self.known.push(name);
        let place = self.table.iter().position(|branch| is_meant(&branch.key))?;
        self.asked[place] = true;
        Some(&self.table[place])
    }

    /// All entries, whose keys count as known from now on.
    pub fn entries(&mut self) -> &'a [TableEntry] {
        self.asked.fill(true);
        self.table
    }

    /// A copy of the table.
    pub fn clone_table(&self) -> Vec<TableEntry> {
        self.table.to_vec()
    }

    /// A section at the same place with the entries of another table.
    pub fn with_table<'b>(&'b self, table: &'b [TableEntry]) -> Section<'b> {
        Section::of(self.mistakes, self.path.clone(), self.location, table).at_line(self.line)
    }

    /// The table under `key`.
    pub fn table(&mut self, key: &'static str) -> Option<Section<'a>> {
        let branch = self.entry(key)?;
        let section = Section::new(self.mistakes, self.join(key), branch.location, &branch.tree)?;
        Some(section.at_line(self.line))
    }

    /// This section as a part of the link with this line rate.
    fn at_line(self, line: Option<LineRate>) -> Section<'a> {
        Section { line, ..self }
    }

    /// The tables of the list under `key`, with their positions.
    pub fn tables(&mut self, key: &'static str) -> Vec<Section<'a>> {
        let Some(branch) = self.entry(key) else { return Vec::new() };
        let path = self.join(key);
        match &branch.tree.item {
            Item::List(items) => items
                .iter()
                .enumerate()
                .filter_map(|(i, item)| Section::new(self.mistakes, format!("{path}[{i}]"), item.location, item))
                .map(|section| section.at_line(self.line))
                .collect(),
            _ => {
                let how = if self.path.is_empty() { format!("[[{key}]]") } else { format!("{key} = [{{ ... }}, ...]") };
                self.mistakes.add(branch.location, &path, format!("is a list of tables; write {how}"));
                Vec::new()
            }
        }
    }

    /// Reads the component at `key`: a table with one entry, named after the component, and optionally the keys in `beside`.
    pub fn one_of<P: Plan>(&mut self, key: &'static str, what: &str, beside: &[&str]) -> Reading<P> {
        let names = &self.mistakes.components.registry().names(P::OF, P::NAMES)[..];
        let Some(branch) = self.entry(key) else { return Reading::Absent };
        let path = self.join(key);
        match &branch.tree.item {
            Item::Table(entries) => {
                let chosen: Vec<&TableEntry> = entries.iter().filter(|entry| !beside.contains(&entry.key.as_str())).collect();
                match self.single_component(branch.location, &path, what, names, &chosen) {
                    Some(only) => {
                        self.mistakes.components.note(P::OF, &only.key);
                        read_component((self.mistakes, self.line), &path, only, P::read)
                    }
                    None => Reading::Broken,
                }
            }
            Item::Text(word) if !names.contains(&word.as_str()) && self.kind_of(word).is_some() => {
                self.mistakes.add(branch.location, &path, self.unknown_component(what, word, names));
                Reading::Broken
            }
            other => {
                let meant = match other {
                    Item::Text(word) => nearest(word, names.iter().copied()),
                    _ => None,
                };
                let written = branch.tree.value().quoted();
                let message = format!("{written} is not a table; write {key}.{} = {{ ... }}", meant.unwrap_or(names[0]));
                self.mistakes.add(branch.location, &path, message);
                Reading::Broken
            }
        }
    }

    /// The message that `name` is none of the components `names` of a kind, but perhaps one of another kind.
    fn unknown_component(&self, what: &str, name: &str, names: &[&str]) -> String {
        match self.kind_of(name) {
            Some(kind) => {
                let (of, key) = (kind.replace('-', " "), key_of_kind(kind));
                let article = if of.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                format!(
                    "{} is {article} {of}, written {key}.{name} = {{ ... }}, and this is for a {what}, one of {}",
                    quoted(name),
                    join_words(names)
                )
            }
            None => unknown(what, name, names),
        }
    }

    /// The first kind that has a component of this name.
    fn kind_of(&self, name: &str) -> Option<&'static str> {
        let registry = self.mistakes.components.registry();
        KINDS.iter().find(|kind| kind.all(registry).any(|entry| entry.name == name)).map(|kind| kind.kind)
    }

    /// The only one of the `chosen` components of the table at `path`, if it is known.
    fn single_component(
        &self,
        location: SourceLocation,
        path: &str,
        what: &str,
        names: &[&str],
        chosen: &[&'a TableEntry],
    ) -> Option<&'a TableEntry> {
        let mut known = true;
        for entry in chosen.iter().filter(|entry| !names.contains(&entry.key.as_str())) {
            known = false;
            self.mistakes.add(entry.location, path, self.unknown_component(what, &entry.key, names));
        }
        match chosen {
            _ if !known => {}
            [only] => return Some(only),
            [] => self.mistakes.add(location, path, format!("names no {what}; one of {}", join_words(names))),
            [first, second, ..] => {
                let plural = what.strip_suffix('y').map_or_else(|| format!("{what}s"), |stem| format!("{stem}ies"));
                self.mistakes.add(
                    second.location,
                    path,
                    format!("names two {plural}, {} and {}; keep one", quoted(&first.key), quoted(&second.key)),
                );
            }
        }
        None
    }

    /// A table of components, in the order written; `None` after a mistake.
    pub fn components_of<P: Plan>(&mut self, key: &'static str, what: &str) -> Option<Vec<P>> {
        let names = &self.mistakes.components.registry().names(P::OF, P::NAMES)[..];
        let Some(mut table) = self.table(key) else {
            return self.table.iter().all(|branch| branch.key != key).then(Vec::new);
        };
        let (mut parts, mut sound) = (Vec::new(), true);
        for entry in table.entries() {
            let part = if names.contains(&entry.key.as_str()) {
                self.mistakes.components.note(P::OF, &entry.key);
                read_component((self.mistakes, self.line), &table.path, entry, P::read)
            } else {
                self.mistakes.add(entry.location, &table.path, self.unknown_component(what, &entry.key, names));
                Reading::Broken
            };
            match part {
                Reading::Given(part) => parts.push(part),
                _ => sound = false,
            }
        }
        sound.then_some(parts)
    }

    /// Ends the reading: all other keys are unknown.
    pub fn finish(self) {
        self.report_unknown();
    }

    /// Reports all keys that have not been asked for.
    pub fn report_unknown(&self) {
        if self.asked.iter().all(|asked| *asked) {
            return;
        }
        let mut known: Vec<String> = Vec::new();
        for name in &self.known {
            let key = key_of(name);
            if !known.contains(&key) {
                known.push(key);
            }
        }
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        for (branch, _) in self.table.iter().zip(&self.asked).filter(|(_, asked)| !**asked) {
            let message = self.why_no_ecn(&branch.key).unwrap_or_else(|| unknown("key", &branch.key, &known));
            self.mistakes.add(branch.location, &self.join(&branch.key), message);
        }
    }

    /// Why `ecn` is unknown at a discipline: one that cannot mark packets, or does so in any case.
    fn why_no_ecn(&self, key: &str) -> Option<String> {
        let name = self.path.rsplit_once("queue.")?.1;
        if key != "ecn" || !DisciplinePlan::NAMES.contains(&name) {
            return None;
        }
        if DisciplinePlan::always_marking().contains(&name) {
            return Some(format!("{name} always marks ECN-capable packets; leave it out"));
        }
        let with_ecn = DisciplinePlan::with_ecn(self.mistakes.components.registry());
        Some(format!("{name} cannot mark packets ({} can)", join_words(&with_ecn)))
    }

    /// The path of `key` in this table.
    pub fn join(&self, key: &str) -> String {
        match (self.path.is_empty(), key.is_empty()) {
            (true, _) => key.to_owned(),
            (_, true) => self.path.clone(),
            _ => format!("{}.{key}", self.path),
        }
    }

    /// Reports a mistake at `key`, or at the table as a whole if nothing is written there.
    pub fn report(&self, key: &str, message: impl Into<String>) {
        self.mistakes.add(self.location_of(key), &self.join(key), message);
    }

    /// The location of `key`, or of the table if the key is not written.
    pub fn location_of(&self, key: &str) -> SourceLocation {
        self.table.iter().find(|branch| branch.key == key).map_or(self.location, |branch| branch.location)
    }

    /// The location of the last of `keys`, each a key in the table of the previous one; stops at the last one that is written.
    pub fn location_below(&self, keys: &[&str]) -> SourceLocation {
        let (mut table, mut location) = (self.table, self.location);
        for key in keys {
            let Some(branch) = table.iter().find(|branch| branch.key == *key) else { break };
            location = branch.location;
            let Item::Table(inner) = &branch.tree.item else { break };
            table = inner;
        }
        location
    }

    /// The path of this table for `--set`, if it is there only because a setting names a key of it.
    fn path_created_by_setting(&self) -> Option<String> {
        let set = self.mistakes.setting_path(self.location)?;
        let name = self.path.rsplit('.').next()?;
        let segments: Vec<&str> = set.split('.').collect();
        let at = segments[..segments.len() - 1].iter().rposition(|segment| *segment == name)?;
        Some(segments[..=at].join("."))
    }

    /// The text under `key`.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        match self.table.iter().find(|branch| branch.key == key).map(|branch| &branch.tree.item) {
            Some(Item::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether `key` is written.
    pub fn has(&self, key: &str) -> bool {
        self.table.iter().any(|branch| branch.key == key)
    }
}

impl Reader for Section<'_> {
    fn take(&mut self, field: &Field) -> Option<Value> {
        if let Kind::Choice(words) | Kind::OpenChoice { words, .. } = field.kind {
            self.choices.push((field.name, words));
        }
        self.entry_of(field).map(|branch| branch.tree.value())
    }

    fn line(&self) -> Option<LineRate> {
        self.line
    }

    fn registry(&self) -> &Registry {
        self.mistakes.components.registry()
    }

    fn mistake(&mut self, key: &str, message: String) {
        let written = self.table.iter().find(|branch| branch.key == key).map(|branch| &branch.tree.item);
        let words = self.choices.iter().find(|(choice, _)| key_of(choice) == key).map(|(_, words)| *words);
        let meant = match (written, words) {
            (Some(Item::Text(word)), Some(words)) if words.iter().all(|(known, _)| known != word) => {
                nearest(word, words.iter().map(|(word, _)| *word))
            }
            _ => None,
        };
        let mut hint = meant.map(|word| format!("; did you mean '{word}'?")).unwrap_or_default();
        if message.starts_with("is missing") && !self.hinted {
            if let Some(component) = self.path_created_by_setting() {
                self.hinted = true;
                hint = format!(
                    "; '{}' is not in the file, so write the whole table, as in --set '{component}={{ ... }}'",
                    component.rsplit('.').next().unwrap_or_default()
                );
            }
        }
        let location = self.location_below(&key.split('.').collect::<Vec<_>>());
        self.mistakes.add(location, &self.join(key), format!("{message}{hint}"));
    }

    fn table(&mut self, field: &Field, read: &mut dyn FnMut(&mut dyn Reader)) -> bool {
        let Some(branch) = self.entry_of(field) else { return false };
        let table = Section::new(self.mistakes, self.join(&field.key()), branch.location, &branch.tree);
        if let Some(mut table) = table.map(|table| table.at_line(self.line)) {
            read(&mut table);
            table.finish();
        }
        true
    }

    fn component(&mut self, field: &Field, read: &mut dyn FnMut(&str, &mut dyn Reader)) -> bool {
        let Kind::Component { of, names } = field.kind else { unreachable!("only components are read as components") };
        let (key, what) = (field.key(), of.replace('-', " "));
        let components = &self.mistakes.components;
        let names = &components.registry().names(of, names)[..];
        let Some(branch) = self.entry_of(field) else { return false };
        let path = self.join(&key);
        let wrong = |message: String| self.mistakes.add(branch.location, &path, message);
        match &branch.tree.item {
            Item::Text(name) if names.contains(&name.as_str()) => {
                components.note(of, name);
                read(name, &mut Section::empty(self.mistakes, format!("{path}.{name}"), branch.location));
            }
            Item::Text(name) => wrong(self.unknown_component(&what, name, names)),
            Item::Table(entries) => {
                let chosen: Vec<&TableEntry> = entries.iter().collect();
                if let Some(only) = self.single_component(branch.location, &path, &what, names, &chosen) {
                    components.note(of, &only.key);
                    read_component((self.mistakes, self.line), &path, only, |name, parameters| {
                        read(name, parameters);
                        Some(())
                    });
                }
            }
            _ => wrong(format!("{} is not a component; write {key} = \"{}\"", branch.tree.value().quoted(), names[0])),
        }
        true
    }
}

/// Reads the parameters of the component that `entry` names.
fn read_component<T>(
    (mistakes, line): (&Mistakes, Option<LineRate>),
    path: &str,
    entry: &TableEntry,
    read: impl FnOnce(&str, &mut dyn Reader) -> Option<T>,
) -> Reading<T> {
    let Some(section) = Section::new(mistakes, format!("{path}.{}", entry.key), entry.location, &entry.tree) else {
        return Reading::Broken;
    };
    let mut section = section.at_line(line);
    let plan = read(&entry.key, &mut section);
    section.finish();
    plan.map_or(Reading::Broken, Reading::Given)
}

/// A reader without parameters, for a component written as its name only.
pub(crate) struct NoParameters;

impl Reader for NoParameters {
    fn take(&mut self, _: &Field) -> Option<Value> {
        None
    }
    fn mistake(&mut self, _: &str, _: String) {}
}
