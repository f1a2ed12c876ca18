//! Work per packet must not grow with the number of packets that wait: the looks at arrival times are counted.

use crate::merge::batch_sort::BatchSort;
use crate::merge::calendar::Calendar;
use crate::merge::random_ties::RandomTies;
use crate::merge::Timed;
use penstock_model::rng::Key;
use penstock_model::units::{Duration, Time};
use std::cell::Cell;

/// An event that counts how often somebody asks when it is due.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    at: Time,
    looks: Option<&'static Cell<u64>>,
}

impl Timed for Counted {
    fn at(&self) -> Time {
        self.looks.into_iter().for_each(|looks| looks.set(looks.get() + 1));
        self.at
    }
}

/// How many are taken while others are added in their place.
const TAKEN: u64 = 50_000;
const SPACING: u64 = 1_000;

/// A merge of some inputs.
trait Merge {
    fn add(&mut self, input: usize, event: Counted);
    /// Takes the events due up to and including `until`, at most `most`; returns the number taken.
    fn take(&mut self, until: Time, most: usize) -> usize;
}

impl Merge for BatchSort<Counted> {
    fn add(&mut self, input: usize, event: Counted) {
        *BatchSort::add(self, input, event.at).0 = event;
    }
    fn take(&mut self, until: Time, most: usize) -> usize {
        let mut taken = 0;
        while taken < most {
            let count = self.front(until).len().min(most - taken);
            if count == 0 {
                return taken;
            }
            self.consume(count);
            taken += count;
        }
        self.pause();
        taken
    }
}

impl Merge for Calendar<Counted> {
    fn add(&mut self, input: usize, event: Counted) {
        *Calendar::add(self, input, event.at) = event;
    }
    fn take(&mut self, until: Time, most: usize) -> usize {
        let count = self.front().iter().take(most).take_while(|event| event.at <= until).count();
        self.consume(count);
        count
    }
}

impl Merge for RandomTies<Counted> {
    fn add(&mut self, input: usize, event: Counted) {
        self.push(input, event);
    }
    fn take(&mut self, until: Time, most: usize) -> usize {
        let mut taken = 0;
        while taken < most && self.next() <= until {
            self.pop();
            taken += 1;
        }
        taken
    }
}

/// Looks per packet while this many wait, and visits take all that is due within `visit` spacings, but at most `most` packets at once.
fn looks<M: Merge>(mut merge: M, inputs: u64, waiting: u64, visit: u64, most: usize) -> f64 {
    let looks: &'static Cell<u64> = Box::leak(Box::new(Cell::new(0)));
    let event = |number: u64| Counted { at: Time::from_ps(number * SPACING), looks: Some(looks) };
    let mut added = 0;
    while added < waiting {
        merge.add((added % inputs) as usize, event(added));
        added += 1;
    }
    let (mut taken, mut until) = (0, Time::ZERO);
    // The first packets fill whatever adapts itself to what waits.
    for end in [waiting + TAKEN, waiting + 2 * TAKEN] {
        looks.set(0);
        while taken < end {
            until += Duration::from_ps(visit.min(waiting / 2) * SPACING);
            loop {
                let count = merge.take(until, most);
                taken += count as u64;
                if count == 0 {
                    break;
                }
            }
            while added < taken + waiting {
                merge.add((added % inputs) as usize, event(added));
                added += 1;
            }
        }
    }
    looks.get() as f64 / TAKEN as f64
}

#[track_caller]
fn do_not_grow(name: &str, inputs: u64, looks: impl Fn(u64) -> f64) {
    // With fewer, whole batches are small.
    let few = looks(50 * inputs);
    for waiting in [500 * inputs, 200_000] {
        let many = looks(waiting);
        // A visit that ends within a batch has part of it sorted twice.
        assert!(many <= 1.3 * few, "{name} of {inputs} inputs: {many} looks per packet with {waiting} waiting, {few} with few");
    }
}

#[test]
fn the_looks_at_what_waits_do_not_grow_with_it() {
    for (visit, most) in [(1, 1), (1, 64), (20, 64), (60_000, 1 << 14)] {
        for inputs in [2, 3, 5, 60, 100] {
            do_not_grow("batch sort", inputs, |waiting| looks(BatchSort::new(inputs as usize), inputs, waiting, visit, most));
        }
        do_not_grow("calendar", 3, |waiting| looks(Calendar::default(), 3, waiting, visit, most));
        let key = Key::root(0, 0);
        do_not_grow("random ties", 3, |waiting| looks(RandomTies::new(3, key), 3, waiting, visit, most));
    }
}

/// A calendar of many events moves each into another bucket a few times, however many there are.
#[test]
fn the_moves_of_a_calendar_do_not_grow_with_what_waits() {
    let moves = |waiting: u64| {
        let mut calendar = Calendar::<Counted>::default();
        let mut added = 0;
        for number in 0..4 * waiting {
            while added < number + waiting {
                let at = Time::from_ps(added * SPACING);
                *calendar.add(0, at) = Counted { at, looks: None };
                added += 1;
            }
            assert_eq!(calendar.front()[0].at, Time::from_ps(number * SPACING));
            calendar.consume(1);
        }
        calendar.moves as f64 / added as f64
    };
    for waiting in [100, 10_000, 100_000, 300_000] {
        let moves = moves(waiting);
        assert!(moves < 6.0, "{moves} moves per event with {waiting} waiting");
    }
}
