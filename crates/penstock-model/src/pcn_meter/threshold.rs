//! Threshold marking of RFC 5670.

use super::bucket::{Bucket, Clock};
use super::bucket_integer::BucketInteger;
use super::depth::{check_below, Depth};
use super::{MarkingRate, PcnMeter, PcnMeterParameters};
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::Check;
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::hint::select_unpredictable;

crate::parameters! {
    /// Threshold marking: marks all packets while the load is above a configured rate, none below it.
    ///
    /// ## Decides
    /// A bucket fills at `rate` up to `size`. Every packet, marked or not, takes its tokens. If the bucket then holds less
    /// than `threshold`, the packet is threshold-marked; a packet that is excess-traffic-marked stays so.
    ///
    /// ## State
    /// The tokens, exact. Constant cost per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// pcn.threshold = { rate = "64 Mbit/s", size = "20 ms", threshold = "10 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC5670 s2.2, A.1].
    pub struct Parameters {
        /// Rate above which packets are marked (PCN-threshold-rate).
        rate: Rate;
        /// Size of the bucket (BS_thm).
        size: Depth;
        /// Fill below which packets are marked (TBthreshold.threshold).
        threshold: Depth;
        /// Initial level of the bucket.
        start: Start = "full";
    }
}

impl PcnMeterParameters for Parameters {
    fn mark(&self) -> PcnMark {
        PcnMark::Threshold
    }

    fn marking_rates(&self) -> Vec<MarkingRate> {
        vec![MarkingRate::admission("rate", self.rate)]
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_below(mistake, self.rate, ("threshold", self.threshold), ("size", self.size));
    }
}

/// State of threshold marking.
#[derive(Clone, Debug)]
pub struct Threshold<N> {
    clock: Clock,
    bucket: Bucket<N>,
    /// The bucket is below its threshold if more than this is missing.
    low: N,
}

impl<N: BucketInteger> Threshold<N> {
    /// A meter with these parameters; `None` if its levels do not fit.
    pub fn new(parameters: &Parameters, _: &Site) -> Option<Threshold<N>> {
        let bucket = Bucket::new(parameters.rate, parameters.size, parameters.start)?;
        Some(Threshold { clock: Clock::default(), low: bucket.missing_at(parameters.threshold), bucket })
    }
}

crate::state! {
    impl Threshold<N> where [N: BucketInteger], |it, now| {
        /// Level of the bucket.
        "fill", "bit", is it.bucket.bits_after(it.clock.elapsed(now));
    }
}

impl<N: BucketInteger> PcnMeter for Threshold<N> {
    #[inline(always)]
    fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        self.bucket.fill(self.clock.advance(now));
        self.bucket.take(self.bucket.grains(size));
        select_unpredictable(self.bucket.missing() > self.low, mark.max(PcnMark::Threshold), mark)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, marks, site};
    use super::*;
    use crate::packet::testing::with_mark;
    use crate::parameters::testing::read;

    #[test]
    fn packets_after_which_the_bucket_is_low_are_marked() {
        let lines = ["rate = 8 kbit/s", "size = 300 bytes", "threshold = 100 bytes"];
        let mut meter = Threshold::<u64>::new(&read(&lines).expect("sound"), &site()).expect("fits");
        let (no, yes) = (PcnMark::Unmarked, PcnMark::Threshold);
        // 200, 100 (not below), 99, 0 left; every packet takes tokens, marked or not. 101 and 100 after 200 ms.
        let packets = [(0, 100), (0, 100), (0, 1), (0, 200), (200, 99), (200, 1), (200, 1)];
        assert_eq!(marks(&mut meter, &packets), [no, no, yes, yes, no, no, yes]);
        assert_eq!(meter.on_packet(at(200_000), &with_mark(1, PcnMark::Excess)), PcnMark::Excess);
    }

    #[test]
    fn a_threshold_that_is_not_below_the_size_is_refused() {
        let lines = ["rate = 8 kbit/s", "size = 300 bytes", "threshold = 300 ms"];
        assert_eq!(read::<Parameters>(&lines).expect_err("a mistake"), ["threshold: 300 ms is not below size, 300 bytes"]);
        let missing = read::<Parameters>(&["rate = 8 kbit/s", "size = 300 bytes"]).expect_err("a mistake");
        assert_eq!(missing, ["threshold: is missing and has no default; write threshold = \"20 ms\""]);
    }
}
