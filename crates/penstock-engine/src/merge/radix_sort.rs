//! Radix sort of keys of one word that are spread evenly.

/// Maximum number of keys that are sorted by insertion alone.
const FEW_KEYS: usize = 8;
/// Number of keys in a bucket, one less than a power of two, above which the sort of the library takes over.
const MAX_BUCKET: u32 = 15;

/// Sorts keys, and reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct RadixSort {
    /// The first `count` entries are the sorted keys; the rest is stale.
    sorted: Vec<u64>,
    count: usize,
    /// For each radix bucket, the index in `sorted` of its next key.
    slots: Vec<u32>,
}

impl RadixSort {
    /// Returns the keys of the last sort, in order.
    #[inline]
    pub fn sorted(&self) -> &[u64] {
        &self.sorted[..self.count]
    }

    /// Forgets the keys of the last sort.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Sorts `keys` of at most `bits` bits. The upper bits of a key name its bucket. There are about as many buckets as keys, so a key in its
    /// bucket is a step or two away from its place.
    #[inline]
    pub fn sort(&mut self, keys: &[u64], bits: u32) {
        self.count = keys.len();
        if self.sorted.len() < keys.len() {
            self.sorted.resize(keys.len(), 0);
        }
        let RadixSort { sorted, slots, .. } = self;
        let sorted = &mut sorted[..keys.len()];
        if keys.len() <= FEW_KEYS {
            sorted.copy_from_slice(keys);
            return insertion_sort(sorted);
        }
        let buckets = keys.len().next_power_of_two();
        let shift = bits.saturating_sub(buckets.trailing_zeros());
        let bucket = |key: u64| (key >> shift) as usize;
        slots.clear();
        slots.resize(buckets, 0);
        for &key in keys {
            slots[bucket(key)] += 1;
        }
        let (mut end, mut counts) = (0, 0);
        for slot in slots.iter_mut() {
            let count = std::mem::replace(slot, end);
            end += count;
            counts |= count;
        }
        for &key in keys {
            let slot = &mut slots[bucket(key)];
            sorted[*slot as usize] = key;
            *slot += 1;
        }
        if counts > MAX_BUCKET {
            sorted.sort_unstable();
        } else {
            insertion_sort(sorted);
        }
    }
}

/// For keys that are nearly sorted.
fn insertion_sort(keys: &mut [u64]) {
    let mut last = 0;
    for end in 0..keys.len() {
        let key = keys[end];
        if key >= last {
            last = key;
            continue;
        }
        let mut slot = end;
        while slot > 0 && keys[slot - 1] > key {
            keys[slot] = keys[slot - 1];
            slot -= 1;
        }
        keys[slot] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Few and many, spread evenly or crowded, in keys of any length.
        #[test]
        fn keys_come_in_order(keys in prop::collection::vec(any::<u64>(), 0..200), bits in 1u32..=64, crowded in 0u32..64) {
            let mut sorter = RadixSort::default();
            for crowded in [crowded, 0] {
                let keys: Vec<u64> = keys.iter().map(|key| key >> (64 - bits) >> crowded.min(bits - 1)).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                sorter.sort(&keys, bits);
                prop_assert_eq!(sorter.sorted(), &expected[..]);
            }
        }
    }
}
