//! A single token bucket.

use super::bucket::{Bucket, Start};
use super::{Meter, Mode};
use crate::packet::Packet;
use crate::parameters::{Check, Precedence};
use crate::probe::Tell;
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
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        let colour = self.mode.admits(packet.precedence);
        self.bucket.settle(now);
        if colour < self.exceed && self.bucket.take(packet.bytes()) {
            colour
        } else {
            colour.max(self.exceed)
        }
    }

    fn probe(&self, now: Time, tell: &mut Tell<'_>) {
        tell("fill", "bit", self.bucket.bits(now));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, colours};
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;

    fn token_bucket(more: &[&str]) -> TokenBucket {
        TokenBucket::new(&read(&[&["rate = 8 kbit/s", "burst = 1000 bytes"], more].concat()).expect("sound"))
    }

    #[test]
    fn packets_conform_while_tokens_last() {
        // A byte a millisecond: 200 left after two packets, 399 at 199 ms, 400 at 200 ms.
        let packets = [(0, 400, 0), (0, 400, 0), (0, 400, 0), (199, 400, 0), (200, 400, 0), (200, 1, 0)];
        assert_eq!(colours(&mut token_bucket(&[]), &packets), [0, 0, 1, 1, 0, 1]);
        assert_eq!(colours(&mut token_bucket(&["start = empty"]), &[(399, 400, 0), (400, 400, 0)]), [1, 0]);
        assert_eq!(colours(&mut token_bucket(&["exceed-precedence = 2"]), &[(0, 1001, 1), (0, 1000, 1)]), [2, 0]);
    }

    #[test]
    fn an_instant_burst_conforms_in_whole_packets() {
        for (size, whole) in [(1000, 1), (999, 1), (500, 2), (334, 2), (333, 3), (1, 1000), (1001, 0)] {
            let burst = colours(&mut token_bucket(&[]), &vec![(0, size, 0); 1100]);
            assert_eq!(burst.iter().filter(|colour| **colour == 0).count(), whole);
        }
    }

    #[test]
    fn a_burst_at_line_rate_lasts_b_over_c_less_r() {
        // b 20 kB, r 1 Mbit/s, 100 bytes every 80 us (C 10 Mbit/s): packet k needs 100 (k+1) <= 20000 + 10 k, so k <= 221,
        // which is at 17.68 ms and ends at 17.76; the fluid limit is 17.78 ms.
        let mut meter = TokenBucket::new(&read(&["rate = 1 Mbit/s", "burst = 20 kB"]).expect("sound"));
        let conforming = (0..).take_while(|k| meter.colour(Time::from_ps(k * 80_000_000), &packet(100, 0)) == 0).count();
        assert_eq!(conforming, 222);
    }

    #[test]
    fn colours_are_kept_where_the_meter_is_aware() {
        let aware = ["exceed-precedence = 2", "mode = colour-aware"];
        // What arrives with precedence 2 or worse takes no tokens; what conforms keeps its own.
        let packets = [(0, 900, 2), (0, 900, 3), (0, 600, 1), (0, 600, 1), (0, 400, 0), (0, 1, 0)];
        assert_eq!(colours(&mut token_bucket(&aware), &packets), [2, 3, 1, 2, 0, 2]);
        assert_eq!(token_bucket(&[]).colour(at(0), &packet(100, 3)), 0);
        assert_eq!(read::<Parameters>(&["rate = 8 kbit/s", "burst = 1 kB", "exceed-precedence = 0"]).expect_err("a mistake").len(), 1);
    }
}
