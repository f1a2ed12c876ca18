//! The outbox of a shard: packets and messages to processes of other shards, exchanged at the next barrier; and, while the
//! shard runs in windows, those to its own processes.

use crate::kernel::event::Arrival;
use crate::kernel::message::Message;
use crate::merge::window_wheel::WindowWheel;
use penstock_model::id::ProcessId;
use penstock_model::units::Time;

/// What one shard has sent to another since the last exchange, in the order of sending.
#[derive(Debug, Default)]
pub struct OutboxBatch {
    /// Packets with their process and input.
    pub packets: Vec<(ProcessId, u32, Arrival)>,
    /// Messages with their process.
    pub messages: Vec<(ProcessId, Message)>,
}

impl OutboxBatch {
    /// The earliest time of arrival.
    pub fn earliest(&self) -> Time {
        let packets = self.packets.iter().map(|(.., arrival)| arrival.at);
        packets.chain(self.messages.iter().map(|(_, message)| message.at)).min().unwrap_or(Time::NEVER)
    }
}

/// The items in flight to the processes of a shard that runs in windows.
#[derive(Clone, Debug)]
pub struct LocalDeliveries {
    /// The number of the first process, and how many there are.
    pub first: u32,
    /// See `first`.
    pub count: u32,
    /// Packets, by their receivers' positions in the shard.
    pub wheel: WindowWheel<Arrival>,
    /// Messages with their receivers' positions in the shard, sent since the last visit.
    pub messages: Vec<(usize, Message)>,
}

impl LocalDeliveries {
    /// The position of `process` in the shard, if it belongs there.
    #[inline]
    fn position(&self, process: ProcessId) -> Option<u32> {
        let position = process.0.wrapping_sub(self.first);
        (position < self.count).then_some(position)
    }
}

/// The outbox of one shard.
#[derive(Debug, Default)]
pub struct Outbox {
    /// While the shard runs in windows, the items in flight to its own processes.
    pub local: Option<Box<LocalDeliveries>>,
    /// For each shard, the number behind its last process; empty if there is one shard only.
    ends: Vec<u32>,
    /// What goes to each shard.
    pub batches: Vec<OutboxBatch>,
}

impl Outbox {
    /// An empty outbox to shards whose last processes come before `ends`.
    pub fn new(ends: &[u32]) -> Outbox {
        Outbox { local: None, ends: ends.to_vec(), batches: ends.iter().map(|_| OutboxBatch::default()).collect() }
    }

    /// The wheel of a shard that runs in windows.
    #[inline(always)]
    pub fn wheel(&self) -> &WindowWheel<Arrival> {
        let Some(local) = &self.local else { unreachable!("it is there while windows run") };
        &local.wheel
    }

    /// As [`Outbox::add`], to a process that mostly belongs to this shard, which runs in windows.
    #[inline(always)]
    pub fn add_local(&mut self, process: ProcessId, input: u32, at: Time) -> &mut Arrival {
        let Some(local) = &mut self.local else { unreachable!("it is there while windows run") };
        match local.position(process) {
            Some(receiver) => local.wheel.add(receiver, input, at),
            None => add_to_batch(batch(&self.ends, &mut self.batches, process), process, input),
        }
    }

    /// Makes room for an arrival at `at` at input `input` of `process`, to be overwritten.
    #[inline(never)]
    pub fn add(&mut self, process: ProcessId, input: u32, at: Time) -> &mut Arrival {
        if self.local.is_some() {
            return self.add_local(process, input, at);
        }
        add_to_batch(batch(&self.ends, &mut self.batches, process), process, input)
    }

    /// Adds `message` to `process`.
    pub fn add_message(&mut self, process: ProcessId, message: Message) {
        if let Some(local) = &mut self.local {
            if let Some(receiver) = local.position(process) {
                return local.messages.push((receiver as usize, message));
            }
        }
        batch(&self.ends, &mut self.batches, process).messages.push((process, message));
    }
}

/// The batch for the shard of `process`.
fn batch<'a>(ends: &[u32], batches: &'a mut [OutboxBatch], process: ProcessId) -> &'a mut OutboxBatch {
    let shard = ends.iter().position(|end| process.0 < *end).expect("every process belongs to a shard");
    &mut batches[shard]
}

fn add_to_batch(batch: &mut OutboxBatch, process: ProcessId, input: u32) -> &mut Arrival {
    batch.packets.push((process, input, Arrival::default()));
    &mut batch.packets.last_mut().expect("just pushed").2
}
