//! Meters measure a stream of packets against a traffic profile and give each a colour.
//!
//! A colour is a drop precedence: 0 green, 1 yellow, 2 red. The port writes it into the packet.

use crate::units::{Bytes, Time};

/// A meter. The port calls it once per packet, in order of time.
pub trait Meter {
    /// The colour of a packet of `size` that arrives at `now` with colour `incoming`.
    fn colour(&mut self, now: Time, size: Bytes, incoming: u8) -> u8;
}
