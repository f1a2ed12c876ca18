//! The three-colour marker with a peak and a committed rate.

use super::bucket::{Bucket, Start};
use super::{Meter, Mode};
use crate::parameters::Check;
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Two-rate Three Colour Marker (trTCM) of RFC 2698: red above a peak rate, yellow between the committed rate and the peak.
    ///
    /// ## Decides
    /// Bucket P fills at `peak-rate` (PIR) and bucket C at `committed-rate` (CIR). A packet of B bytes is red if P does not hold
    /// B; else yellow, taking B from P, if C does not hold B; else green, taking B from both. In mode `colour-aware` a
    /// packet that arrives red stays red and takes nothing, and one that arrives yellow is not tested against C. Under a
    /// lasting overload green gets CIR and yellow PIR - CIR.
    ///
    /// ## State
    /// The tokens of two buckets, exact, and when they were counted. Constant cost per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// marker.two-rate-tcm = { committed-rate = "1 Mbit/s", committed-burst = "10 kB", peak-rate = "2 Mbit/s", peak-burst = "10 kB" }
    /// ```
    ///
    /// ## References
    /// \[RFC2698 s3\].
    pub struct Parameters {
        /// Committed information rate (CIR).
        committed_rate: Rate;
        /// Committed burst size (CBS).
        committed_burst: Bytes;
        /// Peak information rate (PIR), at least CIR.
        peak_rate: Rate;
        /// Peak burst size (PBS).
        peak_burst: Bytes;
        /// Whether the colour that a packet arrives with matters.
        mode: Mode = "colour-blind";
        /// What the buckets hold at the beginning; default of the RFC.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.peak_rate < self.committed_rate {
            mistake("peak-rate", "is below committed-rate; at least as much".to_owned());
        }
    }
}

/// A trTCM at work.
#[derive(Clone, Debug)]
pub struct TwoRateTcm {
    committed: Bucket,
    peak: Bucket,
    mode: Mode,
}

impl TwoRateTcm {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters) -> TwoRateTcm {
        TwoRateTcm {
            committed: Bucket::new(parameters.committed_rate, parameters.committed_burst, parameters.start),
            peak: Bucket::new(parameters.peak_rate, parameters.peak_burst, parameters.start),
            mode: parameters.mode,
        }
    }
}

impl Meter for TwoRateTcm {
    #[inline]
    fn colour(&mut self, now: Time, size: Bytes, incoming: u8) -> u8 {
        let colour = self.mode.admits(incoming);
        self.peak.settle(now);
        self.committed.settle(now);
        if colour >= 2 || !self.peak.take(size) {
            colour.max(2)
        } else if colour == 1 || !self.committed.take(size) {
            1
        } else {
            0
        }
    }
}
