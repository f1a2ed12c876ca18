//! The nodes at one end of the links of an entry, given by a name or a list of names.

use crate::network::nodes::{NodeSet, Nodes};
use crate::read::section::Section;
use crate::read::tree::Item;
use penstock_model::id::NodeId;

/// The nodes of several sets, one set after the other.
pub(crate) struct NodeList {
    /// Each set with the number of nodes before it.
    sets: Vec<(usize, NodeSet)>,
    len: usize,
}

impl NodeList {
    /// Reads the nodes that `key` of a section names, a text or a list of texts, even if other keys of the section have mistakes. The
    /// reader of the keys reports values of other types.
    pub fn read(nodes: &Nodes, section: &mut Section<'_>, key: &'static str) -> Option<NodeList> {
        let entry = section.entry(key)?;
        let (path, mistakes) = (section.join(key), section.mistakes);
        let found: Vec<Option<NodeSet>> = match &entry.tree.item {
            Item::Text(name) => vec![nodes.find_or_report(name, mistakes, entry.location, &path)],
            Item::List(items) => items
                .iter()
                .map(|item| match &item.item {
                    Item::Text(name) => nodes.find_or_report(name, mistakes, item.location, &path),
                    _ => None,
                })
                .collect(),
            _ => return None,
        };
        let mut list = NodeList { sets: Vec::new(), len: 0 };
        for set in found {
            let set = set?;
            list.sets.push((list.len, set));
            list.len += set.len();
        }
        (list.len > 0).then_some(list)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether several names are written, or one name of members of a group.
    pub fn is_group(&self) -> bool {
        self.sets.len() > 1 || self.sets[0].1.group
    }

    /// The `i`-th of them, modulo their number.
    pub fn node(&self, i: usize) -> NodeId {
        let i = i % self.len;
        let (before, set) = self.sets[self.sets.partition_point(|(before, _)| *before <= i) - 1];
        set.node(i - before)
    }
}
