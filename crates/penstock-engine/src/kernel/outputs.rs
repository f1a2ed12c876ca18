//! The outputs of a process: the other processes' inputs, or the outbox to another shard.

use crate::kernel::event::{Arrival, TrainPacket};
use crate::kernel::inputs::Inputs;
use crate::kernel::message::{Message, MessageBody, Peer};
use crate::kernel::outbox::Outbox;
use crate::merge::deferred_set::DeferredSet;
use crate::merge::ring::Ring;
use penstock_model::id::ProcessId;
use penstock_model::units::Time;

/// A process and its input.
pub type Channel = (ProcessId, u32);

/// Where a process puts what it sends. Packets and messages to processes of other shards go through the outbox.
pub struct Outputs<'a> {
    /// The number of the first process of this shard.
    pub first: usize,
    /// The inputs of its processes.
    pub inputs: &'a mut [Option<Box<Inputs>>],
    /// Arrivals that make a process due earlier are entered here.
    pub due: &'a mut DeferredSet,
    /// Packets and messages to processes of other shards.
    pub outbox: &'a mut Outbox,
    /// A buffer for packet trains; empty between uses.
    pub train: &'a mut Vec<TrainPacket>,
}

const TO_ITSELF: &str = "no process sends to itself";

impl Outputs<'_> {
    /// Sends what `write` writes, to arrive at `at` at input `input` of `process`, which is not the sender.
    #[inline(always)]
    pub fn send(&mut self, process: ProcessId, input: u32, at: Time, write: impl FnOnce(&mut Arrival)) {
        let index = process.index().wrapping_sub(self.first);
        let Some(inputs) = self.inputs.get_mut(index) else {
            return write(self.outbox.add(process, input, at));
        };
        if inputs.as_mut().expect(TO_ITSELF).push(input as usize, at, write) {
            self.due.advance(index, at);
        }
    }

    /// The queue of input `input` of `process`, to put many arrivals there in order; `None` if they must be sent one by one.
    /// Call [`Outputs::announce_head`] afterwards if it was empty.
    #[inline]
    pub fn queue(&mut self, process: ProcessId, input: u32) -> Option<&mut Ring<Arrival>> {
        let index = process.index().wrapping_sub(self.first);
        self.inputs.get_mut(index)?.as_mut().expect(TO_ITSELF).queue(input as usize)
    }

    /// Announces the head of a queue that was empty before packets were added to it; nothing if none were.
    #[inline]
    pub fn announce_head(&mut self, process: ProcessId, input: u32) {
        let index = process.index() - self.first;
        let inputs = self.inputs[index].as_mut().expect(TO_ITSELF);
        inputs.update_head(input as usize);
        self.due.advance(index, inputs.next());
    }

    /// Sends a message, which leaves at `now`, to a peer.
    pub fn send_message(&mut self, now: Time, Peer { process, delay, order }: &mut Peer, body: MessageBody) {
        let message = Message { at: now + *delay, order: *order, body };
        order.number = order.number.wrapping_add(1);
        let index = process.index().wrapping_sub(self.first);
        let Some(inputs) = self.inputs.get_mut(index) else {
            return self.outbox.add_message(*process, message);
        };
        self.due.advance(index, message.at);
        inputs.as_mut().expect(TO_ITSELF).mailbox().push(message);
    }
}
