//! Flags of TCP data segments.

/// Flags of a TCP data segment that its receiver reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentFlags(u8);

/// Bits of CWR and PSH, as in the header [RFC9293 s3.1].
const CWR: u8 = 0x80;
const PSH: u8 = 0x08;

impl SegmentFlags {
    /// The flags, each if it is set.
    #[inline(always)]
    pub const fn new(cwr: bool, psh: bool) -> SegmentFlags {
        SegmentFlags(if cwr { CWR } else { 0 } | if psh { PSH } else { 0 })
    }

    /// Whether the sender has reduced its window (CWR) [RFC3168 s6.1.2].
    #[inline(always)]
    pub const fn cwr(self) -> bool {
        self.0 & CWR != 0
    }

    /// Whether the receiver passes the data to its application at once (PSH) [RFC9293 s3.9.1.2].
    #[inline(always)]
    pub const fn psh(self) -> bool {
        self.0 & PSH != 0
    }

    /// The flags as in the header.
    pub const fn byte(self) -> u8 {
        self.0
    }
}
