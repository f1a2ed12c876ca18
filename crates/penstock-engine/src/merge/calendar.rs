//! A calendar queue: many inputs merged, at a cost that does not depend on their number.

mod adaptation;
#[cfg(test)]
mod tests;

use crate::merge::{first_set, Timed};
use penstock_model::prefetch::prefetch;
use penstock_model::units::Time;

/// Events in order of time and, among simultaneous ones, of inputs and then of additions.
///
/// A calendar queue divides time into buckets of equal width. An event is added, unsorted, to the bucket of its time, and a bucket is
/// sorted when its time comes. The cost of adding and taking does not depend on the number of senders. The bucket width follows the
/// traffic. A few events are in one sorted list without buckets, which is sufficient for most calendars of a large network.
#[derive(Clone, Debug)]
pub struct Calendar<T> {
    /// Events due before `bucket_end`, sorted, from `taken` on; never empty while other events wait.
    current: Vec<T>,
    orders: Vec<u64>,
    taken: usize,
    /// Events due from here on are in buckets or in `overflow`; [`UNBOUNDED`] while there are none.
    bucket_end: u64,
    /// A bucket is 2^`width` ps wide.
    width: u32,
    /// For each of the coming buckets, the last entries of its chains, and a bit if it is not empty. Their number is a power of two.
    buckets: Vec<[u32; CHAINS]>,
    occupied: Vec<u64>,
    entries: Vec<Entry<T>>,
    /// The link of each entry, kept apart from it, so that a search for due events touches few cache lines.
    links: Vec<Link>,
    /// Free entries; the last one freed is at the end.
    free: Vec<u32>,
    /// Entries beyond the coming buckets, and the earliest time among them.
    overflow: Vec<u32>,
    overflow_from: u64,
    /// Number of events in buckets and in `overflow`.
    waiting: usize,
    /// Number of events ever added.
    added: u64,
    /// Time of the earliest event; [`Time::NEVER`] if there is none.
    next: Time,
    /// The keys of the bucket that was sorted last.
    keys: Vec<u64>,
    /// Number of buckets sorted since the width was last judged, and of the events in them.
    group: (u32, u32),
    /// Number of events in the groups judged since all events were last moved to other buckets.
    handled: usize,
    /// Number of times that an event was put into a bucket or the overflow.
    #[cfg(test)]
    pub(super) moves: u64,
}

/// An event in a bucket, in a cache line of its own: packets, with the order, fill one.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Entry<T> {
    item: T,
    order: u64,
}

/// The time of an event in a bucket, and its predecessor in the chain.
#[derive(Clone, Copy, Debug)]
struct Link {
    at: u64,
    /// The previous entry of its chain, or [`NONE`].
    before: u32,
}

/// Initial number of buckets. It grows with the number of waiting events: many calendars with few events must fit a cache together.
/// Beyond `MANY_BUCKETS` there is one bucket for each [`MIN_PER_BUCKET`] events of the overflow, so that the search of the overflow at
/// each turn of the buckets has a constant cost per event.
const MIN_BUCKETS: usize = 64;
const MANY_BUCKETS: usize = 1024;
/// Maximum number of events in a calendar without buckets.
const FEW_EVENTS: usize = 32;
/// Number of events at which the current bucket is split.
const MANY_EVENTS: usize = 256;
/// The end of a bucket that has none.
const UNBOUNDED: u64 = u64::MAX;
/// Number of chains of a bucket. Entries are assigned by their numbers, and the chains are followed in parallel, since each step waits
/// for memory.
const CHAINS: usize = 4;
/// No entry.
const NONE: u32 = u32::MAX;
/// Bounds on the desired mean number of events per bucket.
const MIN_PER_BUCKET: u32 = 16;
const MAX_PER_BUCKET: u32 = 64;
/// Initial width: 2^26 ps = 67 us.
const FIRST_WIDTH: u32 = 26;
const MIN_WIDTH: u32 = 6;

impl<T> Default for Calendar<T> {
    fn default() -> Calendar<T> {
        Calendar {
            current: Vec::new(),
            orders: Vec::new(),
            taken: 0,
            bucket_end: UNBOUNDED,
            width: FIRST_WIDTH,
            buckets: Vec::new(),
            occupied: Vec::new(),
            entries: Vec::new(),
            links: Vec::new(),
            free: Vec::new(),
            overflow: Vec::new(),
            overflow_from: u64::MAX,
            waiting: 0,
            added: 0,
            next: Time::NEVER,
            keys: Vec::new(),
            group: (0, 0),
            handled: 0,
            #[cfg(test)]
            moves: 0,
        }
    }
}

impl<T: Timed> Calendar<T> {
    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.current.len() - self.taken + self.waiting
    }

    /// Returns an upper bound on the number of events due before `until`, which must be later than all events taken.
    pub fn count_before(&self, until: Time) -> usize {
        if until == Time::NEVER {
            return self.len();
        }
        // Links of events that have been taken are still there, and are earlier.
        self.len() - self.links.iter().filter(|link| link.at >= until.as_ps()).count()
    }

    /// Returns the time of the next event; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Makes room for an event of `input` that is due at `at`. The slot holds a stale event, which the caller must overwrite before any
    /// other call.
    #[inline]
    pub fn add(&mut self, input: usize, at: Time) -> &mut T {
        let order = (input as u64) << 40 | self.added;
        self.added += 1;
        self.next = self.next.min(at);
        if at.as_ps() < self.bucket_end {
            return self.insert_current(at, order);
        }
        self.add_waiting(at, order)
    }

    /// Makes room for an event that is not due before the end of the current bucket.
    #[inline(always)]
    fn add_waiting(&mut self, at: Time, order: u64) -> &mut T {
        self.waiting += 1;
        let number = self.take_entry();
        self.put(at.as_ps(), number);
        let entry = &mut self.entries[number as usize];
        entry.order = order;
        &mut entry.item
    }

    /// Returns the next events, in order; empty only if the calendar is empty.
    #[inline]
    pub fn front(&mut self) -> &[T] {
        if self.current.is_empty() && self.waiting > 0 {
            self.advance();
        }
        &self.current[self.taken..]
    }

    /// Takes the first `count` of [`Calendar::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.current.len() {
            self.current.clear();
            self.orders.clear();
            self.taken = 0;
            if self.waiting > 0 {
                self.advance();
            } else {
                self.bucket_end = UNBOUNDED;
            }
        }
        self.next = self.current.get(self.taken).map_or(Time::NEVER, T::at);
    }

    /// Makes room for an event that is due before the end of the current bucket.
    #[inline(never)]
    fn insert_current(&mut self, at: Time, order: u64) -> &mut T {
        if self.taken >= FEW_EVENTS {
            self.current.drain(..self.taken);
            self.orders.drain(..self.taken);
            self.taken = 0;
        }
        let most = if self.bucket_end == UNBOUNDED { FEW_EVENTS } else { MANY_EVENTS };
        if self.current.len() - self.taken >= most {
            self.split_current();
            if at.as_ps() >= self.bucket_end {
                return self.add_waiting(at, order);
            }
        }
        let mut slot = self.current.len();
        while slot > self.taken && (self.current[slot - 1].at(), self.orders[slot - 1]) > (at, order) {
            slot -= 1;
        }
        self.current.insert(slot, T::default());
        self.orders.insert(slot, order);
        &mut self.current[slot]
    }

    /// Ends the current bucket earlier, so that about half of its events go into later buckets. Otherwise the cost of each addition
    /// would grow with the number of events in the bucket.
    #[cold]
    fn split_current(&mut self) {
        let events = &self.current[self.taken..];
        let (first, middle) = (events[0].at().as_ps(), events[events.len() / 2].at().as_ps());
        let mut width = self.width;
        if self.bucket_end != UNBOUNDED {
            let spacing = (middle - first) / (events.len() as u64 / 2);
            width = width.min((spacing * u64::from(MAX_PER_BUCKET / 2)).max(1).ilog2()).max(MIN_WIDTH);
        }
        let end = Self::end_of(middle >> width, width).min(self.bucket_end);
        let kept = self.taken + events.partition_point(|event| event.at().as_ps() < end);
        self.bucket_end = end;
        let moved: Vec<(T, u64)> = self.current.drain(kept..).zip(self.orders.drain(kept..)).collect();
        if moved.is_empty() {
            return;
        }
        self.waiting += moved.len();
        // Clear free links, so that `count_before` finds one link per event.
        self.free.iter().for_each(|number| self.links[*number as usize].at = 0);
        for (item, order) in moved {
            let number = self.take_entry();
            let item_at = item.at().as_ps();
            self.entries[number as usize] = Entry { item, order };
            self.links[number as usize].at = item_at;
            self.overflow.push(number);
        }
        self.resize(width, self.buckets.len().max(MIN_BUCKETS));
    }

    /// Returns the end of a bucket; [`UNBOUNDED`] for the last bucket of all.
    fn end_of(bucket: u64, width: u32) -> u64 {
        if bucket < u64::MAX >> width {
            (bucket + 1) << width
        } else {
            UNBOUNDED
        }
    }

    /// Returns the number of an entry to overwrite.
    #[inline]
    fn take_entry(&mut self) -> u32 {
        if let Some(number) = self.free.pop() {
            return number;
        }
        self.entries.push(Entry { item: T::default(), order: 0 });
        self.links.push(Link { at: 0, before: NONE });
        self.entries.len() as u32 - 1
    }

    /// Puts an entry into its bucket, or into the overflow if that bucket is not among the coming ones.
    #[inline]
    fn put(&mut self, at: u64, number: u32) {
        #[cfg(test)]
        {
            self.moves += 1;
        }
        self.links[number as usize].at = at;
        let bucket = at >> self.width;
        if bucket - (self.bucket_end >> self.width) >= self.buckets.len() as u64 {
            return self.put_into_overflow(at, number);
        }
        let slot = self.slot_of(bucket);
        self.occupied[slot / 64] |= 1 << (slot % 64);
        self.links[number as usize].before = std::mem::replace(&mut self.buckets[slot][number as usize % CHAINS], number);
    }

    #[inline]
    fn slot_of(&self, bucket: u64) -> usize {
        bucket as usize & (self.buckets.len() - 1)
    }

    #[cold]
    fn put_into_overflow(&mut self, at: u64, number: u32) {
        self.overflow.push(number);
        self.overflow_from = self.overflow_from.min(at);
    }

    /// Makes the next non-empty bucket the current one. There must be one.
    fn advance(&mut self) {
        if self.buckets.is_empty() {
            self.resize(self.width, MIN_BUCKETS);
        }
        let slot = loop {
            let first = self.slot_of(self.bucket_end >> self.width);
            let slot = first_set(&self.occupied, first);
            let bucket = slot.map(|slot| (self.bucket_end >> self.width) + self.slot_of((slot + self.buckets.len() - first) as u64) as u64);
            // As the buckets advance, events of the overflow come within their range.
            match (slot, bucket) {
                (Some(slot), Some(bucket)) if bucket < self.overflow_from >> self.width => {
                    self.bucket_end = Self::end_of(bucket, self.width);
                    break slot;
                }
                _ => self.spread_overflow(),
            }
        };
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        let Calendar { buckets, entries, links, free, keys, current, orders, width, .. } = self;
        // Keys: the time since the beginning of the bucket, and below it the number of the entry.
        let numbers = (1u64 << (64 - *width)) - 1;
        let mut chains = std::mem::replace(&mut buckets[slot], [NONE; CHAINS]);
        keys.clear();
        while chains != [NONE; CHAINS] {
            for number in &mut chains {
                let Some(link) = links.get(*number as usize) else { continue };
                prefetch(&entries[*number as usize]);
                keys.push(link.at << (64 - *width) | u64::from(*number));
                *number = link.before;
            }
        }
        keys.sort_unstable();
        if keys.windows(2).any(|two| (two[0] ^ two[1]) & !numbers == 0) {
            keys.sort_unstable_by_key(|key| (key & !numbers, entries[(key & numbers) as usize].order));
        }
        current.extend(keys.iter().map(|key| entries[(key & numbers) as usize].item));
        orders.extend(keys.iter().map(|key| entries[(key & numbers) as usize].order));
        free.extend(keys.iter().map(|key| (key & numbers) as u32));
        self.waiting -= self.keys.len();
        self.adapt();
    }

    /// Moves the events of the overflow that are within range into buckets. Afterwards the next event is in a bucket.
    #[cold]
    fn spread_overflow(&mut self) {
        if self.occupied.iter().all(|word| *word == 0) {
            // All buckets are empty: skip to the bucket of the earliest event.
            self.bucket_end = self.bucket_end.max(self.overflow_from >> self.width << self.width);
        }
        let wanted = (self.overflow.len() / MIN_PER_BUCKET as usize).next_power_of_two();
        if wanted > self.buckets.len().max(MANY_BUCKETS) {
            return self.resize(self.width, wanted);
        }
        self.overflow_from = u64::MAX;
        for number in std::mem::take(&mut self.overflow) {
            self.put(self.links[number as usize].at, number);
        }
    }
}
