//! Radix keys: the order of arrivals as sortable keys of one word.

use crate::merge::radix_sort::RadixSort;
use crate::merge::ring::Ring;
use crate::merge::Timed;
use penstock_model::units::{Duration, Time};

/// How many bits of a key are the input.
const INPUT_BITS: u32 = 10;

/// Instants and inputs, packed: arrivals at one instant go by the input, and those of one input are in order anyway.
#[derive(Clone, Debug, Default)]
pub struct RadixKeys {
    /// What the instants are counted from.
    origin: u64,
    /// Has as many bits as the largest key.
    bits: u64,
    /// So many keys, followed by old ones.
    unsorted: Vec<u64>,
    count: usize,
    sorter: RadixSort,
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
        self.sorter.clear();
    }

    /// The keys in order, once they have been sorted; none before.
    #[inline]
    pub fn sorted(&self) -> &[u64] {
        self.sorter.sorted()
    }

    /// The last instant that fits a key.
    pub fn last_instant(&self) -> Time {
        Time::from_ps(self.origin.saturating_add(u64::MAX >> INPUT_BITS))
    }

    /// Time between the origin and the last instant of the sorted keys.
    pub fn span(&self) -> Duration {
        Duration::from_ps(self.sorted().last().map_or(0, |key| key >> INPUT_BITS))
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
        self.sorter.sort(&self.unsorted[..self.count], u64::BITS - self.bits.leading_zeros());
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
            Some(slot) => *slot = key,
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
        for (slot, arrival) in self.keys[self.count..end].iter_mut().zip(arrivals) {
            let key = (arrival.at().as_ps() - self.origin) << INPUT_BITS | input as u64;
            *slot = key;
            self.bits |= key;
        }
        self.count = end;
        arrivals.get(due).map_or(Time::NEVER, |next| next.at())
    }
}
