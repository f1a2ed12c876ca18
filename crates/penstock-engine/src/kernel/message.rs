//! Messages: what hosts tell each other beside the packets, over the routes' propagation but through no queue.

use penstock_model::edge::Signal;
use penstock_model::id::{FlowId, ProcessId};
use penstock_model::units::{Duration, Time};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A signal between the edges of an aggregate, under way.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// When it arrives.
    pub at: Time,
    /// The aggregate.
    pub flow: FlowId,
    /// From the ingress to the egress, or back.
    pub to_egress: bool,
    /// Counts what this edge has sent.
    pub number: u32,
    /// What it says.
    pub signal: Signal,
}

impl Message {
    fn order(&self) -> (Time, FlowId, bool, u32) {
        (self.at, self.flow, self.to_egress, self.number)
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Message) -> bool {
        self.order() == other.order()
    }
}
impl Eq for Message {}
impl PartialOrd for Message {
    fn partial_cmp(&self, other: &Message) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Message {
    fn cmp(&self, other: &Message) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// The messages on their way to one process, by time, then aggregate, then the sender's order.
#[derive(Debug)]
pub struct Mailbox {
    heap: BinaryHeap<Reverse<Message>>,
    next: Time,
}

impl Default for Mailbox {
    fn default() -> Mailbox {
        Mailbox { heap: BinaryHeap::new(), next: Time::NEVER }
    }
}

impl Mailbox {
    /// When the next message arrives.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Adds a message.
    pub fn push(&mut self, message: Message) {
        self.next = self.next.min(message.at);
        self.heap.push(Reverse(message));
    }

    /// Takes the next message.
    pub fn pop(&mut self) -> Option<Message> {
        let message = self.heap.pop().map(|Reverse(message)| message);
        self.next = self.heap.peek().map_or(Time::NEVER, |Reverse(message)| message.at);
        message
    }
}

/// The other edge of an aggregate, and how long a signal takes to get there.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its process.
    pub process: ProcessId,
    /// Propagation along the route, and processing.
    pub delay: Duration,
}
