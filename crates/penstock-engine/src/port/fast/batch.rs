//! What the packets of a batch have in common.

/// Finds out whether packets are of one size and one precedence.
#[derive(Clone, Copy, Debug)]
pub struct Alikeness {
    in_some: u64,
    in_all: u64,
}

impl Alikeness {
    /// Of no packets yet.
    pub const OF_NONE: Alikeness = Alikeness { in_some: 0, in_all: u64::MAX };

    /// Adds a packet with this [`header_word`](penstock_model::packet::Packet::header_word).
    #[inline(always)]
    pub fn add(&mut self, header: u64) {
        self.in_some |= header;
        self.in_all &= header;
    }

    /// Whether all are alike.
    #[inline]
    pub fn holds(self) -> bool {
        const SIZE_AND_PRECEDENCE: u64 = 0xff_ffff_ffff;
        (self.in_some ^ self.in_all) & SIZE_AND_PRECEDENCE == 0
    }
}
