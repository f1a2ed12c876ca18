//! Merge of several inputs with random ties.

use crate::merge::tournament_tree::TournamentTree;
use crate::merge::Timed;
use penstock_model::rng::Key;
use penstock_model::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The inputs of a process under random ties: simultaneous arrivals are ordered by a hash of time, input and how many the
/// input has delivered.
#[derive(Debug)]
pub struct RandomTies<T> {
    inputs: Vec<Input<T>>,
    heads: TournamentTree<(Time, u64)>,
    key: Key,
    /// How many each input has delivered.
    delivered: Vec<u64>,
}

/// The arrivals of one input. Later ones may overtake earlier ones, and equal times keep the sender's order.
#[derive(Debug)]
struct Input<T> {
    heap: BinaryHeap<Reverse<Numbered<T>>>,
    sent: u64,
}

/// An arrival and its position among those of its input.
#[derive(Debug)]
struct Numbered<T> {
    arrival: T,
    number: u64,
}

impl<T: Timed> PartialEq for Numbered<T> {
    fn eq(&self, other: &Numbered<T>) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<T: Timed> Eq for Numbered<T> {}
impl<T: Timed> PartialOrd for Numbered<T> {
    fn partial_cmp(&self, other: &Numbered<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T: Timed> Ord for Numbered<T> {
    fn cmp(&self, other: &Numbered<T>) -> std::cmp::Ordering {
        (self.arrival.at(), self.number).cmp(&(other.arrival.at(), other.number))
    }
}

impl<T: Timed> RandomTies<T> {
    /// A merge of so many inputs, whose ties are hashed under `key`.
    pub fn new(inputs: usize, key: Key) -> RandomTies<T> {
        RandomTies {
            inputs: (0..inputs).map(|_| Input { heap: BinaryHeap::new(), sent: 0 }).collect(),
            heads: TournamentTree::new(inputs, (Time::NEVER, u64::MAX)),
            key,
            delivered: vec![0; inputs],
        }
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Time {
        self.heads.first_key().0
    }

    /// The next arrival alone: what comes after it is open until it has been taken.
    pub fn front(&self) -> &[T] {
        let first = self.inputs.get(self.heads.first()).and_then(|input| input.heap.peek());
        first.map_or(&[], |Reverse(head)| std::slice::from_ref(&head.arrival))
    }

    /// Takes the next arrival.
    pub fn pop(&mut self) {
        let input = self.heads.first();
        self.inputs[input].heap.pop();
        self.delivered[input] += 1;
        self.update_head(input);
    }

    /// Adds an arrival; returns whether it comes before all others.
    pub fn push(&mut self, input: usize, arrival: T) -> bool {
        let Input { heap, sent } = &mut self.inputs[input];
        let is_head = heap.peek().is_none_or(|Reverse(head)| arrival.at() < head.arrival.at());
        heap.push(Reverse(Numbered { arrival, number: *sent }));
        *sent += 1;
        let before = self.next();
        if is_head {
            self.update_head(input);
        }
        self.next() < before
    }

    /// Packets in flight.
    pub fn len(&self) -> usize {
        self.inputs.iter().map(|input| input.heap.len()).sum()
    }

    /// Updates the order of heads after that of `input` has changed.
    fn update_head(&mut self, input: usize) {
        let key = self.inputs[input].heap.peek().map_or((Time::NEVER, u64::MAX), |Reverse(head)| {
            let at = head.arrival.at();
            (at, self.key.hash([at.as_ps(), (input as u64) << 40 ^ self.delivered[input]]))
        });
        self.heads.set(input, key);
    }
}
