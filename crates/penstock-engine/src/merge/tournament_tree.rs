//! A tournament tree over a fixed number of slots: which has the smallest key?

/// A winner tree over numbered slots, each with a key; equal keys are won by the lower slot.
///
/// Reading the winner is constant; changing one key costs at most log2(slots) comparisons, and stops early where the
/// change decides nothing. Measured against a binary heap with stale entries it needs no clean-up and no allocation.
#[derive(Clone, Debug, Default)]
pub struct TournamentTree<K> {
    /// Keys with their slots. `nodes[1]` is the root; node `n` holds the smaller of its children, `2n` and `2n + 1`; the
    /// second half are the slots themselves, as many as there are: any number is a tree, some of its leaves a level higher.
    nodes: Vec<(K, u32)>,
}

impl<K: Ord + Copy> TournamentTree<K> {
    /// A tree of `slots` slots, all with key `last` (later than every real key).
    pub fn new(slots: usize, last: K) -> TournamentTree<K> {
        let leaves = slots.max(1);
        let mut nodes = vec![(last, 0); 2 * leaves];
        for (slot, node) in nodes[leaves..].iter_mut().enumerate() {
            node.1 = slot as u32;
        }
        for node in (1..leaves).rev() {
            nodes[node] = nodes[2 * node].min(nodes[2 * node + 1]);
        }
        TournamentTree { nodes }
    }

    /// The slot with the smallest key.
    #[inline]
    pub fn first(&self) -> usize {
        self.nodes[1].1 as usize
    }

    /// The smallest key.
    #[inline]
    pub fn first_key(&self) -> K {
        self.nodes[1].0
    }

    /// Gives `slot` the key `key`.
    #[inline]
    pub fn set(&mut self, slot: usize, key: K) {
        let mut node = self.nodes.len() / 2 + slot;
        let mut winner = (key, slot as u32);
        while self.nodes[node] != winner {
            self.nodes[node] = winner;
            if node == 1 {
                return;
            }
            let sibling = self.nodes[node ^ 1];
            // Unpredictable, so no branch.
            winner = std::hint::select_unpredictable(sibling < winner, sibling, winner);
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_is_always_the_smallest(slots in 1usize..40, changes in prop::collection::vec((0usize..40, 0u32..20), 1..200)) {
            let mut tree = TournamentTree::new(slots, u32::MAX);
            let mut plain = vec![u32::MAX; slots];
            for (slot, key) in changes {
                let slot = slot % slots;
                tree.set(slot, key);
                plain[slot] = key;
                let smallest = (0..slots).min_by_key(|&slot| (plain[slot], slot)).expect("at least one slot");
                prop_assert_eq!(tree.first(), smallest);
                prop_assert_eq!(tree.first_key(), plain[smallest]);
            }
        }
    }
}
