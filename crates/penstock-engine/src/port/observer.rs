//! State of a port's queue and wire for time series, updated at each packet event even if the port knows departures in advance.

use penstock_model::buffer::Held;
use penstock_model::packet::Packet;
use penstock_model::units::Time;
use std::collections::VecDeque;

/// Follows the packets of a port. Transmissions and losses on the wire may be known in advance; each counts from its own instant on,
/// so the state does not depend on whether the port computes departures on arrival.
#[derive(Clone, Debug)]
pub struct PortObserver {
    /// Known changes that are not in `state` yet, by time; changes at the same instant are in the order of [`PortObserver::note`].
    pending: VecDeque<(Time, Change)>,
    state: PortState,
}

/// The state of a port at an instant.
#[derive(Clone, Debug, Default)]
pub struct PortState {
    /// Packets that wait, without the one in service.
    pub queue: Held,
    /// Packets that wait, by class, without the one in service.
    pub of_class: Vec<Held>,
    /// Picoseconds for which the wire has been busy; during a transmission, up to `busy_since`.
    pub busy_ps: u64,
    /// Number of packets whose transmission has ended.
    pub sent_packets: u64,
    /// Bytes of the packets whose transmission has ended.
    pub sent_bytes: u64,
    /// Number of packets dropped at the port or lost on the wire.
    pub drops: u64,
    /// Number of packets marked.
    pub marks: u64,
    /// Number of changes.
    pub changes: u64,
    busy_since: Option<Time>,
}

/// A change of the state of a port.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// A packet joins the queue.
    Join {
        /// Class of the packet.
        class: u8,
        /// Size of the packet in bytes.
        size: u32,
    },
    /// A packet leaves the queue.
    Leave {
        /// Class of the packet.
        class: u8,
        /// Size of the packet in bytes.
        size: u32,
        /// True if its transmission begins; false if it is dropped.
        begins: bool,
    },
    /// A transmission ends.
    Sent {
        /// Size of the packet in bytes.
        size: u32,
    },
    /// A packet is dropped at the port or lost on the wire.
    Drop,
    /// A packet is marked.
    Mark,
}

impl PortObserver {
    /// Creates the observer of a port of `classes` classes, in the initial state.
    pub fn new(classes: usize) -> Box<PortObserver> {
        let state = PortState { of_class: vec![Held::default(); classes], ..PortState::default() };
        Box::new(PortObserver { pending: VecDeque::new(), state })
    }

    /// Notes that a packet is accepted.
    pub fn accepted(&mut self, now: Time, packet: &Packet) {
        // No later call notes a change before `now`: applying earlier ones bounds the memory, even if the state is rarely read.
        self.settle_until(now.before());
        self.note(now, Change::Join { class: packet.class, size: packet.size });
    }

    /// Notes the transmission of a packet from `start` to `end`.
    pub fn transmission(&mut self, start: Time, end: Time, packet: &Packet) {
        self.note(start, Change::Leave { class: packet.class, size: packet.size, begins: true });
        self.note(end, Change::Sent { size: packet.size });
    }

    /// Notes a change that takes effect at `at`. Changes at the same instant keep their order. Most changes come in time order.
    pub fn note(&mut self, at: Time, change: Change) {
        if at == Time::NEVER {
            return;
        }
        let later = self.pending.iter().rev().take_while(|(time, _)| *time > at).count();
        self.pending.insert(self.pending.len() - later, (at, change));
    }

    /// Time of the next known change; never if there is none.
    pub fn next(&self) -> Time {
        self.pending.front().map_or(Time::NEVER, |(at, _)| *at)
    }

    /// Returns the state after all events at `now`.
    pub fn state_at(&mut self, now: Time) -> &PortState {
        self.settle_until(now);
        self.state.busy_until(now);
        &self.state
    }

    fn settle_until(&mut self, until: Time) {
        while let Some((at, change)) = self.pending.front().copied().filter(|(at, _)| *at <= until) {
            self.pending.pop_front();
            self.state.apply(at, change);
        }
    }
}

impl PortState {
    fn apply(&mut self, at: Time, change: Change) {
        self.changes += 1;
        match change {
            Change::Join { class, size } => {
                self.queue.add(size);
                self.of_class[usize::from(class)].add(size);
            }
            Change::Leave { class, size, begins } => {
                self.queue.remove(size);
                self.of_class[usize::from(class)].remove(size);
                if begins {
                    self.busy_since = Some(at);
                }
            }
            Change::Sent { size } => {
                self.busy_until(at);
                self.busy_since = None;
                self.sent_packets += 1;
                self.sent_bytes += u64::from(size);
            }
            Change::Drop => self.drops += 1,
            Change::Mark => self.marks += 1,
        }
    }

    fn busy_until(&mut self, now: Time) {
        if let Some(since) = &mut self.busy_since {
            self.busy_ps += now.since(*since).as_ps();
            *since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::event::Arrival;
    use penstock_model::units::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn packet() -> Packet {
        Packet { size: 1000, class: 0, ..Arrival::PLACEHOLDER.packet }
    }

    /// Two packets arrive at 0 ms; their transmissions, 0 to 10 and 10 to 20 ms, are known at once. A third packet is dropped at 5 ms.
    #[test]
    fn what_is_known_before_counts_from_its_own_instant() {
        let mut it = PortObserver::new(1);
        for start in [0, 10] {
            it.accepted(at(0), &packet());
            it.transmission(at(start), at(start + 10), &packet());
        }
        it.note(at(5), Change::Drop);
        let seen = [0, 5, 9, 10, 15, 20, 30].map(|ms| {
            let state = it.state_at(at(ms));
            (state.queue.packets, state.busy_ps / 1_000_000_000, state.sent_packets, state.drops)
        });
        let expected = [(1, 0, 0, 0), (1, 5, 0, 1), (1, 9, 0, 1), (0, 10, 1, 1), (0, 15, 1, 1), (0, 20, 2, 1), (0, 20, 2, 1)];
        assert_eq!(seen, expected);
        assert_eq!(it.next(), Time::NEVER);
    }
}
