//! A single token bucket.

use super::bucket::{Bucket, Start};
use super::{Meter, Mode};
use crate::packet::Packet;
use crate::parameters::{own, Check, Precedence};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Token bucket: separates packets that conform to a rate and a burst from packets that exceed them.
    ///
    /// ## Decides
    /// The bucket fills at `rate` (r) up to `burst` (b). A packet that finds at least as many tokens as it has bytes conforms:
    /// it takes its tokens and is green, or keeps its colour in mode `colour-aware`. Any other packet takes no tokens and gets
    /// `exceed-precedence`. The conforming traffic in any time t is at most $b + r t$. With `peak-rate` (p), a second bucket,
    /// which fills at p up to `peak-burst` (M), must hold the packet too, and the conforming traffic is also at most
    /// $M + p t$.
    ///
    /// ## State
    /// The tokens of one or two buckets (exact) and the time of their last update. Constant cost per packet.
    ///
    /// ## Departures
    /// None. In mode `colour-aware`, a packet that arrives with `exceed-precedence` or worse keeps its colour and takes no
    /// tokens, as in the three-colour markers.
    ///
    /// ## Example
    /// ```toml
    /// marker.token-bucket = { rate = "192 kbit/s", burst = "8 kB" }
    /// ```
    ///
    /// ## References
    /// RFC 3290 s5.1.3 (a simple two-parameter token bucket meter); with a peak rate, RFC 2215 s3.6 (TOKEN_BUCKET_TSPEC).
    pub struct Parameters {
        /// Long-run rate of the conforming traffic (r).
        rate: Rate, changeable;
        /// Depth of the bucket (b).
        burst: Bytes, changeable;
        /// Maximum rate of the conforming traffic within a burst (p); without it only `burst` limits it.
        peak_rate: Option<Rate>, changeable;
        /// Depth of the bucket that fills at `peak-rate` (M), 1500 bytes if left out; a packet larger than it never conforms.
        peak_burst: Option<Bytes>, changeable;
        /// Precedence of packets that exceed.
        exceed_precedence: Precedence = "1";
        /// Whether the colour of an arriving packet matters.
        mode: Mode = "colour-blind";
        /// Initial level of the bucket.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.exceed_precedence.0 == 0 {
            mistake("exceed-precedence", "0 is what conforms; at least 1".to_owned());
        }
        if self.peak_rate.is_some_and(|peak| peak < self.rate) {
            mistake("peak-rate", "is below rate; at least as much".to_owned());
        }
        if self.peak_rate.is_none() && self.peak_burst.is_some() {
            mistake("peak-burst", "has no effect without peak-rate; leave it out".to_owned());
        }
    }
}

/// Maximum packet size of an Ethernet, so that any single packet can conform immediately.
const PEAK_BURST: Bytes = Bytes::new(1500);

impl Parameters {
    /// Rate and depth of the peak bucket; `None` without one.
    fn peak(&self) -> Option<(Rate, Bytes)> {
        Some((self.peak_rate?, self.peak_burst.unwrap_or(PEAK_BURST)))
    }
}

/// State of a token bucket.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    bucket: Bucket,
    peak: Option<Bucket>,
    exceed: u8,
    mode: Mode,
}

impl TokenBucket {
    /// A token bucket with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> TokenBucket {
        TokenBucket {
            bucket: Bucket::new(parameters.rate, parameters.burst, parameters.start),
            peak: parameters.peak().map(|(rate, burst)| Bucket::new(rate, burst, parameters.start)),
            exceed: parameters.exceed_precedence.0,
            mode: parameters.mode,
        }
    }
}

crate::state! {
    impl TokenBucket, |it, now| {
        /// Level of the bucket.
        "fill", "bit", is it.bucket.bits(now);
        /// Level of the peak bucket.
        "peak-fill", "bit", maybe it.peak.as_ref().map(|peak| peak.bits(now));
    }
}

impl Meter for TokenBucket {
    #[inline]
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        let colour = self.mode.admits(packet.precedence);
        let size = packet.bytes();
        let below_peak = self.peak.as_ref().is_none_or(|peak| peak.holds(now, size));
        self.bucket.settle(now);
        if colour < self.exceed && below_peak && self.bucket.take(size) {
            if let Some(peak) = &mut self.peak {
                peak.spend(now, size);
            }
            colour
        } else {
            colour.max(self.exceed)
        }
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        self.bucket.change(now, it.rate, it.burst);
        Bucket::change_optional(&mut self.peak, now, it.peak(), it.start);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, colours, site};
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;

    fn token_bucket(more: &[&str]) -> TokenBucket {
        TokenBucket::new(&read(&[&["rate = 8 kbit/s", "burst = 1000 bytes"], more].concat()).expect("sound"), &site())
    }

    #[test]
    fn packets_conform_while_tokens_last() {
        // One byte per millisecond: 200 left after two packets, 399 at 199 ms, 400 at 200 ms.
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
        let mut meter = TokenBucket::new(&read(&["rate = 1 Mbit/s", "burst = 20 kB"]).expect("sound"), &site());
        let conforming = (0..).take_while(|k| meter.colour(Time::from_ps(k * 80_000_000), &packet(100, 0)) == 0).count();
        assert_eq!(conforming, 222);
    }

    #[test]
    fn a_peak_rate_spreads_a_burst() {
        // b holds 1000 bytes at 1 byte/ms, M 500 bytes at 2 bytes/ms. After the first packet M holds 100: 400 again at 150 ms (b then holds
        // 750, and 350 after the packet), and at 350 ms (b: 550, and 150 after it). At 550 ms M holds enough for 400 but b has 350. A
        // packet that b refuses takes nothing from M.
        let peak = ["peak-rate = 16 kbit/s", "peak-burst = 500 bytes"];
        let packets = [(0, 400, 0), (0, 400, 0), (149, 400, 0), (150, 400, 0), (350, 400, 0), (550, 400, 0), (550, 350, 0)];
        assert_eq!(colours(&mut token_bucket(&peak), &packets), [0, 1, 1, 0, 0, 1, 0]);
        // With a peak rate, an MTU conforms at once, but nothing larger; without one, the whole burst does.
        let mtu = |more: &[&str]| TokenBucket::new(&read(&[&["rate = 8 kbit/s", "burst = 8 kB"], more].concat()).expect("sound"), &site());
        assert_eq!(colours(&mut mtu(&["peak-rate = 1 Mbit/s"]), &[(0, 1501, 0), (0, 1500, 0), (0, 40, 0)]), [1, 0, 1]);
        assert_eq!(colours(&mut mtu(&[]), &[(0, 1501, 0), (0, 1500, 0), (0, 40, 0)]), [0, 0, 0]);
    }

    #[test]
    fn a_peak_rate_below_the_rate_is_refused() {
        let mistakes = |more: &str| read::<Parameters>(&["rate = 8 kbit/s", "burst = 1 kB", more]).expect_err("a mistake");
        assert_eq!(mistakes("peak-rate = 7 kbit/s"), ["peak-rate: is below rate; at least as much"]);
        assert_eq!(mistakes("peak-burst = 1500 bytes"), ["peak-burst: has no effect without peak-rate; leave it out"]);
    }

    #[test]
    fn colours_are_kept_where_the_meter_is_aware() {
        let aware = ["exceed-precedence = 2", "mode = colour-aware"];
        // A packet that arrives with precedence 2 or worse takes no tokens; a conforming packet keeps its precedence.
        let packets = [(0, 900, 2), (0, 900, 3), (0, 600, 1), (0, 600, 1), (0, 400, 0), (0, 1, 0)];
        assert_eq!(colours(&mut token_bucket(&aware), &packets), [2, 3, 1, 2, 0, 2]);
        assert_eq!(token_bucket(&[]).colour(at(0), &packet(100, 3)), 0);
        assert_eq!(read::<Parameters>(&["rate = 8 kbit/s", "burst = 1 kB", "exceed-precedence = 0"]).expect_err("a mistake").len(), 1);
    }
}
