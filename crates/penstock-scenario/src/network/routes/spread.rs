//! Equal-cost multi-path: flows are spread over all routes with the fewest links.

use super::{Routes, Trip, Unreachable, NOT_REACHED};
use penstock_model::id::{LinkId, NodeId};
use std::collections::{BTreeMap, VecDeque};

/// How many links are left from every node to a goal, for goals that have been searched from.
#[derive(Default)]
pub struct Left {
    /// The links into every node, in the order of the scenario.
    into: Vec<Vec<LinkId>>,
    by_goal: BTreeMap<NodeId, Vec<u32>>,
}

/// So many numbers are kept at most; a large network has many goals, and groups of flows share them.
const MOST_KEPT: usize = 10_000_000;

impl Routes<'_> {
    /// The shortest routes of all `trips`, in their order: at every node one of the links that lead on, chosen by a hash of
    /// the trip's key and the node, as a switch chooses by a hash of the addresses [RFC2992].
    pub fn spread(&mut self, trips: &[Trip]) -> Vec<Result<Vec<LinkId>, Unreachable>> {
        let Left { mut into, mut by_goal } = std::mem::take(&mut self.left);
        if into.is_empty() {
            into = vec![Vec::new(); self.first.len() - 1];
            self.links.iter().enumerate().for_each(|(i, link)| into[link.to.index()].push(LinkId(i as u32)));
        }
        // All hosts behind one router share the search from there.
        let before = |to: NodeId| match into[to.index()][..] {
            [only] => self.links[only.index()].from,
            _ => to,
        };
        let mut searches: Vec<(NodeId, usize)> = trips.iter().enumerate().map(|(i, trip)| (before(trip.to), i)).collect();
        searches.sort_unstable();
        let mut routes = vec![Err(Unreachable); trips.len()];
        for (goal, i) in searches {
            if by_goal.len() * into.len() >= MOST_KEPT && !by_goal.contains_key(&goal) {
                by_goal.clear();
            }
            let left = by_goal.entry(goal).or_insert_with(|| self.links_left(goal, &into));
            routes[i] = self.follow(trips[i], goal, left, &into);
        }
        self.left = Left { into, by_goal };
        routes
    }

    /// For each node, how many links are left to `goal`.
    fn links_left(&self, goal: NodeId, into: &[Vec<LinkId>]) -> Vec<u32> {
        let mut left = vec![NOT_REACHED; into.len()];
        left[goal.index()] = 0;
        let mut queue = VecDeque::from([goal]);
        while let Some(node) = queue.pop_front() {
            for link in &into[node.index()] {
                let from = self.links[link.index()].from;
                if left[from.index()] == NOT_REACHED {
                    left[from.index()] = left[node.index()] + 1;
                    queue.push_back(from);
                }
            }
        }
        left
    }

    /// From node to node until `goal`, each one link nearer, and over the last link if the trip ends behind it.
    fn follow(&self, trip: Trip, goal: NodeId, left: &[u32], into: &[Vec<LinkId>]) -> Result<Vec<LinkId>, Unreachable> {
        let mut route = Vec::new();
        let mut node = trip.from;
        if left[node.index()] == NOT_REACHED {
            return Err(Unreachable);
        }
        while node != goal {
            let nearer = |link: &&LinkId| left[self.links[link.index()].to.index()] < left[node.index()];
            let count = self.out(node).iter().filter(nearer).count() as u64;
            let chosen = (u128::from(trip.key.hash([u64::from(node.0), 0])) * u128::from(count)) >> 64;
            let link = self.out(node).iter().filter(nearer).nth(chosen as usize).expect("some link leads on");
            route.push(*link);
            node = self.links[link.index()].to;
        }
        if goal != trip.to {
            route.push(into[trip.to.index()][0]);
        }
        Ok(route)
    }
}
