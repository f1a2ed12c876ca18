//! Use of ECN by a congestion control, and the feedback that it gets.

use crate::packet::Ecn;
use crate::units::Time;

/// Use of ECN by a congestion control, which both ends of a connection follow. The default is that of [RFC3168 s6.1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnUse {
    /// Whether the control requires ECN, so that a scenario must request it.
    pub required: bool,
    /// Mark feedback in acknowledgements.
    pub echo: EcnEcho,
    /// Packets that queues may mark.
    pub capable: EcnCapable,
    /// Codepoint of these packets.
    pub codepoint: EcnCodepoint,
}

impl EcnUse {
    /// Codepoint of a segment.
    #[inline]
    pub fn of_segment(self, retransmission: bool) -> Ecn {
        self.codepoint_if(!retransmission || matches!(self.capable, EcnCapable::Segments | EcnCapable::Everything))
    }

    /// Codepoint of the packets of a SYN exchange that requests or grants ECN.
    pub fn of_syn(self) -> Ecn {
        self.codepoint_if(matches!(self.capable, EcnCapable::NewDataAndSyn | EcnCapable::Everything))
    }

    /// Codepoint of an acknowledgement.
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

/// Codepoint of the ECN-capable packets of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnCodepoint {
    /// ECT(0): a mark is equivalent to a loss [RFC3168 s5], or the network is separate [RFC8257].
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

/// Mark feedback in a receiver's acknowledgements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnEcho {
    /// Whether there was a mark, until the sender answers with CWR [RFC3168 s6.1.3].
    #[default]
    UntilCwr,
    /// Whether the acknowledged segments were marked; a change is acknowledged immediately [RFC8257 s3.2].
    Exact,
    /// Number of marks since the connection began, modulo 8, in each acknowledgement (AccECN, ACE) [RFC9768 s3.2.2].
    Count,
    /// Same as `Count`, plus an option in each acknowledgement with the count modulo 2^24 [RFC9768 s3.2.3], next to which two SACK blocks
    /// fit.
    CountWithOption,
}

/// ECN-capable packets of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnCapable {
    /// Segments that are sent for the first time [RFC3168 s6.1.1, s6.1.4, s6.1.5].
    #[default]
    NewData,
    /// `NewData`, and the packets of the SYN exchange [RFC8257 s3.6].
    NewDataAndSyn,
    /// All segments, including retransmissions, so that all are treated as L4S traffic [RFC9331 s4.1].
    Segments,
    /// All packets, including acknowledgements and retransmissions [RFC8257 s4.1].
    Everything,
}

/// Mark feedback of an acceptable acknowledgement: of outstanding data or of the last acknowledged segment.
#[derive(Clone, Copy, Debug)]
pub struct EcnFeedback {
    /// Arrival time.
    pub now: Time,
    /// Segment expected next (SEG.ACK).
    pub acknowledged: u32,
    /// Number of segments acknowledged for the first time, by SEG.ACK alone.
    pub newly: u32,
    /// Segment to send next (SND.NXT).
    pub next: u32,
    /// Number of segments shown to have arrived, by SEG.ACK and, if marks are counted, by blocks.
    pub delivered: u32,
    /// Whether the acknowledgement reports a mark.
    pub ece: bool,
    /// Number of segments considered marked: with ECE the newly acknowledged ones, otherwise as counted.
    pub marked: u32,
}
