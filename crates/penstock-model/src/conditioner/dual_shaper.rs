//! A shaper with a peak rate.

use super::Shaper;
use crate::meter::bucket::{Bucket, Start};
use crate::parameters::{own, Check};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Dual token-bucket shaper: a sustained rate with a burst, and a peak rate within the burst, as cable networks limit a subscriber.
    ///
    /// ## Decides
    /// Two buckets fill: one at `rate` (r) up to `burst` (b), one at `peak` (p) up to `peak-burst` (M). A packet begins its
    /// transmission when the wire is free and both hold its size, and takes that many tokens from both. At most
    /// $min(M + p t, b + r t)$ begins in any time t: traffic that was idle begins at the peak rate and falls to the sustained rate
    /// once the burst is used. The shaper keeps the order and drops nothing; the queue in front of the link is its buffer.
    ///
    /// ## State
    /// The exact number of tokens of both buckets, and the times of the last counts. Constant cost per packet; departures of a single
    /// queue stay known on arrival.
    ///
    /// ## Departures
    /// - A packet larger than `peak-burst` waits until that bucket is full, and empties it; otherwise it would wait forever.
    /// - A modem of a cable network asks for its transmissions upstream and gets them in turns; this delay is not part of the shaper.
    ///
    /// ## Example
    /// ```toml
    /// shaper.dual-token-bucket = { rate = "150 kbit/s", burst = "15 kB", peak = "300 kbit/s" }
    /// ```
    ///
    /// ## References
    /// RFC 2215 s3.6 (TOKEN_BUCKET_TSPEC with its peak rate). DOCSIS MULPI limits service flows in this way, with a maximum sustained
    /// traffic rate, a maximum traffic burst and a peak traffic rate; tc-tbf(8) calls the last one `peakrate`.
    pub struct Parameters {
        /// Long-run rate of the output (r); at most the link's.
        rate: Rate, changeable;
        /// Depth of the bucket of the long-run rate (b); at least the largest packet.
        burst: Bytes, changeable;
        /// Rate within the burst (p).
        peak: Rate, changeable;
        /// Depth of the bucket of the peak rate (M); by default that of an Ethernet frame with a VLAN tag, as in DOCSIS.
        peak_burst: Bytes = "1522 bytes", changeable;
        /// Tokens in the buckets at the beginning.
        start: Start = "full";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.peak <= self.rate {
            mistake("peak", format!("{} is not above the rate, {}; write a higher one, or shaper.token-bucket", self.peak, self.rate));
        }
        if self.peak_burst > self.burst {
            mistake("peak-burst", format!("{} are more than the burst, {}; at most the burst", self.peak_burst, self.burst));
        }
    }
}

/// State of a shaper.
#[derive(Clone, Debug)]
pub struct DualTokenBucketShaper {
    sustained: Bucket,
    peak: Bucket,
}

impl DualTokenBucketShaper {
    /// A shaper with these parameters.
    pub fn new(parameters: &Parameters, _site: &Site) -> DualTokenBucketShaper {
        let &Parameters { rate, burst, peak, peak_burst, start } = parameters;
        DualTokenBucketShaper { sustained: Bucket::new(rate, burst, start), peak: Bucket::new(peak, peak_burst, start) }
    }
}

impl Shaper for DualTokenBucketShaper {
    #[inline]
    fn ready(&self, now: Time, size: Bytes) -> Time {
        self.sustained.ready(now, size).max(self.peak.ready(now, size))
    }

    #[inline]
    fn on_start(&mut self, now: Time, size: Bytes) {
        self.sustained.spend(now, size);
        self.peak.spend(now, size);
    }

    fn rate(&self) -> Option<Rate> {
        Some(self.sustained.rate())
    }

    fn burst(&self) -> Option<Bytes> {
        Some(self.sustained.depth())
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let &Parameters { rate, burst, peak, peak_burst, .. } = own(parameters);
        self.sustained.change(now, rate, burst);
        self.peak.change(now, peak, peak_burst);
    }
}

crate::state! {
    impl DualTokenBucketShaper, |it, now| {
        /// Tokens in the bucket of the long-run rate.
        "tokens", "bit", is it.sustained.bits(now);
        /// Tokens in the bucket of the peak rate.
        "peak-tokens", "bit", is it.peak.bits(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::units::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn the_peak_rate_holds_within_the_burst_and_the_rate_after_it() {
        // One byte per millisecond on average, four at the peak; packets of 100 bytes.
        let lines = ["rate = 8 kbit/s", "burst = 400 bytes", "peak = 32 kbit/s", "peak-burst = 100 bytes"];
        let mut it = DualTokenBucketShaper::new(&read(&lines).expect("sound"), &Site::trial());
        assert_eq!((it.rate(), it.burst()), (Some(Rate::from_bps(8_000)), Some(Bytes::new(400))));
        let mut starts = Vec::new();
        let mut now = at(0);
        for _ in 0..7 {
            now = it.ready(now, Bytes::new(100));
            it.on_start(now, Bytes::new(100));
            starts.push(now);
        }
        // Packets that begin within t ms have at most 100 + 4 t and 400 + t bytes. Both bounds are 500 bytes at 100 ms.
        assert_eq!(starts, [0, 25, 50, 75, 100, 200, 300].map(at));
    }

    #[test]
    fn a_packet_above_the_peak_burst_empties_it() {
        let lines = ["rate = 8 kbit/s", "burst = 400 bytes", "peak = 32 kbit/s", "peak-burst = 100 bytes"];
        let mut it = DualTokenBucketShaper::new(&read(&lines).expect("sound"), &Site::trial());
        assert_eq!(it.ready(at(0), Bytes::new(300)), at(0));
        it.on_start(at(0), Bytes::new(300));
        assert_eq!(it.ready(at(0), Bytes::new(40)), at(10));
    }

    #[test]
    fn a_peak_that_limits_nothing_is_refused() {
        let lines = ["rate = 8 kbit/s", "burst = 400 bytes", "peak = 8 kbit/s", "peak-burst = 500 bytes"];
        assert_eq!(
            read::<Parameters>(&lines).expect_err("mistakes"),
            [
                "peak: 8 kbit/s is not above the rate, 8 kbit/s; write a higher one, or shaper.token-bucket",
                "peak-burst: 500 bytes are more than the burst, 400 bytes; at most the burst"
            ]
        );
    }
}
