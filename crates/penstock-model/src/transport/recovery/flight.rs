//! The outstanding segments of a sender.

use super::scoreboard::{Outstanding, Scoreboard};
use super::{Detection, RecoverCheck, SendTimes, SentSegments};
use crate::packet::Ack;
use crate::transport::congestion_control::Window;
use crate::units::{Duration, Time};

/// Phase of a sender with respect to losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No loss is known.
    Normal,
    /// Fast recovery.
    Recovery,
    /// Repair after a timeout, if losses are detected by time: sends lost segments again, in slow start.
    Repair,
    /// Go-back-N: sends again from the first unacknowledged segment on. Duplicate acknowledgements have no effect.
    GoBack,
}

/// Rules for the detection of losses.
#[derive(Clone, Copy, Debug)]
pub struct LossDetection {
    /// DupThresh.
    pub dup_ack_threshold: u32,
    /// Whether the first duplicate acknowledgements permit new segments [RFC3042 s2].
    pub limited_transmit: bool,
    /// Whether receivers report the blocks that they hold.
    pub uses_blocks: bool,
    /// Rule that says from which acknowledgement on duplicates may indicate a further loss.
    pub recover_check: RecoverCheck,
}

/// Segments of a connection from the view of its sender.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Number of segments that the application has offered.
    pub offered: u32,
    /// First unacknowledged segment (SND.UNA).
    pub unacknowledged: u32,
    /// Segment to send next (SND.NXT).
    pub next: u32,
    /// Segment after the highest ever sent.
    pub high: u32,
    /// Value of `high` when the last loss was detected.
    pub recover: u32,
    /// Number of consecutive duplicate acknowledgements.
    pub duplicates: u32,
    /// Maximum number of outstanding segments: the window of the receiver.
    pub max: u32,
    /// Phase of the sender with respect to losses.
    pub phase: Phase,
    /// Whether the first unacknowledged segment is sent again before anything else.
    pub resend: bool,
    /// Whether the first retransmission of this recovery is postponed.
    pub waits: bool,
    /// Last range sent by limited transmit: its first segment, and the one after its last.
    limited: (u32, u32),
    detection: LossDetection,
    pub(crate) scoreboard: Scoreboard,
    /// Transmissions of the outstanding segments, if timestamps or the congestion control need them.
    pub(crate) sent: Option<Box<SentSegments>>,
}

impl Flight {
    /// State of a connection that has sent nothing.
    pub fn new(detection: LossDetection, max: u32) -> Flight {
        Flight {
            offered: 0,
            unacknowledged: 0,
            next: 0,
            high: 0,
            recover: 0,
            duplicates: 0,
            max,
            phase: Phase::Normal,
            resend: false,
            waits: false,
            limited: (0, 0),
            detection,
            scoreboard: Scoreboard::default(),
            sent: None,
        }
    }

    /// Number of segments sent and not acknowledged; in go-back-N, of those sent since going back.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.next - self.unacknowledged
    }

    /// FlightSize for a reduction [RFC5681 s3.1 (4)], without the last segments of limited transmit [RFC5681 s3.2 (2)].
    pub fn flight_size(&self) -> u32 {
        let (first, end) = self.limited;
        let limited = if end == self.next { end - first.max(self.unacknowledged) } else { 0 };
        self.in_flight() - limited
    }

    /// Number of segments known to have arrived.
    pub fn delivered(&self) -> u32 {
        self.unacknowledged + self.scoreboard.sacked_below(self.high)
    }

    /// Number of segments that an acknowledgement shows to have arrived, by its number or by blocks not yet recorded.
    pub fn newly_delivered(&self, ack: &Ack) -> u32 {
        let unknown = |from: u32, to: u32| (to - from) - (self.scoreboard.sacked_below(to) - self.scoreboard.sacked_below(from));
        unknown(self.unacknowledged, ack.next) + ack.blocks().map(|block| unknown(block.start, block.end)).sum::<u32>()
    }

    /// Records the blocks of an acknowledgement. Returns the number of segments that they newly cover.
    pub fn take_blocks(&mut self, ack: &Ack) -> u32 {
        self.scoreboard.update(ack.blocks(), self.unacknowledged, self.detection.dup_ack_threshold)
    }

    /// Records the blocks of an acknowledgement of new data, if receivers report blocks. Returns the number of segments that they newly
    /// cover.
    pub fn take_new_blocks(&mut self, ack: &Ack) -> u32 {
        if !self.detection.uses_blocks {
            return 0;
        }
        self.scoreboard.remove_below(ack.next);
        self.take_blocks(ack)
    }

    /// Counts a duplicate acknowledgement outside of recovery. Returns whether there are enough to indicate a loss.
    pub fn count_duplicate(&mut self) -> bool {
        if self.phase != Phase::Normal {
            return false;
        }
        self.duplicates += 1;
        self.duplicates >= self.detection.dup_ack_threshold && self.passes_recover_check()
    }

    /// Whether duplicates of the last acknowledgement may indicate a loss outside of recovery.
    fn passes_recover_check(&self) -> bool {
        match self.detection.recover_check {
            RecoverCheck::Careful => self.unacknowledged > self.recover,
            RecoverCheck::LessCareful => self.unacknowledged >= self.recover,
            RecoverCheck::AfterTimeout => true, // duplicates do not count during go-back-N
        }
    }

    /// Whether the blocks show that the first unacknowledged segment is lost, outside of recovery [RFC6675 s4 IsLost].
    pub fn is_first_lost(&self) -> bool {
        self.phase == Phase::Normal && self.scoreboard.is_lost(self.unacknowledged)
    }

    /// Starts fast recovery with the retransmission of the first unacknowledged segment.
    pub fn begin_recovery(&mut self) {
        self.phase = Phase::Recovery;
        self.recover = self.high;
        self.resend = true;
    }

    /// Postpones the retransmission that has started a recovery.
    pub fn put_retransmission_off(&mut self) {
        self.resend = false;
        self.waits = true;
        self.scoreboard.forget_resent();
    }

    /// Sends the first missing segment at the end of the wait.
    pub fn make_retransmission(&mut self) {
        self.resend = true;
        self.waits = false;
        self.scoreboard.begin_recovery(self.unacknowledged);
    }

    /// Starts go-back-N from the first unacknowledged segment, with a window of one.
    pub fn go_back(&mut self, window: &mut Window) {
        window.size = 1.0;
        self.phase = Phase::GoBack;
        self.recover = self.high;
        self.next = self.unacknowledged;
        self.limited = (0, 0);
        self.duplicates = 0;
        self.resend = false;
        self.waits = false;
    }

    /// Ends go-back-N, so that duplicate acknowledgements count again. This happens once more than `recover` is acknowledged [RFC6582 s3.2
    /// (2)]; with blocks [RFC6675 s5.1] or the less careful check, once `recover` is.
    #[inline]
    pub fn leave_go_back(&mut self) {
        let detection = &self.detection;
        let equal_suffices = detection.uses_blocks || detection.recover_check == RecoverCheck::LessCareful;
        if self.unacknowledged > self.recover || self.unacknowledged == self.recover && equal_suffices {
            self.phase = Phase::Normal;
        }
    }

    /// Ends go-back-N and continues with new segments, since nothing was lost.
    pub fn resume_after_go_back(&mut self) {
        self.phase = Phase::Normal;
        self.next = self.high;
        self.resend = false;
        self.detecting(|detection, sent, _| detection.forget_losses(sent));
    }

    /// Whether the outstanding segments have send times, were all sent once, in sequence, and nothing indicates a loss among them. An
    /// acknowledgement without blocks then shows no loss.
    #[inline]
    pub(crate) fn is_sent_in_order(&self) -> bool {
        let Some(sent) = &self.sent else { return false };
        self.phase == Phase::Normal
            && !self.resend
            && self.unacknowledged >= sent.in_order_from
            && sent.detection.as_ref().is_none_or(|detection| detection.is_quiet())
    }

    /// Passes an acknowledgement to the detection by time, and records its blocks.
    pub(crate) fn observe(&mut self, now: Time, ack: &Ack) {
        let dup_ack_threshold = self.detection.dup_ack_threshold;
        self.detecting(|detection, sent, board| detection.on_ack(now, ack, sent, board, dup_ack_threshold));
    }

    /// Detects losses by time. Returns the number of new ones.
    pub(crate) fn detect(&mut self, now: Time, is_late: bool, smoothed: Option<Duration>) -> u32 {
        self.detecting(|detection, sent, board| detection.detect(now, sent, board, is_late, smoothed)).unwrap_or(0)
    }

    /// Marks losses after a timeout and starts their repair.
    pub(crate) fn mark_after_timeout(&mut self, now: Time) {
        self.detecting(|detection, sent, board| detection.on_timeout(now, sent, board));
        self.phase = Phase::Repair;
        self.recover = self.high;
        self.resend = false;
    }

    #[inline(always)]
    fn detecting<T>(&mut self, take: impl FnOnce(&mut Detection, &SendTimes, &mut Scoreboard) -> T) -> Option<T> {
        let SentSegments { times, detection, .. } = self.sent.as_deref_mut()?;
        Some(take(detection.as_mut()?, times, &mut self.scoreboard))
    }

    /// Number of segments in the network, if losses are detected by time: neither SACKed, nor lost and not sent again [RFC8985 s3.3].
    pub(crate) fn pipe(&self) -> u32 {
        let lost = self.sent.as_ref().and_then(|sent| sent.detection.as_ref()).map_or(0, |detection| detection.lost.count());
        self.high - self.delivered() - lost
    }

    /// Whether an outstanding segment has been found lost by time, whether sent again or not.
    pub(crate) fn is_repairing(&mut self) -> bool {
        self.detecting(|detection, sent, board| detection.is_repairing(sent, board)).unwrap_or(false)
    }

    /// Whether DupThresh segments are SACKed.
    pub(crate) fn has_many_blocks(&self) -> bool {
        self.delivered() - self.unacknowledged >= self.detection.dup_ack_threshold
    }

    /// Next segment to send in sequence, if the windows permit it. Counts it as sent.
    #[inline]
    pub fn next_in_order(&mut self, window: &Window) -> Option<u32> {
        let seq = if self.next < self.high { self.scoreboard.next_hole(self.next) } else { self.next };
        if !self.may_send(seq, window) {
            return None;
        }
        if self.phase == Phase::Normal && seq - self.unacknowledged >= window.size as u32 {
            self.extend_limited(seq);
        }
        self.next = seq + 1;
        Some(seq)
    }

    /// Records that limited transmit sends `seq`, which is beyond cwnd.
    #[inline(never)]
    fn extend_limited(&mut self, seq: u32) {
        let first = if self.limited.1 == seq { self.limited.0 } else { seq };
        self.limited = (first, seq + 1);
    }

    /// Whether `seq` is available and the windows permit it.
    #[inline]
    fn may_send(&self, seq: u32, window: &Window) -> bool {
        let in_network = seq - self.unacknowledged - self.scoreboard_credit(seq);
        self.is_within_reach(seq) && in_network < (window.size as u32).max(1).saturating_add(self.limited_transmit())
    }

    /// Number of new segments that may be sent now, provided that everything up to the highest has been sent.
    pub fn room(&self, window: &Window) -> u32 {
        let in_network = self.next - self.unacknowledged - self.scoreboard_credit(self.next);
        let reach = self.offered.min(self.unacknowledged.saturating_add(self.max)).saturating_sub(self.next);
        (window.size as u32).max(1).saturating_add(self.limited_transmit()).saturating_sub(in_network).min(reach)
    }

    /// Whether the application has offered `seq` and the receiver's window reaches beyond it.
    #[inline]
    pub fn is_within_reach(&self, seq: u32) -> bool {
        seq < self.offered && seq - self.unacknowledged < self.max
    }

    /// Number of new segments beyond cwnd that duplicate acknowledgements permit before a loss is certain [RFC3042 s2].
    #[inline]
    fn limited_transmit(&self) -> u32 {
        if self.phase == Phase::Normal && self.detection.limited_transmit && !self.detection.uses_blocks {
            self.duplicates.min(2)
        } else {
            0
        }
    }

    /// Number of segments before `seq` that have left the network, according to the scoreboard. Before a loss is certain, this is SACK's
    /// limited transmit [RFC6675 s5 (3)].
    #[inline]
    fn scoreboard_credit(&self, seq: u32) -> u32 {
        if self.phase == Phase::Normal && !self.detection.limited_transmit {
            0
        } else {
            self.scoreboard.sacked_below(seq)
        }
    }

    /// Outstanding range, for the scoreboard.
    pub(crate) fn outstanding(&self) -> Outstanding {
        Outstanding { unacknowledged: self.unacknowledged, high: self.high }
    }
}
