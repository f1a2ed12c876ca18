//! What calls need of the links on their way.

use crate::network::links::Links;
use crate::network::pcn_meters::greatest_level;
use crate::read::mistake::{Mistakes, Place};
use crate::traffic::calls::level;
use crate::traffic::group::GroupDraft;
use crate::traffic::pcn_schemes::{Meters, Misfit};
use penstock_engine::blueprint::{CallsPlan, FlowPlan};
use penstock_model::id::LinkId;
use penstock_model::units::Duration;
use std::collections::{BTreeMap, BTreeSet};

/// Admission and termination read marks, so somebody must make them, and such that they can read; and what the edges tell
/// each other must take time.
pub(crate) fn check_calls(flows: &[GroupDraft], links: &Links, plans: &[FlowPlan], routes: &[Vec<LinkId>], mistakes: &Mistakes) {
    for (i, group) in flows.iter().enumerate() {
        let Some(calls) = &group.plan.calls else { continue };
        let members = plans.iter().filter(|plan| plan.group as usize == i);
        let routes: Vec<&[LinkId]> = members.map(|plan| &routes[plan.forward.index()][..]).collect();
        let check = Check { group, calls, links, mistakes };
        check.meters(&routes);
        let routes = BTreeSet::from_iter(routes);
        check.level(&routes);
        check.signals(&routes);
    }
}

struct Check<'a> {
    group: &'a GroupDraft,
    calls: &'a CallsPlan,
    links: &'a Links,
    mistakes: &'a Mistakes,
}

/// What a scheme makes of the meters on one route.
type Fits<'a> = &'a dyn Fn(&Meters<'_>) -> Option<Misfit>;

impl Check<'_> {
    fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.group.path)
    }

    fn meters(&self, routes: &[&[LinkId]]) {
        // Admission by counting needs no marks.
        if let Some(plan) = self.calls.admission.as_ref().filter(|plan| level(plan).is_some()) {
            let path = self.path("admission");
            self.fits(routes, (self.group.edges.admission, &path), plan.name(), &|meters| meters.fit_admission(plan));
        }
        if let Some(plan) = &self.calls.termination {
            let path = self.path("termination");
            self.fits(routes, (self.group.edges.termination, &path), plan.name(), &|meters| meters.fit_termination(plan));
        }
    }

    /// Notes what is wrong for all aggregates, and doubts what is wrong for some.
    fn fits(&self, routes: &[&[LinkId]], (place, path): (Place, &str), scheme: &str, fits: Fits<'_>) {
        let name = &self.group.plan.name;
        let on = |route: &&[LinkId]| {
            let meters = Meters(route.iter().flat_map(|link| &self.links.groups[self.links.group_of(*link)].port.pcn).collect());
            (!meters.0.is_empty()).then(|| fits(&meters))
        };
        // Many aggregates may share a route.
        let known: BTreeMap<&[LinkId], Option<Option<Misfit>>> = routes.iter().map(|route| (*route, on(route))).collect();
        let unmetered: Vec<usize> = (0..routes.len()).filter(|i| known[routes[*i]].is_none()).collect();
        if unmetered.len() == routes.len() {
            let message = format!("no link on the routes of '{name}' has a PCN meter, so nothing is ever marked; write pcn on one of them");
            self.mistakes.add(place, path, message);
            return;
        }
        if let Some(first) = unmetered.first() {
            let others = others(unmetered.len());
            let done = if path.ends_with("admission") { "refused" } else { "terminated" };
            let message = format!("no link on the route of {name}[{first}]{others} has a PCN meter, so none of those calls is ever {done}");
            self.mistakes.warn(place, path, message);
        }
        let misfits: Vec<(usize, &Misfit)> =
            routes.iter().enumerate().filter_map(|(i, route)| Some((i, known[route].as_ref()?.as_ref()?))).collect();
        let Some((first, misfit)) = misfits.first() else { return };
        let path = format!("{path}.{scheme}");
        let all = misfits.len() + unmetered.len() == routes.len();
        if all && misfits.iter().all(|(_, misfit)| misfit.is_useless) {
            self.mistakes.add(place, &path, format!("on the routes of '{name}', {}", misfit.message));
            return;
        }
        let whose =
            if all { format!("on the routes of '{name}'") } else { format!("on the route of {name}[{first}]{}", others(misfits.len())) };
        self.mistakes.warn(place, &path, format!("{whose}, {}", misfit.message));
    }

    /// Warns of a level of congestion that a link at its admissible rate does not reach.
    fn level(&self, routes: &BTreeSet<&[LinkId]>) {
        let Some((plan, (key, threshold))) = self.calls.admission.as_ref().and_then(|plan| Some((plan, level(plan)?))) else { return };
        let of_link = |link: &LinkId| {
            let group = &self.links.groups[self.links.group_of(*link)];
            Some((greatest_level(&group.port.pcn)?, &group.name))
        };
        let bound = routes.iter().flat_map(|route| route.iter().filter_map(of_link)).min_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((bound, link)) = bound.filter(|(bound, _)| threshold > *bound) {
            let message = format!(
                "{threshold} is above {bound:.4}, the share that is marked on {link} at its admissible rate (1/N x admissible rate / supportable rate), so calls would be admitted beyond that rate"
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

fn others(count: usize) -> String {
    match count {
        1 => String::new(),
        2 => " and of another aggregate".to_owned(),
        count => format!(" and of {} other aggregates", count - 1),
    }
}
