//! A timing wheel of windows: the arrivals at all processes of a large network, sorted by window alone.

use crate::merge::{first_set, Timed};
use penstock_model::prefetch::prefetch;
use penstock_model::units::{Duration, Time};

/// Items in flight to many receivers, in windows of equal length.
///
/// Within a window, items keep the order of additions; the caller that takes a window sorts it. All windows share the pages that hold
/// items, so memory grows with the items in flight, and not with receivers or windows. Items of far windows are in a list. They move to
/// their windows before any other item can be added there, so that they keep the order of additions too.
#[derive(Clone, Debug)]
pub struct WindowWheel<T> {
    /// The length of a window in picoseconds.
    length: u64,
    /// The coming windows, indexed by the last bits of their number (the count is a power of two), and a bit for each that is not empty.
    windows: Vec<Window>,
    occupied: [u64; WINDOWS / 64],
    pages: Vec<Page<T>>,
    /// For each page of a window, the next page.
    next: Vec<u32>,
    free: Vec<u32>,
    /// The pages of the window that was taken last.
    taken: Vec<u32>,
    /// The number of the first window that may hold items.
    current: u64,
    /// Number of the first window beyond the wheel, and the items from that window on, in the order of additions.
    limit: u64,
    far: Vec<Delivery<T>>,
    len: usize,
}

/// An item and its receiver. With a packet, it fills a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Delivery<T> {
    /// The number of the receiver.
    pub receiver: u32,
    /// Its input.
    pub input: u32,
    /// The item that arrives.
    pub item: T,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    first: u32,
    last: u32,
    count: u32,
    earliest: Time,
}

type Page<T> = [Delivery<T>; PAGE];

const WINDOWS: usize = 2048;
/// Number of windows by which the wheel turns: half of all, so that at least half are always ahead.
const BATCH: u64 = WINDOWS as u64 / 2;
const PAGE: usize = 16;
const EMPTY: Window = Window { first: 0, last: 0, count: 0, earliest: Time::NEVER };

impl<T: Timed + Copy + Default> WindowWheel<T> {
    /// Creates an empty wheel of windows of this length, which must not be zero.
    pub fn new(length: Duration) -> WindowWheel<T> {
        WindowWheel {
            length: length.as_ps(),
            windows: vec![EMPTY; WINDOWS],
            occupied: [0; WINDOWS / 64],
            pages: Vec::new(),
            next: Vec::new(),
            free: Vec::new(),
            taken: Vec::new(),
            current: 0,
            limit: 2 * BATCH,
            far: Vec::new(),
            len: 0,
        }
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the last instant of the window that contains `at`.
    #[inline]
    pub fn end_of_window(&self, at: Time) -> Time {
        Time::from_ps((self.number_of(at) * self.length).saturating_add(self.length - 1))
    }

    /// Makes room for an item that arrives at `at` at `input` of `receiver`, to be overwritten.
    #[inline]
    pub fn add(&mut self, receiver: u32, input: u32, at: Time) -> &mut T {
        let delivery = self.make_place(at);
        (delivery.receiver, delivery.input) = (receiver, input);
        &mut delivery.item
    }

    #[inline(always)]
    fn make_place(&mut self, at: Time) -> &mut Delivery<T> {
        let window = self.number_of(at);
        debug_assert!(window >= self.current, "nothing arrives in a window that is over");
        self.len += 1;
        if window < self.limit {
            self.slot(window, at)
        } else {
            self.far_place()
        }
    }

    #[inline(always)]
    fn number_of(&self, at: Time) -> u64 {
        at.as_ps() / self.length
    }

    /// Returns the earliest arrival time; [`Time::NEVER`] if the wheel is empty.
    pub fn first(&self) -> Time {
        match first_set(&self.occupied, slot_of(self.current)) {
            Some(slot) => self.windows[slot].earliest,
            None => self.far.iter().map(|delivery| delivery.item.at()).min().unwrap_or(Time::NEVER),
        }
    }

    /// Takes the items of the window of `at` that arrive up to and including `until`, and appends their slots in the order of additions.
    /// No item may be left before that window. Later items of the window are added again. The slots are valid until the next call.
    pub fn take(&mut self, at: Time, until: Time, slots: &mut Vec<u32>) {
        self.free.append(&mut self.taken);
        let number = self.number_of(at);
        self.advance(number);
        let window = std::mem::replace(&mut self.windows[slot_of(number)], EMPTY);
        self.occupied[slot_of(number) / 64] &= !(1 << (number % 64));
        let (mut taken, before) = (std::mem::take(&mut self.taken), slots.len());
        self.list(window, slots, |page| taken.push(page));
        self.taken = taken;
        self.len -= window.count as usize;
        if until < self.end_of_window(at) {
            let mut kept = before;
            for i in before..slots.len() {
                if self.get(slots[i]).item.at() <= until {
                    slots[kept] = slots[i];
                    kept += 1;
                } else {
                    self.put_back(slots[i]);
                }
            }
            slots.truncate(kept);
        }
    }

    /// Appends the slots of the items added so far to the window after the one that was taken last.
    pub fn list_next(&self, slots: &mut Vec<u32>) {
        self.list(self.windows[slot_of(self.current + 1)], slots, |_| {});
    }

    /// Appends the slots of the items of a window, and calls `on_page` with each of its pages.
    #[inline]
    fn list(&self, window: Window, slots: &mut Vec<u32>, mut on_page: impl FnMut(u32)) {
        let (mut page, mut left) = (window.first, window.count as usize);
        while left > 0 {
            let listed = left.min(PAGE);
            let first = page * PAGE as u32;
            slots.extend(first..first + listed as u32);
            on_page(page);
            page = self.next[page as usize];
            left -= listed;
        }
    }

    /// Returns the item at `slot`.
    #[inline(always)]
    pub fn get(&self, slot: u32) -> &Delivery<T> {
        &self.pages[slot as usize / PAGE][slot as usize % PAGE]
    }

    /// Adds the item at `slot`, of the window that was taken last, again.
    pub fn put_back(&mut self, slot: u32) {
        let delivery = *self.get(slot);
        *self.make_place(delivery.item.at()) = delivery;
    }

    /// Advances to window `number`. No item may be left before it.
    fn advance(&mut self, number: u64) {
        self.current = number;
        let limit = (number / BATCH + 2) * BATCH;
        if limit > self.limit {
            self.limit = limit;
            self.len -= self.far.len();
            for delivery in std::mem::take(&mut self.far) {
                *self.make_place(delivery.item.at()) = delivery;
            }
        }
    }

    /// Returns a new slot in a window on the wheel.
    #[inline(always)]
    fn slot(&mut self, number: u64, at: Time) -> &mut Delivery<T> {
        let window = &mut self.windows[slot_of(number)];
        let within = window.count as usize % PAGE;
        if within == 0 {
            let page = match self.free.pop() {
                Some(page) => page,
                None => new_page(&mut self.pages, &mut self.next),
            };
            if window.count == 0 {
                window.first = page;
                self.occupied[slot_of(number) / 64] |= 1 << (number % 64);
            } else {
                self.next[window.last as usize] = page;
            }
            window.last = page;
        }
        window.count += 1;
        window.earliest = window.earliest.min(at);
        let page = &mut self.pages[window.last as usize];
        // Prefetch the slot for the next item of this window, which has left the caches since the page was last in use.
        prefetch(&page[(within + 1) % PAGE]);
        &mut page[within]
    }

    #[cold]
    fn far_place(&mut self) -> &mut Delivery<T> {
        self.far.push(Delivery::default());
        self.far.last_mut().expect("just pushed")
    }
}

#[inline]
fn slot_of(number: u64) -> usize {
    number as usize % WINDOWS
}

#[cold]
fn new_page<T: Copy + Default>(pages: &mut Vec<Page<T>>, next: &mut Vec<u32>) -> u32 {
    pages.push([Delivery::default(); PAGE]);
    next.push(0);
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
            length in 1u64..1 << 20,
            steps in prop::collection::vec((prop::collection::vec((0u64..1 << 34, 0u32..34, any::<u32>()), 0..60), any::<bool>()), 1..40),
        ) {
            let mut wheel = WindowWheel::new(Duration::from_ps(length));
            let mut plain: Vec<Delivery<Event>> = Vec::new();
            let (mut from, mut number) = (0, 0);
            for (added, in_part) in steps {
                for (after, scale, receiver) in added {
                    let at = Time::from_ps(from + (after >> scale));
                    let delivery = Delivery { receiver, input: receiver % 7, item: Event { at, number } };
                    *wheel.add(receiver, delivery.input, at) = delivery.item;
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
                let mut slots = Vec::new();
                wheel.take(first, until, &mut slots);
                let taken: Vec<Delivery<Event>> = slots.iter().map(|slot| *wheel.get(*slot)).collect();
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
