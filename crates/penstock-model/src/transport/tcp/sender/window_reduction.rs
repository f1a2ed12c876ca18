//! Reductions of the window after losses and echoed marks.

use super::super::{EcnReduction, ThresholdFrom};
use super::Sender;
use crate::transport::congestion_control::{Cause, Congestion, EcnEcho};
use crate::transport::recovery::{Phase, Reduction};
use crate::units::Time;

impl Sender {
    /// Lets the congestion control reduce the window; with ECN, at most once per window of data [RFC3168 s6.1.2]. If marks are counted,
    /// or the control defines another echo than that of RFC 3168, a loss always reduces it, since a mark may have reduced it only
    /// slightly [RFC8257 s3.5; RFC9331 s4.3].
    pub(super) fn reduce(&mut self, now: Time, cause: Cause) {
        let is_loss_of_its_own = cause == Cause::Loss && self.marks_reduce_less_than_losses();
        if is_loss_of_its_own || !self.ecn.has_reduced(self.flight.unacknowledged) {
            self.reduce_window(now, cause);
        }
        if cause == Cause::Loss {
            self.cancel_mark_reduction();
        }
    }

    /// Whether a mark may reduce the window by less than a loss.
    fn marks_reduce_less_than_losses(&mut self) -> bool {
        self.ecn.counts_marks() || self.control.get().ecn_use().echo != EcnEcho::UntilCwr
    }

    fn reduce_window(&mut self, now: Time, cause: Cause) {
        let flight_size = self.flight.flight_size();
        let in_flight = match (self.parameters.ssthresh_from, cause) {
            (ThresholdFrom::Cwnd, _) => self.window.usable(),
            (ThresholdFrom::FlightSize, Cause::Loss) => flight_size,
            (ThresholdFrom::FlightSize, Cause::Ecn) => flight_size.min(self.window.usable()), // a mark never enlarges cwnd
        };
        let congestion = Congestion { now, cause, in_flight };
        self.control.get().on_congestion(&congestion, &mut self.window);
        self.ecn.on_reduction(self.flight.high);
    }

    /// Number of segments from which a timeout reduces ssthresh, and whether ssthresh stays unchanged.
    pub(super) fn timeout_base(&self, in_flight: u32) -> (u32, bool) {
        match self.parameters.ssthresh_from {
            ThresholdFrom::FlightSize => (in_flight, self.stalled),
            ThresholdFrom::Cwnd => (self.window.usable(), self.stalled || self.flight.phase == Phase::Recovery),
        }
    }

    /// Handles an echoed mark outside of recovery; everything up to `acknowledged` has arrived.
    pub(super) fn reduce_for_mark(&mut self, now: Time, acknowledged: u32) {
        if !self.reduces_proportionally() {
            return self.reduce(now, Cause::Ecn);
        }
        if self.is_reducing_for_mark() && acknowledged <= self.ecn.reduced_until() {
            return;
        }
        self.end_mark_reduction();
        let before = self.window.clone();
        self.reduce_window(now, Cause::Ecn);
        self.window.threshold = self.window.size.min(before.size);
        self.window.size = before.size;
        self.options.get_or_insert_default().mark_reduction = Some(Reduction::begin(before.usable()));
    }

    /// Continues the reduction that a mark has started, after an acknowledgement that shows `delivered` segments to have arrived.
    #[inline(never)]
    pub(super) fn continue_mark_reduction(&mut self, delivered: u32, is_advance: bool) {
        if self.flight.phase != Phase::Normal {
            self.cancel_mark_reduction();
        } else if self.flight.unacknowledged > self.ecn.reduced_until() {
            self.end_mark_reduction();
        } else {
            let pipe = self.flight.high - self.flight.delivered();
            if let Some(reduction) = self.options.as_mut().and_then(|options| options.mark_reduction.as_mut()) {
                reduction.update(delivered, is_advance, pipe, &mut self.window);
            }
        }
    }

    /// Ends the mark's reduction: cwnd becomes ssthresh, as after a recovery.
    fn end_mark_reduction(&mut self) {
        if self.cancel_mark_reduction() {
            self.window.size = self.window.threshold;
        }
    }

    /// Cancels the mark's reduction and leaves the window to a recovery. Returns whether one was in progress.
    pub(super) fn cancel_mark_reduction(&mut self) -> bool {
        self.options.as_mut().is_some_and(|options| options.mark_reduction.take().is_some())
    }

    /// Whether a reduction after a mark is in progress.
    #[inline]
    pub(super) fn is_reducing_for_mark(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.mark_reduction.is_some())
    }

    /// Whether a mark reduces the window gradually. Senders that count marks, and controls that set the window from reports, reduce it
    /// themselves.
    pub(super) fn reduces_proportionally(&self) -> bool {
        self.parameters.ecn_reduction == EcnReduction::Proportional && !self.ecn.counts_marks() && self.records.is_none()
    }
}
