//! ATM: cells, frames (AAL5) and virtual circuits.

pub mod aal5;
pub mod circuits;

/// Size of a cell: 5 bytes of header and 48 of payload [I.361].
pub const CELL: u32 = 53;

/// Payload of a cell.
pub const PAYLOAD: u32 = 48;

/// Bytes of LLC/SNAP encapsulation before a packet [RFC2684 s5.1] and of the AAL5 trailer behind it [I.363.5].
pub const OVERHEAD: u32 = 16;

/// Minimum size of a packet with two cells. The first cell carries the size, and the last one the packet itself.
pub const SMALLEST_PACKET: u32 = PAYLOAD - OVERHEAD + 1;

/// Number of cells of a packet of `size` bytes: with LLC/SNAP and trailer, padded to whole cells.
#[inline]
pub const fn cells(size: u32) -> u32 {
    (size as u64 + OVERHEAD as u64).div_ceil(PAYLOAD as u64) as u32
}

/// Bytes on the wire of the cells of a packet of `size` bytes.
#[inline]
pub const fn bytes_in_cells(size: u64) -> u64 {
    (size + OVERHEAD as u64).div_ceil(PAYLOAD as u64) * CELL as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segment sizes of the study, with 40 bytes of headers.
    #[test]
    fn frames_are_padded_to_whole_cells() {
        let counts = [512, 536, 1024, 1460, 9140, 9180].map(|segment| cells(segment + 40));
        assert_eq!(counts, [12, 13, 23, 32, 192, 193]);
        assert_eq!((cells(40), cells(32), cells(33)), (2, 1, 2));
        assert_eq!(cells(SMALLEST_PACKET), 2);
        assert_eq!(bytes_in_cells(1064), 23 * 53);
    }
}
