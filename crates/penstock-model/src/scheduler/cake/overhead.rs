//! Bytes that packets occupy on the link behind the shaper.

use crate::units::Bytes;

crate::choice! {
    /// Framing of the link behind the shaper.
    pub enum LinkLayer {
        /// None beyond `overhead` and `mpu`.
        "noatm" => Plain,
        /// Cells of 53 bytes, 48 of them payload.
        "atm" => Atm,
        /// A byte more for each 64 bytes or part of them, as of the 64b/65b code of VDSL2.
        "ptm" => Ptm,
    }
}

/// Overhead compensation: rules of tc-cake(8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// Added to each packet.
    pub added: u64,
    /// Minimum size after that (mpu).
    pub minimum: u64,
    /// The framing of the result.
    pub layer: LinkLayer,
}

impl Overhead {
    /// The bytes that a packet of `size` bytes occupies.
    #[inline]
    pub fn bytes(&self, size: u32) -> Bytes {
        let framed = (u64::from(size) + self.added).max(self.minimum);
        Bytes::new(match self.layer {
            LinkLayer::Plain => framed,
            LinkLayer::Atm => framed.div_ceil(48) * 53,
            LinkLayer::Ptm => framed + framed.div_ceil(64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_tc() {
        for (added, minimum, layer, sizes) in [
            (0, 0, LinkLayer::Plain, [(40, 40), (1500, 1500)]),
            // ethernet: 38 bytes, mpu 84.
            (38, 84, LinkLayer::Plain, [(40, 84), (1500, 1538)]),
            // pppoe-llcsnap over ADSL: 40 bytes in cells. 80 bytes need 2, 1540 bytes 33.
            (40, 0, LinkLayer::Atm, [(40, 106), (1500, 1749)]),
            // One byte beyond 48 and 96 needs another cell.
            (8, 0, LinkLayer::Atm, [(40, 53), (41, 106)]),
            // pppoe-ptm over VDSL2: 30 bytes. 70 + 2, 1530 + 24.
            (30, 0, LinkLayer::Ptm, [(40, 72), (1500, 1554)]),
            // The minimum precedes the framing: 84 + 2 instead of 64 + 1.
            (14, 84, LinkLayer::Ptm, [(50, 86), (114, 130)]),
        ] {
            let overhead = Overhead { added, minimum, layer };
            for (size, expected) in sizes {
                assert_eq!(overhead.bytes(size).get(), expected, "{overhead:?} of {size}");
            }
        }
    }
}
