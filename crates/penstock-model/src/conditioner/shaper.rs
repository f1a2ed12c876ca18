//! A token-bucket shaper.

use super::Shaper;
use crate::meter::bucket::{Bucket, Start};
use crate::parameters::{own, Check};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Token-bucket shaper: packets wait in the queue until they conform to a rate and a burst.
    ///
    /// ## Decides
    /// The bucket fills at `rate` (r) up to `burst` (b). A packet begins its transmission when the wire is free and the bucket holds
    /// its size, and takes that many tokens. The shaper keeps the order and drops nothing; the queue in front of the link is its
    /// buffer. At most $b + r t$ begins in any time t. With a scheduler of classes, an arrival while the wire waits for tokens makes
    /// the port ask again, so an urgent packet still overtakes.
    ///
    /// ## State
    /// The exact number of tokens, and the time of the last count. Constant cost per packet; departures of a single queue stay known on
    /// arrival.
    ///
    /// ## Departures
    /// A packet larger than the bucket waits until the bucket is full, and empties it; otherwise it would wait forever.
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
        rate: Rate, changeable;
        /// Depth of the bucket (b); at least the largest packet.
        burst: Bytes, changeable;
        /// Tokens in the bucket at the beginning.
        start: Start = "full";
    }
}
impl Check for Parameters {}

/// State of a shaper.
#[derive(Clone, Debug)]
pub struct TokenBucketShaper {
    bucket: Bucket,
}

impl TokenBucketShaper {
    /// A shaper with these parameters.
    pub fn new(parameters: &Parameters, _site: &Site) -> TokenBucketShaper {
        TokenBucketShaper { bucket: Bucket::new(parameters.rate, parameters.burst, parameters.start) }
    }
}

impl Shaper for TokenBucketShaper {
    #[inline]
    fn ready(&self, now: Time, size: Bytes) -> Time {
        self.bucket.ready(now, size)
    }

    #[inline]
    fn on_start(&mut self, now: Time, size: Bytes) {
        self.bucket.spend(now, size);
    }

    fn rate(&self) -> Option<Rate> {
        Some(self.bucket.rate())
    }

    fn burst(&self) -> Option<Bytes> {
        Some(self.bucket.depth())
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let &Parameters { rate, burst, .. } = own(parameters);
        self.bucket.change(now, rate, burst);
    }
}

crate::state! {
    impl TokenBucketShaper, |it, now| {
        /// Tokens in the bucket.
        "tokens", "bit", is it.bucket.bits(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::units::Duration;

    #[test]
    fn packets_wait_for_their_tokens() {
        // One byte per millisecond.
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let mut it = TokenBucketShaper::new(&read(&["rate = 8 kbit/s", "burst = 250 bytes"]).expect("sound"), &Site::trial());
        assert_eq!((it.rate(), it.burst()), (Some(Rate::from_bps(8_000)), Some(Bytes::new(250))));
        it.on_start(at(0), Bytes::new(250));
        assert_eq!(it.ready(at(2), Bytes::new(125)), at(125));
        it.on_start(at(125), Bytes::new(125));
        assert_eq!(it.ready(at(130), Bytes::new(5)), at(130));
    }
}
