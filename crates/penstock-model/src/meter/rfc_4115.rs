//! The two-rate three-colour marker with efficient handling of in-profile traffic.

use super::bucket::{Bucket, Start};
use super::{colour_of, Demotion, Meter, Mode};
use crate::parameters::Check;
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Two-rate three-colour marker of RFC 4115: committed and excess traffic have independent buckets.
    ///
    /// ## Decides
    /// Bucket C fills at `committed-rate` (CIR) and bucket E at `excess-rate` (EIR). A packet of B bytes is green if C holds B,
    /// else yellow if E holds B, and takes B from that bucket; else it is red and takes nothing. In mode `colour-aware` a
    /// packet that arrives yellow tries only E, so it takes nothing from what green may use, and one that arrives red tries
    /// neither. Under a lasting overload green gets CIR and yellow EIR.
    ///
    /// ## State
    /// The tokens of two buckets, exact, and when they were counted. Constant cost per packet.
    ///
    /// ## Departures
    /// A bucket that holds exactly B suffices, as in \[RFC2697 s3\], so that a burst of the whole depth conforms.
    ///
    /// ## Example
    /// ```toml
    /// marker.rfc-4115 = { committed-rate = "1 Mbit/s", committed-burst = "10 kB", excess-rate = "1 Mbit/s", excess-burst = "10 kB" }
    /// ```
    ///
    /// ## References
    /// \[RFC4115\].
    pub struct Parameters {
        /// Rate of the green tokens (CIR).
        committed_rate: Rate;
        /// Depth of bucket C (CBS).
        committed_burst: Bytes;
        /// Rate of the yellow tokens (EIR).
        excess_rate: Rate;
        /// Depth of bucket E (EBS).
        excess_burst: Bytes;
        /// Whether the colour that a packet arrives with matters.
        mode: Mode = "colour-blind";
        /// What the buckets hold at the beginning.
        start: Start = "full";
    }
}
impl Check for Parameters {}

/// An RFC 4115 marker at work.
#[derive(Clone, Debug)]
pub struct Rfc4115 {
    committed: Bucket,
    excess: Bucket,
    mode: Mode,
}

impl Rfc4115 {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters) -> Rfc4115 {
        Rfc4115 {
            committed: Bucket::new(parameters.committed_rate, parameters.committed_burst, parameters.start),
            excess: Bucket::new(parameters.excess_rate, parameters.excess_burst, parameters.start),
            mode: parameters.mode,
        }
    }
}

impl Meter for Rfc4115 {
    #[inline]
    fn colour(&mut self, now: Time, size: Bytes, incoming: u8) -> u8 {
        self.committed.settle(now);
        self.excess.settle(now);
        colour_of(&mut self.committed, Some(&mut self.excess), size, self.mode.admits(incoming), Demotion::NextBucket)
    }
}
