//! The controller of PIE, which computes a probability from delays [RFC8033 s4.2].

use super::Parameters;
use crate::units::Duration;

/// Proportional integral controller; its probability scales its steps.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    pub(super) target: Duration,
    alpha: f64,
    beta: f64,
    is_capped: bool,
    /// Drop probability (drop_prob).
    pub(super) probability: f64,
    /// Delay at the last update (qdelay_old).
    pub(super) last_delay: Duration,
}

/// Upper bounds on the probability, each with the divisor of steps below it.
const SCALES: [(f64, f64); 6] = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// Maximum step at probabilities of 0.1 or more [RFC8033 s5.5].
const MAX_STEP: f64 = 0.02;
/// Factor that multiplies the probability at an update without congestion.
const DECAY: f64 = 0.98;

impl Controller {
    pub(super) fn new(parameters: &Parameters) -> Controller {
        Controller {
            target: parameters.target,
            alpha: parameters.alpha.0,
            beta: parameters.beta.0,
            is_capped: parameters.cap,
            probability: 0.0,
            last_delay: Duration::ZERO,
        }
    }

    pub(super) fn reset(&mut self) {
        self.probability = 0.0;
        self.last_delay = Duration::ZERO;
    }

    #[inline]
    fn is_short(&self, delay: Duration) -> bool {
        delay.times(2) < self.target
    }

    /// Whether the delay at the last update was short and the probability is below 0.2, so that no packet is dropped [RFC8033 s4.1].
    #[inline]
    pub(super) fn is_uncongested(&self) -> bool {
        self.is_short(self.last_delay) && self.probability < 0.2
    }

    /// Whether congestion is over, given the present `delay`, so that bursts are allowed again [RFC8033 s4.4].
    #[inline]
    pub(super) fn has_settled(&self, delay: Duration) -> bool {
        self.probability == 0.0 && self.is_short(delay) && self.is_short(self.last_delay)
    }

    /// Whether another update with a delay of zero would change nothing.
    pub(super) fn is_at_rest(&self) -> bool {
        self.probability == 0.0 && self.last_delay == Duration::ZERO
    }

    /// Updates the probability by the present `delay`.
    pub(super) fn update(&mut self, delay: Duration) {
        let seconds = delay.as_seconds();
        let step = self.alpha * (seconds - self.target.as_seconds()) + self.beta * (seconds - self.last_delay.as_seconds());
        let scale = SCALES.iter().find(|(below, _)| self.probability < *below).map_or(1.0, |(_, scale)| *scale);
        let step = step / scale;
        self.probability += if self.is_capped && self.probability >= 0.1 { step.min(MAX_STEP) } else { step };
        if self.is_short(delay) && self.is_short(self.last_delay) {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.last_delay = delay;
    }
}
