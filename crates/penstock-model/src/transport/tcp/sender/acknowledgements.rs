//! Acknowledgements at the sender: progress, round trips, losses and echoed marks.

use super::super::Segments;
use super::{Sender, NONE_TIMED};
use crate::packet::{Ack, AckFlags};
use crate::transport::congestion_control::{Acknowledgement, Cause, EcnFeedback, RttSample, RttSampling, Window};
use crate::transport::recovery::{AckTimes, Phase, RetransmitDelay};
use crate::units::{Duration, Time};

impl Sender {
    /// Handles an acknowledgement.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        debug_assert!(ack.next <= self.flight.high, "acknowledges what was never sent");
        if self.ecn.negotiated || self.records.is_some() {
            self.on_telling_ack(now, ack);
        } else {
            self.take_ack(now, ack, ack.flags.ece());
        }
    }

    /// Handles an acknowledgement that may report marks, or whose report the congestion control requests.
    #[inline(never)]
    fn on_telling_ack(&mut self, now: Time, ack: &Ack) {
        let is_current = self.flight.high > self.flight.unacknowledged && ack.next >= self.flight.unacknowledged;
        let mut ece = ack.flags.ece();
        if self.ecn.negotiated && is_current {
            let delivered = if self.ecn.counts_marks() { self.flight.newly_delivered(ack) } else { ack.next - self.flight.unacknowledged };
            ece = self.on_ecn_feedback(now, ack.next, (ack.flags, ack.sack.marks()), delivered);
        }
        if let Some(records) = self.records.as_mut().filter(|_| is_current) {
            records.on_ack(now, ack, &self.flight.scoreboard);
        }
        let arrived = if self.is_reducing_for_mark() && is_current { self.flight.newly_delivered(ack) } else { 0 };
        let unacknowledged = self.flight.unacknowledged;
        self.take_ack(now, ack, ece);
        if self.is_reducing_for_mark() {
            self.continue_mark_reduction(arrived, ack.next > unacknowledged);
            self.update_prediction();
        }
        if is_current {
            self.report(now);
        }
    }

    /// Handles an acknowledgement of outstanding segments; `ece` says whether it reports marks.
    #[inline(always)]
    fn take_ack(&mut self, now: Time, ack: &Ack, ece: bool) {
        self.end_deferral();
        let evidence = self.is_examining_timeout().then(|| self.evidence(ack));
        if self.times_losses() {
            self.take_ack_of_timed(now, ack, ece);
        } else if ack.next > self.flight.unacknowledged {
            self.on_new_ack(now, ack, ece);
        } else if ack.next == self.flight.unacknowledged && self.flight.high > self.flight.unacknowledged {
            self.on_duplicate_ack(now, ack);
        }
        if let Some(seq) = ack.duplicate() {
            self.on_reported_duplicate(seq);
        }
        if let Some(evidence) = evidence {
            self.examine_timeout(evidence);
        }
        self.update_prediction();
    }

    /// Reports the acknowledgement to a congestion control that requests it.
    #[inline(never)]
    fn report(&mut self, now: Time) {
        let times_losses = self.times_losses();
        let Some(records) = &mut self.records else { return };
        if !times_losses {
            records.lose_below(self.flight.scoreboard.lost_below());
        }
        for lost in records.take_losses() {
            self.control.get().on_lost_segment(now, &lost);
        }
        let report = records.take_report(now, self.flight.phase != Phase::Normal);
        self.control.get().on_report(&report, &mut self.window);
        if self.control.get().limits_rate() {
            records.on_idle();
        }
    }

    /// Header prediction: does the work of [`Sender::on_ack`] and [`Sender::next_transmission`], until nothing more can be sent, for the
    /// most frequent kind of acknowledgement: without blocks, of some but not all outstanding data, outside of fast recovery. Returns the
    /// segments to send, whose codepoints [`Sender::mark`] gives. Returns `None` and changes nothing for any other acknowledgement.
    #[inline(always)]
    pub fn on_predicted_ack(&mut self, now: Time, next: u32, flags: AckFlags) -> Option<Segments> {
        debug_assert_eq!(self.predicts_acks, self.may_predict());
        if !(self.predicts_acks && self.flight.unacknowledged < next && next < self.flight.high) {
            return None;
        }
        let mut ece = flags.ece();
        if self.ecn.negotiated {
            if ece && self.reduces_proportionally() {
                return None;
            }
            ece = self.on_ecn_feedback(now, next, (flags, 0), next - self.flight.unacknowledged);
            // no option is read
        }
        let (newly, in_flight) = (next - self.flight.unacknowledged, self.flight.in_flight());
        let has_times = self.flight.sent.is_some();
        self.on_progress(now, next);
        if has_times {
            self.take_predicted_times(now, next);
        }
        self.report_ack(now, (newly, next, in_flight), ece);
        if self.flight.phase == Phase::GoBack {
            self.flight.leave_go_back();
        }
        self.restart_timer(now);
        let (first, high) = (self.flight.next, self.flight.high);
        let mut end = self.flight.offered.min(next.saturating_add(self.window.usable())).max(first);
        if self.options.is_some() {
            end -= self.deferred_after_ack(now, end - first);
        }
        if first < end {
            if first < high {
                self.timed = NONE_TIMED; // as in `transmit`
                self.count_repeats(now, first, end.min(high));
            }
            if high < end {
                self.time(now, high);
                self.flight.high = end;
            }
            self.flight.next = end;
            self.note_sent(now);
        }
        if has_times {
            self.record_predicted_times(now, first, end);
        }
        Some(Segments { first, end, new_from: high })
    }

    /// Records the segments from `first` up to `end`, sent after a predicted acknowledgement, and sets the timer.
    fn record_predicted_times(&mut self, now: Time, first: u32, end: u32) {
        let Some(sent) = &mut self.flight.sent else { return };
        (first..end).for_each(|seq| sent.on_sent(now, seq));
        if let Some(detection) = &mut sent.detection {
            detection.timeout_from = now;
            self.arm(now);
        }
    }

    /// Whether acknowledgements may be handled by [`Sender::on_predicted_ack`].
    fn may_predict(&self) -> bool {
        let repairs = self.flight.phase == Phase::Recovery || !self.flight.scoreboard.is_empty();
        let paced = || self.gate.as_ref().is_some_and(|gate| gate.pacer.is_some());
        let in_order = || self.flight.sent.is_none() || self.flight.is_sent_in_order();
        !repairs
            && !paced()
            && in_order()
            && self.records.is_none()
            && !self.ecn.reads_option()
            && !self.is_reducing_for_mark()
            && !self.is_examining_timeout()
    }

    /// Updates the flag after a change of anything that [`Sender::may_predict`] depends on.
    pub(super) fn update_prediction(&mut self) {
        self.predicts_acks = self.may_predict();
    }

    /// Handles the arrival of the segments up to `next`, including at least one that was not known before.
    #[inline(always)]
    pub(super) fn on_progress(&mut self, now: Time, next: u32) {
        self.flight.unacknowledged = next;
        self.flight.next = self.flight.next.max(next);
        self.flight.duplicates = 0;
        self.flight.resend = false;
        self.stalled = false;
        if self.timed < next {
            self.take_sample(now);
        }
    }

    /// Handles the acknowledgement of the timed segment.
    #[inline(never)]
    fn take_sample(&mut self, now: Time) {
        self.timed = NONE_TIMED;
        if self.parameters.timestamps {
            return;
        }
        self.estimator.on_sample(&self.parameters, self.timed_at, now, (self.flight.unacknowledged, self.flight.high));
        if self.flight.sent.is_none() {
            self.report_sample(now, now.since(self.timed_at));
        }
    }

    /// Handles the times of the segments that an acknowledgement of new data covers. Passes the round trip of the last one to the
    /// congestion control; with timestamps, updates the estimate [RFC7323 s4.1] and undoes a spurious timeout.
    #[inline(never)]
    pub(super) fn take_times(&mut self, now: Time, next: u32, flags: AckFlags) {
        let Some(sent) = &mut self.flight.sent else { return };
        if let Some(times) = sent.on_ack(now, next, flags.echoes_retransmission()) {
            self.use_times(now, &times);
        }
    }

    /// [`Sender::take_times`] for a predicted acknowledgement.
    #[inline(never)]
    fn take_predicted_times(&mut self, now: Time, next: u32) {
        let Some(sent) = &mut self.flight.sent else { return };
        if let Some(times) = sent.on_ack_in_order(now, next) {
            self.use_times(now, &times);
        }
    }

    #[inline(always)]
    fn use_times(&mut self, now: Time, times: &AckTimes) {
        let Some(sent) = &mut self.flight.sent else { return };
        // Usually there is no window to restore; `take` alone would copy one in any case.
        let before = if sent.before_timeout.is_some() { sent.before_timeout.take() } else { None };
        if self.parameters.timestamps {
            self.estimator.on_sample(&self.parameters, times.echoed, now, (self.flight.unacknowledged, self.flight.high));
        }
        if let Some(rtt) = times.newest {
            self.report_sample(now, rtt);
        }
        if !self.parameters.timestamps {
            let once = self.control.get().rtt_sampling() == RttSampling::OncePerRound;
            if once && !self.times_losses() && !self.parameters.tso_defer {
                self.flight.sent = None;
            }
        } else if let Some(before) = before.filter(|_| times.first_was_not_lost) {
            self.undo_timeout(&before);
        }
    }

    /// Passes a round-trip time to the congestion control.
    #[inline]
    pub(super) fn report_sample(&mut self, now: Time, rtt: Duration) {
        let smoothed = self.estimator.smoothed(&self.parameters).unwrap_or(rtt);
        self.control.get().on_rtt_sample(&RttSample { now, rtt, smoothed }, &mut self.window);
    }

    /// Passes an acknowledgement of `newly` segments to the congestion control; `in_flight` were outstanding before it, and `delivered`
    /// are known to have arrived in all.
    #[inline(always)]
    pub(super) fn report_ack(&mut self, now: Time, (newly, delivered, in_flight): (u32, u32, u32), ece: bool) {
        let is_unused = self.options.is_some() && self.is_window_unused(now, in_flight);
        let before = self.window.size;
        let (flight, is_reducing) = (&self.flight, self.is_reducing_for_mark());
        let facts = |window: &Window| Acknowledgement {
            now,
            newly,
            delivered,
            acknowledged: flight.unacknowledged,
            next: flight.next,
            in_flight,
            app_limited: flight.next >= flight.offered && in_flight < window.usable(),
            ece,
            in_recovery: flight.phase == Phase::Recovery || is_reducing,
        };
        self.control.on_ack_with(facts, &mut self.window);
        if is_unused {
            self.window.size = self.window.size.min(before);
        }
    }

    fn on_new_ack(&mut self, now: Time, ack: &Ack, ece: bool) {
        let (newly, in_flight) = (ack.next - self.flight.unacknowledged, self.flight.in_flight());
        let outside_recovery = self.flight.phase == Phase::Normal;
        let delivered = if outside_recovery { self.flight.delivered() } else { 0 };
        self.on_progress(now, ack.next);
        if self.flight.sent.is_some() {
            self.take_times(now, ack.next, ack.flags);
        }
        let reported = self.flight.take_new_blocks(ack);
        self.report_ack(now, (newly, self.flight.delivered(), in_flight), ece);
        let restart_timer = match self.flight.phase {
            Phase::Normal => true,
            Phase::GoBack | Phase::Repair => {
                self.flight.leave_go_back();
                true
            }
            Phase::Recovery if self.flight.unacknowledged >= self.flight.recover => {
                self.control.get().on_recovery_end(now, &mut self.window);
                self.flight.phase = Phase::Normal;
                if self.flight.waits {
                    self.cancel_wait();
                }
                true
            }
            Phase::Recovery => self.recovery.on_partial_ack(newly, &mut self.flight, &mut self.window),
        };
        if self.flight.unacknowledged == self.flight.high {
            self.retransmission = Time::NEVER;
        } else if restart_timer {
            self.restart_timer(now);
        }
        if outside_recovery && reported > 0 && self.recovery.on_new_blocks(self.flight.delivered() - delivered, &mut self.flight) {
            self.repair(now);
        }
    }

    /// Handles an acknowledgement that reports nothing new while segments are outstanding.
    fn on_duplicate_ack(&mut self, now: Time, ack: &Ack) {
        if self.recovery.on_duplicate_ack(ack, &mut self.flight, &mut self.window) {
            self.repair(now);
        }
    }

    /// Starts a recovery at a first loss that an acknowledgement has shown.
    fn repair(&mut self, now: Time) {
        self.begin_reduction_check();
        self.reduce(now, Cause::Loss);
        self.recovery.on_loss(&mut self.flight, &mut self.window);
        self.control.get().on_recovery_start(now, &mut self.window);
        match self.retransmit_delay() {
            Some(delay) => self.put_retransmission_off(now + delay),
            None => self.restart_timer(now),
        }
    }

    /// Delay of the first retransmission; `None` without one.
    fn retransmit_delay(&self) -> Option<Duration> {
        if self.recovery.retransmit_delay() == RetransmitDelay::None {
            return None;
        }
        let half = Duration::from_ps(self.estimator.smoothed(&self.parameters)?.as_ps() / 2);
        Some(half).filter(|half| *half > Duration::ZERO)
    }

    /// Postpones the retransmission until `until`. The timer keeps running.
    fn put_retransmission_off(&mut self, until: Time) {
        self.flight.put_retransmission_off();
        if let Some(gate) = &mut self.gate {
            gate.wait_end = until;
        }
    }

    /// Processes the marks reported by an acknowledgement of outstanding data, which shows `delivered` segments to have arrived;
    /// returns whether it reports any. In fast recovery the window has already been reduced.
    #[inline(always)]
    fn on_ecn_feedback(&mut self, now: Time, acknowledged: u32, (flags, counted): (AckFlags, u32), delivered: u32) -> bool {
        let newly = acknowledged - self.flight.unacknowledged;
        let next = self.flight.next.max(acknowledged);
        let (ece, marked) = if self.ecn.counts_marks() {
            let marked = self.ecn.take_marks(flags, counted, delivered);
            (marked > 0, marked)
        } else {
            (flags.ece(), if flags.ece() { newly } else { 0 })
        };
        self.control.get().on_ecn_feedback(&EcnFeedback { now, acknowledged, newly, next, delivered, ece, marked });
        if ece && self.flight.phase == Phase::Normal {
            self.reduce_for_mark(now, acknowledged);
        }
        ece
    }
}
