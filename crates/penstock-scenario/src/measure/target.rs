//! The targets of measurements: groups of flows or calls, and links.

use penstock_engine::blueprint::CallsPlan;
use penstock_model::units::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A group of flows or calls, or a link of the scenario, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    Flows(usize),
    Links(usize),
}

/// A group of flows or calls that may be measured.
pub struct MeasurableGroup<'a> {
    /// The name in the scenario.
    pub name: &'a str,
    /// Whether lost data is retransmitted.
    pub is_reliable: bool,
    /// Whether lost data is retransmitted segment by segment.
    pub retransmits_segments: bool,
    /// Whether its source is `http`.
    pub is_http: bool,
    /// Whether its source has frames.
    pub has_frames: bool,
    /// Whether it transfers files of a given size.
    pub has_size: bool,
    /// The packet time, where the source has one.
    pub spacing: Option<Duration>,
    /// The traffic class.
    pub class: &'a str,
    /// Number of flows or aggregates of calls.
    pub count: usize,
    /// The calls, if it is a group of calls.
    pub calls: Option<&'a CallsPlan>,
}

/// A group of links that may be measured.
pub struct MeasurableLink<'a> {
    /// The name in the scenario.
    pub name: &'a str,
    /// The links.
    pub members: Range<u32>,
    /// Whether its ports have a marker or PCN meters.
    pub has_meters: bool,
    /// Whether these meters have variables that do not belong to single circuits.
    pub has_sampled_meters: bool,
    /// Whether it carries cells.
    pub carries_cells: bool,
}

/// The targets that may be measured.
pub struct Measurable<'a> {
    /// The groups of flows and calls.
    pub flows: Vec<MeasurableGroup<'a>>,
    /// The links.
    pub links: Vec<MeasurableLink<'a>>,
    /// Whether the two lists are complete.
    pub complete: bool,
    /// The target of each name; where a group of flows and a link share a name, the group of flows.
    pub by_name: BTreeMap<&'a str, Target>,
    /// The classes of the flows, sorted.
    pub classes: BTreeSet<&'a str>,
    /// Whether any group consists of calls.
    pub has_calls: bool,
}

impl<'a> Measurable<'a> {
    /// The targets in these groups and links.
    pub fn new(flows: Vec<MeasurableGroup<'a>>, links: Vec<MeasurableLink<'a>>, complete: bool) -> Measurable<'a> {
        let mut by_name = BTreeMap::new();
        let names = flows.iter().enumerate().map(|(i, group)| (group.name, Target::Flows(i)));
        for (name, target) in names.chain(links.iter().enumerate().map(|(i, link)| (link.name, Target::Links(i)))) {
            by_name.entry(name).or_insert(target);
        }
        let classes = flows.iter().map(|group| group.class).collect();
        let has_calls = flows.iter().any(|group| group.calls.is_some());
        Measurable { flows, links, complete, by_name, classes, has_calls }
    }
}
