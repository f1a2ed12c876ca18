//! Channels: how processes meet. A packet put into one arrives later, never at once in another's state.

use crate::agenda::Agenda;
use crate::messages::{Mailbox, Message};
use penstock_model::id::ProcessId;
use penstock_model::packet::Packet;
use penstock_model::rng::Key;
use penstock_model::units::Time;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// An arrival waiting for its time.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// When the packet has been received completely.
    at: Time,
    packet: Packet,
}

/// The packets under way from one port to one process, in order of arrival.
#[derive(Debug)]
#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
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
    fn push(&mut self, at: Time, packet: &Packet) -> bool {
        match self {
            Channel::Fifo(ring) => {
                debug_assert!(ring.back().is_none_or(|last| last.at <= at), "a FIFO channel stays sorted");
                ring.push_back(Arrival { at, packet: *packet });
                ring.len() == 1
            }
            Channel::Reordering { heap, sent } => {
                let earlier = heap.peek().is_none_or(|Reverse((head, ..))| at < *head);
                heap.push(Reverse((at, *sent, Carried(*packet))));
                *sent += 1;
                earlier
            }
        }
    }

    #[inline]
    fn first(&self) -> Option<&Packet> {
        match self {
            Channel::Fifo(ring) => ring.front().map(|arrival| &arrival.packet),
            Channel::Reordering { heap, .. } => heap.peek().map(|Reverse((_, _, Carried(packet)))| packet),
        }
    }

    /// Takes the head; returns when the next one arrives.
    #[inline]
    fn pop(&mut self) -> Time {
        match self {
            Channel::Fifo(ring) => drop(ring.pop_front()),
            Channel::Reordering { heap, .. } => drop(heap.pop()),
        }
        self.head()
    }
}

/// All inputs of one process, and which is due first.
///
/// Simultaneous arrivals are ordered by the input's number, then in the sender's order; or, with random ties, by a hash.
#[derive(Debug)]
pub struct Inputs {
    channels: Vec<Channel>,
    heads: Heads,
    next: Time,
    first: usize,
    mailbox: Mailbox,
}

/// Which channel's head arrives first.
#[derive(Debug)]
#[repr(u8)]
enum Heads {
    /// There is one channel.
    Single,
    /// Ties go to the lower channel.
    Ordered(Agenda<Time>),
    /// Ties are ordered by a hash of time, input and how many the input has delivered.
    Random { agenda: Agenda<(Time, u64)>, key: Key, taken: Vec<u64> },
}

impl Inputs {
    /// Inputs for channels that may (`true`) or may not reorder; `ties` is the key of the tie hashes, if ties are random.
    pub fn new(reordering: &[bool], ties: Option<Key>) -> Inputs {
        let channel = |&reorders: &bool| match reorders {
            false => Channel::Fifo(VecDeque::new()),
            true => Channel::Reordering { heap: BinaryHeap::new(), sent: 0 },
        };
        let count = reordering.len();
        let heads = match ties {
            _ if count <= 1 => Heads::Single,
            None => Heads::Ordered(Agenda::new(count, Time::NEVER)),
            Some(key) => Heads::Random { agenda: Agenda::new(count, (Time::NEVER, u64::MAX)), key, taken: vec![0; count] },
        };
        Inputs { channels: reordering.iter().map(channel).collect(), heads, next: Time::NEVER, first: 0, mailbox: Mailbox::default() }
    }

    /// Messages on their way here.
    #[inline]
    pub fn mailbox(&mut self) -> &mut Mailbox {
        &mut self.mailbox
    }

    /// When the next message arrives.
    #[inline]
    pub fn next_message(&self) -> Time {
        self.mailbox.next()
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// The packet that arrives next; [`Inputs::next`] says when. Panics if there is none.
    #[inline]
    pub fn first(&self) -> &Packet {
        self.channels[self.first].first().expect("a packet is under way")
    }

    /// Takes the packet that arrives next.
    #[inline(always)]
    pub fn pop(&mut self) {
        let head = self.channels[self.first].pop();
        if let Heads::Random { taken, .. } = &mut self.heads {
            taken[self.first] += 1;
        }
        self.announce(self.first, head);
    }

    /// Adds an arrival; tells whether it comes before all others.
    #[inline(always)]
    fn push(&mut self, input: usize, at: Time, packet: &Packet) -> bool {
        if self.channels[input].push(at, packet) {
            let before = self.next;
            self.announce(input, at);
            self.next < before
        } else {
            false
        }
    }

    /// The head of `input` now arrives at `head`.
    #[inline(always)]
    fn announce(&mut self, input: usize, head: Time) {
        match &mut self.heads {
            Heads::Single => self.next = head,
            Heads::Ordered(agenda) => {
                agenda.set(input, head);
                (self.first, self.next) = (agenda.first(), agenda.first_key());
            }
            Heads::Random { agenda, key, taken } => {
                let tie = key.hash([head.as_ps(), (input as u64) << 40 ^ taken[input]]);
                agenda.set(input, if head == Time::NEVER { (Time::NEVER, u64::MAX) } else { (head, tie) });
                (self.first, self.next) = (agenda.first(), agenda.first_key().0);
            }
        }
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
}

/// Where a process puts what it sends: the other processes' inputs.
pub struct Outputs<'a> {
    inputs: &'a [RefCell<Inputs>],
    due: &'a mut Agenda<Time>,
}

impl<'a> Outputs<'a> {
    /// Outputs into `inputs`, raising `due` where something becomes due earlier.
    pub fn new(inputs: &'a [RefCell<Inputs>], due: &'a mut Agenda<Time>) -> Outputs<'a> {
        Outputs { inputs, due }
    }

    /// Sends `packet` to arrive at `at` at input `input` of `process`, which is not the sender.
    #[inline(always)]
    pub fn send(&mut self, process: ProcessId, input: u32, at: Time, packet: &Packet) {
        let earlier = self.inputs[process.index()].borrow_mut().push(input as usize, at, packet);
        if earlier && at < self.due.key(process.index()) {
            self.due.set(process.index(), at);
        }
    }
    /// Sends `message`, which says when it arrives, to `process`.
    pub fn tell(&mut self, process: ProcessId, message: Message) {
        self.inputs[process.index()].borrow_mut().mailbox.push(message);
        if message.at < self.due.key(process.index()) {
            self.due.set(process.index(), message.at);
        }
    }
}
