//! Routes of flows: explicit, or shortest paths.

mod least_weight;
mod sparse;

use crate::top_keys::Routing;
use penstock_engine::blueprint::{FlowPlan, LinkPlan};
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::rng::Key;
use sparse::SparseArray;
use std::collections::{BTreeMap, VecDeque};

/// The links out of every node, and the routes found so far, each once.
pub(crate) struct Routes<'a> {
    links: &'a [LinkPlan],
    /// Of each link; empty if all are alike.
    weights: Vec<u64>,
    // The links out of node n are out[first[n]..first[n + 1]], in the order of the scenario.
    out: Vec<LinkId>,
    first: Vec<u32>,
    /// The first link from one node to another, sorted; made when it is needed.
    between: Vec<(NodeId, NodeId, LinkId)>,
    interned: BTreeMap<Vec<LinkId>, RouteId>,
    /// How many links the interned routes have together.
    interned_links: usize,
    /// Search trees by their roots.
    trees: BTreeMap<NodeId, SearchTree>,
    /// Their entries together.
    kept_entries: usize,
    /// Results of searches for [`Routes::of_least_weight`].
    distances: least_weight::DistanceCache,
}

/// Entries of all searches that are kept: groups of flows share them.
const MAX_CACHED_ENTRIES: usize = 10_000_000;

/// The most links of all routes together.
pub(crate) const MAX_ROUTED_LINKS: usize = 100_000_000;

/// The ends of a route that is to be found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteRequest {
    pub from: NodeId,
    pub to: NodeId,
    /// The key of the flow that takes it, for hashing.
    pub key: Key,
}

/// No path of links leads from one node to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable;

/// The routes of some requests.
#[derive(Default)]
pub(crate) struct FoundRoutes {
    /// Each route once.
    pub routes: Vec<Vec<LinkId>>,
    /// Each request's position there.
    pub of_request: Vec<Result<usize, Unreachable>>,
    /// The links of `routes` together.
    links: usize,
}

impl FoundRoutes {
    fn for_requests(count: usize) -> FoundRoutes {
        FoundRoutes { of_request: vec![Err(Unreachable); count], ..FoundRoutes::default() }
    }

    /// Adds a route, unless all of them would be too long.
    fn add(&mut self, route: Vec<LinkId>) -> Result<usize, TooLong> {
        self.links += route.len();
        self.routes.push(route);
        if self.links > MAX_ROUTED_LINKS {
            return Err(TooLong);
        }
        Ok(self.routes.len() - 1)
    }
}

/// The routes have more than [`MAX_ROUTED_LINKS`] links together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLong;

/// The link by which a search enters what it has not entered.
const NOT_REACHED: u32 = u32::MAX;

/// A breadth-first search from a root, as far as it was needed.
struct SearchTree {
    /// For each node, the link by which the search entered it.
    entered_by: SparseArray<u32>,
    queue: VecDeque<NodeId>,
}

impl<'a> Routes<'a> {
    /// A table for these links between `nodes` nodes; without `weights`, all links weigh the same.
    pub fn new(nodes: usize, links: &'a [LinkPlan], weights: Vec<u64>) -> Routes<'a> {
        let mut first = vec![0u32; nodes + 1];
        for link in links {
            first[link.from.index() + 1] += 1;
        }
        for n in 0..nodes {
            first[n + 1] += first[n];
        }
        let mut next = first.clone();
        let mut out = vec![LinkId(0); links.len()];
        for (i, link) in links.iter().enumerate() {
            let slot = &mut next[link.from.index()];
            out[*slot as usize] = LinkId(i as u32);
            *slot += 1;
        }
        Routes {
            links,
            weights,
            out,
            first,
            between: Vec::new(),
            interned: BTreeMap::new(),
            interned_links: 0,
            trees: BTreeMap::new(),
            kept_entries: 0,
            distances: least_weight::DistanceCache::default(),
        }
    }

    fn out(&self, node: NodeId) -> &[LinkId] {
        &self.out[self.first[node.index()] as usize..self.first[node.index() + 1] as usize]
    }

    /// The identifier of a route; equal routes have one.
    pub fn intern(&mut self, route: Vec<LinkId>) -> RouteId {
        let next = RouteId(self.interned.len() as u32);
        let length = route.len();
        let id = *self.interned.entry(route).or_insert(next);
        self.interned_links += if id == next { length } else { 0 };
        id
    }

    /// Whether all routes so far have no more than [`MAX_ROUTED_LINKS`] links together.
    pub fn fit(&self) -> bool {
        self.interned_links <= MAX_ROUTED_LINKS
    }

    /// For each of these nodes, the flows that come from another node and leave it over a link.
    pub fn flows_leaving(
        &self,
        nodes: &[NodeId],
        flows: &[FlowPlan],
        way: fn(&FlowPlan) -> (NodeId, RouteId),
    ) -> BTreeMap<NodeId, Vec<FlowId>> {
        let mut table: Vec<&[LinkId]> = vec![&[]; self.interned.len()];
        self.interned.iter().for_each(|(route, id)| table[id.index()] = route);
        let mut leaving: BTreeMap<NodeId, Vec<FlowId>> = nodes.iter().map(|node| (*node, Vec::new())).collect();
        for (id, flow) in (0..).map(FlowId).zip(flows) {
            let (origin, route) = way(flow);
            let on_the_way = table[route.index()].iter().map(|link| self.links[link.index()].from);
            for node in on_the_way.filter(|node| *node != origin) {
                leaving.entry(node).and_modify(|flows| flows.push(id));
            }
        }
        leaving
    }

    /// The route along `nodes`, one link each; the first pair without a link is an error.
    pub fn along(&mut self, nodes: &[NodeId]) -> Result<Vec<LinkId>, (NodeId, NodeId)> {
        if self.between.is_empty() {
            self.between = (0..).map(LinkId).zip(self.links).map(|(id, link)| (link.from, link.to, id)).collect();
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

    /// The routes of least weight of all `requests`, in their order.
    ///
    /// # Errors
    /// If they are too long together.
    pub fn find(&mut self, routing: Routing, requests: &[RouteRequest]) -> Result<FoundRoutes, TooLong> {
        match routing {
            Routing::First if self.weights.is_empty() => self.with_fewest_links(requests),
            Routing::First | Routing::Ecmp => self.of_least_weight(routing, requests),
        }
    }

    /// The routes with the fewest links: of several, the one whose first differing link stands earlier in the scenario.
    fn with_fewest_links(&mut self, requests: &[RouteRequest]) -> Result<FoundRoutes, TooLong> {
        // Where only one link leads on there is nothing to decide. Following it first lets all hosts behind one router share
        // the search from there.
        let mut searches = Vec::with_capacity(requests.len());
        for (i, RouteRequest { from, to, .. }) in requests.iter().enumerate() {
            // A circle without a way out: the first request without a route is told, so none behind it matters.
            let Some(fork) = self.first_fork(*from, *to) else { break };
            searches.push((fork, *to, *from, i));
        }
        searches.sort_unstable();
        let mut trees = std::mem::take(&mut self.trees);
        let mut found = FoundRoutes::for_requests(requests.len());
        let mut last: Option<((NodeId, NodeId), Result<usize, Unreachable>)> = None;
        for (fork, to, from, i) in searches {
            if let Some((_, known)) = last.filter(|(ends, _)| *ends == (from, to)) {
                found.of_request[i] = known;
                continue;
            }
            if !trees.contains_key(&fork) && self.kept_entries > MAX_CACHED_ENTRIES {
                trees.clear();
                self.kept_entries = 0;
            }
            let tree = trees.entry(fork).or_insert_with(|| SearchTree { entered_by: SparseArray::new(NOT_REACHED), queue: [fork].into() });
            let before = tree.entered_by.len();
            let route = if self.reaches(tree, fork, to) { Ok(found.add(self.assemble(from, fork, to, tree))?) } else { Err(Unreachable) };
            self.kept_entries += tree.entered_by.len() - before;
            found.of_request[i] = route;
            last = Some(((from, to), route));
        }
        self.trees = trees;
        Ok(found)
    }

    /// Where a packet from `from` to `to` first has a choice, or `to`; `None` if it goes round in a circle.
    fn first_fork(&self, from: NodeId, to: NodeId) -> Option<NodeId> {
        let mut node = from;
        for _ in 0..self.first.len() {
            match self.out(node) {
                [only] if node != to => node = self.links[only.index()].to,
                _ => return Some(node),
            }
        }
        None
    }

    /// Whether the search from `root` reaches `to`; it goes on from where it stopped.
    fn reaches(&self, tree: &mut SearchTree, root: NodeId, to: NodeId) -> bool {
        while to != root && tree.entered_by.get(to) == NOT_REACHED {
            let Some(node) = tree.queue.pop_front() else { return false };
            for link in self.out(node) {
                let next = self.links[link.index()].to;
                if next != root && tree.entered_by.get(next) == NOT_REACHED {
                    tree.entered_by.set(next, link.0);
                    tree.queue.push_back(next);
                }
            }
        }
        true
    }

    /// The only links from `from` to `fork`, then the links of the search tree to `to`, which it has reached.
    fn assemble(&self, from: NodeId, fork: NodeId, to: NodeId, tree: &SearchTree) -> Vec<LinkId> {
        let mut route = Vec::new();
        let mut node = from;
        while node != fork {
            let link = self.out(node)[0];
            route.push(link);
            node = self.links[link.index()].to;
        }
        let forced = route.len();
        let mut node = to;
        while node != fork {
            let link = LinkId(tree.entered_by.get(node));
            route.push(link);
            node = self.links[link.index()].from;
        }
        route[forced..].reverse();
        route
    }

    /// The table of routes, by identifier.
    pub fn into_table(self) -> Vec<Vec<LinkId>> {
        let mut table: Vec<(RouteId, Vec<LinkId>)> = self.interned.into_iter().map(|(route, id)| (id, route)).collect();
        table.sort_unstable_by_key(|(id, _)| *id);
        table
            .into_iter()
            .map(|(_, mut route)| {
                route.shrink_to_fit();
                route
            })
            .collect()
    }
}
