//! Routes of flows: explicit, or shortest paths.

mod adjacency;
mod distinct;
mod fewest_links;
mod least_weight;
mod node_array;
mod pendant_trees;
#[cfg(test)]
mod tests;

use crate::top_keys::Routing;
use adjacency::Adjacency;
use distinct::DistinctRoutes;
use fewest_links::FewestLinks;
use least_weight::LeastWeight;
use pendant_trees::PendantTrees;
use penstock_engine::blueprint::{FlowPlan, LinkPlan, RouteSet};
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::rng::Key;
use std::cell::Cell;
use std::collections::BTreeMap;

/// The network in the form in which routes are searched for, and the distinct routes found so far.
pub(crate) struct Routes<'a> {
    core: Core<'a>,
    trees: PendantTrees,
    /// The first link from one node to another, sorted; built on first use.
    between: Vec<(NodeId, NodeId, LinkId)>,
    distinct: DistinctRoutes,
}

/// Maximum number of links of all routes together.
pub(crate) const MAX_ROUTED_LINKS: usize = 100_000_000;

/// The ends of a route that is to be found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteRequest {
    pub from: NodeId,
    pub to: NodeId,
    /// The key of the flow that uses it, for hashing.
    pub key: Key,
}

/// No path of links leads from one node to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable;

/// The routes of some requests, in their order.
#[derive(Default)]
pub(crate) struct FoundRoutes {
    distinct: DistinctRoutes,
    of_request: Vec<Option<RouteId>>,
}

impl FoundRoutes {
    /// The route of the `i`-th request.
    pub fn route(&self, i: usize) -> Result<&[LinkId], Unreachable> {
        self.of_request[i].map(|route| &self.distinct.routes()[route.index()]).ok_or(Unreachable)
    }
}

/// With the route of this request, the routes have more than [`MAX_ROUTED_LINKS`] links together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLong(pub usize);

/// A network without its pendant trees, in which routes are searched for.
struct Core<'a> {
    nodes: usize,
    /// All links, including links of trees.
    links: &'a [LinkPlan],
    /// Weights by link; empty if all are equal.
    weights: Vec<u64>,
    out: Adjacency,
    into: Adjacency,
    /// Number of links that all searches have looked at.
    looked_at: Cell<u64>,
}

impl Core<'_> {
    fn weight(&self, link: LinkId) -> u64 {
        self.weights.get(link.index()).copied().unwrap_or(1)
    }

    fn out(&self, node: NodeId) -> &[(NodeId, LinkId)] {
        self.counted(self.out.at(node))
    }

    fn into(&self, node: NodeId) -> &[(NodeId, LinkId)] {
        self.counted(self.into.at(node))
    }

    fn counted<'b>(&self, links: &'b [(NodeId, LinkId)]) -> &'b [(NodeId, LinkId)] {
        self.looked_at.set(self.looked_at.get() + links.len() as u64);
        links
    }
}

/// A search through the core that serves all requests with the same root, at which their routes begin or end.
trait Search {
    /// The root of the search for a route between these nodes.
    fn root(from: NodeId, to: NodeId) -> NodeId;

    /// Restarts the search at another root.
    fn begin(&mut self, root: NodeId);

    /// Adds the links of a request's route between two nodes of the core; false if there is none.
    fn append(&mut self, request: &RouteRequest, ends: (NodeId, NodeId), route: &mut Vec<LinkId>) -> bool;
}

impl<'a> Routes<'a> {
    /// A table for these links between `nodes` nodes; without `weights`, all links weigh the same.
    pub fn new(nodes: usize, links: &'a [LinkPlan], weights: Vec<u64>) -> Routes<'a> {
        let trees = PendantTrees::new(nodes, links);
        let in_core = |(_, link): &(LinkId, &LinkPlan)| trees.is_root(link.from) && trees.is_root(link.to);
        let links_in_core = (0..).map(LinkId).zip(links).filter(in_core);
        let out = Adjacency::new(nodes, links_in_core.clone().map(|(id, link)| (link.from, link.to, id)));
        let into = Adjacency::new(nodes, links_in_core.map(|(id, link)| (link.to, link.from, id)));
        let core = Core { nodes, links, weights, out, into, looked_at: Cell::new(0) };
        Routes { core, trees, between: Vec::new(), distinct: DistinctRoutes::default() }
    }

    /// The identifier of a route; equal routes have the same.
    pub fn intern(&mut self, route: &[LinkId]) -> RouteId {
        self.distinct.add(route)
    }

    /// Whether all routes so far have no more than [`MAX_ROUTED_LINKS`] links together.
    pub fn fit(&self) -> bool {
        self.distinct.routes().links().len() <= MAX_ROUTED_LINKS
    }

    /// For each of these nodes, the flows that come from another node and leave it over a link.
    pub fn flows_leaving(
        &self,
        nodes: &[NodeId],
        flows: &[FlowPlan],
        way: fn(&FlowPlan) -> (NodeId, RouteId),
    ) -> BTreeMap<NodeId, Vec<FlowId>> {
        let mut leaving: BTreeMap<NodeId, Vec<FlowId>> = nodes.iter().map(|node| (*node, Vec::new())).collect();
        for (id, flow) in (0..).map(FlowId).zip(flows) {
            let (origin, route) = way(flow);
            let on_the_way = self.distinct.routes()[route.index()].iter().map(|link| self.core.links[link.index()].from);
            for node in on_the_way.filter(|node| *node != origin) {
                leaving.entry(node).and_modify(|flows| flows.push(id));
            }
        }
        leaving
    }

    /// The route along `nodes`, one link each; the first pair without a link is an error.
    pub fn along(&mut self, nodes: &[NodeId]) -> Result<Vec<LinkId>, (NodeId, NodeId)> {
        if self.between.is_empty() {
            self.between = (0..).map(LinkId).zip(self.core.links).map(|(id, link)| (link.from, link.to, id)).collect();
            self.between.sort_unstable();
        }
        let link = |pair: &[NodeId]| {
            let (from, to) = (pair[0], pair[1]);
            let first = self.between.partition_point(|(a, b, _)| (*a, *b) < (from, to));
            let found = self.between.get(first).filter(|(a, b, _)| (*a, *b) == (from, to));
            found.map(|(_, _, link)| *link).ok_or((from, to))
        };
        nodes.windows(2).map(link).collect()
    }

    /// Finds the routes of minimum weight of all `requests`. With [`Routing::First`], it chooses among several routes the one whose
    /// first differing link comes earlier in the scenario.
    ///
    /// One search serves all requests whose routes end at the same node of the core or in trees that hang there. If the routes begin
    /// at fewer different nodes of the core than they end at, one search serves all routes that begin at the same node.
    ///
    /// # Errors
    /// If the routes have too many links together.
    pub fn find(&self, routing: Routing, requests: &[RouteRequest]) -> Result<FoundRoutes, TooLong> {
        let ends: Vec<Result<(NodeId, NodeId), Unreachable>> =
            requests.iter().map(|request| self.trees.ends_between(request.from, request.to)).collect();
        let differing = |end: fn(&(NodeId, NodeId)) -> NodeId| {
            let mut nodes: Vec<NodeId> = ends.iter().flatten().map(end).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes.len()
        };
        let goes_forward = routing == Routing::First && self.core.weights.is_empty();
        if goes_forward && differing(|(from, _)| *from) < differing(|(_, to)| *to) {
            self.find_by(FewestLinks::new(&self.core), requests, &ends)
        } else {
            self.find_by(LeastWeight::new(&self.core, routing), requests, &ends)
        }
    }

    fn find_by<S: Search>(
        &self,
        mut search: S,
        requests: &[RouteRequest],
        ends: &[Result<(NodeId, NodeId), Unreachable>],
    ) -> Result<FoundRoutes, TooLong> {
        let root = |(i, ends): (usize, &Result<(NodeId, NodeId), Unreachable>)| ends.ok().map(|(from, to)| (S::root(from, to), i as u32));
        let mut by_root: Vec<(NodeId, u32)> = ends.iter().enumerate().filter_map(root).collect();
        by_root.sort_unstable();
        let mut found = FoundRoutes { of_request: vec![None; requests.len()], ..FoundRoutes::default() };
        let mut begun = None;
        let mut route = Vec::new();
        for (root, i) in by_root {
            let i = i as usize;
            let (request, Ok((from, to))) = (&requests[i], ends[i]) else { continue };
            route.clear();
            self.trees.climb(request.from, from, &mut route);
            if from != to {
                if begun.replace(root) != Some(root) {
                    search.begin(root);
                }
                if !search.append(request, (from, to), &mut route) {
                    continue;
                }
            }
            self.trees.descend(to, request.to, &mut route);
            found.of_request[i] = Some(found.distinct.add(&route));
            if found.distinct.routes().links().len() > MAX_ROUTED_LINKS {
                return Err(TooLong(i));
            }
        }
        Ok(found)
    }

    /// The table of routes, by identifier.
    pub fn into_table(self) -> RouteSet {
        self.distinct.into_routes()
    }
}
