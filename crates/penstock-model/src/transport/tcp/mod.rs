//! TCP, one way: a sender of full-sized segments and its receiver.
//!
//! Neither end owns a clock. After every input (`start`, `offer`, `on_*`) the caller asks `next_transmission` until it returns `None`,
//! then reads `deadline`, the instant at which `on_deadline` (of a receiver, `on_timeout`) is due. A sender that waits for its port is
//! asked later, when the port has room; `is_ready` shows whether to ask at all.

mod ack_delay;
mod ecn;
mod output_gate;
mod pacer;
mod parameters;
mod receiver;
mod repeats;
mod rtt;
mod segment_records;
mod send_times;
mod sender;

#[cfg(test)]
mod tests;

pub use parameters::{LocalQueue, MarkEcho, Parameters, Variant};
pub use receiver::Receiver;
pub use sender::Sender;

use crate::packet::{Body, Ecn};

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

/// A range of segments sent in sequence.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// The first.
    pub first: u32,
    /// The one after the last.
    pub end: u32,
    /// First of them that was never sent before.
    pub new_from: u32,
}
