//! Network congestion control: the congestion window and the target queueing delay.

use super::parameters::Parameters;
use super::window_maximum::WindowMaximum;
use crate::units::{Bytes, Duration, Time};
use std::collections::VecDeque;

/// QDELAY_WEIGHT.
const DELAY_WEIGHT: f64 = 0.1;
/// QDELAY_TREND_TH, which ends fast increase, and QDELAY_TREND_LO, below which it resumes.
const TREND_THRESHOLD: f64 = 0.2;
/// T_RESUME_FAST_INCREASE.
const RESUME_AFTER: Duration = Duration::from_secs(5);
/// MIN_CWND.
const MIN_WINDOW: f64 = 3000.0;
/// MAX_BYTES_IN_FLIGHT_HEAD_ROOM.
const HEADROOM: f64 = 1.1;
/// Time over which the maximum number of bytes in flight counts.
const IN_FLIGHT_SPAN: Duration = Duration::from_secs(5);
/// Length of qdelay_fraction_hist.
const FRACTIONS: usize = 20;
/// Lengths of qdelay_norm_history for its variance and for its mean.
const NORMALISED: (usize, usize) = (200, 50);
/// loss_event_rate above which competing flows are assumed, and the weight of a round trip in it.
const COMPETING_LOSSES: (f64, f64) = (0.002, 0.01);

/// Network event that feedback shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// No losses, and no marks that count.
    Acknowledgement,
    /// A packet is lost.
    Loss,
    /// A packet was marked.
    Mark,
}

/// Congestion window, and the state that determines it [RFC8298 s4.1.2]. Delays are in seconds, sizes in bytes.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    betas: (f64, f64),
    targets: (f64, f64),
    /// MSS.
    packet: f64,
    pub(super) window: f64,
    pub(super) in_fast_increase: bool,
    /// Last queueing delay (qdelay).
    pub(super) delay: f64,
    /// qdelay_target.
    pub(super) target: f64,
    /// qdelay_trend.
    pub(super) trend: f64,
    /// qdelay_trend_mem.
    pub(super) trend_memory: f64,
    /// qdelay_fraction_avg.
    fraction: f64,
    /// qdelay_fraction_hist, the newest one last.
    fractions: VecDeque<f64>,
    /// qdelay_norm_history, the newest one first.
    normalised: VecDeque<f64>,
    /// loss_event_rate.
    loss_rate: f64,
    /// End of the current round trip of loss_event_rate, and whether it contains a loss.
    loss_round: (Time, bool),
    /// bytes_newly_acked.
    acknowledged: u64,
    /// Time at which the trend was last high, or a loss or mark counted.
    congested: Time,
    /// Losses and marks before these times are ignored.
    ignored_until: (Time, Time),
    most_in_flight: WindowMaximum,
}

impl CongestionWindow {
    pub(super) fn new(parameters: &Parameters, packet: Bytes) -> CongestionWindow {
        let target = parameters.min_delay_target.as_seconds();
        CongestionWindow {
            betas: (parameters.beta_loss.0, parameters.beta_ecn.0),
            targets: (target, parameters.max_delay_target.as_seconds()),
            packet: packet.get() as f64,
            window: MIN_WINDOW,
            in_fast_increase: true,
            delay: 0.0,
            target,
            trend: 0.0,
            trend_memory: 0.0,
            fraction: 0.0,
            fractions: VecDeque::from(vec![0.0; FRACTIONS]),
            normalised: VecDeque::from(vec![0.0; NORMALISED.0]),
            loss_rate: 0.0,
            loss_round: (Time::ZERO, false),
            acknowledged: 0,
            congested: Time::ZERO,
            ignored_until: (Time::ZERO, Time::ZERO),
            most_in_flight: WindowMaximum::new(IN_FLIGHT_SPAN),
        }
    }

    /// Records a sent packet, after which `in_flight` bytes are in flight.
    pub(super) fn on_sent(&mut self, now: Time, in_flight: u64) {
        self.most_in_flight.add(now, in_flight);
    }

    /// Samples the queueing delay (update_variables). Called every 50 ms.
    pub(super) fn sample_delay(&mut self, now: Time) {
        let fraction = self.delay / self.target;
        self.fraction = (1.0 - DELAY_WEIGHT) * self.fraction + DELAY_WEIGHT * fraction;
        self.fractions.pop_front();
        self.fractions.push_back(fraction);
        let mean = self.fractions.iter().sum::<f64>() / FRACTIONS as f64;
        let pairs = self.fractions.iter().zip(self.fractions.iter().skip(1));
        let at_lag_one: f64 = pairs.map(|(x, next)| (x - mean) * (next - mean)).sum();
        let at_lag_zero: f64 = self.fractions.iter().map(|x| (x - mean) * (x - mean)).sum();
        let prediction = if at_lag_zero > 0.0 { at_lag_one / at_lag_zero } else { 0.0 };
        self.trend = (prediction * self.fraction).clamp(0.0, 1.0);
        self.trend_memory = (0.99 * self.trend_memory).max(self.trend);
        if self.trend >= TREND_THRESHOLD {
            self.congested = now;
        }
    }

    /// Handles feedback for `bytes` newly acknowledged bytes, which leaves `in_flight` bytes. A loss or mark counts once per smoothed round
    /// trip [RFC8298 s4.1.2.1]. Returns the event that counts.
    pub(super) fn on_feedback(
        &mut self,
        now: Time,
        (bytes, in_flight): (u64, u64),
        (has_loss, has_mark): (bool, bool),
        round_trip: Duration,
    ) -> Event {
        self.acknowledged += bytes;
        let event = match (has_loss && now >= self.ignored_until.0, has_mark && now >= self.ignored_until.1) {
            (true, _) => Event::Loss,
            (false, true) => Event::Mark,
            (false, false) => Event::Acknowledgement,
        };
        self.count_losses(now, has_loss, round_trip);
        match event {
            Event::Acknowledgement => self.update(now, in_flight),
            Event::Loss => self.ignored_until.0 = self.reduce(now, self.betas.0, round_trip),
            Event::Mark => self.ignored_until.1 = self.reduce(now, self.betas.1, round_trip),
        }
        self.acknowledged = 0;
        self.adjust_target();
        if event == Event::Acknowledgement && !self.in_fast_increase {
            self.in_fast_increase = now.since(self.congested) >= RESUME_AFTER;
        }
        event
    }

    fn reduce(&mut self, now: Time, beta: f64, round_trip: Duration) -> Time {
        self.in_fast_increase = false;
        self.congested = now;
        self.window = (self.window * beta).max(MIN_WINDOW);
        now + round_trip
    }

    fn count_losses(&mut self, now: Time, has_loss: bool, round_trip: Duration) {
        let (end, lossy) = &mut self.loss_round;
        *lossy |= has_loss;
        if now >= *end {
            let weight = COMPETING_LOSSES.1;
            self.loss_rate = (1.0 - weight) * self.loss_rate + if *lossy { weight } else { 0.0 };
            (*end, *lossy) = (now + round_trip, false);
        }
    }

    /// Updates the window by the queueing delay (update_cwnd).
    fn update(&mut self, now: Time, in_flight: u64) {
        let (acknowledged, in_flight) = (self.acknowledged as f64, in_flight as f64);
        if self.in_fast_increase {
            if self.trend < TREND_THRESHOLD {
                if in_flight * 1.5 + acknowledged > self.window {
                    self.window += acknowledged;
                }
                return;
            }
            self.in_fast_increase = false;
        }
        let off_target = (self.target - self.delay) / self.target;
        if off_target <= 0.0 || in_flight * 1.25 + acknowledged > self.window {
            self.window += off_target * acknowledged * self.packet / self.window;
        }
        self.window = self.window.min(self.most_in_flight.get(now) as f64 * HEADROOM).max(MIN_WINDOW);
    }

    /// Compensates for competing flows (adjust_qdelay_target).
    fn adjust_target(&mut self) {
        let (low, high) = self.targets;
        self.normalised.pop_back();
        self.normalised.push_front(self.delay / low);
        let mean = |n: usize| self.normalised.iter().take(n).sum::<f64>() / n as f64;
        let long_mean = mean(NORMALISED.0);
        let squares: f64 = self.normalised.iter().map(|x| (x - long_mean) * (x - long_mean)).sum();
        let variance = squares / NORMALISED.0 as f64;
        let new = (mean(NORMALISED.1) + libm::sqrt(variance)) * low;
        self.target = if self.loss_rate > COMPETING_LOSSES.0 {
            1.5 * new
        } else if variance < 0.2 {
            new
        } else if new < low {
            (self.target * 0.5).max(new)
        } else {
            self.target * 0.9
        };
        self.target = self.target.min(high).max(low);
    }

    /// Number of bytes that may be sent in addition to those in flight (calculate_send_window); negative if too many are in flight.
    pub(super) fn send_window(&self, in_flight: u64) -> f64 {
        let slack = if self.delay <= self.target { self.packet } else { 0.0 };
        self.window + slack - in_flight as f64
    }
}

#[cfg(test)]
impl CongestionWindow {
    pub(super) fn loss_rate(&self) -> f64 {
        self.loss_rate
    }

    /// Sets past delays that have risen steadily, or to none.
    pub(super) fn set_past_delays(&mut self, rise: bool) {
        self.delay = if rise { 100.0 } else { 0.0 };
        self.fractions = (0..FRACTIONS).map(|i| if rise { i as f64 } else { 0.0 }).collect();
    }
}
