//! Channels: how processes meet. A packet put into one arrives later, never at once in another's state.

use crate::agenda::Agenda;
use penstock_model::id::ProcessId;
use penstock_model::packet::Packet;
use penstock_model::rng::Key;
use penstock_model::units::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// An arrival waiting for its time.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When the packet has been received completely.
    pub at: Time,
    /// The packet.
    pub packet: Packet,
}

/// The packets under way from one port to one process, in order of arrival.
#[derive(Debug)]
enum Channel {
    /// Nothing overtakes.
    Fifo(VecDeque<Arrival>),
    /// An impairment may let later packets overtake; equal times keep the sender's order.
    Reordering { heap: BinaryHeap<Reverse<(Time, u64, Carried)>>, sent: u64 },
}

/// A packet in a heap; never compared, since the sender's numbers differ.
#[derive(Debug)]
struct Carried(Packet);

impl PartialEq for Carried {
    fn eq(&self, _: &Carried) -> bool {
        true
    }
}
impl Eq for Carried {}
impl PartialOrd for Carried {
    fn partial_cmp(&self, other: &Carried) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Carried {
    fn cmp(&self, _: &Carried) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl Channel {
    #[inline]
    fn head(&self) -> Time {
        match self {
            Channel::Fifo(ring) => ring.front().map_or(Time::NEVER, |arrival| arrival.at),
            Channel::Reordering { heap, .. } => heap.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at),
        }
    }

    /// Adds an arrival and tells whether it is the new head.
    #[inline]
    fn push(&mut self, at: Time, packet: Packet) -> bool {
        match self {
            Channel::Fifo(ring) => {
                debug_assert!(ring.back().is_none_or(|last| last.at <= at), "a FIFO channel stays sorted");
                ring.push_back(Arrival { at, packet });
                ring.len() == 1
            }
            Channel::Reordering { heap, sent } => {
                let earlier = heap.peek().is_none_or(|Reverse((head, ..))| at < *head);
                heap.push(Reverse((at, *sent, Carried(packet))));
                *sent += 1;
                earlier
            }
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Arrival> {
        match self {
            Channel::Fifo(ring) => ring.pop_front(),
            Channel::Reordering { heap, .. } => heap.pop().map(|Reverse((at, _, Carried(packet)))| Arrival { at, packet }),
        }
    }
}

/// All inputs of one process, and which is due first.
///
/// Simultaneous arrivals are ordered by the input's number, then in the sender's order; or, with random ties, by a hash.
#[derive(Debug)]
pub struct Inputs {
    channels: Vec<Channel>,
    heads: Agenda<(Time, u64)>,
    /// Under [`crate::blueprint::Ties::Random`], the key of this process's tie hashes.
    ties: Option<Key>,
    taken: Vec<u64>,
}

impl Inputs {
    /// Inputs for channels that may (`true`) or may not reorder.
    pub fn new(reordering: &[bool], ties: Option<Key>) -> Inputs {
        let channel = |&reorders: &bool| match reorders {
            false => Channel::Fifo(VecDeque::new()),
            true => Channel::Reordering { heap: BinaryHeap::new(), sent: 0 },
        };
        Inputs {
            channels: reordering.iter().map(channel).collect(),
            heads: Agenda::new(reordering.len(), (Time::NEVER, u64::MAX)),
            ties,
            taken: vec![0; if ties.is_some() { reordering.len() } else { 0 }],
        }
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Time {
        self.heads.first_key().0
    }

    /// Takes the next arrival, if it is due by `until`.
    #[inline]
    pub fn pop(&mut self, until: Time) -> Option<Arrival> {
        let (at, _) = self.heads.first_key();
        if at > until {
            return None;
        }
        let input = self.heads.first();
        let arrival = self.channels[input].pop()?;
        if self.ties.is_some() {
            self.taken[input] += 1;
        }
        self.announce(input);
        Some(arrival)
    }

    /// Adds an arrival; tells whether the process may now be due earlier.
    #[inline]
    fn push(&mut self, input: usize, at: Time, packet: Packet) -> bool {
        let new_head = self.channels[input].push(at, packet);
        if new_head {
            self.announce(input);
        }
        new_head
    }

    /// Packets under way to this process; for the conservation checks.
    pub fn len(&self) -> usize {
        self.channels
            .iter()
            .map(|channel| match channel {
                Channel::Fifo(ring) => ring.len(),
                Channel::Reordering { heap, .. } => heap.len(),
            })
            .sum()
    }

    /// Whether nothing is under way.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn announce(&mut self, input: usize) {
        let head = self.channels[input].head();
        let tie = match self.ties {
            None => 0,
            Some(key) => key.hash([head.as_ps(), (input as u64) << 40 ^ self.taken[input]]),
        };
        self.heads.set(input, if head == Time::NEVER { (Time::NEVER, u64::MAX) } else { (head, tie) });
    }
}

/// Where a process puts what it sends: the other processes' inputs.
pub struct Outputs<'a> {
    inputs: &'a mut [Option<Box<Inputs>>],
    due: &'a mut Agenda<Time>,
}

impl<'a> Outputs<'a> {
    /// Outputs into `inputs`, raising `due` where something becomes due earlier.
    pub fn new(inputs: &'a mut [Option<Box<Inputs>>], due: &'a mut Agenda<Time>) -> Outputs<'a> {
        Outputs { inputs, due }
    }

    /// Sends `packet` to arrive at `at` at input `input` of `process`.
    #[inline]
    pub fn send(&mut self, process: ProcessId, input: u32, at: Time, packet: Packet) {
        let inputs = self.inputs[process.index()].as_mut().expect("a process never sends to itself");
        if inputs.push(input as usize, at, packet) && at < self.due.key(process.index()) {
            self.due.set(process.index(), at);
        }
    }
}
