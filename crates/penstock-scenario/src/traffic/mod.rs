//! Traffic: groups of flows and of calls, their classes and routes, and what they need from the network.

pub(crate) mod atm_checks;
pub(crate) mod call_checks;
pub(crate) mod calls;
pub(crate) mod classes;
pub(crate) mod codepoint_checks;
pub(crate) mod ecn_checks;
pub(crate) mod flows;
mod foreign;
pub(crate) mod group;
pub(crate) mod matrix;
mod pcn_schemes;
pub(crate) mod rate_requests;
pub(crate) mod rounding_checks;
pub(crate) mod routing;
mod sizes;
mod trace;
pub(crate) mod transfers;

use crate::network::nodes::{Nodes, MAX_ENTITIES};
use crate::read::section::Section;
use group::GroupDraft;
use penstock_model::units::Duration;
use std::collections::BTreeSet;

/// Reads one group.
type Read = fn(&mut Section<'_>, &Nodes, Option<Duration>) -> Option<GroupDraft>;

/// Reads all `[[flows]]` and then all `[[calls]]`; the second result tells whether every entry could be read.
pub(crate) fn read_all(top: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> (Vec<GroupDraft>, bool) {
    if !["flows", "transfers", "calls"].iter().any(|key| top.has(key)) {
        let message = "there are no [[flows]] and no [[calls]], so nothing would happen; write [[flows]] with name, from, to and source";
        top.report("", message);
    }
    let (mut flows, mut complete): (Vec<GroupDraft>, bool) = (Vec::new(), true);
    let mut names = BTreeSet::new();
    let mut named = |groups: &[GroupDraft], section: &Section<'_>| {
        for group in groups {
            if !names.insert(group.plan.name.clone()) {
                section.report("name", format!("a second group called '{}'; give it a name of its own", group.plan.name));
            }
        }
    };
    let flow_sections = top.tables("flows").into_iter().map(|section| (section, flows::read as Read));
    let call_sections = top.tables("calls").into_iter().map(|section| (section, calls::read as Read));
    for (mut section, read) in flow_sections.chain(call_sections) {
        match read(&mut section, nodes, duration) {
            Some(group) => {
                named(std::slice::from_ref(&group), &section);
                flows.push(group);
            }
            None => complete = false,
        }
        section.finish();
    }
    for mut section in top.tables("transfers") {
        match transfers::read(&mut section, nodes, duration) {
            Some(groups) => {
                named(&groups, &section);
                flows.extend(groups);
            }
            None => complete = false,
        }
        section.finish();
    }
    let total: usize = flows.iter().map(|group| group.count).sum();
    if total > MAX_ENTITIES {
        top.report("flows", format!("{total} flows are more than the {MAX_ENTITIES} that fit"));
    }
    (flows, complete)
}
