//! Digests: a running hash of everything that happened at a process.

use penstock_model::packet::Packet;
use penstock_model::units::Time;

/// A running hash, order-dependent within a process; the processes' hashes are combined by path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Digest {
    /// Adds `what` having happened to `packet` at `now`.
    #[inline]
    pub fn packet(&mut self, now: Time, packet: &Packet, what: u8) {
        let identity = u64::from(packet.flow.0) << 32 | u64::from(packet.sequence());
        let mark = u64::from(packet.marked) | (packet.pcn as u64) << 1;
        let nature = u64::from(packet.size) << 24 | mark << 16 | u64::from(packet.precedence) << 8 | u64::from(what);
        self.number(now.as_ps() ^ nature.rotate_right(20));
        self.number(identity);
    }

    /// Adds another hash, or any number.
    #[inline]
    pub fn number(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(MULTIPLIER);
    }

    /// Adds a name.
    pub fn name(&mut self, name: &str) {
        name.bytes().for_each(|byte| self.number(u64::from(byte)));
    }

    /// The hash.
    pub fn value(self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}
