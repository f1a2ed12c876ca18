//! The sending end.

mod acknowledgements;
mod contract;
mod deferral;
mod option_state;
mod output;
mod spurious_timeout;
mod timed_losses;
mod window_reduction;

use super::ecn::EcnSender;
use super::output_gate::OutputGate;
use super::push::Push;
use super::repeats::Repeats;
use super::rtt::Estimator;
use super::segment_records::SegmentRecords;
use super::Parameters;
use crate::prefetch::prefetch;
use crate::probe::Probe;
use crate::site::Site;
use crate::transport::congestion_control::{AnyCongestionControl, RttSampling, Timeout, Window};
use crate::transport::recovery::{AnyRecovery, Flight, LossDetection, Phase, RetransmitDelay};
use crate::units::{Duration, Time};
use option_state::OptionState;
use std::sync::Arc;

/// A TCP sender: decides when to send which segment.
#[derive(Clone, Debug)]
pub struct Sender {
    parameters: Arc<Parameters>,
    connection: Connection,
    flight: Flight,
    window: Window,
    control: AnyCongestionControl,
    recovery: AnyRecovery,
    estimator: Estimator,
    /// Timed segment, or [`NONE_TIMED`]. It is never a retransmission (Karn's rule) [RFC6298 s3].
    timed: u32,
    /// Sending time of the timed segment.
    timed_at: Time,
    /// Records of outstanding segments, for a congestion control that requests reports.
    records: Option<Box<SegmentRecords>>,
    /// Time at which the retransmission timer expires.
    retransmission: Time,
    last_sent: Time,
    ecn: EcnSender,
    gate: Option<Box<OutputGate>>,
    /// Whether [`Sender::on_predicted_ack`] currently applies: no segment is being repaired or paced.
    predicts_acks: bool,
    /// Whether no acknowledgement of new data has arrived since the last timeout.
    stalled: bool,
    /// With `push`, whether the next segment is the second of a pair, provided that it leaves at the same time as the last one.
    ends_pair: Option<bool>,
    /// State of options that few senders have.
    options: Option<Box<OptionState>>,
}

/// Marks the absence of a timed segment; above every segment number.
const NONE_TIMED: u32 = u32::MAX;

/// Phase of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    Closed,
    SynDue { attempt: u32 },
    SynSent { attempt: u32 },
    Open,
}

crate::state! {
    impl Sender, |it, now| {
        /// Congestion window (cwnd) [RFC5681 s2].
        "cwnd", "segments", is it.window.size;
        /// Slow-start threshold (ssthresh) [RFC5681 s3.1], if there is one.
        "ssthresh", "segments", maybe Some(it.window.threshold).filter(|threshold| threshold.is_finite());
        /// Smoothed round trip (SRTT) [RFC6298 s2], after the first measurement.
        "srtt", "s", maybe it.estimator.smoothed(&it.parameters).map(Duration::as_seconds);
        /// Variation of the round trip (RTTVAR) [RFC6298 s2], after the first measurement.
        "rttvar", "s", maybe it.estimator.variation(&it.parameters).map(Duration::as_seconds);
        /// Retransmission timeout, with bounds and back-off (RTO) [RFC6298 s2].
        "rto", "s", is it.estimator.timeout().as_seconds();
        /// Segments sent and not acknowledged (FlightSize) [RFC5681 s2]; in go-back-N, those sent since going back.
        "in-flight", "segments", is f64::from(it.flight.in_flight());
        /// The same in bytes on the wire.
        "in-flight-bytes", "bytes", is f64::from(it.flight.in_flight()) * f64::from(it.parameters.packet_size());
        /// Whether the sender is in fast recovery: 1 or 0.
        "in-recovery", "1", is f64::from(u8::from(it.flight.phase == Phase::Recovery));
    }
}

impl Sender {
    /// Congestion control of the sender, to read its state.
    pub fn congestion_control(&self) -> &impl Probe {
        &self.control
    }

    /// A sender without data or a connection.
    ///
    /// The ticks of its clock are at multiples of `timer-tick` minus `clock_offset`. Senders that start together need different offsets.
    /// With equal ones, all times measured from a tick would be rounded down.
    pub fn new(parameters: &Arc<Parameters>, clock_offset: Duration, site: &Site) -> Sender {
        let (plan, control) = (parameters.recovery_plan(), parameters.congestion_control_plan());
        let mut control = AnyCongestionControl::new(&control, &parameters.connection_context(site.child("congestion-control")));
        let recovery = AnyRecovery::new(&plan, &site.child("recovery"));
        let detection = LossDetection {
            dup_ack_threshold: parameters.dup_ack_threshold.0,
            limited_transmit: parameters.limited_transmit,
            uses_blocks: plan.uses_blocks(),
            recover_check: recovery.recover_check(),
        };
        let paced = parameters.pacing || control.get().paces();
        let may_wait = recovery.retransmit_delay() != RetransmitDelay::None;
        let ecn_use = parameters.with_own_echo(control.get().ecn_use());
        let reports = control.get().needs().reports;
        let times_all = control.get().rtt_sampling() == RttSampling::EveryAck;
        let mut flight = Flight::new(detection, parameters.segments(parameters.max_window));
        let by_time = recovery.detection().map(|it| it.with_timestamps(parameters.timestamps));
        flight.sent = (parameters.timestamps || parameters.tso_defer || times_all || by_time.is_some()).then(Box::default);
        let times_losses = by_time.is_some();
        flight.sent.iter_mut().for_each(|sent| sent.detection.clone_from(&by_time));
        let mut sender = Sender {
            parameters: Arc::clone(parameters),
            connection: Connection::Closed,
            flight,
            window: parameters.first_window(),
            control,
            recovery,
            estimator: Estimator::new(parameters, clock_offset),
            timed: NONE_TIMED,
            timed_at: Time::ZERO,
            records: reports.then(|| Box::new(SegmentRecords::new(times_losses))),
            retransmission: Time::NEVER,
            last_sent: Time::ZERO,
            ecn: EcnSender::new(parameters.both_have_ecn() && !parameters.syn, ecn_use),
            gate: (paced || may_wait).then(|| Box::new(OutputGate::new(paced))),
            predicts_acks: false,
            stalled: false,
            ends_pair: (parameters.push == Push::Pairs).then_some(false),
            options: OptionState::new(parameters),
        };
        sender.update_prediction();
        sender
    }

    /// Prefetches the memory that an acknowledgement needs.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.flight);
        prefetch(&self.window);
        prefetch(&self.timed);
        prefetch(&self.timed_at);
        prefetch(&self.retransmission);
        prefetch(&self.last_sent);
        prefetch(&self.estimator);
        prefetch(&self.predicts_acks);
        prefetch(&self.control);
    }

    /// Starts counting segments sent a third time or later, beginning at `from`. Must be called before anything is sent.
    pub fn record_repeats(&mut self, from: Time) {
        self.options.get_or_insert_default().repeats = Some(Repeats::new(from));
    }

    /// Number of segments sent a third time or later; `None` if not requested.
    pub fn repeats(&self) -> Option<u64> {
        Some(self.options.as_ref()?.repeats.as_ref()?.count)
    }

    /// Times segment `seq`, which is sent for the first time, unless another one is timed.
    #[inline(always)]
    fn time(&mut self, now: Time, seq: u32) {
        if self.timed == NONE_TIMED {
            (self.timed, self.timed_at) = (seq, now);
        }
    }

    /// Records that segments from `first` up to `end` are sent again.
    #[inline(always)]
    fn count_repeats(&mut self, now: Time, first: u32, end: u32) {
        if let Some(repeats) = self.options.as_mut().and_then(|options| options.repeats.as_mut()) {
            repeats.on_resent(now, (first, end), self.flight.unacknowledged);
        }
    }

    /// Handles the acceptance of the connection, with ECN if both ends want it (`ecn`) [RFC3168 s6.1.1].
    pub fn on_syn_ack(&mut self, now: Time, ecn: bool) {
        let Connection::SynSent { attempt } = self.connection else { return };
        self.connection = Connection::Open;
        self.retransmission = Time::NEVER;
        self.ecn.negotiated = ecn && self.parameters.ecn;
        if attempt == 0 {
            self.estimator.on_sample(&self.parameters, self.last_sent, now, (0, 0));
            self.report_sample(now, now.since(self.last_sent));
        } else {
            self.window.size = 1.0; // [RFC5681 s3.1]: no larger initial window after a lost SYN
            self.estimator.on_lost_syn(&self.parameters);
        }
        self.update_prediction();
    }

    /// Handles the expiry of the retransmission timer [RFC6298 s5.4 to 5.7; RFC5681 s3.1].
    fn on_timeout(&mut self, now: Time) {
        self.estimator.back_off(&self.parameters);
        if let Connection::SynSent { attempt } = self.connection {
            self.connection = Connection::SynDue { attempt: attempt + 1 };
            return;
        }
        if let Some(sent) = self.flight.sent.as_mut().filter(|_| !self.stalled) {
            sent.before_timeout = (self.flight.phase == Phase::Normal).then(|| self.window.clone());
        }
        self.begin_timeout_check();
        self.begin_reduction_check();
        let mut in_flight = self.flight.flight_size();
        if self.flight.phase == Phase::Recovery {
            // The segments by which duplicates have inflated the window have left the network [RFC5681 s3.1 (4), s3.2 (6)].
            self.window.size = self.window.threshold;
            in_flight = in_flight.min(self.window.usable());
        }
        let (in_flight, repeated) = self.timeout_base(in_flight);
        let timeout = Timeout { now, in_flight, repeated };
        self.cancel_mark_reduction();
        self.control.get().on_timeout(&timeout, &mut self.window);
        self.ecn.on_reduction(self.flight.high);
        self.stalled = true;
        if self.times_losses() {
            return self.repair_after_timeout(now);
        }
        self.records.iter_mut().for_each(|records| records.lose_all());
        if !self.parameters.keep_scoreboard {
            self.flight.scoreboard.clear();
        }
        self.flight.go_back(&mut self.window);
        self.cancel_wait();
        self.restart_timer(now);
    }

    /// Ends the wait before a retransmission.
    fn cancel_wait(&mut self) {
        self.flight.waits = false;
        if let Some(gate) = &mut self.gate {
            gate.wait_end = Time::NEVER;
        }
    }

    /// Handles a source quench: slow start begins with one segment, and ssthresh does not change [RFC1122 s4.2.3.9].
    pub fn on_source_quench(&mut self) {
        self.window.size = 1.0;
    }

    /// [`Sender::deadline`] after a predicted acknowledgement. Paced senders never have one.
    #[inline(always)]
    pub fn predicted_deadline(&self) -> Time {
        debug_assert!(self.gate.as_ref().is_none_or(|gate| gate.wake() == Time::NEVER));
        self.retransmission
    }

    /// Whether the retransmission timer has expired, so that [`Sender::on_deadline`] does more than send a paced segment.
    #[inline]
    pub fn is_timeout_due(&self, now: Time) -> bool {
        now >= self.retransmission && !self.waits_for_other_event()
    }

    /// Whether the wait before a retransmission is over, or a probe or a loss check is due.
    pub fn is_retransmission_due(&self, now: Time) -> bool {
        now >= self.retransmission && self.waits_for_other_event() || self.gate.as_ref().is_some_and(|gate| gate.wait_end <= now)
    }

    fn restart_timer(&mut self, now: Time) {
        self.retransmission = now + self.estimator.timeout();
    }

    /// cwnd, in segments.
    pub fn congestion_window(&self) -> f64 {
        self.window.size
    }

    /// ssthresh, in segments.
    pub fn slow_start_threshold(&self) -> f64 {
        self.window.threshold
    }

    /// Number of segments sent and not acknowledged; in go-back-N, of those sent since going back.
    pub fn in_flight(&self) -> u32 {
        self.flight.in_flight()
    }

    /// Whether only `max-window` prevents sending: that many segments are outstanding, and cwnd permits at least as many.
    pub fn is_held_by_max_window(&self) -> bool {
        let most = self.parameters.most_outstanding();
        self.connection == Connection::Open && self.window.size >= f64::from(most) && self.flight.in_flight() >= most
    }

    /// Number of acknowledged segments.
    pub fn acknowledged(&self) -> u32 {
        self.flight.unacknowledged
    }
}
