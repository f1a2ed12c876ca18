//! What a host hands over to a port.

use crate::kernel::event::Arrival;

/// Packets that a host has handed over, and when. Places are written over, not made anew.
#[derive(Debug, Default)]
pub struct TransmitBatch {
    places: Vec<Arrival>,
    len: usize,
}

impl TransmitBatch {
    /// How many there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The packets.
    #[inline(always)]
    pub fn packets(&self) -> &[Arrival] {
        &self.places[..self.len]
    }

    /// Adds old ones, to be written over.
    #[inline(always)]
    pub fn add(&mut self, count: usize) -> &mut [Arrival] {
        let first = self.len;
        self.len += count;
        if self.places.len() < self.len {
            self.grow();
        }
        &mut self.places[first..self.len]
    }

    #[cold]
    fn grow(&mut self) {
        self.places.resize(self.len.next_power_of_two().max(4), Arrival::NOTHING);
    }

    /// Takes all away.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}
