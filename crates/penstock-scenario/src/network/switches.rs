//! Switches: their shared buffers and PAUSE messages, checked against the links.

use super::links::Links;
use super::nodes::Nodes;
use super::switch_keys::SwitchDraft;
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::suggest::unknown;
use penstock_engine::blueprint::{LinkPlan, SharedBufferPlan, SwitchPlan};
use penstock_model::buffer::static_shares::Shares;
use penstock_model::buffer::{amount, BufferPlan};
use penstock_model::id::{LinkId, NodeId};
use penstock_model::parameters::Limit;
use penstock_model::units::Duration;

/// The switches of a network whose links are known.
pub(crate) fn switches(nodes: &Nodes, links: &Links, mistakes: &Mistakes) -> Vec<SwitchPlan> {
    let mut plans = Vec::new();
    for (members, draft) in nodes.switches() {
        let mut reported = false;
        for node in members {
            // Members of a group are alike, and so are their mistakes.
            let mut sound = true;
            let mut report = |location, path: String, message| {
                sound = false;
                if !reported {
                    mistakes.add(location, &path, message);
                }
            };
            let check = SwitchCheck { nodes, links, node: NodeId(node), draft };
            check.check_ports(&mut report);
            check.check_pause(&mut report);
            let shares = check.shares(&mut report);
            reported |= !sound;
            let buffer = draft.buffer.clone().map(|policy| SharedBufferPlan { policy, shares });
            plans.push(SwitchPlan { node: NodeId(node), buffer, pause: draft.pause, source_quench: draft.source_quench.clone() });
        }
    }
    plans
}

/// A node that is to be a switch, with what it is checked against.
struct SwitchCheck<'a> {
    nodes: &'a Nodes,
    links: &'a Links,
    node: NodeId,
    draft: &'a SwitchDraft,
}

type Report<'r> = &'r mut dyn FnMut(SourceLocation, String, String);

impl SwitchCheck<'_> {
    fn links_out(&self) -> impl Iterator<Item = (LinkId, &LinkPlan)> {
        let all = self.links.plans.iter().enumerate();
        all.filter(|(_, link)| link.from == self.node).map(|(i, link)| (LinkId(i as u32), link))
    }

    fn check_ports(&self, report: Report<'_>) {
        if self.links_out().next().is_none() {
            let name = self.nodes.name(self.node);
            let (location, key) = match (&self.draft.buffer, &self.draft.pause) {
                (Some(_), _) => (self.draft.buffer_location, "buffer"),
                (None, Some(_)) => (self.draft.pause_location, "pause"),
                (None, None) => (self.draft.quench_location, "source-quench"),
            };
            let message = format!("no link begins at '{name}', so it has no ports for it; leave it out, or add a link from '{name}'");
            report(location, format!("{}.{key}", self.draft.path), message);
        }
    }

    /// Messages need a link back, and some time.
    fn check_pause(&self, report: Report<'_>) {
        let Some(pause) = self.draft.pause else { return };
        let path = || format!("{}.pause", self.draft.path);
        for link in self.links.plans.iter().filter(|link| link.to == self.node) {
            let back = self.links_out().filter(|(_, back)| back.to == link.from).map(|(_, back)| back.delay + pause.processing).min();
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

    /// The shares that are given to its links by name: that of the link, or of the group of links that it belongs to.
    fn shares(&self, report: Report<'_>) -> Vec<(LinkId, Limit)> {
        let Some(BufferPlan::StaticShares(parameters)) = &self.draft.buffer else { return Vec::new() };
        let Some(Shares(named)) = &parameters.shares else { return Vec::new() };
        let path = || format!("{}.buffer.static-shares.shares", self.draft.path);
        let group_name = |link: LinkId| &self.links.groups[self.links.group_of(link)].name;
        let mut shares = Vec::new();
        for (name, share) in named {
            let before = shares.len();
            shares.extend(self.links_out().filter(|(id, link)| link.path == *name || group_name(*id) == name).map(|(id, _)| (id, *share)));
            if shares.len() == before {
                let mut known: Vec<&str> = self.links_out().map(|(id, _)| group_name(id).as_str()).collect();
                known.dedup();
                report(self.draft.buffer_location, path(), unknown("link from this node", name, &known));
            }
        }
        let ports = self.links_out().count();
        let (sum, size) = (shares.iter().map(|(_, share)| amount(*share)).sum::<u64>(), amount(parameters.size));
        if sum > size {
            report(
                self.draft.buffer_location,
                path(),
                format!("the shares of all links add up to {sum}, more than the shared buffer of {size}"),
            );
        } else if shares.len() < ports && (size - sum) < (ports - shares.len()) as u64 {
            report(self.draft.buffer_location, path(), "leave nothing for the ports that are not named; name all or leave some".to_owned());
        }
        shares
    }
}
