//! Calls: when they arrive and how long they last.

pub mod batch;
pub mod counts;
pub mod delay;
pub mod exponential;
pub mod fixed;
pub mod infinite;
pub mod none;
pub mod poisson;

use crate::rng::Stream;
use crate::units::Duration;

crate::component_plans! {
    /// Arrival process of calls, as a scenario gives it.
    pub enum ArrivalPlan of "arrival" {
        "poisson" => Poisson(poisson::Parameters),
        "batch" => Batch(batch::Parameters),
        "none" => Never(none::Parameters),
    }
}

impl ArrivalPlan {
    /// Time from the last arrival (or the start) to the next one, and its number of calls.
    pub fn next_arrival(&self, stream: &mut Stream) -> (Duration, u32) {
        match self {
            ArrivalPlan::Poisson(parameters) => (exponential(parameters.interval, stream), 1),
            ArrivalPlan::Batch(parameters) => (exponential(parameters.interval, stream), parameters.size(stream)),
            ArrivalPlan::Never(_) => (Duration::FOREVER, 0),
        }
    }

    /// Whether any calls arrive.
    pub fn brings_calls(&self) -> bool {
        !matches!(self, ArrivalPlan::Never(_))
    }

    /// Calls per second in the long run.
    pub fn mean_rate(&self) -> f64 {
        match self {
            ArrivalPlan::Poisson(parameters) => 1.0 / parameters.interval.as_seconds(),
            ArrivalPlan::Batch(parameters) => parameters.mean_size.0 / parameters.interval.as_seconds(),
            ArrivalPlan::Never(_) => 0.0,
        }
    }
}

crate::component_plans! {
    /// Distribution of the holding time of calls, as a scenario gives it.
    pub enum HoldingPlan of "holding" {
        "exponential" => Exponential(exponential::Parameters),
        "fixed" => Fixed(fixed::Parameters),
        "infinite" => Infinite(infinite::Parameters),
    }
}

impl HoldingPlan {
    /// Draws the holding time of a call.
    pub fn holding(&self, stream: &mut Stream) -> Duration {
        match self {
            HoldingPlan::Exponential(parameters) => exponential(parameters.mean, stream),
            HoldingPlan::Fixed(parameters) => parameters.time,
            HoldingPlan::Infinite(_) => Duration::FOREVER,
        }
    }

    /// Whether calls end on their own.
    pub fn ends_calls(&self) -> bool {
        !matches!(self, HoldingPlan::Infinite(_))
    }

    /// Mean holding time of a call.
    pub fn mean(&self) -> Duration {
        match self {
            HoldingPlan::Exponential(parameters) => parameters.mean,
            HoldingPlan::Fixed(parameters) => parameters.time,
            HoldingPlan::Infinite(_) => Duration::FOREVER,
        }
    }
}

fn exponential(mean: Duration, stream: &mut Stream) -> Duration {
    Duration::from_seconds(stream.exponential() * mean.as_seconds())
}

/// Reports a mean of zero.
fn check_positive(key: &str, span: Duration, mistake: &mut dyn FnMut(&str, String)) {
    if span == Duration::ZERO {
        mistake(key, "must be above zero".to_owned());
    }
}

#[cfg(test)]
mod tests;
