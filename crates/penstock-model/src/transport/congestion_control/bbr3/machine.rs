//! State machine [Cardwell26 s5.3, s5.4].

use super::super::AckReport;
use super::model::Sample;
use super::Bbr3;
use crate::units::{Duration, Time};

/// StartupPacingGain, 4 ln 2 [Cardwell26 s2.5].
pub(super) const STARTUP_PACING_GAIN: f64 = 2.77;
/// Number of discontiguous ranges lost in a round trip that ends Startup (StartupFullLossCnt) [Cardwell26 s5.3.1.3].
const STARTUP_FULL_LOSS_COUNT: u32 = 6;
/// Maximum number of round trips in Drain [Cardwell26 s5.3.2].
const DRAIN_ROUNDS: u32 = 3;
/// Maximum number of round trips between bandwidth probes [Cardwell26 s5.3.3.8].
const RENO_ROUNDS: f64 = 63.0;
/// Maximum exponent of the growth of inflight_longterm [Cardwell26 s5.3.3.9].
const MOST_PROBE_UP_ROUNDS: u32 = 30;

/// The states of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    ProbeBwDown,
    ProbeBwCruise,
    ProbeBwRefill,
    ProbeBwUp,
    ProbeRtt,
}

/// Meaning of the acknowledgements of a bandwidth probe (ack_phase) [Cardwell26 s2.14].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

impl State {
    /// pacing_gain [Cardwell26 s5.6.1].
    pub fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => 0.5,
            State::ProbeBwDown => 0.9,
            State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeRtt => 1.0,
            State::ProbeBwUp => 1.25,
        }
    }

    /// cwnd_gain [Cardwell26 s5.6.1].
    pub fn cwnd_gain(self) -> f64 {
        match self {
            State::ProbeBwUp => 2.25,
            State::ProbeRtt => 0.5,
            _ => 2.0,
        }
    }

    /// IsInAProbeBWState [Cardwell26 s5.3.3.9].
    fn is_probe_bw(self) -> bool {
        matches!(self, State::ProbeBwDown | State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeBwUp)
    }

    /// IsProbingBW [Cardwell26 s5.3.3.9].
    pub fn is_probing_bw(self) -> bool {
        matches!(self, State::Startup | State::ProbeBwRefill | State::ProbeBwUp)
    }
}

impl Bbr3 {
    /// CheckStartupDone, with CheckStartupHighLoss [Cardwell26 s5.3.1].
    pub(super) fn check_startup_done(&mut self, report: &AckReport) {
        if self.state == State::Startup
            && self.loss_round_start
            && report.in_recovery
            && self.lost_ranges.0 >= STARTUP_FULL_LOSS_COUNT
            && self.is_inflight_too_high(report.lost_since_sending, report.in_flight_at_sending)
        {
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp().max(self.inflight_latest);
        }
        if self.loss_round_start {
            self.lost_ranges = (0, None);
        }
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain; // EnterDrain
            self.drain_start_round = self.round_count;
        }
    }

    /// CheckDrainDone [Cardwell26 s5.3.2].
    pub(super) fn check_drain_done(&mut self, report: &AckReport) {
        let is_drained = f64::from(report.in_flight) <= self.inflight(1.0);
        if self.state == State::Drain && (is_drained || self.round_count > self.drain_start_round + DRAIN_ROUNDS) {
            self.start_probe_bw_down(report.now, report.delivered); // EnterProbeBW
        }
    }

    /// StartProbeBW_DOWN, with PickProbeWait [Cardwell26 s5.3.3.8, s5.3.3.9].
    pub(super) fn start_probe_bw_down(&mut self, now: Time, delivered: u32) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = f64::INFINITY;
        self.rounds_since_probe_up = self.stream.below(2) as u32; // 0 or 1
        let spread = (self.stream.unit() * self.parameters.probe_bw_spread.as_ps() as f64) as u64;
        self.bw_probe_wait = self.parameters.probe_bw_wait + Duration::from_ps(spread);
        self.cycle_stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round(delivered);
        self.state = State::ProbeBwDown;
    }

    /// StartProbeBW_REFILL [Cardwell26 s5.3.3.9].
    fn start_probe_bw_refill(&mut self, delivered: u32) {
        self.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0.0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round(delivered);
        self.state = State::ProbeBwRefill;
    }

    /// StartProbeBW_UP [Cardwell26 s5.3.3.9].
    fn start_probe_bw_up(&mut self, report: &AckReport) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round(report.delivered);
        self.reset_full_bw(Sample::of(report).rate);
        self.state = State::ProbeBwUp;
        self.raise_inflight_longterm_slope();
    }

    /// UpdateProbeBWCyclePhase [Cardwell26 s5.3.3.9].
    pub(super) fn update_probe_bw_cycle_phase(&mut self, report: &AckReport) {
        if !self.full_bw_reached || self.adapt_long_term_model(report) {
            return;
        }
        let goes_down = self.state == State::ProbeBwUp && self.is_time_to_go_down(report);
        match self.state {
            State::ProbeBwDown | State::ProbeBwCruise if self.is_time_to_probe_bw(report.now) => {
                self.start_probe_bw_refill(report.delivered);
            }
            State::ProbeBwDown if self.is_time_to_cruise(report) => self.state = State::ProbeBwCruise,
            State::ProbeBwRefill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_probe_bw_up(report);
            }
            State::ProbeBwUp if goes_down => {
                self.prev_probe_too_high = false;
                self.start_probe_bw_down(report.now, report.delivered);
            }
            _ => {}
        }
    }

    /// IsTimeToProbeBW, with IsRenoCoexistenceProbeTime [Cardwell26 s5.3.3.8].
    fn is_time_to_probe_bw(&self, now: Time) -> bool {
        let rounds = self.target_inflight().min(RENO_ROUNDS);
        now > self.cycle_stamp + self.bw_probe_wait || f64::from(self.rounds_since_probe_up) >= rounds
    }

    /// TargetInflight [Cardwell26 s5.3.3.8].
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp().min(self.cwnd)
    }

    /// IsTimeToCruise [Cardwell26 s5.3.3.9].
    fn is_time_to_cruise(&self, report: &AckReport) -> bool {
        f64::from(report.in_flight) <= self.inflight_with_headroom().min(self.inflight_at_max_bw())
    }

    /// IsTimeToGoDown [Cardwell26 s5.3.3.9].
    fn is_time_to_go_down(&mut self, report: &AckReport) -> bool {
        if self.prev_probe_too_high && f64::from(report.in_flight) >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.is_limited_by_inflight_longterm() {
            self.reset_full_bw(Sample::of(report).rate);
            return false;
        }
        self.full_bw_now
    }

    /// Whether cwnd limits the flow (C.is_cwnd_limited) and inflight_longterm limits cwnd.
    fn is_limited_by_inflight_longterm(&self) -> bool {
        let is_cwnd_limited = self.cwnd_limited_round.is_some_and(|round| round + 1 >= self.round_count);
        is_cwnd_limited && self.cwnd >= self.inflight_longterm
    }

    /// RaiseInflightLongtermSlope [Cardwell26 s5.3.3.9].
    fn raise_inflight_longterm_slope(&mut self) {
        let growth_this_round = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(MOST_PROBE_UP_ROUNDS);
        self.probe_up_acked_per_inc = (self.cwnd / growth_this_round).max(1.0);
    }

    /// ProbeInflightLongtermUpward [Cardwell26 s5.3.3.9].
    fn probe_inflight_longterm_upward(&mut self, report: &AckReport) {
        if !self.is_limited_by_inflight_longterm() {
            return;
        }
        self.bw_probe_up_acked += f64::from(report.newly_delivered());
        let delta = (self.bw_probe_up_acked / self.probe_up_acked_per_inc).floor();
        self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc;
        self.inflight_longterm += delta;
        if self.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// AdaptLongTermModel. Returns whether it has changed the state [Cardwell26 s5.3.3.9].
    fn adapt_long_term_model(&mut self, report: &AckReport) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() && !Sample::of(report).is_app_limited {
                self.cycle_count += 1; // AdvanceMaxBwFilter
            }
            if self.state.is_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_probe_bw_refill(report.delivered);
                return true;
            }
        }
        let is_safe = !self.is_inflight_too_high(report.lost_since_sending, report.in_flight_at_sending);
        if is_safe && self.inflight_longterm.is_finite() {
            self.inflight_longterm = self.inflight_longterm.max(f64::from(report.in_flight_at_sending));
            if self.state == State::ProbeBwUp {
                self.probe_inflight_longterm_upward(report);
            }
        }
        false
    }

    /// CheckProbeRTT [Cardwell26 s5.3.4.3].
    pub(super) fn check_probe_rtt(&mut self, report: &AckReport) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt; // EnterProbeRTT
            self.probe_rtt_done = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round(report.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(report);
        }
        if Sample::of(report).delivered > 0.0 {
            self.idle_restart = false;
        }
    }

    /// HandleProbeRTT [Cardwell26 s5.3.4.3].
    fn handle_probe_rtt(&mut self, report: &AckReport) {
        if self.probe_rtt_done.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(report.now, report.delivered);
            }
        } else if f64::from(report.in_flight) <= self.probe_rtt_cwnd() {
            self.probe_rtt_done = Some(report.now + self.parameters.probe_rtt_duration);
            self.probe_rtt_round_done = false;
            self.start_round(report.delivered);
        }
    }

    /// CheckProbeRTTDone, with ExitProbeRTT [Cardwell26 s5.3.4.3, s5.3.4.4].
    fn check_probe_rtt_done(&mut self, now: Time, delivered: u32) {
        if self.probe_rtt_done.is_none_or(|done| now <= done) {
            return;
        }
        self.probe_rtt_min_stamp = now;
        self.restore_cwnd();
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_probe_bw_down(now, delivered);
            self.state = State::ProbeBwCruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// HandleRestartFromIdle [Cardwell26 s5.4.1].
    pub(super) fn restart_from_idle(&mut self, now: Time) {
        self.idle_restart = true;
        self.extra_acked_interval_start = now;
        if self.state.is_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(now, self.next_round_delivered);
        }
    }
}
