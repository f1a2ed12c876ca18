//! The answers of a discipline.

use super::DropCause;

/// Decision about an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The queue accepts it.
    Accept,
    /// The queue accepts it and writes [`Ecn::Ce`](crate::packet::Ecn::Ce) into it. Only for ECN-capable packets.
    Mark,
    /// It is refused.
    Drop(DropCause),
    /// The waiting packet at `position`, counted from the head (0), is dropped first; it must exist. The discipline then
    /// decides again on the same arrival. For drop from the head and push-out; declared by
    /// [`Hooks::EVICTION`](super::Hooks::EVICTION).
    Evict {
        /// Its position in the queue.
        position: u32,
        /// Why it is dropped.
        cause: DropCause,
    },
}

/// A packet that is dropped to make room for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// Its queue, by the number that schedulers know.
    pub queue: usize,
    /// Its position there, counted from the head (0).
    pub position: u32,
    /// Why it is dropped.
    pub cause: DropCause,
}

impl Eviction {
    /// The head of a queue, dropped because there is no room.
    pub fn of_head(queue: usize) -> Eviction {
        Eviction { queue, position: 0, cause: DropCause::Overflow }
    }
}

/// Decision about the packet at the head when its transmission could begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepartureVerdict {
    /// Its transmission begins.
    Send,
    /// It is marked with [`Ecn::Ce`](crate::packet::Ecn::Ce) and its transmission begins. Only for ECN-capable packets.
    Mark,
    /// It is dropped and never reaches the wire. The scheduler selects again at once.
    Drop(DropCause),
}

/// Reason for which a packet no longer counts as queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Its transmission has begun or, if the packet in service counts ([`Counting::InSystem`](super::Counting::InSystem)), has ended.
    Sent,
    /// Dropped by [`DepartureVerdict::Drop`].
    Dropped(DropCause),
    /// Dropped by [`Verdict::Evict`], by the discipline of another queue, or by the scheduler at a limit of its own.
    Evicted(DropCause),
}
