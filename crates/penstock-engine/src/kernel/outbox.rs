//! The outbox of a shard: packets and messages to processes of other shards, exchanged at the next barrier.

use crate::kernel::event::Arrival;
use crate::kernel::message::Message;
use penstock_model::id::ProcessId;
use penstock_model::units::Time;

/// What one shard has sent to another since the last exchange, in the order of sending.
#[derive(Debug)]
pub struct OutboxBatch {
    /// Packets with their process and input.
    pub packets: Vec<(ProcessId, u32, Arrival)>,
    /// Messages with their process.
    pub messages: Vec<(ProcessId, Message)>,
    /// The earliest time of arrival among them.
    pub earliest: Time,
}

impl Default for OutboxBatch {
    fn default() -> OutboxBatch {
        OutboxBatch { packets: Vec::new(), messages: Vec::new(), earliest: Time::NEVER }
    }
}

impl OutboxBatch {
    /// Empties the batch and keeps its capacity.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.messages.clear();
        self.earliest = Time::NEVER;
    }
}

/// The outbox of one shard.
#[derive(Debug, Default)]
pub struct Outbox {
    /// For each shard, the number behind its last process; empty if there is one shard only.
    ends: Vec<u32>,
    /// What goes to each shard.
    pub batches: Vec<OutboxBatch>,
}

impl Outbox {
    /// An empty outbox to shards whose last processes come before `ends`.
    pub fn new(ends: &[u32]) -> Outbox {
        Outbox { ends: ends.to_vec(), batches: ends.iter().map(|_| OutboxBatch::default()).collect() }
    }

    /// Makes a place for an arrival at `at` at input `input` of `process`, to be overwritten.
    #[inline(never)]
    pub fn add(&mut self, process: ProcessId, input: u32, at: Time) -> &mut Arrival {
        let batch = self.batch(process);
        batch.earliest = batch.earliest.min(at);
        batch.packets.push((process, input, Arrival::default()));
        &mut batch.packets.last_mut().expect("just pushed").2
    }

    /// Adds `message` to `process`.
    pub fn add_message(&mut self, process: ProcessId, message: Message) {
        let batch = self.batch(process);
        batch.earliest = batch.earliest.min(message.at);
        batch.messages.push((process, message));
    }

    fn batch(&mut self, process: ProcessId) -> &mut OutboxBatch {
        let shard = self.ends.iter().position(|end| process.0 < *end).expect("every process belongs to a shard");
        &mut self.batches[shard]
    }
}
