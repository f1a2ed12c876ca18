//! BIC.

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::parameters::{own, Check, Positive, Probability};
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// BIC: a binary search between the windows after and before the last reduction; CUBIC's predecessor.
    ///
    /// ## Decides
    /// Congestion sets max_win to cwnd and reduces cwnd by the fraction `beta` of FlightSize. In congestion avoidance cwnd then
    /// moves half of the way to max_win in each round trip, but by no more than `s-max` segments: linear increase far from max_win,
    /// binary search close to it. Once the step would be below `s-min`, cwnd is max_win. Beyond max_win it grows by 1, 2, 4, ...
    /// segments per round trip (max probing), up to `s-max`, until the next congestion. If cwnd was below the max_win of the
    /// previous congestion, max_win becomes the mean of the windows before and after the reduction (fast convergence). With less
    /// than `low-window` segments, cwnd grows and shrinks as in Reno, and congestion sets max_win too. Slow start is that of Reno.
    /// An echoed mark reduces cwnd like a loss, at once.
    ///
    /// ## State
    /// About 60 bytes. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - Fast convergence compares cwnd with the window at the last congestion. In the pseudocode, max_win is a very large number
    ///   once cwnd has reached it, so that congestion during max probing always counts as one below max_win.
    /// - Congestion sets max_win also below `low-window`, as in Linux (`bictcp_recalc_ssthresh`); in the pseudocode, only above.
    /// - Growth per round trip assumes an acknowledgement of every segment. Acknowledgements count, not bytes: with `ack-every = 2`,
    ///   cwnd grows half as fast, in slow start too.
    /// - Steps are computed from the present cwnd; in the pseudocode, the first step after max probing uses an old target.
    /// - The reduction applies to FlightSize [RFC5681 s3.1 (4)], at most cwnd.
    /// - A flow whose first slow start ended without congestion begins with max probing.
    /// - A timeout halves FlightSize [RFC5681 s3.1 (4)] and starts the same search after slow start; [Xu04] only describes losses that
    ///   are repaired without one.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.bic = { s-max = 16 } }
    /// ```
    ///
    /// ## References
    /// Xu, Harfoush and Rhee [Xu04].
    pub struct Parameters {
        /// Fraction by which congestion reduces the window (beta) [Xu04].
        beta: Probability = "0.125", changeable;
        /// Maximum growth per round trip, in segments (S_max) [Xu04].
        s_max: Positive = "32", changeable;
        /// Growth per round trip that ends the search, in segments (S_min) [Xu04].
        s_min: Positive = "0.01", changeable;
        /// Window below which the flow is Reno, in segments (low_window) [Xu04].
        low_window: Positive = "14", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.beta.0 <= 0.0 || self.beta.0 >= 1.0 {
            mistake("beta", format!("{} is out of range; above 0 and below 1", self.beta.0));
        }
        if self.s_min.0 > self.s_max.0 {
            mistake("s-min", format!("{} is above s-max, which is {}", self.s_min.0, self.s_max.0));
        }
    }
}

/// The control of a connection. Windows are in segments.
#[derive(Clone, Debug)]
pub struct Bic {
    parameters: Parameters,
    /// Window at the last congestion (max_win before fast convergence).
    last_size: f64,
    phase: Phase,
}

/// Phase of congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Binary search towards max_win.
    Search { max_win: f64 },
    /// Grows by `step` segments per round trip until the window reaches `target`, then by twice as many (is_BITCP_ss).
    Probe { step: f64, target: f64 },
    /// Grows by `s-max` per round trip.
    Linear,
}

impl Bic {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Bic {
        Bic { parameters: parameters.clone(), last_size: 0.0, phase: Phase::Search { max_win: 0.0 } }
    }

    /// Performs congestion avoidance for a window of at least `low-window` [Xu04].
    fn avoid_congestion(&mut self, window: &mut Window) {
        let cwnd = window.size;
        match &mut self.phase {
            Phase::Search { max_win } => {
                let step = ((*max_win - cwnd) / 2.0).min(self.parameters.s_max.0);
                if step >= self.parameters.s_min.0 {
                    window.grow_by(step / cwnd);
                } else {
                    window.size = cwnd.max(*max_win).min(f64::from(window.max));
                    self.phase = Phase::Probe { step: 1.0, target: window.size + 1.0 };
                }
            }
            Phase::Probe { step, target } => {
                window.grow_by(*step / cwnd);
                if window.size >= *target {
                    *step *= 2.0;
                    *target = window.size + *step;
                }
                if *step >= self.parameters.s_max.0 {
                    self.phase = Phase::Linear;
                }
            }
            Phase::Linear => window.grow_by(self.parameters.s_max.0 / cwnd),
        }
    }

    /// Sets ssthresh to `factor` times FlightSize and starts a search.
    fn reduce(&mut self, in_flight: u32, factor: f64, window: &mut Window) {
        let cwnd = window.size;
        window.reduce_threshold_within(in_flight, factor);
        let converges = cwnd < self.last_size;
        self.last_size = cwnd;
        self.phase = Phase::Search { max_win: if converges { (cwnd + window.threshold) / 2.0 } else { cwnd } };
    }
}

crate::state! {
    impl Bic, |it, _now| {
        /// Window that the search approaches (max_win) [Xu04], until it is reached.
        "max-win", "segments", maybe match it.phase { Phase::Search { max_win } => Some(max_win), _ => None };
    }
}

impl CongestionControl for Bic {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if !ack.may_grow() {
            return;
        }
        if window.is_in_slow_start() || window.size < self.parameters.low_window.0 {
            window.grow();
        } else {
            self.avoid_congestion(window);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        let is_small = window.size < self.parameters.low_window.0;
        self.reduce(congestion.in_flight, if is_small { 0.5 } else { 1.0 - self.parameters.beta.0 }, window);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            self.reduce(timeout.in_flight, 0.5, window);
        }
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.parameters = own::<Parameters>(parameters).clone();
    }
}

#[cfg(test)]
mod tests;
