//! H-TCP.

use super::round::Round;
use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, Timeout, Window};
use crate::parameters::{own, Check};
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// H-TCP: additive increase that grows with the time since the last congestion.
    ///
    /// ## Decides
    /// cwnd grows by alpha segments per round trip in congestion avoidance. alpha depends on a factor f, which is 1 until `delta-l`
    /// after the last congestion or the start of the connection. t seconds after that, $f = 1 + 10 t + 0.25 t^2$. Congestion
    /// multiplies FlightSize by beta. With `adaptive-backoff`, beta is RTT_min / RTT_max, between 0.5 and 0.8, which empties the
    /// queue without letting the link idle. If the throughput before this congestion differs by more than a fifth from the one
    /// before the previous congestion, the available bandwidth has changed, and beta is 0.5. To keep shares equal with any beta,
    /// $alpha = 2 (1 - beta) f$. Slow start is that of Reno. An echoed mark reduces cwnd like a loss, at once.
    ///
    /// ## State
    /// About 100 bytes. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - RTT_max is the maximum since the last congestion, RTT_min the minimum since the connection began.
    /// - The throughput is the highest of any round trip since the last congestion.
    /// - FlightSize counts up to cwnd only.
    /// - A timeout halves FlightSize, and beta stays 0.5 until the second congestion after it.
    /// - Growth per round trip, and alpha, assume an acknowledgement of every segment. Acknowledgements count, not bytes: with
    ///   `ack-every = 2`, cwnd grows half as fast, in slow start too.
    /// - alpha is not scaled by the round trip, which is an option of the draft.
    /// - The factor 2 (1 - beta) applies from the start, as in [Leith04]; FreeBSD applies it after `delta-l` only.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.h-tcp = { delta-l = "500 ms" } }
    /// ```
    ///
    /// ## References
    /// draft-leith-tcp-htcp-06 [Leith08]; Leith and Shorten [Leith04].
    pub struct Parameters {
        /// Time after congestion in which growth does not rise yet (Delta_L) [Leith08].
        delta_l: Duration = "1 s", changeable;
        /// Whether beta follows the round trips; otherwise it is 0.5 [Leith08].
        adaptive_backoff: bool = "true", changeable;
    }
}
impl Check for Parameters {}

/// Limits of beta [Leith08].
const BETA: (f64, f64) = (0.5, 0.8);
/// Relative change of the throughput that resets beta (Delta_B) [Leith04].
const THROUGHPUT_CHANGE: f64 = 0.2;

/// The control of a connection. Rates are in segments per second, times in seconds.
#[derive(Clone, Debug)]
pub struct HTcp {
    delta_l: f64,
    adaptive_backoff: bool,
    beta: f64,
    /// Time of the last congestion, or of the start of the connection before the first one; `None` before the start.
    last_congestion: Option<Time>,
    rtt_min: f64,
    rtt_max: f64,
    round: Round,
    /// Start of the round trip, and the number of segments that had arrived by then.
    round_start: (Time, u32),
    /// Maximum throughput since the last congestion.
    throughput: f64,
    /// Maximum throughput before the last congestion.
    last_throughput: Option<f64>,
}

impl HTcp {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> HTcp {
        HTcp {
            delta_l: parameters.delta_l.as_seconds(),
            adaptive_backoff: parameters.adaptive_backoff,
            beta: BETA.0,
            last_congestion: None,
            rtt_min: f64::INFINITY,
            rtt_max: 0.0,
            round: Round::default(),
            round_start: (Time::ZERO, 0),
            throughput: 0.0,
            last_throughput: None,
        }
    }

    /// alpha: growth per round trip [Leith08].
    fn alpha(&self, now: Time) -> f64 {
        let since = self.last_congestion.map_or(Duration::ZERO, |last| now.since(last));
        let t = (since.as_seconds() - self.delta_l).max(0.0);
        2.0 * (1.0 - self.beta) * (1.0 + 10.0 * t + 0.25 * t * t)
    }

    /// beta of a congestion [Leith04; Leith08].
    fn adapted_beta(&self) -> f64 {
        let steady = self.last_throughput.is_some_and(|last| (self.throughput - last).abs() <= THROUGHPUT_CHANGE * last);
        if !self.adaptive_backoff || !steady || self.rtt_max <= 0.0 {
            return BETA.0;
        }
        (self.rtt_min / self.rtt_max).clamp(BETA.0, BETA.1)
    }

    /// Measures the throughput of a round trip that ends with `ack`.
    fn end_round(&mut self, ack: &Acknowledgement) {
        let (start, delivered) = self.round_start;
        let duration = ack.now.since(start).as_seconds();
        if start > Time::ZERO && duration > 0.0 {
            // After a timeout, which discards SACK information, fewer segments may be known to have arrived.
            let arrived = ack.delivered.saturating_sub(delivered);
            self.throughput = self.throughput.max(f64::from(arrived) / duration);
        }
        self.round_start = (ack.now, ack.delivered);
    }

    fn begin_epoch(&mut self, now: Time, last_throughput: Option<f64>) {
        self.last_congestion = Some(now);
        self.last_throughput = last_throughput;
        self.throughput = 0.0;
        self.rtt_max = 0.0;
    }
}

crate::state! {
    impl HTcp, |it, now| {
        /// Growth of the window per round trip in congestion avoidance (alpha) [Leith08].
        "alpha", "segments", is it.alpha(now);
        /// Factor of the last reduction (beta) [Leith08].
        "beta", "1", is it.beta;
    }
}

impl CongestionControl for HTcp {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if self.round.ends_with(ack) {
            self.end_round(ack);
        }
        if !ack.may_grow() {
            return;
        }
        if window.is_in_slow_start() {
            window.grow();
        } else {
            window.grow_by(self.alpha(ack.now) / window.size);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        self.beta = self.adapted_beta();
        window.reduce_threshold_within(congestion.in_flight, self.beta);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
        self.begin_epoch(congestion.now, Some(self.throughput));
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            window.reduce_threshold_within(timeout.in_flight, BETA.0);
        }
        self.beta = BETA.0;
        self.begin_epoch(timeout.now, None);
    }

    /// The first segment starts the connection if no SYN exchange has.
    fn on_resume(&mut self, now: Time, _window: &mut Window) {
        self.last_congestion.get_or_insert(now);
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.last_congestion.get_or_insert(sample.now);
        let rtt = sample.rtt.as_seconds();
        self.rtt_min = self.rtt_min.min(rtt);
        self.rtt_max = self.rtt_max.max(rtt);
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        (self.delta_l, self.adaptive_backoff) = (it.delta_l.as_seconds(), it.adaptive_backoff);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ack, at_ms, close, context, loss};
    use super::*;
    use crate::parameters::testing::read;

    fn h_tcp(lines: &[&str]) -> HTcp {
        HTcp::new(&read(lines).expect("sound"), &context(1460))
    }

    fn rtt(it: &mut HTcp, ms: u64, window: &mut Window) {
        it.on_rtt_sample(&RttSample { now: Time::ZERO, rtt: Duration::from_ms(ms), smoothed: Duration::from_ms(ms) }, window);
    }

    /// By hand: 1 during the first second; at 3 s, t is 2 and f is 1 + 20 + 1.
    #[test]
    fn growth_depends_on_the_time_since_congestion() {
        let mut it = h_tcp(&[]);
        let mut window = Window { size: 100.0, threshold: 100.0, max: 10_000 };
        it.on_resume(at_ms(0), &mut window);
        it.on_ack(&ack(1000), &mut window);
        close(window.size, 100.01);
        window.size = 100.0;
        it.on_ack(&ack(3000), &mut window);
        close(window.size, 100.22);
        it.beta = 0.8;
        window.size = 100.0;
        it.on_ack(&ack(3000), &mut window);
        close(window.size, 100.088);
        it.on_congestion(&loss(3000, 100), &mut window);
        close(it.alpha(at_ms(4000)), 1.0);
        close(it.alpha(at_ms(4100)), 2.0025);
    }

    #[test]
    fn the_first_growth_counts_from_the_start_of_the_connection() {
        let mut window = Window { size: 100.0, threshold: 100.0, max: 10_000 };
        let (mut sending, mut opening) = (h_tcp(&[]), h_tcp(&[]));
        close(sending.alpha(at_ms(20_000)), 1.0);
        sending.on_resume(at_ms(30_000), &mut window);
        let rtt = Duration::from_ms(100);
        opening.on_rtt_sample(&RttSample { now: at_ms(30_000), rtt, smoothed: rtt }, &mut window);
        for it in [&mut sending, &mut opening] {
            it.on_resume(at_ms(32_500), &mut window); // after a pause, which does not restart the time
            close(it.alpha(at_ms(31_000)), 1.0);
            close(it.alpha(at_ms(33_000)), 22.0);
        }
    }

    /// The first reduction halves, since there is no throughput to compare with. The next ones use RTT_min / RTT_max, within its limits.
    #[test]
    fn the_reduction_empties_the_queue() {
        let mut it = h_tcp(&[]);
        let mut window = Window { size: 100.0, threshold: 10.0, max: 10_000 };
        for (shortest, longest, beta) in [(50, 80, 0.5), (50, 80, 0.625), (50, 55, 0.8), (50, 200, 0.5)] {
            rtt(&mut it, shortest, &mut window);
            rtt(&mut it, longest, &mut window);
            it.throughput = 1000.0;
            it.on_congestion(&loss(0, 100), &mut window);
            close(window.threshold, 100.0 * beta);
        }
    }

    #[test]
    fn another_throughput_halves_the_window() {
        let mut it = h_tcp(&[]);
        let mut window = Window { size: 100.0, threshold: 10.0, max: 10_000 };
        for (throughput, threshold) in [(1000.0, 50.0), (1200.0, 80.0), (1441.0, 50.0), (1153.0, 80.0), (922.0, 50.0)] {
            rtt(&mut it, 80, &mut window);
            it.throughput = throughput;
            window.size = 100.0;
            it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 100) }, &mut window);
            assert_eq!((window.threshold, window.size), (threshold, threshold), "{throughput}");
        }
        it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 20, repeated: false }, &mut window);
        assert_eq!((window.threshold, it.last_throughput), (10.0, None));
        let mut fixed = h_tcp(&["adaptive-backoff = false"]);
        for _ in 0..2 {
            rtt(&mut fixed, 80, &mut window);
            fixed.on_congestion(&loss(0, 30), &mut window);
            assert_eq!(window.threshold, 15.0);
        }
    }

    #[test]
    fn a_round_after_a_timeout_that_discards_sack_information_counts_for_nothing() {
        let mut it = h_tcp(&[]);
        for (ms, acknowledged, delivered) in [(100, 1, 31), (200, 21, 21)] {
            it.end_round(&Acknowledgement { acknowledged, delivered, ..ack(ms) });
        }
        assert_eq!(it.throughput, 0.0);
    }

    /// By hand: 20 segments in 100 ms, then 30 in 200 ms, which is slower.
    #[test]
    fn throughput_is_the_maximum_of_the_round_trips() {
        let mut it = h_tcp(&[]);
        let mut window = Window { size: 20.0, threshold: 10.0, max: 10_000 };
        for (ms, acknowledged, next) in [(100, 1, 20), (150, 19, 30), (200, 21, 51), (400, 51, 60), (401, 52, 70)] {
            it.on_ack(&Acknowledgement { acknowledged, next, delivered: acknowledged, ..ack(ms) }, &mut window);
        }
        close(it.throughput, 200.0);
        assert_eq!(it.round_start, (at_ms(401), 52));
    }
}
