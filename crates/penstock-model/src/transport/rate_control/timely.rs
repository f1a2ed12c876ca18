//! TIMELY: the rate from the gradient of the round-trip time.

use crate::parameters::{Check, Count, Fraction, Weight};
use crate::transport::rate_control::{Feedback, RateAck, RateContext, RateControl};
use crate::units::{Bytes, Duration, Rate, Time};

crate::parameters! {
    /// TIMELY: lowers the rate while round-trip times grow, and raises it while they do not.
    ///
    /// ## Decides
    /// Each `segment` gives a completion: the acknowledgement of its last packet, with that packet's round trip RTT less its own transmission.
    /// The difference to the one before is averaged, diff = (1 - alpha) diff + alpha (RTT - RTT_before), and the gradient is diff / `min-rtt`.
    /// Below T_low the rate R grows by delta; above T_high, R = R (1 - beta (1 - T_high / RTT)); in between R = R (1 - beta gradient)
    /// if the gradient is positive, else R grows by delta, and by N delta from the N-th such completion in a row on (hyperactive increase).
    /// Flows begin at the rate of their first link, and never exceed it. Data are not ECN-capable.
    ///
    /// ## State
    /// A rate, the last round trip, the averaged difference, a count. Constant cost per segment.
    ///
    /// ## Departures
    /// - Packets leave one by one at the rate, not whole segments at line rate, so that the round trip of a segment is that of its last packet.
    /// - The paper gives no alpha: 0.02 is that of eRPC, which has the code of the paper's authors [Kalia19 s5.2].
    /// - The paper's flows begin at a share of the line rate that depends on the number of flows of a host. Where several begin at line rate at
    ///   once, `max-outstanding` must bound what they queue; else all completions of the backlog lower the rates, to the floor.
    /// - It has no least rate: `floor` is one.
    ///
    /// ## Example
    /// ```toml
    /// transport.roce = { rate-control.timely = { t-low = "50 us", t-high = "500 us" } }
    /// ```
    ///
    /// ## References
    /// Mittal et al. [Mittal15 s4].
    pub struct Parameters {
        /// Bytes on the wire per completion; whole packets, at least one [Mittal15 s5].
        segment: Bytes = "64 kB";
        /// Weight of a new difference (alpha).
        weight: Weight = "0.02";
        /// What gradients are divided by (minRTT) [Mittal15 s4.3].
        min_rtt: Duration = "20 us";
        /// Round trips below this raise the rate (T_low) [Mittal15 s5].
        t_low: Duration = "50 us";
        /// Round trips above this lower it (T_high) [Mittal15 s5].
        t_high: Duration = "500 us";
        /// What the rate gains (delta) [Mittal15 s5].
        additive_increase: Rate = "10 Mbit/s";
        /// How strongly it falls (beta) [Mittal15 s5].
        decrease: Fraction = "0.8";
        /// Completions without a positive gradient up to hyperactive increase, and its factor (N) [Mittal15 s4.3].
        hyperactive: Count = "5";
        /// The least rate.
        floor: Rate = "10 Mbit/s";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.min_rtt == Duration::ZERO {
            mistake("min-rtt", "must be above 0 s".to_owned());
        }
        if self.t_low > self.t_high {
            mistake("t-low", format!("must be at most t-high, {}", self.t_high));
        }
    }
}

/// The rate of a sender, in bit/s; times in seconds.
#[derive(Clone, Debug)]
pub struct Timely {
    parameters: Parameters,
    line: Rate,
    packet: u32,
    rate: f64,
    /// The round trip before, once there is one.
    before: Option<f64>,
    /// The averaged difference of two round trips.
    difference: f64,
    /// Completions without a positive gradient, the last ones in a row.
    not_rising: u32,
}

impl Timely {
    /// A control that begins at the rate of the port.
    pub fn new(parameters: &Parameters, context: &RateContext) -> Timely {
        Timely {
            parameters: parameters.clone(),
            line: context.site.rate,
            packet: context.packet,
            rate: context.site.rate.as_bps() as f64,
            before: None,
            difference: 0.0,
            not_rising: 0,
        }
    }

    /// The gradient of the round trip.
    fn gradient(&self) -> f64 {
        self.difference / self.parameters.min_rtt.as_seconds()
    }

    /// The new rate after a round trip of so many seconds, of algorithm 1 [Mittal15 s4.3].
    fn updated(&mut self, rtt: f64) -> f64 {
        let weight = self.parameters.weight.0;
        self.difference = (1.0 - weight) * self.difference + weight * (rtt - self.before.replace(rtt).unwrap_or(rtt));
        let (delta, beta) = (self.parameters.additive_increase.as_bps() as f64, self.parameters.decrease.0);
        let (low, high) = (self.parameters.t_low.as_seconds(), self.parameters.t_high.as_seconds());
        let gradient = self.gradient();
        let in_a_row = if rtt >= low && rtt <= high && gradient <= 0.0 { self.not_rising.saturating_add(1) } else { 0 };
        self.not_rising = in_a_row;
        if rtt < low {
            self.rate + delta
        } else if rtt > high {
            self.rate * (1.0 - beta * (1.0 - high / rtt))
        } else if gradient <= 0.0 {
            let hyperactive = self.parameters.hyperactive.0;
            self.rate + if in_a_row >= hyperactive { f64::from(hyperactive) * delta } else { delta }
        } else {
            self.rate * (1.0 - beta * gradient)
        }
    }
}

impl RateControl for Timely {
    fn rate(&mut self, _now: Time) -> Rate {
        Rate::from_bps(self.rate as u64)
    }

    fn feedback(&self) -> Feedback {
        let packets = self.parameters.segment.get() / u64::from(self.packet);
        Feedback { ack_every: Some(packets.clamp(1, u64::from(u32::MAX)) as u32), ..Feedback::default() }
    }

    fn on_ack(&mut self, ack: &RateAck<'_>) {
        let transmission = self.line.transmission_time(Bytes::new(u64::from(self.packet)));
        let rtt = Duration::from_ps(ack.rtt.as_ps().saturating_sub(transmission.as_ps()));
        let line = self.line.as_bps() as f64;
        let floor = (self.parameters.floor.as_bps() as f64).min(line);
        self.rate = self.updated(rtt.as_seconds()).clamp(floor, line);
    }
}

crate::state! {
    impl Timely, |it, _now| {
        /// Rate (R), as of the last completion [Mittal15 s4.3].
        "rate", "bit/s", is it.rate;
        /// Round trip of the last completion; 0 before it [Mittal15 s4.3].
        "rtt", "s", is it.before.unwrap_or(0.0);
        /// Gradient of the round trip, averaged, in round trips [Mittal15 s4.3].
        "gradient", "1", is it.gradient();
    }
}

#[cfg(test)]
mod tests;
