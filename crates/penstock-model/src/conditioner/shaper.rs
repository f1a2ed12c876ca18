//! A token-bucket shaper.

use crate::meter::bucket::{Bucket, Start};
use crate::parameters::Check;
use crate::probe::Variable;
use crate::units::{Bytes, Rate};

crate::parameters! {
    /// Token-bucket shaper: packets wait in the queue until they keep to a rate and a burst.
    ///
    /// ## Decides
    /// The bucket fills at `rate` (r) up to `burst` (b). A packet begins its transmission when the wire is free and the
    /// bucket holds its size, which it then takes. Order is kept and nothing is dropped; the queue in front of the link is
    /// the buffer. What begins in any time t is at most b + r t. With a scheduler of classes it is asked again when
    /// something arrives while the wire waits for tokens, so an urgent packet still overtakes.
    ///
    /// ## State
    /// The tokens, exact, and when they were counted. Constant cost per packet; departures of a single queue stay known
    /// on arrival.
    ///
    /// ## Departures
    /// A packet larger than the bucket waits until that is full and empties it; otherwise it would wait forever.
    ///
    /// ## Example
    /// ```toml
    /// shaper.token-bucket = { rate = "150 kbit/s", burst = "1500 bytes" }
    /// ```
    ///
    /// ## References
    /// RFC 2475 s2.3.3.3 (shapers); RFC 2598 s1 and A.3.2 for its use in front of a virtual leased line.
    pub struct Parameters {
        /// Long-run rate of the output (r); at most the link's.
        rate: Rate;
        /// Depth of the bucket (b); at least the largest packet.
        burst: Bytes;
        /// What the bucket holds at the beginning.
        start: Start = "full";
    }
}
impl Check for Parameters {}

impl Parameters {
    /// Its bucket.
    pub fn bucket(&self) -> Bucket {
        Bucket::new(self.rate, self.burst, self.start)
    }
}

/// The state that it shows, of which its bucket is all.
pub const STATE: &[Variable] = &[Variable { name: "tokens", unit: "bit", doc: "What its bucket holds." }];
