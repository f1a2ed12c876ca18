//! Radix keys: the order of arrivals as sortable keys of one word.

use crate::merge::Timed;
use penstock_model::units::Time;

/// How many bits of a key are the input.
const INPUT_BITS: u32 = 10;

/// From so many on, keys are sorted by radix.
const MIN_RADIX_SORT: usize = 8;
/// If a radix bucket has more keys, they are left to the general sort of the library.
const MAX_BUCKET: u32 = 16;

/// Instants and inputs, packed: arrivals at one instant go by the input, and those of one input are in order anyway.
#[derive(Debug, Default)]
pub struct RadixKeys {
    /// What the instants are counted from.
    origin: u64,
    /// Has as many bits as the largest key.
    bits: u64,
    unsorted: Vec<u64>,
    /// The same keys sorted, followed by old ones.
    sorted: Vec<u64>,
    count: usize,
    /// Where the next key of each radix bucket goes.
    places: Vec<u32>,
}

impl RadixKeys {
    /// So many inputs fit into a key.
    pub const MAX_INPUTS: usize = 1 << INPUT_BITS;

    /// The input of a key.
    #[inline]
    pub fn input(key: u64) -> usize {
        key as usize % RadixKeys::MAX_INPUTS
    }

    /// No keys, for instants from `origin` on.
    pub fn begin(&mut self, origin: Time) {
        (self.origin, self.bits) = (origin.as_ps(), 0);
        self.count = 0;
        self.unsorted.clear();
    }

    /// The keys in order, once they have been sorted.
    #[inline]
    pub fn sorted(&self) -> &[u64] {
        &self.sorted[..self.count]
    }

    /// The last instant that fits a key.
    pub fn last_instant(&self) -> Time {
        Time::from_ps(self.origin.saturating_add(u64::MAX >> INPUT_BITS))
    }

    /// Adds keys for arrivals at `input` up to and including `last`; returns when the first after that arrives.
    #[inline(always)]
    pub fn add<T: Timed>(&mut self, arrivals: &[T], input: usize, last: Time) -> Time {
        let count = arrivals.iter().take_while(|arrival| arrival.at() <= last).count();
        let key = |arrival: &T| (arrival.at().as_ps() - self.origin) << INPUT_BITS | input as u64;
        self.unsorted.extend(arrivals[..count].iter().map(key));
        self.bits |= self.unsorted.last().map_or(0, |key| *key);
        arrivals.get(count).map_or(Time::NEVER, |next| next.at())
    }

    /// Sorts the keys: each goes into the bucket that its upper bits name, of which there are about as many as keys, and is
    /// then a place or two away from where it belongs.
    pub fn sort(&mut self) {
        let RadixKeys { sorted, unsorted, places, .. } = self;
        self.count = unsorted.len();
        if sorted.len() < self.count {
            sorted.resize(self.count, 0);
        }
        let sorted = &mut sorted[..self.count];
        if sorted.len() <= MIN_RADIX_SORT {
            sorted.copy_from_slice(unsorted);
            return insertion_sort(sorted);
        }
        let buckets = unsorted.len().next_power_of_two();
        let shift = (u64::BITS - self.bits.leading_zeros()).saturating_sub(buckets.trailing_zeros());
        let bucket = |key: u64| (key >> shift) as usize;
        places.clear();
        places.resize(buckets, 0);
        for &key in &*unsorted {
            places[bucket(key)] += 1;
        }
        let (mut end, mut most) = (0, 0);
        for place in places.iter_mut() {
            let count = std::mem::replace(place, end);
            end += count;
            most = most.max(count);
        }
        for &key in &*unsorted {
            let place = &mut places[bucket(key)];
            sorted[*place as usize] = key;
            *place += 1;
        }
        if most > MAX_BUCKET {
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
        let mut place = end;
        while place > 0 && keys[place - 1] > key {
            keys[place] = keys[place - 1];
            place -= 1;
        }
        keys[place] = key;
    }
}
