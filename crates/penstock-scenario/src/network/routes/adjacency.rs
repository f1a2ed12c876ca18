//! The links at each node.

use penstock_model::id::{LinkId, NodeId};

/// For each node, its links in one direction, with the node at their other end, in the order of the scenario.
pub struct Adjacency {
    /// The links of node n are `links[first[n]..first[n + 1]]`.
    first: Vec<u32>,
    links: Vec<(NodeId, LinkId)>,
}

impl Adjacency {
    /// Adjacency of `nodes` nodes. `links` gives each link with the node where it is listed, and its other end.
    pub fn new(nodes: usize, links: impl Iterator<Item = (NodeId, NodeId, LinkId)> + Clone) -> Adjacency {
        let mut first = vec![0u32; nodes + 1];
        links.clone().for_each(|(node, ..)| first[node.index() + 1] += 1);
        for n in 0..nodes {
            first[n + 1] += first[n];
        }
        let mut next = first.clone();
        let mut listed = vec![(NodeId(0), LinkId(0)); first[nodes] as usize];
        for (node, other, link) in links {
            let slot = &mut next[node.index()];
            listed[*slot as usize] = (other, link);
            *slot += 1;
        }
        Adjacency { first, links: listed }
    }

    /// The links at a node.
    pub fn at(&self, node: NodeId) -> &[(NodeId, LinkId)] {
        &self.links[self.first[node.index()] as usize..self.first[node.index() + 1] as usize]
    }
}
