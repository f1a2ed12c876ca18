//! Media rate control: the target rate of the source.

use super::parameters::Parameters;
use super::window::{CongestionWindow, Event};
use crate::units::{Duration, Rate};
use std::collections::VecDeque;

/// RATE_ADJUST_INTERVAL, over which the rates are also measured.
pub(super) const ADJUSTED: Duration = Duration::from_ms(200);
/// RTP_QDELAY_TH in seconds, and TARGET_RATE_SCALE_RTP_QDELAY.
const LONG_QUEUE: (f64, f64) = (0.02, 0.95);
/// Number of media rates in the median: more than ten seconds.
const RATES: usize = 51;

/// Target rate, and the state that determines it [RFC8298 s4.1.3]. Rates are in bit/s.
#[derive(Clone, Debug)]
pub(super) struct MediaRate {
    limits: (f64, f64),
    betas: (f64, f64),
    ramp_up_speed: f64,
    guard: f64,
    queue_factor: f64,
    /// target_bitrate.
    pub(super) target: f64,
    /// target_bitrate_last_max.
    last_maximum: f64,
    /// Bytes sent, acknowledged and received from the source in this interval.
    bytes: [u64; 3],
    /// Last rates of the source, the newest one last.
    rates: VecDeque<f64>,
}

impl MediaRate {
    pub(super) fn new(parameters: &Parameters, initial: Rate) -> MediaRate {
        let limits = (parameters.min_rate.as_bps() as f64, parameters.max_rate.as_bps() as f64);
        MediaRate {
            limits,
            betas: (parameters.beta_rate.0, parameters.beta_ecn.0),
            ramp_up_speed: parameters.ramp_up_speed.as_bps() as f64,
            guard: parameters.pre_congestion_guard.0,
            queue_factor: parameters.queue_size_factor.0,
            target: (initial.as_bps() as f64).clamp(limits.0, limits.1),
            last_maximum: 1.0,
            bytes: [0; 3],
            rates: VecDeque::new(),
        }
    }

    pub(super) fn on_sent(&mut self, bytes: u32) {
        self.bytes[0] += u64::from(bytes);
    }

    pub(super) fn on_acknowledged(&mut self, bytes: u64) {
        self.bytes[1] += bytes;
    }

    pub(super) fn on_media(&mut self, bytes: u32) {
        self.bytes[2] += u64::from(bytes);
    }

    /// Records the target rate at a congestion event that ends fast increase.
    pub(super) fn note_maximum(&mut self) {
        self.last_maximum = self.target;
    }

    /// Reduces the target after a loss or mark.
    pub(super) fn on_event(&mut self, event: Event) {
        let beta = match event {
            Event::Acknowledgement => return,
            Event::Loss => self.betas.0,
            Event::Mark => self.betas.1,
        };
        self.note_maximum();
        self.target = (beta * self.target).max(self.limits.0);
    }

    /// Measures the rates of the interval that ends, and adjusts the target; `queue` bits are in the RTP queue.
    pub(super) fn adjust(&mut self, network: &CongestionWindow, queue: f64) {
        let interval = ADJUSTED.as_seconds();
        let [sent, acknowledged, media] = std::mem::take(&mut self.bytes).map(|bytes| bytes as f64 * 8.0 / interval);
        self.rates.push_back(media);
        if self.rates.len() > RATES {
            self.rates.pop_front();
        }
        let current = sent.max(acknowledged);
        let ramp_up = self.ramp_up_speed.min(self.target / 2.0) * interval;
        let distance = (self.target - self.last_maximum) / self.last_maximum * 4.0;
        let scale = (distance * distance).clamp(0.2, 1.0);
        if network.in_fast_increase {
            self.target += ramp_up * scale;
        } else {
            let change = current * (1.0 - self.guard * network.trend) - self.queue_factor * queue;
            self.target += if change > 0.0 { (change * scale).min(ramp_up) } else { change };
            if queue > LONG_QUEUE.0 * current {
                self.target *= LONG_QUEUE.1;
            }
        }
        let limit = current.max(media).max(self.median()) * (2.0 - network.trend_memory);
        self.target = self.target.min(limit).min(self.limits.1).max(self.limits.0);
    }

    /// Median of the rates of the source (rate_media_median).
    fn median(&self) -> f64 {
        let mut rates: Vec<f64> = self.rates.iter().copied().collect();
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    }
}
