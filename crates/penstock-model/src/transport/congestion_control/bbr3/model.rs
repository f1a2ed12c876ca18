//! Model of the path: round trips, bandwidth, losses, aggregation and the shortest round trip [Cardwell26 s5.5].

use super::super::{AckReport, LostSegment};
use super::machine::State;
use super::Bbr3;
use crate::units::Time;

/// Number of earlier cycles whose maximum max_bw includes [Cardwell26 s5.5.6].
pub(super) const MAX_BW_CYCLES: u32 = 1;
/// Number of round trips whose maximum is extra_acked, in Startup and later (ExtraAckedFilterLen) [Cardwell26 s5.5.9].
pub(super) const EXTRA_ACKED_ROUNDS: (u32, u32) = (1, 10);
/// The pipe is full after this number of rounds in which the delivery rate grows by less than this factor [Cardwell26 s5.3.1.2].
const FULL_BW: (f64, u32) = (1.25, 3);

/// Delivery sample of an acknowledgement (RS).
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub rate: f64,
    pub delivered: f64,
    pub is_app_limited: bool,
}

impl Sample {
    /// Sample of `report`; zero if it has none.
    pub fn of(report: &AckReport) -> Sample {
        report.rate.map_or(Sample { rate: 0.0, delivered: 0.0, is_app_limited: false }, |sample| Sample {
            rate: f64::from(sample.delivered) / sample.interval.as_seconds(),
            delivered: f64::from(sample.delivered),
            is_app_limited: sample.is_app_limited,
        })
    }
}

impl Bbr3 {
    /// StartRound [Cardwell26 s5.5.1].
    pub(super) fn start_round(&mut self, delivered: u32) {
        self.next_round_delivered = delivered;
    }

    /// UpdateRound [Cardwell26 s5.5.1].
    fn update_round(&mut self, report: &AckReport) {
        self.round_start = report.rate.is_some_and(|sample| sample.prior_delivered >= self.next_round_delivered);
        if self.round_start {
            self.start_round(report.delivered);
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
        }
    }

    /// UpdateMaxBw [Cardwell26 s5.5.5].
    fn update_max_bw(&mut self, report: &AckReport) {
        self.update_round(report);
        let sample = Sample::of(report);
        if sample.rate > 0.0 && (sample.rate >= self.max_bw.max() || !sample.is_app_limited) {
            self.max_bw.update(self.cycle_count, sample.rate);
        }
    }

    /// UpdateLatestDeliverySignals [Cardwell26 s5.5.10.3].
    pub(super) fn update_latest_delivery_signals(&mut self, report: &AckReport) {
        let sample = Sample::of(report);
        self.bw_latest = self.bw_latest.max(sample.rate);
        self.inflight_latest = self.inflight_latest.max(sample.delivered);
        self.loss_round_start = report.rate.is_some_and(|sample| sample.prior_delivered >= self.loss_round_delivered);
        if self.loss_round_start {
            self.loss_round_delivered = report.delivered;
        }
    }

    /// AdvanceLatestDeliverySignals [Cardwell26 s5.5.10.3].
    pub(super) fn advance_latest_delivery_signals(&mut self, report: &AckReport) {
        if self.loss_round_start {
            let sample = Sample::of(report);
            (self.bw_latest, self.inflight_latest) = (sample.rate, sample.delivered);
        }
    }

    /// ResetCongestionSignals [Cardwell26 s5.5.10.3].
    pub(super) fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
    }

    /// ResetShortTermModel [Cardwell26 s5.5.10.3].
    pub(super) fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// UpdateCongestionSignals, with AdaptLowerBoundsFromCongestion [Cardwell26 s5.5.10.3].
    pub(super) fn update_congestion_signals(&mut self, report: &AckReport) {
        self.update_max_bw(report);
        if !self.loss_round_start {
            return;
        }
        if self.is_loss_in_round && !self.state.is_probing_bw() {
            let beta = self.parameters.beta.0;
            let bw = if self.bw_shortterm.is_finite() { self.bw_shortterm } else { self.max_bw.max() };
            let inflight = if self.inflight_shortterm.is_finite() { self.inflight_shortterm } else { self.cwnd };
            self.bw_shortterm = self.bw_latest.max(beta * bw);
            self.inflight_shortterm = self.inflight_latest.max(beta * inflight);
        }
        self.is_loss_in_round = false;
    }

    /// HandleLostPacket, with NoteLoss [Cardwell26 s5.5.10.2].
    pub(super) fn handle_lost_segment(&mut self, now: Time, lost: &LostSegment) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = lost.delivered;
            self.save_cwnd();
        }
        self.is_loss_in_round = true;
        let (ranges, last) = self.lost_ranges;
        self.lost_ranges = (ranges + u32::from(last.is_none_or(|last| lost.seq != last + 1)), Some(lost.seq));
        if self.is_bw_probe_sample && self.is_inflight_too_high(lost.lost, lost.in_flight) {
            let in_flight = self.inflight_at_loss(f64::from(lost.in_flight), f64::from(lost.lost));
            self.handle_inflight_too_high(now, in_flight, lost.app_limited, lost.delivered);
        }
    }

    /// InflightAtLoss: number in flight when losses crossed the threshold [Cardwell26 s5.5.10.2].
    pub(super) fn inflight_at_loss(&self, in_flight: f64, lost: f64) -> f64 {
        let thresh = self.parameters.loss_thresh.0;
        let (inflight_prev, lost_prev) = (in_flight - 1.0, lost - 1.0);
        inflight_prev + (thresh * inflight_prev - lost_prev) / (1.0 - thresh)
    }

    /// IsInflightTooHigh [Cardwell26 s5.5.10.2].
    pub(super) fn is_inflight_too_high(&self, lost: u32, in_flight: u32) -> bool {
        f64::from(lost) > f64::from(in_flight) * self.parameters.loss_thresh.0
    }

    /// HandleInflightTooHigh [Cardwell26 s5.5.10.2].
    fn handle_inflight_too_high(&mut self, now: Time, in_flight: f64, app_limited: bool, delivered: u32) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !app_limited {
            self.inflight_longterm = in_flight.max(self.target_inflight() * self.parameters.beta.0);
        }
        if self.state == State::ProbeBwUp {
            self.start_probe_bw_down(now, delivered);
        }
    }

    /// UpdateACKAggregation [Cardwell26 s5.5.9].
    pub(super) fn update_ack_aggregation(&mut self, report: &AckReport) {
        let interval = report.now.since(self.extra_acked_interval_start).as_seconds();
        let mut expected = self.bw * interval;
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_interval_start = report.now;
            expected = 0.0;
        }
        self.extra_acked_delivered += f64::from(report.newly_delivered());
        let extra = (self.extra_acked_delivered - expected).min(self.cwnd);
        if self.full_bw_reached {
            self.extra_acked.set_rounds(EXTRA_ACKED_ROUNDS.1);
        }
        self.extra_acked.update(self.round_count, extra);
    }

    /// ResetFullBW [Cardwell26 s5.3.1.2].
    pub(super) fn reset_full_bw(&mut self, full_bw: f64) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (full_bw, 0, false);
    }

    /// CheckFullBWReached [Cardwell26 s5.3.1.2].
    pub(super) fn check_full_bw_reached(&mut self, report: &AckReport) {
        let sample = Sample::of(report);
        if self.full_bw_now || !self.round_start || sample.is_app_limited {
            return;
        }
        if sample.rate >= self.full_bw * FULL_BW.0 {
            self.reset_full_bw(sample.rate);
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= FULL_BW.1;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// UpdateMinRTT [Cardwell26 s5.3.4.3].
    pub(super) fn update_min_rtt(&mut self, report: &AckReport) {
        self.probe_rtt_expired = report.now > self.probe_rtt_min_stamp + self.parameters.probe_rtt_interval;
        if let Some(rtt) = report.rtt.filter(|rtt| self.probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|min| *rtt < min)) {
            self.probe_rtt_min_delay = Some(rtt);
            self.probe_rtt_min_stamp = report.now;
        }
        let is_expired = report.now > self.min_rtt_stamp + self.parameters.min_rtt_filter_len;
        if let Some(delay) = self.probe_rtt_min_delay.filter(|delay| is_expired || self.min_rtt.is_none_or(|min| *delay < min)) {
            self.min_rtt = Some(delay);
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }
}
