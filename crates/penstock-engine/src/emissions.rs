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
#[derive(Debug)]
pub struct Emissions {
    rings: Vec<Ring>,
    heap: BinaryHeap<Reverse<Due>>,
    /// The next one, which still stands in `at_ring` or, if that is [`HEAP`], in the heap.
    first: Due,
    at_ring: usize,
    ties: Option<Key>,
}

#[derive(Debug)]
struct Ring {
    period: Duration,
    sources: VecDeque<Due>,
}

impl Ring {
    /// Whether `due` comes last, but before the first one's next turn: then the ring stays sorted as it turns.
    fn fits(&self, due: &Due) -> bool {
        match (self.sources.front(), self.sources.back()) {
            (Some(first), Some(last)) => *last < *due && *due < Due { at: first.at + self.period, ..*first },
            _ => true,
        }
    }
}

/// More spacings than this, and a search over rings costs more than the heap.
const MOST_RINGS: usize = 4;
/// In place of a ring's number.
const HEAP: usize = usize::MAX;
const NOTHING: Due = Due { at: Time::NEVER, tie: u64::MAX, flow: u32::MAX, slot: u32::MAX };

impl Emissions {
    /// An empty calendar; `ties` orders simultaneous emissions at random.
    pub fn new(ties: Option<Key>) -> Emissions {
        Emissions { rings: Vec::new(), heap: BinaryHeap::new(), first: NOTHING, at_ring: HEAP, ties }
    }

    /// Enters a source that sends next at `at`, with its spacing if that is constant.
    pub fn insert(&mut self, at: Time, flow: u32, slot: u32, period: Option<Duration>) {
        let due = self.due(at, flow, slot);
        match period.and_then(|period| self.ring_of(period)) {
            Some(ring) if self.rings[ring].fits(&due) => self.rings[ring].sources.push_back(due),
            _ => self.heap.push(Reverse(due)),
        }
        self.find_first();
    }

    /// When the next source sends.
    #[inline]
    pub fn next(&self) -> Time {
        self.first.at
    }

    /// The next source.
    #[inline]
    pub fn first(&self) -> Due {
        self.first
    }

    /// Moves the first source on to `at`, or out if that is after `stop`.
    #[inline]
    pub fn replace(&mut self, at: Time, stop: Time) {
        let Due { flow, slot, .. } = self.first;
        self.take_first();
        if at <= stop {
            let due = self.due(at, flow, slot);
            self.heap.push(Reverse(due));
        }
        self.find_first();
    }

    /// Moves the first source, which has a constant spacing, on by it: constant cost while it stands in its ring.
    #[inline(always)]
    pub fn turn(&mut self, period: Duration, stop: Time) {
        let at = self.first.at + period;
        if let (Some(ring), true) = (self.rings.get_mut(self.at_ring), at <= stop) {
            ring.sources.pop_front();
            ring.sources.push_back(Due { at, ..self.first });
            if self.rings.len() == 1 && self.heap.is_empty() {
                self.first = *self.rings[0].sources.front().expect("the ring holds the source that was moved on");
            } else {
                self.find_first();
            }
            return;
        }
        let Due { flow, slot, .. } = self.first;
        self.take_first();
        if at <= stop {
            self.insert(at, flow, slot, Some(period));
        } else {
            self.find_first();
        }
    }

    fn due(&self, at: Time, flow: u32, slot: u32) -> Due {
        let tie = self.ties.map_or(0, |key| key.hash([at.as_ps(), u64::from(flow)]));
        Due { at, tie, flow, slot }
    }

    /// The ring for sources of this spacing; none under random ties, where simultaneous sources change their order.
    fn ring_of(&mut self, period: Duration) -> Option<usize> {
        if self.ties.is_some() {
            return None;
        }
        let known = self.rings.iter().position(|ring| ring.period == period);
        if known.is_none() && self.rings.len() < MOST_RINGS {
            self.rings.push(Ring { period, sources: VecDeque::new() });
            return Some(self.rings.len() - 1);
        }
        known
    }

    fn take_first(&mut self) {
        match self.rings.get_mut(self.at_ring) {
            Some(ring) => drop(ring.sources.pop_front()),
            None => drop(self.heap.pop()),
        }
    }

    fn find_first(&mut self) {
        (self.first, self.at_ring) = (self.heap.peek().map_or(NOTHING, |Reverse(due)| *due), HEAP);
        for (i, ring) in self.rings.iter().enumerate() {
            if let Some(due) = ring.sources.front().filter(|due| **due < self.first) {
                (self.first, self.at_ring) = (*due, i);
            }
        }
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
                let due = emissions.first();
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
