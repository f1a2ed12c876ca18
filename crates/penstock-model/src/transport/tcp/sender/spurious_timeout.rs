//! Spurious timeouts: forward RTO-recovery (F-RTO) [RFC5682], and the response to a timeout that proves spurious.

use super::Sender;
use crate::packet::Ack;
use crate::transport::congestion_control::Window;
use crate::transport::recovery::Phase;

/// Maximum number of segments that cwnd admits two round trips after a real timeout [RFC5682 s2.1 (3a)].
const MOST_AFTER_CHECK: f64 = 3.0;

/// A timeout that is being examined.
#[derive(Clone, Debug)]
pub(super) struct TimeoutCheck {
    /// Window before the timeout.
    before: Window,
    /// Segment after the highest one sent before the timeout (recover).
    recover: u32,
    /// Number of new segments that step 3 may still send; `None` in step 2.
    new_segments: Option<u32>,
}

/// Evidence that an acknowledgement gives about a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// The acknowledgement is of new data.
    Advance,
    /// The acknowledgement reports segments sent before the timeout that have not been sent again.
    Original,
    /// The acknowledgement is a duplicate, or reports segments sent after the timeout.
    Duplicate,
    /// The acknowledgement reports nothing new.
    Nothing,
}

impl Sender {
    /// Begins to examine a timeout, before the window is reduced; a further timeout of the same segment continues [RFC5682 s2.1 (1)].
    pub(super) fn begin_timeout_check(&mut self) {
        let (stalled, is_normal) = (self.stalled, self.flight.phase == Phase::Normal);
        let (window, recover) = (&self.window, self.flight.high);
        let Some(options) = self.options.as_mut().filter(|_| self.parameters.f_rto) else { return };
        let earlier = options.timeout.take().filter(|_| stalled);
        if earlier.is_some() || is_normal && !stalled {
            let before = earlier.map_or_else(|| window.clone(), |earlier| earlier.before);
            options.timeout = Some(TimeoutCheck { before, recover, new_segments: None });
        }
    }

    /// Whether a timeout is being examined.
    #[inline]
    pub(super) fn is_examining_timeout(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.timeout.is_some())
    }

    /// Whether blocks from before the timeout are known, so that new ones show which segments have arrived since then [RFC5682 s3.1].
    fn keeps_blocks(&self) -> bool {
        self.times_losses() || self.parameters.keep_scoreboard && self.parameters.uses_blocks()
    }

    /// Evidence about the timeout that an acknowledgement gives, before it is processed.
    pub(super) fn evidence(&self, ack: &Ack) -> Evidence {
        let recover = self.options.as_ref().and_then(|options| options.timeout.as_ref()).map_or(0, |check| check.recover);
        if ack.next > self.flight.unacknowledged {
            return Evidence::Advance;
        }
        if !self.keeps_blocks() {
            return Evidence::Duplicate;
        }
        let board = &self.flight.scoreboard;
        let unknown = |from: u32, to: u32| to.saturating_sub(from) > board.sacked_below(to.max(from)) - board.sacked_below(from);
        if ack.blocks().any(|block| unknown(block.start, block.end.min(recover))) {
            Evidence::Original
        } else if ack.blocks().any(|block| unknown(block.start.max(recover), block.end)) {
            Evidence::Duplicate
        } else {
            Evidence::Nothing
        }
    }

    /// Continues to examine a timeout after an acknowledgement [RFC5682 s2.1, s3.1 (2) and (3)].
    pub(super) fn examine_timeout(&mut self, evidence: Evidence) {
        let has_new = self.flight.is_within_reach(self.flight.high);
        let keeps_blocks = self.keeps_blocks();
        let Some(options) = &mut self.options else { return };
        let Some(mut check) = options.timeout.take() else { return };
        match (check.new_segments, evidence) {
            (None, Evidence::Advance) if self.flight.unacknowledged < check.recover && has_new => {
                check.new_segments = Some(2);
                options.timeout = Some(check);
            }
            (None, Evidence::Original | Evidence::Nothing) | (Some(_), Evidence::Nothing) => options.timeout = Some(check),
            (None, Evidence::Duplicate) if keeps_blocks => options.timeout = Some(check),
            (Some(_), Evidence::Advance | Evidence::Original) => self.undo_timeout(&check.before),
            (Some(_), Evidence::Duplicate) => self.window.size = self.window.size.min(MOST_AFTER_CHECK),
            (None, Evidence::Advance | Evidence::Duplicate) => {}
        }
    }

    /// New segment that step 3 sends, if any, while it waits for its acknowledgement; `None` outside of step 3.
    #[inline]
    pub(super) fn take_check_segment(&mut self) -> Option<Option<u32>> {
        let left = self.options.as_mut()?.timeout.as_mut()?.new_segments.as_mut()?;
        let high = self.flight.high;
        if *left == 0 || !self.flight.is_within_reach(high) {
            return Some(None);
        }
        *left -= 1;
        if self.flight.next == high {
            self.flight.next += 1;
        }
        Some(Some(high))
    }

    /// Restores the state before a spurious timeout. This is the response of Linux (`tcp_undo_cwnd_reduction`); [RFC4015 s3.2] reaches the
    /// same window from a smaller one.
    pub(super) fn undo_timeout(&mut self, before: &Window) {
        if let Some(options) = &mut self.options {
            (options.timeout, options.reduction) = (None, None);
        }
        self.window.size = self.window.size.max(before.size);
        self.window.threshold = self.window.threshold.max(before.threshold);
        self.flight.resume_after_go_back();
    }
}
