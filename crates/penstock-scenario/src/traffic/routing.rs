//! Gives every flow its routes.

use crate::network::links::Links;
use crate::network::nodes::Nodes;
use crate::network::routes::{Routes, Trip};
use crate::read::mistake::Place;
use crate::read::section::Section;
use crate::top_keys::Routing;
use crate::traffic::group::{Given, GroupDraft};
use penstock_engine::blueprint::FlowPlan;
use penstock_model::id::{LinkId, NodeId, RouteId};
use penstock_model::rng::Key;

/// Routes all flows; the flows in order and the table of routes, or `None` after a mistake.
pub(crate) fn route_all(
    groups: &[GroupDraft],
    nodes: &Nodes,
    links: &Links,
    routing: Routing,
    top: &Section<'_>,
) -> Option<(Vec<FlowPlan>, Vec<Vec<LinkId>>)> {
    let mut routes = Routes::new(nodes.len(), &links.plans);
    let mut router = Router { nodes, routing, top, sound: true };
    let mut flows = Vec::with_capacity(groups.iter().map(|group| group.count).sum());
    for (g, group) in groups.iter().enumerate() {
        let ends = |i| (group.from.node(i), group.to.node(i));
        let there = router.way(&mut routes, group, group.route.as_ref(), "", &ends);
        let back = if group.answers() {
            router.way(&mut routes, group, group.route_back.as_ref(), " for acknowledgements", &|i| (ends(i).1, ends(i).0))
        } else {
            there.clone()
        };
        let (Some(there), Some(back)) = (there, back) else { continue };
        flows.extend(there.into_iter().zip(back).enumerate().map(|(i, (forward, backward))| {
            let (from, to) = ends(i);
            FlowPlan { group: g as u32, member: i as u32, from, to, forward, backward }
        }));
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
    /// The routes of a group's members, one way; `None` after a mistake, of which the first is noted.
    fn way(
        &mut self,
        routes: &mut Routes<'_>,
        group: &GroupDraft,
        given: Option<&Given>,
        purpose: &str,
        ends: &dyn Fn(usize) -> (NodeId, NodeId),
    ) -> Option<Vec<RouteId>> {
        let mut ids = Vec::with_capacity(group.count);
        match given {
            None => {
                // Hashes must not depend on what else is in the scenario, nor be equal both ways.
                let key = Key::root(0, 0).child("ecmp").child(&group.plan.name).child(purpose);
                let trip = |(i, (from, to))| Trip { from, to, key: key.nth(i as u64) };
                let trips: Vec<Trip> = (0..group.count).map(ends).enumerate().map(trip).collect();
                let found = match self.routing {
                    Routing::First => routes.shortest(&trips),
                    Routing::Ecmp => routes.spread(&trips),
                };
                for (route, Trip { from, to, .. }) in found.into_iter().zip(&trips) {
                    let Ok(route) = route else {
                        return self.wrong(group.place, &group.path, no_route(self.nodes, *from, *to, purpose));
                    };
                    ids.push(routes.intern(route));
                }
            }
            Some(given) => {
                let path = format!("{}.{}", group.path, given.key);
                for i in 0..group.count {
                    let nodes: Vec<NodeId> = given.nodes.iter().map(|end| end.node(i)).collect();
                    match self.along(routes, &nodes, ends(i)) {
                        Ok(route) => ids.push(routes.intern(route)),
                        Err(message) => return self.wrong(given.place, &path, message),
                    }
                }
            }
        }
        Some(ids)
    }

    fn along(&self, routes: &Routes<'_>, nodes: &[NodeId], (from, to): (NodeId, NodeId)) -> Result<Vec<LinkId>, String> {
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
        routes.through(nodes).map_err(|(a, b)| format!("there is no link from '{}' to '{}'", name(a), name(b)))
    }

    fn wrong<T>(&mut self, place: Place, path: &str, message: String) -> Option<T> {
        self.top.mistakes.add(place, path, message);
        self.sound = false;
        None
    }
}

/// What to say of two nodes without a route.
fn no_route(nodes: &Nodes, from: NodeId, to: NodeId, purpose: &str) -> String {
    let (from, to) = (nodes.name(from), nodes.name(to));
    format!("no route from '{from}' to '{to}'{purpose}: links run one way; add both-ways = true or a link on the way")
}
