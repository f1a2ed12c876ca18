//! The recovery of TCP before fast retransmit.

use super::{Flight, Recovery};
use crate::packet::Ack;
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// Timeout only: waits for the retransmission timer, as the earliest TCP did.
    ///
    /// ## Decides
    /// Duplicate acknowledgements have no effect: they start no retransmission and permit no new segment, so `dup-ack-threshold` and
    /// `limited-transmit` have no effect either. When the retransmission timer expires, the lost segment is sent again, from a window
    /// of one segment, followed by all segments after it (go-back-N).
    ///
    /// ## State
    /// None. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - The congestion control sets the window after the timeout and its growth; before [Jacobson88] there was no such window.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.timeout-only = {} }
    /// ```
    ///
    /// ## References
    /// RFC 793 s3.7 (retransmission timeout); Fall and Floyd [Fall96 s2.1] on the TCP before Tahoe.
    pub struct Parameters {}
}
impl Check for Parameters {}

/// The recovery of a connection.
#[derive(Clone, Debug)]
pub struct TimeoutOnly;

impl TimeoutOnly {
    /// The recovery of a new connection.
    pub fn new(_parameters: &Parameters, _: &Site) -> TimeoutOnly {
        TimeoutOnly
    }
}

impl Recovery for TimeoutOnly {
    /// Duplicates do not count, so limited transmit has no effect.
    fn on_duplicate_ack(&mut self, _ack: &Ack, _flight: &mut Flight, _window: &mut Window) -> bool {
        false
    }

    /// Acts as after a timeout; no acknowledgement triggers it.
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.go_back(window);
    }
}
