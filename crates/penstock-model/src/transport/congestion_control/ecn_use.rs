//! How a congestion control uses ECN, and the feedback that it gets.

use crate::packet::Ecn;
use crate::units::Time;

/// How a congestion control uses ECN. Both ends of a connection keep to it; by default as [RFC3168 s6.1] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnUse {
    /// Whether the control is nothing without ECN, so that a scenario must ask for it.
    pub required: bool,
    /// What acknowledgements say of marks.
    pub echo: EcnEcho,
    /// Which packets queues may mark.
    pub capable: EcnCapable,
    /// The codepoint of these.
    pub codepoint: EcnCodepoint,
}

impl EcnUse {
    /// The codepoint of a segment.
    #[inline]
    pub fn of_segment(self, retransmission: bool) -> Ecn {
        self.codepoint_if(!retransmission || matches!(self.capable, EcnCapable::Segments | EcnCapable::Everything))
    }

    /// The codepoint of the packets of a SYN exchange that asks for ECN, or grants it.
    pub fn of_syn(self) -> Ecn {
        self.codepoint_if(matches!(self.capable, EcnCapable::NewDataAndSyn | EcnCapable::Everything))
    }

    /// The codepoint of an acknowledgement.
    #[inline]
    pub fn of_ack(self) -> Ecn {
        self.codepoint_if(self.capable == EcnCapable::Everything)
    }

    #[inline]
    fn codepoint_if(self, capable: bool) -> Ecn {
        match (capable, self.codepoint) {
            (false, _) => Ecn::NotEct,
            (true, EcnCodepoint::Ect0) => Ecn::Ect0,
            (true, EcnCodepoint::Ect1) => Ecn::Ect1,
        }
    }
}

/// Which of the two codepoints of ECN-capable packets a connection uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnCodepoint {
    /// ECT(0): a mark means what a loss does [RFC3168 s5], or the path is one of its own [RFC8257].
    #[default]
    Ect0,
    /// ECT(1): the traffic is scalable and for the low-latency queue (L4S) [RFC9331 s4.1].
    Ect1,
}

impl EcnEcho {
    /// Whether marks are counted.
    #[inline]
    pub fn counts(self) -> bool {
        matches!(self, EcnEcho::Count | EcnEcho::CountWithOption)
    }
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
    /// How many have been marked since the connection began, modulo 8, in each acknowledgement (AccECN, ACE) [RFC9768 s3.2.2].
    Count,
    /// That, and an option in each acknowledgement with the count modulo 2^24 [RFC9768 s3.2.3]; two SACK blocks find room beside it.
    CountWithOption,
}

/// Which packets of a connection are ECN-capable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnCapable {
    /// Segments that are sent for the first time [RFC3168 s6.1.1, s6.1.4, s6.1.5].
    #[default]
    NewData,
    /// They and the packets of the SYN exchange [RFC8257 s3.6].
    NewDataAndSyn,
    /// All segments, those sent again too, which are to get the treatment of L4S [RFC9331 s4.1].
    Segments,
    /// All, acknowledgements and segments sent again too [RFC8257 s4.1].
    Everything,
}

/// What an acknowledgement says of marks: an acceptable one, of what is outstanding or of what was acknowledged last.
#[derive(Clone, Copy, Debug)]
pub struct EcnFeedback {
    /// When it arrived.
    pub now: Time,
    /// The segment that it asks for next (SEG.ACK).
    pub acknowledged: u32,
    /// Segments that it acknowledges for the first time, by SEG.ACK alone.
    pub newly: u32,
    /// The segment that is sent next (SND.NXT).
    pub next: u32,
    /// Segments that it shows to have arrived, by SEG.ACK and, where marks are counted, by its blocks.
    pub delivered: u32,
    /// Whether it tells of a mark.
    pub ece: bool,
    /// Segments held to have been marked: with ECE those newly acknowledged, or as counted.
    pub marked: u32,
}
