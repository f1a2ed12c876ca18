//! Routes of flows: explicit, or shortest paths.

mod ecmp;

use penstock_engine::blueprint::LinkPlan;
use penstock_model::id::{LinkId, NodeId, RouteId};
use penstock_model::rng::Key;
use std::collections::{BTreeMap, BTreeSet};

/// The links out of every node, and the routes found so far, each once.
pub(crate) struct Routes<'a> {
    links: &'a [LinkPlan],
    // The links out of node n are out[first[n]..first[n + 1]], in the order of the scenario.
    out: Vec<LinkId>,
    first: Vec<u32>,
    interned: BTreeMap<Vec<LinkId>, RouteId>,
    /// Results of searches for [`Routes::ecmp`].
    distances: ecmp::DistanceCache,
}

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

const NOT_REACHED: u32 = u32::MAX;

impl<'a> Routes<'a> {
    /// A table for these links between `nodes` nodes.
    pub fn new(nodes: usize, links: &'a [LinkPlan]) -> Routes<'a> {
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
        Routes { links, out, first, interned: BTreeMap::new(), distances: ecmp::DistanceCache::default() }
    }

    fn out(&self, node: NodeId) -> &[LinkId] {
        &self.out[self.first[node.index()] as usize..self.first[node.index() + 1] as usize]
    }

    /// The identifier of a route; equal routes have one.
    pub fn intern(&mut self, route: Vec<LinkId>) -> RouteId {
        let next = RouteId(self.interned.len() as u32);
        *self.interned.entry(route).or_insert(next)
    }

    /// The routes so far that leave `node` over a link.
    pub fn leaving(&self, node: NodeId) -> BTreeSet<RouteId> {
        let leads_on = |route: &[LinkId]| route.iter().any(|link| self.links[link.index()].from == node);
        self.interned.iter().filter(|(route, _)| leads_on(route)).map(|(_, id)| *id).collect()
    }

    /// The route along `nodes`, one link each; the first pair without a link is an error.
    pub fn along(&self, nodes: &[NodeId]) -> Result<Vec<LinkId>, (NodeId, NodeId)> {
        let link = |pair: &[NodeId]| {
            let to = |link: &&LinkId| self.links[link.index()].to == pair[1];
            self.out(pair[0]).iter().find(to).copied().ok_or((pair[0], pair[1]))
        };
        nodes.windows(2).map(link).collect()
    }

    /// The shortest routes of all `requests`, in their order: of several routes, the one whose first differing link stands
    /// earlier in the scenario.
    pub fn shortest(&self, requests: &[RouteRequest]) -> Vec<Result<Vec<LinkId>, Unreachable>> {
        // Where only one link leads on there is nothing to decide. Following it first lets all hosts behind one router share
        // the search from there.
        let mut searches = Vec::with_capacity(requests.len());
        for (i, RouteRequest { from, to, .. }) in requests.iter().enumerate() {
            searches.push((self.first_fork(*from, *to), *to, i));
        }
        searches.sort_unstable();
        let mut routes = vec![Err(Unreachable); requests.len()];
        let mut tree: Option<(NodeId, Vec<u32>)> = None;
        for (fork, to, i) in searches {
            if tree.as_ref().is_none_or(|(root, _)| *root != fork) {
                tree = Some((fork, self.breadth_first_search(fork)));
            }
            let (_, entered_by) = tree.as_ref().expect("searched just now");
            routes[i] = self.assemble(requests[i].from, fork, to, entered_by);
        }
        routes
    }

    /// Where a packet from `from` to `to` first has a choice, or `to`.
    fn first_fork(&self, from: NodeId, to: NodeId) -> NodeId {
        let mut node = from;
        for _ in 0..self.first.len() {
            match self.out(node) {
                [only] if node != to => node = self.links[only.index()].to,
                _ => break,
            }
        }
        node
    }

    /// For each node, the link by which a breadth-first search from `root` entered it.
    fn breadth_first_search(&self, root: NodeId) -> Vec<u32> {
        let mut entered_by = vec![NOT_REACHED; self.first.len() - 1];
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            for link in self.out(node) {
                let to = self.links[link.index()].to;
                if to != root && entered_by[to.index()] == NOT_REACHED {
                    entered_by[to.index()] = link.0;
                    queue.push_back(to);
                }
            }
        }
        entered_by
    }

    /// The only links from `from` to `fork`, then the links of the search tree to `to`.
    fn assemble(&self, from: NodeId, fork: NodeId, to: NodeId, entered_by: &[u32]) -> Result<Vec<LinkId>, Unreachable> {
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
            if entered_by[node.index()] == NOT_REACHED {
                return Err(Unreachable);
            }
            let link = LinkId(entered_by[node.index()]);
            route.push(link);
            node = self.links[link.index()].from;
        }
        route[forced..].reverse();
        Ok(route)
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
