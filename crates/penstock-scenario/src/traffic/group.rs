//! Common to groups of flows and of calls: endpoints, members, times and given routes.

use crate::network::nodes::{NodeSet, Nodes, MAX_ENTITIES};
use crate::read::mistake::SourceLocation;
use crate::read::section::Section;
use crate::read::values::{NodeName, Start};
use crate::traffic::transfers::TransferDraw;
use penstock_engine::blueprint::{FlowGroup, FlowPlan};
use penstock_model::id::NodeId;
use penstock_model::parameters::Count;
use penstock_model::units::{Duration, Time};

/// An entry of `[[flows]]` or `[[calls]]` as read.
pub(crate) struct GroupDraft {
    pub plan: FlowGroup,
    pub class: String,
    pub path: String,
    pub location: SourceLocation,
    pub from: NodeSet,
    pub to: NodeSet,
    pub count: usize,
    pub route: Option<GivenRoute>,
    pub route_back: Option<GivenRoute>,
    /// Locations of admission and termination of calls.
    pub edges: EdgeLocations,
    /// Both ends of each member, if they differ from the `i`-th members modulo their number.
    pub pairs: Option<Vec<(NodeId, NodeId)>>,
    /// Random part of transfers, drawn for each run.
    pub draw: Option<TransferDraw>,
}

/// Locations of admission, its threshold, and termination.
#[derive(Clone, Copy)]
pub(crate) struct EdgeLocations {
    pub admission: SourceLocation,
    pub threshold: SourceLocation,
    pub termination: SourceLocation,
}

impl EdgeLocations {
    /// The locations if none of these keys is written.
    pub const NONE: EdgeLocations =
        EdgeLocations { admission: SourceLocation::Whole, threshold: SourceLocation::Whole, termination: SourceLocation::Whole };
}

/// A route that the scenario gives.
pub(crate) struct GivenRoute {
    pub nodes: Vec<NodeSet>,
    pub key: &'static str,
    pub location: SourceLocation,
}

/// The flows of a group among `plans`, which are in the order of the groups.
pub(crate) fn of_group(plans: &[FlowPlan], group: usize) -> &[FlowPlan] {
    let first = plans.partition_point(|plan| (plan.group as usize) < group);
    let count = plans[first..].partition_point(|plan| plan.group as usize == group);
    &plans[first..first + count]
}

impl GroupDraft {
    /// The nodes at which the `i`-th member begins and ends.
    pub fn ends(&self, i: usize) -> (NodeId, NodeId) {
        self.pairs.as_ref().map_or_else(|| (self.from.node(i), self.to.node(i)), |pairs| pairs[i])
    }

    /// Whether its members are transfers with an end.
    pub fn has_transfers(&self) -> bool {
        self.draw.is_some() || self.plan.transfers.is_some()
    }

    /// Whether its flows are transfers with a size.
    pub fn has_size(&self) -> bool {
        self.has_transfers() || self.plan.source.file_size().is_some()
    }

    /// Whether packets are sent back, such as acknowledgements.
    pub fn has_return_traffic(&self) -> bool {
        self.plan.transport.has_return_traffic()
    }
}

/// The nodes at the two ends of a group, as far as they are known.
pub(crate) struct GroupEndpoints(pub Option<NodeSet>, pub Option<NodeSet>);

impl GroupEndpoints {
    /// Reads `from` and `to`, and reports mistakes in them.
    pub fn read(section: &Section<'_>, nodes: &Nodes) -> GroupEndpoints {
        GroupEndpoints(nodes.node_set(section, "from"), nodes.node_set(section, "to"))
    }
}

/// The keys about the members of a group.
pub(crate) struct MemberKeys<'a> {
    pub count: Option<Count>,
    pub start: Start,
    pub stop: Option<Duration>,
    pub route: Option<&'a [NodeName]>,
}

/// The members of a group.
pub(crate) struct Members {
    pub from: NodeSet,
    pub to: NodeSet,
    pub count: usize,
    pub route: Option<GivenRoute>,
    pub stop: Time,
}

impl Members {
    /// The members, each called a `member` in messages; `None` after a mistake.
    pub fn read(
        section: &Section<'_>,
        nodes: &Nodes,
        ends: GroupEndpoints,
        keys: &MemberKeys<'_>,
        duration: Option<Duration>,
        member: &str,
    ) -> Option<Members> {
        let route = explicit_route(section, nodes, "route", keys.route);
        let stop = stop_time(section, keys, duration);
        let (from, to) = (ends.0?, ends.1?);
        let (route, stop) = (route?, stop?);
        let count = keys.count.map_or(from.len().max(to.len()), |count| count.0 as usize);
        if let Some(i) = (0..count.min(MAX_ENTITIES)).find(|i| from.node(*i) == to.node(*i)) {
            section.report("to", format!("{member} {i} would begin and end at '{}'", nodes.name(from.node(i))));
            return None;
        }
        if keys.count.is_none() {
            warn_if_unequal(section, from.len(), to.len(), member);
        }
        Some(Members { from, to, count, route, stop })
    }
}

/// Warns if both ends have several nodes, but different numbers of them, and no key gives the number of members.
fn warn_if_unequal(section: &Section<'_>, from: usize, to: usize, member: &str) {
    let (fewer, more) = (from.min(to), from.max(to));
    if fewer == 1 || fewer == more {
        return;
    }
    let of_each = if more % fewer == 0 { (more / fewer).to_string() } else { format!("{} or {}", more / fewer, more / fewer + 1) };
    let name = |key| section.text(key).unwrap_or_default();
    let (smaller, end) = if from < to { (name("from"), "begin") } else { (name("to"), "end") };
    let message = format!(
        "'{}' has {to} nodes and '{}' has {from}, which makes {more} {member}s: {of_each} {end} at each of '{smaller}'; \
         write count = {more} if that is meant, count = {fewer} for one each",
        name("to"),
        name("from"),
    );
    section.mistakes.warn(section.location_of("to"), &section.join("to"), message);
}

/// Time at which the sources stop; `None` after a mistake.
fn stop_time(section: &Section<'_>, keys: &MemberKeys<'_>, duration: Option<Duration>) -> Option<Time> {
    let end = duration.map_or(Time::NEVER, |duration| Time::ZERO + duration);
    let stop = keys.stop.map_or(end, |stop| Time::ZERO + stop);
    let last_start = keys.start.1;
    if last_start >= end {
        section.report("start", format!("{last_start} is not before the end at {end}, so it would never send"));
        None
    } else if stop > end {
        section.report("stop", format!("{stop} is after the end at {end}, so it has no effect; leave it out"));
        None
    } else if stop <= last_start {
        section.report("stop", format!("{stop} is not after the start at {last_start}, so it would never send"));
        None
    } else {
        Some(stop)
    }
}

/// The route that `key` gives, with its nodes resolved; the outer `None` after a mistake.
pub(crate) fn explicit_route(
    section: &Section<'_>,
    nodes: &Nodes,
    key: &'static str,
    names: Option<&[NodeName]>,
) -> Option<Option<GivenRoute>> {
    let Some(names) = names else { return Some(None) };
    let location = section.location_of(key);
    if names.len() < 2 {
        section.report(key, "has fewer than two nodes; write both ends and the nodes between them");
        return None;
    }
    let find =
        |(i, name): (usize, &NodeName)| nodes.find_or_report(&name.0, section.mistakes, location, &format!("{}[{i}]", section.join(key)));
    let found: Vec<Option<NodeSet>> = names.iter().enumerate().map(find).collect();
    found.into_iter().collect::<Option<Vec<NodeSet>>>().map(|nodes| Some(GivenRoute { nodes, key, location }))
}
