//! BBR, version 3.

mod control;
mod machine;
mod model;

use super::bbr::max_filter::MaxFilter;
use super::{AckReport, Acknowledgement, Congestion, CongestionControl, ConnectionContext, LostSegment, Needs, RttSample};
use super::{SentSegment, Timeout, Window};
use crate::parameters::{own, Check, Probability};
use crate::rng::Stream;
use crate::units::{Duration, Rate, Time};
use machine::{AckPhase, State};
use std::any::Any;

crate::parameters! {
    /// BBR, version 3: BBR whose losses set bounds, so that it leaves room for other flows.
    ///
    /// ## Decides
    /// max_bw is the maximum delivery rate of the current and the previous cycle of bandwidth probes, min_rtt the shortest round
    /// trip of the last `min-rtt-filter-len`, and bw the smaller of max_bw and bw_shortterm. The pacing rate is 99 % of pacing_gain
    /// x bw, and cwnd grows up to cwnd_gain x bw x min_rtt plus the recent aggregation of acknowledgements (extra_acked)
    /// [Cardwell26 s5.6].
    ///
    /// | state | pacing gain | cwnd gain | ends |
    /// |---|---|---|---|
    /// | Startup | 2.77 | 2 | when the delivery rate has grown by less than a quarter in three round trips, or when a round trip of recovery has a loss rate above `loss-thresh` and six separate ranges of losses |
    /// | Drain | 0.5 | 2 | when at most bw x min_rtt is in flight, or after three round trips |
    /// | ProbeBW_DOWN | 0.9 | 2 | when at most max_bw x min_rtt and 85 % of inflight_longterm are in flight |
    /// | ProbeBW_CRUISE | 1 | 2 | 2 to 3 s after ProbeBW_DOWN began, or after as many round trips as there are segments in bw x min_rtt, at most 63 |
    /// | ProbeBW_REFILL | 1 | 2 | after a round trip |
    /// | ProbeBW_UP | 1.25 | 2.25 | with a loss rate above `loss-thresh`, or when the delivery rate no longer grows |
    /// | ProbeRTT | 1 | 0.5 | after `probe-rtt-duration` and a round trip |
    ///
    /// A loss rate above `loss-thresh` in a bandwidth probe sets inflight_longterm, a bound of cwnd, to the amount then in flight,
    /// at least `beta` times the target. ProbeBW_UP raises this bound again by 1, 2, 4, ... segments per round trip. After a probe with
    /// such a loss rate, the next probe ends as soon as it reaches the bound [Cardwell26 s5.3.3]. In the other states, a round trip with
    /// a loss reduces bw_shortterm and inflight_shortterm to what was delivered, at least `beta` times their values; the next
    /// ProbeBW_REFILL discards both [Cardwell26 s5.5.10.3]. ProbeRTT interrupts any state after `probe-rtt-interval` without a shorter
    /// round trip [Cardwell26 s5.3.4].
    ///
    /// ## State
    /// About 500 bytes, and 40 bytes per outstanding segment. The cost per acknowledgement grows with the number of segments that it
    /// newly acknowledges.
    ///
    /// ## Departures
    /// - Lengths are segments, and rates segments per second. A burst (send_quantum) only affects cwnd: segments leave one by one.
    /// - No state is saved to undo spurious losses [Cardwell26 s5.5.11]: the model keeps their effect, also if `dsack`, `f-rto` or
    ///   `timestamps` show that a recovery or a timeout was spurious.
    /// - Marks do not change the rate. [Cardwell26 s3.7] specifies no response to them, but requires one.
    /// - A segment counts as lost when the recovery marks it. With `recovery.rack`, one that only a tail loss probe repairs does not.
    /// - The recovery must report selective acknowledgements; the rules for recoveries without them [Cardwell26 s5.3.1.3,
    ///   s5.5.10.2] are left out.
    /// - An acknowledgement without a reliable sample of the delivery rate counts as a rate of zero and ends no round trip.
    /// - A retransmitted segment gives no round trip, also with `timestamps`.
    /// - cwnd counts as full (C.is_cwnd_limited) when the last segment that it allows is sent.
    /// - The losses found by a timer reach the model with the next acknowledgement.
    /// - cwnd is saved before ProbeRTT begins: [Cardwell26 s5.3.4.3] saves it after the state has changed, so that a larger value from
    ///   before is restored.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.bbr3 = {}, recovery.sack = {} }
    /// ```
    ///
    /// ## References
    /// draft-ietf-ccwg-bbr-06 [Cardwell26]; [Cheng21] on the samples.
    pub struct Parameters {
        /// Loss rate that a bandwidth probe tolerates (LossThresh) [Cardwell26 s2.8].
        loss_thresh: Probability = "0.02", changeable;
        /// Minimum factor of a reduction in a round trip (Beta) [Cardwell26 s2.8].
        beta: Probability = "0.7", changeable;
        /// Part of inflight_longterm that is left to others (Headroom) [Cardwell26 s2.8].
        headroom: Probability = "0.15", changeable;
        /// Time over which min_rtt is the minimum (MinRTTFilterLen) [Cardwell26 s2.16.1].
        min_rtt_filter_len: Duration = "10 s", changeable;
        /// Time without a shorter round trip after which ProbeRTT begins (ProbeRTTInterval) [Cardwell26 s2.16.2].
        probe_rtt_interval: Duration = "5 s", changeable;
        /// Duration of ProbeRTT (ProbeRTTDuration) [Cardwell26 s2.16.2].
        probe_rtt_duration: Duration = "200 ms", changeable;
        /// Minimum time between bandwidth probes, to which a random part of `probe-bw-spread` is added (2 s) [Cardwell26 s5.3.3.8].
        probe_bw_wait: Duration = "2 s", changeable;
        /// Range of the random part of the time between bandwidth probes (1 s) [Cardwell26 s5.3.3.8].
        probe_bw_spread: Duration = "1 s", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.min_rtt_filter_len < self.probe_rtt_interval {
            let interval = self.probe_rtt_interval;
            mistake("min-rtt-filter-len", format!("{} is below probe-rtt-interval, which is {interval}", self.min_rtt_filter_len));
        }
        for (key, share) in [("loss-thresh", self.loss_thresh), ("headroom", self.headroom)] {
            if share.0 >= 1.0 {
                mistake(key, format!("{} is out of range; at least 0 and below 1", share.0));
            }
        }
    }
}

/// MinPipeCwnd, in segments [Cardwell26 s2.8].
const MIN_PIPE_CWND: f64 = 4.0;

/// The control of a connection. Rates are in segments per second, amounts in segments. Fields have the names of [Cardwell26 s2].
#[derive(Clone, Debug)]
pub struct Bbr3 {
    parameters: Parameters,
    packet_size: f64,
    stream: Stream,
    state: State,
    pacing_rate: f64,
    initial_cwnd: f64,
    cwnd: f64,
    prior_cwnd: f64,
    /// Whether losses are being repaired.
    in_recovery: bool,
    idle_restart: bool,
    /// Last round in which a segment filled cwnd.
    cwnd_limited_round: Option<u32>,
    // State of round trips.
    round_count: u32,
    round_start: bool,
    next_round_delivered: u32,
    // Model of the path.
    max_bw: MaxFilter,
    cycle_count: u32,
    bw: f64,
    bw_shortterm: f64,
    bw_latest: f64,
    inflight_longterm: f64,
    inflight_shortterm: f64,
    inflight_latest: f64,
    min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    extra_acked: MaxFilter,
    extra_acked_interval_start: Time,
    extra_acked_delivered: f64,
    // State of losses.
    loss_round_start: bool,
    loss_round_delivered: u32,
    is_loss_in_round: bool,
    /// Number of discontiguous ranges lost in the round trip, and the last lost segment.
    lost_ranges: (u32, Option<u32>),
    // Search for the full pipe.
    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    full_bw_reached: bool,
    drain_start_round: u32,
    // State of bandwidth probes.
    ack_phase: AckPhase,
    is_bw_probe_sample: bool,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    bw_probe_up_acked: f64,
    probe_up_acked_per_inc: f64,
    bw_probe_up_rounds: u32,
    rounds_since_probe_up: u32,
    bw_probe_wait: Duration,
    cycle_stamp: Time,
    // State of ProbeRTT.
    probe_rtt_min_delay: Option<Duration>,
    probe_rtt_min_stamp: Time,
    probe_rtt_expired: bool,
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
}

impl Bbr3 {
    /// The control of a new connection (OnInit) [Cardwell26 s5.2.1].
    pub fn new(parameters: &Parameters, context: &ConnectionContext) -> Bbr3 {
        Bbr3 {
            parameters: parameters.clone(),
            packet_size: f64::from(context.packet_size),
            stream: context.site.key.child("bbr3").stream(),
            state: State::Startup,
            pacing_rate: 0.0,
            initial_cwnd: 0.0,
            cwnd: 0.0,
            prior_cwnd: 0.0,
            in_recovery: false,
            idle_restart: false,
            cwnd_limited_round: None,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            max_bw: MaxFilter::new(model::MAX_BW_CYCLES),
            cycle_count: 0,
            bw: 0.0,
            bw_shortterm: f64::INFINITY,
            bw_latest: 0.0,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_latest: 0.0,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            extra_acked: MaxFilter::new(model::EXTRA_ACKED_ROUNDS.0),
            extra_acked_interval_start: Time::ZERO,
            extra_acked_delivered: 0.0,
            loss_round_start: false,
            loss_round_delivered: 0,
            is_loss_in_round: false,
            lost_ranges: (0, None),
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            bw_probe_up_rounds: 0,
            rounds_since_probe_up: 0,
            bw_probe_wait: Duration::ZERO,
            cycle_stamp: Time::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
        }
    }

    /// Initialises cwnd and the pacing rate at the first event, when the window of a new connection is known. Assumes 1 ms for a round trip
    /// that has not been measured (InitPacingRate) [Cardwell26 s5.6.2].
    fn learn_initial_window(&mut self, window: &Window) {
        if self.initial_cwnd == 0.0 {
            (self.initial_cwnd, self.cwnd) = (window.size, window.size);
            self.pacing_rate = machine::STARTUP_PACING_GAIN * window.size / 1e-3;
        }
    }
}

crate::state! {
    impl Bbr3, |it, _now| {
        /// Estimated bandwidth that the flow uses (bw) [Cardwell26 s2.9.1].
        "bw", "bit/s", is it.bw * it.packet_size * 8.0;
        /// Estimated bandwidth of the path (max_bw) [Cardwell26 s2.9.1].
        "max-bw", "bit/s", is it.max_bw.max() * it.packet_size * 8.0;
        /// Estimated round trip without queues (min_rtt) [Cardwell26 s2.9.2], after the first measurement.
        "min-rtt", "s", maybe it.min_rtt.map(Duration::as_seconds);
        /// Bound of the segments in flight from the losses of bandwidth probes (inflight_longterm) [Cardwell26 s2.9.2], if there is one.
        "inflight-longterm", "segments", maybe it.inflight_longterm.is_finite().then_some(it.inflight_longterm);
        /// State: 0 Startup, 1 Drain, 2 ProbeBW_DOWN, 3 ProbeBW_CRUISE, 4 ProbeBW_REFILL, 5 ProbeBW_UP, 6 ProbeRTT.
        "bbr-state", "1", is f64::from(it.state as u8);
    }
}

impl CongestionControl for Bbr3 {
    fn on_ack(&mut self, _ack: &Acknowledgement, _window: &mut Window) {}

    fn on_congestion(&mut self, _congestion: &Congestion, _window: &mut Window) {}

    /// OnEnterRTO [Cardwell26 s5.6.4.4].
    fn on_timeout(&mut self, _timeout: &Timeout, _window: &mut Window) {
        self.save_cwnd();
        self.in_recovery = true;
        self.cwnd = 1.0;
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, window: &mut Window) {
        self.learn_initial_window(window);
        if self.min_rtt.is_none() {
            self.min_rtt = Some(sample.rtt);
            self.min_rtt_stamp = sample.now;
            self.pacing_rate = machine::STARTUP_PACING_GAIN * self.initial_cwnd / sample.smoothed.as_seconds();
        }
    }

    fn needs(&self) -> Needs {
        Needs::REPORTS
    }

    /// OnTransmit [Cardwell26 s5.2.2, s5.4.1].
    fn on_sent(&mut self, sent: &SentSegment, window: &mut Window) {
        if self.initial_cwnd == 0.0 {
            (self.min_rtt_stamp, self.probe_rtt_min_stamp, self.extra_acked_interval_start) = (sent.now, sent.now, sent.now);
        }
        self.learn_initial_window(window);
        if sent.in_flight + 1 >= window.usable() {
            self.cwnd_limited_round = Some(self.round_count);
        }
        if sent.in_flight == 0 && sent.app_limited {
            self.restart_from_idle(sent.now);
            window.size = self.cwnd.min(f64::from(window.max));
        }
    }

    fn on_lost_segment(&mut self, now: Time, lost: &LostSegment) {
        self.handle_lost_segment(now, lost);
    }

    /// UpdateOnACK [Cardwell26 s5.2.3].
    fn on_report(&mut self, report: &AckReport, window: &mut Window) {
        if self.in_recovery && !report.in_recovery {
            self.in_recovery = false;
            self.restore_cwnd();
        }
        self.update_latest_delivery_signals(report);
        self.update_congestion_signals(report);
        self.update_ack_aggregation(report);
        self.check_full_bw_reached(report);
        self.check_startup_done(report);
        self.check_drain_done(report);
        self.update_probe_bw_cycle_phase(report);
        self.update_min_rtt(report);
        self.check_probe_rtt(report);
        self.advance_latest_delivery_signals(report);
        self.bw = self.max_bw.max().min(self.bw_shortterm); // BoundBWForModel
        self.set_pacing_rate(self.state.pacing_gain());
        self.set_cwnd(report);
        window.size = self.cwnd.min(f64::from(window.max));
    }

    /// Samples of ProbeRTT do not measure the capacity of the path.
    fn limits_rate(&self) -> bool {
        self.state == State::ProbeRtt
    }

    /// OnEnterFastRecovery [Cardwell26 s5.6.4.4].
    fn on_recovery_start(&mut self, _now: Time, _window: &mut Window) {
        self.save_cwnd();
        self.in_recovery = true;
    }

    fn on_recovery_end(&mut self, _now: Time, window: &mut Window) {
        self.in_recovery = false;
        self.restore_cwnd();
        window.size = self.cwnd.min(f64::from(window.max));
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self, _now: Time, _window: &Window) -> Option<Rate> {
        Some(Rate::from_bps(((self.pacing_rate * self.packet_size * 8.0) as u64).max(1)))
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.parameters = own::<Parameters>(parameters).clone();
    }
}

#[cfg(test)]
mod tests;
