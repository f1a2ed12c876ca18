//! The congestion control of RFC 5681.

mod byte_counting;
mod integer_bytes;
mod scaled_increase;

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::parameters::{own, Check, Count, Positive, Probability};
use crate::units::Time;
pub use byte_counting::ByteCounting;
pub use integer_bytes::IntegerBytes;
pub use scaled_increase::ScaledIncrease;
use std::any::Any;

crate::parameters! {
    /// Reno: additive increase, multiplicative decrease.
    ///
    /// ## Decides
    /// Each acknowledgement of new data adds one segment to cwnd below ssthresh (slow start) and 1/cwnd above it
    /// (congestion avoidance). A loss sets ssthresh to half of FlightSize, the outstanding segments except segments of limited
    /// transmit [RFC5681 s3.1 (4), s3.2 (2)], and cwnd to ssthresh; a timeout sets cwnd to one segment. An echoed mark acts like a
    /// loss, but starts from the smaller of FlightSize and cwnd.
    ///
    /// With `byte-counting-limit` (L), growth counts acknowledged segments instead of acknowledgements [RFC3465 s2], so that
    /// delayed acknowledgements do not slow growth. In slow start each acknowledgement adds the segments that it covers, at most L,
    /// or at most one in a slow start after a timeout. In congestion avoidance cwnd grows by one segment per window of acknowledged
    /// segments.
    ///
    /// With `arithmetic = "integer-bytes"`, the window is a whole number of bytes, as in BSD and most other kernels. In congestion
    /// avoidance each acknowledgement adds $MSS * MSS / cwnd$, rounded down, which is zero once cwnd is above MSS * MSS (262,144 bytes
    /// for an MSS of 512). With `acks-per-increase` (N), every N-th acknowledgement adds $N * MSS * MSS / cwnd$ instead, which is
    /// zero only above N times that window; the count restarts with a loss, a mark or a timeout.
    ///
    /// With `ecn-decrease`, an echoed mark uses this factor instead of `decrease` (alternative backoff with ECN, ABE).
    ///
    /// `increase` and `decrease` are the two constants of additive increase and multiplicative decrease.
    ///
    /// ## State
    /// cwnd and ssthresh; a count with `byte-counting-limit` or `acks-per-increase`. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - Half of FlightSize is rounded down to whole segments, as in implementations that count segments; `halving = "exact"`
    ///   counts bytes, as in [RFC5681 s3.1 (4)]. Under random losses, rounding costs 1 to 3 % of the throughput.
    /// - cwnd grows once per acknowledgement, however many segments it covers [RFC5681 s3.1 permits it], unless
    ///   `byte-counting-limit` is given.
    /// - The count of congestion avoidance restarts with a loss, a mark or a timeout; RFC 3465 leaves that open.
    /// - cwnd also grows while the application sends less than it allows, up to `max-window`; RFC 5681 does not mention this case.
    /// - An echoed mark leaves cwnd at no less than two segments, like a loss; RFC 3168 s6.1.2 would reduce it to one and then wait
    ///   for the timer.
    /// - `integer-bytes` rounds an increase below one byte down to zero, as in [Jain98 slide 26]. [RFC5681 s3.1] asks for at least
    ///   one byte, and calls the constants that kernels added incorrect.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.reno = { halving = "exact", byte-counting-limit = 2 }, ack-every = 2 }
    /// ```
    ///
    /// ## References
    /// RFC 5681 s3.1 and s3.2; RFC 3465; RFC 8511 (ABE); RFC 3168 s6.1.2; Jacobson [Jacobson88]; [Jain98 slides 26, 27] on integers.
    pub struct Parameters {
        /// Rounding of half of the outstanding segments.
        halving: Halving = "whole-segments";
        /// Maximum growth per acknowledgement in slow start, in segments (L); growth then counts acknowledged segments. RFC 3465
        /// permits 1 and 2 [RFC3465 s2.2].
        byte_counting_limit: Option<Count>;
        /// Unit of the window.
        arithmetic: Arithmetic = "fractional";
        /// Acknowledgements per increase of cwnd in congestion avoidance (N), with `integer-bytes`; 1 if left out.
        acks_per_increase: Option<Count>;
        /// Growth of the window per round trip in congestion avoidance, in segments (a).
        increase: Positive = "1";
        /// Factor by which congestion multiplies FlightSize (b); above 0 and below 1.
        decrease: Probability = "0.5", changeable;
        /// Factor by which an echoed mark multiplies the window, if not `decrease` [RFC8511 s3]; 0.8 is proposed there.
        ecn_decrease: Option<Probability>;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.decrease.0 <= 0.0 || self.decrease.0 >= 1.0 {
            mistake("decrease", format!("{} is out of range; above 0 and below 1", self.decrease.0));
        }
        if let Some(decrease) = self.ecn_decrease.filter(|decrease| decrease.0 <= 0.0 || decrease.0 >= 1.0) {
            mistake("ecn-decrease", format!("{} is out of range; above 0 and below 1", decrease.0));
        }
        if self.increase.0 > MOST_INCREASE {
            mistake("increase", format!("{} is out of range; above 0, at most {MOST_INCREASE}", self.increase.0));
        }
        if self.byte_counting_limit.is_some() && self.arithmetic != Arithmetic::Fractional {
            mistake("byte-counting-limit", "counts in segments; leave it or arithmetic out".to_owned());
        }
        if self.acks_per_increase.is_some() && self.arithmetic != Arithmetic::IntegerBytes {
            mistake("acks-per-increase", "has no effect but on arithmetic = \"integer-bytes\"; leave it out".to_owned());
        }
    }
}

/// Maximum of `increase`, above the value of any proposal.
const MOST_INCREASE: f64 = 1000.0;

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            halving: Halving::WholeSegments,
            byte_counting_limit: None,
            arithmetic: Arithmetic::Fractional,
            acks_per_increase: None,
            increase: Positive(1.0),
            decrease: Probability(0.5),
            ecn_decrease: None,
        }
    }
}

crate::choice! {
    /// Unit of the window.
    pub enum Arithmetic {
        /// Segments and fractions of them, in floating point.
        "fractional" => Fractional,
        /// Whole bytes; increases are rounded down.
        "integer-bytes" => IntegerBytes,
        /// The same with the smallest `acks-per-increase` with which N * MSS * MSS is at least `max-window`, so that the window
        /// never stops growing.
        "integer-bytes-without-stall" => IntegerBytesWithoutStall,
    }
}

crate::choice! {
    /// Half of an odd number of outstanding segments.
    pub enum Halving {
        /// Whole segments, as in implementations that count segments.
        "whole-segments" => WholeSegments,
        /// Whole and half segments, as in implementations that count bytes [RFC5681 s3.1 (4)].
        "exact" => Exact,
    }
}

/// The control of a connection; all its state is in the window.
#[derive(Clone, Debug)]
pub struct Reno {
    halving: Halving,
    decrease: f64,
    ecn_decrease: Option<f64>,
}

impl Reno {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Reno {
        Reno {
            halving: parameters.halving,
            decrease: parameters.decrease.0,
            ecn_decrease: parameters.ecn_decrease.map(|decrease| decrease.0),
        }
    }

    /// Sets ssthresh to half (or the fraction `decrease`) of a FlightSize of `in_flight` segments.
    fn reduce(&self, in_flight: u32, decrease: f64, window: &mut Window) {
        match self.halving {
            Halving::WholeSegments => window.reduce_threshold(in_flight, decrease),
            Halving::Exact => window.reduce_threshold_exactly(in_flight, decrease),
        }
    }
}

crate::state! {
    impl Reno, |_it, _now| {}
}

impl CongestionControl for Reno {
    #[inline(always)]
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if ack.may_grow() {
            window.grow();
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        let decrease = self.ecn_decrease.filter(|_| congestion.cause == Cause::Ecn).unwrap_or(self.decrease);
        self.reduce(congestion.in_flight, decrease, window);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        // ssthresh does not change when a segment times out again [RFC5681 s3.1].
        if !timeout.repeated {
            self.reduce(timeout.in_flight, self.decrease, window);
        }
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.decrease = own::<Parameters>(parameters).decrease.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion_control::testing::context;

    #[test]
    fn a_mark_reduces_by_a_factor_of_its_own() {
        for (cause, size) in [(Cause::Ecn, 80.0), (Cause::Loss, 50.0)] {
            let parameters = Parameters { ecn_decrease: Some(Probability(0.8)), ..Parameters::default() };
            let (mut it, mut window) = (Reno::new(&parameters, &context(1460)), Window { size: 100.0, threshold: 200.0, max: 1000 });
            it.on_congestion(&Congestion { now: Time::ZERO, cause, in_flight: 100 }, &mut window);
            assert_eq!(window.threshold, size);
        }
    }
}
