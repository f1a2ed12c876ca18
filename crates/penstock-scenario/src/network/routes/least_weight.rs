//! Routes of least weight by Dijkstra's algorithm [Dijkstra59], searched for back from where they end. Equal-cost multi-path (ECMP)
//! spreads flows over all of them.

use super::sparse::SparseArray;
use super::{FoundRoutes, RouteRequest, Routes, TooLong, Unreachable, MAX_CACHED_ENTRIES};
use crate::top_keys::Routing;
use penstock_model::id::{LinkId, NodeId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Searches back from goals, and what they need.
#[derive(Default)]
pub struct DistanceCache {
    /// The links into every node, in the order of the scenario.
    into: Vec<Vec<LinkId>>,
    by_goal: BTreeMap<NodeId, GoalSearch>,
    /// Their entries together.
    kept_entries: usize,
}

/// The distance of what no search has reached.
const FAR: u64 = u64::MAX;

/// A search back from a goal, as far as it was needed.
struct GoalSearch {
    /// For each node, the least weight found so far of a route to the goal.
    distances: SparseArray<u64>,
    /// Distances up to this one are final. All weights are above zero, so all that are nearer are, too.
    passed: u64,
    queue: BinaryHeap<Reverse<(u64, NodeId)>>,
    /// For each node that was passed, the links that lead on.
    leading_on: BTreeMap<NodeId, Vec<LinkId>>,
    /// The links in `leading_on`.
    links: usize,
}

impl GoalSearch {
    fn new(goal: NodeId) -> GoalSearch {
        let mut distances = SparseArray::new(FAR);
        distances.set(goal, 0);
        GoalSearch { distances, passed: 0, queue: [Reverse((0, goal))].into(), leading_on: BTreeMap::new(), links: 0 }
    }

    fn entries(&self) -> usize {
        self.distances.len() + self.links
    }
}

impl Routes<'_> {
    /// The routes of least weight of all `requests`, in their order: at every node the first link on such a route, or with
    /// [`Routing::Ecmp`] one of them, chosen by a hash of the request's key and the node, as a switch chooses by a hash of the
    /// addresses [RFC2992].
    ///
    /// # Errors
    /// If they are too long together.
    pub(super) fn of_least_weight(&mut self, routing: Routing, requests: &[RouteRequest]) -> Result<FoundRoutes, TooLong> {
        let DistanceCache { mut into, mut by_goal, mut kept_entries } = std::mem::take(&mut self.distances);
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
        let mut found = FoundRoutes::for_requests(requests.len());
        let mut known: BTreeMap<Vec<LinkId>, usize> = BTreeMap::new();
        for (goal, i) in searches {
            if !by_goal.contains_key(&goal) && kept_entries > MAX_CACHED_ENTRIES {
                by_goal.clear();
                kept_entries = 0;
            }
            let search = by_goal.entry(goal).or_insert_with(|| GoalSearch::new(goal));
            let before = search.entries();
            found.of_request[i] = match self.follow(routing, requests[i], goal, search, &into) {
                Err(Unreachable) => Err(Unreachable),
                Ok(route) => Ok(match known.get(&route) {
                    Some(position) => *position,
                    None => {
                        known.insert(route.clone(), found.routes.len());
                        found.add(route)?
                    }
                }),
            };
            kept_entries += search.entries() - before;
        }
        self.distances = DistanceCache { into, by_goal, kept_entries };
        Ok(found)
    }

    fn weight(&self, link: LinkId) -> u64 {
        self.weights.get(link.index()).copied().unwrap_or(1)
    }

    /// Whether the search back from its goal reaches `from`; it goes on from where it stopped. All that are nearer have been reached then.
    fn is_reached(&self, search: &mut GoalSearch, from: NodeId, into: &[Vec<LinkId>]) -> bool {
        // What is not reached is farther than anything that was passed.
        while search.distances.get(from) > search.passed {
            let Some(Reverse((distance, node))) = search.queue.pop() else { return false };
            if distance > search.distances.get(node) {
                continue;
            }
            search.passed = distance;
            for link in &into[node.index()] {
                let before = self.links[link.index()].from;
                let through = distance + self.weight(*link);
                if through < search.distances.get(before) {
                    search.distances.set(before, through);
                    search.queue.push(Reverse((through, before)));
                }
            }
        }
        true
    }

    /// From node to node until `goal`, each on a route of least weight, and over the last link if the destination is behind it.
    fn follow(
        &self,
        routing: Routing,
        request: RouteRequest,
        goal: NodeId,
        search: &mut GoalSearch,
        into: &[Vec<LinkId>],
    ) -> Result<Vec<LinkId>, Unreachable> {
        let mut route = Vec::new();
        let mut node = request.from;
        if !self.is_reached(search, node, into) {
            return Err(Unreachable);
        }
        let GoalSearch { distances, leading_on, links, .. } = search;
        while node != goal {
            // The distances of nodes beyond this one need not be final, but are no less than its own then.
            let distance = distances.get(node);
            let leads_on = |link: &&LinkId| distance.checked_sub(self.weight(**link)) == Some(distances.get(self.links[link.index()].to));
            let choices = leading_on.entry(node).or_insert_with(|| {
                let choices: Vec<LinkId> = self.out(node).iter().filter(leads_on).copied().collect();
                *links += choices.len();
                choices
            });
            let chosen = match routing {
                Routing::First => 0,
                Routing::Ecmp => (u128::from(request.key.hash([u64::from(node.0), 0])) * choices.len() as u128) >> 64,
            };
            let link = choices[chosen as usize];
            route.push(link);
            node = self.links[link.index()].to;
        }
        if goal != request.to {
            route.push(into[request.to.index()][0]);
        }
        Ok(route)
    }
}
