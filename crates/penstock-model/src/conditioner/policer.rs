//! A token-bucket policer.

use super::Policer;
use crate::meter::bucket::{Bucket, Start};
use crate::packet::Packet;
use crate::parameters::{own, Check};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Token-bucket policer: drops packets that exceed a rate and a burst.
    ///
    /// ## Decides
    /// The bucket fills at `rate` (r) up to `burst` (b), in bytes. If it holds at least the size of an arriving packet, the packet
    /// passes and takes that many tokens. Otherwise the packet is dropped (cause `policed`) and takes none. The policer acts before the
    /// marker and the queue, and its drops count as offered to the link. At most $b + r t$ passes in any time t.
    ///
    /// ## State
    /// The exact number of tokens, and the time of the last count. Constant cost per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// policer.token-bucket = { rate = "450 kbit/s", burst = "3 kB" }
    /// ```
    ///
    /// ## References
    /// RFC 2475 s2.3.3.4 (droppers); RFC 2598 s2 for its use at the edge of an Expedited Forwarding domain.
    pub struct Parameters {
        /// Long-run rate of the packets that pass (r).
        rate: Rate, changeable;
        /// Depth of the bucket (b).
        burst: Bytes, changeable;
        /// Tokens in the bucket at the beginning.
        start: Start = "full";
    }
}
impl Check for Parameters {}

/// State of a policer.
#[derive(Clone, Debug)]
pub struct TokenBucketPolicer {
    bucket: Bucket,
}

impl TokenBucketPolicer {
    /// A policer with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> TokenBucketPolicer {
        TokenBucketPolicer { bucket: Bucket::new(parameters.rate, parameters.burst, parameters.start) }
    }
}

impl Policer for TokenBucketPolicer {
    #[inline]
    fn passes(&mut self, now: Time, packet: &Packet) -> bool {
        self.bucket.settle(now);
        self.bucket.take(packet.bytes())
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let &Parameters { rate, burst, .. } = own(parameters);
        self.bucket.change(now, rate, burst);
    }
}

crate::state! {
    impl TokenBucketPolicer, |it, now| {
        /// Tokens in the bucket.
        "fill", "bit", is it.bucket.bits(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;
    use crate::units::Duration;

    #[test]
    fn what_exceeds_takes_nothing() {
        // One byte per millisecond: 200 left after two packets, 399 at 199 ms, 400 at 200 ms.
        let mut it = TokenBucketPolicer::new(&read(&["rate = 8 kbit/s", "burst = 1000 bytes"]).expect("sound"), &Site::trial());
        let verdicts = [(0, 400), (0, 400), (0, 400), (199, 400), (200, 400), (200, 1), (9000, 1001), (9000, 1000)];
        let passes = verdicts.map(|(ms, size)| it.passes(Time::ZERO + Duration::from_ms(ms), &packet(size, 0)));
        assert_eq!(passes, [true, true, false, false, true, false, false, true]);
    }
}
