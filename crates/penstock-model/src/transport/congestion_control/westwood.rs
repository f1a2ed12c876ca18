//! TCP Westwood+.

use super::round::Round;
use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, Timeout, Window};
use crate::parameters::{own, Check, Weight};
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// Westwood+: reduces to the bandwidth-delay product that acknowledgements show, instead of halving.
    ///
    /// ## Decides
    /// cwnd grows as with Reno. Each round trip gives a sample of the bandwidth: the data that arrived in it, divided by its
    /// duration. BWE is the average of these samples: $BWE = (1 - gain) BWE + gain sample$. A loss sets ssthresh to BWE x RTT_min,
    /// at least two segments. The fast recovery that follows derives cwnd from this ssthresh, even if that is above the cwnd before
    /// the loss. At its end, cwnd is the smaller of ssthresh and the cwnd before the loss. A timeout sets the same ssthresh, and
    /// cwnd to one segment. Random losses therefore cost less than with Reno, as they do not change the measured bandwidth. An
    /// echoed mark sets the same ssthresh, and reduces a larger cwnd to it at once.
    ///
    /// ## State
    /// About 70 bytes. Constant cost per acknowledgement, one division per round trip.
    ///
    /// ## Departures
    /// - Samples count data known to have arrived, with selective acknowledgements, instead of one segment for each
    ///   duplicate acknowledgement.
    /// - The first sample is BWE.
    /// - Congestion before the first sample halves FlightSize.
    /// - In a fast recovery, cwnd may be above its value before the loss, as in [Grieco04], which sets it to ssthresh, and in Linux,
    ///   whose proportional rate reduction also grows up to ssthresh. Here it falls back to that value at the end of the recovery,
    ///   unless a partial acknowledgement ends it (`recovery.reno`).
    /// - Growth per round trip assumes an acknowledgement of every segment. Acknowledgements count, not bytes: with `ack-every = 2`,
    ///   cwnd grows half as fast, in slow start too.
    /// - RTT_min is the minimum of the round trips that the retransmission timer measures, including the SYN exchange.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.westwood = {} }
    /// ```
    ///
    /// ## References
    /// Grieco and Mascolo [Grieco04]; Mascolo, Casetti, Gerla, Sanadidi and Wang [Mascolo01], with another filter.
    pub struct Parameters {
        /// Weight of a sample in BWE (1 - alpha) [Grieco04].
        gain: Weight = "0.125", changeable;
    }
}
impl Check for Parameters {}

/// The control of a connection. Rates are in segments per second, times in seconds.
#[derive(Clone, Debug)]
pub struct Westwood {
    gain: f64,
    bwe: Option<f64>,
    rtt_min: f64,
    round: Round,
    /// Start of the round trip, and the number of segments that had arrived by then.
    round_start: Option<(Time, u32)>,
    /// cwnd at the last loss.
    size_at_loss: f64,
}

impl Westwood {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Westwood {
        Westwood {
            gain: parameters.gain.0,
            bwe: None,
            rtt_min: f64::INFINITY,
            round: Round::default(),
            round_start: None,
            size_at_loss: 0.0,
        }
    }

    /// Measures the bandwidth of a round trip that ends with `ack`.
    fn end_round(&mut self, ack: &Acknowledgement) {
        if let Some((start, delivered)) = self.round_start {
            let duration = ack.now.since(start).as_seconds();
            // After a timeout, which discards SACK information, fewer segments may be known to have arrived: there is no sample.
            if let Some(arrived) = ack.delivered.checked_sub(delivered).filter(|_| duration > 0.0) {
                let sample = f64::from(arrived) / duration;
                self.bwe = Some(self.bwe.map_or(sample, |bwe| bwe * (1.0 - self.gain) + sample * self.gain));
            }
        }
        self.round_start = Some((ack.now, ack.delivered));
    }

    fn reduce(&self, in_flight: u32, window: &mut Window) {
        match self.bwe {
            Some(bwe) if self.rtt_min < f64::INFINITY => window.threshold = (bwe * self.rtt_min).max(2.0),
            _ => window.reduce_threshold_within(in_flight, 0.5),
        }
    }
}

crate::state! {
    impl Westwood, |it, _now| {
        /// Estimated bandwidth (BWE) [Grieco04], after the first sample.
        "bwe", "segments/s", maybe it.bwe;
        /// Shortest round trip (RTT_min) [Grieco04], after the first measurement.
        "rtt-min", "s", maybe (it.rtt_min < f64::INFINITY).then_some(it.rtt_min);
    }
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if self.round.ends_with(ack) {
            self.end_round(ack);
        }
        if ack.may_grow() {
            window.grow();
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        self.reduce(congestion.in_flight, window);
        self.size_at_loss = window.size;
        if congestion.cause == Cause::Ecn {
            window.size = window.size.min(window.threshold);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            self.reduce(timeout.in_flight, window);
        }
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.rtt_min = self.rtt_min.min(sample.rtt.as_seconds());
    }

    /// Restores cwnd to its value before the loss if the recovery has raised it to a larger ssthresh.
    fn on_recovery_end(&mut self, _now: Time, window: &mut Window) {
        window.size = window.threshold.min(self.size_at_loss);
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.gain = own::<Parameters>(parameters).gain.0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ack, close, context, loss};
    use super::*;
    use crate::parameters::testing::read;
    use crate::units::Duration;

    fn westwood(lines: &[&str]) -> Westwood {
        Westwood::new(&read(lines).expect("sound"), &context(1460))
    }

    fn rtt(it: &mut Westwood, ms: u64, window: &mut Window) {
        it.on_rtt_sample(&RttSample { now: Time::ZERO, rtt: Duration::from_ms(ms), smoothed: Duration::from_ms(ms) }, window);
    }

    /// By hand: 20 segments in 100 ms are 200 per second. Then 36 are 360, and 7/8 of 200 plus 1/8 of 360 is 220.
    #[test]
    fn bandwidth_is_averaged_and_gives_the_threshold() {
        let mut it = westwood(&[]);
        let mut window = Window { size: 50.0, threshold: 10.0, max: 1000 };
        it.on_congestion(&loss(0, 31), &mut window);
        assert_eq!(window.threshold, 15.5);
        rtt(&mut it, 80, &mut window);
        rtt(&mut it, 120, &mut window);
        for (ms, acknowledged, bwe) in [(100, 1, None), (200, 21, Some(200.0)), (250, 30, Some(200.0)), (300, 57, Some(220.0))] {
            let next = if ms == 100 { 20 } else { 56 };
            it.on_ack(&Acknowledgement { acknowledged, next, delivered: acknowledged, in_recovery: true, ..ack(ms) }, &mut window);
            assert_eq!(it.bwe.is_some(), bwe.is_some());
            close(it.bwe.unwrap_or(0.0), bwe.unwrap_or(0.0));
        }
        it.on_congestion(&loss(0, 50), &mut window);
        close(window.threshold, 17.6);
        it.on_recovery_end(Time::ZERO, &mut window);
        close(window.size, 17.6);
        window.threshold = 5.0;
        it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 50, repeated: true }, &mut window);
        assert_eq!(window.threshold, 5.0);
        it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 50, repeated: false }, &mut window);
        close(window.threshold, 17.6);
    }

    #[test]
    fn a_round_after_a_timeout_that_discards_sack_information_gives_no_sample() {
        let mut it = westwood(&[]);
        for (ms, delivered, bwe) in [(100, 1, None), (200, 31, Some(300.0)), (300, 21, Some(300.0))] {
            it.end_round(&Acknowledgement { delivered, ..ack(ms) });
            assert_eq!(it.bwe, bwe);
        }
    }

    #[test]
    fn congestion_never_enlarges_the_window() {
        let mut it = westwood(&[]);
        let mut window = Window { size: 10.0, threshold: 5.0, max: 1000 };
        rtt(&mut it, 100, &mut window);
        it.bwe = Some(150.0);
        it.on_congestion(&loss(0, 10), &mut window);
        assert_eq!((window.size, window.threshold), (10.0, 15.0));
        window.size = 13.0; // inflated by the recovery
        it.on_recovery_end(Time::ZERO, &mut window);
        assert_eq!(window.size, 10.0);
        it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 10) }, &mut window);
        assert_eq!(window.size, 10.0);
        it.bwe = Some(1.0);
        it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 10) }, &mut window);
        assert_eq!((window.size, window.threshold), (2.0, 2.0));
    }

    #[test]
    fn growth_is_that_of_reno() {
        let mut it = westwood(&[]);
        let mut window = Window { size: 10.0, threshold: 11.0, max: 1000 };
        it.on_ack(&ack(0), &mut window);
        assert_eq!(window.size, 11.0);
        it.on_ack(&ack(0), &mut window);
        close(window.size, 11.0 + 1.0 / 11.0);
    }
}
