//! HighSpeed TCP.

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::parameters::{own, Check, Positive, Probability};
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// HighSpeed TCP: additive increase and multiplicative decrease whose constants depend on the window.
    ///
    /// ## Decides
    /// With a window w of at most `low-window` segments it is Reno. Above that, cwnd grows by a(w) segments per round trip, and
    /// congestion reduces it by the fraction b(w) of FlightSize. b(w) falls linearly with log w, from 0.5 at `low-window` to
    /// `high-decrease` at `high-window` [RFC3649 s7]. The response function $p(w) = low_p (w / low_window)^(1/S)$ is the loss rate
    /// at which the average window should be w. In logarithms it is a line, whose slope 1/S leads from `low-p` at `low-window` to
    /// `high-p` at `high-window` [RFC3649 s5]. From b(w) and p(w) follows $a(w) = w^2 p(w) 2 b(w) / (2 - b(w))$ [RFC3649 s7]. Slow
    /// start is that of Reno. An echoed mark reduces cwnd like a loss, at once.
    ///
    /// ## State
    /// None beyond cwnd and ssthresh. One logarithm and one power per acknowledgement in congestion avoidance.
    ///
    /// ## Departures
    /// - a(w) and b(w) follow the equations, not the table of [RFC3649 App. B], which rounds a(w) down and b(w) to two digits.
    /// - a(w) is at least one; just above `low-window`, the equations give up to 4 % less.
    /// - Above `high-window` b(w) is `high-decrease`; the RFC leaves such windows open.
    /// - The response function is exact, not w = 0.12 / p^0.835 as rounded in [RFC3649 s5].
    /// - The reduction applies to FlightSize [RFC5681 s3.1 (4)], at most cwnd; a timeout halves it.
    /// - Growth per round trip assumes an acknowledgement of every segment. Acknowledgements count, not bytes: with
    ///   `ack-every = 2`, cwnd grows half as fast, in slow start too.
    /// - Limited slow start (RFC 3742) is absent.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.high-speed = { high-window = 10000, high-p = 1e-5 } }
    /// ```
    ///
    /// ## References
    /// RFC 3649.
    pub struct Parameters {
        /// Maximum window with the constants of Reno, in segments (Low_Window) [RFC3649 s5].
        low_window: Positive = "38", changeable;
        /// Loss rate at `low-window` (Low_P) [RFC3649 s5].
        low_p: Probability = "1e-3", changeable;
        /// Window of the other end of the response function, in segments (High_Window) [RFC3649 s5].
        high_window: Positive = "83000", changeable;
        /// Loss rate at `high-window` (High_P) [RFC3649 s5].
        high_p: Probability = "1e-7", changeable;
        /// Fraction by which congestion reduces a window of `high-window` (High_Decrease) [RFC3649 s7].
        high_decrease: Probability = "0.1", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.low_window.0 >= self.high_window.0 {
            mistake("low-window", format!("{} is not below high-window, which is {}", self.low_window.0, self.high_window.0));
        }
        if self.high_p.0 <= 0.0 || self.high_p.0 >= self.low_p.0 {
            mistake("high-p", format!("{} is out of range; above 0 and below low-p, which is {}", self.high_p.0, self.low_p.0));
        }
        if self.high_decrease.0 <= 0.0 || self.high_decrease.0 > REDUCTION {
            mistake("high-decrease", format!("{} is out of range; above 0, at most {REDUCTION}", self.high_decrease.0));
        }
    }
}

/// b(w) of Reno, up to Low_Window.
const REDUCTION: f64 = 0.5;

/// The control of a connection. Windows are in segments.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    low_window: f64,
    low_p: f64,
    high_decrease: f64,
    /// log(High_Window / Low_Window).
    width: f64,
    /// 1 / S: decrease of the loss rate with the window, in logarithms.
    exponent: f64,
}

impl HighSpeed {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> HighSpeed {
        HighSpeed::of(parameters)
    }

    fn of(parameters: &Parameters) -> HighSpeed {
        let width = libm::log(parameters.high_window.0 / parameters.low_window.0);
        HighSpeed {
            low_window: parameters.low_window.0,
            low_p: parameters.low_p.0,
            high_decrease: parameters.high_decrease.0,
            width,
            exponent: libm::log(parameters.high_p.0 / parameters.low_p.0) / width,
        }
    }

    /// b(w) [RFC3649 s7].
    fn reduction(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return REDUCTION;
        }
        let position = (libm::log(w / self.low_window) / self.width).min(1.0);
        REDUCTION + (self.high_decrease - REDUCTION) * position
    }

    /// a(w) [RFC3649 s7].
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 1.0;
        }
        let p = self.low_p * libm::pow(w / self.low_window, self.exponent);
        let b = self.reduction(w);
        (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
    }

    fn reduce(&self, in_flight: u32, window: &mut Window) {
        window.reduce_threshold_within(in_flight, 1.0 - self.reduction(window.size));
    }
}

crate::state! {
    impl HighSpeed, |_it, _now| {}
}

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if !ack.may_grow() {
            return;
        }
        if window.is_in_slow_start() {
            window.grow();
        } else {
            window.grow_by(self.increase(window.size) / window.size);
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
            window.reduce_threshold_within(timeout.in_flight, REDUCTION);
        }
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        *self = HighSpeed::of(own(parameters));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ack, close, context};
    use super::*;
    use crate::parameters::testing::read;

    fn high_speed(lines: &[&str]) -> HighSpeed {
        HighSpeed::new(&read(lines).expect("sound"), &context(1460))
    }

    /// Windows of [RFC3649 App. B] from which a(w) is 2 to 6, and b(w) there.
    #[test]
    fn increase_and_reduction_are_those_of_the_table() {
        let it = high_speed(&[]);
        assert_eq!((it.increase(38.0), it.reduction(38.0)), (1.0, 0.5));
        assert_eq!((it.increase(39.0), it.increase(5.0), it.reduction(5.0)), (1.0, 1.0, 0.5));
        for (w, a, b) in [(118.0, 2.0, 44.0), (221.0, 3.0, 41.0), (347.0, 4.0, 38.0), (495.0, 5.0, 37.0), (663.0, 6.0, 35.0)] {
            assert_eq!((it.increase(w).floor(), (100.0 * it.reduction(w)).round()), (a, b), "{w}");
        }
    }

    /// By hand: halfway between the two ends in logarithms, w^2 is 38 * 83000 and p is 1e-5.
    #[test]
    fn the_response_function_is_a_line_in_logarithms() {
        let it = high_speed(&[]);
        let middle = (38.0_f64 * 83000.0).sqrt();
        close(it.reduction(middle), 0.3);
        close(it.increase(middle), 31.54 * 0.6 / 1.7);
        close(it.reduction(83000.0), 0.1);
        close(it.increase(83000.0), 688.9 * 0.2 / 1.9); // 72.5
        close(it.reduction(100_000.0), 0.1);
    }

    #[test]
    fn a_large_window_grows_faster_and_shrinks_less_than_that_of_reno() {
        let mut it = high_speed(&["high-window = 3800", "high-p = 1e-5"]);
        let mut window = Window { size: 380.0, threshold: 10.0, max: 1000 };
        it.on_ack(&ack(0), &mut window);
        // w = 380: b = 0.3, p = 1e-4, a = 14.44 * 0.6 / 1.7 = 5.096.
        close(window.size, 380.0 + 14.44 * 0.6 / 1.7 / 380.0);
        window.size = 380.0;
        it.on_ack(&Acknowledgement { ece: true, ..ack(0) }, &mut window);
        assert_eq!(window.size, 380.0);
        it.on_congestion(&Congestion { now: Time::ZERO, cause: Cause::Loss, in_flight: 381 }, &mut window);
        assert_eq!(window.size, 380.0);
        close(window.threshold, 266.0);
        it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 300, repeated: false }, &mut window);
        assert_eq!(window.threshold, 150.0);
        it.on_congestion(&Congestion { now: Time::ZERO, cause: Cause::Ecn, in_flight: 380 }, &mut window);
        close(window.size, 266.0);
        assert_eq!(window.threshold, window.size);
        (window.size, window.threshold) = (266.0, 300.0);
        it.on_ack(&ack(0), &mut window);
        assert_eq!(window.size, 267.0);
        window.size = 999.999;
        it.on_ack(&ack(0), &mut window);
        assert_eq!(window.size, 1000.0);
    }

    #[test]
    fn ends_in_the_wrong_order_are_mistakes() {
        for line in ["low-window = 83000", "high-p = 1e-3", "high-p = 0", "high-decrease = 0.6", "high-decrease = 0"] {
            assert!(read::<Parameters>(&[line]).is_err(), "{line}");
        }
    }
}
