//! When a host's open-loop sources send next.

use penstock_model::rng::Key;
use penstock_model::units::{Duration, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A source that is due; simultaneous ones go by their tie (0 unless ties are random), then by flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When.
    pub at: Time,
    /// The order of ties.
    pub tie: u64,
    /// The flow's serial number.
    pub flow: u32,
    /// Its slot at the host.
    pub slot: u32,
}

/// The calendar of a host's sources.
///
/// Sources of one constant spacing keep their order for ever, so they stand in a ring that turns: constant cost.
/// Whatever does not fit the order of its ring, or has no constant spacing, waits in a heap.
#[derive(Debug, Default)]
pub struct Emissions {
    rings: Vec<(Duration, VecDeque<Due>)>,
    heap: BinaryHeap<Reverse<Due>>,
    /// Where the next one is: a ring's number, or `rings.len()` for the heap.
    first: usize,
    first_at: Time,
    ties: Option<Key>,
}

/// More spacings than this, and a search over rings costs more than the heap.
const MOST_RINGS: usize = 4;

impl Emissions {
    /// An empty calendar; `ties` orders simultaneous emissions at random.
    pub fn new(ties: Option<Key>) -> Emissions {
        Emissions { ties, first_at: Time::NEVER, ..Emissions::default() }
    }

    /// Enters a source that sends next at `at`, with its spacing if that is constant.
    pub fn insert(&mut self, at: Time, flow: u32, slot: u32, period: Option<Duration>) {
        self.enter(at, flow, slot, period);
        self.find_first();
    }

    /// When the next source sends.
    #[inline]
    pub fn next(&self) -> Time {
        self.first_at
    }

    /// The next source, for comparing it with timers.
    #[inline]
    pub fn peek(&self) -> Option<Due> {
        match self.rings.get(self.first) {
            Some((_, ring)) => ring.front().copied(),
            None => self.heap.peek().map(|Reverse(due)| *due),
        }
    }

    /// Takes the next source off the calendar; [`Emissions::insert`] it again with its next time.
    pub fn pop(&mut self) -> Option<Due> {
        let due = match self.rings.get_mut(self.first) {
            Some((_, ring)) => ring.pop_front(),
            None => self.heap.pop().map(|Reverse(due)| due),
        };
        self.find_first();
        due
    }

    /// Moves the first source, which has the constant spacing `period`, on by it: the cheap form of `pop` and `insert`.
    #[inline]
    pub fn turn(&mut self, period: Duration, stop: Time) {
        let Some((_, ring)) = self.rings.get_mut(self.first) else {
            if let Some(Reverse(due)) = self.heap.pop() {
                self.again(due, period, stop);
            }
            return;
        };
        let Some(due) = ring.pop_front() else { return };
        self.again(due, period, stop);
    }

    #[inline]
    fn again(&mut self, due: Due, period: Duration, stop: Time) {
        let at = due.at + period;
        if at <= stop {
            self.enter(at, due.flow, due.slot, Some(period));
        }
        self.find_first();
    }

    #[inline]
    fn enter(&mut self, at: Time, flow: u32, slot: u32, period: Option<Duration>) {
        let tie = self.ties.map_or(0, |key| key.hash([at.as_ps(), u64::from(flow)]));
        let due = Due { at, tie, flow, slot };
        if let (Some(period), None) = (period, self.ties) {
            let mut ring = self.rings.iter().position(|(spacing, _)| *spacing == period);
            if ring.is_none() && self.rings.len() < MOST_RINGS {
                self.rings.push((period, VecDeque::new()));
                ring = Some(self.rings.len() - 1);
            }
            if let Some(ring) = ring {
                let ring = &mut self.rings[ring].1;
                if ring.back().is_none_or(|last| *last < due) {
                    ring.push_back(due);
                    return;
                }
            }
        }
        self.heap.push(Reverse(due));
    }

    #[inline]
    fn find_first(&mut self) {
        let mut first = self.heap.peek().map(|Reverse(due)| *due);
        self.first = self.rings.len();
        for (i, (_, ring)) in self.rings.iter().enumerate() {
            if let Some(due) = ring.front() {
                if first.is_none_or(|first| *due < first) {
                    (first, self.first) = (Some(*due), i);
                }
            }
        }
        self.first_at = first.map_or(Time::NEVER, |due| due.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rings_and_heap_give_one_sorted_order(starts in prop::collection::vec((0u64..50, 1u64..7), 1..40)) {
            let mut emissions = Emissions::new(None);
            for (flow, (start, period)) in starts.iter().enumerate() {
                emissions.insert(Time::from_ps(*start), flow as u32, 0, Some(Duration::from_ps(*period)));
            }
            let mut seen = Vec::new();
            while emissions.next() < Time::from_ps(100) {
                let due = emissions.peek().expect("one is due");
                prop_assert_eq!(due.at, emissions.next());
                seen.push((due.at.as_ps(), due.flow));
                emissions.turn(Duration::from_ps(starts[due.flow as usize].1), Time::NEVER);
            }
            let mut expected: Vec<(u64, u32)> = starts
                .iter()
                .enumerate()
                .flat_map(|(flow, &(start, period))| (start..100).step_by(period as usize).map(move |at| (at, flow as u32)))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }
    }
}
