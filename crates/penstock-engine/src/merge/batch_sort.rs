//! Batch-sort merge: merges sorted inputs by sorting the keys of all arrivals that a visit may take.

use crate::merge::radix_sort::RadixSort;
use crate::merge::ring::Ring;
use crate::merge::Timed;
use penstock_model::units::{Duration, Time};

/// Two or more FIFO inputs. Simultaneous arrivals are ordered by the number of the input. Each batch looks at all heads, which costs no
/// more than the looks of a sweep at the senders.
///
/// A caller that asks for arrivals gives the instant up to which no others will come. All arrivals up to then are sorted at once, by
/// keys alone, and then copied from the inputs a few dozen at a time. A packet is compared only with its neighbours in time, and
/// neither it nor its sender has a cost while it is in flight.
#[derive(Clone, Debug)]
pub struct BatchSort<T> {
    rings: Vec<Ring<T>>,
    /// For each input, the time of the first arrival without a key.
    heads: Vec<Time>,
    /// The minimum of `heads`.
    next: Time,
    /// Keys that are sorted instead of the arrivals of a batch.
    keys: Keys,
    sorter: RadixSort,
    /// Maximum time that a batch covers, so that it holds about [`MAX_SORTED`] arrivals.
    reach: Duration,
    /// Number of keys whose arrivals have been copied from the inputs.
    copied: usize,
    /// The arrivals copied last. Those before index `taken` have been taken.
    front: Vec<T>,
    taken: usize,
    /// Whether a batch was left before all of it had been taken. Then the rest of `front` precedes the inputs, and at that moment
    /// `next` was its first arrival.
    is_paused: bool,
}

/// Number of packets that fit into the first-level cache together with the state of a port.
const MAX_COPIED: usize = 64;

/// Maximum number of arrivals that a batch aims at. An unfinished batch is sorted again, and this bounds the cost on links with many
/// packets in flight.
const MAX_SORTED: usize = 1 << 12;

/// Number of bits of a key that hold the input.
const INPUT_BITS: u32 = 16;

/// Sort keys: the time since `origin` in the upper bits, the input in the lower 16. Arrivals of one input are in order anyway.
#[derive(Clone, Debug, Default)]
struct Keys {
    /// The time of the earliest arrival of the batch, in picoseconds.
    origin: u64,
    /// The bitwise OR of all keys: it has as many bits as the largest.
    bits: u64,
    keys: Vec<u64>,
}

impl Keys {
    #[inline(always)]
    fn input_of(key: u64) -> usize {
        key as usize % (1 << INPUT_BITS)
    }

    /// Adds keys for the arrivals of `input` up to and including `last`; returns the time of the first later arrival.
    #[inline(always)]
    fn add<T: Timed>(&mut self, arrivals: &Ring<T>, input: usize, last: Time) -> Time {
        let front = arrivals.front();
        match self.add_run(front, input, last) {
            Time::NEVER if front.len() < arrivals.len() => self.add_run(arrivals.runs()[1], input, last),
            next => next,
        }
    }

    #[inline(always)]
    fn add_run<T: Timed>(&mut self, arrivals: &[T], input: usize, last: Time) -> Time {
        // The number of due arrivals is hard for the CPU to predict, so it is determined first.
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
}

impl<T> BatchSort<T> {
    /// Maximum number of inputs that a key can name; more need a calendar.
    pub const MAX_INPUTS: usize = 1 << INPUT_BITS;
}

impl<T: Timed> BatchSort<T> {
    /// Creates a merge of `inputs` inputs.
    pub fn new(inputs: usize) -> BatchSort<T> {
        BatchSort {
            rings: vec![Ring::default(); inputs],
            heads: vec![Time::NEVER; inputs],
            next: Time::NEVER,
            keys: Keys::default(),
            sorter: RadixSort::default(),
            reach: Duration::from_ps(u64::MAX),
            copied: 0,
            front: Vec::new(),
            taken: 0,
            is_paused: false,
        }
    }

    /// Returns the time of the next arrival; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next(&self) -> Time {
        debug_assert!(self.is_settled() || self.is_paused);
        if self.is_paused {
            return self.next_of_paused();
        }
        self.next
    }

    /// Leaves a batch before all arrivals up to the `until` of [`BatchSort::front`] have been taken. Arrivals added afterwards must be
    /// later than that.
    #[cold]
    pub fn pause(&mut self) {
        self.sorter.clear();
        self.copied = 0;
        for (head, ring) in self.heads.iter_mut().zip(&self.rings) {
            *head = ring.first().map_or(Time::NEVER, |arrival| arrival.at());
        }
        self.is_paused = true;
        self.next = self.next_of_paused();
    }

    #[cold]
    fn next_of_paused(&self) -> Time {
        self.front.get(self.taken).map_or_else(|| self.first_head(), |arrival| arrival.at())
    }

    fn first_head(&self) -> Time {
        self.heads.iter().copied().min().unwrap_or(Time::NEVER)
    }

    /// Makes room for an arrival at `at`, to be overwritten; also returns whether it precedes all others.
    #[inline(always)]
    pub fn add(&mut self, input: usize, at: Time) -> (&mut T, bool) {
        debug_assert!(self.is_settled() || self.is_paused);
        let ring = &mut self.rings[input];
        debug_assert!(ring.last().is_none_or(|last| last.at() <= at), "an input on which nothing overtakes stays sorted");
        let head = &mut self.heads[input];
        *head = at.min(*head);
        let is_first = at < self.next;
        self.next = at.min(self.next);
        (ring.add(), is_first)
    }

    /// Returns the queue of an input, to add arrivals in order. Call [`BatchSort::update_head`] afterwards if the queue was empty.
    #[inline]
    pub fn queue(&mut self, input: usize) -> &mut Ring<T> {
        debug_assert!(self.is_settled() || self.is_paused);
        &mut self.rings[input]
    }

    /// Updates the merge after arrivals were added to an input that was empty.
    pub fn update_head(&mut self, input: usize) {
        self.heads[input] = self.rings[input].first().map_or(Time::NEVER, |arrival| arrival.at());
        self.next = self.next.min(self.heads[input]);
    }

    /// Returns the next arrivals in order, none after `until` except for the rest of a batch that was left; empty only if all arrivals up
    /// to `until` have been taken. Take all of these before any other call, or call [`BatchSort::pause`].
    #[inline]
    pub fn front(&mut self, until: Time) -> &[T] {
        if self.taken == self.front.len() {
            self.copy(until);
        }
        &self.front[self.taken..]
    }

    /// Takes the first `count` of [`BatchSort::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        self.taken += count;
    }

    /// Returns the number of packets in flight.
    pub fn len(&self) -> usize {
        self.front.len() - self.taken + self.rings.iter().map(Ring::len).sum::<usize>()
    }

    /// Returns whether the last batch has been taken completely.
    fn is_settled(&self) -> bool {
        self.taken == self.front.len() && self.copied == self.sorter.sorted().len()
    }

    /// Copies the next packets that arrive until `until` out of their inputs.
    #[inline(never)]
    fn copy(&mut self, until: Time) {
        if !self.prepare(until) {
            return;
        }
        let keys = &self.sorter.sorted()[self.copied..];
        let keys = &keys[..keys.len().min(MAX_COPIED)];
        let BatchSort { front, rings, .. } = self;
        front.extend(keys.iter().map(|key| rings[Keys::input_of(*key)].take_first()));
        self.copied += keys.len();
    }

    /// Empties the front, and sorts the next batch if the last one has been copied; returns whether there are keys to copy.
    fn prepare(&mut self, until: Time) -> bool {
        self.front.clear();
        self.taken = 0;
        if self.copied < self.sorter.sorted().len() {
            return true;
        }
        if self.is_paused {
            (self.next, self.is_paused) = (self.first_head(), false);
        }
        if self.next > until {
            return false;
        }
        self.sort_batch(until);
        true
    }

    /// Sorts the keys of all arrivals up to `until`, or up to the reach of a batch if that is earlier. There must be some.
    fn sort_batch(&mut self, until: Time) {
        self.copied = 0;
        let origin = self.next.as_ps();
        let farthest = self.next + self.reach;
        // The last instant that fits a key.
        let last = Time::from_ps(origin.saturating_add(u64::MAX >> INPUT_BITS)).min(until).min(farthest);
        let BatchSort { rings, heads, keys, next, .. } = self;
        (keys.origin, keys.bits, *next) = (origin, 0, Time::NEVER);
        keys.keys.clear();
        for (input, (ring, head)) in rings.iter().zip(heads).enumerate() {
            if *head <= last {
                *head = keys.add(ring, input, last);
            }
            *next = (*head).min(*next);
        }
        self.sorter.sort(&keys.keys, u64::BITS - keys.bits.leading_zeros());
        self.adapt_reach(last == farthest);
    }

    /// Adapts the reach of the next batch to the size of the last one; `was_limited` tells whether the reach limited it.
    #[inline]
    fn adapt_reach(&mut self, was_limited: bool) {
        let count = self.sorter.sorted().len();
        if count > MAX_SORTED {
            let span = self.sorter.sorted().last().map_or(0, |key| key >> INPUT_BITS);
            let spacing = span / count as u64;
            self.reach = Duration::from_ps((spacing * MAX_SORTED as u64).max(1));
        } else if was_limited && count < MAX_SORTED / 4 {
            self.reach = self.reach.times(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::testing::Event;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever the spacing, from many arrivals at one instant to a few in an eternity.
        #[test]
        fn arrivals_come_in_order(
            scale in 0u32..45,
            steps in prop::collection::vec((prop::collection::vec((0u64..1000, 0usize..7), 0..120), 0u64..1500), 1..8),
            // After how many arrivals a step is left, and whether additions go to queues of inputs.
            most in prop_oneof![Just(usize::MAX), 0usize..100],
            in_bulk in prop::bool::ANY,
            // The seven that bring something are all inputs, or there are many others.
            spread in prop_oneof![Just(1usize), Just(9usize)],
        ) {
            let (mut batches, mut plain) = (BatchSort::new(7 * spread), std::collections::BTreeSet::<(u64, usize, u64)>::new());
            let (mut last, mut now, mut number) = (vec![0; 7 * spread], 0, 0);
            for (pushes, stretch) in steps {
                for (after, input) in pushes {
                    let input = input * spread;
                    let at = last[input].max(now) + (after << scale) / 8;
                    last[input] = at;
                    let is_first = plain.first().is_none_or(|(first, ..)| at < *first);
                    let event = Event { at: Time::from_ps(at), number };
                    if in_bulk {
                        let queue = batches.queue(input);
                        let was_empty = queue.len() == 0;
                        *queue.add() = event;
                        if was_empty {
                            batches.update_head(input);
                        }
                    } else {
                        let (slot, added_is_first) = batches.add(input, event.at);
                        *slot = event;
                        prop_assert_eq!(added_is_first, is_first);
                    }
                    plain.insert((at, input, number));
                    number += 1;
                }
                now += stretch << scale;
                let mut left = most;
                loop {
                    if left == 0 {
                        batches.pause();
                        break;
                    }
                    let front = batches.front(Time::from_ps(now));
                    if front.is_empty() {
                        break;
                    }
                    // Where a batch was left, the next may end before it does.
                    let due = front.iter().take_while(|arrival| arrival.at.as_ps() <= now).count();
                    if due == 0 {
                        break;
                    }
                    let count = (1 + number as usize % due).min(left);
                    left -= count;
                    for arrival in &front[..count] {
                        let (at, _, number) = plain.pop_first().expect("no more than were added");
                        prop_assert_eq!((arrival.at.as_ps(), arrival.number), (at, number));
                    }
                    batches.consume(count);
                }
                now += 1;
                prop_assert!(left == 0 || plain.first().is_none_or(|(first, ..)| *first >= now));
                prop_assert_eq!(batches.len(), plain.len());
                prop_assert_eq!(batches.next().as_ps(), plain.first().map_or(u64::MAX, |(at, ..)| *at));
            }
        }
    }
}
