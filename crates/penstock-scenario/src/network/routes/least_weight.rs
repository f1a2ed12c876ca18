//! Routes of minimum weight by Dijkstra's algorithm [Dijkstra59], searched backwards from their end. Equal-cost multi-path (ECMP)
//! spreads flows over all of them.

use super::node_array::NodeArray;
use super::{Core, Search};
use crate::network::routes::RouteRequest;
use crate::top_keys::Routing;
use penstock_model::id::{LinkId, NodeId};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The distance of a node that no search has reached.
const FAR: u64 = u64::MAX;

/// Marks a node whose next hops have not been computed.
const UNKNOWN: (u32, u32) = (u32::MAX, u32::MAX);

/// A resumable search backwards from the end of routes, with the next hops towards it.
///
/// At every node a route uses the first link on a route of minimum weight. With [`Routing::Ecmp`] it uses one of these links, chosen
/// by a hash of the request's key and the node, as a switch hashes addresses [RFC2992].
pub struct LeastWeight<'a> {
    core: &'a Core<'a>,
    routing: Routing,
    /// For each node, the minimum weight found so far of a route to the goal.
    distances: NodeArray<u64>,
    /// Distances up to this one are final. All weights are above zero, so all nearer nodes are final, too.
    passed: u64,
    frontier: Frontier,
    /// For each node whose next hops have been computed, their range in `links`.
    next_hops: NodeArray<(u32, u32)>,
    links: Vec<LinkId>,
}

/// The nodes reached but not passed yet, nearest first.
enum Frontier {
    /// For equal weights: nodes reached later are no nearer.
    Queue(VecDeque<(u64, NodeId)>),
    Heap(BinaryHeap<Reverse<(u64, NodeId)>>),
}

impl Frontier {
    fn push(&mut self, entry: (u64, NodeId)) {
        match self {
            Frontier::Queue(queue) => queue.push_back(entry),
            Frontier::Heap(heap) => heap.push(Reverse(entry)),
        }
    }

    fn pop(&mut self) -> Option<(u64, NodeId)> {
        match self {
            Frontier::Queue(queue) => queue.pop_front(),
            Frontier::Heap(heap) => heap.pop().map(|Reverse(entry)| entry),
        }
    }

    fn clear(&mut self) {
        match self {
            Frontier::Queue(queue) => queue.clear(),
            Frontier::Heap(heap) => heap.clear(),
        }
    }
}

impl<'a> LeastWeight<'a> {
    pub fn new(core: &'a Core<'a>, routing: Routing) -> LeastWeight<'a> {
        let frontier = if core.weights.is_empty() { Frontier::Queue(VecDeque::new()) } else { Frontier::Heap(BinaryHeap::new()) };
        LeastWeight {
            core,
            routing,
            distances: NodeArray::new(core.nodes, FAR),
            passed: 0,
            frontier,
            next_hops: NodeArray::new(core.nodes, UNKNOWN),
            links: Vec::new(),
        }
    }

    /// Continues the search until it reaches `from`; returns whether it does. All nearer nodes have been reached then.
    fn is_reached(&mut self, from: NodeId) -> bool {
        // Nodes not reached yet are farther than every node that was passed.
        while self.distances.get(from) > self.passed {
            let Some((distance, node)) = self.frontier.pop() else { return false };
            if distance > self.distances.get(node) {
                continue;
            }
            self.passed = distance;
            for (before, link) in self.core.into(node) {
                let through = distance + self.core.weight(*link);
                if through < self.distances.get(*before) {
                    self.distances.set(*before, through);
                    self.frontier.push((through, *before));
                }
            }
        }
        true
    }

    /// The links of a reached node that begin a route of minimum weight.
    fn next_hops(&mut self, node: NodeId) -> &[LinkId] {
        let (mut begin, mut end) = self.next_hops.get(node);
        if (begin, end) == UNKNOWN {
            begin = self.links.len() as u32;
            // Distances of nodes that are not final are no less than this one, so no next hop is missing or wrong.
            let distance = self.distances.get(node);
            for (next, link) in self.core.out(node) {
                if distance.checked_sub(self.core.weight(*link)) == Some(self.distances.get(*next)) {
                    self.links.push(*link);
                }
            }
            end = self.links.len() as u32;
            self.next_hops.set(node, (begin, end));
        }
        &self.links[begin as usize..end as usize]
    }
}

impl Search for LeastWeight<'_> {
    fn root(_: NodeId, to: NodeId) -> NodeId {
        to
    }

    fn begin(&mut self, root: NodeId) {
        self.distances.clear();
        self.frontier.clear();
        self.next_hops.clear();
        self.links.clear();
        self.passed = 0;
        self.distances.set(root, 0);
        self.frontier.push((0, root));
    }

    fn append(&mut self, request: &RouteRequest, (from, to): (NodeId, NodeId), route: &mut Vec<LinkId>) -> bool {
        if !self.is_reached(from) {
            return false;
        }
        let mut node = from;
        while node != to {
            let routing = self.routing;
            let choices = self.next_hops(node);
            let chosen = match routing {
                Routing::First => 0,
                Routing::Ecmp => (u128::from(request.key.hash([u64::from(node.0), 0])) * choices.len() as u128) >> 64,
            };
            let link = choices[chosen as usize];
            route.push(link);
            node = self.core.links[link.index()].to;
        }
        true
    }
}
