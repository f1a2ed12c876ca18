//! Packets that come from outside while a run goes on.

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

/// Why [`crate::Sim::inject`] refuses a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionError(pub(crate) String);

impl fmt::Display for InjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InjectionError {}
