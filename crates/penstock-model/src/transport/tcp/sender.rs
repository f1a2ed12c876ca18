//! The sending end.

use super::ecn::EcnSender;
use super::pacer::{default_rate, Pacer};
use super::rtt::Estimator;
use super::send_times::SendTimes;
use super::{Parameters, Transmission};
use crate::packet::{Ack, Body, Ecn};
use crate::transport::congestion_control::{
    Acknowledgement, AnyCongestionControl, Cause, Congestion, ConnectionContext, RttSample, RttSampling, Timeout, Window,
};
use crate::transport::recovery::{AnyRecovery, Flight, LossDetection, Phase};
use crate::units::{Duration, Time};
use std::sync::Arc;

/// A TCP sender: decides which segment goes out when.
#[derive(Clone, Debug)]
pub struct Sender {
    parameters: Arc<Parameters>,
    connection: Connection,
    flight: Flight,
    window: Window,
    control: AnyCongestionControl,
    recovery: AnyRecovery,
    estimator: Estimator,
    /// The segment whose round trip is being measured, and when it was sent. Never one that was sent again (Karn's
    /// rule) [RFC6298 s3].
    timed: Option<(u32, Time)>,
    /// When every segment was sent, while the congestion control asks for that.
    send_times: Option<Box<SendTimes>>,
    /// When the retransmission timer expires.
    retransmission: Time,
    last_sent: Time,
    ecn: EcnSender,
    pacer: Option<Box<Pacer>>,
    /// Nothing but a usual acknowledgement needs more than [`Sender::on_usual_ack`] does.
    has_usual_acks: bool,
    /// No acknowledgement of new data has come since the last timeout.
    stalled: bool,
}

/// Segments that go out in a row.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// The first.
    pub first: u32,
    /// The one after the last.
    pub end: u32,
    /// From here on, they have never been sent before.
    pub new_from: u32,
}

/// How far the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    Closed,
    SynDue { attempt: u32 },
    SynSent { attempt: u32 },
    Open,
}

impl Sender {
    /// A sender that has nothing to send and no connection.
    ///
    /// The ticks of its clock fall at multiples of `timer-tick` less `clock_offset`. Senders that begin together need
    /// offsets of their own: with one for all, what is measured from a tick on would always be rounded down.
    pub fn new(parameters: &Arc<Parameters>, clock_offset: Duration) -> Sender {
        let (recovery, control) = (parameters.recovery_plan(), parameters.congestion_control_plan());
        let context = ConnectionContext { packet_size: parameters.packet_size(), paced: parameters.pacing };
        let mut control = AnyCongestionControl::new(&control, &context);
        let detection = LossDetection {
            dup_ack_threshold: parameters.dup_ack_threshold.0,
            limited_transmit: parameters.limited_transmit,
            uses_blocks: recovery.uses_blocks(),
        };
        let paced = parameters.pacing || control.get().paces();
        let times_all = control.get().rtt_sampling() == RttSampling::EveryAck;
        let mut sender = Sender {
            parameters: Arc::clone(parameters),
            connection: Connection::Closed,
            flight: Flight::new(detection, parameters.segments(parameters.max_window)),
            window: parameters.first_window(),
            control,
            recovery: AnyRecovery::new(&recovery),
            estimator: Estimator::new(parameters, clock_offset),
            timed: None,
            send_times: times_all.then(|| Box::new(SendTimes::new(0))),
            retransmission: Time::NEVER,
            last_sent: Time::ZERO,
            ecn: EcnSender::new(parameters.ecn && !parameters.syn),
            pacer: paced.then(|| Box::new(Pacer::new())),
            has_usual_acks: false,
            stalled: false,
        };
        sender.settle();
        sender
    }

    /// The application hands over so many more segments; `None` is as many as there are sequence numbers.
    pub fn offer(&mut self, segments: Option<u32>) {
        self.flight.offered = segments.map_or(u32::MAX, |segments| self.flight.offered.saturating_add(segments));
    }

    /// The application falls silent: what has been sent is still repaired, nothing new goes out.
    pub fn withdraw(&mut self) {
        self.flight.offered = self.flight.offered.min(self.flight.high);
    }

    /// Opens the connection: with a SYN, or at once.
    pub fn start(&mut self, now: Time) {
        debug_assert!(self.connection == Connection::Closed, "started twice");
        self.last_sent = now;
        self.connection = if self.parameters.syn { Connection::SynDue { attempt: 0 } } else { Connection::Open };
    }

    /// The connection was granted, with ECN if both ends want it (`ecn`) [RFC3168 s6.1.1].
    pub fn on_syn_ack(&mut self, now: Time, ecn: bool) {
        let Connection::SynSent { attempt } = self.connection else { return };
        self.connection = Connection::Open;
        self.retransmission = Time::NEVER;
        self.ecn.negotiated = ecn && self.parameters.ecn;
        if attempt == 0 {
            self.estimator.on_sample(&self.parameters, self.last_sent, now);
            self.report_sample(now, now.since(self.last_sent));
        } else {
            self.window.size = 1.0; // [RFC5681 s3.1]: no larger initial window after a lost SYN
            self.estimator.on_lost_syn(&self.parameters);
        }
        self.settle();
    }

    /// An acknowledgement arrived.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        debug_assert!(ack.next <= self.flight.high, "acknowledges what was never sent");
        let outstanding = self.flight.high > self.flight.unacknowledged;
        if ack.ece && outstanding && ack.next >= self.flight.unacknowledged {
            self.on_echo(now);
        }
        if ack.next > self.flight.unacknowledged {
            self.on_new_ack(now, ack);
        } else if ack.next == self.flight.unacknowledged && outstanding {
            self.on_duplicate_ack(now, ack);
        }
        self.settle();
    }

    /// Does what [`Sender::on_ack`] and [`Sender::next_transmission`] do, until there is nothing more to send, about an
    /// acknowledgement without blocks as most are: of something new but not of all, outside fast recovery. Returns the
    /// segments that go out; `None` if the acknowledgement is another one, which changes nothing.
    #[inline(always)]
    pub fn on_usual_ack(&mut self, now: Time, next: u32) -> Option<Segments> {
        debug_assert_eq!(self.has_usual_acks, self.is_usual());
        if !(self.has_usual_acks && self.flight.unacknowledged < next && next < self.flight.high) {
            return None;
        }
        let (newly, in_flight) = (next - self.flight.unacknowledged, self.flight.in_flight());
        self.on_progress(now, next);
        self.report_ack(now, newly, in_flight, false);
        if self.flight.phase == Phase::GoBack {
            self.flight.leave_go_back();
        }
        self.restart_timer(now);
        let (first, high) = (self.flight.next, self.flight.high);
        let end = self.flight.offered.min(next.saturating_add(self.window.usable())).max(first);
        if first < end {
            if first < high {
                self.timed = None; // as in `transmit`
            }
            if high < end {
                self.timed = self.timed.or(Some((high, now)));
                self.flight.high = end;
            }
            self.flight.next = end;
            self.last_sent = now;
        }
        Some(Segments { first, end, new_from: high })
    }

    /// Whether acknowledgements may take the way of [`Sender::on_usual_ack`].
    fn is_usual(&self) -> bool {
        let repairs = self.flight.phase == Phase::Recovery || !self.flight.scoreboard.is_empty();
        !repairs && !self.ecn.negotiated && self.pacer.is_none() && self.send_times.is_none()
    }

    /// What [`Sender::is_usual`] depends on may have changed.
    fn settle(&mut self) {
        self.has_usual_acks = self.is_usual();
    }

    /// Segments up to `next` have arrived, not all of them known before.
    #[inline(always)]
    fn on_progress(&mut self, now: Time, next: u32) {
        self.flight.unacknowledged = next;
        self.flight.next = self.flight.next.max(next);
        self.flight.duplicates = 0;
        self.flight.resend = false;
        self.stalled = false;
        if self.timed.is_some_and(|(seq, _)| seq < next) {
            self.take_sample(now);
        }
    }

    /// The segment whose round trip is measured has been acknowledged.
    #[inline(never)]
    fn take_sample(&mut self, now: Time) {
        if let Some((_, sent)) = self.timed.take() {
            self.estimator.on_sample(&self.parameters, sent, now);
            if self.send_times.is_none() {
                self.report_sample(now, now.since(sent));
            }
        }
    }

    /// Tells the congestion control of a round trip.
    fn report_sample(&mut self, now: Time, rtt: Duration) {
        let smoothed = self.estimator.smoothed(&self.parameters).unwrap_or(rtt);
        self.control.get().on_rtt_sample(&RttSample { now, rtt, smoothed }, &mut self.window);
    }

    /// Tells the congestion control of an acknowledgement of `newly` segments, before which `in_flight` were outstanding.
    #[inline(always)]
    fn report_ack(&mut self, now: Time, newly: u32, in_flight: u32, ece: bool) {
        let (flight, usable) = (&self.flight, self.window.usable());
        let facts = || Acknowledgement {
            now,
            newly,
            delivered: flight.delivered(),
            acknowledged: flight.unacknowledged,
            next: flight.next,
            in_flight,
            app_limited: flight.next >= flight.offered && in_flight < usable,
            ece,
            in_recovery: flight.phase == Phase::Recovery,
        };
        self.control.on_ack_with(facts, &mut self.window);
    }

    fn on_new_ack(&mut self, now: Time, ack: &Ack) {
        let (newly, in_flight) = (ack.next - self.flight.unacknowledged, self.flight.in_flight());
        self.on_progress(now, ack.next);
        self.flight.take_new_blocks(ack);
        if self.send_times.is_some() {
            self.take_sample_of_ack(now, ack.next);
        }
        self.report_ack(now, newly, in_flight, ack.ece);
        let restart_timer = match self.flight.phase {
            Phase::Normal => true,
            Phase::GoBack => {
                self.flight.leave_go_back();
                true
            }
            Phase::Recovery if self.flight.unacknowledged >= self.flight.recover => {
                self.window.size = self.window.threshold;
                self.flight.phase = Phase::Normal;
                true
            }
            Phase::Recovery => self.recovery.on_partial_ack(newly, &mut self.flight, &mut self.window),
        };
        if self.flight.unacknowledged == self.flight.high {
            self.retransmission = Time::NEVER;
        } else if restart_timer {
            self.restart_timer(now);
        }
    }

    /// The round trip of the last segment acknowledged, for a congestion control that asks for all.
    fn take_sample_of_ack(&mut self, now: Time, next: u32) {
        if let Some(rtt) = self.send_times.as_mut().and_then(|times| times.on_ack(now, next)) {
            self.report_sample(now, rtt);
        }
        if self.control.get().rtt_sampling() == RttSampling::OncePerRound {
            self.send_times = None;
        }
    }

    /// An acknowledgement of nothing new while something is outstanding.
    fn on_duplicate_ack(&mut self, now: Time, ack: &Ack) {
        if self.recovery.on_duplicate_ack(ack, &mut self.flight, &mut self.window) {
            self.reduce(now, Cause::Loss);
            self.recovery.on_loss(&mut self.flight, &mut self.window);
            self.restart_timer(now);
        }
    }

    /// The receiver echoes a mark. In a fast recovery the window has been reduced already.
    fn on_echo(&mut self, now: Time) {
        if self.flight.phase == Phase::Normal {
            self.reduce(now, Cause::Ecn);
        }
    }

    /// Lets the congestion control reduce the window, but with ECN not more than once per window of data [RFC3168 s6.1.2].
    fn reduce(&mut self, now: Time, cause: Cause) {
        if !self.ecn.has_reduced(self.flight.unacknowledged) {
            let congestion = Congestion { now, cause, in_flight: self.flight.in_flight() };
            self.control.get().on_congestion(&congestion, &mut self.window);
            self.ecn.on_reduction(self.flight.high);
        }
    }

    /// [`Sender::deadline`] has come: the retransmission timer expires, or a paced segment may leave.
    pub fn on_deadline(&mut self, now: Time) {
        debug_assert!(now >= self.deadline());
        if now >= self.retransmission {
            self.on_timeout(now);
            self.settle();
        }
    }

    /// The retransmission timer expired [RFC6298 s5.4 to 5.7; RFC5681 s3.1].
    fn on_timeout(&mut self, now: Time) {
        self.estimator.back_off(&self.parameters);
        if let Connection::SynSent { attempt } = self.connection {
            self.connection = Connection::SynDue { attempt: attempt + 1 };
            return;
        }
        let timeout = Timeout { now, in_flight: self.flight.in_flight(), repeated: self.stalled };
        self.control.get().on_timeout(&timeout, &mut self.window);
        self.ecn.on_reduction(self.flight.high);
        self.stalled = true;
        self.flight.scoreboard.clear();
        self.flight.go_back(&mut self.window);
        self.restart_timer(now);
    }

    /// When [`Sender::on_deadline`] is due; [`Time::NEVER`] when no timer runs.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.pacer.as_ref().map_or(self.retransmission, |pacer| pacer.wake.min(self.retransmission))
    }

    /// [`Sender::deadline`] after a usual acknowledgement, which no paced sender has.
    #[inline(always)]
    pub fn usual_deadline(&self) -> Time {
        debug_assert!(self.pacer.is_none());
        self.retransmission
    }

    /// What to send now, if anything.
    #[inline(always)]
    pub fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        match self.connection {
            Connection::Open => {
                if self.pacer.as_mut().is_some_and(|pacer| pacer.holds_back(now)) {
                    return None;
                }
                self.next_segment(now).map(|seq| self.transmit(now, seq))
            }
            Connection::SynDue { attempt } => {
                self.connection = Connection::SynSent { attempt };
                self.last_sent = now;
                self.restart_timer(now);
                // A SYN itself is not ECN-capable [RFC3168 s6.1.1].
                let body = Body::Syn { ecn: self.parameters.ecn };
                Some(Transmission { body, size: self.parameters.header_size(), ecn: Ecn::NotEct })
            }
            Connection::Closed | Connection::SynSent { .. } => None,
        }
    }

    #[inline(always)]
    fn next_segment(&mut self, now: Time) -> Option<u32> {
        if std::mem::take(&mut self.flight.resend) {
            return Some(self.flight.unacknowledged);
        }
        if self.flight.phase == Phase::Recovery {
            return self.recovery.next_segment(&mut self.flight, &self.window);
        }
        let seq = self.flight.next_in_order(&self.window)?;
        if self.flight.unacknowledged == self.flight.high {
            self.resume(now);
        }
        Some(seq)
    }

    #[inline(always)]
    fn transmit(&mut self, now: Time, seq: u32) -> Transmission {
        let retransmission = seq < self.flight.high;
        if retransmission {
            self.timed = None; // the repair of a loss would be part of the round trip
            if self.flight.phase == Phase::Recovery {
                self.control.get().on_lost(now, 1);
            }
        } else {
            self.flight.high = seq + 1;
            self.timed = self.timed.or(Some((seq, now)));
        }
        self.last_sent = now;
        if self.retransmission == Time::NEVER {
            self.restart_timer(now);
        }
        let size = self.parameters.packet_size();
        if let Some(times) = &mut self.send_times {
            times.on_sent(now, seq);
        }
        if self.pacer.is_some() {
            self.pace(now, size);
        }
        let (ecn, cwr) = self.ecn.mark(retransmission);
        Transmission { body: Body::Segment { seq, retransmission, cwr }, size, ecn }
    }

    /// A paced segment of `size` bytes leaves.
    #[inline(never)]
    fn pace(&mut self, now: Time, size: u32) {
        let own = self.control.get().pacing_rate(now, &self.window);
        let rate = own.or_else(|| default_rate(&self.window, size, self.estimator.smoothed(&self.parameters)));
        if let Some(pacer) = &mut self.pacer {
            pacer.on_sent(now, size, rate);
        }
    }

    /// Something is sent again after nothing was outstanding. After an idle time longer than the timeout the path is unknown
    /// [RFC5681 s4.1].
    fn resume(&mut self, now: Time) {
        if self.parameters.restart_after_idle && now.since(self.last_sent) > self.estimator.timeout() {
            self.window.size = self.window.size.min(self.parameters.first_window().size);
        }
        self.control.get().on_resume(now, &mut self.window);
    }

    fn restart_timer(&mut self, now: Time) {
        self.retransmission = now + self.estimator.timeout();
    }

    /// Bytes of each segment on the wire, headers included.
    #[inline]
    pub fn packet_size(&self) -> u32 {
        self.parameters.packet_size()
    }

    /// cwnd, in segments.
    pub fn congestion_window(&self) -> f64 {
        self.window.size
    }

    /// ssthresh, in segments.
    pub fn slow_start_threshold(&self) -> f64 {
        self.window.threshold
    }

    /// Segments sent and not acknowledged; after going back, those sent since.
    pub fn in_flight(&self) -> u32 {
        self.flight.in_flight()
    }

    /// Whether all that was offered (so far) has been acknowledged.
    pub fn is_finished(&self) -> bool {
        self.flight.unacknowledged == self.flight.offered
    }

    /// Segments acknowledged.
    pub fn acknowledged(&self) -> u32 {
        self.flight.unacknowledged
    }
}
