//! Checks that schedulers know the codepoints of the classes that pass them.

use crate::network::links::Links;
use crate::read::mistake::Mistakes;
use crate::traffic::group::GroupDraft;
use penstock_engine::blueprint::{FlowPlan, RouteSet};
use penstock_model::packet::codepoint::{of_behaviour, BEHAVIOURS};
use penstock_model::printable::quoted;
use std::collections::BTreeSet;

/// Warns of classes that are not named after a per-hop behaviour at schedulers that select queues by codepoint.
pub(crate) fn check_codepoints(flows: &[GroupDraft], links: &Links, plans: &[FlowPlan], routes: &RouteSet, mistakes: &Mistakes) {
    if flows.iter().all(|group| of_behaviour(&group.class).is_some()) {
        return;
    }
    for (i, link) in links.groups.iter().enumerate() {
        let scheduler = &link.port.level.scheduler;
        if !scheduler.facts().reads_codepoints {
            continue;
        }
        let passes = |plan: &&FlowPlan| {
            let mut route = routes[plan.forward.index()].iter().chain(&routes[plan.backward.index()]);
            route.any(|link| links.group_of(*link) == i)
        };
        let groups: BTreeSet<u32> = plans.iter().filter(passes).map(|plan| plan.group).collect();
        let mut named = BTreeSet::new();
        for group in groups.into_iter().map(|group| &flows[group as usize]) {
            if of_behaviour(&group.class).is_none() && named.insert(&group.class) {
                let (class, flows) = (quoted(&group.class), quoted(&group.plan.name));
                let message = format!(
                    "class {class} of flows {flows} is not named after a per-hop behaviour ({BEHAVIOURS}), so its codepoint is one for \
                     local use, which has no tin of its own"
                );
                mistakes.warn(link.port.level.location, &format!("{}.scheduler.{}", link.path, scheduler.name()), message);
            }
        }
    }
}
