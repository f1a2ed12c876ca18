//! Equal-cost multi-path (ECMP): flows are spread over all routes with the fewest links.

use super::{RouteRequest, Routes, Unreachable, NOT_REACHED};
use penstock_model::id::{LinkId, NodeId};
use std::collections::{BTreeMap, VecDeque};

/// Distances in links from every node to a goal, for the goals that have been searched from.
#[derive(Default)]
pub struct DistanceCache {
    /// The links into every node, in the order of the scenario.
    into: Vec<Vec<LinkId>>,
    by_goal: BTreeMap<NodeId, Vec<u32>>,
}

/// The most distances that are cached: a large network has many goals, and groups of flows share them.
const MAX_CACHED_DISTANCES: usize = 10_000_000;

impl Routes<'_> {
    /// The shortest routes of all `requests`, in their order: at every node one of the links on a shortest route, chosen by a hash of
    /// the request's key and the node, as a switch chooses by a hash of the addresses [RFC2992].
    pub fn ecmp(&mut self, requests: &[RouteRequest]) -> Vec<Result<Vec<LinkId>, Unreachable>> {
        let DistanceCache { mut into, mut by_goal } = std::mem::take(&mut self.distances);
        if into.is_empty() {
            into = vec![Vec::new(); self.first.len() - 1];
            self.links.iter().enumerate().for_each(|(i, link)| into[link.to.index()].push(LinkId(i as u32)));
        }
        // All hosts behind one router share the search from there.
        let before = |to: NodeId| match into[to.index()][..] {
            [only] => self.links[only.index()].from,
            _ => to,
        };
        let mut searches: Vec<(NodeId, usize)> = requests.iter().enumerate().map(|(i, request)| (before(request.to), i)).collect();
        searches.sort_unstable();
        let mut routes = vec![Err(Unreachable); requests.len()];
        for (goal, i) in searches {
            if by_goal.len() * into.len() >= MAX_CACHED_DISTANCES && !by_goal.contains_key(&goal) {
                by_goal.clear();
            }
            let distances = by_goal.entry(goal).or_insert_with(|| self.distances_to(goal, &into));
            routes[i] = self.follow(requests[i], goal, distances, &into);
        }
        self.distances = DistanceCache { into, by_goal };
        routes
    }

    /// For each node, its distance to `goal` in links.
    fn distances_to(&self, goal: NodeId, into: &[Vec<LinkId>]) -> Vec<u32> {
        let mut distances = vec![NOT_REACHED; into.len()];
        distances[goal.index()] = 0;
        let mut queue = VecDeque::from([goal]);
        while let Some(node) = queue.pop_front() {
            for link in &into[node.index()] {
                let from = self.links[link.index()].from;
                if distances[from.index()] == NOT_REACHED {
                    distances[from.index()] = distances[node.index()] + 1;
                    queue.push_back(from);
                }
            }
        }
        distances
    }

    /// From node to node until `goal`, each one link nearer, and over the last link if the destination is behind it.
    fn follow(&self, request: RouteRequest, goal: NodeId, distances: &[u32], into: &[Vec<LinkId>]) -> Result<Vec<LinkId>, Unreachable> {
        let mut route = Vec::new();
        let mut node = request.from;
        if distances[node.index()] == NOT_REACHED {
            return Err(Unreachable);
        }
        while node != goal {
            let nearer = |link: &&LinkId| distances[self.links[link.index()].to.index()] < distances[node.index()];
            let count = self.out(node).iter().filter(nearer).count() as u64;
            let chosen = (u128::from(request.key.hash([u64::from(node.0), 0])) * u128::from(count)) >> 64;
            let link = self.out(node).iter().filter(nearer).nth(chosen as usize).expect("some link leads on");
            route.push(*link);
            node = self.links[link.index()].to;
        }
        if goal != request.to {
            route.push(into[request.to.index()][0]);
        }
        Ok(route)
    }
}
