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
    /// Duplicate acknowledgements mean nothing: they start no retransmission and let no new segment out, so that
    /// `dup-ack-threshold` and `limited-transmit` have no effect. A lost segment is sent again when the retransmission timer
    /// expires, from a window of one segment, and whatever followed it after that (go-back-N).
    ///
    /// ## State
    /// None. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - The window after the timeout, and its growth, are the congestion control's; before [Jacobson88] there was none.
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
    /// Not even counted, so that limited transmit sees none.
    fn on_duplicate_ack(&mut self, _ack: &Ack, _flight: &mut Flight, _window: &mut Window) -> bool {
        false
    }

    /// What a timeout does; no acknowledgement brings it about.
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.go_back(window);
    }
}
