//! Contents of acknowledgements.

use super::{SackBlock, SackBlocks};
use crate::units::Time;

/// A TCP acknowledgement: everything before `next` has arrived, and the blocks beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// Segment expected next (cumulative acknowledgement).
    pub next: u32,
    /// Flags that echo marks.
    pub flags: AckFlags,
    /// Blocks that have arrived beyond `next`.
    pub sack: SackBlocks,
}

impl Ack {
    /// The SACK blocks.
    #[inline]
    pub fn blocks(&self) -> impl Iterator<Item = SackBlock> + '_ {
        self.sack.beyond(self.next)
    }

    /// Segment that the acknowledgement reports as a duplicate (D-SACK) [RFC2883 s4].
    #[inline]
    pub fn duplicate(&self) -> Option<u32> {
        self.sack.duplicate(self.next)
    }
}

/// An echoed time or none, stored in words of four bytes like the rest of a [`Body`](super::Body).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo([u32; 2]);

impl Echo {
    /// No echo.
    pub const NONE: Echo = Echo::of(Time::NEVER);

    /// The echo of a time.
    #[inline]
    pub const fn of(time: Time) -> Echo {
        let ps = time.as_ps();
        Echo([ps as u32, (ps >> 32) as u32])
    }

    /// Echoed time; `None` without one.
    #[inline]
    pub fn time(self) -> Option<Time> {
        let time = Time::from_ps(u64::from(self.0[1]) << 32 | u64::from(self.0[0]));
        (time != Time::NEVER).then_some(time)
    }
}

/// Flags AE, CWR and ECE of an acknowledgement as one number. Either ECE, the lowest, echoes a mark [RFC3168 s6.1.3], or all three count
/// marks modulo 8 (ACE) [RFC9768 s3.2.2]. Another bit describes the echoed timestamp, if there is one [RFC7323 s4.3].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckFlags(u8);

/// The bits of AE, CWR and ECE.
const ACE: u8 = 0b111;

/// Bit that says that the echoed timestamp is that of a retransmission.
const SENT_AGAIN: u8 = 0b1000;

impl AckFlags {
    /// No flag is set.
    pub const NONE: AckFlags = AckFlags(0);
    /// ECE alone.
    pub const ECE: AckFlags = AckFlags(1);

    /// ECE, if a mark is echoed.
    #[inline]
    pub const fn echo(ece: bool) -> AckFlags {
        AckFlags(ece as u8)
    }

    /// The three flags, from a count modulo 8.
    #[inline]
    pub const fn of_count(marks: u32) -> AckFlags {
        AckFlags((marks % 8) as u8)
    }

    /// Whether ECE is set.
    #[inline(always)]
    pub const fn ece(self) -> bool {
        self.0 & 1 != 0
    }

    /// The three flags as a number below 8 (ACE).
    #[inline]
    pub const fn ace(self) -> u32 {
        (self.0 & ACE) as u32
    }

    /// These flags with an echoed timestamp: that of a first transmission, or of a later one (`again`).
    #[inline]
    pub const fn with_timestamp(self, again: bool) -> AckFlags {
        AckFlags(self.0 & ACE | if again { SENT_AGAIN } else { 0 })
    }

    /// Whether the echoed timestamp is that of a retransmission.
    #[inline]
    pub const fn echoes_retransmission(self) -> bool {
        self.0 & SENT_AGAIN != 0
    }
}
