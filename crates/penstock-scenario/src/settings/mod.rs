//! Settings of the command line, applied to the scenario before it is validated.

pub(crate) mod path_schema;

use crate::catalogue::sections::SECTIONS;
use crate::read::deep_keys::MOST_PARTS;
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::suggest::unknown;
use crate::read::tree::{parse_setting_value, toml_error, Item, TableEntry, Tree};
use crate::settings::path_schema::PathSchema;
use penstock_model::parameters::Field;
use penstock_model::printable::{quoted, shortened};

/// Lists whose entries have names.
const LISTS: [&str; 4] = ["links", "flows", "transfers", "calls"];

/// Applies `path = value`, the setting number `set`.
///
/// The path begins with a key of the top level, with `links.NAME`, `flows.NAME`, `transfers.NAME` or `calls.NAME`, or with the name itself;
/// a group called `calls` hides the key of that name where the scenario does not have it. Names with commas between, as in
/// `r1-r2,r2-r3.rate`, are set one after the other.
pub(crate) fn apply(top: &mut Tree, path: &str, value: &str, set: usize, mistakes: &Mistakes) {
    if let Some(paths) = paths_of_several(path) {
        return paths.iter().for_each(|path| apply(top, path, value, set, mistakes));
    }
    let location = SourceLocation::Set(set);
    let segments: Vec<&str> = path.split('.').collect();
    if segments.iter().any(|segment| segment.is_empty()) {
        mistakes.add(location, "", "is not a path; write names with dots between, such as r1-r2.queue.red.limit");
        return;
    }
    if segments.len() > MOST_PARTS {
        mistakes.add(location, "", format!("has {} parts with dots between; at most {MOST_PARTS}", segments.len()));
        return;
    }
    if let Err(message) = check_value(path, value) {
        mistakes.add(location, "", message);
        return;
    }
    let value = parse_setting_value(value, location, mistakes);
    let mut replaced = Replaced::default();
    let outcome = match &segments[..] {
        ["links", name, rest @ ..] | [name, rest @ ..]
            if !rest.is_empty() && named(top, "links", name).is_none() && reverse_of(top, name).is_some() =>
        {
            let item = reverse_of(top, name).expect("looked at just now");
            assign(item, PathSchema::entry("links"), &[&["back"], rest].concat(), value, location, &mut replaced)
        }
        [name, rest @ ..]
            if !rest.is_empty() && (!is_top_key(without_index(name)) || top.get(name).is_none()) && entry(top, name).is_some() =>
        {
            let (list, item) = entry(top, name).expect("looked at just now");
            assign(item, PathSchema::entry(list), rest, value, location, &mut replaced)
        }
        [list @ ("links" | "flows" | "transfers" | "calls"), name, rest @ ..] if !rest.is_empty() => match named(top, list, name) {
            Some(item) => assign(item, PathSchema::entry(list), rest, value, location, &mut replaced),
            None => Err(unknown_name(entry_kind(list), name, &known(top, list))),
        },
        ["nodes", name, ..] if top.get("nodes").is_some_and(|nodes| nodes.get(name).is_none()) => {
            let names: Vec<&str> = match top.get("nodes").map(|nodes| &nodes.item) {
                Some(Item::Table(table)) => table.iter().map(|branch| branch.key.as_str()).collect(),
                _ => Vec::new(),
            };
            Err(unknown("node", name, &names))
        }
        [first, ..] if is_top_key(without_index(first)) => assign(top, PathSchema::top(), &segments, value, location, &mut replaced),
        [name, ..] if entry(top, name).is_some() => {
            let key = if named(top, "links", name).is_some() { "rate" } else { "count" };
            Err(format!("'{name}' has many keys; say which of them, as in {name}.{key}"))
        }
        [name, ..] if top.get("nodes").is_some_and(|nodes| nodes.get(without_index(name)).is_some()) => {
            Err(format!("'{name}' is a node; write nodes.{}", if segments.len() > 1 { path.to_owned() } else { format!("{name}.count") }))
        }
        [name, ..] => {
            // Names first: the list in the message is cut after a dozen.
            let mut names: Vec<String> = LISTS.iter().flat_map(|list| known(top, list)).collect();
            names.extend(top_keys());
            Err(unknown_name("key, link or group of flows or calls", name, &names))
        }
        [] => unreachable!("splitting yields at least one segment"),
    };
    if let Err(message) = outcome {
        mistakes.add(location, "", message);
    }
    // Repeating a path replaces its earlier value on purpose. Replacing a value under another path is a mistake.
    let own = mistakes.setting_path(location);
    let earlier = replaced.0.iter().filter_map(|place| mistakes.setting_path(*place)).find(|earlier| own != Some(*earlier));
    if let Some(earlier) = earlier {
        let advice = "set one of them, or each at points of its own, as [[when]] of a study file does";
        mistakes.add(location, "", format!("replaces what {} sets; {advice}", quoted(earlier)));
    }
}

/// Locations of earlier settings whose values a setting replaces.
#[derive(Default)]
struct Replaced(Vec<SourceLocation>);

impl Replaced {
    /// Notes the settings that wrote `tree` or a part of it.
    fn note(&mut self, tree: &Tree) {
        if let SourceLocation::Set(_) = tree.location {
            self.0.push(tree.location);
        }
        match &tree.item {
            Item::Table(entries) => entries.iter().for_each(|entry| self.note(&entry.tree)),
            Item::List(items) => items.iter().for_each(|item| self.note(item)),
            _ => {}
        }
    }
}

/// The paths of a setting that names several entries; `None` if it names one.
fn paths_of_several(path: &str) -> Option<Vec<String>> {
    let below_list = |list: &&str| path.strip_prefix(list)?.strip_prefix('.');
    let list = LISTS.iter().copied().find(|list| below_list(list).is_some());
    let (names, rest) = list.and_then(|list| below_list(&list)).unwrap_or(path).split_once('.')?;
    let one = |name: &str| list.map_or_else(|| format!("{name}.{rest}"), |list| format!("{list}.{name}.{rest}"));
    names.contains(',').then(|| names.split(',').map(one).collect())
}

/// The keys that a setting may begin with.
fn top_keys() -> impl Iterator<Item = String> {
    let parts = SECTIONS[0].parts.iter().map(|part| part.key.to_owned());
    SECTIONS[0].fields.iter().map(Field::key).chain(parts)
}

fn is_top_key(key: &str) -> bool {
    top_keys().any(|top| top == key)
}

/// Applies `path = value` below the root of `tree`, which has this `schema`.
#[cfg(test)]
pub(crate) fn apply_below(tree: &mut Tree, schema: PathSchema, path: &str, value: &str, set: usize, mistakes: &Mistakes) {
    let location = SourceLocation::Set(set);
    let value = parse_setting_value(value, location, mistakes);
    if let Err(message) = assign(tree, schema, &path.split('.').collect::<Vec<_>>(), value, location, &mut Replaced::default()) {
        mistakes.add(location, "", message);
    }
}

/// Checks that `value` is one value. Anything but TOML counts as a text without quotes, unless it looks like several values.
fn check_value(path: &str, value: &str) -> Result<(), String> {
    let Some(error) = toml_error(value) else { return Ok(()) };
    if path == "description" {
        Ok(())
    } else if value.starts_with(['{', '[']) {
        let whole = "quote the whole for the shell, as in --set 'r1-r2.queue.tail-drop={ limit = \"60 packets\" }'";
        Err(format!("{} is not TOML: {error}; {whole}", shortened(value, 60)))
    } else if value.contains(',') {
        Err(format!("{} are several values where there is room for one; 'penstock run' makes a sweep of them", shortened(value, 60)))
    } else {
        Ok(())
    }
}

/// The name of an entry of a list in messages.
fn entry_kind(list: &str) -> &'static str {
    match list {
        "links" => "link",
        "flows" => "group of flows",
        "transfers" => "group of transfers",
        _ => "group of calls",
    }
}

/// `name[3]` without its index.
fn without_index(segment: &str) -> &str {
    segment.split('[').next().unwrap_or(segment)
}

/// The names in `[[links]]`, `[[flows]]` or `[[calls]]`.
fn known(top: &Tree, list: &str) -> Vec<String> {
    let name = |item: &Tree| match (item.text("name"), item.text("from"), item.text("to")) {
        (Some(name), ..) => Some(name.to_owned()),
        (None, Some(from), Some(to)) if list == "links" => Some(format!("{from}-{to}")),
        _ => None,
    };
    match top.get(list).map(|list| &list.item) {
        Some(Item::List(items)) => items.iter().filter_map(name).collect(),
        _ => Vec::new(),
    }
}

/// The link whose reverse link, added by `both-ways`, is called `name`.
fn reverse_of<'a>(top: &'a mut Tree, name: &str) -> Option<&'a mut Tree> {
    let is_reverse = |item: &Tree| {
        let has_way_back = matches!(item.get("both-ways").map(|switch| &switch.item), Some(Item::Switch(true)));
        let own = item.get("back").and_then(|back| back.text("name"));
        let ends = || Some(format!("{}-{}", item.text("to")?, item.text("from")?));
        let of_list = || item.text("name").map(|name| format!("{name}-back"));
        has_way_back && own.map(str::to_owned).or_else(ends).or_else(of_list).is_some_and(|way_back| way_back == name)
    };
    let Item::Table(table) = &mut top.item else { return None };
    let links = table.iter_mut().find(|branch| branch.key == "links")?;
    match &mut links.tree.item {
        Item::List(items) => items.iter_mut().find(|item| is_reverse(item)),
        _ => None,
    }
}

/// The entry called `name` of any list, and whether `name` is that of its reverse link.
pub(crate) fn written_entry(top: &Tree, name: &str) -> Option<(Tree, bool)> {
    let mut top = top.clone();
    if let Some((_, item)) = entry(&mut top, name) {
        return Some((item.clone(), false));
    }
    reverse_of(&mut top, name).map(|item| (item.clone(), true))
}

fn unknown_name(what: &str, name: &str, known: &[String]) -> String {
    unknown(what, name, &known.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The entry called `name` of any list, and that list.
fn entry<'a>(top: &'a mut Tree, name: &str) -> Option<(&'static str, &'a mut Tree)> {
    let list = LISTS.into_iter().find(|list| named(top, list, name).is_some())?;
    named(top, list, name).map(|item| (list, item))
}

/// The entry of `[[links]]`, `[[flows]]` or `[[calls]]` called `name`.
fn named<'a>(top: &'a mut Tree, list: &str, name: &str) -> Option<&'a mut Tree> {
    let is_named = |item: &Tree| match (item.text("name"), item.text("from"), item.text("to")) {
        (Some(own), ..) => own == name,
        (None, Some(from), Some(to)) => list == "links" && format!("{from}-{to}") == name,
        _ => false,
    };
    let Item::Table(table) = &mut top.item else { return None };
    let branch = table.iter_mut().find(|branch| branch.key == list)?;
    match &mut branch.tree.item {
        Item::List(items) => items.iter_mut().find(|item| is_named(item)),
        _ => None,
    }
}

/// Writes `value` at `path` below `tree`, which has this `schema`, and notes the settings that it replaces in `replaced`.
fn assign(
    tree: &mut Tree,
    schema: PathSchema,
    path: &[&str],
    value: Tree,
    location: SourceLocation,
    replaced: &mut Replaced,
) -> Result<(), String> {
    let [segment, rest @ ..] = path else {
        replaced.note(tree);
        *tree = value;
        return Ok(());
    };
    let (key, index) = match segment.strip_suffix(']').and_then(|segment| segment.split_once('[')) {
        Some((key, index)) => {
            (key, Some(index.parse::<usize>().map_err(|_| format!("{} is not a position in {}", quoted(index), quoted(key)))?))
        }
        None => (*segment, None),
    };
    let Item::Table(table) = &mut tree.item else {
        return Err(format!("leads nowhere: there is no table that could hold {}", quoted(key)));
    };
    let known = table.iter().position(|branch| branch.key == key);
    let is_new = known.is_none();
    let found = match known {
        Some(found) => found,
        None => {
            let empty = Tree { location, item: Item::Table(Vec::new()) };
            table.push(TableEntry { key: key.to_owned(), location, tree: empty });
            table.len() - 1
        }
    };
    let branch = &mut table[found];
    let target = match (index, &mut branch.tree.item) {
        (None, _) => &mut branch.tree,
        (Some(index), Item::List(items)) => {
            let count = items.len();
            items.get_mut(index).ok_or_else(|| {
                format!("{} has {count} entries, counted from 0; there is no {}[{index}]", quoted(key), shortened(key, 60))
            })?
        }
        (Some(_), _) => return Err(format!("{} is not a list", quoted(key))),
    };
    // A mistake in the new value is attributed to the setting, not to the line that it replaces.
    if rest.is_empty() {
        branch.location = if index.is_none() { location } else { branch.location };
        if !is_new {
            replaced.note(target);
        }
        *target = value;
        return Ok(());
    }
    let schema = if index.is_some() { schema.below(key).one() } else { schema.below(key) };
    if let PathSchema::Component(component) = schema {
        if let (true, Item::Text(name)) = (component.by_name, &target.item) {
            *target = table_of(name.clone(), target.location);
        }
        // Naming another component replaces the present one.
        if let Item::Table(inner) = &mut target.item {
            let (kept, others) = std::mem::take(inner).into_iter().partition(|branch| component.may_stand_together(&branch.key, rest[0]));
            *inner = kept;
            let others: Vec<TableEntry> = others;
            others.iter().for_each(|branch| replaced.note(&branch.tree));
        }
    }
    assign(target, schema, rest, value, location, replaced)
}

/// A table with the component of this name and all its defaults.
fn table_of(name: String, location: SourceLocation) -> Tree {
    let tree = Tree { location, item: Item::Table(Vec::new()) };
    Tree { location, item: Item::Table(vec![TableEntry { key: name, location, tree }]) }
}
