//! A reusable array over nodes.

use penstock_model::id::NodeId;

/// A value for each node, initially the same for all. The cost of clearing is proportional to the number of values set.
pub struct NodeArray<T> {
    values: Vec<T>,
    /// The nodes whose values were set.
    set: Vec<NodeId>,
    unset: T,
}

impl<T: Copy + PartialEq> NodeArray<T> {
    /// An array with the value `unset` for each of `nodes` nodes.
    pub fn new(nodes: usize, unset: T) -> NodeArray<T> {
        NodeArray { values: vec![unset; nodes], set: Vec::new(), unset }
    }

    /// The value of a node.
    pub fn get(&self, node: NodeId) -> T {
        self.values[node.index()]
    }

    /// Sets the value of a node.
    pub fn set(&mut self, node: NodeId, value: T) {
        let known = &mut self.values[node.index()];
        if *known == self.unset {
            self.set.push(node);
        }
        *known = value;
    }

    /// Unsets all values.
    pub fn clear(&mut self) {
        for node in self.set.drain(..) {
            self.values[node.index()] = self.unset;
        }
    }
}
