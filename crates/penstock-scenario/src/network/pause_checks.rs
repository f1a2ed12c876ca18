//! The classes of pauses, and what headroom they need, once flows and routes are known.

use super::headroom::needed_headrooms;
use super::nodes::Nodes;
use super::switch_keys::SwitchDraft;
use crate::read::mistake::Mistakes;
use penstock_engine::blueprint::{Blueprint, SwitchPlan};
use penstock_model::id::NodeId;
use penstock_model::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// Replaces the names of paused classes by the numbers that flows use.
pub(crate) fn number_pause_classes(nodes: &Nodes, classes: &[String], plans: &mut [SwitchPlan], mistakes: &Mistakes) {
    let mut numbers_of: BTreeMap<NodeId, Vec<u8>> = BTreeMap::new();
    for (members, draft) in nodes.switches() {
        let Some(names) = draft.pause.as_ref().and_then(|pause| pause.classes.as_ref()) else { continue };
        let mut numbers = Vec::new();
        for name in names {
            match classes.iter().position(|class| class == name) {
                Some(number) => numbers.push(number.min(255) as u8),
                None => {
                    let known = classes.iter().map(String::as_str);
                    let message = mistakes.suggestions.unknown("class of flows", name, known);
                    mistakes.add(draft.pause_location, &format!("{}.pause.classes", draft.path), message);
                }
            }
        }
        numbers_of.extend(members.map(|node| (NodeId(node), numbers.clone())));
    }
    for plan in plans {
        if let (Some(pause), Some(numbers)) = (&mut plan.pause, numbers_of.remove(&plan.node)) {
            pause.classes = Some(numbers);
        }
    }
}

/// Reports headroom that is too small for the links into the node, and pauses that end before they can be renewed.
pub(crate) fn check_headroom(nodes: &Nodes, blueprint: &Blueprint, mistakes: &Mistakes) {
    let mut worst: BTreeMap<NodeId, (u64, u64, usize)> = BTreeMap::new();
    for needed in needed_headrooms(blueprint) {
        let entry = worst.entry(needed.switch).or_insert((0, 0, needed.link.index()));
        if needed.bytes > entry.0 {
            (entry.0, entry.2) = (needed.bytes, needed.link.index());
        }
        entry.1 = entry.1.max(needed.quanta);
    }
    for (members, draft) in nodes.switches() {
        let Some(headroom) = draft.pause.as_ref().and_then(|pause| pause.plan.headroom) else { continue };
        let of_members = members.filter_map(|node| worst.get(&NodeId(node)));
        let Some((bytes, quanta, link)) = of_members.max_by_key(|(bytes, quanta, _)| (*bytes, *quanta)) else { continue };
        if headroom.get() < *bytes {
            let message = format!(
                "{headroom} are too little for the packets that may still arrive over the link '{}' once it is paused; write at least {bytes} bytes",
                blueprint.links[*link].path
            );
            report(draft, "headroom", message, mistakes);
        }
        let given = u64::from(draft.pause.as_ref().map_or(0, |pause| pause.plan.quanta));
        if given < *quanta && *quanta <= u64::from(u16::MAX) {
            let message = format!("{given} would let a pause end before it is prolonged; write at least {quanta}, or leave headroom out");
            report(draft, "quanta", message, mistakes);
        }
    }
}

/// The headroom that a switch needs to lose nothing, at the link that needs most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// The switch.
    pub node: String,
    /// The link into it.
    pub link: String,
    /// Bytes that it needs for each paused class.
    pub needed: u64,
    /// Bytes that it has; `None` if the shared buffer has to hold the packets.
    pub given: Option<u64>,
}

/// Needed and given headroom of the switches that pause; of several equal ones, the first.
pub(crate) fn headrooms(blueprint: &Blueprint) -> Vec<Headroom> {
    let mut worst: BTreeMap<NodeId, Headroom> = BTreeMap::new();
    for needed in needed_headrooms(blueprint) {
        let plan = blueprint.switches.iter().find(|plan| plan.node == needed.switch).and_then(|plan| plan.pause.as_ref());
        let given = plan.and_then(|pause| pause.headroom).map(Bytes::get);
        let (node, link) = (blueprint.nodes[needed.switch.index()].clone(), blueprint.links[needed.link.index()].path.clone());
        let entry = worst.entry(needed.switch).or_insert(Headroom { node, link: link.clone(), needed: 0, given });
        if needed.bytes > entry.needed {
            (entry.needed, entry.link) = (needed.bytes, link);
        }
    }
    let mut seen = BTreeSet::new();
    worst.into_values().filter(|headroom| seen.insert((headroom.needed, headroom.given))).collect()
}

fn report(draft: &SwitchDraft, key: &str, message: String, mistakes: &Mistakes) {
    mistakes.add(draft.pause_location, &format!("{}.pause.{key}", draft.path), message);
}
