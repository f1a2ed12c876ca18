//! Digests: a running hash of everything that happened at a process.

use penstock_model::packet::Packet;
use penstock_model::units::Time;

/// A running hash, order-dependent within a process; the processes' hashes are combined by path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Digest {
    /// Adds an event of a packet at `now`: two words, folded into one by the halves of their product.
    #[inline(always)]
    pub fn packet(&mut self, now: Time, packet: &Packet, event: u8) {
        let identity = u64::from(packet.flow.0) << 32 | u64::from(packet.sequence());
        // Marks change few bits of the header. It is rotated so that these meet bits that the time does not use.
        let header = packet.header_word() ^ u64::from(event) << 36;
        let product = u128::from(self.0 ^ now.as_ps() ^ header.rotate_left(16)) * u128::from(identity ^ MULTIPLIER);
        self.0 = product as u64 ^ (product >> 64) as u64;
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

    /// Returns the hash.
    pub fn value(self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}
