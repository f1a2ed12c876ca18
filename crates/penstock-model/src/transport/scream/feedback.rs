//! Report of a receiver, in the fields of an acknowledgement.

use crate::packet::Ecn;
use crate::transport::custom::AckPacket;
use crate::units::Time;

/// Number of packets before the newest one whose arrival a report states.
pub(super) const REPORTED: u32 = 64;

/// Report of a receiver [RFC8298 s4.2.1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Newest packet that has arrived.
    pub(super) newest: u32,
    /// Time of its arrival, in microseconds modulo 2^32.
    pub(super) arrived_us: u32,
    /// Bitmap of the arrivals before it; the lowest bit is the previous packet.
    pub(super) before: u64,
    /// Number of packets that have arrived with a mark (n_ECN).
    pub(super) marked: u32,
}

impl Report {
    /// Whether packet `seq` has arrived, according to the report; `None` if the report does not cover it.
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

/// Converts a time to microseconds, modulo 2^32.
pub(super) fn microseconds(time: Time) -> u32 {
    (time.as_ps() / 1_000_000) as u32
}
