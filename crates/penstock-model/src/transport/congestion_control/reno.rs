//! The congestion control of RFC 5681.

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::parameters::Check;

crate::parameters! {
    /// Reno: additive increase, multiplicative decrease.
    ///
    /// ## Decides
    /// Each acknowledgement of new data adds one segment to cwnd below ssthresh (slow start) and 1/cwnd above it
    /// (congestion avoidance). Congestion, seen as a loss or as an echoed mark, sets ssthresh to half of what was
    /// outstanding, and cwnd to ssthresh; a timeout sets cwnd to one segment.
    ///
    /// ## State
    /// None beyond cwnd and ssthresh. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - Half of what was outstanding is rounded down to whole segments, as segment-counting implementations do.
    /// - cwnd grows once per acknowledgement, however many segments it covers [RFC5681 s3.1 permits it].
    /// - cwnd also grows while the application sends less than it allows, of which RFC 5681 says nothing, up to `max-window`.
    /// - An echoed mark leaves cwnd at two segments at least, as a loss does; RFC 3168 s6.1.2 would go down to one and
    ///   then wait for the timer.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.reno = {} }
    /// ```
    ///
    /// ## References
    /// RFC 5681 s3.1 and s3.2; RFC 3168 s6.1.2; Jacobson [Jacobson88].
    pub struct Parameters {}
}
impl Check for Parameters {}

/// The control of a connection; all its state is in the window.
#[derive(Clone, Debug)]
pub struct Reno;

impl Reno {
    /// The control of a new connection.
    pub fn new(_parameters: &Parameters, _context: &ConnectionContext) -> Reno {
        Reno
    }
}

impl CongestionControl for Reno {
    #[inline(always)]
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if ack.may_grow() {
            window.grow();
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        window.halve_threshold(congestion.in_flight);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        // ssthresh stays when a segment times out again [RFC5681 s3.1].
        if !timeout.repeated {
            window.halve_threshold(timeout.in_flight);
        }
    }
}
