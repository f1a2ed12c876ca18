//! LEDBAT.

pub(in crate::transport) mod delays;

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, RttSampling, Timeout, Window};
use crate::parameters::{own, Check, Count, Fraction, Positive};
use crate::units::{Duration, Time};
use delays::Delays;
use std::any::Any;

crate::parameters! {
    /// LEDBAT: background traffic that keeps the queueing delay at a target and gives way to other traffic.
    ///
    /// ## Decides
    /// The queueing delay is the minimum of the last `current-filter` delays minus the base delay, which is the minimum over the
    /// last `base-history` intervals. With $off = (target - queueing delay) / target$, each acknowledgement of n segments adds
    /// $gain off n / cwnd$ to cwnd: up to `gain` segments per round trip without a queue, nothing at the target, and a negative
    /// amount above it. cwnd is at least two segments, and at most FlightSize plus `allowed-increase` segments, so that it does not
    /// grow unused. A loss or an echoed mark halves cwnd; a timeout sets it to one segment. There is no slow start.
    ///
    /// ## State
    /// About 150 bytes and 8 for each remembered delay and each segment outstanding. The cost of an acknowledgement grows with
    /// the lengths of the filters.
    ///
    /// ## Departures
    /// - Delays are round trips, as TCP has no one-way delays: a queue of acknowledgements counts too. The round trip of the SYN
    ///   exchange, whose packets are shorter, does not count.
    /// - The transport sets the first window (`initial-window`); in [RFC6817 s2.5] it has two segments.
    /// - The timer is the retransmission timer of the transport, not the CTO of [RFC6817 s2.4.2].
    /// - An acknowledgement in a fast recovery or with an echoed mark does not change cwnd.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.ledbat = { target = "50 ms" } }
    /// ```
    ///
    /// ## References
    /// RFC 6817.
    pub struct Parameters {
        /// Queueing delay up to which the flow fills the queue (TARGET), at most 100 ms [RFC6817 s2.5].
        target: Duration = "100 ms", changeable;
        /// Growth per round trip without a queue, in segments (GAIN) [RFC6817 s2.5].
        gain: Fraction = "1", changeable;
        /// Segments by which cwnd may exceed FlightSize (ALLOWED_INCREASE) [RFC6817 s2.5].
        allowed_increase: Positive = "1", changeable;
        /// Number of delays whose minimum is the current delay (CURRENT_FILTER) [RFC6817 s2.5].
        current_filter: Count = "4";
        /// Number of intervals whose minimum is the base delay (BASE_HISTORY) [RFC6817 s2.5].
        base_history: Count = "10";
        /// Length of such an interval: a minute [RFC6817 s2.4.2].
        base_interval: Duration = "60 s";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.target == Duration::ZERO || self.target > MOST_TARGET {
            mistake("target", format!("{} is out of range; above 0 s, at most {MOST_TARGET}", self.target));
        }
        check_filters(self.current_filter, self.base_history, self.base_interval, mistake);
    }
}

/// Maximum of TARGET [RFC6817 s2.5].
const MOST_TARGET: Duration = Duration::from_ms(100);
/// Maximum length of a filter. Each acknowledgement costs time proportional to it.
const MOST_REMEMBERED: u32 = 1000;
/// MIN_CWND, in segments [RFC6817 s2.5].
pub(super) const MIN_CWND: f64 = 2.0;

/// Reports filters that are too long and intervals of length zero.
pub(super) fn check_filters(current: Count, history: Count, interval: Duration, mistake: &mut dyn FnMut(&str, String)) {
    for (key, length) in [("current-filter", current), ("base-history", history)] {
        if length.0 > MOST_REMEMBERED {
            mistake(key, format!("{} is out of range; a whole number, 1 to {MOST_REMEMBERED}", length.0));
        }
    }
    if interval == Duration::ZERO {
        mistake("base-interval", "is zero; above 0 s".to_owned());
    }
}

/// The control of a connection.
#[derive(Clone, Debug)]
pub struct Ledbat {
    target: f64,
    gain: f64,
    allowed_increase: f64,
    delays: Delays,
}

impl Ledbat {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Ledbat {
        Ledbat {
            target: parameters.target.as_seconds(),
            gain: parameters.gain.0,
            allowed_increase: parameters.allowed_increase.0,
            delays: Delays::new(parameters.base_interval, parameters.base_history.0, parameters.current_filter.0),
        }
    }
}

crate::state! {
    impl Ledbat, |it, _now| {
        /// Minimum delay of the path (base_delay) [RFC6817 s2.4.2], after the first measurement.
        "base-delay", "s", maybe it.delays.base();
        /// Current delay less the base delay (queuing_delay) [RFC6817 s2.4.2], after the first measurement.
        "queueing-delay", "s", maybe it.delays.queueing();
    }
}

impl CongestionControl for Ledbat {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        self.delays.take_measured(ack.now);
        let Some(queueing) = self.delays.queueing().filter(|_| ack.may_grow()) else { return };
        let off_target = (self.target - queueing) / self.target;
        let size = window.size + self.gain * off_target * f64::from(ack.newly) / window.size;
        let most = (f64::from(ack.in_flight) + self.allowed_increase).min(f64::from(window.max));
        window.size = size.min(most).max(MIN_CWND);
        window.threshold = window.threshold.min(window.size);
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        window.threshold = (window.size / 2.0).max(MIN_CWND);
        if congestion.cause == Cause::Ecn {
            window.size = window.size.min(window.threshold);
        }
    }

    fn on_timeout(&mut self, _timeout: &Timeout, window: &mut Window) {
        window.threshold = MIN_CWND;
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.delays.measure(sample.now, sample.rtt);
    }

    fn rtt_sampling(&self) -> RttSampling {
        RttSampling::EveryAck
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        (self.target, self.gain, self.allowed_increase) = (it.target.as_seconds(), it.gain.0, it.allowed_increase.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ack, close, context, loss};
    use super::*;
    use crate::parameters::testing::read;

    fn ledbat(lines: &[&str]) -> Ledbat {
        Ledbat::new(&read(lines).expect("sound"), &context(1460))
    }

    fn rtt(it: &mut Ledbat, ms: u64) {
        it.delays.record(Time::ZERO, Duration::from_ms(ms));
    }

    /// By hand, with a target of 100 ms: a queue of 25 ms gives 0.75 segments per round trip; one of 150 ms removes half a segment.
    #[test]
    fn growth_is_proportional_to_the_distance_from_the_target() {
        let mut it = ledbat(&["current-filter = 1"]);
        let mut window = Window { size: 20.0, threshold: 1000.0, max: 1000 };
        it.on_ack(&ack(0), &mut window);
        assert_eq!(window.size, 20.0);
        for (delay, newly, change) in [(50, 1, 1.0), (75, 1, 0.75), (75, 2, 1.5), (150, 1, 0.0), (200, 1, -0.5)] {
            window.size = 20.0;
            rtt(&mut it, delay);
            it.on_ack(&Acknowledgement { newly, ..ack(0) }, &mut window);
            close(window.size, 20.0 + change / 20.0);
        }
        assert!(!window.is_in_slow_start());
        window.size = 20.0;
        it.gain = 0.5;
        it.on_ack(&ack(0), &mut window);
        close(window.size, 20.0 - 0.25 / 20.0);
    }

    #[test]
    fn the_window_stays_within_its_limits() {
        let mut it = ledbat(&[]);
        let mut window = Window { size: 20.0, threshold: 1000.0, max: 1000 };
        rtt(&mut it, 50);
        it.on_ack(&Acknowledgement { in_flight: 12, ..ack(0) }, &mut window);
        assert_eq!(window.size, 13.0);
        it.on_ack(&Acknowledgement { in_recovery: true, ..ack(0) }, &mut window);
        assert_eq!(window.size, 13.0);
        for _ in 0..4 {
            rtt(&mut it, 5000);
        }
        it.on_ack(&Acknowledgement { newly: 10, ..ack(0) }, &mut window);
        assert_eq!(window.size, 2.0);
        window.size = 999.9999;
        it.delays = Delays::new(Duration::from_ms(1), 1, 1);
        rtt(&mut it, 50);
        it.on_ack(&ack(0), &mut window);
        assert_eq!(window.size, 1000.0);
    }

    #[test]
    fn congestion_halves_the_window() {
        let mut it = ledbat(&[]);
        let mut window = Window { size: 21.0, threshold: 1000.0, max: 1000 };
        it.on_congestion(&loss(0, 3), &mut window);
        assert_eq!((window.size, window.threshold), (21.0, 10.5));
        it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 3) }, &mut window);
        assert_eq!((window.size, window.threshold), (10.5, 10.5));
        window.size = 1.0;
        it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 1) }, &mut window);
        assert_eq!((window.size, window.threshold), (1.0, 2.0));
    }

    #[test]
    fn parameters_out_of_range_are_mistakes() {
        for line in ["target = \"101 ms\"", "target = \"0 s\"", "gain = 1.1", "current-filter = 1001", "base-interval = \"0 s\""] {
            assert!(read::<Parameters>(&[line]).is_err(), "{line}");
        }
    }
}
