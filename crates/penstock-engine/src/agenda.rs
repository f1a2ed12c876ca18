//! Who is due first: a tournament over a fixed number of slots.

/// A winner tree over numbered slots, each with a key; equal keys are won by the lower slot.
///
/// Reading the winner is constant; changing one key costs at most log2(slots) comparisons, and stops early where the
/// change decides nothing. Measured against a binary heap with stale entries it needs no clean-up and no allocation.
#[derive(Clone, Debug)]
pub struct Agenda<K> {
    keys: Vec<K>,
    /// `winners[1]` is the root; the children of node `n` are `2n` and `2n + 1`; leaves are the slots.
    winners: Vec<u32>,
    leaves: usize,
}

impl<K: Ord + Copy> Agenda<K> {
    /// An agenda of `slots` slots, all with key `last` (later than every real key).
    pub fn new(slots: usize, last: K) -> Agenda<K> {
        let leaves = slots.max(1).next_power_of_two();
        let mut winners = vec![0; leaves];
        for node in (1..leaves).rev() {
            // With equal keys everywhere the leftmost leaf of each subtree wins.
            winners[node] = if 2 * node >= leaves { (2 * node - leaves) as u32 } else { winners[2 * node] };
        }
        Agenda { keys: vec![last; leaves], winners, leaves }
    }

    /// The slot with the smallest key.
    #[inline]
    pub fn first(&self) -> usize {
        if self.leaves == 1 {
            0
        } else {
            self.winners[1] as usize
        }
    }

    /// The smallest key.
    #[inline]
    pub fn first_key(&self) -> K {
        self.keys[self.first()]
    }

    /// The key of `slot`.
    #[inline]
    pub fn key(&self, slot: usize) -> K {
        self.keys[slot]
    }

    /// Gives `slot` the key `key`.
    #[inline]
    pub fn set(&mut self, slot: usize, key: K) {
        if self.keys[slot] == key {
            return;
        }
        self.keys[slot] = key;
        let mut node = (self.leaves + slot) >> 1;
        // On the lowest level the children are leaves, further up they are winners.
        let mut winner = {
            let (left, right) = (slot & !1, slot | 1);
            if node == 0 {
                return;
            }
            if self.keys[right] < self.keys[left] {
                right
            } else {
                left
            }
        };
        loop {
            let before = self.winners[node] as usize;
            if before == winner && winner != slot {
                return;
            }
            self.winners[node] = winner as u32;
            if node == 1 {
                return;
            }
            let other = self.winners[node ^ 1] as usize;
            let (left, right) = if node & 1 == 0 { (winner, other) } else { (other, winner) };
            winner = if self.keys[right] < self.keys[left] { right } else { left };
            node >>= 1;
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
            let mut agenda = Agenda::new(slots, u32::MAX);
            let mut plain = vec![u32::MAX; slots];
            for (slot, key) in changes {
                let slot = slot % slots;
                agenda.set(slot, key);
                plain[slot] = key;
                let smallest = (0..slots).min_by_key(|&slot| (plain[slot], slot)).expect("at least one slot");
                prop_assert_eq!(agenda.first(), smallest);
                prop_assert_eq!(agenda.first_key(), plain[smallest]);
            }
        }
    }
}
