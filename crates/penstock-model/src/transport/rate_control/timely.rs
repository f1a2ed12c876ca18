//! TIMELY: sets the rate by the gradient of the round-trip time.

use crate::parameters::{own, Check, Count, Fraction, Weight};
use crate::transport::rate_control::{Feedback, RateAck, RateContext, RateControl};
use crate::units::{Bytes, Duration, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// TIMELY: lowers the rate while round-trip times grow, and raises it while they do not.
    ///
    /// ## Decides
    /// The acknowledgement of the last packet of each `segment` is a completion. RTT is the round trip of that packet without its own
    /// transmission. The difference to the previous RTT is averaged, $diff = (1 - alpha) diff + alpha (RTT - RTT_old)$, and the gradient
    /// is diff / `min-rtt`. The rate R changes with each completion:
    ///
    /// | RTT | change |
    /// |---|---|
    /// | below T_low | plus delta |
    /// | in between, gradient at most 0 | plus delta; from the N-th such completion in a row on, plus N delta (hyperactive increase) |
    /// | in between, gradient positive | $R = R (1 - beta gradient)$ |
    /// | above T_high | $R = R (1 - beta (1 - T_high / RTT))$ |
    ///
    /// If the time since the previous completion is shorter than `min-rtt`, only that fraction of the step is taken [Mittal15]; a step
    /// takes at most half of R [Kalia19 s5.2]. Flows start at the rate of their first link and never exceed it. Data packets are not
    /// ECN-capable.
    ///
    /// ## State
    /// A rate, the last round trip and its time, the averaged difference, a count. Constant cost per segment.
    ///
    /// ## Departures
    /// - Packets leave one by one at the rate, not whole segments at line rate, so the round trip of a segment is that of its last packet.
    /// - The paper gives no alpha; 0.02 is that of eRPC, which has the code of the paper's authors [Kalia19]. For hyperactive increase, that
    ///   code counts completions with a negative difference; here, as in the algorithm, those with a gradient of at most 0 count.
    /// - Flows start at line rate; in the paper at a share of it that depends on the number of flows of a host. N flows that start together
    ///   at one port queue everything that they send until their first completions, and the completions of that backlog lower the rates to
    ///   the floor. From there each flow gains delta per `segment` at its own rate: four flows carry 25 % of 10 Gbit/s in the first 50 ms
    ///   and 97 % after; 32 flows carry 34 % at 80 to 100 ms.
    /// - The paper has no minimum rate; here it is `floor`. Since packets are paced, an acknowledgement takes as long as `segment` at the
    ///   rate. If that is longer than the transport's `timeout`, the sender goes back again and again, and nothing is delivered.
    ///
    /// ## Example
    /// ```toml
    /// transport.roce = { rate-control.timely = { t-low = "50 us", t-high = "500 us" } }
    /// ```
    ///
    /// ## References
    /// Mittal et al. [Mittal15 algorithm 1].
    pub struct Parameters {
        /// Bytes on the wire per completion; whole packets, at least one [Mittal15].
        segment: Bytes = "16 kB";
        /// Weight of a new difference (alpha).
        weight: Weight = "0.02", changeable;
        /// Divisor of the gradient (minRTT) [Mittal15].
        min_rtt: Duration = "20 us", changeable;
        /// Round trips below this raise the rate (T_low) [Mittal15].
        t_low: Duration = "50 us", changeable;
        /// Round trips above this lower it (T_high) [Mittal15].
        t_high: Duration = "500 us", changeable;
        /// Additive increase of the rate (delta) [Mittal15].
        additive_increase: Rate = "10 Mbit/s", changeable;
        /// Factor of the decrease (beta) [Mittal15].
        decrease: Fraction = "0.8", changeable;
        /// Number of completions in a row without a positive gradient that starts hyperactive increase, and its factor (N) [Mittal15].
        hyperactive: Count = "5", changeable;
        /// Minimum rate; it must send `segment` within the transport's `timeout`.
        floor: Rate = "40 Mbit/s", changeable;
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

/// State of a sender. Rates are in bit/s, times in seconds.
#[derive(Clone, Debug)]
pub struct Timely {
    parameters: Parameters,
    line: Rate,
    packet: u32,
    rate: f64,
    /// Previous round trip; `None` before the first one.
    before: Option<f64>,
    /// Time of its measurement.
    updated: Option<Time>,
    /// Averaged difference of consecutive round trips.
    difference: f64,
    /// Number of consecutive completions without a positive gradient.
    not_rising: u32,
}

impl Timely {
    /// A control that starts at the rate of the port.
    pub fn new(parameters: &Parameters, context: &RateContext) -> Timely {
        Timely {
            parameters: parameters.clone(),
            line: context.site.rate,
            packet: context.packet,
            rate: context.site.rate.as_bps() as f64,
            before: None,
            updated: None,
            difference: 0.0,
            not_rising: 0,
        }
    }

    /// Gradient of the round trip.
    fn gradient(&self) -> f64 {
        self.difference / self.parameters.min_rtt.as_seconds()
    }

    /// Fraction of a step for a completion at `now`: the time since the last one in units of `min-rtt`, at most 1 [Mittal15].
    fn share(&mut self, now: Time) -> f64 {
        let since = self.updated.replace(now).map(|last| now.since(last).as_seconds());
        since.map_or(1.0, |seconds| (seconds / self.parameters.min_rtt.as_seconds()).min(1.0))
    }

    /// Rate after a round trip of `rtt` seconds, by algorithm 1 [Mittal15] with the fraction `share` of its step.
    fn stepped(&mut self, rtt: f64, share: f64) -> f64 {
        let weight = self.parameters.weight.0;
        self.difference = (1.0 - weight) * self.difference + weight * (rtt - self.before.replace(rtt).unwrap_or(rtt));
        let (delta, beta) = (share * self.parameters.additive_increase.as_bps() as f64, share * self.parameters.decrease.0);
        let (low, high) = (self.parameters.t_low.as_seconds(), self.parameters.t_high.as_seconds());
        let gradient = self.gradient();
        let in_a_row = if rtt >= low && rtt <= high && gradient <= 0.0 { self.not_rising.saturating_add(1) } else { 0 };
        self.not_rising = in_a_row;
        let wanted = if rtt < low {
            self.rate + delta
        } else if rtt > high {
            self.rate * (1.0 - beta * (1.0 - high / rtt))
        } else if gradient <= 0.0 {
            let hyperactive = self.parameters.hyperactive.0;
            self.rate + if in_a_row >= hyperactive { f64::from(hyperactive) * delta } else { delta }
        } else {
            self.rate * (1.0 - beta * gradient)
        };
        wanted.max(self.rate / 2.0)
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
        let share = self.share(ack.now);
        self.rate = self.stepped(rtt.as_seconds(), share).clamp(floor, line);
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.parameters.clone_from(own(parameters));
    }
}

crate::state! {
    impl Timely, |it, _now| {
        /// Rate (R), as of the last completion [Mittal15].
        "rate", "bit/s", is it.rate;
        /// Round trip of the last completion; 0 before it [Mittal15].
        "rtt", "s", is it.before.unwrap_or(0.0);
        /// Gradient of the round trip, averaged, in round trips [Mittal15].
        "gradient", "1", is it.gradient();
    }
}

#[cfg(test)]
mod tests;
