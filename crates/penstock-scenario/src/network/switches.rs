//! Switches: their shared buffers and PAUSE messages, checked against the links.

use super::links::Links;
use super::nodes::Nodes;
use super::switch_keys::{PauseDraft, SwitchDraft};
use crate::read::mistake::{Mistakes, SourceLocation};
use penstock_engine::blueprint::{CongestionPointsPlan, LinkPlan, SharedBufferPlan, SwitchPlan};
use penstock_model::buffer::amount;
use penstock_model::id::{LinkId, NodeId};
use penstock_model::parameters::Limit;
use penstock_model::units::Duration;
use std::collections::BTreeMap;

/// The switches of a network whose links are known.
pub(crate) fn switches(nodes: &Nodes, links: &Links, mistakes: &Mistakes) -> Vec<SwitchPlan> {
    let mut plans = Vec::new();
    if nodes.switches().next().is_none() {
        return plans;
    }
    let [into, out] = [|link: &LinkPlan| link.to, |link: &LinkPlan| link.from].map(|end| LinksAt::new(nodes.len(), &links.plans, end));
    for (members, draft) in nodes.switches() {
        let mut reported = false;
        for node in members {
            if reported {
                break;
            }
            // Members of a group are alike, and so are their mistakes.
            let mut sound = true;
            let mut report = |location, path: String, message| {
                sound = false;
                if !reported {
                    mistakes.add(location, &path, message);
                }
            };
            let node = NodeId(node);
            let check = SwitchCheck { nodes, links, mistakes, node, draft, into: into.at(node), out: out.at(node) };
            check.check_ports(&mut report);
            check.check_pause(&mut report);
            let shares = check.shares(&mut report);
            check.check_buffer(&mut report);
            reported |= !sound;
            let buffer = draft.buffer.clone().map(|policy| SharedBufferPlan { policy, shares });
            let congestion_points = draft.congestion_point.clone().map(|point| CongestionPointsPlan { point, routes: Vec::new() });
            let (source_quench, reaction_point) = (draft.source_quench.clone(), draft.reaction_point.clone());
            let pause = draft.pause.as_ref().map(|pause| pause.plan.clone());
            plans.push(SwitchPlan { node, buffer, pause, source_quench, congestion_points, reaction_point });
        }
    }
    check_feedback(nodes, mistakes);
    plans
}

/// Checks that congestion points and reaction points of the same mechanism occur together, and that gains leave rates positive.
fn check_feedback(nodes: &Nodes, mistakes: &Mistakes) {
    let notifying = || nodes.switches().filter_map(|(_, draft)| Some((draft, draft.congestion_point.as_ref()?)));
    let reacting = || nodes.switches().filter_map(|(_, draft)| Some((draft, draft.reaction_point.as_ref()?)));
    let mut greatest: f64 = 0.0;
    for (draft, point) in notifying() {
        greatest = greatest.max(point.greatest_feedback());
        let name = point.name();
        if reacting().all(|(_, limiters)| limiters.name() != name) {
            let which = if reacting().next().is_none() { "no node has a reaction-point" } else { "no node has its reaction-point" };
            let message = format!(
                "sends congestion messages to sources, but {which}; add reaction-point.{name} = {{}} to the nodes where flows begin"
            );
            mistakes.add(draft.congestion_location, &format!("{}.congestion-point", draft.path), message);
        }
    }
    for (draft, limiters) in reacting() {
        let name = limiters.name();
        if let Some((key, message)) = limiters.gain_mistake(greatest) {
            mistakes.add(draft.reaction_location, &format!("{}.reaction-point.{name}.{key}", draft.path), message);
        }
        if notifying().all(|(_, point)| point.name() != name) {
            let which = if notifying().next().is_none() { "no node has a congestion-point" } else { "no node has its congestion-point" };
            let message = format!("has no effect, since {which}; add congestion-point.{name} = {{}} to a switch, or leave it out");
            mistakes.add(draft.reaction_location, &format!("{}.reaction-point", draft.path), message);
        }
    }
}

/// A node that is to be a switch, with the nodes and links against which it is checked.
struct SwitchCheck<'a> {
    nodes: &'a Nodes,
    links: &'a Links,
    mistakes: &'a Mistakes,
    node: NodeId,
    draft: &'a SwitchDraft,
    /// The links that end there.
    into: &'a [LinkId],
    /// The links that begin there.
    out: &'a [LinkId],
}

/// The links at every node, in the order of the scenario.
struct LinksAt {
    links: Vec<LinkId>,
    /// The links at node n are `links[first[n]..first[n + 1]]`.
    first: Vec<u32>,
}

impl LinksAt {
    /// For each of `nodes` nodes, the links whose `end` it is.
    fn new(nodes: usize, plans: &[LinkPlan], end: impl Fn(&LinkPlan) -> NodeId) -> LinksAt {
        let mut links: Vec<LinkId> = (0..plans.len() as u32).map(LinkId).collect();
        links.sort_by_key(|link| end(&plans[link.index()]));
        let mut first = vec![0; nodes + 1];
        plans.iter().for_each(|link| first[end(link).index() + 1] += 1);
        (0..nodes).for_each(|n| first[n + 1] += first[n]);
        LinksAt { links, first }
    }

    fn at(&self, node: NodeId) -> &[LinkId] {
        &self.links[self.first[node.index()] as usize..self.first[node.index() + 1] as usize]
    }
}

type Report<'r> = &'r mut dyn FnMut(SourceLocation, String, String);

impl SwitchCheck<'_> {
    fn links_out(&self) -> impl Iterator<Item = (LinkId, &LinkPlan)> {
        self.out.iter().map(|id| (*id, &self.links.plans[id.index()]))
    }

    fn check_ports(&self, report: Report<'_>) {
        if self.links_out().next().is_none() {
            let name = self.nodes.name(self.node);
            let draft = self.draft;
            let keys = [
                (draft.buffer.is_some(), draft.buffer_location, "buffer"),
                (draft.pause.is_some(), draft.pause_location, "pause"),
                (draft.source_quench.is_some(), draft.quench_location, "source-quench"),
                (draft.congestion_point.is_some(), draft.congestion_location, "congestion-point"),
                (true, draft.reaction_location, "reaction-point"),
            ];
            let (_, location, key) = keys.into_iter().find(|(is_given, ..)| *is_given).expect("the last is");
            let message = format!("no link begins at '{name}', so it has no ports for it; leave it out, or add a link from '{name}'");
            report(location, format!("{}.{key}", self.draft.path), message);
        }
    }

    /// Checks that pause frames have a link back, and take some time.
    fn check_pause(&self, report: Report<'_>) {
        let Some(PauseDraft { plan: pause, .. }) = &self.draft.pause else { return };
        let path = || format!("{}.pause", self.draft.path);
        let mut delays: BTreeMap<NodeId, Duration> = BTreeMap::new();
        for (_, back) in self.links_out() {
            let delay = back.delay + pause.processing + back.rate.transmission_time(pause.frame);
            delays.entry(back.to).and_modify(|least| *least = delay.min(*least)).or_insert(delay);
        }
        for link in self.into.iter().map(|link| &self.links.plans[link.index()]) {
            let back = delays.get(&link.from).copied();
            let (name, feeder) = (self.nodes.name(self.node), self.nodes.name(link.from));
            match back {
                None => {
                    let message = format!(
                        "its messages to '{feeder}' have no route, since no link leads from '{name}' back; write both-ways = true for the \
                         link '{}', or add one from '{name}' to '{feeder}'",
                        link.path
                    );
                    report(self.draft.pause_location, path(), message);
                }
                Some(Duration::ZERO) => {
                    let message = format!(
                        "its messages to '{feeder}' would take no time; give the link from '{name}' to '{feeder}' a delay, or write \
                         processing, above 0 s"
                    );
                    report(self.draft.pause_location, path(), message);
                }
                Some(_) => {}
            }
        }
    }

    /// Checks that the buffer suffices for all ports.
    fn check_buffer(&self, report: Report<'_>) {
        let Some(buffer) = &self.draft.buffer else { return };
        if let Some((key, message)) = buffer.mistake_at(self.out.len()) {
            report(self.draft.buffer_location, format!("{}.buffer.{}.{key}", self.draft.path, buffer.name()), message);
        }
    }

    /// The shares of the buffer that are given to links by name: of the link, or of the group of links that it belongs to.
    fn shares(&self, report: Report<'_>) -> Vec<(LinkId, Limit)> {
        let Some(buffer) = &self.draft.buffer else { return Vec::new() };
        let Some((key, named)) = buffer.named_shares() else { return Vec::new() };
        let path = || format!("{}.buffer.{}.{key}", self.draft.path, buffer.name());
        let group_name = |link: LinkId| &self.links.groups[self.links.group_of(link)].name;
        let mut known: Vec<&str> = self.links_out().map(|(id, _)| group_name(id).as_str()).collect();
        known.dedup();
        let mut by_name: BTreeMap<&str, Vec<LinkId>> = BTreeMap::new();
        for (id, link) in self.links_out() {
            by_name.entry(&link.path).or_default().push(id);
            if *group_name(id) != link.path {
                by_name.entry(group_name(id)).or_default().push(id);
            }
        }
        let mut shares = Vec::new();
        for (name, share) in named {
            match by_name.get(name.as_str()) {
                Some(links) => shares.extend(links.iter().map(|id| (*id, *share))),
                None => {
                    let message = self.mistakes.suggestions.unknown("link from this node", name, known.iter().copied());
                    report(self.draft.buffer_location, path(), message);
                }
            }
        }
        let ports = self.links_out().count();
        let (sum, size) = (shares.iter().map(|(_, share)| amount(*share)).fold(0, u64::saturating_add), amount(buffer.size()));
        if sum > size {
            report(
                self.draft.buffer_location,
                path(),
                format!("the shares of all links add up to {sum}, more than the shared buffer of {size}"),
            );
        } else if shares.len() < ports && (size - sum) < (ports - shares.len()) as u64 {
            report(
                self.draft.buffer_location,
                path(),
                "leave nothing for the unnamed ports; name all ports, or reduce the shares".to_owned(),
            );
        }
        shares
    }
}
