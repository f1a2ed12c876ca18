//! K-way merge of a few sorted inputs.

use crate::merge::ring::Ring;
use crate::merge::Timed;
use penstock_model::units::Time;
use std::hint::select_unpredictable;

/// A few inputs on which nothing overtakes: looking at all heads costs less than keeping a calendar. Simultaneous arrivals
/// go by the input's number.
#[derive(Debug)]
pub struct KWayMerge<T> {
    rings: Vec<Ring<T>>,
    /// When the head of each input is due.
    heads: Vec<Time>,
    first: usize,
    /// Up to here, the first input comes before all others.
    until: Time,
}

/// Arrivals of an input that are due and lie side by side.
struct DueRun<'a, T> {
    run: &'a [T],
    /// No more are due.
    is_whole: bool,
}

/// The arrivals at the front of `ring` that are due up to and including `until`, at most `most`.
#[inline]
fn due_run<T: Timed + Copy + Default>(ring: &Ring<T>, until: Time, most: usize) -> DueRun<'_, T> {
    let run = ring.front();
    let run = &run[..run.len().min(most)];
    if run.last().is_none_or(|last| last.at() <= until) {
        return DueRun { run, is_whole: run.len() == ring.len() };
    }
    DueRun { run: &run[..run.partition_point(|arrival| arrival.at() <= until)], is_whole: true }
}

impl<T> KWayMerge<T> {
    /// More inputs than this are for a batch-sort merge or a calendar.
    pub const MAX_INPUTS: usize = 4;
}

impl<T: Timed> KWayMerge<T> {
    /// A merge of so many inputs.
    pub fn new(inputs: usize) -> KWayMerge<T> {
        KWayMerge { rings: vec![Ring::default(); inputs], heads: vec![Time::NEVER; inputs], first: 0, until: Time::NEVER }
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Time {
        self.heads[self.first]
    }

    /// Arrivals from the next one on that come before those of the other inputs and up to and including `until`, at most `most`;
    /// none only if none is due. The cost is that of what is returned, however many wait.
    #[inline]
    pub fn front(&self, until: Time, most: usize) -> &[T] {
        let front = self.rings[self.first].front();
        let until = until.min(self.until);
        let run = front.iter().take(most).take_while(|arrival| arrival.at() <= until).count();
        &front[..run]
    }

    /// Takes the first `count` of [`KWayMerge::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        let ring = &mut self.rings[self.first];
        ring.consume(count);
        self.heads[self.first] = ring.first().map_or(Time::NEVER, |arrival| arrival.at());
        self.find_first();
    }

    /// Whether there are two inputs.
    pub fn are_two(&self) -> bool {
        self.rings.len() == 2
    }

    /// Lists in `batch` the next arrivals of two inputs, up to and including `until`, in order, as many as find room and are
    /// contiguous, and shows each to `see`; none only if none is due until then. Returns how many come from each input. Two that send in turn give runs so
    /// short that each would cost more than its packets.
    #[inline]
    pub fn list<'a>(&'a self, until: Time, batch: &mut [&'a T], mut see: impl FnMut(&T)) -> (usize, usize) {
        let [one, other] = &*self.rings else { unreachable!("there are two inputs") };
        let (ones, others) = (due_run(one, until, batch.len()), due_run(other, until, batch.len()));
        let (mut i, mut j) = (0, 0);
        loop {
            // So many steps exhaust neither of them.
            let steps = (ones.run.len() - i).min(others.run.len() - j).min(batch.len() - i - j);
            if steps == 0 {
                break;
            }
            for place in &mut batch[i + j..][..steps] {
                let (a, b) = (&ones.run[i], &others.run[j]);
                // Unpredictable, so no branch.
                let is_b = b.at() < a.at();
                (i, j) = (i + usize::from(!is_b), j + usize::from(is_b));
                let next = select_unpredictable(is_b, b, a);
                *place = next;
                see(next);
            }
        }
        let places = &mut batch[i + j..];
        if others.is_whole && j == others.run.len() {
            for (place, next) in places.iter_mut().zip(&ones.run[i..]) {
                *place = next;
                see(next);
                i += 1;
            }
        } else if ones.is_whole && i == ones.run.len() {
            for (place, next) in places.iter_mut().zip(&others.run[j..]) {
                *place = next;
                see(next);
                j += 1;
            }
        }
        (i, j)
    }

    /// Takes what [`KWayMerge::list`] has listed.
    #[inline]
    pub fn consume_both(&mut self, (i, j): (usize, usize)) {
        for (input, count) in [i, j].into_iter().enumerate() {
            self.rings[input].consume(count);
            self.heads[input] = self.rings[input].first().map_or(Time::NEVER, |arrival| arrival.at());
        }
        self.find_first();
    }

    /// Makes a place for an arrival at `at`, to be overwritten before anything else happens; returns whether it comes before
    /// all others.
    #[inline(always)]
    pub fn add(&mut self, input: usize, at: Time) -> (&mut T, bool) {
        let mut is_first = false;
        if self.rings[input].len() == 0 {
            is_first = at < self.next();
            self.heads[input] = at;
            self.find_first();
        }
        (self.rings[input].add(), is_first)
    }

    /// The queue of an input, to add arrivals in order; then [`KWayMerge::update_head`] if it was empty.
    #[inline]
    pub fn queue(&mut self, input: usize) -> &mut Ring<T> {
        &mut self.rings[input]
    }

    /// Updates the merge after arrivals were added to an input that was empty.
    pub fn update_head(&mut self, input: usize) {
        self.heads[input] = self.rings[input].first().map_or(Time::NEVER, |arrival| arrival.at());
        self.find_first();
    }

    /// Packets in flight.
    pub fn len(&self) -> usize {
        self.rings.iter().map(Ring::len).sum()
    }

    #[inline]
    fn find_first(&mut self) {
        let (mut first, mut head, mut until) = (0, self.heads[0], Time::NEVER);
        for (input, &at) in self.heads.iter().enumerate().skip(1) {
            if at < head {
                // The former first wins ties.
                (first, head, until) = (input, at, head.before());
            } else {
                until = until.min(at);
            }
        }
        (self.first, self.until) = (first, until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::testing::Event;
    use proptest::prelude::*;

    proptest! {
        /// In order of time, ties going to the first input, over runs at both ends of the rings, and up to any bound and number.
        #[test]
        fn two_inputs_are_listed_in_order(
            steps in prop::collection::vec((prop::collection::vec((0u64..9, any::<bool>()), 0..30), 0u64..60, 1usize..20), 1..20),
        ) {
            let mut merge = KWayMerge::<Event>::new(2);
            let (mut last, mut number, mut expected) = ([0u64; 2], 0, Vec::new());
            for (added, ahead, most) in steps {
                for (gap, is_other) in added {
                    let input = usize::from(is_other);
                    last[input] += gap;
                    let event = Event { at: Time::from_ps(last[input]), number };
                    *merge.add(input, event.at).0 = event;
                    expected.push((last[input], input, number));
                    number += 1;
                }
                expected.sort_unstable();
                let until = merge.next().min(Time::from_ps(1 << 40)).as_ps() + ahead;
                // What comes later is not earlier than what is listed.
                let until = until.min(last[0]).min(last[1]);
                let placeholder = Event::default();
                let (mut batch, mut seen) = (vec![&placeholder; most], Vec::new());
                let counts = merge.list(Time::from_ps(until), &mut batch, |event| seen.push(event.number));
                let listed: Vec<u64> = batch[..counts.0 + counts.1].iter().map(|event| event.number).collect();
                let due: Vec<u64> = expected.iter().filter(|(at, ..)| *at <= until).map(|(.., number)| *number).collect();
                prop_assert_eq!(&listed, &seen);
                prop_assert_eq!(&listed[..], &due[..listed.len()]);
                prop_assert_eq!(listed.is_empty(), due.is_empty());
                merge.consume_both(counts);
                expected.retain(|(.., number)| !listed.contains(number));
            }
        }
    }
}
