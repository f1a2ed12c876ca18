//! Equal-cost multi-path (ECMP): flows are spread over all routes with the fewest links.

use super::sparse::{SparseArray, NOT_REACHED};
use super::{FoundRoutes, RouteRequest, Routes, TooLong, Unreachable, MAX_CACHED_ENTRIES};
use penstock_model::id::{LinkId, NodeId};
use std::collections::{BTreeMap, VecDeque};

/// Searches back from goals, and what they need.
#[derive(Default)]
pub struct DistanceCache {
    /// The links into every node, in the order of the scenario.
    into: Vec<Vec<LinkId>>,
    by_goal: BTreeMap<NodeId, GoalSearch>,
    /// Their entries together.
    kept_entries: usize,
}

/// A breadth-first search back from a goal, as far as it was needed.
struct GoalSearch {
    /// For each node, its distance to the goal in links.
    distances: SparseArray,
    queue: VecDeque<NodeId>,
    /// For each node that was passed, the links that lead on.
    nearer: BTreeMap<NodeId, Vec<LinkId>>,
    /// The links in `nearer`.
    links: usize,
}

impl GoalSearch {
    fn new(goal: NodeId) -> GoalSearch {
        let mut distances = SparseArray::default();
        distances.set(goal, 0);
        GoalSearch { distances, queue: [goal].into(), nearer: BTreeMap::new(), links: 0 }
    }

    fn entries(&self) -> usize {
        self.distances.len() + self.links
    }
}

impl Routes<'_> {
    /// The shortest routes of all `requests`, in their order: at every node one of the links on a shortest route, chosen by a hash of
    /// the request's key and the node, as a switch chooses by a hash of the addresses [RFC2992].
    ///
    /// # Errors
    /// If they are too long together.
    pub fn ecmp(&mut self, requests: &[RouteRequest]) -> Result<FoundRoutes, TooLong> {
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
            found.of_request[i] = match self.follow(requests[i], goal, search, &into) {
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

    /// Whether the search back from its goal reaches `from`; it goes on from where it stopped. All that are nearer have been reached then.
    fn is_reached(&self, search: &mut GoalSearch, from: NodeId, into: &[Vec<LinkId>]) -> bool {
        while search.distances.get(from) == NOT_REACHED {
            let Some(node) = search.queue.pop_front() else { return false };
            let distance = search.distances.get(node) + 1;
            for link in &into[node.index()] {
                let before = self.links[link.index()].from;
                if search.distances.get(before) == NOT_REACHED {
                    search.distances.set(before, distance);
                    search.queue.push_back(before);
                }
            }
        }
        true
    }

    /// From node to node until `goal`, each one link nearer, and over the last link if the destination is behind it.
    fn follow(
        &self,
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
        let GoalSearch { distances, nearer, links, .. } = search;
        while node != goal {
            let leads_on = |link: &&LinkId| distances.get(self.links[link.index()].to) < distances.get(node);
            let choices = nearer.entry(node).or_insert_with(|| {
                let choices: Vec<LinkId> = self.out(node).iter().filter(leads_on).copied().collect();
                *links += choices.len();
                choices
            });
            let chosen = (u128::from(request.key.hash([u64::from(node.0), 0])) * choices.len() as u128) >> 64;
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
