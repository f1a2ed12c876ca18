//! SACK blocks in packets, stored in few bytes, because every packet has room for them and few packets have any.

/// A range of segments `[start, end)` that a receiver holds beyond the cumulative acknowledgement [RFC2018 s3].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First segment of the block.
    pub start: u32,
    /// Segment after the last one of the block.
    pub end: u32,
}

/// Up to three blocks, the most recently changed first [RFC2018 s4]. Each is stored as two distances from the cumulative acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    /// Start and end in 24 bits, the least significant byte first. An end at distance 0 marks the absence of a block. A first block with
    /// equal ends reports a duplicate, by its distance in two's complement.
    blocks: [[[u8; 3]; 2]; 3],
}

/// The first bytes of [`SackBlocks`].
pub type SackHead = [u8; 2];
/// The other bytes of [`SackBlocks`].
pub type SackRest = [u8; 16];

impl SackBlocks {
    /// Splits the blocks into two parts, for a packet in which the acknowledgement lies between them.
    #[inline(always)]
    pub const fn split(self) -> (SackHead, SackRest) {
        let [[[a, b, c], [d, e, f]], [[g, h, i], [j, k, l]], [[m, n, o], [p, q, r]]] = self.blocks;
        ([a, b], [c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r])
    }

    /// Joins the parts of [`SackBlocks::split`].
    #[inline(always)]
    pub const fn join([a, b]: SackHead, [c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r]: SackRest) -> SackBlocks {
        SackBlocks { blocks: [[[a, b, c], [d, e, f]], [[g, h, i], [j, k, l]], [[m, n, o], [p, q, r]]] }
    }

    /// Maximum distance of the end of a block from the cumulative acknowledgement.
    pub const REACH: u32 = (1 << 24) - 1;

    /// Stores the blocks beyond `next`, as many as fit.
    pub fn new(next: u32, blocks: impl Iterator<Item = SackBlock>) -> SackBlocks {
        let mut packed = SackBlocks::default();
        for (place, block) in packed.blocks.iter_mut().zip(blocks) {
            debug_assert!(block.end - next <= SackBlocks::REACH, "no window is larger");
            *place = [block.start, block.end].map(|edge| {
                let [low, middle, high, _] = (edge - next).to_le_bytes();
                [low, middle, high]
            });
        }
        packed
    }

    /// Whether there are no blocks.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks[0][1] == [0; 3]
    }

    /// Puts the report of a duplicate segment before the blocks (D-SACK) [RFC2883 s4].
    #[must_use]
    pub fn with_duplicate(self, next: u32, seq: u32) -> SackBlocks {
        let [low, middle, high, _] = seq.wrapping_sub(next).to_le_bytes();
        let [first, second, _] = self.blocks;
        SackBlocks { blocks: [[[low, middle, high]; 2], first, second] }
    }

    /// Segment of [`SackBlocks::with_duplicate`]; `None` without one.
    #[inline]
    pub fn duplicate(&self, next: u32) -> Option<u32> {
        let [[low, middle, high], end] = self.blocks[0];
        let distance = i32::from_le_bytes([0, low, middle, high]) >> 8;
        ([low, middle, high] == end && distance != 0).then(|| next.wrapping_add_signed(distance))
    }

    /// Replaces the third block by a count of marked segments (mod 2^24), since the option of AccECN needs space of the blocks [RFC9768
    /// s3.2.3].
    #[must_use]
    pub fn with_marks(mut self, marks: u32) -> SackBlocks {
        let [low, middle, high, _] = marks.to_le_bytes();
        self.blocks[2] = [[low, middle, high], [0; 3]];
        self
    }

    /// Count of [`SackBlocks::with_marks`]; only for blocks that have one.
    pub fn marks(&self) -> u32 {
        let [low, middle, high] = self.blocks[2][0];
        u32::from_le_bytes([low, middle, high, 0])
    }

    /// The blocks beyond `next`.
    #[inline]
    pub fn beyond(&self, next: u32) -> impl Iterator<Item = SackBlock> + '_ {
        let edge = move |[low, middle, high]: [u8; 3]| next + u32::from_le_bytes([low, middle, high, 0]);
        // Start and end are equal in the report of a duplicate.
        let filled = self.blocks.iter().take_while(|[_, end]| *end != [0; 3]).filter(|[start, end]| start != end);
        filled.map(move |[start, end]| SackBlock { start: edge(*start), end: edge(*end) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_what_they_were() {
        let next = 4_000_000_000;
        let blocks = [(1, 2), (300, 70_000), (70_001, SackBlocks::REACH)];
        let blocks = blocks.map(|(start, end)| SackBlock { start: next + start, end: next + end });
        for count in 0..=3 {
            let packed = SackBlocks::new(next, blocks[..count].iter().copied());
            assert!(packed.beyond(next).eq(blocks[..count].iter().copied()));
            let (head, rest) = packed.split();
            assert_eq!(SackBlocks::join(head, rest), packed);
        }
        for count in 0..=3 {
            let packed = SackBlocks::new(next, blocks[..count].iter().copied()).with_marks(0x0765_4321);
            assert!(packed.beyond(next).eq(blocks[..count.min(2)].iter().copied()));
            assert_eq!(packed.marks(), 0x65_4321);
        }
        // A duplicate uses the space of a block, whether before or beyond the acknowledgement.
        for seq in [next - 1, next - 70_000, next + 300] {
            let packed = SackBlocks::new(next, blocks.iter().copied()).with_duplicate(next, seq);
            assert_eq!(packed.duplicate(next), Some(seq));
            assert!(packed.beyond(next).eq(blocks[..2].iter().copied()));
        }
        assert_eq!([SackBlocks::default(), SackBlocks::new(next, blocks.iter().copied())].map(|it| it.duplicate(next)), [None; 2]);
        // A fourth block does not fit.
        assert!(SackBlocks::new(next, blocks.iter().chain(&blocks).copied()).beyond(next).eq(blocks));
    }
}
