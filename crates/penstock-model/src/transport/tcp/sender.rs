//! The sending end.

use super::congestion::Window;
use super::rtt::Estimator;
use super::sack::{Outstanding, Scoreboard};
use super::{Parameters, Transmission, Variant};
use crate::packet::{Ack, Body};
use crate::units::{Duration, Time};
use std::sync::Arc;

/// A TCP sender: decides which segment goes out when.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(super) parameters: Arc<Parameters>,
    connection: Connection,
    pub(super) phase: Phase,
    pub(super) window: Window,
    estimator: Estimator,
    pub(super) scoreboard: Scoreboard,
    /// The segment whose round trip is being measured, and when it was sent. Never one that was sent again (Karn's
    /// rule) [RFC6298 s3].
    timed: Option<(u32, Time)>,
    deadline: Time,
    last_sent: Time,
    /// Segments that the application has handed over.
    offered: u32,
    /// The first segment that is not acknowledged (SND.UNA).
    pub(super) unacknowledged: u32,
    /// The segment to send next (SND.NXT).
    pub(super) next: u32,
    /// The segment after the highest that was ever sent.
    pub(super) high: u32,
    /// What had been sent when the last loss was seen.
    pub(super) recover: u32,
    /// Duplicate acknowledgements in a row.
    pub(super) duplicates: u32,
    /// The first unacknowledged segment goes out again before anything else.
    pub(super) resend: bool,
    /// No acknowledgement of new data has come since the last timeout.
    stalled: bool,
    /// A partial acknowledgement has come in this recovery.
    pub(super) partial_seen: bool,
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

/// What the sender is doing about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// None is known.
    Normal,
    /// Fast recovery.
    Recovery,
    /// Going back over what may have been lost; duplicate acknowledgements mean nothing.
    GoBack,
}

impl Sender {
    /// A sender that has nothing to send and no connection.
    ///
    /// The ticks of its clock fall at multiples of `timer-tick` less `clock_offset`. Senders that begin together need
    /// offsets of their own: with one for all, what is measured from a tick on would always be rounded down.
    pub fn new(parameters: &Arc<Parameters>, clock_offset: Duration) -> Sender {
        Sender {
            parameters: Arc::clone(parameters),
            connection: Connection::Closed,
            phase: Phase::Normal,
            window: Window::new(parameters),
            estimator: Estimator::new(parameters, clock_offset),
            scoreboard: Scoreboard::default(),
            timed: None,
            deadline: Time::NEVER,
            last_sent: Time::ZERO,
            offered: 0,
            unacknowledged: 0,
            next: 0,
            high: 0,
            recover: 0,
            duplicates: 0,
            resend: false,
            stalled: false,
            partial_seen: false,
        }
    }

    /// The application hands over so many more segments; `None` is as many as there are sequence numbers.
    pub fn offer(&mut self, segments: Option<u32>) {
        self.offered = segments.map_or(u32::MAX, |segments| self.offered.saturating_add(segments));
    }

    /// The application falls silent: what has been sent is still repaired, nothing new goes out.
    pub fn withdraw(&mut self) {
        self.offered = self.offered.min(self.high);
    }

    /// Opens the connection: with a SYN, or at once.
    pub fn start(&mut self, now: Time) {
        debug_assert!(self.connection == Connection::Closed, "started twice");
        self.last_sent = now;
        self.connection = if self.parameters.syn { Connection::SynDue { attempt: 0 } } else { Connection::Open };
    }

    /// The connection was granted.
    pub fn on_syn_ack(&mut self, now: Time) {
        let Connection::SynSent { attempt } = self.connection else { return };
        self.connection = Connection::Open;
        self.deadline = Time::NEVER;
        if attempt == 0 {
            self.estimator.on_sample(&self.parameters, self.last_sent, now);
        } else {
            self.window.size = 1.0; // [RFC5681 s3.1]: no larger initial window after a lost SYN
            self.estimator.on_lost_syn(&self.parameters);
        }
    }

    /// An acknowledgement arrived.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        debug_assert!(ack.next <= self.high, "acknowledges what was never sent");
        if ack.next > self.unacknowledged {
            self.on_new_ack(now, ack);
        } else if ack.next == self.unacknowledged && self.high > self.unacknowledged {
            self.on_duplicate_ack(now, ack);
        }
    }

    /// Does what [`Sender::on_ack`] and [`Sender::next_transmission`] do, until there is nothing more to send, about an
    /// acknowledgement without blocks as most are: of something new but not of all, outside fast recovery. Returns the
    /// segments that go out; `None` if the acknowledgement is another one, which changes nothing.
    #[inline(always)]
    pub fn on_usual_ack(&mut self, now: Time, next: u32) -> Option<Segments> {
        let is_usual = self.phase != Phase::Recovery && self.unacknowledged < next && next < self.high && self.scoreboard.is_empty();
        if !is_usual {
            return None;
        }
        self.on_progress(now, next);
        self.window.grow();
        if self.phase == Phase::GoBack {
            self.leave_go_back();
        }
        self.restart_timer(now);
        let (first, high) = (self.next, self.high);
        let end = self.offered.min(next.saturating_add(self.window.usable())).max(first);
        if first < end {
            if first < high {
                self.timed = None; // as in `transmit`
            }
            if high < end {
                self.timed = self.timed.or(Some((high, now)));
                self.high = end;
            }
            self.next = end;
            self.last_sent = now;
        }
        Some(Segments { first, end, new_from: high })
    }

    /// Segments up to `next` have arrived, not all of them known before.
    #[inline(always)]
    fn on_progress(&mut self, now: Time, next: u32) {
        self.unacknowledged = next;
        self.next = self.next.max(next);
        self.duplicates = 0;
        self.resend = false;
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
        }
    }

    fn on_new_ack(&mut self, now: Time, ack: &Ack) {
        let acknowledged = ack.next - self.unacknowledged;
        self.on_progress(now, ack.next);
        if self.parameters.variant == Variant::Sack {
            self.scoreboard.remove_below(ack.next);
            self.scoreboard.update(ack.blocks(), ack.next, self.parameters.dup_ack_threshold.0);
        }
        let restart_timer = match self.phase {
            Phase::Normal => {
                self.window.grow();
                true
            }
            Phase::GoBack => {
                self.window.grow();
                self.leave_go_back();
                true
            }
            Phase::Recovery => self.on_ack_in_recovery(acknowledged),
        };
        if self.unacknowledged == self.high {
            self.deadline = Time::NEVER;
        } else if restart_timer {
            self.restart_timer(now);
        }
    }

    /// The retransmission timer expired [RFC6298 s5.4 to 5.7; RFC5681 s3.1].
    pub fn on_timeout(&mut self, now: Time) {
        debug_assert!(now >= self.deadline);
        self.estimator.back_off(&self.parameters);
        if let Connection::SynSent { attempt } = self.connection {
            self.connection = Connection::SynDue { attempt: attempt + 1 };
            return;
        }
        // ssthresh stays when a segment times out again [RFC5681 s3.1].
        if !self.stalled {
            let flight = self.in_flight();
            self.window.halve_threshold(flight);
        }
        self.stalled = true;
        self.scoreboard.clear();
        self.go_back();
        self.restart_timer(now);
    }

    /// A source quench has come: slow start begins with one segment, and its threshold stays [RFC1122 s4.2.3.9].
    pub fn on_source_quench(&mut self) {
        self.window.size = 1.0;
    }

    /// When [`Sender::on_timeout`] is due; [`Time::NEVER`] when no timer runs.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// What to send now, if anything.
    #[inline(always)]
    pub fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        match self.connection {
            Connection::Open => self.next_segment(now).map(|seq| self.transmit(now, seq)),
            Connection::SynDue { attempt } => {
                self.connection = Connection::SynSent { attempt };
                self.last_sent = now;
                self.restart_timer(now);
                Some(Transmission { body: Body::Syn, size: self.parameters.header_size() })
            }
            Connection::Closed | Connection::SynSent { .. } => None,
        }
    }

    #[inline(always)]
    fn next_segment(&mut self, now: Time) -> Option<u32> {
        if std::mem::take(&mut self.resend) {
            return Some(self.unacknowledged);
        }
        if self.phase == Phase::Recovery && self.parameters.variant == Variant::Sack {
            return self.next_of_scoreboard();
        }
        let seq = if self.next < self.high { self.scoreboard.next_hole(self.next) } else { self.next };
        if !self.may_send(seq) {
            return None;
        }
        if self.unacknowledged == self.high {
            self.restart_window_if_idle(now);
        }
        self.next = seq + 1;
        Some(seq)
    }

    /// Whether `seq` is there to be sent and the windows admit it.
    #[inline]
    fn may_send(&self, seq: u32) -> bool {
        let in_network = seq - self.unacknowledged - self.scoreboard_credit(seq);
        self.is_within_reach(seq) && in_network < (self.window.size as u32).saturating_add(self.limited_transmit())
    }

    /// Whether the application has offered `seq` and the receiver's window reaches beyond it.
    #[inline]
    pub(super) fn is_within_reach(&self, seq: u32) -> bool {
        seq < self.offered && seq - self.unacknowledged < self.window.max
    }

    #[inline(always)]
    fn transmit(&mut self, now: Time, seq: u32) -> Transmission {
        let retransmission = seq < self.high;
        if retransmission {
            self.timed = None; // the repair of a loss would be part of the round trip
        } else {
            self.high = seq + 1;
            self.timed = self.timed.or(Some((seq, now)));
        }
        self.last_sent = now;
        if self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
        Transmission { body: Body::Segment { seq, retransmission }, size: self.parameters.packet_size() }
    }

    /// After an idle time longer than the timeout the path is unknown again [RFC5681 s4.1].
    fn restart_window_if_idle(&mut self, now: Time) {
        if self.parameters.restart_after_idle && now.since(self.last_sent) > self.estimator.timeout() {
            self.window.size = self.window.size.min(Window::initial(&self.parameters));
        }
    }

    pub(super) fn restart_timer(&mut self, now: Time) {
        self.deadline = now + self.estimator.timeout();
    }

    pub(super) fn outstanding(&self) -> Outstanding {
        Outstanding { unacknowledged: self.unacknowledged, high: self.high }
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
        self.next - self.unacknowledged
    }

    /// Whether all that was offered (so far) has been acknowledged.
    pub fn is_finished(&self) -> bool {
        self.unacknowledged == self.offered
    }

    /// Segments acknowledged.
    pub fn acknowledged(&self) -> u32 {
        self.unacknowledged
    }
}
