//! Scalable TCP.

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::parameters::{own, Check, Positive, Probability};
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// Scalable TCP: multiplicative increase, so that the time to recover from a loss does not depend on the window.
    ///
    /// ## Decides
    /// With more than `legacy-window` segments, each acknowledgement adds `increase` segments to cwnd in congestion avoidance, and
    /// congestion reduces cwnd by the fraction `decrease` of FlightSize. A window therefore recovers after
    /// $-log(1 - decrease) / log(1 + increase)$ round trips, 13.4 with the default values. With a loss rate p the average window is
    /// about increase / (decrease p). Smaller windows, and slow start, are as in Reno. An echoed mark reduces cwnd like a loss, at
    /// once.
    ///
    /// ## State
    /// None beyond cwnd and ssthresh. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - The reduction applies to FlightSize [RFC5681 s3.1 (4)], since the application may not have used all of cwnd, but at most
    ///   to cwnd.
    /// - A timeout halves FlightSize [RFC5681 s3.1 (4)]; [Kelly03] only describes losses that are repaired without one.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.scalable = { legacy-window = 8 } }
    /// ```
    ///
    /// ## References
    /// Kelly [Kelly03].
    pub struct Parameters {
        /// Segments that each acknowledgement adds (a) [Kelly03].
        increase: Positive = "0.01", changeable;
        /// Fraction by which congestion reduces the window (b) [Kelly03].
        decrease: Probability = "0.125", changeable;
        /// Maximum window that grows and shrinks as Reno's, in segments (lwnd) [Kelly03].
        legacy_window: Positive = "16", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.increase.0 > 1.0 {
            mistake("increase", format!("{} is out of range; above 0, at most 1", self.increase.0));
        }
        if self.decrease.0 <= 0.0 || self.decrease.0 >= 1.0 {
            mistake("decrease", format!("{} is out of range; above 0 and below 1", self.decrease.0));
        }
    }
}

/// The control of a connection.
#[derive(Clone, Debug)]
pub struct Scalable {
    increase: f64,
    decrease: f64,
    legacy_window: f64,
}

impl Scalable {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Scalable {
        Scalable::of(parameters)
    }

    fn of(it: &Parameters) -> Scalable {
        Scalable { increase: it.increase.0, decrease: it.decrease.0, legacy_window: it.legacy_window.0 }
    }

    fn reduce(&self, in_flight: u32, window: &mut Window) {
        let fraction = if window.size > self.legacy_window { self.decrease } else { 0.5 };
        window.reduce_threshold_within(in_flight, 1.0 - fraction);
    }
}

crate::state! {
    impl Scalable, |_it, _now| {}
}

impl CongestionControl for Scalable {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if !ack.may_grow() {
            return;
        }
        if window.is_in_slow_start() || window.size <= self.legacy_window {
            window.grow();
        } else {
            window.grow_by(self.increase);
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
            window.reduce_threshold_within(timeout.in_flight, 0.5);
        }
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        *self = Scalable::of(own(parameters));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ack, close, context, loss};
    use super::*;
    use crate::parameters::testing::read;

    fn scalable(lines: &[&str]) -> Scalable {
        Scalable::new(&read(lines).expect("sound"), &context(1460))
    }

    /// By hand: 12.5 segments in steps of 0.01.
    #[test]
    fn a_window_recovers_after_a_multiple_of_its_acknowledgements() {
        let mut it = scalable(&[]);
        let mut window = Window { size: 100.0, threshold: 50.0, max: 1000 };
        it.on_congestion(&loss(0, 100), &mut window);
        assert_eq!((window.size, window.threshold), (100.0, 87.5));
        window.size = window.threshold;
        it.on_ack(&ack(0), &mut window);
        close(window.size, 87.51);
        for _ in 1..1250 {
            it.on_ack(&ack(0), &mut window);
        }
        close(window.size, 100.0);
    }

    /// 1000 acknowledgements add 10 segments. Congestion removes that number from a window of 80 = 0.01 / (0.125 * 0.001).
    #[test]
    fn the_window_is_inverse_to_the_loss_rate() {
        let mut it = scalable(&[]);
        let mut window = Window { size: 80.0, threshold: 50.0, max: 1000 };
        for _ in 0..10 {
            it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 80) }, &mut window);
            assert_eq!(window.size, 70.0);
            for _ in 0..1000 {
                it.on_ack(&ack(0), &mut window);
            }
            close(window.size, 80.0);
        }
    }

    #[test]
    fn a_small_window_is_that_of_reno() {
        let mut it = scalable(&[]);
        let mut window = Window { size: 16.0, threshold: 8.0, max: 1000 };
        it.on_ack(&ack(0), &mut window);
        close(window.size, 16.0625);
        window.size = 16.0;
        it.on_congestion(&loss(0, 15), &mut window);
        assert_eq!(window.threshold, 7.5);
        window.size = 100.0;
        it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 15, repeated: false }, &mut window);
        assert_eq!(window.threshold, 7.5);
        it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 10, repeated: true }, &mut window);
        assert_eq!(window.threshold, 7.5);
        window = Window { size: 50.0, threshold: 60.0, max: 1000 };
        it.on_ack(&ack(0), &mut window);
        assert_eq!(window.size, 51.0);
    }

    #[test]
    fn factors_out_of_range_are_mistakes() {
        for line in ["increase = 1.1", "decrease = 0", "decrease = 1"] {
            assert!(read::<Parameters>(&[line]).is_err(), "{line}");
        }
    }
}
