//! A few sorted inputs made one.

use crate::channel::Arrival;
use crate::ring::Ring;
use penstock_model::units::Time;

/// A few inputs on which nothing overtakes: looking at all heads costs less than keeping a calendar. Simultaneous arrivals
/// go by the input's number.
#[derive(Debug)]
pub struct Merged {
    rings: Vec<Ring<Arrival>>,
    /// When each input's head arrives.
    heads: Vec<Time>,
    first: usize,
    /// The last instant at which the first input comes before all others.
    until: Time,
}

impl Merged {
    /// More inputs than this are for a calendar.
    pub const MOST: usize = 4;

    /// So many inputs.
    pub fn new(inputs: usize) -> Merged {
        Merged { rings: vec![Ring::default(); inputs], heads: vec![Time::NEVER; inputs], first: 0, until: Time::NEVER }
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Time {
        self.heads[self.first]
    }

    /// Arrivals from the next one on that come before those of the other inputs; none only if there are none at all.
    #[inline]
    pub fn front(&self) -> &[Arrival] {
        let front = self.rings[self.first].front();
        let run = front.iter().take_while(|arrival| arrival.at <= self.until).count();
        &front[..run]
    }

    /// Takes the first `count` of [`Merged::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        let ring = &mut self.rings[self.first];
        ring.consume(count);
        self.heads[self.first] = ring.first().map_or(Time::NEVER, |arrival| arrival.at);
        self.find_first();
    }

    /// Adds an arrival at `at`, which `write` writes into its place; tells whether it comes before all others.
    #[inline(always)]
    pub fn push(&mut self, input: usize, at: Time, write: impl FnOnce(&mut Arrival)) -> bool {
        let ring = &mut self.rings[input];
        debug_assert!(ring.last().is_none_or(|last| last.at <= at), "an input on which nothing overtakes stays sorted");
        write(ring.add());
        if ring.len() > 1 {
            return false;
        }
        let before = self.next();
        self.heads[input] = at;
        self.find_first();
        at < before
    }

    /// The queue of an input, to add arrivals in order; then [`Merged::settle`] if it was empty.
    #[inline]
    pub fn queue(&mut self, input: usize) -> &mut Ring<Arrival> {
        &mut self.rings[input]
    }

    /// Takes note of what has been added at an input that was empty.
    pub fn settle(&mut self, input: usize) {
        self.heads[input] = self.rings[input].first().map_or(Time::NEVER, |arrival| arrival.at);
        self.find_first();
    }

    /// Packets under way.
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
