//! Gives every flow its routes.

use crate::network::links::Links;
use crate::network::nodes::Nodes;
use crate::network::routes::{RouteRequest, Routes};
use crate::read::mistake::SourceLocation;
use crate::read::section::Section;
use crate::top_keys::Routing;
use crate::traffic::group::{GivenRoute, GroupDraft};
use penstock_engine::blueprint::{FlowPlan, SwitchPlan};
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::rng::Key;

/// Routes all flows; the flows in order and the table of routes, or `None` after a mistake.
pub(crate) fn route_all(
    groups: &[GroupDraft],
    nodes: &Nodes,
    links: &Links,
    switches: &mut [SwitchPlan],
    routing: Routing,
    top: &Section<'_>,
) -> Option<(Vec<FlowPlan>, Vec<Vec<LinkId>>)> {
    let mut routes = Routes::new(nodes.len(), &links.plans);
    let mut router = Router { nodes, routing, top, sound: true };
    let mut flows = Vec::with_capacity(groups.iter().map(|group| group.count).sum());
    for (g, group) in groups.iter().enumerate() {
        let ends = |i| (group.from.node(i), group.to.node(i));
        let forward = router.route_group(&mut routes, group, group.route.as_ref(), "", &ends);
        let backward = if group.has_return_traffic() {
            router.route_group(&mut routes, group, group.route_back.as_ref(), " for acknowledgements", &|i| (ends(i).1, ends(i).0))
        } else {
            forward.clone()
        };
        let (Some(forward), Some(backward)) = (forward, backward) else { continue };
        flows.extend(forward.into_iter().zip(backward).enumerate().map(|(i, (forward, backward))| {
            let (from, to) = ends(i);
            FlowPlan { group: g as u32, member: i as u32, from, to, forward, backward }
        }));
    }
    for switch in switches {
        router.route_quenches(&mut routes, &flows, switch);
    }
    router.sound.then(|| (flows, routes.into_table()))
}

struct Router<'a, 'b> {
    nodes: &'a Nodes,
    routing: Routing,
    top: &'a Section<'b>,
    sound: bool,
}

impl Router<'_, '_> {
    /// The routes of a group's members in one direction; `None` after a mistake, of which the first is reported.
    fn route_group(
        &mut self,
        routes: &mut Routes<'_>,
        group: &GroupDraft,
        given: Option<&GivenRoute>,
        purpose: &str,
        ends: &dyn Fn(usize) -> (NodeId, NodeId),
    ) -> Option<Vec<RouteId>> {
        let mut ids = Vec::with_capacity(group.count);
        match given {
            None => {
                // Hashes must not depend on what else is in the scenario, nor be equal both ways.
                let key = Key::root(0, 0).child("ecmp").child(&group.plan.name).child(purpose);
                let request = |(i, (from, to))| RouteRequest { from, to, key: key.nth(i as u64) };
                let requests: Vec<RouteRequest> = (0..group.count).map(ends).enumerate().map(request).collect();
                let found = match self.routing {
                    Routing::First => routes.shortest(&requests),
                    Routing::Ecmp => routes.ecmp(&requests),
                };
                for (route, RouteRequest { from, to, .. }) in found.into_iter().zip(&requests) {
                    let Ok(route) = route else {
                        return self.report(group.location, &group.path, no_route(self.nodes, *from, *to, purpose));
                    };
                    ids.push(routes.intern(route));
                }
            }
            Some(given) => {
                let path = format!("{}.{}", group.path, given.key);
                for i in 0..group.count {
                    let nodes: Vec<NodeId> = given.nodes.iter().map(|end| end.node(i)).collect();
                    match self.explicit_route(routes, &nodes, ends(i)) {
                        Ok(route) => ids.push(routes.intern(route)),
                        Err(message) => return self.report(given.location, &path, message),
                    }
                }
            }
        }
        Some(ids)
    }

    fn explicit_route(&self, routes: &Routes<'_>, nodes: &[NodeId], (from, to): (NodeId, NodeId)) -> Result<Vec<LinkId>, String> {
        let name = |node| self.nodes.name(node);
        let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
        if first != from {
            return Err(format!("begins at '{}', but the flow begins at '{}'", name(first), name(from)));
        }
        if last != to {
            return Err(format!("ends at '{}', but the flow ends at '{}'", name(last), name(to)));
        }
        if let Some(i) = (1..nodes.len()).find(|i| nodes[..*i].contains(&nodes[*i])) {
            return Err(format!("passes '{}' twice", name(nodes[i])));
        }
        routes.along(nodes).map_err(|(a, b)| format!("there is no link from '{}' to '{}'", name(a), name(b)))
    }

    /// Routes source quenches from a switch to the sources of the flows that it forwards.
    fn route_quenches(&mut self, routes: &mut Routes<'_>, flows: &[FlowPlan], switch: &mut SwitchPlan) {
        let Some(quench) = &mut switch.source_quench else { return };
        let leaving = routes.leaving(switch.node);
        let passes = |(_, flow): &(usize, &FlowPlan)| flow.from != switch.node && leaving.contains(&flow.forward);
        let sources: Vec<(usize, &FlowPlan)> = flows.iter().enumerate().filter(passes).collect();
        let request = |(_, flow): &(usize, &FlowPlan)| RouteRequest { from: switch.node, to: flow.from, key: Key::root(0, 0) };
        let found = routes.shortest(&sources.iter().map(request).collect::<Vec<RouteRequest>>());
        for (route, (i, flow)) in found.into_iter().zip(sources) {
            let Ok(route) = route else {
                let (_, draft) = self.nodes.switches().find(|(members, _)| members.contains(&switch.node.0)).expect("it has been read");
                let message = no_route(self.nodes, switch.node, flow.from, " for its quenches");
                self.report::<()>(draft.quench_location, &format!("{}.source-quench", draft.path), message);
                return;
            };
            quench.routes.push((FlowId(i as u32), routes.intern(route)));
        }
    }

    fn report<T>(&mut self, location: SourceLocation, path: &str, message: String) -> Option<T> {
        self.top.mistakes.add(location, path, message);
        self.sound = false;
        None
    }
}

/// The message about two nodes without a route.
fn no_route(nodes: &Nodes, from: NodeId, to: NodeId, purpose: &str) -> String {
    let (from, to) = (nodes.name(from), nodes.name(to));
    format!("no route from '{from}' to '{to}'{purpose}: links run one way; add both-ways = true or a link on the way")
}
