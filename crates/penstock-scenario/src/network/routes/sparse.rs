//! An array over nodes of which few may be in use: a large network has many searches, each of a small part.

use penstock_model::id::NodeId;
use std::collections::BTreeMap;

/// The value of a node that has none.
pub const NOT_REACHED: u32 = u32::MAX;

/// Nodes that are kept together.
const PAGE: usize = 64;

/// A number for each node, [`NOT_REACHED`] until it is set.
#[derive(Default)]
pub struct SparseArray(BTreeMap<u32, [u32; PAGE]>);

impl SparseArray {
    /// The number of a node.
    pub fn get(&self, node: NodeId) -> u32 {
        self.0.get(&(node.0 / PAGE as u32)).map_or(NOT_REACHED, |page| page[node.index() % PAGE])
    }

    /// Sets the number of a node.
    pub fn set(&mut self, node: NodeId, number: u32) {
        self.0.entry(node.0 / PAGE as u32).or_insert([NOT_REACHED; PAGE])[node.index() % PAGE] = number;
    }

    /// How many numbers it has room for.
    pub fn len(&self) -> usize {
        self.0.len() * PAGE
    }
}
