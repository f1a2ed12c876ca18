//! TCP-Illinois.

use super::round::Round;
use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, RttSampling, Timeout, Window};
use crate::parameters::{own, Check, Count, Positive, Probability};
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// Illinois: losses decide when the window shrinks, and the queueing delay how fast it grows and how much it shrinks.
    ///
    /// ## Decides
    /// cwnd grows by alpha segments per round trip in congestion avoidance; congestion reduces it by the fraction beta of FlightSize.
    /// Both depend on d_a, the average queueing delay of the last round trip: its average round-trip time minus the shortest so
    /// far. d_m is the longest round-trip time so far minus the shortest.
    ///
    /// | queueing delay | alpha |
    /// |---|---|
    /// | up to $d_1 = 0.01 d_m$ | `alpha-max` |
    /// | above | $kappa_1 / (kappa_2 + d_a)$, with constants such that it falls from `alpha-max` at d_1 to `alpha-min` at d_m |
    ///
    /// | queueing delay | beta |
    /// |---|---|
    /// | up to $d_2 = 0.1 d_m$ | `beta-min` |
    /// | between | linear |
    /// | from $d_3 = 0.8 d_m$ | `beta-max` |
    ///
    /// Once d_a has been above d_1, alpha returns to `alpha-max` only after `theta` round trips with d_a below d_1. A window below
    /// `threshold-window` segments has the alpha and beta of Reno, 1 and 0.5. Slow start is that of Reno. An echoed mark reduces
    /// cwnd like a loss, at once.
    ///
    /// ## State
    /// About 110 bytes, and 8 for each segment outstanding. One division per acknowledgement, a few more per round trip.
    ///
    /// ## Departures
    /// - FlightSize counts only up to cwnd.
    /// - Growth per round trip, and alpha, assume an acknowledgement of every segment. Acknowledgements count, not bytes: with
    ///   `ack-every = 2`, cwnd grows half as fast, in slow start too.
    /// - Before the first round trip with a measurement, alpha is `alpha-max` and beta 0.5.
    /// - The round trip of the SYN, a shorter packet, does not count.
    /// - A timeout sets alpha and beta to Reno's until the end of a round trip.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.illinois = { alpha-max = 5 } }
    /// ```
    ///
    /// ## References
    /// Liu, Başar and Srikant [Liu06].
    pub struct Parameters {
        /// Growth per round trip with a full queue, in segments (alpha_min) [Liu06].
        alpha_min: Positive = "0.3", changeable;
        /// Growth per round trip without a queue, in segments (alpha_max) [Liu06].
        alpha_max: Positive = "10", changeable;
        /// Reduction without a queue (beta_min) [Liu06].
        beta_min: Probability = "0.125", changeable;
        /// Reduction with a full queue (beta_max) [Liu06].
        beta_max: Probability = "0.5", changeable;
        /// Window below which the flow is Reno, in segments (W_thresh) [Liu06].
        threshold_window: Positive = "10", changeable;
        /// Round trips with a short queue before alpha returns to its maximum (theta) [Liu06].
        theta: Count = "5", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.alpha_min.0 > self.alpha_max.0 {
            mistake("alpha-min", format!("{} is above alpha-max, which is {}", self.alpha_min.0, self.alpha_max.0));
        }
        if self.alpha_max.0 > 1000.0 {
            mistake("alpha-max", format!("{} is out of range; above 0, at most 1000", self.alpha_max.0));
        }
        if self.beta_min.0 <= 0.0 || self.beta_min.0 > self.beta_max.0 {
            mistake("beta-min", format!("{} is out of range; above 0, at most beta-max, which is {}", self.beta_min.0, self.beta_max.0));
        }
        if self.beta_max.0 >= 1.0 {
            mistake("beta-max", format!("{} is out of range; above 0 and below 1", self.beta_max.0));
        }
    }
}

/// alpha and beta of Reno.
const RENO: (f64, f64) = (1.0, 0.5);
/// d_1, d_2 and d_3 as parts of d_m (eta) [Liu06].
const ETA: [f64; 3] = [0.01, 0.1, 0.8];

/// The control of a connection.
#[derive(Clone, Debug)]
pub struct Illinois {
    parameters: Parameters,
    alpha: f64,
    beta: f64,
    base: Duration,
    longest: Duration,
    /// A measured round trip whose acknowledgement has not been handled.
    sample: Option<(Time, Duration)>,
    /// Sum in picoseconds, and number, of the samples in this round trip.
    measured: (u128, u32),
    /// Whether d_a has been above d_1 since alpha was last at its maximum.
    was_above: bool,
    /// Number of consecutive round trips since then with d_a at most d_1.
    below: u32,
    round: Round,
}

impl Illinois {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Illinois {
        Illinois {
            parameters: parameters.clone(),
            alpha: parameters.alpha_max.0,
            beta: RENO.1,
            base: Duration::FOREVER,
            longest: Duration::ZERO,
            sample: None,
            measured: (0, 0),
            was_above: false,
            below: 0,
            round: Round::default(),
        }
    }

    /// alpha for an average queueing delay `d_a` of at most `d_m`, in seconds [Liu06].
    fn alpha(&mut self, d_a: f64, d_m: f64) -> f64 {
        let (min, max) = (self.parameters.alpha_min.0, self.parameters.alpha_max.0);
        let d_1 = ETA[0] * d_m;
        if d_a > d_1 {
            (self.was_above, self.below) = (true, 0);
            // kappa_1 / (kappa_2 + d_a), with both kappas multiplied by (max - min).
            return (d_m - d_1) * min * max / ((d_m - d_1) * min + (d_a - d_1) * (max - min));
        }
        self.below += 1;
        if self.was_above && self.below < self.parameters.theta.0 {
            return self.alpha;
        }
        (self.was_above, self.below) = (false, 0);
        max
    }

    /// beta for an average queueing delay `d_a` of at most `d_m`, in seconds [Liu06].
    fn beta(&self, d_a: f64, d_m: f64) -> f64 {
        let (min, max) = (self.parameters.beta_min.0, self.parameters.beta_max.0);
        let (d_2, d_3) = (ETA[1] * d_m, ETA[2] * d_m);
        if d_a <= d_2 {
            min
        } else if d_a >= d_3 {
            max
        } else {
            min + (max - min) * (d_a - d_2) / (d_3 - d_2)
        }
    }

    /// Counts a round-trip sample.
    fn measure(&mut self, rtt: Duration) {
        self.base = self.base.min(rtt);
        self.longest = self.longest.max(rtt);
        self.measured.0 += u128::from(rtt.as_ps());
        self.measured.1 += 1;
    }

    fn end_round(&mut self, window: &Window) {
        let (sum, count) = std::mem::take(&mut self.measured);
        if window.size < self.parameters.threshold_window.0 {
            (self.alpha, self.beta) = RENO;
        } else if count > 0 {
            // The average of equal integers is equal to them. With floating-point numbers it could exceed `base`, and d_1 may be zero.
            let average = Duration::from_ps((sum / u128::from(count)) as u64);
            let (d_a, d_m) = ((average - self.base).as_seconds(), (self.longest - self.base).as_seconds());
            self.alpha = self.alpha(d_a, d_m);
            self.beta = self.beta(d_a, d_m);
        }
    }

    fn reduce(&self, in_flight: u32, window: &mut Window) {
        window.reduce_threshold_within(in_flight, 1.0 - self.beta);
    }
}

crate::state! {
    impl Illinois, |it, _now| {
        /// Growth of the window per round trip in congestion avoidance (alpha) [Liu06].
        "alpha", "segments", is it.alpha;
        /// Reduction of the window at the next congestion (beta) [Liu06].
        "beta", "1", is it.beta;
    }
}

impl CongestionControl for Illinois {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if let Some((_, rtt)) = self.sample.take().filter(|(at, _)| *at == ack.now) {
            self.measure(rtt);
        }
        if self.round.ends_with(ack) {
            self.end_round(window);
        }
        if !ack.may_grow() {
            return;
        }
        if window.is_in_slow_start() {
            window.grow();
        } else {
            window.grow_by(self.alpha / window.size);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        self.reduce(congestion.in_flight, window);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            self.reduce(timeout.in_flight, window);
        }
        (self.alpha, self.beta) = RENO;
        (self.was_above, self.below) = (false, 0);
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.sample = Some((sample.now, sample.rtt));
    }

    fn rtt_sampling(&self) -> RttSampling {
        RttSampling::EveryAck
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.parameters = own::<Parameters>(parameters).clone();
    }
}

#[cfg(test)]
mod tests;
