//! Checks of the PCN meters and delays on the routes of calls.

use crate::network::links::Links;
use crate::network::pcn_meters::greatest_cle_threshold;
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::traffic::group::{of_group, GroupDraft};
use crate::traffic::pcn_schemes::{Meters, Mismatch};
use penstock_engine::blueprint::{CallsPlan, FlowPlan, RouteSet};
use penstock_model::id::LinkId;
use penstock_model::units::Duration;
use std::collections::{BTreeMap, BTreeSet};

/// Checks that meters on the routes set marks that admission and termination can interpret, and that signals between the edges
/// take time.
pub(crate) fn check_calls(flows: &[GroupDraft], links: &Links, plans: &[FlowPlan], routes: &RouteSet, mistakes: &Mistakes) {
    for (i, group) in flows.iter().enumerate() {
        let Some(calls) = &group.plan.calls else { continue };
        let routes: Vec<&[LinkId]> = of_group(plans, i).iter().map(|plan| &routes[plan.forward.index()][..]).collect();
        let check = Check { group, calls, links, mistakes };
        check.check_meters(&routes);
        let routes = BTreeSet::from_iter(routes);
        check.check_threshold(&routes);
        check.check_signal_delay(&routes);
    }
}

struct Check<'a> {
    group: &'a GroupDraft,
    calls: &'a CallsPlan,
    links: &'a Links,
    mistakes: &'a Mistakes,
}

/// Returns why a scheme does not fit the meters on one route, if it does not.
type SchemeFit<'a> = &'a dyn Fn(&Meters<'_>) -> Option<Mismatch>;

impl Check<'_> {
    fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.group.path)
    }

    fn check_meters(&self, routes: &[&[LinkId]]) {
        if let Some(plan) = self.calls.admission.as_ref().filter(|plan| plan.needs_marks()) {
            let path = self.path("admission");
            self.check_fit(routes, (self.group.edges.admission, &path), plan.name(), &|meters| meters.fit_admission(plan));
        }
        if let Some(plan) = self.calls.termination.as_ref().filter(|plan| plan.needs_marks()) {
            let path = self.path("termination");
            self.check_fit(routes, (self.group.edges.termination, &path), plan.name(), &|meters| meters.fit_termination(plan));
        }
    }

    /// Reports a misfit on all routes as a mistake, one on some routes as a warning.
    fn check_fit(&self, routes: &[&[LinkId]], (location, path): (SourceLocation, &str), scheme: &str, fit: SchemeFit<'_>) {
        let name = &self.group.plan.name;
        let on = |route: &&[LinkId]| {
            let meters = Meters(route.iter().flat_map(|link| &self.links.groups[self.links.group_of(*link)].port.pcn).collect());
            (!meters.0.is_empty()).then(|| fit(&meters))
        };
        // Many aggregates may share a route.
        let known: BTreeMap<&[LinkId], Option<Option<Mismatch>>> = routes.iter().map(|route| (*route, on(route))).collect();
        let unmetered: Vec<usize> = (0..routes.len()).filter(|i| known[routes[*i]].is_none()).collect();
        if unmetered.len() == routes.len() {
            let message = format!("no link on the routes of '{name}' has a PCN meter, so nothing is ever marked; write pcn on one of them");
            self.mistakes.add(location, path, message);
            return;
        }
        if let Some(first) = unmetered.first() {
            let others = others(unmetered.len());
            let done = if path.ends_with("admission") { "refused" } else { "terminated" };
            let message = format!("no link on the route of {name}[{first}]{others} has a PCN meter, so none of those calls is ever {done}");
            self.mistakes.warn(location, path, message);
        }
        let mismatches: Vec<(usize, &Mismatch)> =
            routes.iter().enumerate().filter_map(|(i, route)| Some((i, known[route].as_ref()?.as_ref()?))).collect();
        let Some((first, mismatch)) = mismatches.first() else { return };
        let path = format!("{path}.{scheme}");
        let all = mismatches.len() + unmetered.len() == routes.len();
        if all && mismatches.iter().all(|(_, mismatch)| mismatch.is_useless) {
            self.mistakes.add(location, &path, format!("on the routes of '{name}', {}", mismatch.message));
            return;
        }
        let where_found =
            if all { format!("on the routes of '{name}'") } else { format!("on the route of {name}[{first}]{}", others(mismatches.len())) };
        self.mistakes.warn(location, &path, format!("{where_found}, {}", mismatch.message));
    }

    /// Warns of a CLE threshold above the marking ratio of a link at its admissible rate.
    fn check_threshold(&self, routes: &BTreeSet<&[LinkId]>) {
        let Some((plan, (key, threshold))) = self.calls.admission.as_ref().and_then(|plan| Some((plan, plan.threshold()?))) else {
            return;
        };
        let of_link = |link: &LinkId| {
            let group = &self.links.groups[self.links.group_of(*link)];
            Some((greatest_cle_threshold(&group.port.pcn)?, &group.name))
        };
        let bound = routes.iter().flat_map(|route| route.iter().filter_map(of_link)).min_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((bound, link)) = bound.filter(|(bound, _)| threshold > *bound) {
            let message = format!(
                "{threshold} is above {bound:.4}, the share that is marked on {link} at its admissible rate (1/N x admissible rate / supportable rate), so calls would be admitted beyond that rate"
            );
            self.mistakes.warn(self.group.edges.threshold, &self.path(&format!("admission.{}.{key}", plan.name())), message);
        }
    }

    fn check_signal_delay(&self, routes: &BTreeSet<&[LinkId]>) {
        let delay = |link: &LinkId| self.links.plans[link.index()].delay;
        let signal_delay = |route: &&[LinkId]| route.iter().map(delay).fold(self.calls.processing, |sum, delay| sum + delay);
        if routes.iter().any(|route| signal_delay(route) == Duration::ZERO) {
            let message =
                "signals between ingress and egress would take no time; give a link on the way a delay, or signalling a processing time";
            self.mistakes.add(self.group.location, &self.group.path, message);
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
