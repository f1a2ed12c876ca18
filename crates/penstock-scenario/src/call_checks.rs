//! What calls need of the links on their way.

use crate::calls::level;
use crate::flows::Flows;
use crate::links::Links;
use crate::mistake::Mistakes;
use crate::pcn::greatest_level;
use penstock_engine::blueprint::{CallsPlan, FlowPlan};
use penstock_model::id::LinkId;
use penstock_model::units::Duration;
use std::collections::BTreeSet;

/// Admission and termination read marks, so somebody must make them; and what the edges tell each other must take time.
pub(crate) fn check_calls(flows: &[Flows], links: &Links, plans: &[FlowPlan], routes: &[Vec<LinkId>], mistakes: &Mistakes) {
    for (i, group) in flows.iter().enumerate() {
        let Some(calls) = &group.plan.calls else { continue };
        let members = plans.iter().filter(|plan| plan.group as usize == i);
        let routes: BTreeSet<&[LinkId]> = members.map(|plan| &routes[plan.forward.index()][..]).collect();
        let check = Check { group, calls, links, mistakes };
        check.meters(&routes);
        check.level(&routes);
        check.signals(&routes);
    }
}

struct Check<'a> {
    group: &'a Flows,
    calls: &'a CallsPlan,
    links: &'a Links,
    mistakes: &'a Mistakes,
}

impl Check<'_> {
    fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.group.path)
    }

    fn meters(&self, routes: &BTreeSet<&[LinkId]>) {
        let metered = |link: &LinkId| !self.links.groups[self.links.group_of(*link)].port.pcn.is_empty();
        if routes.iter().any(|route| route.iter().any(metered)) {
            return;
        }
        // Admission by counting needs no marks.
        let admission =
            self.calls.admission.as_ref().filter(|plan| level(plan).is_some()).map(|_| ("admission", self.group.edges.admission));
        let termination = self.calls.termination.as_ref().map(|_| ("termination", self.group.edges.termination));
        for (key, place) in admission.into_iter().chain(termination) {
            let name = &self.group.plan.name;
            let message = format!("no link on the routes of '{name}' has a PCN meter, so nothing is ever marked; write pcn on one of them");
            self.mistakes.add(place, &self.path(key), message);
        }
    }

    /// Warns of a level of congestion that a link at its admissible rate does not reach.
    fn level(&self, routes: &BTreeSet<&[LinkId]>) {
        let Some((plan, (key, threshold))) = self.calls.admission.as_ref().and_then(|plan| Some((plan, level(plan)?))) else { return };
        let of_link = |link: &LinkId| greatest_level(&self.links.groups[self.links.group_of(*link)].port.pcn);
        let bound = routes.iter().flat_map(|route| route.iter().filter_map(of_link)).reduce(f64::min);
        if let Some(bound) = bound.filter(|bound| threshold > *bound) {
            let message = format!(
                "{threshold} is above {bound:.4}, the share that single-threshold marking marks at the admissible rate (1/N x admissible rate / supportable rate), so calls would be admitted beyond that rate"
            );
            self.mistakes.warn(self.group.edges.level, &self.path(&format!("admission.{}.{key}", plan.name())), message);
        }
    }

    fn signals(&self, routes: &BTreeSet<&[LinkId]>) {
        let delay = |link: &LinkId| self.links.plans[link.index()].delay;
        let takes = |route: &&[LinkId]| route.iter().map(delay).fold(self.calls.processing, |sum, delay| sum + delay);
        if routes.iter().any(|route| takes(route) == Duration::ZERO) {
            let message =
                "signals between ingress and egress would take no time; give a link on the way a delay, or signalling a processing time";
            self.mistakes.add(self.group.place, &self.group.path, message);
        }
    }
}
