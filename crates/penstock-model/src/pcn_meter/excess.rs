//! Excess-traffic marking of RFC 5670.

use super::bucket::{Bucket, Clock};
use super::bucket_integer::BucketInteger;
use super::depth::Depth;
use super::{MarkingRate, PcnMeter, PcnMeterParameters};
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::Check;
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Excess-traffic marking: marks the traffic in excess of a rate.
    ///
    /// ## Decides
    /// A bucket fills at `rate` up to `size`. A packet that arrives excess-traffic-marked is not metered. Any other packet is
    /// judged by `metering`:
    ///
    /// | `metering` | Packet is marked if | A marked packet takes | An unmarked packet takes |
    /// |---|---|---|---|
    /// | `size-independent` | the bucket is in debt | no tokens | its tokens, going into debt if needed |
    /// | `classic` | the bucket holds fewer tokens than the packet needs | no tokens | its tokens |
    /// | `drained` | the bucket is empty after the packet | all tokens left | its tokens |
    ///
    /// With `size-independent`, the probability of a mark does not depend on the packet size. With it and with `classic`, the
    /// marked share of a constant load is $max(0, 1 - rate / load)$.
    ///
    /// ## State
    /// The tokens, exact. Constant cost per packet.
    ///
    /// ## Departures
    /// None for `size-independent`. `classic` is the bucket of the CL and SM drafts, the same as in `pre-emption`. `drained`
    /// marks all packets under a lasting overload of evenly spaced packets.
    ///
    /// ## Example
    /// ```toml
    /// pcn.excess = { rate = "64 Mbit/s", size = "5 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC5670 s2.3, A.2], [Charny07 s2].
    pub struct Parameters {
        /// Rate of the traffic that stays unmarked (PCN-excess-rate).
        rate: Rate;
        /// Size of the bucket (BS_etm).
        size: Depth;
        /// Packets that are in excess.
        metering: Metering = "size-independent";
        /// Initial level of the bucket.
        start: Start = "full";
    }
}

crate::choice! {
    /// How an excess meter judges a packet.
    pub enum Metering {
        /// Marks if the bucket is in debt; the debt is at most one packet.
        "size-independent" => SizeIndependent,
        /// Marks if the bucket holds fewer tokens than the packet needs.
        "classic" => Classic,
        /// Takes up to all tokens; marks if none is left.
        "drained" => Drained,
    }
}
impl PcnMeterParameters for Parameters {
    fn mark(&self) -> PcnMark {
        PcnMark::Excess
    }

    fn marking_rates(&self) -> Vec<MarkingRate> {
        vec![MarkingRate::termination("rate", self.rate)]
    }
}

impl Check for Parameters {}

/// State of excess-traffic marking.
#[derive(Clone, Debug)]
pub struct Excess<N> {
    clock: Clock,
    bucket: Bucket<N>,
    metering: Metering,
}

impl<N: BucketInteger> Excess<N> {
    /// A meter with these parameters; `None` if its levels do not fit.
    pub fn new(parameters: &Parameters, _: &Site) -> Option<Excess<N>> {
        let bucket = Bucket::with_debt(parameters.rate, parameters.size, parameters.start)?;
        Some(Excess { clock: Clock::default(), bucket, metering: parameters.metering })
    }
}

crate::state! {
    impl Excess<N> where [N: BucketInteger], |it, now| {
        /// Level of the bucket.
        "fill", "bit", is it.bucket.bits_after(it.clock.elapsed(now));
    }
}

impl<N: BucketInteger> PcnMeter for Excess<N> {
    #[inline(always)]
    fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        // [RFC5670 s2.3]: excess-traffic-marked packets are not metered again.
        if mark == PcnMark::Excess {
            return mark;
        }
        let bucket = &mut self.bucket;
        bucket.fill(self.clock.advance(now));
        let needed = bucket.grains(size);
        let excess = match self.metering {
            Metering::SizeIndependent => bucket.missing() > bucket.size(),
            Metering::Classic => bucket.missing().plus(needed) > bucket.size(),
            Metering::Drained => {
                bucket.take(needed);
                return if bucket.missing() == bucket.size() { PcnMark::Excess } else { mark };
            }
        };
        if excess {
            return PcnMark::Excess;
        }
        bucket.take_with_debt(needed);
        mark
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, marks, probed, site};
    use super::*;
    use crate::packet::testing::with_mark;
    use crate::parameters::testing::read;

    const NO: PcnMark = PcnMark::Unmarked;
    const YES: PcnMark = PcnMark::Excess;

    fn meter(more: &str) -> Excess<u64> {
        Excess::new(&read(&["rate = 8 kbit/s", "size = 300 bytes", more]).expect("sound"), &site()).expect("fits")
    }

    #[test]
    fn size_independent_marks_while_in_debt() {
        let mut meter = meter("metering = size-independent");
        // 300, 100, 0 (no debt), -1; 1 ms later 0 again.
        assert_eq!(marks(&mut meter, &[(0, 200), (0, 100), (0, 1), (0, 1), (0, 1500), (1, 1)]), [NO, NO, NO, YES, YES, NO]);
        assert_eq!(probed(&meter, 1000), [("fill", -8.0)]);
    }

    #[test]
    fn classic_marks_what_finds_too_few() {
        assert_eq!(marks(&mut meter("metering = classic"), &[(0, 200), (0, 101), (0, 100), (0, 1)]), [NO, YES, NO, YES]);
    }

    #[test]
    fn drained_marks_when_nothing_is_left() {
        assert_eq!(marks(&mut meter("metering = drained"), &[(0, 200), (0, 99), (0, 1), (0, 1), (2, 1)]), [NO, NO, YES, YES, NO]);
    }

    #[test]
    fn what_is_excess_already_is_not_metered() {
        for metering in ["metering = size-independent", "metering = classic", "metering = drained"] {
            let mut meter = meter(metering);
            assert_eq!(meter.on_packet(at(0), &with_mark(250, PcnMark::Excess)), YES);
            assert_eq!(probed(&meter, 0), [("fill", 2400.0)]);
            assert_eq!(meter.on_packet(at(0), &with_mark(100, PcnMark::Threshold)), PcnMark::Threshold);
            assert_eq!(probed(&meter, 0), [("fill", 1600.0)]);
        }
    }
}
