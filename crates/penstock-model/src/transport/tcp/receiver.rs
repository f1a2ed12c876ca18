//! The receiving end.

use super::ack_delay::{AckTimes, AdaptiveDelay};
use super::ecn::{AckTiming, EcnReceiver};
use super::quick_acks::QuickAcks;
use super::{Parameters, SegmentHeader, Transmission};
use crate::packet::{Ack, AckFlags, Body, Ecn, SackBlock, SackBlocks};
use crate::prefetch::prefetch;
use crate::transport::ranges::RangeSet;
use crate::units::{Duration, Time};
use std::sync::Arc;

/// Marks the absence of a segment; above every segment number.
const NONE: u32 = u32::MAX;

/// A TCP receiver: counts in-order segments, records out-of-order ones, and acknowledges them.
#[derive(Clone, Debug)]
pub struct Receiver {
    parameters: Arc<Parameters>,
    /// Next segment in order.
    next: u32,
    /// Segments that have arrived beyond `next`.
    beyond: RangeSet,
    /// One segment of each of the last changed blocks, the latest first (SACK only).
    recent: [u32; 3],
    /// Number of segments that have arrived in order since the last acknowledgement.
    unacknowledged: u32,
    duplicates: u32,
    /// Segment that the next acknowledgement reports as a duplicate, or [`NONE`].
    duplicate: u32,
    deadline: Time,
    /// Delay of acknowledgements that follows the spacing of segments, and quick acknowledgements, if requested.
    ack_times: Option<Box<AckTimes>>,
    ack_due: bool,
    /// If set, the segments before this one are acknowledged first, with their own ECE instead of that of the last segment.
    earlier_due: Option<u32>,
    syn_ack_due: bool,
    /// Whether acknowledgements can report blocks.
    uses_blocks: bool,
    /// Whether [`Receiver::on_predicted_segment`] currently applies: no segment is missing, and none can be marked.
    predicts_segments: bool,
    /// Whether the timestamp to echo (TS.Recent) is that of a retransmission [RFC7323 s4.3].
    echoes_retransmission: bool,
    ecn: EcnReceiver,
}

/// Delay of acknowledgements in ns-2.
pub(super) const DEFAULT_DELAY: Duration = Duration::from_ms(100);

impl Receiver {
    /// Receiver of a new connection.
    pub fn new(parameters: &Arc<Parameters>) -> Receiver {
        let adaptive = |max| AdaptiveDelay::new(parameters.ack_delay.unwrap_or(DEFAULT_DELAY), max);
        let ack_times = AckTimes { delay: parameters.max_ack_delay.map(adaptive), quick: QuickAcks::new(parameters) };
        let has_times = ack_times.delay.is_some() || ack_times.quick.is_some();
        Receiver {
            parameters: Arc::clone(parameters),
            next: 0,
            beyond: RangeSet::default(),
            recent: [0; 3],
            unacknowledged: 0,
            duplicates: 0,
            deadline: Time::NEVER,
            ack_times: has_times.then(|| Box::new(ack_times)),
            ack_due: false,
            earlier_due: None,
            syn_ack_due: false,
            duplicate: NONE,
            uses_blocks: parameters.recovery_plan().uses_blocks(),
            predicts_segments: !parameters.ecn,
            echoes_retransmission: false,
            ecn: EcnReceiver::new(parameters.both_have_ecn() && !parameters.syn, parameters.ecn_use()),
        }
    }

    /// Prefetches the memory that a segment needs.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.next);
        prefetch(&self.beyond);
        prefetch(&self.deadline);
    }

    /// Handles a SYN, which may request ECN; each SYN is answered.
    pub fn on_syn(&mut self, _now: Time, ecn: bool) {
        self.syn_ack_due = true;
        self.ecn.negotiate(ecn && self.parameters.both_have_ecn());
    }

    /// Does what [`Receiver::on_segment`] and [`Receiver::next_transmission`] do for the next segment in order while none is missing;
    /// returns whether the acknowledgement of all segments, [`Receiver::delivered`], is sent. Returns `None` for any other segment,
    /// without a change.
    #[inline(always)]
    pub fn on_predicted_segment(&mut self, now: Time, seq: u32, SegmentHeader { flags, sent_again }: SegmentHeader) -> Option<bool> {
        debug_assert_eq!(self.predicts_segments, self.may_predict());
        if seq != self.next || !self.predicts_segments || sent_again && self.parameters.timestamps {
            return None;
        }
        Some(self.on_next_segment(now, flags.psh()))
    }

    /// Whether segments may be handled by [`Receiver::on_predicted_segment`].
    fn may_predict(&self) -> bool {
        self.beyond.is_empty() && !self.parameters.ecn && !self.echoes_retransmission
    }

    /// Handles the next segment in order while none is missing; returns whether it is acknowledged immediately.
    #[inline(always)]
    fn on_next_segment(&mut self, now: Time, psh: bool) -> bool {
        self.next += 1;
        self.unacknowledged += 1;
        let (is_quick, adapted) = self.ack_times.as_mut().map_or((false, None), |times| times.on_segment(now));
        let acknowledges = is_quick || psh || self.unacknowledged >= self.parameters.ack_every.0;
        if acknowledges {
            self.unacknowledged = 0;
            self.deadline = Time::NEVER;
            self.quick_acks().for_each(|quick| quick.on_ack());
        } else if self.deadline == Time::NEVER {
            self.deadline = now + adapted.or(self.parameters.ack_delay).unwrap_or(DEFAULT_DELAY);
        }
        acknowledges
    }

    fn quick_acks(&mut self) -> impl Iterator<Item = &mut QuickAcks> {
        self.ack_times.iter_mut().filter_map(|times| times.quick.as_mut())
    }

    /// Bytes of each acknowledgement on the wire.
    #[inline]
    pub fn packet_size(&self) -> u32 {
        self.parameters.header_size()
    }

    /// Handles segment `seq` with the codepoint `ecn`; its header has `flags`, and its timestamp shows whether it was `sent_again`.
    ///
    /// Duplicates, segments out of order and segments that fill a gap are acknowledged immediately [RFC5681 s4.2].
    pub fn on_segment(&mut self, now: Time, seq: u32, ecn: Ecn, SegmentHeader { flags, sent_again }: SegmentHeader) {
        if self.parameters.timestamps {
            // The segment at the left edge of the last acknowledgement, or a later copy of an earlier one [RFC7323 s4.3 (2)].
            let edge = self.next - self.unacknowledged;
            if seq == edge || seq < edge && sent_again {
                self.echoes_retransmission = sent_again;
                self.predicts_segments = self.may_predict();
            }
        }
        if self.parameters.ecn {
            let was_echoing = self.ecn.flags.ece();
            let timing = self.ecn.on_segment(seq < self.next, ecn, flags.cwr());
            if timing == AckTiming::Apart {
                // Two acknowledgements, so that none covers both marked and unmarked segments [RFC8257 s3.2].
                self.earlier_due = (self.unacknowledged > 0).then_some(self.next);
            }
            self.ack_due |= timing != AckTiming::AsUsual;
            if ecn == Ecn::Ce && !was_echoing {
                self.quick_acks().for_each(|quick| quick.on_mark());
            }
        }
        if seq == self.next && self.beyond.is_empty() {
            self.ack_due |= self.on_next_segment(now, flags.psh());
            return;
        }
        self.ack_due = true;
        self.quick_acks().for_each(|quick| quick.on_ack());
        if seq < self.next || self.beyond.contains(seq) {
            self.duplicates += 1;
            if self.parameters.dsack && self.uses_blocks {
                self.duplicate = seq;
            }
            if seq < self.next {
                self.quick_acks().for_each(|quick| quick.on_duplicate());
            }
        } else if seq == self.next {
            self.quick_acks().for_each(|quick| quick.on_segment(now));
            self.next = self.beyond.end_of_run(seq + 1);
            self.beyond.remove_below(self.next);
        } else {
            self.beyond.insert(SackBlock { start: seq, end: seq + 1 });
        }
        if seq > self.next && self.uses_blocks {
            self.remember(seq);
        }
        self.predicts_segments = self.may_predict();
    }

    /// Handles the end of the delay of an acknowledgement.
    pub fn on_timeout(&mut self, now: Time) {
        debug_assert!(now >= self.deadline);
        if let Some(delay) = self.ack_times.as_mut().and_then(|times| times.delay.as_mut()) {
            delay.on_timeout();
        }
        self.ack_due = true;
    }

    /// Time at which [`Receiver::on_timeout`] is due; [`Time::NEVER`] if no acknowledgement waits.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Next packet to send now, if any.
    #[inline(always)]
    pub fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        let size = self.parameters.header_size();
        if std::mem::take(&mut self.syn_ack_due) {
            self.quick_acks().for_each(|quick| quick.on_syn_ack(now));
            return Some(Transmission { body: Body::syn_ack(self.ecn.negotiated), size, ecn: self.ecn.of_syn_ack() });
        }
        if let Some(next) = self.earlier_due.take() {
            let flags = AckFlags::echo(!self.ecn.flags.ece()).with_timestamp(self.echoes_retransmission);
            let body = Body::ack(Ack { next, flags, sack: SackBlocks::default() });
            return Some(Transmission { body, size, ecn: self.ecn.of_ack() });
        }
        self.takes_ack().then(|| Transmission { body: self.ack(), size, ecn: self.ecn.of_ack() })
    }

    /// Whether an acknowledgement is due. If so, counts it as sent.
    #[inline(always)]
    pub fn takes_ack(&mut self) -> bool {
        if !std::mem::take(&mut self.ack_due) {
            return false;
        }
        self.unacknowledged = 0;
        self.deadline = Time::NEVER;
        true
    }

    /// Whether at most one acknowledgement is due that carries only the in-order count and [`Receiver::flags`] and is not ECN-capable.
    #[inline]
    pub fn has_plain_acks(&self) -> bool {
        !self.reports_blocks()
            && self.duplicate == NONE
            && (!self.parameters.ecn || self.earlier_due.is_none() && !self.ecn.of_ack().is_capable() && !self.ecn.has_option())
    }

    /// Flags that acknowledgements carry for marks, and the kind of the echoed timestamp.
    #[inline]
    pub fn flags(&self) -> AckFlags {
        self.ecn.flags.with_timestamp(self.echoes_retransmission)
    }

    /// Whether acknowledgements currently report blocks.
    #[inline]
    fn reports_blocks(&self) -> bool {
        self.uses_blocks && !self.beyond.is_empty()
    }

    /// Number of segments that have arrived in order.
    #[inline]
    pub fn delivered(&self) -> u32 {
        self.next
    }

    /// Number of duplicate segments.
    pub fn duplicates(&self) -> u32 {
        self.duplicates
    }

    /// Moves the block of `seq` to the front and removes older entries of the same block.
    fn remember(&mut self, seq: u32) {
        let Some(block) = self.beyond.block_of(seq) else { return };
        let [first, second, _] = self.recent;
        let inside = |other: u32| (block.start..block.end).contains(&other);
        self.recent = if inside(first) {
            [seq, self.recent[1], self.recent[2]]
        } else if inside(second) {
            [seq, first, self.recent[2]]
        } else {
            [seq, first, second]
        };
    }

    #[inline(always)]
    fn ack(&mut self) -> Body {
        let mut sack = if self.reports_blocks() { self.sack() } else { SackBlocks::default() };
        if self.duplicate != NONE {
            sack = sack.with_duplicate(self.next, std::mem::replace(&mut self.duplicate, NONE));
        }
        let sack = if self.ecn.has_option() { sack.with_marks(self.ecn.marks) } else { sack };
        Body::ack(Ack { next: self.next, flags: self.flags(), sack })
    }

    /// Blocks to report: the latest first [RFC2018 s4], then the highest, up to the maximum number.
    fn sack(&self) -> SackBlocks {
        if let [only] = self.beyond.blocks() {
            return SackBlocks::new(self.next, [*only].into_iter());
        }
        let latest = self.recent.iter().filter_map(|seq| self.beyond.block_of(*seq));
        let (mut chosen, mut count) = ([SackBlock::default(); 3], 0);
        for block in latest.chain(self.beyond.blocks().iter().rev().copied()) {
            if !chosen[..count].contains(&block) {
                chosen[count] = block;
                count += 1;
            }
            if count == chosen.len() {
                break;
            }
        }
        SackBlocks::new(self.next, chosen[..count].iter().copied())
    }
}
