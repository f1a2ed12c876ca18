//! Sources decide when an application sends, and how much.

use crate::rng::Stream;
use crate::units::Duration;

/// One packet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// How long after the previous packet (after the flow's start, for the first).
    pub after: Duration,
    /// Bytes on the wire.
    pub size: u32,
}

/// A source that sends whatever the network does (open loop). Its randomness comes from the stream that the engine hands it.
pub trait Source {
    /// The first packet, counted from the flow's start.
    fn first(&mut self, stream: &mut Stream) -> Emission;

    /// The next packet, counted from the one before.
    fn next(&mut self, stream: &mut Stream) -> Emission;

    /// The spacing, if it never varies and all packets have one size: such sources are kept in rings.
    fn period(&self) -> Option<Duration> {
        None
    }
}
