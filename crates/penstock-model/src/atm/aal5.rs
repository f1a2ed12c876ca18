//! AAL5: segmentation of packets into cells, and their reassembly [I.363.5].

use super::{cells, CELL};
use crate::packet::{Body, Packet};
use crate::units::Time;

/// The cells of a packet, in order. The last one carries the packet's body, all others [`Body::Cell`].
#[derive(Clone, Copy, Debug)]
pub struct Segmentation {
    packet: Packet,
    backward: bool,
    next: u16,
    last: u16,
}

impl Segmentation {
    /// Maximum size of a packet whose cells can be numbered. AAL5 permits 65,535 bytes [I.363.5].
    pub const LARGEST: u32 = 65_535 - 8;

    /// Begins to segment `packet`.
    #[inline]
    pub fn new(packet: &Packet) -> Segmentation {
        Segmentation { packet: *packet, backward: packet.body.is_from_receiver(), next: 0, last: cells(packet.size) as u16 - 1 }
    }
}

impl Iterator for Segmentation {
    type Item = Packet;

    #[inline(always)]
    fn next(&mut self) -> Option<Packet> {
        let Segmentation { packet, backward, next: index, last } = *self;
        if index > last {
            return None;
        }
        self.next += 1;
        if index == last {
            return Some(Packet { size: CELL, ..packet });
        }
        let body = Body::Cell { frame: packet.sequence(), packet_size: packet.size, index, backward };
        Some(Packet { size: CELL, body, ..packet })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.last + 1 - self.next);
        (left, Some(left))
    }
}

/// Reassembly of the frames of one circuit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reassembly {
    /// Cells of the current frame.
    count: u16,
    /// Whether a cell is missing or belongs to another frame.
    is_damaged: bool,
    first: Option<FirstCell>,
}

/// Contents of the first cell of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FirstCell {
    frame: u32,
    flow: u32,
    created: Time,
    packet_size: u32,
}

/// Result of the arrival of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reassembled {
    /// The frame continues.
    Incomplete,
    /// The last cell of a complete frame: the packet.
    Packet(Packet),
    /// The last cell of a frame that lacks cells or contains cells of another frame: length and CRC-32 do not match [I.363.5], and the
    /// packet is lost.
    Damaged,
}

impl Reassembly {
    /// Receives a cell. Only an end-of-frame cell ends a frame: if it is lost, its cells corrupt the next frame.
    #[inline]
    pub fn on_cell(&mut self, cell: &Packet) -> Reassembled {
        if let Body::Cell { frame, packet_size, index, .. } = cell.body {
            let header = FirstCell { frame, flow: cell.flow.0, created: cell.created, packet_size };
            let first = *self.first.get_or_insert(header);
            self.is_damaged |= first != header || index != self.count;
            self.count = self.count.saturating_add(1);
            return Reassembled::Incomplete;
        }
        let Reassembly { count, is_damaged, first } = std::mem::take(self);
        let Some(first) = first.filter(|_| !is_damaged) else { return Reassembled::Damaged };
        let header = FirstCell { frame: cell.sequence(), flow: cell.flow.0, created: cell.created, packet_size: first.packet_size };
        if first == header && u32::from(count) + 1 == cells(first.packet_size) {
            Reassembled::Packet(Packet { size: first.packet_size, ..*cell })
        } else {
            Reassembled::Damaged
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;

    /// Packet number `seq` of 552 bytes: 12 cells.
    fn numbered(seq: u32) -> Packet {
        Packet { body: Body::datagram(seq), created: Time::from_ps(u64::from(seq)), ..packet(552, 0) }
    }

    fn receive(cells: impl IntoIterator<Item = Packet>) -> Vec<Reassembled> {
        let mut circuit = Reassembly::default();
        cells.into_iter().map(|cell| circuit.on_cell(&cell)).filter(|outcome| *outcome != Reassembled::Incomplete).collect()
    }

    #[test]
    fn what_is_segmented_is_reassembled() {
        let cells: Vec<Packet> = Segmentation::new(&numbered(7)).collect();
        assert_eq!(cells.len(), 12);
        assert!(cells.iter().all(|cell| cell.size == 53));
        assert_eq!(receive(cells), [Reassembled::Packet(numbered(7))]);
    }

    #[test]
    fn a_frame_that_lacks_any_one_cell_is_lost() {
        for lost in 0..11 {
            let cells = Segmentation::new(&numbered(0)).enumerate().filter(|(i, _)| *i != lost).map(|(_, cell)| cell);
            let next = Segmentation::new(&numbered(1));
            assert_eq!(receive(cells.chain(next)), [Reassembled::Damaged, Reassembled::Packet(numbered(1))], "without cell {lost}");
        }
    }

    #[test]
    fn a_lost_end_of_frame_spoils_the_next_frame_and_no_more() {
        let cut = Segmentation::new(&numbered(0)).take(11);
        let cells = cut.chain(Segmentation::new(&numbered(1))).chain(Segmentation::new(&numbered(2)));
        assert_eq!(receive(cells), [Reassembled::Damaged, Reassembled::Packet(numbered(2))]);
    }

    #[test]
    fn the_end_of_another_frame_does_not_complete_one() {
        // The number of cells is right, but the last one belongs to another packet.
        let cells = Segmentation::new(&numbered(0)).take(11).chain(Segmentation::new(&numbered(1)).skip(11));
        assert_eq!(receive(cells), [Reassembled::Damaged]);
        assert_eq!(receive(Segmentation::new(&numbered(0)).skip(11)), [Reassembled::Damaged]);
    }
}
