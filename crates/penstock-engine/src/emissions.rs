//! When a host's open-loop sources send next.

use crate::ring::Ring;
use penstock_model::rng::Key;
use penstock_model::units::{Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A source that is due; simultaneous ones go by their tie (0 unless ties are random), then by flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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
/// Sources that send again after one and the same spacing keep their order, so they stand in a ring that turns: constant
/// cost. A source with a usual spacing, such as an on-off source, stands in its ring while it keeps to that. Whatever does
/// not fit the order of its ring waits in a heap.
#[derive(Debug)]
pub struct Emissions {
    rings: Vec<Spaced>,
    heap: BinaryHeap<Reverse<Due>>,
    /// The next one, which still stands in `at_ring` or, if that is [`HEAP`], in the heap.
    first: Due,
    at_ring: usize,
    /// When the first one that does not stand in that ring sends.
    others: Time,
    ties: Option<Key>,
}

/// Sources that send at one spacing.
#[derive(Debug)]
struct Spaced {
    spacing: Duration,
    sources: Ring<Turn>,
}

/// A source in a ring, where nothing is tied at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    at: Time,
    flow: u32,
    slot: u32,
}

impl Turn {
    #[inline]
    fn due(self) -> Due {
        let Turn { at, flow, slot } = self;
        Due { at, tie: 0, flow, slot }
    }
}

impl Spaced {
    /// Whether `turn` comes last, but before the first one's next turn: then the ring stays sorted as it turns.
    fn fits(&self, turn: &Turn) -> bool {
        match (self.sources.first(), self.sources.last()) {
            (Some(first), Some(last)) => *last < *turn && *turn < Turn { at: first.at + self.spacing, ..*first },
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
        Emissions { rings: Vec::new(), heap: BinaryHeap::new(), first: NOTHING, at_ring: HEAP, others: Time::NEVER, ties }
    }

    /// Enters a source that sends next at `at`, with its spacing if it has a usual one.
    pub fn insert(&mut self, at: Time, flow: u32, slot: u32, spacing: Option<Duration>) {
        if let Some(spacing) = spacing {
            self.expect(spacing);
        }
        self.enter(at, flow, slot, spacing);
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

    /// Moves the first source on by `after`, or out if that is after `stop`: constant cost while it keeps to the spacing of
    /// its ring.
    #[inline(always)]
    pub fn advance(&mut self, after: Duration, stop: Time) {
        let at = self.first.at + after;
        match self.rings.get_mut(self.at_ring) {
            Some(ring) if ring.spacing == after && at <= stop => {
                let Due { flow, slot, .. } = self.first;
                match ring.sources.turn(Turn { at, flow, slot }) {
                    first if first.at < self.others => self.first = first.due(),
                    _ => self.find_first(),
                }
            }
            _ => self.move_on(at, after, stop),
        }
    }

    /// Takes the first source out.
    pub fn remove_first(&mut self) {
        self.take_first();
        self.find_first();
    }

    fn move_on(&mut self, at: Time, after: Duration, stop: Time) {
        let Due { flow, slot, .. } = self.first;
        self.take_first();
        if at <= stop {
            self.enter(at, flow, slot, Some(after));
        }
        self.find_first();
    }

    /// Enters a source; into the ring of sources that go on after `after`, if there is one and that stays sorted.
    fn enter(&mut self, at: Time, flow: u32, slot: u32, after: Option<Duration>) {
        let turn = Turn { at, flow, slot };
        match self.rings.iter_mut().find(|ring| Some(ring.spacing) == after && ring.fits(&turn)) {
            Some(ring) => ring.sources.push(turn),
            None => {
                let tie = self.ties.map_or(0, |key| key.hash([at.as_ps(), u64::from(flow)]));
                self.heap.push(Reverse(Due { tie, ..turn.due() }));
            }
        }
    }

    /// Makes a ring for sources of this spacing; none under random ties, where simultaneous sources change their order.
    fn expect(&mut self, spacing: Duration) {
        let is_new = self.rings.iter().all(|ring| ring.spacing != spacing);
        if is_new && self.rings.len() < MOST_RINGS && self.ties.is_none() {
            self.rings.push(Spaced { spacing, sources: Ring::default() });
        }
    }

    fn take_first(&mut self) {
        match self.rings.get_mut(self.at_ring) {
            Some(ring) => ring.sources.consume(1),
            None => drop(self.heap.pop()),
        }
    }

    fn find_first(&mut self) {
        (self.first, self.at_ring) = (self.heap.peek().map_or(NOTHING, |Reverse(due)| *due), HEAP);
        self.others = Time::NEVER;
        for (i, ring) in self.rings.iter().enumerate() {
            let Some(due) = ring.sources.first().map(|turn| turn.due()) else { continue };
            let (due, later) = if due < self.first { (due, self.first.at) } else { (self.first, due.at) };
            if due != self.first {
                (self.first, self.at_ring) = (due, i);
            }
            self.others = self.others.min(later);
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
                emissions.advance(Duration::from_ps(starts[due.flow as usize].1), Time::NEVER);
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
