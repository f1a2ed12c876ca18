//! Explicit congestion notification at the two ends [RFC3168 s6.1], as the congestion control uses it.

use crate::packet::{AckFlags, Ecn};
use crate::transport::congestion_control::{EcnEcho, EcnUse};

/// State of a sender for echoed marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnSender {
    /// Whether both ends have agreed on ECN.
    pub negotiated: bool,
    /// Use of ECN by the congestion control.
    pub ecn_use: EcnUse,
    /// Whether the next new segment reports a reduced window to the receiver (CWR).
    cwr_due: bool,
    /// Segment after the highest one sent when the window was last reduced.
    reduced_until: u32,
    /// Marked segments as counted by the receiver, from 5 on (s.cep) [RFC9768 s3.2.1].
    marks: u32,
}

/// Initial count of both ends: a count of no marks then differs from unused flags [RFC9768 s3.2.1].
const FIRST_COUNT: u32 = 5;

impl EcnSender {
    /// State of a connection whose window has not been reduced.
    pub fn new(negotiated: bool, ecn_use: EcnUse) -> EcnSender {
        EcnSender { negotiated, ecn_use, marks: FIRST_COUNT, ..EcnSender::default() }
    }

    /// Whether acknowledgements count marks.
    #[inline]
    pub fn counts_marks(&self) -> bool {
        self.ecn_use.echo.counts()
    }

    /// Whether acknowledgements also count marks in an option.
    pub fn reads_option(&self) -> bool {
        self.ecn_use.echo == EcnEcho::CountWithOption
    }

    /// Number of segments marked since the previous acknowledgement. Acknowledgements may have been lost; this one shows `delivered`
    /// segments to have arrived. From 8 segments on, the count may have wrapped: the highest possible number is used [RFC9768 sA.2.1].
    /// An acknowledgement that shows no arrival may be old. An option, `counted` modulo 2^24, is unambiguous.
    pub fn take_marks(&mut self, flags: AckFlags, counted: u32, delivered: u32) -> u32 {
        if delivered == 0 {
            return 0;
        }
        let least = flags.ace().wrapping_sub(self.marks) % 8;
        let marked = if self.reads_option() {
            counted.wrapping_sub(self.marks) % (1 << 24)
        } else if delivered < 8 {
            least
        } else {
            delivered - delivered.wrapping_sub(least) % 8
        };
        self.marks = self.marks.wrapping_add(marked);
        marked
    }

    /// Whether the window has already been reduced for the data in flight, whose first segment is `unacknowledged`: no further mark or
    /// loss of that data counts [RFC3168 s6.1.2].
    #[inline]
    pub fn has_reduced(&self, unacknowledged: u32) -> bool {
        self.negotiated && unacknowledged < self.reduced_until
    }

    /// Segment after the highest one sent when the window was last reduced.
    pub fn reduced_until(&self) -> u32 {
        self.reduced_until
    }

    /// Records that the window was reduced, for any reason, when `high` was the segment after the last sent.
    pub fn on_reduction(&mut self, high: u32) {
        self.reduced_until = high;
        self.cwr_due = self.negotiated && !self.counts_marks();
    }

    /// Codepoint of a segment, and whether it carries CWR. Only new data carries CWR [RFC3168 s6.1.2].
    #[inline]
    pub fn mark(&mut self, retransmission: bool) -> (Ecn, bool) {
        if !self.negotiated {
            return (Ecn::NotEct, false);
        }
        (self.ecn_use.of_segment(retransmission), !retransmission && std::mem::take(&mut self.cwr_due))
    }
}

/// State of a receiver for marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnReceiver {
    /// Whether both ends have agreed on ECN.
    pub negotiated: bool,
    /// Flags of acknowledgements: ECE until the sender answers with CWR [RFC3168 s6.1.3], or while the acknowledged segments are marked
    /// (DCTCP.CE) [RFC8257 s3.2]; or the count of marks (r.cep) [RFC9768 s3.2.2.2].
    pub flags: AckFlags,
    /// Number of marked segments, if they are counted (r.cep).
    pub marks: u32,
    ecn_use: EcnUse,
    /// Whether the previous segment was marked; only if marks are counted.
    was_marked: bool,
    /// Whether a mark has not been acknowledged immediately; only if marks are counted.
    has_held_back: bool,
}

/// When to acknowledge a segment, with respect to its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckTiming {
    /// As without ECN.
    AsUsual,
    /// Immediately, and separately from earlier segments: it is marked and they were not, or vice versa [RFC8257 s3.2].
    Apart,
    /// Immediately.
    AtOnce,
}

impl EcnReceiver {
    /// State of a receiver to which no marked segment has arrived.
    pub fn new(negotiated: bool, ecn_use: EcnUse) -> EcnReceiver {
        let mut it = EcnReceiver { ecn_use, ..EcnReceiver::default() };
        it.negotiate(negotiated);
        it
    }

    /// Records whether both ends have agreed on ECN.
    pub fn negotiate(&mut self, negotiated: bool) {
        self.negotiated = negotiated;
        if negotiated && self.ecn_use.echo.counts() {
            self.marks = FIRST_COUNT;
            self.flags = AckFlags::of_count(FIRST_COUNT);
        }
    }

    /// Whether acknowledgements have an option with the count of marks.
    #[inline]
    pub fn has_option(&self) -> bool {
        self.negotiated && self.ecn_use.echo == EcnEcho::CountWithOption
    }

    /// Handles an arriving segment. Outside of the window (`is_old`) codepoints are ignored [RFC3168 s6.1.5], unless marks are counted.
    #[inline]
    pub fn on_segment(&mut self, is_old: bool, ecn: Ecn, cwr: bool) -> AckTiming {
        let before = self.flags.ece();
        let marked = self.negotiated && !is_old && ecn == Ecn::Ce;
        let echoes = match self.ecn_use.echo {
            // A segment with both CWR and a mark begins a new echo.
            EcnEcho::UntilCwr => marked || before && !cwr,
            EcnEcho::Exact => marked || before && is_old,
            EcnEcho::Count | EcnEcho::CountWithOption => return self.count(self.negotiated && ecn == Ecn::Ce),
        };
        self.flags = AckFlags::echo(echoes);
        match self.ecn_use.echo == EcnEcho::Exact && echoes != before {
            true => AckTiming::Apart,
            false => AckTiming::AsUsual,
        }
    }

    /// Counts a mark. The first after an unmarked segment is acknowledged immediately, and then every second [RFC9768 s3.2.2.5.1].
    fn count(&mut self, marked: bool) -> AckTiming {
        let follows = std::mem::replace(&mut self.was_marked, marked);
        if !marked {
            return AckTiming::AsUsual;
        }
        self.marks = self.marks.wrapping_add(1);
        self.flags = AckFlags::of_count(self.marks);
        self.has_held_back = follows && !self.has_held_back;
        match self.has_held_back {
            true => AckTiming::AsUsual,
            false => AckTiming::AtOnce,
        }
    }

    /// Codepoint of the answer to a SYN.
    pub fn of_syn_ack(&self) -> Ecn {
        if self.negotiated {
            self.ecn_use.of_syn()
        } else {
            Ecn::NotEct
        }
    }

    /// Codepoint of an acknowledgement.
    #[inline]
    pub fn of_ack(&self) -> Ecn {
        if self.negotiated {
            self.ecn_use.of_ack()
        } else {
            Ecn::NotEct
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting() -> EcnUse {
        EcnUse { echo: EcnEcho::Count, ..EcnUse::default() }
    }

    #[test]
    fn a_sender_takes_the_highest_number_of_marks_that_the_flags_allow() {
        let mut it = EcnSender::new(true, counting());
        // Count, segments delivered, marks. The count begins at 5.
        let cases = [
            (5, 1, 0),
            (6, 1, 1),
            (6, 0, 0),
            (0, 2, 2), // 7, 8: wrapped
            (7, 7, 7), // below 8 segments, no more than 7
            (7, 8, 8), // none or 8
            (0, 8, 1), // 1, as 9 are too many
            (0, 17, 16),
            (3, 12, 11),
            (2, 6, 7), // a segment sent again was marked too
        ];
        for (ace, delivered, marked) in cases {
            assert_eq!(it.take_marks(AckFlags::of_count(ace), 0, delivered), marked, "{ace} after {delivered}");
        }
        // Example of [RFC9768 sA.2.1]: a difference of two in the flags means two marks if nine segments arrived, but ten if ten did.
        for (delivered, marked) in [(9, 2), (10, 10)] {
            assert_eq!(EcnSender::new(true, counting()).take_marks(AckFlags::of_count(5 + 2), 0, delivered), marked, "of {delivered}");
        }
        let mut it = EcnSender::new(true, EcnUse { echo: EcnEcho::CountWithOption, ..EcnUse::default() });
        // A count of 12 in total; then an old acknowledgement, no mark among 8 segments, and a wrap of the counter.
        for (counted, delivered, marked) in [(12, 9, 7), (40, 0, 0), (12, 8, 0), (12 + 0xFF_0000, 100, 0xFF_0000), (3, 100, 0xFFF7)] {
            assert_eq!(it.take_marks(AckFlags::of_count(counted), counted, delivered), marked, "{counted} after {delivered}");
        }
    }

    #[test]
    fn a_receiver_counts_marks_and_acknowledges_the_first_and_every_second_at_once() {
        let mut it = EcnReceiver::new(true, counting());
        assert_eq!(it.flags.ace(), 5);
        let (usual, at_once) = (AckTiming::AsUsual, AckTiming::AtOnce);
        let cases = [
            (Ecn::Ect1, usual, 5),
            (Ecn::Ce, at_once, 6),
            (Ecn::Ce, usual, 7),
            (Ecn::Ce, at_once, 0),
            (Ecn::Ce, usual, 1),
            (Ecn::Ect1, usual, 1),
            (Ecn::Ce, at_once, 2),
        ];
        for (i, (ecn, timing, ace)) in cases.into_iter().enumerate() {
            // All marks count, in old segments too.
            assert_eq!((it.on_segment(i % 2 == 0, ecn, false), it.flags.ace()), (timing, ace), "segment {i}");
        }
        let mut other = EcnReceiver::new(false, counting());
        assert_eq!((other.on_segment(false, Ecn::Ce, false), other.flags), (usual, AckFlags::NONE));
    }

    #[test]
    fn ect_1_is_on_every_segment_and_nothing_else() {
        let it = EcnUse {
            capable: crate::transport::congestion_control::EcnCapable::Segments,
            codepoint: crate::transport::congestion_control::EcnCodepoint::Ect1,
            ..counting()
        };
        assert_eq!([it.of_segment(false), it.of_segment(true), it.of_ack(), it.of_syn()], [Ecn::Ect1, Ecn::Ect1, Ecn::NotEct, Ecn::NotEct]);
    }
}
