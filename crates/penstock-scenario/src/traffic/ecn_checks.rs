//! Checks that queues on the routes of ECN-capable flows can mark, and that their receivers report marks as the senders need it.

use crate::network::links::Links;
use crate::network::scheduling::Level;
use crate::read::mistake::Mistakes;
use crate::traffic::group::{of_group, GroupDraft};
use penstock_engine::blueprint::{FlowPlan, RouteSet};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::registry::Registry;

/// Warns of groups whose receiver does not give the feedback that the sender needs.
pub(crate) fn check_feedback(flows: &[GroupDraft], mistakes: &Mistakes) {
    for group in flows {
        if let Some((key, message)) = group.plan.transport.missing_feedback() {
            let path = format!("{}.transport.{}.{key}", group.path, group.plan.transport.name());
            mistakes.warn(group.location, &path, message);
        }
    }
}

/// Warns of groups whose packets are ECN-capable although no queue on their routes marks.
pub(crate) fn check_ecn(flows: &[GroupDraft], links: &Links, plans: &[FlowPlan], routes: &RouteSet, mistakes: &Mistakes) {
    if !flows.iter().any(|group| group.plan.transport.is_ecn_capable()) {
        return;
    }
    let marks = |level: &Level| level.scheduler.facts().marks || level.queues().iter().any(|queue| queue.discipline.marks());
    let marks: Vec<bool> = links.groups.iter().map(|link| marks(&link.port.level)).collect();
    for (i, group) in flows.iter().enumerate().filter(|(_, group)| group.plan.transport.is_ecn_capable()) {
        let mut routes_of_group = of_group(plans, i).iter().map(|plan| &routes[plan.forward.index()]);
        if !routes_of_group.any(|route| route.iter().any(|link| marks[links.group_of(*link)])) {
            let transport = &group.plan.transport;
            let path = format!("{}.transport.{}", group.path, transport.name());
            let how = how_to_mark(mistakes.components.registry());
            match transport.ecn_parameter() {
                Some((key, off)) => {
                    let message = format!("has no effect: no queue on the way marks; {how}, or {off}");
                    mistakes.warn(group.location, &format!("{path}.{key}"), message);
                }
                None => mistakes.warn(group.location, &path, format!("is ECN-capable, and no queue on the way marks; {how}")),
            }
        }
    }
}

/// How to make a queue mark.
fn how_to_mark(registry: &Registry) -> String {
    let (with_ecn, always) = (DisciplinePlan::with_ecn(registry).join(", "), DisciplinePlan::always_marking().join(", "));
    format!("write ecn = true at a queue that can ({with_ecn}), choose one that always does ({always})")
}
