//! The transmit batch: packets that a host sends or forwards through a port.

use crate::kernel::event::Arrival;
use penstock_model::prefetch::prefetch;

/// Packets that a port will process together, each with the time at which it was sent. Slots are reused rather than allocated again.
#[derive(Clone, Debug, Default)]
pub struct TransmitBatch {
    slots: Vec<Arrival>,
    len: usize,
}

impl TransmitBatch {
    /// Prefetches the slot of the first packet.
    #[inline]
    pub fn prefetch(&self) {
        self.slots.first().into_iter().for_each(prefetch);
    }

    /// Number of packets.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The packets.
    #[inline(always)]
    pub fn packets(&self) -> &[Arrival] {
        &self.slots[..self.len]
    }

    /// Adds `count` slots and returns them. They hold stale packets, which the caller overwrites.
    #[inline(always)]
    pub fn add(&mut self, count: usize) -> &mut [Arrival] {
        let first = self.len;
        self.len += count;
        if self.slots.len() < self.len {
            self.grow();
        }
        &mut self.slots[first..self.len]
    }

    #[cold]
    fn grow(&mut self) {
        self.slots.resize(self.len.next_power_of_two().max(4), Arrival::PLACEHOLDER);
    }

    /// Removes all packets.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}
