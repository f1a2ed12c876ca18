//! PCN meters mark packets before a link is congested.
//!
//! A port may have several, which see each accepted packet in the order of the scenario.

use crate::packet::PcnMark;
use crate::units::{Bytes, Time};

/// A PCN meter. The port calls it once per accepted packet, in order of time.
pub trait PcnMeter {
    /// The mark of a packet of `size` that arrives at `now` with mark `mark`; never a lesser one [RFC5670 s2.5].
    fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark;

    /// Tells the meter's state at `now` (token fills in bits, counters) by name, without changing it.
    fn probe(&self, now: Time, tell: &mut dyn FnMut(&'static str, f64));
}
