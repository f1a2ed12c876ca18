//! Tail drop.

use super::{Counting, Discipline, DropCause, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Check, Limit};
use crate::units::Time;

crate::parameters! {
    /// Tail drop: drops arrivals that do not fit into the queue.
    ///
    /// ## Decides
    /// An arrival is dropped (cause `overflow`) if the queue holds `limit` packets already, or if its bytes would exceed a `limit` in
    /// bytes.
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
    /// RFC 7567 s2.1 names and discusses tail drop.
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit = "1000 packets";
        /// Whether the packet in service takes a slot of the buffer.
        counts: Counts = "waiting";
    }
}
impl Check for Parameters {}

crate::choice! {
    /// Packets that take a slot of the buffer.
    pub enum Counts {
        /// Only waiting packets, as in ns-2.
        "waiting" => Waiting,
        /// The packet in service too, as in the K of M/D/1/K.
        "in-system" => InSystem,
    }
}

/// State of tail drop.
#[derive(Clone, Debug)]
pub struct TailDrop {
    /// Maximum length of the queue.
    pub limit: Limit,
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

    /// Whether `size` bytes fit into a queue that holds these packets and bytes.
    #[inline(always)]
    pub fn has_room(&self, packets: u32, bytes: u64, size: u32) -> bool {
        self.limit.has_room(packets, bytes, size)
    }

    /// Verdict on an arrival of `size` bytes that finds these packets and bytes.
    #[inline(always)]
    pub fn verdict(&self, packets: u32, bytes: u64, size: u32) -> Verdict {
        if self.has_room(packets, bytes, size) {
            Verdict::Accept
        } else {
            Verdict::Drop(DropCause::Overflow)
        }
    }
}

crate::state! {
    impl TailDrop, |_it, _now| {}
}

impl Discipline for TailDrop {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        self.verdict(queue.packets, queue.bytes, packet.size)
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn is_passive(&self) -> bool {
        true
    }

    fn counting(&self) -> Counting {
        self.counting
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{packet, port, queue};
    use super::*;
    use crate::parameters::testing::read;

    fn verdict(parameters: &[&str], packets: u32, size: u32) -> Verdict {
        let mut it = TailDrop::new(&read(parameters).expect("sound"), &port());
        it.on_arrival(Time::ZERO, &packet(size, 0), &queue([packets, 0, 0, 0]))
    }

    #[test]
    fn a_limit_in_packets_ignores_their_size() {
        assert_eq!(verdict(&["limit = 3 packets"], 2, 9000), Verdict::Accept);
        assert_eq!(verdict(&["limit = 3 packets"], 3, 1), Verdict::Drop(DropCause::Overflow));
    }

    #[test]
    fn a_limit_in_bytes_must_hold_the_whole_packet() {
        assert_eq!(verdict(&["limit = 1600 bytes"], 2, 600), Verdict::Accept);
        assert_eq!(verdict(&["limit = 1600 bytes"], 2, 601), Verdict::Drop(DropCause::Overflow));
    }

    #[test]
    fn the_packet_in_service_counts_only_if_asked() {
        let counting = |lines: &[&str]| TailDrop::new(&read(lines).expect("sound"), &port()).counting();
        assert_eq!(counting(&[]), Counting::Waiting);
        assert_eq!(counting(&["counts = in-system"]), Counting::InSystem);
    }
}
