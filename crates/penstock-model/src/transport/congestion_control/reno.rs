//! The congestion control of RFC 5681.

mod byte_counting;
mod integer_bytes;
mod scaled_increase;

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::parameters::{Check, Count, Positive, Probability};
pub use byte_counting::ByteCounting;
pub use integer_bytes::IntegerBytes;
pub use scaled_increase::ScaledIncrease;

crate::parameters! {
    /// Reno: additive increase, multiplicative decrease.
    ///
    /// ## Decides
    /// Each acknowledgement of new data adds one segment to cwnd below ssthresh (slow start) and 1/cwnd above it
    /// (congestion avoidance). A loss sets ssthresh to half of FlightSize, which is what is outstanding less what limited
    /// transmit has sent [RFC5681 s3.1 (4), s3.2 (2)], and cwnd to ssthresh; a timeout sets cwnd to one segment. An echoed mark
    /// does as a loss, from FlightSize or cwnd, whichever is less.
    ///
    /// With `byte-counting-limit` growth counts what is acknowledged instead of acknowledgements [RFC3465 s2], so that
    /// delayed ones do not slow it down: each adds what it covers to cwnd in slow start, at most so many segments, and one
    /// in a slow start that a timeout began; in congestion avoidance cwnd grows by one segment as often as a window has been
    /// acknowledged.
    ///
    /// With `arithmetic = "integer-bytes"` the window is a whole number of bytes, as in BSD's and most other kernels: in
    /// congestion avoidance each acknowledgement adds MSS * MSS / cwnd, rounded down, which is nothing once cwnd is above
    /// MSS * MSS (262,144 bytes for an MSS of 512). With `acks-per-increase` every N-th one adds N * MSS * MSS / cwnd instead,
    /// which is nothing only above N times as much; the count begins anew with a loss, a mark or a timeout.
    ///
    /// `increase` and `decrease` are the two constants of additive increase and multiplicative decrease.
    ///
    /// ## State
    /// None beyond cwnd and ssthresh; with `byte-counting-limit` or `acks-per-increase` a count. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - Half of FlightSize is rounded down to whole segments, as segment-counting implementations do; in bytes, as
    ///   [RFC5681 s3.1 (4)] has it, is `halving = "exact"`. Under random losses rounding costs 1 to 3 %.
    /// - cwnd grows once per acknowledgement, however many segments it covers [RFC5681 s3.1 permits it], unless
    ///   `byte-counting-limit` is given.
    /// - The count of congestion avoidance begins anew with a loss, a mark or a timeout; RFC 3465 leaves that open.
    /// - cwnd also grows while the application sends less than it allows, of which RFC 5681 says nothing, up to `max-window`.
    /// - An echoed mark leaves cwnd at two segments at least, as a loss does; RFC 3168 s6.1.2 would go down to one and
    ///   then wait for the timer.
    /// - `integer-bytes` rounds an increase below one byte down to none, as [Jain98 slide 26] has it. [RFC5681 s3.1] asks for one
    ///   byte at least; that constants added to it, as kernels did, are incorrect it says as well.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.reno = { halving = "exact", byte-counting-limit = 2 }, ack-every = 2 }
    /// ```
    ///
    /// ## References
    /// RFC 5681 s3.1 and s3.2; RFC 3465; RFC 3168 s6.1.2; Jacobson [Jacobson88]; [Jain98 slides 26, 27] on integers.
    pub struct Parameters {
        /// What half of the outstanding segments is.
        halving: Halving = "whole-segments";
        /// Segments by which slow start grows per acknowledgement at most (L): growth counts what is acknowledged. RFC 3465
        /// permits 1 and 2 [RFC3465 s2.2].
        byte_counting_limit: Option<Count>;
        /// In what the window is counted.
        arithmetic: Arithmetic = "fractional";
        /// Acknowledgements that cwnd grows after in congestion avoidance (N), with `integer-bytes`; 1 if left out.
        acks_per_increase: Option<Count>;
        /// Segments that a window grows by per round trip in congestion avoidance (a).
        increase: Positive = "1";
        /// What congestion multiplies FlightSize by (b); above 0 and below 1.
        decrease: Probability = "0.5";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.decrease.0 <= 0.0 || self.decrease.0 >= 1.0 {
            mistake("decrease", format!("{} is out of range; above 0 and below 1", self.decrease.0));
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

/// The most that `increase` may be: more than any window there has been a proposal for.
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
        }
    }
}

crate::choice! {
    /// In what the window is counted.
    pub enum Arithmetic {
        /// In segments and fractions of them, in floating point.
        "fractional" => Fractional,
        /// In whole bytes; what an increase comes to is rounded down.
        "integer-bytes" => IntegerBytes,
        /// The same with the smallest `acks-per-increase` with which N * MSS * MSS is at least `max-window`, so that the window
        /// never stops growing.
        "integer-bytes-without-stall" => IntegerBytesWithoutStall,
    }
}

crate::choice! {
    /// What half of the outstanding segments is, where their number is odd.
    pub enum Halving {
        /// The whole segments of it, as in implementations that count segments.
        "whole-segments" => WholeSegments,
        /// Half a segment more, as in those that count bytes [RFC5681 s3.1 (4)].
        "exact" => Exact,
    }
}

/// The control of a connection; all its state is in the window.
#[derive(Clone, Debug)]
pub struct Reno {
    halving: Halving,
    decrease: f64,
}

impl Reno {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Reno {
        Reno { halving: parameters.halving, decrease: parameters.decrease.0 }
    }

    /// Sets ssthresh to half of a FlightSize of `in_flight` segments, or to what `decrease` has instead of a half.
    fn reduce(&self, in_flight: u32, window: &mut Window) {
        match self.halving {
            Halving::WholeSegments => window.reduce_threshold(in_flight, self.decrease),
            Halving::Exact => window.reduce_threshold_exactly(in_flight, self.decrease),
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
        self.reduce(congestion.in_flight, window);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        // ssthresh stays when a segment times out again [RFC5681 s3.1].
        if !timeout.repeated {
            self.reduce(timeout.in_flight, window);
        }
    }
}
