//! What the sender does about losses; the variants differ here only.

use super::sender::{Phase, Sender};
use super::{PartialAckTimer, Variant};
use crate::packet::Ack;
use crate::units::Time;

impl Sender {
    /// An acknowledgement of nothing new while something is outstanding.
    pub(super) fn on_duplicate_ack(&mut self, now: Time, ack: &Ack) {
        let threshold = self.parameters.dup_ack_threshold.0;
        // With SACK only news of arrivals makes a duplicate acknowledgement [RFC6675 s2].
        if self.parameters.variant == Variant::Sack && self.scoreboard.update(ack.blocks(), self.unacknowledged, threshold) == 0 {
            return;
        }
        match self.phase {
            Phase::Normal => {
                self.duplicates += 1;
                if self.duplicates >= threshold || self.scoreboard.is_lost(self.unacknowledged) {
                    self.fast_retransmit(now);
                }
            }
            // A segment has left the network [RFC5681 s3.2 (4)]; with SACK, pipe says so.
            Phase::Recovery if self.parameters.variant != Variant::Sack => self.window.size += 1.0,
            Phase::Recovery | Phase::GoBack => {}
        }
    }

    fn fast_retransmit(&mut self, now: Time) {
        let flight = self.in_flight();
        self.window.halve_threshold(flight);
        match self.parameters.variant {
            Variant::Tahoe => self.go_back(),
            Variant::Reno | Variant::NewReno => {
                // The duplicates are segments that have left the network [RFC5681 s3.2 (3)].
                self.begin_recovery(self.window.threshold + f64::from(self.duplicates));
            }
            Variant::Sack => {
                self.scoreboard.begin_recovery(self.unacknowledged);
                self.begin_recovery(self.window.threshold);
            }
        }
        self.restart_timer(now);
    }

    fn begin_recovery(&mut self, window: f64) {
        self.window.size = window;
        self.phase = Phase::Recovery;
        self.recover = self.high;
        self.resend = true;
        self.partial_seen = false;
    }

    /// Starts over from the first unacknowledged segment with a window of one.
    pub(super) fn go_back(&mut self) {
        self.window.size = 1.0;
        self.phase = Phase::GoBack;
        self.recover = self.high;
        self.next = self.unacknowledged;
        self.duplicates = 0;
        self.resend = false;
    }

    /// Duplicate acknowledgements count again once more than what had been sent is acknowledged [RFC6582 s3.2 (2)], or,
    /// with SACK, as much [RFC6675 s5.1].
    pub(super) fn leave_go_back(&mut self) {
        if self.unacknowledged > self.recover || self.unacknowledged == self.recover && self.parameters.variant == Variant::Sack {
            self.phase = Phase::Normal;
        }
    }

    /// New data was acknowledged in recovery; whether that restarts the timer.
    pub(super) fn on_ack_in_recovery(&mut self, acknowledged: u32) -> bool {
        let full = self.unacknowledged >= self.recover;
        if full || self.parameters.variant == Variant::Reno {
            self.window.size = self.window.threshold;
            self.phase = Phase::Normal;
            return true;
        }
        if self.parameters.variant != Variant::NewReno {
            return true;
        }
        // Partial acknowledgement: the next hole is a loss too. The window shrinks by what left the network and grows by
        // the segment sent again [RFC6582 s3.2 (3)].
        self.resend = true;
        self.window.size = (self.window.size - f64::from(acknowledged) + 1.0).max(1.0);
        let first = !std::mem::replace(&mut self.partial_seen, true);
        first || self.parameters.partial_ack_timer == Some(PartialAckTimer::Every)
    }

    /// The segment that RFC 6675 would send next, if pipe leaves room [RFC6675 s5 (C), s4 NextSeg].
    pub(super) fn next_of_scoreboard(&mut self) -> Option<u32> {
        if self.scoreboard.pipe(self.outstanding()) >= self.window.usable() {
            return None;
        }
        if let Some(seq) = self.scoreboard.next_lost(self.unacknowledged) {
            self.scoreboard.on_resent(seq);
            return Some(seq);
        }
        if self.is_within_reach(self.next) {
            self.next += 1;
            return Some(self.next - 1);
        }
        if let Some(seq) = self.scoreboard.next_suspect(self.unacknowledged) {
            self.scoreboard.on_resent(seq);
            return Some(seq);
        }
        self.scoreboard.take_rescue(self.outstanding())
    }

    /// New segments that duplicate acknowledgements let out beyond cwnd before a loss is certain [RFC3042 s2].
    #[inline]
    pub(super) fn limited_transmit(&self) -> u32 {
        let applies = self.phase == Phase::Normal && self.parameters.limited_transmit && self.parameters.variant != Variant::Sack;
        if applies {
            self.duplicates.min(2)
        } else {
            0
        }
    }

    /// Segments before `seq` that the scoreboard shows to have left the network. Before a loss is certain this is
    /// SACK's limited transmit [RFC6675 s5 (3)].
    #[inline]
    pub(super) fn scoreboard_credit(&self, seq: u32) -> u32 {
        if self.phase == Phase::Normal && !self.parameters.limited_transmit {
            0
        } else {
            self.scoreboard.sacked_below(seq)
        }
    }
}
