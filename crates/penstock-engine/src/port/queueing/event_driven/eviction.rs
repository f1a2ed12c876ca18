//! Drops of waiting packets: evictions by a discipline, from its own queue or any other of the port, and by the scheduler.

use crate::kernel::event::Arrival;
use crate::port::queueing::event_driven::queues::Queues;
use crate::port::queueing::event_driven::EventDriven;
use crate::port::verdict::{DecisionPoint, Records};
use penstock_model::discipline::{DropCause, Eviction, Leave, Verdict};
use penstock_model::packet::Packet;
use penstock_model::scheduler::Scheduler;
use penstock_model::units::Time;

impl EventDriven {
    /// Carries out an eviction and those that the discipline requests next, at most one per waiting packet. Returns its final decision.
    #[cold]
    pub(super) fn decide_with_evictions(&mut self, mut first: Eviction, now: Time, packet: &Packet, records: &mut Records<'_>) -> Verdict {
        loop {
            self.evict(now, first, records);
            match self.queues.queues[first.queue].on_arrival(now, packet) {
                Verdict::Evict { position, cause } => first = Eviction { position, cause, ..first },
                verdict => {
                    self.queues.reset_deadline();
                    return verdict;
                }
            }
        }
    }

    /// Drops the packet at a position of a queue. If packets still wait, the next decision is due as soon as the wire is free.
    #[cold]
    pub(super) fn drop_waiting(&mut self, now: Time, (index, position): (usize, usize), why: Leave, records: &mut Records<'_>) {
        let (Leave::Dropped(cause) | Leave::Evicted(cause)) = why else { unreachable!("what waits is not sent") };
        let EventDriven { queues: Queues { queues, states, wire, .. }, scheduler, .. } = self;
        let Arrival { at, packet } = queues[index].remove(position, now, why);
        let state = &mut states[index];
        state.packets -= 1;
        state.bytes -= u64::from(packet.size);
        state.head = queues[index].waiting.first().map_or(0, |head| head.packet.size);
        wire.backlog -= 1;
        wire.is_held = false;
        wire.next_decision = if wire.backlog > 0 { wire.free_at.max(now) } else { Time::NEVER };
        scheduler.on_drop(now, index, packet.size, states);
        records.apply::<true>(Verdict::Drop(cause), DecisionPoint::Queued(at), now, &packet);
    }

    /// Drops the packets that the scheduler names until no limit is exceeded.
    pub(super) fn drop_over_limit(&mut self, now: Time, records: &mut Records<'_>) {
        while let Some(eviction) = self.scheduler.over_limit(&self.queues.states) {
            self.evict(now, eviction, records);
        }
    }

    /// Drops the packet of a queue, if any, that the last packet of that queue makes redundant.
    pub(super) fn drop_redundant(&mut self, now: Time, queue: usize, records: &mut Records<'_>) {
        let EventDriven { queues, scheduler, .. } = self;
        let waiting = &queues.queues[queue].waiting;
        let Some((last, earlier)) = waiting.len().checked_sub(1).and_then(|last| Some((waiting.iter().nth(last)?, last))) else { return };
        let redundant = scheduler.redundant(&last.packet, &mut waiting.iter().take(earlier).map(|arrival| &arrival.packet));
        if let Some(position) = redundant {
            self.evict(now, Eviction { queue, position, cause: DropCause::Filtered }, records);
        }
    }

    /// Drops packets of any queue while the discipline of the arrival's queue names one.
    #[cold]
    pub(super) fn make_room(&mut self, now: Time, index: usize, packet: &Packet, records: &mut Records<'_>) {
        loop {
            let Queues { queues, states, .. } = &mut self.queues;
            let asked = match &self.pauses {
                None => queues[index].make_room(now, packet, index, states),
                Some(pauses) => queues[index].make_room(now, packet, index, &pauses.with_hidden(states)),
            };
            let Some(eviction) = asked else { break };
            self.while_shown(now, eviction.queue, |port| port.evict(now, eviction, records));
        }
        self.queues.reset_deadline();
    }

    /// Drops a waiting packet. Panics if there is none at this position.
    fn evict(&mut self, now: Time, Eviction { queue, position, cause }: Eviction, records: &mut Records<'_>) {
        let waiting = self.queues.states.get(queue).map_or(0, |state| state.packets);
        assert!(position < waiting, "a packet that is evicted waits: number {position} of {waiting} in queue {queue} was named");
        self.drop_waiting(now, (queue, position as usize), Leave::Evicted(cause), records);
    }
}
