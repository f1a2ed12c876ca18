//! Trees that hang on the rest of a network: hosts behind a switch, customers behind a router.

use super::Unreachable;
use penstock_engine::blueprint::LinkPlan;
use penstock_model::id::{LinkId, NodeId};

/// The trees of a network. A node is in a tree if, once the nodes behind it are removed, it is linked to a single neighbour, with at
/// most one link each way. There is at most one way through a tree, so only routes between roots have to be searched for, once for
/// all nodes that hang there. A network that is a tree is one of them.
pub struct PendantTrees {
    /// The place of each node of the network.
    places: Vec<Place>,
}

/// The place of a node in its tree.
#[derive(Clone, Copy)]
struct Place {
    /// Links to its root; 0 for roots and all other nodes outside trees.
    depth: u32,
    /// The only neighbour towards the root.
    parent: NodeId,
    up: Option<LinkId>,
    down: Option<LinkId>,
}

/// The links of a node in one direction that have not been removed.
#[derive(Clone, Copy, Default)]
struct Remaining {
    count: u32,
    /// The exclusive or of their numbers: if there is one link, its number.
    combined: u32,
}

impl Remaining {
    fn add(&mut self, link: LinkId) {
        self.count += 1;
        self.combined ^= link.0;
    }

    fn remove(&mut self, link: LinkId) {
        self.count -= 1;
        self.combined ^= link.0;
    }

    fn only(self) -> Option<LinkId> {
        (self.count == 1).then_some(LinkId(self.combined))
    }
}

impl PendantTrees {
    /// Finds the trees of a network of `nodes` nodes with these links.
    pub fn new(nodes: usize, links: &[LinkPlan]) -> PendantTrees {
        let mut out = vec![Remaining::default(); nodes];
        let mut into = vec![Remaining::default(); nodes];
        for (id, link) in (0..).map(LinkId).zip(links) {
            out[link.from.index()].add(id);
            into[link.to.index()].add(id);
        }
        let none = Place { depth: 0, parent: NodeId(0), up: None, down: None };
        let mut places = vec![none; nodes];
        let mut taken = Vec::new();
        let mut candidates: Vec<NodeId> = (0..nodes as u32).rev().map(NodeId).collect();
        while let Some(node) = candidates.pop() {
            let (sending, receiving) = (out[node.index()], into[node.index()]);
            if sending.count > 1 || receiving.count > 1 {
                continue;
            }
            let (up, down) = (sending.only(), receiving.only());
            let ends = [up.map(|link| links[link.index()].to), down.map(|link| links[link.index()].from)];
            let parent = match ends {
                [Some(parent), None] | [None, Some(parent)] => parent,
                [Some(to), Some(from)] if to == from => to,
                _ => continue,
            };
            if let Some(link) = up {
                out[node.index()].remove(link);
                into[parent.index()].remove(link);
            }
            if let Some(link) = down {
                into[node.index()].remove(link);
                out[parent.index()].remove(link);
            }
            places[node.index()] = Place { depth: 0, parent, up, down };
            taken.push(node);
            candidates.push(parent);
        }
        // Nodes nearer to a root were removed later.
        for node in taken.into_iter().rev() {
            places[node.index()].depth = places[places[node.index()].parent.index()].depth + 1;
        }
        PendantTrees { places }
    }

    /// Whether a node is in no tree, or the root of one.
    pub fn is_root(&self, node: NodeId) -> bool {
        self.places[node.index()].depth == 0
    }

    /// The nodes at which a route leaves the tree of `from` and enters the tree of `to`: the same node twice if both are in one tree,
    /// otherwise the two roots.
    pub fn ends_between(&self, from: NodeId, to: NodeId) -> Result<(NodeId, NodeId), Unreachable> {
        let (mut a, mut b) = (from, to);
        while a != b {
            let (above, below) = (self.places[a.index()], self.places[b.index()]);
            if above.depth.max(below.depth) == 0 {
                break;
            }
            if above.depth >= below.depth {
                above.up.ok_or(Unreachable)?;
                a = above.parent;
            }
            if below.depth >= above.depth {
                below.down.ok_or(Unreachable)?;
                b = below.parent;
            }
        }
        Ok((a, b))
    }

    /// Adds the links from a node up to one above it.
    pub fn climb(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        let mut node = from;
        while node != to {
            let place = self.places[node.index()];
            route.extend(place.up);
            node = place.parent;
        }
    }

    /// Adds the links from a node down to one below it.
    pub fn descend(&self, from: NodeId, to: NodeId, route: &mut Vec<LinkId>) {
        let begin = route.len();
        let mut node = to;
        while node != from {
            let place = self.places[node.index()];
            route.extend(place.down);
            node = place.parent;
        }
        route[begin..].reverse();
    }
}
