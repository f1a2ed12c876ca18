//! Impairments act on a packet that has left a port, on the wire.

use crate::packet::Packet;
use crate::units::{Duration, Time};

/// What happens to a packet on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives, so much later than the link's delay alone would have it.
    Delayed(Duration),
    /// It never arrives.
    Lost,
}

/// An impairment. The port calls it once per packet, in order of departure.
pub trait Impairment {
    /// The fate of `packet`, which leaves the port at `now`.
    fn on_departure(&mut self, now: Time, packet: &Packet) -> Fate;

    /// Whether a later packet may overtake an earlier one.
    fn reorders(&self) -> bool;
}
