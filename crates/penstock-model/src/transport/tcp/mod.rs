//! TCP, one way: a sender of full-sized segments and its receiver.
//!
//! Neither end owns a clock. After every input (`start`, `offer`, `on_*`) the caller asks `next_transmission` until it returns `None`, then
//! reads `deadline`, the instant at which `on_deadline` (`on_timeout` at a receiver) is due. If the sender waits for its port, the caller
//! asks it when the port has room; `is_ready` shows whether to ask at all.

mod ack_delay;
mod ecn;
mod mark_echo;
mod output_gate;
mod pacer;
mod parameters;
mod profiles;
mod push;
mod quick_acks;
mod receiver;
mod reductions;
mod repeats;
mod rtt;
mod segment_records;
mod sender;
mod window_validation;

#[cfg(test)]
pub(crate) mod tests;

pub use mark_echo::EcnSupport;
pub use mark_echo::MarkEcho;
pub use pacer::PacingRate;
pub use parameters::{LocalQueue, Parameters, Variant};
pub use profiles::Profile;
pub use push::Push;
pub use receiver::Receiver;
pub use reductions::{EcnReduction, ThresholdFrom};
pub use rtt::RtoEstimation;
pub use sender::Sender;
pub use window_validation::WindowValidation;

use crate::packet::{Body, Ecn, SegmentFlags};

/// A packet that an end host wants to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Content.
    pub body: Body,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Whether queues may mark it instead of dropping it.
    pub ecn: Ecn,
}

/// Flags that a segment carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentHeader {
    /// CWR and PSH.
    pub flags: SegmentFlags,
    /// Whether the segment is a retransmission, as its timestamp shows [RFC7323].
    pub sent_again: bool,
}

impl SegmentHeader {
    /// The flags of a TCP segment.
    #[inline]
    pub fn of(body: &Body) -> SegmentHeader {
        match *body {
            Body::Segment { flags, retransmission, .. } => SegmentHeader { flags, sent_again: retransmission },
            _ => SegmentHeader::default(),
        }
    }
}

/// Range of segments sent in sequence.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// First segment.
    pub first: u32,
    /// Segment after the last.
    pub end: u32,
    /// First segment of the range that was never sent before.
    pub new_from: u32,
}
