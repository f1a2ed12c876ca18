//! Output of a sender: the next segment and its time.

use super::super::pacer::default_rate;
use super::super::{PacingRate, Transmission};
use super::{Sender, NONE_TIMED};
use crate::packet::{Body, Ecn, SegmentFlags};
use crate::transport::recovery::Phase;
use crate::units::Time;

/// Number of segments at the start of a connection that Linux does not pace.
const LINUX_UNPACED: u32 = 10;

impl Sender {
    #[inline(always)]
    pub(super) fn next_segment(&mut self, now: Time) -> Option<u32> {
        if std::mem::take(&mut self.flight.resend) {
            return Some(if self.times_losses() { self.take_probe() } else { self.flight.unacknowledged });
        }
        if let Some(segment) = self.take_check_segment() {
            return segment;
        }
        if matches!(self.flight.phase, Phase::Recovery | Phase::Repair) {
            return self.recovery.next_segment(&mut self.flight, &self.window);
        }
        if self.options.is_some() && self.defers_next(now) {
            return None;
        }
        let seq = self.flight.next_in_order(&self.window)?;
        if self.flight.unacknowledged == self.flight.high {
            self.resume(now);
        }
        Some(seq)
    }

    #[inline(always)]
    pub(super) fn transmit(&mut self, now: Time, seq: u32) -> Transmission {
        let retransmission = seq < self.flight.high;
        if retransmission {
            self.timed = NONE_TIMED; // the repair of a loss would be part of the round trip
            self.count_repeats(now, seq, seq + 1);
            if self.flight.phase == Phase::Recovery {
                self.control.get().on_lost(now, 1);
            }
        } else {
            self.flight.high = seq + 1;
            self.time(now, seq);
        }
        if let Some(options) = &mut self.options {
            options.on_sent(retransmission);
        }
        self.note_sent(now);
        if self.retransmission == Time::NEVER {
            self.restart_timer(now);
        }
        let size = self.parameters.packet_size();
        if let Some(sent) = &mut self.flight.sent {
            sent.on_sent(now, seq);
            if sent.detection.is_some() {
                self.arm(now);
            }
        }
        if self.records.is_some() {
            self.record_sent(now, seq);
        }
        if self.gate.is_some() {
            self.pace(now, size);
        }
        let (ecn, flags) = self.mark(retransmission);
        Transmission { body: Body::Segment { seq, retransmission, flags }, size, ecn }
    }

    /// Records that segments leave `now`.
    #[inline(always)]
    pub(super) fn note_sent(&mut self, now: Time) {
        if self.last_sent != now {
            self.ends_pair = self.ends_pair.map(|_| false);
            self.last_sent = now;
        }
    }

    /// Codepoint and flags of the next segment.
    #[inline(always)]
    pub fn mark(&mut self, retransmission: bool) -> (Ecn, SegmentFlags) {
        let (ecn, cwr) = self.ecn.mark(retransmission);
        let psh = self.ends_pair == Some(true);
        self.ends_pair = self.ends_pair.map(|is_second| !is_second);
        (ecn, SegmentFlags::new(cwr, psh))
    }

    /// Records a segment that leaves, and informs the congestion control.
    #[inline(never)]
    fn record_sent(&mut self, now: Time, seq: u32) {
        if let Some(records) = &mut self.records {
            let sent = records.on_sent(now, seq);
            self.control.get().on_sent(&sent, &mut self.window);
        }
    }

    /// Handles an attempt that sends nothing, possibly because the application has no data.
    #[inline(never)]
    pub(super) fn record_idle(&mut self) {
        if let Some(records) = &mut self.records {
            let has_sent_all = self.flight.phase == Phase::Normal && self.flight.next >= self.flight.offered;
            if has_sent_all && records.in_network() < self.window.usable() {
                records.on_idle();
            }
        }
    }

    /// Schedules the next segment after one of `size` bytes has left.
    #[inline(never)]
    fn pace(&mut self, now: Time, size: u32) {
        let own = self.control.get().pacing_rate(now, &self.window);
        let is_linux = self.parameters.pacing_rate == Some(PacingRate::Linux);
        if is_linux && own.is_none() && self.flight.high < LINUX_UNPACED {
            return;
        }
        let outstanding = if is_linux { f64::from(self.flight.in_flight()) } else { 0.0 };
        let rate = own.or_else(|| default_rate(&self.window, outstanding, size, self.estimator.smoothed(&self.parameters)));
        if let Some(pacer) = self.gate.as_mut().and_then(|gate| gate.pacer.as_mut()) {
            pacer.on_sent(now, size, rate);
        }
    }

    /// Handles the first transmission after nothing was outstanding. After an idle time longer than the timeout, the state of the path is
    /// unknown [RFC5681 s4.1].
    fn resume(&mut self, now: Time) {
        if self.parameters.restart_after_idle && now.since(self.last_sent) > self.estimator.timeout() {
            self.window.size = self.window.size.min(self.parameters.first_window().size);
        }
        self.control.get().on_resume(now, &mut self.window);
    }
}
