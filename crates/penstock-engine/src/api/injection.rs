//! Packets that come from outside while a run goes on.

use penstock_model::discipline::PRECEDENCES;
use penstock_model::id::FlowId;
use penstock_model::packet::Ecn;
use penstock_model::units::Time;
use std::fmt;

/// Header fields of a packet from outside that queues and meters read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marking {
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// The drop precedence, below [`PRECEDENCES`].
    pub precedence: u8,
}

/// A packet from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it leaves its host.
    pub at: Time,
    /// Its flow.
    pub flow: FlowId,
    /// Bytes on the wire.
    pub size: u32,
    /// Its header fields; as for the flow's own packets if left out.
    pub marking: Option<Marking>,
}

/// A packet that [`crate::Sim::inject`] refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectionError {
    /// The flow does not send packets of a list.
    NoList(FlowId),
    /// The packet would leave its host before the earliest or after the latest time that is open.
    Time {
        /// When it would leave.
        at: Time,
        /// The first instant that has not been simulated yet, or that of the flow's last packet so far if that is later.
        earliest: Time,
        /// When the flow or the run ends.
        latest: Time,
    },
    /// The packet is smaller or larger than all of the list.
    Size {
        /// Its bytes.
        size: u32,
        /// Those of the smallest packet and of the largest.
        allowed: (u64, u64),
    },
    /// There is no such drop precedence.
    Precedence(u8),
}

impl fmt::Display for InjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InjectionError::NoList(flow) => {
                write!(f, "flow {} takes no packets from outside; its source must be 'packets', carried by 'udp'", flow.0)
            }
            InjectionError::Precedence(given) => write!(f, "a packet of drop precedence {given}; 0 to {}", PRECEDENCES - 1),
            InjectionError::Time { at, earliest, latest } => write!(f, "a packet at {at}: it must leave from {earliest} to {latest}"),
            InjectionError::Size { size, allowed: (smallest, largest) } => {
                write!(f, "a packet of {size} bytes: the flow's list has packets of {smallest} to {largest} bytes")
            }
        }
    }
}

impl std::error::Error for InjectionError {}
