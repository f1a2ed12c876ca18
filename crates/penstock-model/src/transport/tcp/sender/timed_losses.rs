//! Acknowledgements, timers and probes of senders that detect losses by time (`recovery.rack`).

use super::{Connection, Sender};
use crate::packet::Ack;
use crate::transport::congestion_control::Cause;
use crate::transport::recovery::{Detection, Phase, Timer};
use crate::units::Time;

impl Sender {
    /// Whether losses are detected by time.
    #[inline(always)]
    pub(super) fn times_losses(&self) -> bool {
        self.flight.sent.as_ref().is_some_and(|sent| sent.detection.is_some())
    }

    /// Whether the timer runs for a probe or a reordering window instead of the retransmission timeout.
    pub(super) fn waits_for_other_event(&self) -> bool {
        let detection = self.flight.sent.as_ref().and_then(|sent| sent.detection.as_ref());
        detection.is_some_and(|it| it.timer != Timer::Retransmission)
    }

    #[inline]
    fn detection(&mut self) -> Option<&mut Detection> {
        self.flight.sent.as_mut().and_then(|sent| sent.detection.as_mut())
    }

    /// Handles an acknowledgement.
    #[inline(never)]
    pub(super) fn take_ack_of_timed(&mut self, now: Time, ack: &Ack, ece: bool) {
        let (unacknowledged, delivered_before) = (self.flight.unacknowledged, self.flight.delivered());
        if ack.next < unacknowledged {
            return;
        }
        let (newly, in_flight, recover_flight) = (ack.next - unacknowledged, self.flight.in_flight(), self.flight.pipe());
        self.flight.observe(now, ack);
        if newly > 0 {
            self.on_progress(now, ack.next);
            self.take_times(now, ack.next, ack.flags);
        }
        let delivered = self.flight.delivered() - delivered_before;
        if newly > 0 {
            self.report_ack(now, (delivered, self.flight.delivered(), in_flight), ece);
        }
        if self.flight.phase != Phase::Normal && self.flight.unacknowledged >= self.flight.recover {
            if self.flight.phase == Phase::Recovery {
                self.control.get().on_recovery_end(now, &mut self.window);
            }
            self.flight.phase = Phase::Normal;
            self.detection().into_iter().for_each(Detection::on_recovery_end);
            if self.flight.is_repairing() {
                self.begin_recovery(now, recover_flight);
            }
        }
        let probe_repairs = self.detection().is_some_and(|it| it.take_probe(ack.next, delivered > 0));
        if probe_repairs && self.flight.phase == Phase::Normal {
            self.reduce(now, Cause::Loss);
            self.window.size = self.window.size.min(self.window.threshold);
        }
        let lost = self.find_losses(now, recover_flight);
        if self.flight.phase == Phase::Recovery {
            self.reduce_by_arrivals(delivered, newly > 0 && lost == 0);
        }
        if newly > 0 {
            self.restart_timeout(now);
        }
        self.arm(now);
    }

    /// Detects losses, and starts a recovery at the first; `recover_flight` segments were in flight. Returns the number of losses.
    pub(super) fn find_losses(&mut self, now: Time, recover_flight: u32) -> u32 {
        let is_late = self.flight.phase != Phase::Normal || self.flight.has_many_blocks();
        let smoothed = self.estimator.smoothed(&self.parameters);
        let lost = self.flight.detect(now, is_late, smoothed);
        self.record_losses();
        if lost > 0 && self.flight.phase == Phase::Normal {
            self.begin_recovery(now, recover_flight);
        }
        lost
    }

    /// Reports the detected losses to the congestion control.
    fn record_losses(&mut self) {
        let Some(detection) = self.flight.sent.as_mut().and_then(|sent| sent.detection.as_mut()) else { return };
        for seq in detection.found.drain(..) {
            self.records.iter_mut().for_each(|records| records.lose(seq));
        }
    }

    fn begin_recovery(&mut self, now: Time, recover_flight: u32) {
        self.begin_reduction_check();
        self.reduce(now, Cause::Loss);
        self.recovery.on_loss(&mut self.flight, &mut self.window);
        self.detection().into_iter().for_each(|it| it.begin_reduction(recover_flight.max(1)));
        self.control.get().on_recovery_start(now, &mut self.window);
        self.restart_timeout(now);
    }

    /// Sets cwnd during a recovery after `delivered` arrivals.
    fn reduce_by_arrivals(&mut self, delivered: u32, is_safe: bool) {
        let pipe = self.flight.pipe();
        if let Some(it) = self.flight.sent.as_mut().and_then(|sent| sent.detection.as_mut()) {
            it.reduce(delivered, is_safe, pipe, &mut self.window);
        }
    }

    /// Restarts the retransmission timeout; [`Sender::arm`] follows.
    pub(super) fn restart_timeout(&mut self, now: Time) {
        self.detection().into_iter().for_each(|it| it.timeout_from = now);
    }

    /// Sets the timer after an acknowledgement, a segment or an expiry `now`.
    pub(super) fn arm(&mut self, now: Time) {
        if self.connection != Connection::Open {
            return;
        }
        let outstanding = self.flight.high - self.flight.unacknowledged;
        let is_open = self.flight.phase == Phase::Normal && self.flight.scoreboard.is_empty();
        let smoothed = if is_open { self.estimator.smoothed(&self.parameters) } else { None };
        let timeout = self.estimator.timeout();
        if let Some(it) = self.detection() {
            self.retransmission = it.next_timer(now, timeout, outstanding, smoothed);
        }
    }

    /// Handles an expiry of the timer for an event other than the retransmission timeout. Returns whether there was one.
    pub(super) fn on_other_timer(&mut self, now: Time) -> bool {
        match self.detection().map(|it| it.timer) {
            None | Some(Timer::Retransmission) => return false,
            Some(Timer::Probe) => {
                self.restart_timeout(now);
                self.flight.resend = true;
            }
            Some(Timer::Reordering) => {
                let was_normal = self.flight.phase == Phase::Normal;
                let before = self.flight.pipe();
                if self.find_losses(now, before) > 0 && was_normal {
                    self.reduce_by_arrivals(1, false); // as in Linux, so that the first of them is sent again
                }
            }
        }
        self.arm(now);
        true
    }

    /// Segment of a probe that is due: a new one, or the last one again.
    pub(super) fn take_probe(&mut self) -> u32 {
        let is_new = self.flight.is_within_reach(self.flight.next);
        self.flight.next += u32::from(is_new);
        let end = self.flight.next;
        if let Some(it) = self.detection() {
            it.on_probe(end, !is_new);
        }
        end - 1
    }

    /// Handles the retransmission timeout after the congestion control has: marks losses and admits one segment more than is in the network
    /// [RFC8985 s6.3].
    pub(super) fn repair_after_timeout(&mut self, now: Time) {
        self.flight.mark_after_timeout(now);
        self.record_losses();
        self.window.size = f64::from(self.flight.pipe() + 1);
        self.restart_timeout(now);
        self.arm(now);
    }
}

#[cfg(test)]
mod tests {
    use crate::packet::Body;
    use crate::transport::tcp::tests::harness::{parameters, text, Path};
    use crate::units::{Duration, Time};
    use std::cell::Cell;
    use std::rc::Rc;

    /// Random numbers from 0 to 999.
    fn draws(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 1000
        }
    }

    /// The congestion control's records and the detection count the same segments in the network. One in ten segments is 24 ms late, less
    /// than a quarter of the round trip, so that several overtake it. 1 % are lost, as is everything during one second, so that the timer
    /// expires.
    #[test]
    fn the_losses_that_the_detection_finds_are_those_of_the_records() {
        for control in ["bbr", "bbr3"] {
            let settings = [("recovery", text("rack")), ("congestion-control", text(control)), ("initial-window", text("10 packets"))];
            let (mut late, mut lost) = (draws(1), draws(2));
            let is_out = Rc::new(Cell::new(false));
            let lose = {
                let is_out = Rc::clone(&is_out);
                move |_: usize, _: Body| lost() < 10 || is_out.get()
            };
            let delay = move |_| Duration::from_ms(if late() < 100 { 24 } else { 0 });
            let path = Path::new(&parameters(&settings)).through(Duration::from_ms(1), 100);
            let mut path = path.delaying(delay).losing(lose).start(None);
            let mut has_timed_out = false;
            while path.now < Time::ZERO + Duration::from_secs(8) {
                is_out.set((3..4).contains(&(path.now.as_ps() / Duration::from_secs(1).as_ps())));
                path.step();
                let records = path.sender.records.as_ref().expect("the control requests reports");
                assert_eq!(records.in_network(), path.sender.flight.pipe(), "{control} at {:?}", path.now);
                has_timed_out |= path.sender.stalled;
            }
            assert!(has_timed_out && path.sender.acknowledged() > 1000, "{control}: {} arrived", path.sender.acknowledged());
        }
    }
}
