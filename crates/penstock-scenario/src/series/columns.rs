//! The columns of series: plain numbers, a byte string for each column, as in traces.

use super::variables::{all, label};
use crate::metrics::common::evaluation::GroupMembers;
use crate::trace::{word_bytes, ColumnKind, TraceColumn, TraceColumns};
use penstock_engine::blueprint::Blueprint;
use penstock_engine::series::{SeriesClass, SeriesRow, SeriesSubject};
use penstock_model::registry::Registry;
use penstock_model::scheduler::class::classes_of_tree;
use std::collections::BTreeMap;

/// Marker of a missing number.
const NONE: u32 = u32::MAX;

/// The words of the columns, with lookups.
pub(super) struct Words {
    components: Vec<String>,
    variables: Vec<&'static str>,
    units: Vec<&'static str>,
    classes: Vec<String>,
    /// Nodes, links, and the names of their sums.
    places: Vec<String>,
    flows: Vec<String>,
    /// For each plan, its series, its place and its flow.
    plans: Vec<(u32, u32, u32)>,
    /// For each plan of a link, the position of each queue's class.
    queues: Vec<Vec<u32>>,
    /// For each plan of a link, the position of each class in a tree of schedulers.
    of_tree: Vec<Vec<u32>>,
    component_of: BTreeMap<(&'static str, &'static str), u32>,
    variable_of: BTreeMap<&'static str, u32>,
}

impl Words {
    /// The words of the plans of `blueprint`; `series` and `sums` have the series of each plan and the name of its sum.
    pub fn new(blueprint: &Blueprint, registry: &Registry, series: &[u32], sums: &[Option<String>], members: &GroupMembers) -> Words {
        let (mut components, mut component_of) = (Vec::new(), BTreeMap::new());
        let (mut variables, mut units, mut variable_of) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (component, variable) in all(registry) {
            component_of.entry((component.kind, component.name)).or_insert_with(|| position(&mut components, label(component)));
            position(&mut units, variable.unit);
            variable_of.entry(variable.name).or_insert_with(|| position(&mut variables, variable.name));
        }
        let mut classes = blueprint.classes.clone();
        let (mut plans, mut queues, mut of_tree) = (Vec::new(), Vec::new(), Vec::new());
        let mut places: Vec<String> = blueprint.nodes.iter().cloned().chain(blueprint.links.iter().map(|link| link.path.clone())).collect();
        let mut flows: Vec<String> =
            members.flows.iter().flat_map(|(name, members)| (0..members.len()).map(move |i| format!("{name}[{i}]"))).collect();
        for ((plan, series), sum) in blueprint.watch.series.iter().zip(series).zip(sums) {
            let mut tree = Vec::new();
            let (place, flow, of_queues) = match plan.of {
                SeriesSubject::Node(node) => (node.0, NONE, Vec::new()),
                SeriesSubject::Link(link) => {
                    let port = &blueprint.links[link.index()].port;
                    let names = port.queues.iter().map(|queue| &queue.name);
                    let of_queues = names.map(|name| if name.is_empty() { NONE } else { position(&mut classes, name.clone()) });
                    let of_queues = of_queues.collect();
                    tree.extend(classes_of_tree(&port.scheduler, &port.classes).into_iter().map(|(_, name)| position(&mut classes, name)));
                    ((blueprint.nodes.len() + link.index()) as u32, NONE, of_queues)
                }
                SeriesSubject::Sender(flow) => (blueprint.flows[flow.index()].from.0, flow.0, Vec::new()),
                SeriesSubject::Receiver(flow) => (blueprint.flows[flow.index()].to.0, flow.0, Vec::new()),
            };
            plans.push(match sum {
                None => (*series, place, flow),
                Some(name) if flow == NONE => (*series, position(&mut places, name.clone()), NONE),
                Some(name) => (*series, NONE, position(&mut flows, name.clone())),
            });
            queues.push(of_queues);
            of_tree.push(tree);
        }
        Words { components, variables, units, classes, places, flows, plans, queues, of_tree, component_of, variable_of }
    }

    /// All columns.
    pub fn columns(&self) -> Vec<TraceColumn> {
        let words = |words: &[&str]| ColumnKind::Word(words.iter().map(|word| (*word).to_owned()).collect());
        let column = |name, kind| TraceColumn { name, kind };
        vec![
            column("time_ps", ColumnKind::Integer),
            column("series", ColumnKind::Natural),
            column("place", ColumnKind::Word(self.places.clone())),
            column("flow", ColumnKind::Word(self.flows.clone())),
            column("component", ColumnKind::Word(self.components.clone())),
            column("class", ColumnKind::Word(self.classes.clone())),
            column("number", ColumnKind::Natural),
            column("variable", words(&self.variables)),
            column("unit", words(&self.units)),
            column("value", ColumnKind::Float),
        ]
    }

    /// The class that a row is about.
    pub fn class(&self, row: &SeriesRow) -> u32 {
        match row.part.class {
            Some(SeriesClass::Traffic(class)) => class,
            Some(SeriesClass::Queue(queue)) => *self.queues[row.plan as usize].get(queue as usize).unwrap_or(&NONE),
            Some(SeriesClass::OfTree(class)) => *self.of_tree[row.plan as usize].get(class as usize).unwrap_or(&NONE),
            None => NONE,
        }
    }

    /// The number of the part that a row is about, if there are several.
    pub fn number(&self, row: &SeriesRow) -> u32 {
        match (row.part.number, row.part.class) {
            (Some(number), _) => number,
            // A queue without a class of its own belongs to a flow, and the number tells it from others.
            (None, Some(SeriesClass::Queue(queue))) if self.class(row) == NONE => queue,
            _ => NONE,
        }
    }

    /// The values of the columns of these rows.
    pub fn values(&self, rows: &[SeriesRow]) -> TraceColumns {
        let natural = |value: &dyn Fn(&SeriesRow) -> u32| rows.iter().flat_map(|row| value(row).to_le_bytes()).collect::<Vec<u8>>();
        let word = |words: usize, value: &dyn Fn(&SeriesRow) -> u32| {
            let bytes = word_bytes(words);
            rows.iter().flat_map(|row| value(row).to_le_bytes().into_iter().take(bytes)).collect::<Vec<u8>>()
        };
        let unit = |row: &SeriesRow| self.units.iter().position(|unit| *unit == row.variable.unit).unwrap_or(0) as u32;
        let values = vec![
            rows.iter().flat_map(|row| row.time.as_ps().to_le_bytes()).collect(),
            natural(&|row| self.plans[row.plan as usize].0),
            word(self.places.len(), &|row| self.plans[row.plan as usize].1),
            word(self.flows.len(), &|row| self.plans[row.plan as usize].2),
            word(self.components.len(), &|row| self.component_of[&(row.component.kind, row.component.name)]),
            word(self.classes.len(), &|row| self.class(row)),
            natural(&|row| self.number(row)),
            word(self.variables.len(), &|row| self.variable_of[row.variable.name]),
            word(self.units.len(), &unit),
            rows.iter().flat_map(|row| row.value.to_le_bytes()).collect(),
        ];
        TraceColumns { rows: rows.len(), values }
    }
}

/// The position of a word in a list; appends the word if it is missing.
fn position<T: PartialEq>(words: &mut Vec<T>, word: T) -> u32 {
    let found = words.iter().position(|known| *known == word);
    found.unwrap_or_else(|| {
        words.push(word);
        words.len() - 1
    }) as u32
}
