//! The congestion control of RFC 5681.

mod byte_counting;

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::parameters::{Check, Count};
pub use byte_counting::ByteCounting;

crate::parameters! {
    /// Reno: additive increase, multiplicative decrease.
    ///
    /// ## Decides
    /// Each acknowledgement of new data adds one segment to cwnd below ssthresh (slow start) and 1/cwnd above it
    /// (congestion avoidance). Congestion, seen as a loss or as an echoed mark, sets ssthresh to half of what was
    /// outstanding, and cwnd to ssthresh; a timeout sets cwnd to one segment.
    ///
    /// With `byte-counting-limit` growth counts what is acknowledged instead of acknowledgements [RFC3465 s2], so that
    /// delayed ones do not slow it down: each adds what it covers to cwnd in slow start, at most so many segments, and one
    /// in a slow start that a timeout began; in congestion avoidance cwnd grows by one segment as often as a window has been
    /// acknowledged.
    ///
    /// ## State
    /// None beyond cwnd and ssthresh; with `byte-counting-limit` a count. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - Half of what was outstanding is rounded down to whole segments, as segment-counting implementations do; in bytes, as
    ///   [RFC5681 s3.1 (4)] has it, is `halving = "exact"`. Under random losses rounding costs 1 to 3 %.
    /// - cwnd grows once per acknowledgement, however many segments it covers [RFC5681 s3.1 permits it], unless
    ///   `byte-counting-limit` is given.
    /// - The count of congestion avoidance begins anew with a loss, a mark or a timeout; RFC 3465 leaves that open.
    /// - cwnd also grows while the application sends less than it allows, of which RFC 5681 says nothing, up to `max-window`.
    /// - An echoed mark leaves cwnd at two segments at least, as a loss does; RFC 3168 s6.1.2 would go down to one and
    ///   then wait for the timer.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.reno = { halving = "exact", byte-counting-limit = 2 }, ack-every = 2 }
    /// ```
    ///
    /// ## References
    /// RFC 5681 s3.1 and s3.2; RFC 3465; RFC 3168 s6.1.2; Jacobson [Jacobson88].
    pub struct Parameters {
        /// What half of the outstanding segments is.
        halving: Halving = "whole-segments";
        /// Segments by which slow start grows per acknowledgement at most (L): growth counts what is acknowledged. RFC 3465
        /// permits 1 and 2 [RFC3465 s2.2].
        byte_counting_limit: Option<Count>;
    }
}
impl Check for Parameters {}

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
}

impl Reno {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Reno {
        Reno { halving: parameters.halving }
    }

    /// ssthresh becomes half of so many segments outstanding.
    fn halve(&self, in_flight: u32, window: &mut Window) {
        match self.halving {
            Halving::WholeSegments => window.halve_threshold(in_flight),
            Halving::Exact => window.halve_threshold_exactly(in_flight),
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
        self.halve(congestion.in_flight, window);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        // ssthresh stays when a segment times out again [RFC5681 s3.1].
        if !timeout.repeated {
            self.halve(timeout.in_flight, window);
        }
    }
}
