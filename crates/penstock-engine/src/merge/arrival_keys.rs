//! The order of arrivals as keys of one word, which are sorted instead of the arrivals.

use crate::merge::radix_sort::RadixSort;
use crate::merge::ring::Ring;
use crate::merge::Timed;
use penstock_model::units::{Duration, Time};

/// How many bits of a key are the input.
const INPUT_BITS: u32 = 16;

/// Instants and inputs, packed: arrivals at one instant go by the input, and those of one input are in order anyway.
#[derive(Clone, Debug, Default)]
pub struct ArrivalKeys {
    /// What the instants are counted from.
    origin: u64,
    /// Has as many bits as the largest key.
    bits: u64,
    keys: Vec<u64>,
    /// How many inputs have keys, and where the keys of the second one begin.
    inputs: u32,
    second: usize,
    sorter: RadixSort,
}

impl ArrivalKeys {
    /// So many inputs fit into a key.
    pub const MAX_INPUTS: usize = 1 << INPUT_BITS;

    /// The input of a key.
    #[inline]
    pub fn input(key: u64) -> usize {
        key as usize % ArrivalKeys::MAX_INPUTS
    }

    /// No keys, for instants from `origin` on.
    pub fn begin(&mut self, origin: Time) {
        (self.origin, self.bits) = (origin.as_ps(), 0);
        self.inputs = 0;
        self.keys.clear();
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

    /// Adds keys for the arrivals that wait at `input` up to and including `last`; returns when the first after that arrives.
    #[inline(always)]
    pub fn add<T: Timed>(&mut self, arrivals: &Ring<T>, input: usize, last: Time) -> Time {
        self.inputs += 1;
        if self.inputs == 2 {
            self.second = self.keys.len();
        }
        let front = arrivals.front();
        match self.add_run(front, input, last) {
            Time::NEVER if front.len() < arrivals.len() => self.add_run(arrivals.runs()[1], input, last),
            next => next,
        }
    }

    #[inline(always)]
    fn add_run<T: Timed>(&mut self, arrivals: &[T], input: usize, last: Time) -> Time {
        // How many these are is hard to predict, so it is found first.
        let due = arrivals.iter().take_while(|arrival| arrival.at() <= last).count();
        let (origin, mut bits) = (self.origin, self.bits);
        self.keys.extend(arrivals[..due].iter().map(|arrival| {
            let key = (arrival.at().as_ps() - origin) << INPUT_BITS | input as u64;
            bits |= key;
            key
        }));
        self.bits = bits;
        arrivals.get(due).map_or(Time::NEVER, |next| next.at())
    }

    /// Sorts the keys.
    pub fn sort(&mut self) {
        let bits = u64::BITS - self.bits.leading_zeros();
        self.sorter.sort(&self.keys, bits, (self.inputs == 2).then_some(self.second));
    }
}
