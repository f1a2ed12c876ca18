//! Gives every flow its routes.

use crate::network::links::Links;
use crate::network::nodes::Nodes;
use crate::network::routes::{FoundRoutes, RouteRequest, Routes, TooLong, Unreachable, MAX_ROUTED_LINKS};
use crate::read::mistake::SourceLocation;
use crate::read::section::Section;
use crate::top_keys::Routing;
use crate::traffic::group::{GivenRoute, GroupDraft};
use penstock_engine::blueprint::{FlowPlan, RouteSet, SwitchPlan};
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::rng::Key;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A direction of routes, for all groups: data, or return traffic.
struct Direction {
    /// Its name in messages.
    purpose: &'static str,
    /// Whether a group sends anything this way.
    is_used: fn(&GroupDraft) -> bool,
    /// The route that the scenario gives.
    given: fn(&GroupDraft) -> Option<&GivenRoute>,
    /// The nodes at which the route of a member begins and ends.
    ends: fn(&GroupDraft, usize) -> (NodeId, NodeId),
}

const DIRECTIONS: [Direction; 2] = [
    Direction { purpose: "", is_used: |_| true, given: |group| group.route.as_ref(), ends: GroupDraft::ends },
    Direction {
        purpose: " for acknowledgements",
        is_used: GroupDraft::has_return_traffic,
        given: |group| group.route_back.as_ref(),
        ends: |group, i| {
            let (from, to) = group.ends(i);
            (to, from)
        },
    },
];

/// The requests of all groups in one direction, and what was found.
struct Requested {
    requests: Vec<RouteRequest>,
    /// For each group, where its requests begin.
    first: Vec<usize>,
    found: Result<FoundRoutes, TooLong>,
}

impl Direction {
    /// Finds the routes of all groups without a given route.
    fn find(&self, routes: &Routes<'_>, groups: &[GroupDraft], routing: Routing) -> Requested {
        let mut requests = Vec::new();
        let mut first = Vec::with_capacity(groups.len());
        for group in groups {
            first.push(requests.len());
            if !(self.is_used)(group) || (self.given)(group).is_some() {
                continue;
            }
            // Hashes must depend on nothing else in the scenario, and must differ between the two directions.
            let key = Key::root(0, 0).child("ecmp").child(&group.plan.name).child(self.purpose);
            requests.extend((0..group.count).map(|i| {
                let (from, to) = (self.ends)(group, i);
                RouteRequest { from, to, key: key.nth(i as u64) }
            }));
        }
        let found = routes.find(routing, &requests);
        Requested { requests, first, found }
    }
}

/// Routes all flows; the flows in order and the table of routes, or `None` after a mistake.
pub(crate) fn route_all(
    groups: &[GroupDraft],
    nodes: &Nodes,
    links: &Links,
    switches: &mut [SwitchPlan],
    routing: Routing,
    top: &Section<'_>,
) -> Option<(Vec<FlowPlan>, RouteSet)> {
    let mut routes = Routes::new(nodes.len(), &links.plans, links.weights());
    let mut router = Router { nodes, top, mistakes: 0 };
    let requested = DIRECTIONS.map(|direction| direction.find(&routes, groups, routing));
    let mut flows = Vec::with_capacity(groups.iter().map(|group| group.count).sum());
    for (g, group) in groups.iter().enumerate() {
        if router.gives_up() {
            break;
        }
        let mut route_group = |i: usize| router.route_group(&mut routes, group, g, &DIRECTIONS[i], &requested[i]);
        let forward = route_group(0);
        let backward = if group.has_return_traffic() { route_group(1) } else { forward.clone() };
        let (Some(forward), Some(backward)) = (forward, backward) else { continue };
        flows.extend(forward.into_iter().zip(backward).enumerate().map(|(i, (forward, backward))| {
            let (from, to) = group.ends(i);
            FlowPlan { group: g as u32, member: i as u32, from, to, forward, backward }
        }));
    }
    drop(requested);
    let sends_messages = |switch: &&SwitchPlan| switch.source_quench.is_some() || switch.congestion_points.is_some();
    let quenching: Vec<NodeId> = switches.iter().filter(sends_messages).map(|switch| switch.node).collect();
    let passing = |way: fn(&FlowPlan) -> (NodeId, RouteId)| match quenching.is_empty() {
        true => BTreeMap::new(),
        false => routes.flows_leaving(&quenching, &flows, way),
    };
    let (data, answers) = (passing(|flow| (flow.from, flow.forward)), passing(|flow| (flow.to, flow.backward)));
    for switch in switches {
        if router.gives_up() {
            break;
        }
        let [data, answers] = [&data, &answers].map(|passing| passing.get(&switch.node).map_or(&[][..], Vec::as_slice));
        router.route_quenches(&mut routes, &flows, switch, data);
        router.route_notifications(&mut routes, &flows, switch, (data, answers));
    }
    (router.mistakes == 0).then(|| (flows, routes.into_table()))
}

struct Router<'a, 'b> {
    nodes: &'a Nodes,
    top: &'a Section<'b>,
    mistakes: usize,
}

impl Router<'_, '_> {
    /// The routes of the `g`-th group's members in one direction; `None` after a mistake. Only the first mistake is reported.
    fn route_group(
        &mut self,
        routes: &mut Routes<'_>,
        group: &GroupDraft,
        g: usize,
        direction: &Direction,
        requested: &Requested,
    ) -> Option<Vec<RouteId>> {
        let mut ids = Vec::with_capacity(group.count);
        match (direction.given)(group) {
            None => {
                let members = requested.first[g]..requested.first[g] + group.count;
                let found = match &requested.found {
                    Ok(found) => found,
                    Err(TooLong(i)) if members.contains(i) => return self.report_too_long(group),
                    Err(TooLong(_)) => return None,
                };
                match intern_all(routes, found, members) {
                    Ok(found) => ids = found,
                    Err(i) => {
                        let RouteRequest { from, to, .. } = requested.requests[i];
                        let message = no_route(self.nodes, from, to, direction.purpose);
                        return self.report(group.location, &group.path, message);
                    }
                }
            }
            Some(given) => {
                let path = format!("{}.{}", group.path, given.key);
                for i in 0..group.count {
                    let nodes: Vec<NodeId> = given.nodes.iter().map(|end| end.node(i)).collect();
                    match self.explicit_route(routes, &nodes, (direction.ends)(group, i)) {
                        Ok(route) => ids.push(routes.intern(&route)),
                        Err(message) => return self.report(given.location, &path, message),
                    }
                    if !routes.fit() {
                        break;
                    }
                }
            }
        }
        if !routes.fit() {
            return self.report_too_long(group);
        }
        Some(ids)
    }

    fn report_too_long<T>(&mut self, group: &GroupDraft) -> Option<T> {
        let message = format!("the routes have more than {MAX_ROUTED_LINKS} links together, which are too many");
        self.report(group.location, &group.path, message)
    }

    fn explicit_route(&self, routes: &mut Routes<'_>, nodes: &[NodeId], (from, to): (NodeId, NodeId)) -> Result<Vec<LinkId>, String> {
        let name = |node| self.nodes.name(node);
        let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
        if first != from {
            return Err(format!("begins at '{}', but the flow begins at '{}'", name(first), name(from)));
        }
        if last != to {
            return Err(format!("ends at '{}', but the flow ends at '{}'", name(last), name(to)));
        }
        let mut passed = BTreeSet::new();
        if let Some(twice) = nodes.iter().find(|node| !passed.insert(**node)) {
            return Err(format!("passes '{}' twice", name(*twice)));
        }
        routes.along(nodes).map_err(|(a, b)| format!("there is no link from '{}' to '{}'", name(a), name(b)))
    }

    /// Routes source quenches from a switch to the sources of the flows that it forwards.
    fn route_quenches(&mut self, routes: &mut Routes<'_>, flows: &[FlowPlan], switch: &mut SwitchPlan, passing: &[FlowId]) {
        let Some(quench) = &mut switch.source_quench else { return };
        let sources: Vec<(FlowId, &FlowPlan)> = passing.iter().map(|flow| (*flow, &flows[flow.index()])).collect();
        let request = |(_, flow): &(FlowId, &FlowPlan)| RouteRequest { from: switch.node, to: flow.from, key: Key::root(0, 0) };
        let found = routes.find(Routing::First, &sources.iter().map(request).collect::<Vec<RouteRequest>>());
        let draft = self.nodes.switch(switch.node).expect("it has been read");
        let path = || format!("{}.source-quench", draft.path);
        let interned = found.map(|found| intern_all(routes, &found, 0..sources.len()));
        match interned {
            Ok(Ok(ids)) if routes.fit() => {
                quench.routes = sources.iter().zip(ids).map(|((flow, _), route)| (*flow, false, route)).collect()
            }
            Ok(Err(i)) => {
                let message = no_route(self.nodes, switch.node, sources[i].1.from, " for its quenches");
                self.report::<()>(draft.quench_location, &path(), message);
            }
            _ => {
                let message = format!("the routes have more than {MAX_ROUTED_LINKS} links together, which are too many");
                self.report::<()>(draft.quench_location, &path(), message);
            }
        }
    }

    /// Routes the messages of a switch's congestion points to both ends of the flows that it forwards: of data and of
    /// acknowledgements.
    fn route_notifications(
        &mut self,
        routes: &mut Routes<'_>,
        flows: &[FlowPlan],
        switch: &mut SwitchPlan,
        (data, answers): (&[FlowId], &[FlowId]),
    ) {
        let Some(points) = &mut switch.congestion_points else { return };
        let to_source = data.iter().map(|id| (*id, false, flows[id.index()].from));
        // A flow without acknowledgements has one route for both.
        let answered = answers.iter().filter(|id| flows[id.index()].backward != flows[id.index()].forward);
        let to_receiver = answered.map(|id| (*id, true, flows[id.index()].to));
        let told: Vec<(FlowId, bool, NodeId)> = to_source.chain(to_receiver).collect();
        let request = |(.., source): &(FlowId, bool, NodeId)| RouteRequest { from: switch.node, to: *source, key: Key::root(0, 0) };
        let found = routes.find(Routing::First, &told.iter().map(request).collect::<Vec<RouteRequest>>());
        let draft = self.nodes.switch(switch.node).expect("it has been read");
        let path = || format!("{}.congestion-point", draft.path);
        let interned = found.map(|found| intern_all(routes, &found, 0..told.len()));
        match interned {
            Ok(Ok(ids)) if routes.fit() => {
                points.routes = told.iter().zip(ids).map(|((flow, acknowledges, _), route)| (*flow, *acknowledges, route)).collect();
            }
            Ok(Err(i)) => {
                let message = no_route(self.nodes, switch.node, told[i].2, " for its messages");
                self.report::<()>(draft.congestion_location, &path(), message);
            }
            _ => {
                let message = format!("the routes have more than {MAX_ROUTED_LINKS} links together, which are too many");
                self.report::<()>(draft.congestion_location, &path(), message);
            }
        }
    }

    fn report<T>(&mut self, location: SourceLocation, path: &str, message: String) -> Option<T> {
        self.top.mistakes.add(location, path, message);
        self.mistakes += 1;
        None
    }

    /// Whether enough groups have no route to skip the others: each search may visit the whole network.
    fn gives_up(&self) -> bool {
        self.mistakes >= 100
    }
}

/// Interns the routes of some requests in their order; the first of them without one is an error.
fn intern_all(routes: &mut Routes<'_>, found: &FoundRoutes, requests: Range<usize>) -> Result<Vec<RouteId>, usize> {
    requests.map(|i| found.route(i).map(|route| routes.intern(route)).map_err(|Unreachable| i)).collect()
}

/// The message about two nodes without a route.
fn no_route(nodes: &Nodes, from: NodeId, to: NodeId, purpose: &str) -> String {
    let (from, to) = (nodes.name(from), nodes.name(to));
    format!("no route from '{from}' to '{to}'{purpose}: links run one way; add both-ways = true or a link on the way")
}
