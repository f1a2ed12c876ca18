//! How a congestion control uses ECN, and the feedback that it gets.

use crate::packet::Ecn;

/// How a congestion control uses ECN. Both ends of a connection keep to it; by default as [RFC3168 s6.1] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnUse {
    /// Whether the control is nothing without ECN, so that a scenario must ask for it.
    pub required: bool,
    /// What acknowledgements say of marks.
    pub echo: EcnEcho,
    /// Which packets queues may mark.
    pub capable: EcnCapable,
}

/// What a receiver's acknowledgements say of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnEcho {
    /// That there was one, until the sender answers with CWR [RFC3168 s6.1.3].
    #[default]
    UntilCwr,
    /// Whether the segments that they acknowledge were marked; an acknowledgement goes out at once where that changes
    /// [RFC8257 s3.2].
    Exact,
}

/// Which packets of a connection are ECN-capable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnCapable {
    /// Segments that are sent for the first time [RFC3168 s6.1.1, s6.1.4, s6.1.5].
    #[default]
    NewData,
    /// They and the packets of the SYN exchange [RFC8257 s3.6].
    NewDataAndSyn,
    /// All, acknowledgements and segments sent again too [RFC8257 s4.1].
    Everything,
}

impl EcnCapable {
    /// The codepoint of a segment.
    #[inline]
    pub fn of_segment(self, retransmission: bool) -> Ecn {
        codepoint(!retransmission || self == EcnCapable::Everything)
    }

    /// The codepoint of the packets of a SYN exchange that asks for ECN, or grants it.
    pub fn of_syn(self) -> Ecn {
        codepoint(self != EcnCapable::NewData)
    }

    /// The codepoint of an acknowledgement.
    #[inline]
    pub fn of_ack(self) -> Ecn {
        codepoint(self == EcnCapable::Everything)
    }
}

fn codepoint(capable: bool) -> Ecn {
    if capable {
        Ecn::Ect0
    } else {
        Ecn::NotEct
    }
}

/// What an acknowledgement says of marks: an acceptable one, of what is outstanding or of what was acknowledged last.
#[derive(Clone, Copy, Debug)]
pub struct EcnFeedback {
    /// The segment that it asks for next (SEG.ACK).
    pub acknowledged: u32,
    /// Segments that it acknowledges for the first time, by SEG.ACK alone.
    pub newly: u32,
    /// The segment that is sent next (SND.NXT).
    pub next: u32,
    /// Whether it carries ECE.
    pub ece: bool,
}
