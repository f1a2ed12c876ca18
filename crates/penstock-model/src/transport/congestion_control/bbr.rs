//! BBR, version 1.

pub(super) mod max_filter;

use super::{AckReport, Acknowledgement, Congestion, CongestionControl, ConnectionContext, Needs, RttSample, SentSegment, Timeout, Window};
use crate::parameters::{own, Check, Count};
use crate::rng::Stream;
use crate::units::{Duration, Rate, Time};
use max_filter::MaxFilter;
use std::any::Any;

crate::parameters! {
    /// BBR, version 1: sends at the measured rate of the bottleneck, with at most about two bandwidth-delay products in flight.
    ///
    /// ## Decides
    /// Every acknowledgement gives a sample of the delivery rate. BtlBw is the maximum of the samples of the last
    /// `btlbw-filter-len` round trips; RTprop is the shortest round trip of the last `rtprop-filter-len`. The pacing rate is
    /// pacing_gain x BtlBw, and cwnd grows up to cwnd_gain x BtlBw x RTprop plus three bursts, each of what the pacing rate sends in a
    /// millisecond. Losses and marks do not change the rate.
    ///
    /// | state | pacing gain | cwnd gain | ends |
    /// |---|---|---|---|
    /// | Startup | 2/ln 2 | 2/ln 2 | when BtlBw has grown by less than a quarter in three round trips |
    /// | Drain | ln 2/2 | 2/ln 2 | when at most BtlBw x RTprop is in flight |
    /// | ProbeBW | 5/4, 3/4, then six times 1, about RTprop each | 2 | with ProbeRTT |
    /// | ProbeRTT | 1 | cwnd is at most four segments | after `probe-rtt-duration` and a round trip |
    ///
    /// ProbeRTT interrupts any state when RTprop was not measured again for `rtprop-filter-len`. ProbeBW starts at a random phase,
    /// but not at the phase of 3/4. In the first round trip of a fast recovery, one segment is sent for each that is delivered
    /// (packet conservation). After the recovery, cwnd returns to its earlier value. After a timeout, cwnd starts at one segment;
    /// it is restored when all data sent before the timeout is acknowledged.
    ///
    /// ## State
    /// About 250 bytes, and 40 bytes per outstanding segment. The cost per acknowledgement grows with the number of segments that it newly
    /// acknowledges.
    ///
    /// ## Departures
    /// - The first measured round trip sets the initial pacing rate, even if it comes after the first segments, as in Linux;
    ///   [Cardwell17 s4.2.1] uses only the round trip of the SYN exchange.
    /// - A burst (send_quantum) only affects cwnd: segments leave one by one.
    /// - After an idle period, `restart-after-idle` sets cwnd until the first acknowledgement.
    /// - There are no timestamps, so a retransmitted segment gives no round trip.
    /// - BBR replaces the cwnd of the recovery after each acknowledgement; the recovery chooses the segments to retransmit.
    /// - cwnd is saved before ProbeRTT begins, as in the text of [Cardwell17 s4.2.3.4]; the pseudocode of s4.3.5 saves it
    ///   afterwards, so that a larger older value is restored.
    /// - A sample counts as limited by the application only if the application had nothing to send while no recovery was under way.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.bbr = {}, recovery.sack = {} }
    /// ```
    ///
    /// ## References
    /// draft-cardwell-iccrg-bbr-congestion-control-00 [Cardwell17]; draft-cheng-iccrg-delivery-rate-estimation [Cheng21] on the samples;
    /// an acknowledgement takes the sample of the segment sent last, as in draft-ietf-ccwg-bbr s4.1.2.3.
    pub struct Parameters {
        /// Round trips over which BtlBw is the maximum (BtlBwFilterLen) [Cardwell17 s4.1.1.2].
        btlbw_filter_len: Count = "10";
        /// Time over which RTprop is the minimum (RTpropFilterLen) [Cardwell17 s4.1.2.2].
        rtprop_filter_len: Duration = "10 s", changeable;
        /// Duration of ProbeRTT (ProbeRTTDuration) [Cardwell17 s4.3.5].
        probe_rtt_duration: Duration = "200 ms", changeable;
    }
}
impl Check for Parameters {}

/// 2/ln 2 (BBRHighGain), the minimum gain that doubles the rate every round trip [Cardwell17 s4.3.2.1].
const HIGH_GAIN: f64 = 2.0 / std::f64::consts::LN_2;
/// pacing_gain_cycle [Cardwell17 s4.3.4.3].
const GAIN_CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// cwnd_gain in ProbeBW [Cardwell17 s4.3.4.1].
const PROBE_BW_CWND_GAIN: f64 = 2.0;
/// BBRMinPipeCwnd, in segments [Cardwell17 s4.2.3.3].
const MIN_PIPE_CWND: f64 = 4.0;
/// The pipe is full after this number of rounds in which BtlBw grows by less than this factor [Cardwell17 s4.3.2.2].
const FULL_BW: (f64, u32) = (1.25, 3);

/// The states of the machine [Cardwell17 s4.3].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// The control of a connection. Rates are in segments per second, cwnd in segments.
#[derive(Clone, Debug)]
pub struct Bbr {
    rtprop_filter_len: Duration,
    probe_rtt_duration: Duration,
    packet_size: f64,
    stream: Stream,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    pacing_rate: f64,
    btlbw: MaxFilter,
    rtprop: Option<Duration>,
    rtprop_stamp: Time,
    rtprop_expired: bool,
    round_count: u32,
    round_start: bool,
    next_round_delivered: u32,
    filled_pipe: bool,
    full_bw: f64,
    full_bw_count: u32,
    cycle_index: usize,
    cycle_stamp: Time,
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    initial_cwnd: f64,
    cwnd: f64,
    prior_cwnd: f64,
    loss: LossState,
    packet_conservation: bool,
}

/// Phase of the repair of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LossState {
    Open,
    /// The acknowledgement being processed has started a fast recovery.
    Entering,
    Recovery,
    AfterTimeout,
}

impl Bbr {
    /// The control of a new connection (BBRInit) [Cardwell17 s4.3.1].
    pub fn new(parameters: &Parameters, context: &ConnectionContext) -> Bbr {
        Bbr {
            rtprop_filter_len: parameters.rtprop_filter_len,
            probe_rtt_duration: parameters.probe_rtt_duration,
            packet_size: f64::from(context.packet_size),
            stream: context.site.key.stream(),
            state: State::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing_rate: 0.0,
            btlbw: MaxFilter::new(parameters.btlbw_filter_len.0),
            rtprop: None,
            rtprop_stamp: Time::ZERO,
            rtprop_expired: false,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            filled_pipe: false,
            full_bw: 0.0,
            full_bw_count: 0,
            cycle_index: 0,
            cycle_stamp: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            initial_cwnd: 0.0,
            cwnd: 0.0,
            prior_cwnd: 0.0,
            loss: LossState::Open,
            packet_conservation: false,
        }
    }

    /// Initialises cwnd and the pacing rate at the first event, when the window of a new connection is known. Assumes 1 ms for a round trip
    /// that has not been measured (BBRInitPacingRate) [Cardwell17 s4.2.1].
    fn learn_initial_window(&mut self, window: &Window) {
        if self.initial_cwnd == 0.0 {
            (self.initial_cwnd, self.cwnd) = (window.size, window.size);
            self.pacing_rate = HIGH_GAIN * window.size / 1e-3;
        }
    }

    /// BBRInflight: `gain` BDPs plus three bursts [Cardwell17 s4.2.3.2].
    fn inflight(&self, gain: f64) -> f64 {
        match self.rtprop {
            None => self.initial_cwnd,
            Some(rtprop) => gain * self.btlbw.max() * rtprop.as_seconds() + 3.0 * self.send_quantum(),
        }
    }

    /// Number of segments of a burst (send_quantum): one below 1.2 Mbit/s, two below 24 Mbit/s, otherwise as many as leave in a
    /// millisecond, at most 64 kB [Cardwell17 s4.2.2].
    fn send_quantum(&self) -> f64 {
        let bits = self.pacing_rate * self.packet_size * 8.0;
        if bits < 1.2e6 {
            1.0
        } else if bits < 24e6 {
            2.0
        } else {
            (self.pacing_rate * 1e-3).min(65_536.0 / self.packet_size).max(1.0)
        }
    }

    /// BBRSetPacingRateWithGain [Cardwell17 s4.2.1].
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.btlbw.max();
        if rate > 0.0 && (self.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// BBRUpdateBtlBw, with BBRUpdateRound [Cardwell17 s4.1.1].
    fn update_btlbw(&mut self, report: &AckReport) {
        self.round_start = false;
        let Some(sample) = report.rate else { return };
        if sample.prior_delivered >= self.next_round_delivered {
            self.next_round_delivered = report.delivered;
            self.round_count += 1;
            self.round_start = true;
        }
        let rate = f64::from(sample.delivered) / sample.interval.as_seconds();
        if rate >= self.btlbw.max() || !sample.is_app_limited {
            self.btlbw.update(self.round_count, rate);
        }
    }

    /// BBRCheckCyclePhase, with BBRIsNextCyclePhase [Cardwell17 s4.3.4.3].
    fn check_cycle_phase(&mut self, report: &AckReport) {
        if self.state != State::ProbeBw {
            return;
        }
        let is_full_length = self.rtprop.is_some_and(|rtprop| report.now.since(self.cycle_stamp) > rtprop);
        let before = f64::from(report.in_flight_before);
        let is_over = if self.pacing_gain > 1.0 {
            is_full_length && (report.newly_lost > 0 || before >= self.inflight(self.pacing_gain))
        } else {
            is_full_length || self.pacing_gain < 1.0 && before <= self.inflight(1.0)
        };
        if is_over {
            self.advance_cycle_phase(report.now);
        }
    }

    fn advance_cycle_phase(&mut self, now: Time) {
        self.cycle_stamp = now;
        self.cycle_index = (self.cycle_index + 1) % GAIN_CYCLE.len();
        self.pacing_gain = GAIN_CYCLE[self.cycle_index];
    }

    /// BBRCheckFullPipe [Cardwell17 s4.3.2.2].
    fn check_full_pipe(&mut self, report: &AckReport) {
        if self.filled_pipe || !self.round_start || report.rate.is_none_or(|sample| sample.is_app_limited) {
            return;
        }
        if self.btlbw.max() >= self.full_bw * FULL_BW.0 {
            self.full_bw = self.btlbw.max();
            self.full_bw_count = 0;
            return;
        }
        self.full_bw_count += 1;
        self.filled_pipe = self.full_bw_count >= FULL_BW.1;
    }

    /// BBRCheckDrain [Cardwell17 s4.3.3].
    fn check_drain(&mut self, report: &AckReport) {
        if self.state == State::Startup && self.filled_pipe {
            (self.state, self.pacing_gain, self.cwnd_gain) = (State::Drain, 1.0 / HIGH_GAIN, HIGH_GAIN);
        }
        if self.state == State::Drain && f64::from(report.in_flight) <= self.inflight(1.0) {
            self.enter_probe_bw(report.now);
        }
    }

    /// Enters ProbeBW at a random phase other than the one that drains the queue, since there is no queue [Cardwell17 s4.3.4.2].
    fn enter_probe_bw(&mut self, now: Time) {
        (self.state, self.cwnd_gain) = (State::ProbeBw, PROBE_BW_CWND_GAIN);
        self.cycle_index = GAIN_CYCLE.len() - 1 - self.stream.below(7) as usize; // below 7
        self.advance_cycle_phase(now);
    }

    /// BBRUpdateRTprop [Cardwell17 s4.1.2.3].
    fn update_rtprop(&mut self, report: &AckReport) {
        self.rtprop_expired = report.now > self.rtprop_stamp + self.rtprop_filter_len;
        if let Some(rtt) = report.rtt.filter(|rtt| self.rtprop_expired || self.rtprop.is_none_or(|rtprop| *rtt <= rtprop)) {
            self.rtprop = Some(rtt);
            self.rtprop_stamp = report.now;
        }
    }

    /// BBRCheckProbeRTT [Cardwell17 s4.3.5].
    fn check_probe_rtt(&mut self, report: &AckReport) {
        if self.state != State::ProbeRtt && self.rtprop_expired && !self.idle_restart {
            self.save_cwnd();
            (self.state, self.pacing_gain, self.cwnd_gain) = (State::ProbeRtt, 1.0, 1.0);
            self.probe_rtt_done = None;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(report);
        }
        self.idle_restart = false;
    }

    fn handle_probe_rtt(&mut self, report: &AckReport) {
        match self.probe_rtt_done {
            None if f64::from(report.in_flight) <= MIN_PIPE_CWND => {
                self.probe_rtt_done = Some(report.now + self.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.next_round_delivered = report.delivered;
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done && report.now > done {
                    self.rtprop_stamp = report.now;
                    self.restore_cwnd();
                    self.exit_probe_rtt(report.now);
                }
            }
        }
    }

    fn exit_probe_rtt(&mut self, now: Time) {
        if self.filled_pipe {
            self.enter_probe_bw(now);
        } else {
            (self.state, self.pacing_gain, self.cwnd_gain) = (State::Startup, HIGH_GAIN, HIGH_GAIN);
        }
    }

    /// BBRSaveCwnd [Cardwell17 s4.2.3.4].
    fn save_cwnd(&mut self) {
        let is_undisturbed = self.loss == LossState::Open && self.state != State::ProbeRtt;
        self.prior_cwnd = if is_undisturbed { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// BBRRestoreCwnd [Cardwell17 s4.2.3.4].
    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// BBRModulateCwndForRecovery, and the changes at the start and end of a recovery [Cardwell17 s4.2.3.4].
    fn update_recovery(&mut self, report: &AckReport) {
        let (in_flight, delivered) = (f64::from(report.in_flight), f64::from(report.newly_delivered()));
        match self.loss {
            LossState::Entering => {
                self.loss = LossState::Recovery;
                self.packet_conservation = true;
                self.next_round_delivered = report.delivered; // a round begins
                self.cwnd = in_flight + delivered.max(1.0);
                return;
            }
            LossState::Recovery if self.round_start => self.packet_conservation = false,
            LossState::AfterTimeout if !report.in_recovery => {
                self.loss = LossState::Open;
                self.restore_cwnd();
            }
            _ => {}
        }
        self.cwnd = (self.cwnd - f64::from(report.newly_lost)).max(1.0);
        if self.packet_conservation {
            self.cwnd = self.cwnd.max(in_flight + delivered);
        }
    }

    /// BBRSetCwnd [Cardwell17 s4.2.3.6].
    fn set_cwnd(&mut self, report: &AckReport) {
        let target = self.inflight(self.cwnd_gain);
        self.update_recovery(report);
        if !self.packet_conservation {
            let grown = self.cwnd + f64::from(report.newly_delivered());
            if self.filled_pipe {
                self.cwnd = grown.min(target);
            } else if self.cwnd < target || f64::from(report.delivered) < self.initial_cwnd {
                self.cwnd = grown;
            }
            self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(MIN_PIPE_CWND);
        }
    }
}

crate::state! {
    impl Bbr, |it, _now| {
        /// Estimated rate of the bottleneck (BtlBw) [Cardwell17 s4.1.1].
        "btlbw", "bit/s", is it.btlbw.max() * it.packet_size * 8.0;
        /// Estimated round trip without queues (RTprop) [Cardwell17 s4.1.2], after the first measurement.
        "rtprop", "s", maybe it.rtprop.map(Duration::as_seconds);
        /// Gain of the pacing rate (pacing_gain) [Cardwell17 s4.2.1].
        "pacing-gain", "1", is it.pacing_gain;
        /// State: 0 Startup, 1 Drain, 2 ProbeBW, 3 ProbeRTT.
        "bbr-state", "1", is f64::from(it.state as u8);
    }
}

impl CongestionControl for Bbr {
    fn on_ack(&mut self, _ack: &Acknowledgement, _window: &mut Window) {}

    fn on_congestion(&mut self, _congestion: &Congestion, _window: &mut Window) {}

    fn on_timeout(&mut self, _timeout: &Timeout, _window: &mut Window) {
        self.save_cwnd();
        self.loss = LossState::AfterTimeout;
        self.packet_conservation = false;
        self.cwnd = 1.0;
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, window: &mut Window) {
        self.learn_initial_window(window);
        if self.rtprop.is_none() {
            self.rtprop = Some(sample.rtt);
            self.rtprop_stamp = sample.now;
            self.pacing_rate = HIGH_GAIN * self.initial_cwnd / sample.smoothed.as_seconds();
        }
    }

    fn needs(&self) -> Needs {
        Needs::REPORTS
    }

    /// BBRHandleRestartFromIdle [Cardwell17 s4.3.4.4].
    fn on_sent(&mut self, sent: &SentSegment, window: &mut Window) {
        if self.initial_cwnd == 0.0 {
            self.rtprop_stamp = sent.now; // BBRInit
        }
        self.learn_initial_window(window);
        if sent.in_flight == 0 && sent.app_limited {
            self.idle_restart = true;
            if self.state == State::ProbeBw {
                self.set_pacing_rate(1.0);
            }
        }
    }

    /// BBRUpdateOnACK [Cardwell17 s3.5.2].
    fn on_report(&mut self, report: &AckReport, window: &mut Window) {
        self.update_btlbw(report);
        self.check_cycle_phase(report);
        self.check_full_pipe(report);
        self.check_drain(report);
        self.update_rtprop(report);
        self.check_probe_rtt(report);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(report);
        window.size = self.cwnd.min(f64::from(window.max));
    }

    /// Samples of ProbeRTT do not measure the capacity of the path.
    fn limits_rate(&self) -> bool {
        self.state == State::ProbeRtt
    }

    fn on_recovery_start(&mut self, _now: Time, _window: &mut Window) {
        self.save_cwnd();
        self.loss = LossState::Entering;
    }

    fn on_recovery_end(&mut self, _now: Time, window: &mut Window) {
        self.loss = LossState::Open;
        self.packet_conservation = false;
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
        let it: &Parameters = own(parameters);
        (self.rtprop_filter_len, self.probe_rtt_duration) = (it.rtprop_filter_len, it.probe_rtt_duration);
    }
}

#[cfg(test)]
mod tests;
