//! The report of a receiver, in the fields of an acknowledgement.

use crate::packet::Ecn;
use crate::transport::custom::AckPacket;
use crate::units::Time;

/// Packets before the newest one whose arrival a report states.
pub(super) const REPORTED: u32 = 64;

/// What a receiver reports [RFC8298 s4.2.1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// The newest packet that has arrived.
    pub(super) newest: u32,
    /// When it has arrived, in microseconds modulo 2^32.
    pub(super) arrived_us: u32,
    /// Whether the packets before it have arrived, from the lowest bit on.
    pub(super) before: u64,
    /// Packets that arrived with a mark so far (n_ECN).
    pub(super) marked: u32,
}

impl Report {
    /// Whether it says that packet `seq` has arrived; `None` if it says nothing about it.
    pub(super) fn has(&self, seq: u32) -> Option<bool> {
        match self.newest.checked_sub(seq)? {
            0 => Some(true),
            back if back <= REPORTED => Some(self.before >> (back - 1) & 1 == 1),
            _ => None,
        }
    }

    pub(super) fn to_ack(self) -> AckPacket {
        let words = [self.arrived_us, self.before as u32, (self.before >> 32) as u32, self.marked];
        AckPacket { next: self.newest, ecn: Ecn::NotEct, words }
    }

    pub(super) fn of_ack(ack: &AckPacket) -> Report {
        let [arrived_us, low, high, marked] = ack.words;
        Report { newest: ack.next, arrived_us, before: u64::from(high) << 32 | u64::from(low), marked }
    }
}

/// A time in microseconds, modulo 2^32.
pub(super) fn microseconds(time: Time) -> u32 {
    (time.as_ps() / 1_000_000) as u32
}
