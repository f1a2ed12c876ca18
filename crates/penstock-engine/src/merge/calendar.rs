//! Many inputs made one: a calendar of what is due.

use crate::merge::Timed;
use penstock_model::units::Time;

/// What is due, in order of time and, among what is simultaneous, of inputs and then of additions.
///
/// A calendar queue: time is cut into days of equal length, and what is added is put, unsorted, onto the page of its day. A
/// day is sorted when it comes. Adding and taking cost the same however many senders there are, and a packet shares its
/// cache line with its neighbours in time instead of with its sender's last. The length of a day follows the traffic.
/// While there is little it stands side by side without any pages, which most of very many calendars never need.
#[derive(Debug)]
pub struct Calendar<T> {
    /// What is due before `dawn`, sorted, from `taken` on; never empty while there is more.
    today: Vec<T>,
    orders: Vec<u64>,
    taken: usize,
    /// What is due from here on stands on the pages; [`NO_DAWN`] while nothing does.
    dawn: u64,
    /// A day lasts 2^`day` ps.
    day: u32,
    /// For each of the coming days, as many as a power of two, its last card, once there was any; and a bit for each that has
    /// any.
    pages: Vec<u32>,
    marked: Vec<u64>,
    cards: Vec<Card<T>>,
    /// The first card that is free.
    free: u32,
    /// Cards of days that have no page yet, and the earliest time among them.
    later: Vec<u32>,
    later_from: u64,
    /// How many stand on the pages and in `later`.
    waiting: usize,
    /// How many have ever been added.
    added: u64,
    /// The earliest of all.
    next: Time,
    sorter: Vec<u64>,
    /// Days that have come since the length of a day was judged, and how much they held.
    judged: (u32, u32),
}

/// What stands on a page.
#[derive(Clone, Copy, Debug)]
struct Card<T> {
    item: T,
    order: u64,
    /// The card before on its page, or among the free ones.
    before: u32,
}

/// There are so many pages at first, and more once more waits: the pages of a calendar that holds little are to fit a cache
/// with those of many others.
const FEWEST_PAGES: usize = 64;
const MOST_PAGES: usize = 1024;
/// As long as no more than so many wait, there are no pages.
const FEW: usize = 32;
/// Behind all days.
const NO_DAWN: u64 = u64::MAX;
/// No card.
const NONE: u32 = u32::MAX;
/// Days are judged in groups of so many,
const JUDGED: u32 = 64;
/// and should hold so much each in the mean.
const FEWEST: u32 = 8;
const MOST: u32 = 32;
/// A day of 67 us at the beginning.
const FIRST_DAY: u32 = 26;
const SHORTEST_DAY: u32 = 6;
const LONGEST_DAY: u32 = 36;

impl<T> Default for Calendar<T> {
    fn default() -> Calendar<T> {
        Calendar {
            today: Vec::new(),
            orders: Vec::new(),
            taken: 0,
            dawn: NO_DAWN,
            day: FIRST_DAY,
            pages: Vec::new(),
            marked: Vec::new(),
            cards: Vec::new(),
            free: NONE,
            later: Vec::new(),
            later_from: u64::MAX,
            waiting: 0,
            added: 0,
            next: Time::NEVER,
            sorter: Vec::new(),
            judged: (0, 0),
        }
    }
}

impl<T: Timed> Calendar<T> {
    /// How much it holds.
    pub fn len(&self) -> usize {
        self.today.len() - self.taken + self.waiting
    }

    /// When the next is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Makes a place for what is added at `input` and due at `at`; something old may stand there, and the caller is to write
    /// over it before anything else happens.
    #[inline]
    pub fn add(&mut self, input: usize, at: Time) -> &mut T {
        let order = (input as u64) << 40 | self.added;
        self.added += 1;
        self.next = self.next.min(at);
        if at.as_ps() < self.dawn {
            return self.insert_today(at, order);
        }
        self.waiting += 1;
        let number = self.take_card();
        self.put(at.as_ps(), number);
        let card = &mut self.cards[number as usize];
        card.order = order;
        &mut card.item
    }

    /// What is due next, in order; nothing only if the calendar is empty.
    #[inline]
    pub fn front(&mut self) -> &[T] {
        if self.today.is_empty() && self.waiting > 0 {
            self.turn();
        }
        &self.today[self.taken..]
    }

    /// Takes the first `count` of [`Calendar::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.today.len() {
            self.today.clear();
            self.orders.clear();
            self.taken = 0;
            if self.waiting > 0 {
                self.turn();
            } else {
                self.dawn = NO_DAWN;
            }
        }
        self.next = self.today.get(self.taken).map_or(Time::NEVER, T::at);
    }

    /// Makes a place for what is due before dawn.
    #[inline(never)]
    fn insert_today(&mut self, at: Time, order: u64) -> &mut T {
        if self.taken >= FEW {
            self.today.drain(..self.taken);
            self.orders.drain(..self.taken);
            self.taken = 0;
        }
        if self.dawn == NO_DAWN && self.today.len() - self.taken >= FEW {
            let last = self.today[self.today.len() - 1].at().max(at).as_ps();
            self.dawn = self.day_after(last >> self.day);
        }
        let mut place = self.today.len();
        while place > self.taken && (self.today[place - 1].at(), self.orders[place - 1]) > (at, order) {
            place -= 1;
        }
        self.today.insert(place, T::default());
        self.orders.insert(place, order);
        &mut self.today[place]
    }

    /// When the next day begins; the last day of all has none.
    fn day_after(&self, day: u64) -> u64 {
        if day < u64::MAX >> self.day {
            (day + 1) << self.day
        } else {
            NO_DAWN
        }
    }

    /// A card to be written over.
    #[inline]
    fn take_card(&mut self) -> u32 {
        let number = self.free;
        if let Some(card) = self.cards.get(number as usize) {
            self.free = card.before;
            return number;
        }
        self.cards.push(Card { item: T::default(), order: 0, before: NONE });
        self.cards.len() as u32 - 1
    }

    /// Puts a card onto the page of its day, or aside if that day has none yet.
    #[inline]
    fn put(&mut self, at: u64, number: u32) {
        let day = at >> self.day;
        if day - (self.dawn >> self.day) >= self.pages.len() as u64 {
            return self.put_aside(at, number);
        }
        let page = self.page_of(day);
        self.marked[page / 64] |= 1 << (page % 64);
        self.cards[number as usize].before = std::mem::replace(&mut self.pages[page], number);
    }

    #[inline]
    fn page_of(&self, day: u64) -> usize {
        day as usize & (self.pages.len() - 1)
    }

    #[cold]
    fn put_aside(&mut self, at: u64, number: u32) {
        self.later.push(number);
        self.later_from = self.later_from.min(at);
    }

    /// Makes the next day that has any cards today; there is one.
    fn turn(&mut self) {
        if self.pages.is_empty() {
            self.set_days(self.day, FEWEST_PAGES);
        }
        let page = loop {
            let first = self.page_of(self.dawn >> self.day);
            let page = self.next_marked(first);
            let day = page.map(|page| (self.dawn >> self.day) + self.page_of((page + self.pages.len() - first) as u64) as u64);
            // What has no page yet may have come closer than the pages reach.
            match (page, day) {
                (Some(page), Some(day)) if day < self.later_from >> self.day => {
                    self.dawn = self.day_after(day);
                    break page;
                }
                _ => self.find_pages(),
            }
        };
        self.marked[page / 64] &= !(1 << (page % 64));
        let Calendar { pages, cards, free, sorter, today, orders, day, .. } = self;
        // The time since the beginning of the day, and behind it the number of the card.
        let numbers = (1u64 << (64 - *day)) - 1;
        let first = std::mem::replace(&mut pages[page], NONE);
        let (mut number, mut last) = (first, first);
        sorter.clear();
        while let Some(card) = cards.get(number as usize) {
            sorter.push(card.item.at().as_ps() << (64 - *day) | u64::from(number));
            (last, number) = (number, card.before);
        }
        sorter.sort_unstable();
        if sorter.windows(2).any(|two| (two[0] ^ two[1]) & !numbers == 0) {
            sorter.sort_unstable_by_key(|key| (key & !numbers, cards[(key & numbers) as usize].order));
        }
        today.extend(sorter.iter().map(|key| cards[(key & numbers) as usize].item));
        orders.extend(sorter.iter().map(|key| cards[(key & numbers) as usize].order));
        // They are free in the order in which they stood on the page.
        cards[last as usize].before = std::mem::replace(free, first);
        self.waiting -= sorter.len();
        self.judge();
    }

    /// The first page with cards, from `first` on and round.
    #[inline]
    fn next_marked(&self, first: usize) -> Option<usize> {
        let words = self.marked.len();
        let (word, bit) = (first / 64, first % 64);
        let here = self.marked[word] >> bit << bit;
        if here != 0 {
            return Some(word * 64 + here.trailing_zeros() as usize);
        }
        // The last one is the first word again, with the bits below.
        (1..=words)
            .map(|step| (word + step) % words)
            .find(|&word| self.marked[word] != 0)
            .map(|word| word * 64 + self.marked[word].trailing_zeros() as usize)
    }

    /// Gives pages to what has none, as far as the pages reach now; beyond that nothing can be due.
    #[cold]
    fn find_pages(&mut self) {
        if self.marked.iter().all(|word| *word == 0) {
            // Nothing in between: on to the day of the earliest.
            self.dawn = self.dawn.max(self.later_from >> self.day << self.day);
        }
        self.later_from = u64::MAX;
        for number in std::mem::take(&mut self.later) {
            let at = self.cards[number as usize].item.at().as_ps();
            self.put(at, number);
        }
    }

    /// Makes days longer or shorter if they hold too little or too much, and more pages if there are too few for what waits.
    #[inline]
    fn judge(&mut self) {
        self.judged.0 += 1;
        self.judged.1 += self.sorter.len() as u32;
        if self.judged.0 == JUDGED {
            let held = std::mem::take(&mut self.judged).1;
            if held < FEWEST * JUDGED && self.day < LONGEST_DAY {
                self.set_days(self.day + 1, self.pages.len());
            } else if held > MOST * JUDGED && self.day > SHORTEST_DAY {
                self.set_days(self.day - 1, self.pages.len());
            } else if self.waiting > self.pages.len() && self.pages.len() < MOST_PAGES {
                self.set_days(self.day, 2 * self.pages.len());
            }
        }
    }

    /// Makes days of another length, or more pages.
    #[cold]
    fn set_days(&mut self, day: u32, pages: usize) {
        for page in &mut self.pages {
            let mut number = std::mem::replace(page, NONE);
            while let Some(card) = self.cards.get(number as usize) {
                self.later.push(number);
                number = card.before;
            }
        }
        self.pages.resize(pages, NONE);
        self.marked.clear();
        self.marked.resize(pages / 64, 0);
        self.day = day;
        self.later_from = u64::MAX;
        for number in std::mem::take(&mut self.later) {
            let at = self.cards[number as usize].item.at().as_ps();
            self.put(at, number);
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

        /// Whatever the spacing, from many events at one instant to a few in an eternity.
        #[test]
        fn events_come_in_order(
            scale in 0u32..44,
            steps in prop::collection::vec((prop::collection::vec((0u64..4000, 0u64..5), 0..40), 0usize..60), 1..40),
        ) {
            let (mut calendar, mut plain) = (Calendar::<Event>::default(), std::collections::BTreeSet::new());
            let (mut now, mut number) = (0, 0);
            for (pushes, takes) in steps {
                for (after, input) in pushes {
                    let (at, order) = (now + (after << scale), input << 40 | number);
                    number += 1;
                    *calendar.add(input as usize, Time::from_ps(at)) = Event { at: Time::from_ps(at), number: order };
                    plain.insert((at, order));
                }
                for _ in 0..takes.min(plain.len()) {
                    let Some(expected) = plain.pop_first() else { break };
                    prop_assert_eq!(calendar.next().as_ps(), expected.0);
                    let next = calendar.front().first().map(|event| (event.at.as_ps(), event.number));
                    prop_assert_eq!(next, Some(expected));
                    calendar.consume(1);
                    now = expected.0;
                }
                prop_assert_eq!(calendar.len(), plain.len());
                prop_assert_eq!(calendar.next().as_ps(), plain.first().map_or(u64::MAX, |(at, _)| *at));
            }
        }
    }
}
