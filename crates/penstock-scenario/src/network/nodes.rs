//! Nodes and groups of nodes.

use super::switch_keys::SwitchDraft;
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::section::Section;
use crate::read::suggest::Suggestions;
use crate::read::values::check_name;
use penstock_model::id::NodeId;
use penstock_model::parameters::{Check, Count, Parameters, Reading};
use penstock_model::printable::quoted;
use penstock_model::units::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

penstock_model::parameters! {
    /// A node, or a group of like nodes: routers where links meet, hosts where flows begin and end.
    ///
    /// `r1 = {}` is a node; `hosts = { count = 24 }` is a group, whose members are `hosts[0]` to `hosts[23]`;
    /// `hosts[4-7]` are four of them, both ends included. The order in which nodes are written has no meaning. The ports of a
    /// node with a `buffer` share it: `s1 = { buffer.pool = { size = "1 MB" } }` is a switch.
    pub struct NodeKeys {
        /// How many nodes the group has; without it the name is that of a single node.
        count: Option<Count>;
        /// Time that each arriving packet needs to reach its queue, or its receiver at the node; meanwhile it is not in the buffer.
        latency: Duration = "0 s";
        /// Whether the node forwards cells unchanged: all its links carry cells, and no flow begins or ends there. Any other node at
        /// a cell link reassembles arriving cells into packets, and segments the packets that it sends.
        cell_switch: bool = "false";
        /// Whether the node stands for a real host: `penstock emulate` makes it a network namespace of this machine, whose programs send through the network. All other commands simulate it.
        real: bool = "false";
    }
}
impl Check for NodeKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.real && self.count.is_some() {
            mistake("real", "a group of nodes cannot be real; write each real node as an entry without count".to_owned());
        }
        if self.real && self.cell_switch {
            mistake("real", "a cell switch cannot be real: programs send packets; leave one of them out".to_owned());
        }
        if self.latency > Duration::from_secs(3600) {
            mistake("latency", format!("{} is longer than any node takes; at most one hour", self.latency));
        }
    }
}

/// Maximum number of nodes, links or flows of a scenario.
pub(crate) const MAX_ENTITIES: usize = 16_000_000;

/// The nodes by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    // Sorted by name, so that the order written cannot matter.
    groups: Vec<Group>,
    // Names of entries that could not be read; references to them are no further mistakes.
    broken: BTreeSet<String>,
    missing: bool,
}

#[derive(Clone, Debug)]
struct Group {
    name: String,
    count: Option<u32>,
    first: u32,
    latency: Duration,
    is_cell_switch: bool,
    is_real: bool,
    /// The shared resources of the ports of each node.
    switch: Option<SwitchDraft>,
}

/// The nodes at one end of links or flows: one, or members of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeSet {
    first: u32,
    count: u32,
    /// The member at which counting begins.
    shift: u32,
    /// Whether it is written as the name of a group with a count, or as some of its members.
    pub group: bool,
}

impl NodeSet {
    /// Number of nodes.
    pub fn len(self) -> usize {
        self.count as usize
    }

    /// The `i`-th of them, modulo their number.
    pub fn node(self, i: usize) -> NodeId {
        NodeId(self.first + ((i + self.shift as usize) % self.len()) as u32)
    }

    /// The nodes with their members counted from the member `shift`.
    pub fn shifted(self, shift: u32) -> NodeSet {
        NodeSet { shift, ..self }
    }
}

/// The first and the last of the members that `text` names: `3`, or `2-5` with both ends included.
fn members_in_row(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?, last.parse().ok()?))
}

impl Nodes {
    /// Reads `[nodes]`.
    pub fn read(top: &mut Section<'_>) -> Nodes {
        let mut nodes = Nodes::default();
        let Some(mut section) = top.table("nodes") else {
            if !top.has("nodes") {
                top.report("", "there are no [nodes]; write [nodes] and a line such as r1 = {} for each");
            }
            return Nodes { missing: true, ..nodes };
        };
        let mistakes = section.mistakes;
        for branch in section.entries() {
            let path = section.join(&branch.key);
            if let Err(message) = check_name(&branch.key) {
                mistakes.add(branch.location, &path, message);
                nodes.broken.insert(branch.key.clone());
                continue;
            }
            let keys = Section::new(mistakes, path, branch.location, &branch.tree).and_then(|mut node| {
                let (keys, switch) = (NodeKeys::read(&mut node), SwitchDraft::read(&mut node));
                node.finish();
                match switch {
                    Reading::Given(switch) => Some((keys?, Some(switch))),
                    Reading::Absent | Reading::Broken => Some((keys?, None)),
                }
            });
            let Some((keys, switch)) = keys else {
                nodes.broken.insert(branch.key.clone());
                continue;
            };
            nodes.groups.push(Group {
                name: branch.key.clone(),
                count: keys.count.map(|count| count.0),
                first: 0,
                latency: keys.latency,
                is_cell_switch: keys.cell_switch,
                is_real: keys.real,
                switch,
            });
        }
        nodes.groups.sort_by(|a, b| a.name.cmp(&b.name));
        let mut next = 0u64;
        for group in &mut nodes.groups {
            group.first = u32::try_from(next).unwrap_or(u32::MAX);
            next += u64::from(group.count.unwrap_or(1));
        }
        if next > MAX_ENTITIES as u64 {
            section.report("", format!("{next} nodes are more than the {MAX_ENTITIES} that fit"));
            // Groups that do not fit have no identifiers, and keys that name them are not checked.
            let fits = |group: &Group| u64::from(group.first) + u64::from(group.count.unwrap_or(1)) <= MAX_ENTITIES as u64;
            nodes.broken.extend(nodes.groups.iter().filter(|group| !fits(group)).map(|group| group.name.clone()));
            nodes.groups.retain(fits);
        }
        nodes
    }

    /// The nodes called `name`: a node, a group, a member such as `hosts[3]`, or members in a row such as `hosts[2-5]`.
    fn find(&self, name: &str, suggestions: &Suggestions) -> Result<NodeSet, String> {
        let (base, member) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((base, member)) => (base, Some(member)),
            None => (name, None),
        };
        let Ok(index) = self.groups.binary_search_by(|group| group.name.as_str().cmp(base)) else {
            let known = self.groups.iter().map(|group| &group.name).chain(&self.broken).map(String::as_str);
            return Err(suggestions.unknown("node", base, known));
        };
        let group = &self.groups[index];
        match (member, group.count) {
            (None, count) => Ok(NodeSet { first: group.first, count: count.unwrap_or(1), shift: 0, group: count.is_some() }),
            (Some(_), None) => Err(format!("'{base}' is a single node; write '{base}'")),
            (Some(member), Some(count)) => match members_in_row(member) {
                Some((i, j)) if i <= j && j < count => {
                    Ok(NodeSet { first: group.first + i, count: j - i + 1, shift: 0, group: member.contains('-') })
                }
                _ => Err(format!("'{base}' has no member {}; its members are {base}[0] to {base}[{}]", quoted(member), count - 1)),
            },
        }
    }

    /// The single node called `name`.
    pub fn single(&self, name: &str, suggestions: &Suggestions) -> Result<NodeSet, String> {
        match self.find(name, suggestions)? {
            set if set.len() > 1 => Err(format!("'{name}' is a group of {}; name one of its members, such as {name}[0]", set.len())),
            set => Ok(set),
        }
    }

    /// Like [`Nodes::find`], but reports the mistake, except for nodes that could not be read.
    pub fn find_or_report(&self, name: &str, mistakes: &Mistakes, location: SourceLocation, path: &str) -> Option<NodeSet> {
        let base = name.split('[').next().unwrap_or(name);
        if self.missing || self.broken.contains(base) {
            return None;
        }
        self.find(name, &mistakes.suggestions).map_err(|message| mistakes.add(location, path, message)).ok()
    }

    /// The nodes that `key` of a section names, even if other keys of the section have mistakes. The reader of the keys reports a value
    /// that is not a text.
    pub fn node_set(&self, section: &Section<'_>, key: &str) -> Option<NodeSet> {
        self.find_or_report(section.text(key)?, section.mistakes, section.location_of(key), &section.join(key))
    }

    /// Nodes whose ports share resources, by identifier.
    pub fn switches(&self) -> impl Iterator<Item = (Range<u32>, &SwitchDraft)> {
        let members = |group: &Group| group.first..group.first + group.count.unwrap_or(1);
        self.groups.iter().filter_map(move |group| Some((members(group), group.switch.as_ref()?)))
    }

    /// The resources that the ports of a node share, if any.
    pub fn switch(&self, node: NodeId) -> Option<&SwitchDraft> {
        self.group(node).switch.as_ref()
    }

    /// The names of the nodes that stand for real hosts.
    pub fn real(&self) -> Vec<String> {
        self.groups.iter().filter(|group| group.is_real).map(|group| group.name.clone()).collect()
    }

    /// Whether a node forwards cells.
    pub fn is_cell_switch(&self, node: NodeId) -> bool {
        self.group(node).is_cell_switch
    }

    /// The nodes that forward cells.
    pub fn cell_switches(&self) -> BTreeSet<NodeId> {
        let members = |group: &Group| group.first..group.first + group.count.unwrap_or(1);
        self.groups.iter().filter(|group| group.is_cell_switch).flat_map(members).map(NodeId).collect()
    }

    /// Time that an arrival needs at a node to reach its port.
    pub fn latency(&self, node: NodeId) -> Duration {
        self.group(node).latency
    }

    /// The nodes with a latency above zero, and this latency.
    pub fn latencies(&self) -> BTreeMap<NodeId, Duration> {
        let slow = self.groups.iter().filter(|group| group.latency > Duration::ZERO);
        slow.flat_map(|group| (group.first..group.first + group.count.unwrap_or(1)).map(|node| (NodeId(node), group.latency))).collect()
    }

    fn group(&self, node: NodeId) -> &Group {
        &self.groups[self.groups.partition_point(|group| group.first <= node.0) - 1]
    }

    /// The names of all nodes, by identifier.
    pub fn names(&self) -> Vec<String> {
        self.groups
            .iter()
            .flat_map(|group| {
                let name = move |i| match group.count {
                    Some(_) => format!("{}[{i}]", group.name),
                    None => group.name.clone(),
                };
                (0..group.count.unwrap_or(1)).map(name)
            })
            .collect()
    }

    /// The names of nodes and groups, and their members' identifiers.
    pub fn members(&self) -> Vec<(String, Range<usize>)> {
        let range = |group: &Group| group.first as usize..(group.first + group.count.unwrap_or(1)) as usize;
        self.groups.iter().map(|group| (group.name.clone(), range(group))).collect()
    }

    /// The name of one node.
    pub fn name(&self, node: NodeId) -> String {
        let group = self.group(node);
        match group.count {
            Some(_) => format!("{}[{}]", group.name, node.0 - group.first),
            None => group.name.clone(),
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.groups.last().map_or(0, |group| (group.first + group.count.unwrap_or(1)) as usize)
    }
}
