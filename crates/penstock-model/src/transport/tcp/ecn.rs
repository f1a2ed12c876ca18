//! Explicit congestion notification at the two ends [RFC3168 s6.1].

use crate::packet::Ecn;

/// What a sender remembers of echoed marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnSender {
    /// Both ends have agreed on ECN.
    pub negotiated: bool,
    /// The next new segment tells the receiver that the window has been reduced (CWR).
    cwr_due: bool,
    /// The segment after the highest that had been sent when the window was last reduced.
    reduced_until: u32,
}

impl EcnSender {
    /// Nothing has been reduced yet.
    pub fn new(negotiated: bool) -> EcnSender {
        EcnSender { negotiated, ..EcnSender::default() }
    }

    /// Whether the window has been reduced for the data of which `unacknowledged` is the first outstanding segment: no
    /// further mark or loss of it counts [RFC3168 s6.1.2].
    pub fn has_reduced(&self, unacknowledged: u32) -> bool {
        self.negotiated && unacknowledged < self.reduced_until
    }

    /// The window was reduced, for whatever reason, when `high` was the segment after the last sent.
    pub fn on_reduction(&mut self, high: u32) {
        self.reduced_until = high;
        self.cwr_due = self.negotiated;
    }

    /// The codepoint of a segment, and whether it carries CWR. What is sent again is not ECN-capable [RFC3168 s6.1.5].
    pub fn mark(&mut self, retransmission: bool) -> (Ecn, bool) {
        if !self.negotiated || retransmission {
            return (Ecn::NotEct, false);
        }
        (Ecn::Ect0, std::mem::take(&mut self.cwr_due))
    }
}

/// What a receiver remembers of marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnReceiver {
    /// Both ends have agreed on ECN.
    pub negotiated: bool,
    /// Acknowledgements carry ECE until the sender answers with CWR [RFC3168 s6.1.3].
    pub echoes: bool,
}

impl EcnReceiver {
    /// A segment arrived; one that carries both CWR and a mark begins a new echo.
    pub fn on_segment(&mut self, ecn: Ecn, cwr: bool) {
        self.echoes = self.negotiated && (ecn == Ecn::Ce || self.echoes && !cwr);
    }
}
