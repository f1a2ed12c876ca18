//! Tail drop.

use super::{Counting, Discipline, DropCause, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Check, Limit};
use crate::units::Time;

crate::parameters! {
    /// Tail drop: refuses whatever does not fit.
    ///
    /// ## Decides
    /// An arriving packet is refused when the queue already holds `limit` packets, or when its bytes would exceed `limit` bytes.
    ///
    /// ## State
    /// None; constant cost per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// queue.tail-drop = { limit = "60 packets" }
    /// ```
    ///
    /// ## References
    /// RFC 7567 s2.1 names and discusses it.
    pub struct Parameters {
        /// The most that the queue may hold.
        limit: Limit = "1000 packets";
        /// Whether the packet in service takes a place.
        counts: Counts = "waiting";
    }
}
impl Check for Parameters {}

crate::choice! {
    /// Which packets take a place in the buffer.
    pub enum Counts {
        /// Only those that wait, as in ns-2.
        "waiting" => Waiting,
        /// The one in service too, as in the K of M/D/1/K.
        "in-system" => InSystem,
    }
}

/// Tail drop at work.
#[derive(Clone, Debug)]
pub struct TailDrop {
    limit: Limit,
    counting: Counting,
}

impl TailDrop {
    /// A tail-drop discipline with these parameters.
    pub fn new(parameters: &Parameters, _port: &PortContext) -> TailDrop {
        let counting = match parameters.counts {
            Counts::Waiting => Counting::Waiting,
            Counts::InSystem => Counting::InSystem,
        };
        TailDrop { limit: parameters.limit, counting }
    }
}

impl Discipline for TailDrop {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if queue.has_room(packet, self.limit) {
            Verdict::Accept
        } else {
            Verdict::Drop(DropCause::Overflow)
        }
    }

    fn counting(&self) -> Counting {
        self.counting
    }
}
