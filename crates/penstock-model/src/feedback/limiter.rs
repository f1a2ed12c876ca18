//! Rate limiter of a reaction point.

use super::{bcn, qcn, Feedback, ReactionPointPlan, SharedBy};
use crate::parameters::Limit;
use crate::rng::Stream;
use crate::units::{Rate, Time};

/// State of a rate limiter.
#[derive(Clone, Debug)]
pub enum RateLimiter {
    /// BCN: belongs to one congestion point.
    Bcn(bcn::rate_limiter::RateLimiter, Box<bcn::reaction_point::Parameters>),
    /// QCN: follows all congestion points.
    Qcn(qcn::rate_limiter::RateLimiter, Box<qcn::reaction_point::Parameters>),
}

impl RateLimiter {
    /// A limiter at the rate of the port, from `now` on.
    pub fn new(plan: &ReactionPointPlan, line: Rate, now: Time, stream: &mut Stream) -> RateLimiter {
        match plan {
            ReactionPointPlan::Bcn(parameters) => {
                RateLimiter::Bcn(bcn::rate_limiter::RateLimiter::new(line, now), Box::new(parameters.clone()))
            }
            ReactionPointPlan::Qcn(parameters) => {
                RateLimiter::Qcn(qcn::rate_limiter::RateLimiter::new(line, parameters, now, stream), Box::new(parameters.clone()))
            }
        }
    }

    /// Returns the rate at `now`.
    pub fn rate(&mut self, now: Time, stream: &mut Stream) -> Rate {
        match self {
            RateLimiter::Bcn(limiter, parameters) => limiter.rate(parameters, now),
            RateLimiter::Qcn(limiter, parameters) => limiter.rate(parameters, now, stream),
        }
    }

    /// Time before which no frame leaves.
    pub fn stopped_until(&self) -> Time {
        match self {
            RateLimiter::Bcn(limiter, _) => limiter.stopped_until(),
            RateLimiter::Qcn(..) => Time::ZERO,
        }
    }

    /// Whether the limiter no longer limits, according to its rate at the last call of `rate`.
    pub fn is_released(&self) -> bool {
        match self {
            RateLimiter::Bcn(limiter, parameters) => limiter.is_released(parameters),
            RateLimiter::Qcn(limiter, _) => limiter.is_released(),
        }
    }

    /// Applies a message.
    pub fn on_feedback(&mut self, feedback: Feedback, now: Time, stream: &mut Stream) {
        match (self, feedback) {
            (RateLimiter::Bcn(limiter, parameters), _) => limiter.on_feedback(feedback, parameters, now, stream),
            (RateLimiter::Qcn(limiter, parameters), Feedback::Quantized(feedback)) => {
                limiter.on_feedback(feedback, parameters, now, stream);
            }
            // A message of another mechanism has no effect.
            (RateLimiter::Qcn(..), _) => {}
        }
    }

    /// Counts a sent frame of `size` bytes.
    pub fn on_sent(&mut self, size: u32, stream: &mut Stream) {
        if let RateLimiter::Qcn(limiter, parameters) = self {
            limiter.on_sent(size, parameters, stream);
        }
    }
}

impl ReactionPointPlan {
    /// Traffic that shares a limiter.
    pub fn shared_by(&self) -> SharedBy {
        match self {
            ReactionPointPlan::Bcn(parameters) => parameters.shared_by,
            ReactionPointPlan::Qcn(parameters) => parameters.shared_by,
        }
    }

    /// Maximum length of the queue of a limiter.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            ReactionPointPlan::Bcn(parameters) => parameters.limit.map(|limit| limit.0),
            ReactionPointPlan::Qcn(parameters) => parameters.limit.map(|limit| limit.0),
        }
    }

    /// Returns the key at fault and the mistake if feedback of -`greatest_feedback` frames would make a rate zero or negative.
    pub fn gain_mistake(&self, greatest_feedback: f64) -> Option<(&'static str, String)> {
        let ReactionPointPlan::Bcn(parameters) = self else { return None };
        let gain = parameters.decrease_gain.0;
        (parameters.floor.is_none() && gain * greatest_feedback >= 1.0).then(|| {
            let most = 1.0 / greatest_feedback;
            let message = format!(
                "{gain} takes rates to zero or below, since feedback reaches -{greatest_feedback}; it must be below {most}, or floor be given"
            );
            ("decrease-gain", message)
        })
    }

    /// Whether each congestion point has its own limiters and frames carry its tag.
    pub fn has_limiters_of_points(&self) -> bool {
        matches!(self, ReactionPointPlan::Bcn(_))
    }
}
