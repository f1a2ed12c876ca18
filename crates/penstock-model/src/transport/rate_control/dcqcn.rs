//! Data Center Quantized Congestion Notification, reaction point.

use crate::parameters::{own, Check, Count, Probability};
use crate::transport::rate_control::{Feedback, RateContext, RateControl};
use crate::units::{Bytes, Duration, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// DCQCN: reduces the rate by the estimated share of marked packets, and recovers like QCN.
    ///
    /// ## Decides
    /// Queues mark like RED, by the instantaneous queue (`red-marking`). The receiver of a marked packet sends a notification (CNP), at
    /// most one per `notification-interval`. A notification sets the target rate R_T to the current rate R_C, then
    /// $R_C = R_C (1 - alpha / 2)$ and $alpha = (1 - g) alpha + g$. After each `alpha-timer` without a notification,
    /// $alpha = (1 - g) alpha$; alpha starts at 1. After a notification, two kinds of cycles run: one ends after `byte-counter` bytes, the
    /// other after `rate-timer`. At the end of each cycle, with BC and T finished cycles of the two kinds, R_T changes:
    ///
    /// | phase | condition | R_T |
    /// |---|---|---|
    /// | fast recovery | max(T, BC) < F | unchanged |
    /// | hyper increase | min(T, BC) > F | plus (min(T, BC) - F) x `hyper-increase` |
    /// | additive increase | otherwise | plus `additive-increase` |
    ///
    /// Then $R_C = (R_C + R_T) / 2$. Flows start at the rate of their first link and never exceed it.
    ///
    /// ## State
    /// Two rates, alpha, two counts of cycles, three instants. Constant cost per packet.
    ///
    /// ## Departures
    /// - The paper has R_AI = 40 Mbit/s and leaves R_HAI to QCN, where it is ten times R_AI [IEEE8021Qau].
    /// - The paper has no minimum rate; here it is `floor`.
    /// - A cycle of the timer that ends while a packet is held back changes the rate from the next packet on.
    ///
    /// ## Example
    /// ```toml
    /// transport.roce = { rate-control.dcqcn = { rate-timer = "55 us" } }
    /// ```
    ///
    /// ## References
    /// Zhu et al. [Zhu15].
    pub struct Parameters {
        /// Weight of an update of alpha (g) [Zhu15].
        gain: Probability = "1/256", changeable;
        /// Time without a notification after which alpha decreases (K) [Zhu15].
        alpha_timer: Duration = "55 us", changeable;
        /// Length of a cycle of the timer (T) [Zhu15].
        rate_timer: Duration = "55 us", changeable;
        /// Bytes in a cycle of the byte counter (B) [Zhu15].
        byte_counter: Bytes = "10 MB", changeable;
        /// Cycles of fast recovery (F) [Zhu15].
        fast_recovery: Count = "5", changeable;
        /// Increase of the target rate per cycle of additive increase (R_AI) [Zhu15].
        additive_increase: Rate = "40 Mbit/s", changeable;
        /// The same in hyper increase (R_HAI).
        hyper_increase: Rate = "400 Mbit/s", changeable;
        /// Minimum time between two notifications of a receiver (N) [Zhu15].
        notification_interval: Duration = "50 us";
        /// Minimum rate.
        floor: Rate = "10 Mbit/s", changeable;
    }
}
/// Minimum timer period: each cycle costs some steps, even for a sender that is idle for long.
const LEAST_TIMER: Duration = Duration::from_us(1);

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.gain.0 <= 0.0 || self.gain.0 >= 1.0 {
            mistake("gain", format!("{} is out of range; above 0 and below 1", self.gain.0));
        }
        for (name, timer) in [("alpha-timer", self.alpha_timer), ("rate-timer", self.rate_timer)] {
            if timer < LEAST_TIMER {
                mistake(name, format!("must be at least {LEAST_TIMER}"));
            }
        }
    }
}

/// State of a sender. Rates are in bit/s.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    parameters: Parameters,
    line: f64,
    /// Current rate (R_C).
    rate: f64,
    /// Target rate (R_T).
    target: f64,
    alpha: f64,
    /// Completed cycles of timer (T) and byte counter (BC), and the bytes of the current cycle.
    timer_cycles: u32,
    byte_cycles: u32,
    bytes: u64,
    /// Time of the next update of alpha without a notification, and end of the current timer cycle.
    alpha_due: Time,
    rate_due: Time,
}

impl Dcqcn {
    /// A control that starts at the rate of the port.
    pub fn new(parameters: &Parameters, context: &RateContext) -> Dcqcn {
        let line = context.site.rate.as_bps() as f64;
        Dcqcn {
            parameters: parameters.clone(),
            line,
            rate: line,
            target: line,
            alpha: 1.0,
            timer_cycles: 0,
            byte_cycles: 0,
            bytes: 0,
            // alpha keeps its initial value before the first notification.
            alpha_due: Time::NEVER,
            rate_due: Time::NEVER,
        }
    }

    /// Handles the timers that have expired by `now`. At the rate of the port there is nothing to recover.
    fn advance(&mut self, now: Time) {
        if self.alpha_due <= now {
            let timer = self.parameters.alpha_timer;
            let ended = now.since(self.alpha_due).as_ps() / timer.as_ps() + 1;
            self.alpha *= libm::pow(1.0 - self.parameters.gain.0, ended as f64);
            self.alpha_due += timer.times(ended);
        }
        while self.rate_due <= now && self.rate < self.line {
            self.timer_cycles += 1;
            self.increase();
            self.rate_due += self.parameters.rate_timer;
        }
    }

    /// Handles the end of a cycle.
    fn increase(&mut self) {
        let threshold = self.parameters.fast_recovery.0;
        let (least, most) = (self.timer_cycles.min(self.byte_cycles), self.timer_cycles.max(self.byte_cycles));
        if least > threshold {
            self.target += self.parameters.hyper_increase.as_bps() as f64 * f64::from(least - threshold);
        } else if most >= threshold {
            self.target += self.parameters.additive_increase.as_bps() as f64;
        }
        self.target = self.target.min(self.line);
        self.rate = 0.5 * (self.rate + self.target);
    }
}

impl RateControl for Dcqcn {
    fn feedback(&self) -> Feedback {
        Feedback { notification_interval: Some(self.parameters.notification_interval), ..Feedback::default() }
    }

    fn rate(&mut self, now: Time) -> Rate {
        self.advance(now);
        Rate::from_bps(self.rate as u64)
    }

    fn on_sent(&mut self, now: Time, size: u32) {
        self.advance(now);
        if self.rate >= self.line {
            return;
        }
        self.bytes += u64::from(size);
        if self.bytes >= self.parameters.byte_counter.get() {
            self.bytes -= self.parameters.byte_counter.get();
            self.byte_cycles += 1;
            self.increase();
        }
    }

    fn on_notification(&mut self, now: Time) {
        self.advance(now);
        let gain = self.parameters.gain.0;
        self.target = self.rate;
        self.rate = (self.rate * (1.0 - self.alpha / 2.0)).max(self.parameters.floor.as_bps() as f64).min(self.line);
        self.alpha = (1.0 - gain) * self.alpha + gain;
        (self.timer_cycles, self.byte_cycles, self.bytes) = (0, 0, 0);
        (self.alpha_due, self.rate_due) = (now + self.parameters.alpha_timer, now + self.parameters.rate_timer);
    }

    /// Running timers keep their deadlines.
    fn change(&mut self, now: Time, parameters: &dyn Any) {
        self.advance(now);
        self.parameters.clone_from(own(parameters));
    }
}

crate::state! {
    impl Dcqcn, |it, _now| {
        /// Current rate (R_C), as of the last packet or notification [Zhu15].
        "rate", "bit/s", is it.rate;
        /// Target rate (R_T), likewise [Zhu15].
        "target-rate", "bit/s", is it.target;
        /// Estimated share of marked packets (alpha), likewise [Zhu15].
        "alpha", "1", is it.alpha;
    }
}

#[cfg(test)]
mod tests;
