//! Merge of several inputs with random ties.

use crate::merge::calendar::Calendar;
use crate::merge::tournament_tree::TournamentTree;
use crate::merge::Timed;
use penstock_model::rng::Key;
use penstock_model::units::Time;

/// The inputs of a process under random ties: simultaneous arrivals are ordered by a hash of time, input and the number of arrivals
/// that the input has delivered.
#[derive(Clone, Debug)]
pub struct RandomTies<T> {
    /// The arrivals of each input. Later ones may overtake earlier ones, and equal times keep the sender's order.
    inputs: Vec<Calendar<T>>,
    heads: TournamentTree<(Time, u64)>,
    key: Key,
    /// Number of arrivals that each input has delivered.
    delivered: Vec<u64>,
}

impl<T: Timed> RandomTies<T> {
    /// Creates a merge of `inputs` inputs, whose ties are hashed under `key`.
    pub fn new(inputs: usize, key: Key) -> RandomTies<T> {
        RandomTies {
            inputs: (0..inputs).map(|_| Calendar::default()).collect(),
            heads: TournamentTree::new(inputs, (Time::NEVER, u64::MAX)),
            key,
            delivered: vec![0; inputs],
        }
    }

    /// Returns the time of the next arrival.
    #[inline]
    pub fn next(&self) -> Time {
        self.heads.first_key().0
    }

    /// Returns the next arrival alone, since its successor is undecided until it has been taken.
    pub fn front(&mut self) -> &[T] {
        let first = self.inputs.get_mut(self.heads.first()).and_then(|input| input.front().first());
        first.map_or(&[], std::slice::from_ref)
    }

    /// Takes the next arrival.
    pub fn pop(&mut self) {
        let input = self.heads.first();
        self.inputs[input].front();
        self.inputs[input].consume(1);
        self.delivered[input] += 1;
        self.update_head(input);
    }

    /// Adds an arrival; returns whether it comes before all others.
    pub fn push(&mut self, input: usize, arrival: T) -> bool {
        let is_head = arrival.at() < self.inputs[input].next();
        *self.inputs[input].add(0, arrival.at()) = arrival;
        let before = self.next();
        if is_head {
            self.update_head(input);
        }
        self.next() < before
    }

    /// Packets in flight.
    pub fn len(&self) -> usize {
        self.inputs.iter().map(Calendar::len).sum()
    }

    /// Updates the order of heads after that of `input` has changed.
    fn update_head(&mut self, input: usize) {
        let key = match self.inputs[input].next() {
            Time::NEVER => (Time::NEVER, u64::MAX),
            at => (at, self.key.hash([at.as_ps(), (input as u64) << 40 ^ self.delivered[input]])),
        };
        self.heads.set(input, key);
    }
}
