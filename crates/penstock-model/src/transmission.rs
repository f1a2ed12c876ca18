//! Transmission times: bytes of packets on the wire, and their transmission times.

use crate::atm::CELL;
use crate::units::{Bytes, Duration, Rate};

/// Bytes of packets on the wire in addition to their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Framing {
    /// Bytes added to each packet.
    pub overhead: u32,
    /// Minimum number of bytes of a packet on the wire, overhead included.
    pub minimum: u32,
    /// Whether packets travel in ATM cells: an AAL5 trailer is added and the last cell is padded.
    pub in_cells: bool,
}

impl Framing {
    /// Payload of a cell.
    const CELL_PAYLOAD: u64 = 48;
    /// The trailer of a frame in AAL5.
    const TRAILER: u64 = 8;

    /// Bytes of a packet of `size` on the wire.
    #[inline(always)]
    pub fn on_wire(self, size: u32) -> Bytes {
        let framed = (u64::from(size) + u64::from(self.overhead)).max(u64::from(self.minimum));
        Bytes::new(if self.in_cells { (framed + Framing::TRAILER).div_ceil(Framing::CELL_PAYLOAD) * u64::from(CELL) } else { framed })
    }
}

/// Rate and framing of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WireRate {
    /// Bits per second, overheads included.
    pub rate: Rate,
    /// Bytes added to packets.
    pub framing: Framing,
}

impl From<Rate> for WireRate {
    /// A wire without framing.
    fn from(rate: Rate) -> WireRate {
        WireRate { rate, framing: Framing::default() }
    }
}

impl WireRate {
    /// Transmission time of a packet of `size` bytes.
    #[inline(always)]
    pub fn transmission_time(self, size: u32) -> Duration {
        self.rate.transmission_time(self.framing.on_wire(size))
    }
}

/// Transmission times at one rate. Some are cached, since a division costs more than a lookup.
#[derive(Clone, Debug)]
pub struct TransmissionTimes {
    wire: WireRate,
    known: [(u32, Duration); PLACES],
}

const PLACES: usize = 4;

impl TransmissionTimes {
    /// An empty cache for this wire.
    pub fn new(wire: impl Into<WireRate>) -> TransmissionTimes {
        // The initial entries are for size zero, which no packet has and which takes no time at any rate, including zero.
        TransmissionTimes { wire: wire.into(), known: [(0, Duration::ZERO); PLACES] }
    }

    /// The rate.
    pub fn rate(&self) -> Rate {
        self.wire.rate
    }

    /// Transmission time of `size` bytes.
    #[inline(always)]
    pub fn of(&mut self, size: u32) -> Duration {
        // The upper bits of a product scatter neighbouring as well as round numbers.
        let known = &mut self.known[(size.wrapping_mul(0x9e37_79b9) >> 30) as usize];
        if known.0 != size {
            *known = (size, self.wire.transmission_time(size));
        }
        known.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_is_computed() {
        let rate = Rate::from_bps(1_536_000);
        let mut times = TransmissionTimes::new(rate);
        for size in [160, 1500, 40, 160, 576, 1500, 1, 65_535, 160, 9000, 40] {
            assert_eq!(times.of(size), rate.transmission_time(Bytes::new(u64::from(size))), "{size} bytes");
        }
    }

    #[test]
    fn frames_take_what_their_standards_say() {
        let on_wire = |framing: Framing, sizes: &[u32]| sizes.iter().map(|size| framing.on_wire(*size).get()).collect::<Vec<_>>();
        assert_eq!(on_wire(Framing::default(), &[1, 40, 1500]), [1, 40, 1500]);
        // Ethernet: a header of 14, a check sequence of 4, preamble and delimiter of 8, a gap of 12; frames have at least 64 bytes.
        let ethernet = Framing { overhead: 38, minimum: 84, in_cells: false };
        assert_eq!(on_wire(ethernet, &[40, 46, 47, 1500]), [84, 84, 85, 1538]);
        // AAL5: 40 + 8 fill one cell, 41 + 8 need two; 1500 + 8 need 32.
        let cells = Framing { in_cells: true, ..Framing::default() };
        assert_eq!(on_wire(cells, &[40, 41, 1500]), [53, 106, 32 * 53]);
        // With 8 bytes of LLC and SNAP (RFC 2684), a TCP acknowledgement takes two cells.
        assert_eq!(on_wire(Framing { overhead: 8, ..cells }, &[32, 40]), [53, 106]);
    }
}
