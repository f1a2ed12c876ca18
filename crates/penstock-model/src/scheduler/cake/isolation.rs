//! Isolation of flows and hosts.

use crate::packet::Packet;
use crate::rng::Key;
use crate::scheduler::traffic::{is_backward, Traffic};

crate::choice! {
    /// Which traffic gets a queue of its own, and between which hosts the rate is divided.
    pub enum Isolation {
        /// One queue for everything.
        "flowblind" => FlowBlind,
        /// A queue for each source host.
        "srchost" => SourceHost,
        /// A queue for each destination host.
        "dsthost" => DestinationHost,
        /// A queue for each pair of source and destination host.
        "hosts" => Hosts,
        /// A queue for each flow.
        "flows" => Flows,
        /// A queue for each flow, and equal shares for source hosts.
        "dual-srchost" => DualSource,
        /// A queue for each flow, and equal shares for destination hosts.
        "dual-dsthost" => DualDestination,
        /// A queue for each flow, and shares by the busier of its two hosts.
        "triple-isolate" => Triple,
    }
}

/// Hashes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// Hash that selects the queue.
    pub flow: u32,
    /// Hashes of source and destination.
    pub hosts: [u32; 2],
}

impl Isolation {
    /// Whether the flows of a source host share the host's turn, and whether the flows of a destination host do.
    pub fn shares(self) -> [bool; 2] {
        match self {
            Isolation::DualSource => [true, false],
            Isolation::DualDestination => [false, true],
            Isolation::Triple => [true, true],
            _ => [false, false],
        }
    }

    /// Hashes of a packet under `key`.
    pub fn hashes(self, key: Key, traffic: &Traffic, packet: &Packet) -> Hashes {
        let hash = |words: [u64; 2]| key.hash(words) as u32;
        let [source, destination] = traffic.hosts(packet);
        let hosts = [hash([u64::from(source), 2]), hash([u64::from(destination), 3])];
        let flow = match self {
            Isolation::FlowBlind => 0,
            Isolation::SourceHost => hosts[0],
            Isolation::DestinationHost => hosts[1],
            Isolation::Hosts => hosts[0] ^ hosts[1],
            _ => hash([u64::from(packet.flow.0), u64::from(is_backward(&packet.body))]),
        };
        Hashes { flow, hosts }
    }
}
