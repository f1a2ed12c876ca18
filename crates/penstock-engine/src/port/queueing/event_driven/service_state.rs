//! The state of an event-driven port that changes with each packet: the wire, and the queues while packets are handled.

use crate::kernel::event::Arrival;
use crate::port::queueing::queue::Queue;
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::scheduler::{QueueState, Scheduler};
use penstock_model::transmission::TransmissionTimes;
use penstock_model::units::Time;

/// The state of the wire of a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireState {
    /// When it is free; the past when it is idle.
    pub(super) free_at: Time,
    /// When the next decision is due: as soon as something waits, the wire is free and nothing is held back. Only an arrival or
    /// a decision changes it.
    pub next_decision: Time,
    /// The scheduler or a shaper holds back until then everything that waits now.
    pub(super) is_held: bool,
    /// Packets that wait.
    pub backlog: u64,
}

impl WireState {
    /// Nothing that waits now may be sent before `time`.
    pub fn hold_until(&mut self, time: Time) {
        (self.next_decision, self.is_held) = (time, true);
    }
}

/// The queues while packets are handled: everything is one step away, and what changes with each packet can be in registers.
pub(crate) struct ServiceState<'a> {
    pub queues: &'a mut [Queue],
    pub states: &'a mut [QueueState],
    pub(super) of_class: &'a [u8; 256],
    pub times: &'a mut TransmissionTimes,
    pub wire: WireState,
    /// Where the wire's state is stored in the end.
    pub(super) stored_wire: &'a mut WireState,
}

impl Drop for ServiceState<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.stored_wire = self.wire;
    }
}

impl ServiceState<'_> {
    /// The queue of a packet.
    #[inline(always)]
    pub fn queue_of(&self, packet: &Packet) -> usize {
        usize::from(self.of_class[usize::from(packet.class)])
    }

    /// Queues a packet that is to go on to `hop`.
    #[inline(always)]
    pub fn enqueue<S: Scheduler + ?Sized>(&mut self, index: usize, arrival: &Arrival, hop: HopId, scheduler: &mut S) {
        let Arrival { at: now, packet } = arrival;
        let (now, size) = (*now, packet.size);
        let slot = self.queues[index].waiting.add();
        slot.at = now;
        slot.packet = *packet;
        slot.packet.hop = hop;
        self.wire.backlog += 1;
        let state = &mut self.states[index];
        state.packets += 1;
        state.bytes += u64::from(size);
        // Whether it is the first is unpredictable: a branch would be mispredicted.
        let is_first = state.packets == 1;
        if scheduler.reads_heads() {
            state.head = std::hint::select_unpredictable(is_first, size, state.head);
        }
        if !self.wire.is_held || is_first {
            self.wire.next_decision = self.wire.free_at.max(now);
            self.wire.is_held = false;
        }
        scheduler.on_packet(now, index, self.states);
    }

    /// The first packet of a queue, of `size` bytes, is on the wire from `now` to `end`.
    #[inline(always)]
    pub fn on_transmission_start<S: Scheduler + ?Sized>(&mut self, index: usize, now: Time, end: Time, size: u32, scheduler: &mut S) {
        let state = &mut self.states[index];
        state.packets -= 1;
        state.bytes -= u64::from(size);
        if scheduler.reads_heads() {
            // So is whether another one waits, here and below.
            let next = self.queues[index].waiting.second_or_old().packet.size;
            state.head = std::hint::select_unpredictable(state.packets > 0, next, 0);
        }
        self.wire.backlog -= 1;
        self.wire.free_at = end;
        self.wire.is_held = false;
        self.wire.next_decision = std::hint::select_unpredictable(self.wire.backlog > 0, end, Time::NEVER);
        scheduler.on_sent(now, index, size, self.states);
    }
}
