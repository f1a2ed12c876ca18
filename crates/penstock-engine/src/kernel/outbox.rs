//! What the processes of a part send to those of other parts: it is handed over when the parts meet.

use crate::kernel::channel::Arrival;
use crate::kernel::message::Message;
use penstock_model::id::ProcessId;
use penstock_model::units::Time;

/// What goes from one part to another, in the order in which it was sent.
#[derive(Debug)]
pub struct OutboxBatch {
    /// Packets with their process and input.
    pub packets: Vec<(ProcessId, u32, Arrival)>,
    /// Messages with their process.
    pub messages: Vec<(ProcessId, Message)>,
    /// When the first of all arrives.
    pub earliest: Time,
}

impl Default for OutboxBatch {
    fn default() -> OutboxBatch {
        OutboxBatch { packets: Vec::new(), messages: Vec::new(), earliest: Time::NEVER }
    }
}

impl OutboxBatch {
    /// Forgets everything, and keeps the room.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.messages.clear();
        self.earliest = Time::NEVER;
    }
}

/// The bags of one part.
#[derive(Debug, Default)]
pub struct Outbox {
    /// The process behind the last one of each part; none if there is one part only.
    ends: Vec<u32>,
    /// What goes to each part.
    pub bags: Vec<OutboxBatch>,
}

impl Outbox {
    /// Empty bags, one for each part; `ends` tells which process comes after the last of each.
    pub fn new(ends: &[u32]) -> Outbox {
        Outbox { ends: ends.to_vec(), bags: ends.iter().map(|_| OutboxBatch::default()).collect() }
    }

    /// Makes a place for what is to arrive at `at` at input `input` of `process`, to be written over.
    #[inline(never)]
    pub fn add(&mut self, process: ProcessId, input: u32, at: Time) -> &mut Arrival {
        let bag = self.bag(process);
        bag.earliest = bag.earliest.min(at);
        bag.packets.push((process, input, Arrival::default()));
        &mut bag.packets.last_mut().expect("just pushed").2
    }

    /// Takes `message` to `process`.
    pub fn tell(&mut self, process: ProcessId, message: Message) {
        let bag = self.bag(process);
        bag.earliest = bag.earliest.min(message.at);
        bag.messages.push((process, message));
    }

    fn bag(&mut self, process: ProcessId) -> &mut OutboxBatch {
        let part = self.ends.iter().position(|end| process.0 < *end).expect("every process belongs to a part");
        &mut self.bags[part]
    }
}
