//! The recovery of RFC 5681.

use super::{Flight, Phase, RecoverCheck, Recovery};
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// Reno: resends one segment (fast retransmit) and keeps sending until it is acknowledged (fast recovery).
    ///
    /// ## Decides
    /// `dup-ack-threshold` duplicate acknowledgements indicate that the first unacknowledged segment is lost. It is sent again
    /// immediately. cwnd becomes ssthresh plus one segment for each duplicate acknowledgement, which shows that a segment has left the
    /// network. The first acknowledgement of new data ends the recovery, with cwnd at ssthresh. A further loss in the same window
    /// starts a new recovery, unless `recover-check` forbids it.
    ///
    /// ## State
    /// None beyond the outstanding segments. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// None known.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.reno = {} }
    /// ```
    ///
    /// ## References
    /// RFC 5681 s3.2; Fall and Floyd [Fall96 s2.2].
    pub struct Parameters {
        /// Acknowledgement from which on duplicates may indicate a further loss; recover is the last segment sent when the previous
        /// loss was detected. RFC 5681 has no such check; ns-2 has `careful` (`bugFix_`): of several losses in a window, all except
        /// the first wait for the timer.
        recover_check: RecoverCheck = "after-timeout";
    }
}
impl Check for Parameters {}

/// The recovery of a connection.
#[derive(Clone, Debug)]
pub struct Reno {
    check: RecoverCheck,
}

impl Reno {
    /// The recovery of a new connection.
    pub fn new(parameters: &Parameters, _: &Site) -> Reno {
        Reno { check: parameters.recover_check }
    }
}

impl Recovery for Reno {
    fn recover_check(&self) -> RecoverCheck {
        self.check
    }

    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        // The duplicates represent segments that have left the network [RFC5681 s3.2 (3)].
        window.size = window.threshold + f64::from(flight.duplicates);
        flight.begin_recovery();
    }

    fn on_partial_ack(&mut self, _newly: u32, flight: &mut Flight, window: &mut Window) -> bool {
        window.size = window.threshold;
        flight.phase = Phase::Normal;
        true
    }
}
