//! Routes with the fewest links, by a breadth-first search from their first node.

use super::node_array::NodeArray;
use super::{Core, Search};
use crate::network::routes::RouteRequest;
use penstock_model::id::{LinkId, NodeId};
use std::collections::VecDeque;

/// Entry link of a node that the search has not reached.
const NOT_REACHED: u32 = u32::MAX;

/// A resumable breadth-first search. Among routes with the fewest links it finds the one whose first differing link comes earlier in
/// the scenario.
pub struct FewestLinks<'a> {
    core: &'a Core<'a>,
    /// For each node, the link by which the search entered it.
    entered_by: NodeArray<u32>,
    queue: VecDeque<NodeId>,
}

impl<'a> FewestLinks<'a> {
    pub fn new(core: &'a Core<'a>) -> FewestLinks<'a> {
        FewestLinks { core, entered_by: NodeArray::new(core.nodes, NOT_REACHED), queue: VecDeque::new() }
    }

    /// Continues the search from `root` until it reaches `to`; returns whether it does.
    fn reaches(&mut self, root: NodeId, to: NodeId) -> bool {
        while self.entered_by.get(to) == NOT_REACHED {
            let Some(node) = self.queue.pop_front() else { return false };
            for (next, link) in self.core.out(node) {
                if *next != root && self.entered_by.get(*next) == NOT_REACHED {
                    self.entered_by.set(*next, link.0);
                    self.queue.push_back(*next);
                }
            }
        }
        true
    }
}

impl Search for FewestLinks<'_> {
    fn root(from: NodeId, _: NodeId) -> NodeId {
        from
    }

    fn begin(&mut self, root: NodeId) {
        self.entered_by.clear();
        self.queue.clear();
        self.queue.push_back(root);
    }

    fn append(&mut self, _: &RouteRequest, (from, to): (NodeId, NodeId), route: &mut Vec<LinkId>) -> bool {
        if !self.reaches(from, to) {
            return false;
        }
        let begin = route.len();
        let mut node = to;
        while node != from {
            let link = LinkId(self.entered_by.get(node));
            route.push(link);
            node = self.core.links[link.index()].from;
        }
        route[begin..].reverse();
        true
    }
}
