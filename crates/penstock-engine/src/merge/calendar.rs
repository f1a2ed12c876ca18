//! A calendar queue: many inputs merged, at a cost that does not depend on their number.

mod adaptation;
#[cfg(test)]
mod tests;

use crate::merge::{first_set, Timed};
use penstock_model::prefetch::prefetch;
use penstock_model::units::Time;

/// Events in order of time and, among simultaneous ones, of inputs and then of additions.
///
/// A calendar queue: time is cut into buckets of equal width, and an event is added, unsorted, to the bucket of its time. A
/// bucket is sorted when its time comes. Adding and taking cost the same however many senders there are, and a packet shares
/// its cache line with its neighbours in time instead of with its sender's last. The bucket width follows the traffic. A few
/// events are in one sorted list without any buckets, which is all that most of very many calendars ever need.
#[derive(Clone, Debug)]
pub struct Calendar<T> {
    /// Events due before `bucket_end`, sorted, from `taken` on; never empty while there are more.
    current: Vec<T>,
    orders: Vec<u64>,
    taken: usize,
    /// Events due from here on are in buckets or in `overflow`; [`UNBOUNDED`] while there are none.
    bucket_end: u64,
    /// A bucket is 2^`width` ps wide.
    width: u32,
    /// For each of the coming buckets, as many as a power of two, the last entries of its chains; and a bit for each that is not empty.
    buckets: Vec<[u32; CHAINS]>,
    occupied: Vec<u64>,
    entries: Vec<Entry<T>>,
    /// For each entry what finds it, apart from it, so that looking for what is due passes over few cache lines.
    links: Vec<Link>,
    /// Entries that are free, the last one freed at the end.
    free: Vec<u32>,
    /// Entries beyond the coming buckets, and the earliest time among them.
    overflow: Vec<u32>,
    overflow_from: u64,
    /// How many events are in buckets and in `overflow`.
    waiting: usize,
    /// How many have ever been added.
    added: u64,
    /// When the earliest of all is due.
    next: Time,
    /// The keys of the bucket that was sorted last.
    keys: Vec<u64>,
    /// Buckets sorted since the width was last judged, and how many events they held.
    group: (u32, u32),
    /// Events that have left buckets since all were last put into others.
    handled: usize,
    /// How often events were put into buckets or the overflow.
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

/// When an event in a bucket is due, and its neighbour.
#[derive(Clone, Copy, Debug)]
struct Link {
    at: u64,
    /// The entry before in its bucket.
    before: u32,
}

/// So many buckets at first, and more once more events wait: a calendar that holds little is to fit a cache together with
/// many others. Beyond `MANY_BUCKETS` there is one for each [`MIN_PER_BUCKET`] events of the overflow, so that looking through
/// that at each turn of the buckets costs the same per event however many wait.
const MIN_BUCKETS: usize = 64;
const MANY_BUCKETS: usize = 1024;
/// As long as no more than so many events wait, there are no buckets.
const FEW_EVENTS: usize = 32;
/// The current bucket is split when so many are in it.
const MANY_EVENTS: usize = 256;
/// The end of a bucket that has none.
const UNBOUNDED: u64 = u64::MAX;
/// The entries of a bucket are in so many chains, by their numbers, which can be followed side by side: each step waits for memory.
const CHAINS: usize = 4;
/// No entry.
const NONE: u32 = u32::MAX;
/// Buckets should hold so many events each in the mean.
const MIN_PER_BUCKET: u32 = 16;
const MAX_PER_BUCKET: u32 = 64;
/// 67 us at the beginning.
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
    /// How many events it holds.
    pub fn len(&self) -> usize {
        self.current.len() - self.taken + self.waiting
    }

    /// At most so many events are due before `until`, which is later than all that have been taken.
    pub fn count_before(&self, until: Time) -> usize {
        if until == Time::NEVER {
            return self.len();
        }
        // Links of events that have been taken are still there, and are earlier.
        self.len() - self.links.iter().filter(|link| link.at >= until.as_ps()).count()
    }

    /// When the next event is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Makes room for an event of `input` that is due at `at`. It holds an old event, which the caller is to overwrite before
    /// anything else happens.
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

    /// The next events, in order; none only if the calendar is empty.
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

    /// Ends the current bucket earlier, so that about half of its events go into later ones; each addition would otherwise take
    /// a time that grows with all that is due before an event of the far future.
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
        // Each event has one link, for those who count them.
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

    /// The end of a bucket; the last one of all has none.
    fn end_of(bucket: u64, width: u32) -> u64 {
        if bucket < u64::MAX >> width {
            (bucket + 1) << width
        } else {
            UNBOUNDED
        }
    }

    /// An entry to be overwritten.
    #[inline]
    fn take_entry(&mut self) -> u32 {
        if let Some(number) = self.free.pop() {
            return number;
        }
        self.entries.push(Entry { item: T::default(), order: 0 });
        self.links.push(Link { at: 0, before: NONE });
        self.entries.len() as u32 - 1
    }

    /// Puts an entry into its bucket, or into the overflow if that is not among the coming ones.
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

    /// Makes the next bucket that is not empty the current one; there is one.
    fn advance(&mut self) {
        if self.buckets.is_empty() {
            self.resize(self.width, MIN_BUCKETS);
        }
        let slot = loop {
            let first = self.slot_of(self.bucket_end >> self.width);
            let slot = first_set(&self.occupied, first);
            let bucket = slot.map(|slot| (self.bucket_end >> self.width) + self.slot_of((slot + self.buckets.len() - first) as u64) as u64);
            // The first of the overflow may belong into one of the coming buckets by now.
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

    /// Moves what is in the overflow into buckets, as far as these reach by now; the next event is in one of them then.
    #[cold]
    fn spread_overflow(&mut self) {
        if self.occupied.iter().all(|word| *word == 0) {
            // Nothing in between: skip to the bucket of the earliest.
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
