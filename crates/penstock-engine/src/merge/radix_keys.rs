//! Radix keys: the order of arrivals as sortable keys of one word.

use crate::merge::ring::Ring;
use crate::merge::Timed;
use penstock_model::units::Time;

/// How many bits of a key are the input.
const INPUT_BITS: u32 = 10;

/// From so many on, keys are sorted by radix.
const MIN_RADIX_SORT: usize = 8;
/// If a radix bucket has more keys, one less than a power of two, they are left to the general sort of the library.
const MAX_BUCKET: u32 = 15;

/// Instants and inputs, packed: arrivals at one instant go by the input, and those of one input are in order anyway.
#[derive(Debug, Default)]
pub struct RadixKeys {
    /// What the instants are counted from.
    origin: u64,
    /// Has as many bits as the largest key.
    bits: u64,
    /// So many keys, followed by old ones.
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

    /// Adds the keys that `add` adds.
    #[inline(always)]
    pub fn add_all(&mut self, add: impl FnOnce(&mut KeyList<'_>)) {
        let mut list = KeyList { keys: &mut self.unsorted, count: self.count, bits: self.bits, origin: self.origin };
        add(&mut list);
        (self.count, self.bits) = (list.count, list.bits);
    }

    /// Sorts the keys.
    pub fn sort(&mut self) {
        let RadixKeys { sorted, unsorted, places, .. } = self;
        if sorted.len() < self.count {
            sorted.resize(self.count, 0);
        }
        let bits = u64::BITS - self.bits.leading_zeros();
        sort_by_radix(&unsorted[..self.count], &mut sorted[..self.count], bits, places);
    }
}

/// Sorts keys of so many `bits`: each goes into the radix bucket that its upper bits name, of which there are about as many as keys, and is
/// then a place or two away from where it belongs. `places` is scratch memory.
#[inline]
pub fn sort_by_radix(unsorted: &[u64], sorted: &mut [u64], bits: u32, places: &mut Vec<u32>) {
    if sorted.len() <= MIN_RADIX_SORT {
        sorted.copy_from_slice(unsorted);
        return insertion_sort(sorted);
    }
    let buckets = unsorted.len().next_power_of_two();
    let shift = bits.saturating_sub(buckets.trailing_zeros());
    let bucket = |key: u64| (key >> shift) as usize;
    places.clear();
    places.resize(buckets, 0);
    for &key in unsorted {
        places[bucket(key)] += 1;
    }
    let (mut end, mut counts) = (0, 0);
    for place in places.iter_mut() {
        let count = std::mem::replace(place, end);
        end += count;
        counts |= count;
    }
    for &key in unsorted {
        let place = &mut places[bucket(key)];
        sorted[*place as usize] = key;
        *place += 1;
    }
    if counts > MAX_BUCKET {
        sorted.sort_unstable();
    } else {
        exchange_neighbours(sorted);
        insertion_sort(sorted);
    }
}

/// Unsorted keys while they are added: what changes stays in registers.
pub struct KeyList<'a> {
    keys: &'a mut Vec<u64>,
    count: usize,
    bits: u64,
    origin: u64,
}

impl KeyList<'_> {
    /// Adds keys for the arrivals that wait at `input` up to and including `last`; returns when the first after that arrives.
    #[inline(always)]
    pub fn add<T: Timed>(&mut self, arrivals: &Ring<T>, input: usize, last: Time) -> Time {
        let front = arrivals.front();
        match self.add_run(front, input, last) {
            Time::NEVER if front.len() < arrivals.len() => self.add_run(arrivals.runs()[1], input, last),
            next => next,
        }
    }

    /// Adds a key for an arrival at `at`.
    #[inline(always)]
    pub fn add_one(&mut self, at: Time, input: usize) {
        let key = (at.as_ps() - self.origin) << INPUT_BITS | input as u64;
        match self.keys.get_mut(self.count) {
            Some(place) => *place = key,
            None => self.keys.push(key),
        }
        self.count += 1;
        self.bits |= key;
    }

    #[inline(always)]
    fn add_run<T: Timed>(&mut self, arrivals: &[T], input: usize, last: Time) -> Time {
        // How many these are is hard to predict, so it is found first.
        let due = arrivals.iter().take_while(|arrival| arrival.at() <= last).count();
        let end = self.count + due;
        if self.keys.len() < end {
            self.keys.resize(2 * end, 0);
        }
        for (place, arrival) in self.keys[self.count..end].iter_mut().zip(arrivals) {
            let key = (arrival.at().as_ps() - self.origin) << INPUT_BITS | input as u64;
            *place = key;
            self.bits |= key;
        }
        self.count = end;
        arrivals.get(due).map_or(Time::NEVER, |next| next.at())
    }
}

/// Exchanges neighbours, without a jump: sorts most keys that are a place or two away from where they belong.
fn exchange_neighbours(keys: &mut [u64]) {
    for first in [0, 1, 0] {
        for pair in keys[first..].chunks_exact_mut(2) {
            let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            (pair[0], pair[1]) = (low, high);
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
