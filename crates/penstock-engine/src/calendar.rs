//! Many sorted inputs made one: a calendar of arrivals.

use crate::channel::Arrival;
use penstock_model::units::Time;

/// Arrivals at many inputs, in order of time and, among simultaneous ones, of inputs and then of additions.
///
/// A calendar queue: time is cut into days of equal length, and an arrival is put, unsorted, onto the page of its day. A
/// day is sorted when it comes. Adding and taking cost the same however many senders there are, and one packet shares its
/// cache line with its neighbours in time instead of with its sender's last. The length of a day follows the traffic.
/// While there are few arrivals they stand side by side without any pages, which most of very many calendars never need.
#[derive(Debug)]
pub struct Calendar {
    /// The arrivals before `dawn`, sorted, from `taken` on; with those in `fresh`, never empty while there are others.
    today: Vec<Arrival>,
    orders: Vec<u64>,
    taken: usize,
    /// Arrivals before `dawn` that have been added since anybody looked, as they came.
    fresh: Vec<(Arrival, u64)>,
    /// What arrives from here on stands on the pages; [`NO_DAWN`] while nothing does.
    dawn: u64,
    /// A day lasts 2^`day` ps.
    day: u32,
    /// For each of the coming days, its last card, once there was any; and a bit for each that has any.
    pages: Vec<u32>,
    marked: [u64; DAYS / 64],
    cards: Vec<Card>,
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
    sorter: Vec<(u64, u64, u32)>,
    /// Days that have come since the length of a day was judged, and arrivals in them.
    judged: (u32, u32),
}

/// An arrival on a page.
#[derive(Clone, Copy, Debug)]
struct Card {
    arrival: Arrival,
    order: u64,
    /// The card before on its page, or among the free ones.
    before: u32,
}

/// Pages; a power of two.
const DAYS: usize = 1024;
/// As long as no more than so many wait, there are no pages.
const FEW: usize = 32;
/// Behind all days.
const NO_DAWN: u64 = u64::MAX;
/// No card.
const NONE: u32 = u32::MAX;
/// Days are judged in groups of so many,
const JUDGED: u32 = 64;
/// and should have so many arrivals each in the mean.
const FEWEST: u32 = 2;
const MOST: u32 = 8;
/// A day of 67 us at the beginning.
const FIRST_DAY: u32 = 26;
const SHORTEST_DAY: u32 = 6;
const LONGEST_DAY: u32 = 36;

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar {
            today: Vec::new(),
            orders: Vec::new(),
            taken: 0,
            fresh: Vec::new(),
            dawn: NO_DAWN,
            day: FIRST_DAY,
            pages: Vec::new(),
            marked: [0; DAYS / 64],
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

impl Calendar {
    /// How many arrivals it holds.
    pub fn len(&self) -> usize {
        self.today.len() - self.taken + self.fresh.len() + self.waiting
    }

    /// When the next one is.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Adds an arrival at `input` that is at `at`; gives its place, to be written, and tells whether it comes before all others.
    #[inline(never)]
    pub fn add(&mut self, input: usize, at: Time) -> (&mut Arrival, bool) {
        let order = (input as u64) << 40 | self.added;
        self.added += 1;
        let is_first = at < self.next;
        if is_first {
            self.next = at;
        }
        if at.as_ps() < self.dawn {
            let place = self.fresh.len();
            self.fresh.push((Arrival::default(), order));
            return (&mut self.fresh[place].0, is_first);
        }
        let card = self.card(order);
        self.put(at.as_ps(), card);
        self.waiting += 1;
        (&mut self.cards[card as usize].arrival, is_first)
    }

    /// Arrivals from the next one on, in order; none only if the calendar is empty.
    #[inline]
    pub fn front(&mut self) -> &[Arrival] {
        if !self.fresh.is_empty() {
            self.insert_fresh();
        } else if self.today.is_empty() && self.waiting > 0 {
            self.turn();
        }
        &self.today[self.taken..]
    }

    /// Takes the first `count` of [`Calendar::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        debug_assert!(self.fresh.is_empty(), "nothing is added between a look and what it takes");
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
        self.next = self.today.get(self.taken).map_or(Time::NEVER, |arrival| arrival.at);
    }

    /// Puts what has been added and arrives before dawn where it belongs: sorted, and from the last place backwards, so that
    /// what is later moves only once.
    fn insert_fresh(&mut self) {
        if self.taken >= FEW {
            self.today.drain(..self.taken);
            self.orders.drain(..self.taken);
            self.taken = 0;
        }
        self.sorter.clear();
        self.sorter.extend(self.fresh.iter().zip(0..).map(|((arrival, order), i)| (arrival.at.as_ps(), *order, i)));
        self.sorter.sort_unstable();
        let mut old = self.today.len();
        let mut place = old + self.fresh.len();
        self.today.resize(place, Arrival::default());
        self.orders.resize(place, 0);
        while let Some(&(at, order, i)) = self.sorter.last() {
            place -= 1;
            if old > self.taken && (self.today[old - 1].at.as_ps(), self.orders[old - 1]) > (at, order) {
                old -= 1;
                self.today[place] = self.today[old];
                self.orders[place] = self.orders[old];
            } else {
                self.today[place] = self.fresh[i as usize].0;
                self.orders[place] = order;
                self.sorter.pop();
            }
        }
        self.fresh.clear();
        if self.dawn == NO_DAWN && self.today.len() - self.taken > FEW {
            let last = self.today[self.today.len() - 1].at.as_ps();
            self.dawn = self.day_after(last >> self.day);
        }
    }

    /// When the next day begins; the last day of all has none.
    fn day_after(&self, day: u64) -> u64 {
        if day < u64::MAX >> self.day {
            (day + 1) << self.day
        } else {
            NO_DAWN
        }
    }

    #[inline]
    fn card(&mut self, order: u64) -> u32 {
        let new = Card { arrival: Arrival::default(), order, before: NONE };
        let card = self.free;
        if let Some(place) = self.cards.get_mut(card as usize) {
            self.free = place.before;
            *place = new;
            card
        } else {
            self.cards.push(new);
            self.cards.len() as u32 - 1
        }
    }

    /// Puts a card onto the page of its day, or aside if that day has none yet.
    #[inline]
    fn put(&mut self, at: u64, card: u32) {
        let day = at >> self.day;
        if day - (self.dawn >> self.day) >= DAYS as u64 {
            return self.put_aside(at, card);
        }
        let page = day as usize % DAYS;
        if self.pages.is_empty() {
            self.pages = vec![NONE; DAYS];
        }
        self.cards[card as usize].before = std::mem::replace(&mut self.pages[page], card);
        self.marked[page / 64] |= 1 << (page % 64);
    }

    #[cold]
    fn put_aside(&mut self, at: u64, card: u32) {
        self.later.push(card);
        self.later_from = self.later_from.min(at);
    }

    /// Makes the next day that has any arrivals today; there is one.
    fn turn(&mut self) {
        let page = loop {
            let first = (self.dawn >> self.day) as usize % DAYS;
            let page = self.next_marked(first);
            let day = page.map(|page| (self.dawn >> self.day) + ((page + DAYS - first) % DAYS) as u64);
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
        let mut card = std::mem::replace(&mut self.pages[page], NONE);
        self.sorter.clear();
        while let Some(Card { arrival, order, before }) = self.cards.get(card as usize) {
            self.sorter.push((arrival.at.as_ps(), *order, card));
            card = *before;
        }
        self.sorter.sort_unstable();
        for &(_, order, card) in &self.sorter {
            let place = &mut self.cards[card as usize];
            self.today.push(place.arrival);
            self.orders.push(order);
            place.before = std::mem::replace(&mut self.free, card);
        }
        self.waiting -= self.sorter.len();
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
        if self.marked == [0; DAYS / 64] {
            // Nothing in between: on to the day of the earliest.
            self.dawn = self.dawn.max(self.later_from >> self.day << self.day);
        }
        self.later_from = u64::MAX;
        for card in std::mem::take(&mut self.later) {
            let at = self.cards[card as usize].arrival.at.as_ps();
            self.put(at, card);
        }
    }

    /// Makes days longer or shorter if they have too few arrivals or too many.
    #[inline]
    fn judge(&mut self) {
        self.judged.0 += 1;
        self.judged.1 += self.sorter.len() as u32;
        if self.judged.0 == JUDGED {
            let arrivals = std::mem::take(&mut self.judged).1;
            if arrivals < FEWEST * JUDGED && self.day < LONGEST_DAY {
                self.set_day(self.day + 1);
            } else if arrivals > MOST * JUDGED && self.day > SHORTEST_DAY {
                self.set_day(self.day - 1);
            }
        }
    }

    #[cold]
    fn set_day(&mut self, day: u32) {
        for page in self.pages.iter_mut() {
            let mut card = std::mem::replace(page, NONE);
            while let Some(place) = self.cards.get(card as usize) {
                self.later.push(card);
                card = place.before;
            }
        }
        self.marked = [0; DAYS / 64];
        self.day = day;
        self.later_from = u64::MAX;
        for card in std::mem::take(&mut self.later) {
            let at = self.cards[card as usize].arrival.at.as_ps();
            self.put(at, card);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever the spacing, from many arrivals at one instant to a few in an eternity.
        #[test]
        fn arrivals_come_in_order(
            scale in 0u32..44,
            steps in prop::collection::vec((prop::collection::vec((0u64..4000, 0u64..5), 0..40), 0usize..60), 1..40),
        ) {
            let (mut calendar, mut plain) = (Calendar::default(), std::collections::BTreeSet::new());
            let (mut now, mut number) = (0, 0);
            for (pushes, takes) in steps {
                for (after, input) in pushes {
                    let (at, order) = (now + (after << scale), input << 40 | number);
                    number += 1;
                    let mut arrival = Arrival { at: Time::from_ps(at), ..Arrival::default() };
                    arrival.packet.created = Time::from_ps(order);
                    let is_first = plain.first().is_none_or(|(first, _)| at < *first);
                    let (place, told) = calendar.add(input as usize, arrival.at);
                    *place = arrival;
                    prop_assert_eq!(told, is_first);
                    plain.insert((at, order));
                }
                for _ in 0..takes.min(plain.len()) {
                    let Some(expected) = plain.pop_first() else { break };
                    prop_assert_eq!(calendar.next().as_ps(), expected.0);
                    let next = calendar.front().first().map(|arrival| (arrival.at.as_ps(), arrival.packet.created.as_ps()));
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
