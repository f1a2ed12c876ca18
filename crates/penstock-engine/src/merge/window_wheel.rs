//! A timing wheel of windows: what arrives anywhere in a large network, sorted by window alone.

use crate::merge::Timed;
use penstock_model::units::Time;
use std::collections::BTreeMap;

/// Items on their way to many receivers, in windows of equal length, a power of two of picoseconds.
///
/// Within a window items keep the order in which they were added; who takes a window sorts it. Items stand in pages that all windows
/// share, so that memory follows what is under way, not how many receivers or windows there are. Windows that are far ahead are
/// kept in batches, and distributed before anything can be added to one of them directly, so the order of additions holds for
/// them, too.
#[derive(Debug)]
pub struct WindowWheel<T> {
    /// A window is 2^`shift` ps long.
    shift: u32,
    /// The coming windows, as many as a power of two, by the last bits of their number, and a bit for each that holds something.
    windows: Vec<Window>,
    occupied: [u64; WINDOWS / 64],
    pages: Vec<Page<T>>,
    free: Vec<u32>,
    /// The number of the first window that may still hold something.
    current: u64,
    /// Windows from this number on are in batches, by their number over [`BATCH`].
    limit: u64,
    far: BTreeMap<u64, Batch<T>>,
    len: usize,
}

/// An item and where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery<T> {
    /// The number of the receiver.
    pub receiver: u32,
    /// Its input.
    pub input: u32,
    /// What arrives there.
    pub item: T,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    first: u32,
    last: u32,
    count: u32,
    earliest: Time,
}

#[derive(Debug)]
struct Page<T> {
    items: [Delivery<T>; PAGE],
    next: u32,
}

#[derive(Debug)]
struct Batch<T> {
    items: Vec<Delivery<T>>,
    earliest: Time,
}

const WINDOWS: usize = 1024;
/// Windows of a batch: half of those on the wheel, so that at least as many are always ahead.
const BATCH: u64 = WINDOWS as u64 / 2;
const PAGE: usize = 16;
const EMPTY: Window = Window { first: 0, last: 0, count: 0, earliest: Time::NEVER };

impl<T: Timed + Copy + Default> WindowWheel<T> {
    /// An empty wheel of windows of 2^`shift` ps.
    pub fn new(shift: u32) -> WindowWheel<T> {
        WindowWheel {
            shift,
            windows: vec![EMPTY; WINDOWS],
            occupied: [0; WINDOWS / 64],
            pages: Vec::new(),
            free: Vec::new(),
            current: 0,
            limit: 2 * BATCH,
            far: BTreeMap::new(),
            len: 0,
        }
    }

    /// How many items it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The last instant of the window to which `at` belongs.
    #[inline]
    pub fn end_of_window(&self, at: Time) -> Time {
        Time::from_ps(at.as_ps() | ((1 << self.shift) - 1))
    }

    /// Makes a place for an item that arrives at `at` at `input` of `receiver`, to be overwritten.
    #[inline]
    pub fn add(&mut self, receiver: u32, input: u32, at: Time) -> &mut T {
        let window = at.as_ps() >> self.shift;
        debug_assert!(window >= self.current, "nothing arrives in a window that is over");
        self.len += 1;
        let delivery = if window < self.limit { self.place(window, at) } else { self.far_place(window, at) };
        (delivery.receiver, delivery.input) = (receiver, input);
        &mut delivery.item
    }

    /// When the first item arrives.
    pub fn first(&self) -> Time {
        match self.first_window() {
            Some(place) => self.windows[place].earliest,
            None => self.far.first_key_value().map_or(Time::NEVER, |(_, batch)| batch.earliest),
        }
    }

    /// Appends to `items` what arrives in the window of `at`, before which nothing is left, up to and including `until`, in the order
    /// of additions; what arrives later in the same window stays.
    pub fn take(&mut self, at: Time, until: Time, items: &mut Vec<Delivery<T>>) {
        let number = at.as_ps() >> self.shift;
        self.advance(number);
        let window = std::mem::replace(&mut self.windows[place_of(number)], EMPTY);
        self.occupied[place_of(number) / 64] &= !(1 << (number % 64));
        let (mut page, mut left, before) = (window.first, window.count as usize, items.len());
        while left > 0 {
            let taken = left.min(PAGE);
            items.extend_from_slice(&self.pages[page as usize].items[..taken]);
            self.free.push(page);
            page = self.pages[page as usize].next;
            left -= taken;
        }
        self.len -= window.count as usize;
        if until < self.end_of_window(at) {
            let mut kept = before;
            for i in before..items.len() {
                if items[i].item.at() <= until {
                    items[kept] = items[i];
                    kept += 1;
                } else {
                    self.put_back(&items[i]);
                }
            }
            items.truncate(kept);
        }
    }

    /// Adds what was taken again.
    pub fn put_back(&mut self, delivery: &Delivery<T>) {
        *self.add(delivery.receiver, delivery.input, delivery.item.at()) = delivery.item;
    }

    /// Goes on to window `number`, before which nothing is left.
    fn advance(&mut self, number: u64) {
        self.current = number;
        self.limit = (number / BATCH + 2) * BATCH;
        while let Some(entry) = self.far.first_entry().filter(|entry| *entry.key() < self.limit / BATCH) {
            for delivery in &entry.remove().items {
                let at = delivery.item.at();
                *self.place(at.as_ps() >> self.shift, at) = *delivery;
            }
        }
    }

    /// A place in a window on the wheel.
    #[inline]
    fn place(&mut self, number: u64, at: Time) -> &mut Delivery<T> {
        let window = &mut self.windows[place_of(number)];
        let within = window.count as usize % PAGE;
        if within == 0 {
            let page = match self.free.pop() {
                Some(page) => page,
                None => new_page(&mut self.pages),
            };
            if window.count == 0 {
                window.first = page;
                self.occupied[place_of(number) / 64] |= 1 << (number % 64);
            } else {
                self.pages[window.last as usize].next = page;
            }
            window.last = page;
        }
        window.count += 1;
        window.earliest = window.earliest.min(at);
        &mut self.pages[window.last as usize].items[within]
    }

    #[cold]
    fn far_place(&mut self, number: u64, at: Time) -> &mut Delivery<T> {
        let batch = self.far.entry(number / BATCH).or_insert_with(|| Batch { items: Vec::new(), earliest: Time::NEVER });
        batch.earliest = batch.earliest.min(at);
        batch.items.push(Delivery::default());
        batch.items.last_mut().expect("just pushed")
    }

    /// The place of the first window on the wheel that holds something.
    fn first_window(&self) -> Option<usize> {
        let start = place_of(self.current);
        let (word, bit) = (start / 64, start % 64);
        let words = self.occupied.len();
        // The first word comes twice: at the end for the windows before the current one's place.
        let later = self.occupied[word] & (!0 << bit);
        let rest = (1..=words).map(|i| (word + i) % words).map(|word| (word, self.occupied[word]));
        let mut occupied = std::iter::once((word, later)).chain(rest).filter(|(_, bits)| *bits != 0);
        occupied.next().map(|(word, bits)| word * 64 + bits.trailing_zeros() as usize)
    }
}

#[inline]
fn place_of(number: u64) -> usize {
    number as usize % WINDOWS
}

#[cold]
fn new_page<T: Copy + Default>(pages: &mut Vec<Page<T>>) -> u32 {
    pages.push(Page { items: [Delivery::default(); PAGE], next: 0 });
    pages.len() as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::testing::Event;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// From many items in a window to windows that are far apart, and with windows that are taken in two parts.
        #[test]
        fn items_come_by_window_in_the_order_of_additions(
            shift in 0u32..20,
            steps in prop::collection::vec((prop::collection::vec((0u64..1 << 34, 0u32..34, any::<u32>()), 0..60), any::<bool>()), 1..40),
        ) {
            let mut wheel = WindowWheel::new(shift);
            let mut plain: Vec<Delivery<Event>> = Vec::new();
            let (mut from, mut number) = (0, 0);
            for (added, in_part) in steps {
                for (after, scale, receiver) in added {
                    let at = Time::from_ps(from + (after >> scale));
                    let delivery = Delivery { receiver, input: receiver % 7, item: Event { at, number } };
                    wheel.put_back(&delivery);
                    plain.push(delivery);
                    number += 1;
                }
                let first = plain.iter().map(|delivery| delivery.item.at).min().unwrap_or(Time::NEVER);
                prop_assert_eq!(wheel.first(), first);
                if first == Time::NEVER {
                    continue;
                }
                let end = wheel.end_of_window(first);
                let until = if in_part { first } else { end };
                let mut taken = Vec::new();
                wheel.take(first, until, &mut taken);
                let (due, left): (Vec<Delivery<Event>>, Vec<Delivery<Event>>) = plain.iter().partition(|delivery| delivery.item.at <= until);
                let list = |deliveries: &[Delivery<Event>]| deliveries.iter().map(|d| (d.receiver, d.input, d.item.number)).collect::<Vec<_>>();
                prop_assert_eq!(list(&taken), list(&due));
                plain = left;
                from = until.as_ps() + 1;
                prop_assert_eq!(wheel.len(), plain.len());
            }
        }
    }
}
