//! The recovery of RFC 6582.

use super::{Flight, RecoverCheck, Recovery};
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// NewReno: stays in fast recovery until everything sent before it is acknowledged, and repairs one loss a round trip.
    ///
    /// ## Decides
    /// As Reno; but an acknowledgement of a part of what had been sent before the loss was seen (partial acknowledgement)
    /// means that the next segment is lost too. It is sent again at once; cwnd shrinks by what was acknowledged and grows
    /// by one segment.
    ///
    /// Duplicate acknowledgements mean a further loss only once more is acknowledged than had been sent when the last one was
    /// seen, by duplicates or by the timer (`recover-check`): those below may answer segments that were sent again although
    /// they had arrived. A loss of the very next segment after a fast recovery, and of the first one of all, therefore waits
    /// for the timer.
    ///
    /// ## State
    /// Whether a partial acknowledgement has come. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - A full acknowledgement sets cwnd to ssthresh [RFC6582 s3.2 (3), the second of its two choices].
    /// - The heuristics that tell a loss from segments sent again below `recover` [RFC6582 s4.1, s4.2; both optional] are left
    ///   out.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.new-reno = { partial-ack-timer = "every" } }
    /// ```
    ///
    /// ## References
    /// RFC 6582 s3; RFC 2582 s5; RFC 3782 s4; Fall and Floyd [Fall96 s2.3].
    pub struct Parameters {
        /// Which partial acknowledgements restart the retransmission timer.
        partial_ack_timer: PartialAckTimer = "first";
        /// From when on duplicate acknowledgements may mean a further loss; ns-2 has `careful` (`bugFix_`).
        recover_check: RecoverCheck = "careful";
    }
}
impl Check for Parameters {}

crate::choice! {
    /// Which partial acknowledgements restart the retransmission timer in a recovery.
    pub enum PartialAckTimer {
        /// The first only: many losses end in a timeout rather than in many round trips ("impatient") [RFC3782 s4].
        "first" => First,
        /// Each of them ("slow but steady") [RFC3782 s4].
        "every" => Every,
    }
}

/// The recovery of a connection.
#[derive(Clone, Debug)]
pub struct NewReno {
    timer: PartialAckTimer,
    check: RecoverCheck,
    /// A partial acknowledgement has come in this recovery.
    partial_seen: bool,
}

impl NewReno {
    /// The recovery of a new connection.
    pub fn new(parameters: &Parameters, _: &Site) -> NewReno {
        NewReno { timer: parameters.partial_ack_timer, check: parameters.recover_check, partial_seen: false }
    }
}

impl Recovery for NewReno {
    fn recover_check(&self) -> RecoverCheck {
        self.check
    }

    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        // The duplicates are segments that have left the network [RFC5681 s3.2 (3)].
        window.size = window.threshold + f64::from(flight.duplicates);
        flight.begin_recovery();
        self.partial_seen = false;
    }

    /// The next hole is a loss too. The window shrinks by what left the network and grows by the segment sent again
    /// [RFC6582 s3.2 (3)].
    fn on_partial_ack(&mut self, newly: u32, flight: &mut Flight, window: &mut Window) -> bool {
        flight.resend = true;
        window.size = (window.size - f64::from(newly) + 1.0).max(1.0);
        let first = !std::mem::replace(&mut self.partial_seen, true);
        first || self.timer == PartialAckTimer::Every
    }
}
