//! The answers of a discipline.

use super::DropCause;

/// Decision about an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The queue accepts the packet.
    Accept,
    /// The queue accepts the packet and marks it with [`Ecn::Ce`](crate::packet::Ecn::Ce). Only for ECN-capable packets.
    Mark,
    /// The packet is refused.
    Drop(DropCause),
    /// The waiting packet at `position` is dropped first; it must exist. The discipline then decides again on the same arrival. For drop
    /// from the head and push-out; declared by [`Hooks::EVICTION`](super::Hooks::EVICTION).
    Evict {
        /// Position in the queue, counted from the head (0).
        position: u32,
        /// Cause of the drop.
        cause: DropCause,
    },
}

/// A packet that is dropped to make room for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// Queue of the packet, by the numbers that schedulers use.
    pub queue: usize,
    /// Position in that queue, counted from the head (0).
    pub position: u32,
    /// Cause of the drop.
    pub cause: DropCause,
}

impl Eviction {
    /// The head of `queue`, dropped because there is no room.
    pub fn of_head(queue: usize) -> Eviction {
        Eviction { queue, position: 0, cause: DropCause::Overflow }
    }
}

/// Decision about the packet at the head when its transmission could begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepartureVerdict {
    /// The transmission begins.
    Send,
    /// The packet is marked with [`Ecn::Ce`](crate::packet::Ecn::Ce) and its transmission begins. Only for ECN-capable packets.
    Mark,
    /// The packet is dropped and never reaches the wire. The scheduler selects again at once.
    Drop(DropCause),
}

/// Reason for which a packet no longer counts as queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The transmission has begun or, if the packet in service counts ([`Counting::InSystem`](super::Counting::InSystem)), has ended.
    Sent,
    /// Dropped by [`DepartureVerdict::Drop`].
    Dropped(DropCause),
    /// Dropped by [`Verdict::Evict`], by the discipline of another queue, or by the scheduler at a limit of its own.
    Evicted(DropCause),
}
