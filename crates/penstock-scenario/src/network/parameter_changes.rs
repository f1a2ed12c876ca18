//! Changes of the parameters of a port's components at known instants.

use crate::network::port::{PcnMetered, PortDraft, PortKeys};
use crate::read::section::Section;
use crate::read::tree::{Item, TableEntry, Tree};
use crate::read::values::{AnyValue, RunTime, Text};
use penstock_model::parameters::{Check, Parameters};
use penstock_model::printable::quoted;
use penstock_model::units::{Duration, Time};

penstock_model::parameters! {
    /// A change of a parameter of a queue discipline or policer at a known instant.
    ///
    /// Only parameters that are declared as changeable can change; `penstock explain` marks them. The component keeps its state and goes
    /// by the new value from then on: after packets that arrive at that instant, before samples that are taken then. Several changes at
    /// one instant are made together.
    pub struct ParameterChangeKeys {
        /// When; after the beginning, and not before the change above it. One that is not before the end has no effect.
        at: RunTime;
        /// The path of the parameter in this table, such as `queue.red.max-probability`, `class.gold.queue.codel.target` or `policer.token-bucket.rate`.
        parameter: Text;
        /// The value from then on, written as that of the parameter.
        value: AnyValue;
    }
}
impl Check for ParameterChangeKeys {}

/// The parts of a port whose components can change.
const PARTS: [&str; 3] = ["queue", "class", "policer"];

/// Ports from these times on.
pub(crate) type PortChanges = Vec<(Time, PortDraft)>;

/// Reads `parameter-changes` of a link, whose port is `port`; `None` after a mistake.
pub(crate) fn read(
    section: &mut Section<'_>,
    port: Option<&PortDraft>,
    pcn_at: Option<PcnMetered>,
    duration: Option<Duration>,
) -> Option<PortChanges> {
    let mut last = Time::ZERO;
    let tables = section.tables("parameter-changes");
    let count = tables.len();
    let all: Vec<Change<'_>> = tables.into_iter().filter_map(|table| Change::read(table, &mut last, duration)).collect();
    let (mut tree, mut changes) = (section.clone_table(), PortChanges::new());
    let mut sound = all.len() == count;
    for (i, change) in all.iter().enumerate() {
        if let Err(message) = set(&mut tree, &change.parameter, change.value) {
            change.table.report("parameter", message);
            return None;
        }
        let goes_on = all.get(i + 1).is_some_and(|next| next.at == change.at);
        if let (Some(port), false) = (port, goes_on) {
            let changed = changed(&change.table, &tree, port, pcn_at, section);
            sound &= changed.is_some();
            changes.extend(changed.map(|port| (change.at, port)));
        }
    }
    sound.then_some(changes)
}

/// A change as it is written.
struct Change<'a> {
    table: Section<'a>,
    at: Time,
    parameter: String,
    value: &'a Tree,
}

impl<'a> Change<'a> {
    /// Reads one that is not before `last`, the one above it; `None` after a mistake.
    fn read(mut table: Section<'a>, last: &mut Time, duration: Option<Duration>) -> Option<Change<'a>> {
        let keys = ParameterChangeKeys::read(&mut table);
        let value = table.entry("value").map(|entry| &entry.tree);
        let (Some(ParameterChangeKeys { at, parameter, .. }), Some(value)) = (keys, value) else {
            table.finish();
            return None;
        };
        let at = Time::ZERO + at.0;
        if at < *last || at == Time::ZERO {
            table.report("at", format!("{at} is too early; write changes in the order of time, from after 0 s"));
            return None;
        }
        *last = at;
        if let Some(end) = duration.map(|duration| Time::ZERO + duration).filter(|end| *end <= at) {
            let message = format!("{at} is not before the end at {end}, so it has no effect");
            table.mistakes.warn(table.location_of("at"), &table.join("at"), message);
        }
        table.report_unknown();
        Some(Change { table, at, parameter: parameter.0, value })
    }
}

/// The port with the parameters in `tree`, if `port` can become that; otherwise a mistake of the change in `table`.
fn changed(
    table: &Section<'_>,
    tree: &[TableEntry],
    port: &PortDraft,
    pcn_at: Option<PcnMetered>,
    link: &Section<'_>,
) -> Option<PortDraft> {
    let mut whole = link.with_table(tree);
    let changed = PortKeys::read(&mut whole, pcn_at)?;
    let classes: Vec<String> = port.level.leaves().iter().map(|(_, leaf)| leaf.name.clone()).collect();
    match port.clone().finish(&classes).check_change(&changed.clone().finish(&classes)) {
        Ok(()) => Some(changed),
        Err(error) => {
            table.report("parameter", error.to_string());
            None
        }
    }
}

/// Writes `value` at `path`; only its last key may be missing.
fn set(tree: &mut Vec<TableEntry>, path: &str, value: &Tree) -> Result<(), String> {
    let (parents, key) = path.rsplit_once('.').unwrap_or(("", path));
    if !PARTS.contains(&path.split('.').next().unwrap_or_default()) {
        let form = "write queue.NAME.KEY, class.CLASS.queue.NAME.KEY or policer.NAME.KEY";
        return Err(format!("{} is not the path of a parameter of a queue discipline or policer; {form}", quoted(path)));
    }
    let mut table = tree;
    for (i, segment) in parents.split('.').enumerate() {
        let known: Vec<&str> = table.iter().map(|entry| entry.key.as_str()).collect();
        let Some(place) = known.iter().position(|key| *key == segment) else {
            let above = parents.split('.').take(i).collect::<Vec<_>>().join(".");
            let here = if above.is_empty() { "this link".to_owned() } else { quoted(&above).to_string() };
            return Err(format!("{} is not written, since {here} has no {}", quoted(path), quoted(segment)));
        };
        let Item::Table(inner) = &mut table[place].tree.item else {
            return Err(format!("{} is not written, since {} is not a table", quoted(path), quoted(segment)));
        };
        table = inner;
    }
    match table.iter_mut().find(|entry| entry.key == key) {
        Some(entry) => *entry = TableEntry { key: key.to_owned(), location: value.location, tree: value.clone() },
        None => table.push(TableEntry { key: key.to_owned(), location: value.location, tree: value.clone() }),
    }
    Ok(())
}
