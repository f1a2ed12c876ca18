//! A single token bucket.

use super::bucket::{Bucket, Start};
use super::{Meter, Mode};
use crate::parameters::{Check, Precedence};
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Token bucket: tells what keeps to a rate and a burst from what exceeds them.
    ///
    /// ## Decides
    /// The bucket fills at `rate` (r) up to `burst` (b). A packet that finds as many tokens as it has bytes takes them and
    /// conforms: it is green, or keeps its colour in mode `colour-aware`. Any other takes nothing and gets
    /// `exceed-precedence`. What conforms in any time t is at most b + r t.
    ///
    /// ## State
    /// The tokens, exact, and when they were counted. Constant cost per packet.
    ///
    /// ## Departures
    /// None. In mode `colour-aware` a packet that arrives with `exceed-precedence` or worse keeps its colour and takes no
    /// tokens, as the three-colour markers have it.
    ///
    /// ## Example
    /// ```toml
    /// marker.token-bucket = { rate = "192 kbit/s", burst = "8 kB" }
    /// ```
    ///
    /// ## References
    /// RFC 3290 s5.1.3 (a simple two-parameter token bucket meter).
    pub struct Parameters {
        /// Long-run rate of what conforms (r).
        rate: Rate;
        /// Depth of the bucket (b).
        burst: Bytes;
        /// Precedence of what exceeds.
        exceed_precedence: Precedence = "1";
        /// Whether the colour that a packet arrives with matters.
        mode: Mode = "colour-blind";
        /// What the bucket holds at the beginning.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.exceed_precedence.0 == 0 {
            mistake("exceed-precedence", "0 is what conforms; at least 1".to_owned());
        }
    }
}

/// A token bucket at work.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    bucket: Bucket,
    exceed: u8,
    mode: Mode,
}

impl TokenBucket {
    /// A token bucket with these parameters.
    pub fn new(parameters: &Parameters) -> TokenBucket {
        TokenBucket {
            bucket: Bucket::new(parameters.rate, parameters.burst, parameters.start),
            exceed: parameters.exceed_precedence.0,
            mode: parameters.mode,
        }
    }
}

impl Meter for TokenBucket {
    #[inline]
    fn colour(&mut self, now: Time, size: Bytes, incoming: u8) -> u8 {
        let colour = self.mode.admits(incoming);
        self.bucket.settle(now);
        if colour < self.exceed && self.bucket.take(size) {
            colour
        } else {
            colour.max(self.exceed)
        }
    }
}
