//! The control parameters: pacing rate and cwnd [Cardwell26 s5.6].

use super::super::AckReport;
use super::machine::State;
use super::{Bbr3, MIN_PIPE_CWND};

/// Ratio of the pacing rate to bw (PacingMarginPercent) [Cardwell26 s5.6.2].
const PACING_MARGIN: f64 = 0.99;
/// Number of bursts that must fit in flight (offload_budget) [Cardwell26 s5.5.8].
const OFFLOAD_QUANTA: f64 = 3.0;

impl Bbr3 {
    /// Segments in flight at a rate of `bw` without a queue.
    fn bdp_of(&self, bw: f64) -> f64 {
        self.min_rtt.map_or(self.initial_cwnd, |min_rtt| bw * min_rtt.as_seconds())
    }

    /// BDPMultiple [Cardwell26 s5.6.4.2].
    fn bdp_multiple(&self, gain: f64) -> f64 {
        self.bdp_of(gain * self.bw)
    }

    /// BBR.bdp, with the bandwidth of the last acknowledgement.
    pub(super) fn bdp(&self) -> f64 {
        self.bdp_multiple(1.0)
    }

    /// Number of segments of a burst: as many as leave in a millisecond, at most 64 kB and at least two (SetSendQuantum) [Cardwell26
    /// s5.6.3].
    fn send_quantum(&self) -> f64 {
        (self.pacing_rate * 1e-3).min(65_536.0 / self.packet_size).max(2.0)
    }

    /// QuantizationBudget [Cardwell26 s5.6.4.2].
    fn quantization_budget(&self, inflight_cap: f64) -> f64 {
        let cap = inflight_cap.max(OFFLOAD_QUANTA * self.send_quantum()).max(MIN_PIPE_CWND);
        cap + if self.state == State::ProbeBwUp { 2.0 } else { 0.0 }
    }

    /// Inflight [Cardwell26 s5.6.4.2].
    pub(super) fn inflight(&self, gain: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple(gain))
    }

    /// Inflight of max_bw, which losses do not reduce [Cardwell26 s5.3.3.9].
    pub(super) fn inflight_at_max_bw(&self) -> f64 {
        self.quantization_budget(self.bdp_of(self.max_bw.max()))
    }

    /// SetPacingRateWithGain [Cardwell26 s5.6.2].
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * PACING_MARGIN;
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// SaveCwnd [Cardwell26 s5.6.4.4].
    pub(super) fn save_cwnd(&mut self) {
        let is_undisturbed = !self.in_recovery && self.state != State::ProbeRtt;
        self.prior_cwnd = if is_undisturbed { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// RestoreCwnd [Cardwell26 s5.6.4.4].
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// ProbeRTTCwnd [Cardwell26 s5.6.4.5].
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(State::ProbeRtt.cwnd_gain()).max(MIN_PIPE_CWND)
    }

    /// InflightWithHeadroom [Cardwell26 s5.3.3.9].
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = (self.parameters.headroom.0 * self.inflight_longterm).max(1.0);
        (self.inflight_longterm - headroom).max(MIN_PIPE_CWND)
    }

    /// SetCwnd [Cardwell26 s5.6.4.6].
    pub(super) fn set_cwnd(&mut self, report: &AckReport) {
        let max_inflight = self.quantization_budget(self.bdp_multiple(self.state.cwnd_gain()) + self.extra_acked.max());
        let grown = self.cwnd + f64::from(report.newly_delivered());
        if self.full_bw_reached {
            self.cwnd = grown.min(max_inflight);
        } else if self.cwnd < max_inflight || f64::from(report.delivered) < self.initial_cwnd {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd()); // BoundCwndForProbeRTT
        }
        self.bound_cwnd_for_model();
    }

    /// BoundCwndForModel [Cardwell26 s5.6.4.7].
    fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::ProbeBwDown | State::ProbeBwRefill | State::ProbeBwUp => self.inflight_longterm,
            State::ProbeBwCruise | State::ProbeRtt => self.inflight_with_headroom(),
        };
        self.cwnd = self.cwnd.min(cap.min(self.inflight_shortterm).max(MIN_PIPE_CWND));
    }
}
