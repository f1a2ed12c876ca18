//! CL's termination marking.

use super::bucket::{Bucket, Clock};
use super::bucket_integer::BucketInteger;
use super::depth::Depth;
use super::{meter_each, MarkingRate, Metered, PcnMeter, PcnMeterParameters};
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::Check;
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::hint::select_unpredictable;

crate::parameters! {
    /// Pre-emption marking: marks the traffic in excess of the supportable rate; the unmarked rest can be supported.
    ///
    /// ## Decides
    /// A bucket fills at `supportable-rate` up to `size`. A packet that arrives marked for pre-emption is not metered. Any
    /// other packet is marked and takes no tokens if it finds fewer tokens than its size; otherwise it takes its tokens. Under
    /// a lasting overload the unmarked traffic has the supportable rate.
    ///
    /// ## State
    /// The tokens, exact. Constant cost per packet.
    ///
    /// ## Departures
    /// None. Large packets are marked more often than small ones; `excess` with `size-independent` marks all sizes equally
    /// often. Other documents give the depth in packets; here it is in bytes or a time.
    ///
    /// ## Example
    /// ```toml
    /// pcn.pre-emption = { supportable-rate = "128 Mbit/s" }
    /// ```
    ///
    /// ## References
    /// [Briscoe06 pre-emption marking], [Satoh10 s10.5].
    pub struct Parameters {
        /// Rate of the traffic that stays unmarked (SR).
        supportable_rate: Rate;
        /// Size of the bucket; default of [Satoh10 s10.5].
        size: Depth = "5 ms";
        /// Initial level of the bucket.
        start: Start = "full";
    }
}
impl PcnMeterParameters for Parameters {
    fn mark(&self) -> PcnMark {
        PcnMark::Excess
    }

    fn marking_rates(&self) -> Vec<MarkingRate> {
        vec![MarkingRate::termination("supportable-rate", self.supportable_rate)]
    }

    fn marks_only_above_supportable(&self) -> bool {
        true
    }
}

impl Check for Parameters {}

/// State of pre-emption marking.
#[derive(Clone, Debug)]
pub struct PreEmption<N> {
    clock: Clock,
    bucket: Bucket<N>,
}

impl<N: BucketInteger> PreEmption<N> {
    /// A meter with these parameters; `None` if its levels do not fit.
    pub fn new(parameters: &Parameters, _: &Site) -> Option<PreEmption<N>> {
        let bucket = Bucket::new(parameters.supportable_rate, parameters.size, parameters.start)?;
        Some(PreEmption { clock: Clock::default(), bucket })
    }
}

crate::state! {
    impl PreEmption<N> where [N: BucketInteger], |it, now| {
        /// Level of the bucket.
        "fill", "bit", is it.bucket.bits_after(it.clock.elapsed(now));
    }
}

impl<N: BucketInteger> PcnMeter for PreEmption<N> {
    #[inline(always)]
    fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        if mark == PcnMark::Excess {
            return mark;
        }
        self.bucket.fill(self.clock.advance(now));
        let needed = self.bucket.grains(size);
        if self.bucket.missing().plus(needed) > self.bucket.size() {
            return PcnMark::Excess;
        }
        self.bucket.take_with_debt(needed);
        mark
    }

    #[inline(never)]
    fn meter_alike<P: Metered>(&mut self, packets: &mut [P], size: Bytes) -> u64 {
        let (Some(first), Some(end)) = (packets.first().map(P::at), packets.last().map(P::at)) else { return 0 };
        let running = self.bucket.run(self.clock, end, size).filter(|_| self.clock.is_before(first));
        let Some(mut bucket) = running else { return meter_each(self, packets).0 };
        let mut marked = 0;
        for packet in packets {
            let at = packet.at();
            let mark = packet.mark();
            // Without branches, which would often be mispredicted.
            let asks = *mark != PcnMark::Excess;
            let is_marked = !bucket.take_if_enough(at, asks) & asks;
            *mark = select_unpredictable(is_marked, PcnMark::Excess, *mark);
            marked += u64::from(is_marked);
        }
        self.clock = Clock::at(end);
        self.bucket.end_run(bucket, end);
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, batches, marks, probed, same_together, site};
    use super::*;
    use crate::packet::testing::with_mark;
    use crate::parameters::testing::read;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn packets_of_one_size_are_marked_as_one_by_one(batches in batches(), start in prop::sample::select(vec!["full", "empty"])) {
            let start = format!("start = {start}");
            let parameters: Parameters = read(&["supportable-rate = 8 kbit/s", "size = 300 bytes", &start]).expect("sound");
            same_together(|| PreEmption::<u64>::new(&parameters, &site()).expect("fits"), batches)?;
        }
    }

    #[test]
    fn what_finds_too_few_tokens_is_marked_and_takes_none() {
        let mut meter =
            PreEmption::<u64>::new(&read(&["supportable-rate = 8 kbit/s", "size = 300 bytes"]).expect("sound"), &site()).expect("fits");
        let (no, yes) = (PcnMark::Unmarked, PcnMark::Excess);
        // 300, 200, 50 left; 100 do not fit, 50 do; 99 ms later 99 are left.
        let packets = [(0, 100), (0, 150), (0, 100), (0, 50), (0, 1), (99, 100), (100, 100)];
        assert_eq!(marks(&mut meter, &packets), [no, no, yes, no, yes, yes, no]);
        // A packet marked for pre-emption is not metered; a threshold-marked one is metered and keeps its mark.
        assert_eq!(meter.on_packet(at(150_000), &with_mark(50, PcnMark::Excess)), yes);
        assert_eq!(probed(&meter, 150_000), [("fill", 400.0)]);
        assert_eq!(meter.on_packet(at(150_000), &with_mark(50, PcnMark::Threshold)), PcnMark::Threshold);
        assert_eq!(probed(&meter, 150_000), [("fill", 0.0)]);
    }
}
