//! The recovery of 4.3BSD-Tahoe.

use super::{Flight, Recovery};
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// Tahoe: resends from the lost segment on, from a window of one segment.
    ///
    /// ## Decides
    /// `dup-ack-threshold` duplicate acknowledgements indicate a loss. The sender then acts as after a timeout, but immediately: cwnd
    /// is one segment, and sending continues from the first unacknowledged segment.
    ///
    /// ## State
    /// None. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// None known.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.tahoe = {} }
    /// ```
    ///
    /// ## References
    /// Fall and Floyd [Fall96 s2.1]; Jacobson [Jacobson88].
    pub struct Parameters {}
}
impl Check for Parameters {}

/// The recovery of a connection.
#[derive(Clone, Debug)]
pub struct Tahoe;

impl Tahoe {
    /// The recovery of a new connection.
    pub fn new(_parameters: &Parameters, _: &Site) -> Tahoe {
        Tahoe
    }
}

impl Recovery for Tahoe {
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.go_back(window);
    }
}
