//! Several inputs made one, with simultaneous arrivals in random order.

use crate::kernel::channel::Arrival;
use crate::merge::tournament_tree::TournamentTree;
use penstock_model::rng::Key;
use penstock_model::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The inputs of a process under random ties: simultaneous arrivals are ordered by a hash of time, input and how many the
/// input has delivered.
#[derive(Debug)]
pub struct RandomTies {
    channels: Vec<Channel>,
    heads: TournamentTree<(Time, u64)>,
    key: Key,
    taken: Vec<u64>,
}

/// The packets under way from one port; an impairment may let later ones overtake, and equal times keep the sender's order.
#[derive(Debug, Default)]
struct Channel {
    heap: BinaryHeap<Reverse<Carried>>,
    sent: u64,
}

/// An arrival in a heap.
#[derive(Debug)]
struct Carried {
    arrival: Arrival,
    number: u64,
}

impl PartialEq for Carried {
    fn eq(&self, other: &Carried) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Carried {}
impl PartialOrd for Carried {
    fn partial_cmp(&self, other: &Carried) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Carried {
    fn cmp(&self, other: &Carried) -> std::cmp::Ordering {
        (self.arrival.at, self.number).cmp(&(other.arrival.at, other.number))
    }
}

impl RandomTies {
    /// So many inputs, whose ties are hashed under `key`.
    pub fn new(inputs: usize, key: Key) -> RandomTies {
        RandomTies {
            channels: (0..inputs).map(|_| Channel::default()).collect(),
            heads: TournamentTree::new(inputs, (Time::NEVER, u64::MAX)),
            key,
            taken: vec![0; inputs],
        }
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Time {
        self.heads.first_key().0
    }

    /// The next arrival alone: what comes after it is open until it has been taken.
    pub fn front(&self) -> &[Arrival] {
        let first = self.channels.get(self.heads.first()).and_then(|channel| channel.heap.peek());
        first.map_or(&[], |Reverse(carried)| std::slice::from_ref(&carried.arrival))
    }

    /// Takes the next arrival.
    pub fn pop(&mut self) {
        let input = self.heads.first();
        self.channels[input].heap.pop();
        self.taken[input] += 1;
        self.announce(input);
    }

    /// Adds an arrival; tells whether it comes before all others.
    pub fn push(&mut self, input: usize, arrival: Arrival) -> bool {
        let channel = &mut self.channels[input];
        let is_head = channel.heap.peek().is_none_or(|Reverse(head)| arrival.at < head.arrival.at);
        channel.heap.push(Reverse(Carried { arrival, number: channel.sent }));
        channel.sent += 1;
        let before = self.next();
        if is_head {
            self.announce(input);
        }
        self.next() < before
    }

    /// Packets under way.
    pub fn len(&self) -> usize {
        self.channels.iter().map(|channel| channel.heap.len()).sum()
    }

    /// The head of `input` has changed.
    fn announce(&mut self, input: usize) {
        let key = self.channels[input].heap.peek().map_or((Time::NEVER, u64::MAX), |Reverse(head)| {
            let at = head.arrival.at;
            (at, self.key.hash([at.as_ps(), (input as u64) << 40 ^ self.taken[input]]))
        });
        self.heads.set(input, key);
    }
}
