//! Changes of the parameters of components of a port or a sender at known instants.

use crate::network::port::{PcnMetered, PortDraft, PortKeys};
use crate::read::section::Section;
use crate::read::suggest::nearest;
use crate::read::tree::{Item, TableEntry, Tree};
use crate::read::values::{AnyValue, RunTime, Text};
use penstock_model::parameters::{Check, Parameters, Reading};
use penstock_model::printable::quoted;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Duration, Time};
use std::sync::Arc;

penstock_model::parameters! {
    /// A change of a parameter of a component of a link or a flow at a known instant.
    ///
    /// Only parameters that are declared as changeable can change; `penstock explain` marks them. Links have them in queue disciplines,
    /// schedulers and their classes, policers, markers and shapers, flows in congestion and rate controls. The component keeps its state
    /// and uses the new value from then on. A change takes effect after packets that arrive at its instant, and before samples of that
    /// instant; changes of one instant are made together.
    pub struct ParameterChangeKeys {
        /// Time of the change; after 0 s, and not before the previous change. A change at or after the end of the run has no effect.
        at: RunTime;
        /// The path of the parameter in the table of the link or the flow, such as `queue.red.max-probability`, `class.gold.weight`,
        /// `shaper.token-bucket.rate` or `transport.tcp.congestion-control.cubic.beta`.
        parameter: Text;
        /// The new value, written like that of the parameter.
        value: AnyValue;
    }
}
impl Check for ParameterChangeKeys {}

/// An entry whose parameters can change: a link or a group of flows.
pub(crate) struct Changeable {
    /// Its name in messages.
    pub what: &'static str,
    /// The keys of its components.
    pub parts: &'static [&'static str],
    /// The paths of their parameters.
    pub form: &'static str,
}

/// A link.
pub(crate) const LINK: Changeable = Changeable {
    what: "link",
    parts: &["queue", "scheduler", "class", "policer", "marker", "shaper"],
    form: "queue.NAME.KEY, scheduler.NAME.KEY, policer.NAME.KEY, marker.NAME.KEY, shaper.NAME.KEY, class.CLASS.KEY \
           or class.CLASS.queue.NAME.KEY",
};

/// A group of flows.
pub(crate) const FLOWS: Changeable =
    Changeable { what: "flow", parts: &["transport"], form: "transport.NAME.KEY, such as transport.NAME.congestion-control.NAME.KEY" };

/// Ports from these times on.
pub(crate) type PortChanges = Vec<(Time, PortDraft)>;

/// Reads `parameter-changes` of `section`, an entry of this kind; `None` after a mistake. `changed` reads the section with the changes
/// up to some instant applied. Its error says why the section cannot change so; it returns `None` after other mistakes.
pub(crate) fn read<T>(
    section: &mut Section<'_>,
    of: &Changeable,
    duration: Option<Duration>,
    mut changed: impl FnMut(Section<'_>) -> Option<Result<T, String>>,
) -> Option<Vec<(Time, T)>> {
    let mut last = Time::ZERO;
    let tables = section.tables("parameter-changes");
    let count = tables.len();
    let all: Vec<Change<'_>> = tables.into_iter().filter_map(|table| Change::read(table, &mut last, duration)).collect();
    let (mut tree, mut changes) = (section.clone_table(), Vec::new());
    let mut sound = all.len() == count;
    let (mut first, mut seen) = (0, Vec::new());
    for (i, change) in all.iter().enumerate() {
        if let Err(message) = set(&mut tree, of, &change.parameter, change.value) {
            change.table.report("parameter", message);
            return None;
        }
        let goes_on = all.get(i + 1).is_some_and(|next| next.at == change.at);
        if goes_on {
            continue;
        }
        let note = format!(" (from {} on, by {})", change.at, entries(&all[first..=i]));
        first = i + 1;
        match section.mistakes.noted(&note, &mut seen, || changed(section.with_table(&tree))) {
            Some(Ok(value)) => changes.push((change.at, value)),
            Some(Err(message)) => {
                change.table.report("parameter", message);
                sound = false;
            }
            None => sound = false,
        }
    }
    sound.then_some(changes)
}

/// Reads the changes of a link, whose port is `port`; `None` after a mistake.
pub(crate) fn of_port(
    section: &mut Section<'_>,
    port: Option<&PortDraft>,
    pcn_at: Option<PcnMetered>,
    duration: Option<Duration>,
) -> Option<PortChanges> {
    read(section, &LINK, duration, |mut whole| {
        let (port, changed) = (port?, PortKeys::read(&mut whole, pcn_at)?);
        let classes: Vec<String> = port.level.leaves().iter().map(|(_, leaf)| leaf.name.clone()).collect();
        let check = port.clone().finish(&classes).check_change(&changed.clone().finish(&classes));
        Some(check.map(|()| changed).map_err(|error| error.to_string()))
    })
}

/// Reads the changes of a group of flows with this transport; `None` after a mistake.
pub(crate) fn of_flows(
    section: &mut Section<'_>,
    transport: Option<&TransportPlan>,
    duration: Option<Duration>,
) -> Option<Vec<(Time, Arc<TransportPlan>)>> {
    read(section, &FLOWS, duration, |mut whole| {
        let Reading::Given(changed) = whole.one_of::<TransportPlan>("transport", "transport", &[]) else { return None };
        let check = transport?.check_change(&changed);
        Some(check.map(|()| Arc::new(changed)).map_err(|error| format!("transport: {error}")))
    })
}

/// The entries of changes, such as `parameter-changes[2]`.
fn entries(changes: &[Change<'_>]) -> String {
    let names = changes.iter().filter_map(|change| change.table.path.rsplit('.').next());
    names.collect::<Vec<_>>().join(" and ")
}

/// A change as it is written.
struct Change<'a> {
    table: Section<'a>,
    at: Time,
    parameter: String,
    value: &'a Tree,
}

impl<'a> Change<'a> {
    /// Reads a change, which must not be before `last`, the time of the change above it; `None` after a mistake.
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

/// Writes `value` at `path`; only its last key may be missing.
pub(crate) fn set(tree: &mut Vec<TableEntry>, of: &Changeable, path: &str, value: &Tree) -> Result<(), String> {
    let (parents, key) = path.rsplit_once('.').unwrap_or(("", path));
    let first = path.split('.').next().unwrap_or_default();
    if !of.parts.contains(&first) || parents.is_empty() {
        let meant = nearest(first, of.parts.iter().copied()).filter(|near| *near != first);
        let meant = meant.map(|near| format!("did you mean {}? ", quoted(near))).unwrap_or_default();
        return Err(format!("{} is not the path of a parameter that can change; {meant}write {}", quoted(path), of.form));
    }
    let mut table = tree;
    for (i, segment) in parents.split('.').enumerate() {
        let known: Vec<&str> = table.iter().map(|entry| entry.key.as_str()).collect();
        let Some(place) = known.iter().position(|key| *key == segment) else {
            let above = parents.split('.').take(i).collect::<Vec<_>>().join(".");
            let here = if above.is_empty() { format!("this {}", of.what) } else { quoted(&above).to_string() };
            let meant = nearest(segment, known.into_iter()).map(|near| format!("; did you mean {}?", quoted(near))).unwrap_or_default();
            return Err(format!("{} is not written, since {here} has no {}{meant}", quoted(path), quoted(segment)));
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
