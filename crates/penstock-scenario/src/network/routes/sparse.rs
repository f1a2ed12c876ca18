//! An array over nodes of which few may be in use: a large network has many searches, each of a small part.

use penstock_model::id::NodeId;
use std::collections::BTreeMap;

/// Nodes that are kept together.
const PAGE: usize = 64;

/// A value for each node, the same one for all until it is set.
pub struct SparseArray<T> {
    pages: BTreeMap<u32, [T; PAGE]>,
    unset: T,
}

impl<T: Copy> SparseArray<T> {
    /// An array that has the value `unset` for every node.
    pub fn new(unset: T) -> SparseArray<T> {
        SparseArray { pages: BTreeMap::new(), unset }
    }

    /// The value of a node.
    pub fn get(&self, node: NodeId) -> T {
        self.pages.get(&(node.0 / PAGE as u32)).map_or(self.unset, |page| page[node.index() % PAGE])
    }

    /// Sets the value of a node.
    pub fn set(&mut self, node: NodeId, value: T) {
        self.pages.entry(node.0 / PAGE as u32).or_insert([self.unset; PAGE])[node.index() % PAGE] = value;
    }

    /// How many values it has room for.
    pub fn len(&self) -> usize {
        self.pages.len() * PAGE
    }
}
