//! Explicit congestion notification at the two ends [RFC3168 s6.1], as the congestion control uses it.

use crate::packet::Ecn;
use crate::transport::congestion_control::{EcnCapable, EcnEcho, EcnUse};

/// What a sender remembers of echoed marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnSender {
    /// Both ends have agreed on ECN.
    pub negotiated: bool,
    /// Which packets queues may mark.
    pub capable: EcnCapable,
    /// The next new segment tells the receiver that the window has been reduced (CWR).
    cwr_due: bool,
    /// The segment after the highest that had been sent when the window was last reduced.
    reduced_until: u32,
}

impl EcnSender {
    /// Nothing has been reduced yet.
    pub fn new(negotiated: bool, capable: EcnCapable) -> EcnSender {
        EcnSender { negotiated, capable, ..EcnSender::default() }
    }

    /// Whether the window has been reduced for the data of which `unacknowledged` is the first outstanding segment: no
    /// further mark or loss of it counts [RFC3168 s6.1.2].
    #[inline]
    pub fn has_reduced(&self, unacknowledged: u32) -> bool {
        self.negotiated && unacknowledged < self.reduced_until
    }

    /// The window was reduced, for whatever reason, when `high` was the segment after the last sent.
    pub fn on_reduction(&mut self, high: u32) {
        self.reduced_until = high;
        self.cwr_due = self.negotiated;
    }

    /// The codepoint of a segment, and whether it carries CWR, which only new data do [RFC3168 s6.1.2].
    #[inline]
    pub fn mark(&mut self, retransmission: bool) -> (Ecn, bool) {
        if !self.negotiated {
            return (Ecn::NotEct, false);
        }
        (self.capable.of_segment(retransmission), !retransmission && std::mem::take(&mut self.cwr_due))
    }
}

/// What a receiver remembers of marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnReceiver {
    /// Both ends have agreed on ECN.
    pub negotiated: bool,
    /// Acknowledgements carry ECE: until the sender answers with CWR [RFC3168 s6.1.3], or while the segments that they
    /// acknowledge are marked (DCTCP.CE) [RFC8257 s3.2].
    pub echoes: bool,
    echo: EcnEcho,
    capable: EcnCapable,
}

impl EcnReceiver {
    /// Nothing has been marked yet.
    pub fn new(negotiated: bool, ecn_use: EcnUse) -> EcnReceiver {
        EcnReceiver { negotiated, echoes: false, echo: ecn_use.echo, capable: ecn_use.capable }
    }

    /// A segment arrived; without a codepoint, since it lies outside of the window, where codepoints are ignored [RFC3168 s6.1.5].
    /// Whether it must be acknowledged apart from those before it, because it is marked and they were not, or the other way
    /// round.
    #[inline]
    pub fn on_segment(&mut self, ecn: Option<Ecn>, cwr: bool) -> bool {
        let marked = self.negotiated && ecn == Some(Ecn::Ce);
        let before = self.echoes;
        self.echoes = match self.echo {
            // One that carries both CWR and a mark begins a new echo.
            EcnEcho::UntilCwr => marked || before && !cwr,
            EcnEcho::Exact => marked || before && ecn.is_none(),
        };
        self.echo == EcnEcho::Exact && self.echoes != before
    }

    /// The codepoint of the answer to a SYN.
    pub fn of_syn_ack(&self) -> Ecn {
        if self.negotiated {
            self.capable.of_syn()
        } else {
            Ecn::NotEct
        }
    }

    /// The codepoint of an acknowledgement.
    #[inline]
    pub fn of_ack(&self) -> Ecn {
        if self.negotiated {
            self.capable.of_ack()
        } else {
            Ecn::NotEct
        }
    }
}
