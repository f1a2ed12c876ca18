//! The recovery of RFC 5681.

use super::{Flight, Phase, RecoverCheck, Recovery};
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// Reno: resends one segment (fast retransmit), and keeps sending while its acknowledgement is on the way (fast
    /// recovery).
    ///
    /// ## Decides
    /// `dup-ack-threshold` duplicate acknowledgements mean that the first unacknowledged segment is lost. It is sent again
    /// at once; cwnd becomes ssthresh and one segment more for each duplicate acknowledgement, which shows that something
    /// has left the network. The first acknowledgement of something new ends that, with cwnd at ssthresh; a further loss
    /// in the same window starts over, unless `recover-check` forbids it.
    ///
    /// ## State
    /// None beyond the flight's. Constant cost per acknowledgement.
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
        /// From when on duplicate acknowledgements may mean a further loss. RFC 5681 knows no such check; ns-2 has `careful`
        /// (`bugFix_`), so that of several losses in a window all but the first wait for the timer.
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
        // The duplicates are segments that have left the network [RFC5681 s3.2 (3)].
        window.size = window.threshold + f64::from(flight.duplicates);
        flight.begin_recovery();
    }

    fn on_partial_ack(&mut self, _newly: u32, flight: &mut Flight, window: &mut Window) -> bool {
        window.size = window.threshold;
        flight.phase = Phase::Normal;
        true
    }
}
