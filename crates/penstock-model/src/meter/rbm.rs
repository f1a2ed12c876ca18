//! The rate-based marker.

use super::bucket::{Bucket, Start};
use super::{colour_of, demotion_mistake, Demotion, Meter, Mode};
use crate::parameters::Check;
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Rate-Based Marker: one token bucket for green and an independent one for yellow.
    ///
    /// ## Decides
    /// Bucket 0 fills at `committed-rate` (TGR0) and bucket 1 at `excess-rate` (TGR1), each up to its own size. A packet of B
    /// bytes is green if bucket 0 holds B, else yellow if bucket 1 holds B, and takes B from that bucket; else it is red and
    /// takes nothing. In mode `colour-aware` only packets that arrive green may use bucket 0, and only those that arrive
    /// green or yellow may use bucket 1. Under a lasting overload green gets TGR0 and yellow TGR1.
    ///
    /// ## State
    /// The tokens of two buckets, exact, and when they were counted. Constant cost per packet.
    ///
    /// ## Departures
    /// None. Without the excess bucket there are two colours: what finds no tokens gets precedence 1, as the document has
    /// it with two drop precedences. `demotion` and `start` answer what it leaves open.
    ///
    /// ## Example
    /// ```toml
    /// marker.rbm = { committed-rate = "64 kbit/s", committed-burst = "4 kB", excess-rate = "128 kbit/s", excess-burst = "4 kB", mode = "colour-aware" }
    /// ```
    ///
    /// ## References
    /// \[Goyal99 s2\]. With both buckets and `next-bucket` it marks as `rfc-4115` does.
    pub struct Parameters {
        /// Rate of the green tokens (TGR0).
        committed_rate: Rate;
        /// Depth of the green bucket (bucket size dp0).
        committed_burst: Bytes;
        /// Rate of the yellow tokens (TGR1); left out together with `excess-burst`, there are two colours.
        excess_rate: Option<Rate>;
        /// Depth of the yellow bucket (bucket size dp1).
        excess_burst: Option<Bytes>;
        /// Whether the colour that a packet arrives with matters; the document's marker is colour-aware.
        mode: Mode = "colour-aware";
        /// Where a packet that arrives green goes when bucket 0 is short.
        demotion: Demotion = "next-bucket";
        /// What the buckets hold at the beginning.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        match (self.excess_rate, self.excess_burst) {
            (Some(_), None) => mistake("excess-burst", "is missing, but excess-rate is given; give both or neither".to_owned()),
            (None, Some(_)) => mistake("excess-rate", "is missing, but excess-burst is given; give both or neither".to_owned()),
            _ => {}
        }
        if let Some(message) = demotion_mistake(self.demotion, self.mode, 1 + usize::from(self.excess_burst.is_some())) {
            mistake("demotion", message);
        }
    }
}

/// An RBM at work.
#[derive(Clone, Debug)]
pub struct Rbm {
    committed: Bucket,
    excess: Option<Bucket>,
    mode: Mode,
    demotion: Demotion,
}

impl Rbm {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters) -> Rbm {
        let excess = parameters.excess_rate.zip(parameters.excess_burst);
        Rbm {
            committed: Bucket::new(parameters.committed_rate, parameters.committed_burst, parameters.start),
            excess: excess.map(|(rate, burst)| Bucket::new(rate, burst, parameters.start)),
            mode: parameters.mode,
            demotion: parameters.demotion,
        }
    }
}

impl Meter for Rbm {
    #[inline]
    fn colour(&mut self, now: Time, size: Bytes, incoming: u8) -> u8 {
        self.committed.settle(now);
        if let Some(excess) = &mut self.excess {
            excess.settle(now);
        }
        colour_of(&mut self.committed, self.excess.as_mut(), size, self.mode.admits(incoming), self.demotion)
    }
}
