//! The recovery of RFC 6582.

use super::{Flight, RecoverCheck, Recovery};
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// NewReno: stays in fast recovery until everything sent before it is acknowledged, and repairs one loss per round trip.
    ///
    /// ## Decides
    /// Like Reno, except for partial acknowledgements. These acknowledge only a part of the segments sent before the loss was detected,
    /// and indicate that the next segment is lost too. It is sent again immediately; cwnd shrinks by the number of acknowledged
    /// segments and grows by one.
    ///
    /// recover is the last segment that had been sent when the previous loss was detected, by duplicates or by the timer. Duplicate
    /// acknowledgements indicate a further loss only beyond recover (`recover-check`). Earlier duplicates may answer segments that were
    /// sent again although they had arrived. If the very next segment after a fast recovery is lost, or the first segment of the
    /// connection, the loss therefore waits for the timer.
    ///
    /// ## State
    /// Whether a partial acknowledgement has arrived. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - A full acknowledgement sets cwnd to ssthresh [RFC6582 s3.2 (3), the second of its two choices].
    /// - The heuristics that distinguish a loss from segments sent again below `recover` [RFC6582 s4.1, s4.2; both optional] are
    ///   omitted.
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
        /// Acknowledgement from which on duplicates may indicate a further loss; ns-2 has `careful` (`bugFix_`).
        recover_check: RecoverCheck = "careful";
    }
}
impl Check for Parameters {}

crate::choice! {
    /// Which partial acknowledgements restart the retransmission timer in a recovery.
    pub enum PartialAckTimer {
        /// Only the first: many losses end in a timeout rather than in many round trips ("impatient") [RFC3782 s4].
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
    /// Whether a partial acknowledgement has arrived in this recovery.
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
        // The duplicates represent segments that have left the network [RFC5681 s3.2 (3)].
        window.size = window.threshold + f64::from(flight.duplicates);
        flight.begin_recovery();
        self.partial_seen = false;
    }

    /// The next hole is also a loss. The window shrinks by the segments that left the network and grows by the segment sent again [RFC6582
    /// s3.2 (3)].
    fn on_partial_ack(&mut self, newly: u32, flight: &mut Flight, window: &mut Window) -> bool {
        flight.resend = true;
        window.size = (window.size - f64::from(newly) + 1.0).max(1.0);
        let first = !std::mem::replace(&mut self.partial_seen, true);
        first || self.timer == PartialAckTimer::Every
    }
}
