//! Marks that queues and meters write into packets.

/// The two ECN bits of the IP header [RFC3168 s5].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable: a queue can only drop it.
    #[default]
    NotEct = 0b00,
    /// ECN-capable transport, codepoint ECT(1); L4S and experiments [RFC8311 s2].
    Ect1 = 0b01,
    /// ECN-capable transport, codepoint ECT(0).
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// Whether a queue may mark the packet instead of dropping it; also true for a marked packet.
    #[inline(always)]
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }

    /// Codepoint after a mark. Panics in debug builds if the packet is not ECN-capable, since such a packet can only be dropped.
    #[inline(always)]
    pub fn marked(self) -> Ecn {
        debug_assert!(self.is_capable(), "a packet that is not ECN-capable cannot be marked");
        Ecn::Ce
    }
}

/// Mark of PCN meters in a packet, in order of severity [RFC5670 s2].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PcnMark {
    /// Not marked (NM).
    #[default]
    Unmarked,
    /// Threshold-marked (ThM); in schemes with one mark, marked.
    Threshold,
    /// Excess-traffic-marked (ETM); in CL, marked for pre-emption.
    Excess,
}
