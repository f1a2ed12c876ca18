//! Excess-traffic marking of RFC 5670.

use super::bucket::{Bucket, Clock};
use super::bucket_integer::BucketInteger;
use super::depth::Depth;
use super::{MarkingRate, PcnMeter, PcnMeterParameters};
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::{Check, Count};
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
    /// With `mark-every` above 1, only one in N of the bytes in excess is marked: the bytes of packets in excess are summed, and
    /// a packet that brings the sum to N times its size is marked and subtracts N times its size. The other packets in excess
    /// keep their marks, and take what a marked packet takes.
    ///
    /// ## State
    /// The tokens, exact, and the sum of bytes. Constant cost per packet.
    ///
    /// ## Departures
    /// None for `size-independent` with `mark-every = 1`. Higher values are for three-state marking. Only the abstract of its
    /// document was at hand, so the rule for higher values is ours. `classic` is the bucket of the CL and SM drafts, the same as
    /// in `pre-emption`. `drained` marks all packets under a lasting overload of evenly spaced packets.
    ///
    /// ## Example
    /// ```toml
    /// pcn.excess = { rate = "64 Mbit/s", size = "5 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC5670 s2.3, A.2], [Charny07 s2], [Babiarz07].
    pub struct Parameters {
        /// Rate of the traffic that stays unmarked (PCN-excess-rate).
        rate: Rate;
        /// Size of the bucket (BS_etm).
        size: Depth;
        /// Packets that are in excess.
        metering: Metering = "size-independent";
        /// Marks one byte in N of those in excess (N).
        mark_every: Count = "1";
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

    fn marks_part_of_excess(&self) -> bool {
        self.mark_every.0 > 1
    }
}

impl Check for Parameters {}

/// State of excess-traffic marking.
#[derive(Clone, Debug)]
pub struct Excess<N> {
    clock: Clock,
    bucket: Bucket<N>,
    metering: Metering,
    mark_every: u64,
    /// Bytes in excess, minus the bytes that marked packets represent.
    excess: u64,
}

impl<N: BucketInteger> Excess<N> {
    /// A meter with these parameters; `None` if its levels do not fit.
    pub fn new(parameters: &Parameters, _: &Site) -> Option<Excess<N>> {
        let bucket = Bucket::with_debt(parameters.rate, parameters.size, parameters.start)?;
        let mark_every = u64::from(parameters.mark_every.0);
        Some(Excess { clock: Clock::default(), bucket, metering: parameters.metering, mark_every, excess: 0 })
    }

    /// New mark of a packet in excess that arrives with `mark`.
    #[inline(always)]
    fn excess_mark(&mut self, size: Bytes, mark: PcnMark) -> PcnMark {
        self.excess += size.get();
        match self.excess.checked_sub(self.mark_every * size.get()) {
            Some(rest) => {
                self.excess = rest;
                PcnMark::Excess
            }
            None => mark,
        }
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
                return if bucket.missing() == bucket.size() { self.excess_mark(size, mark) } else { mark };
            }
        };
        if excess {
            return self.excess_mark(size, mark);
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
        let lines: Vec<&str> = ["rate = 8 kbit/s", "size = 300 bytes"].into_iter().chain(more.split("; ")).collect();
        Excess::new(&read(&lines).expect("sound"), &site()).expect("fits")
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
    fn one_byte_in_n_of_the_excess_is_marked() {
        for (metering, every, expected) in [
            // All packets after the first three are in excess. Their sums: 100, 200, 300 (marked), and so on.
            ("size-independent", 1, [NO, NO, NO, YES, YES, YES, YES, YES, YES, YES]),
            ("size-independent", 3, [NO, NO, NO, NO, NO, YES, NO, NO, YES, NO]),
            ("classic", 3, [NO, NO, NO, NO, NO, YES, NO, NO, YES, NO]),
            // The third packet, which takes the last tokens, is also in excess.
            ("drained", 3, [NO, NO, NO, NO, YES, NO, NO, YES, NO, NO]),
        ] {
            let mut meter = meter(&format!("metering = {metering}; mark-every = {every}"));
            // One byte more, so that `size-independent` is in debt.
            let first = if metering == "size-independent" { 101 } else { 100 };
            let packets: Vec<(u64, u32)> = [first].into_iter().chain([100; 9]).map(|size| (0, size)).collect();
            assert_eq!(marks(&mut meter, &packets), expected, "{metering} {every}");
            // Packets in excess took no tokens, whether marked or not.
            assert_eq!(probed(&meter, 0), [("fill", if metering == "size-independent" { -8.0 } else { 0.0 })]);
        }
    }

    #[test]
    fn a_large_packet_stands_for_n_times_its_bytes() {
        let mut meter = meter("mark-every = 3");
        let one = |meter: &mut Excess<u64>, size| marks(meter, &[(0, size)])[0];
        assert_eq!(one(&mut meter, 301), NO);
        // Sums: 200, 210 (30 needed: 180 stay), 190 (160 stay), 360, 560 (600 needed), 660 (300 needed: 360 stay), 460.
        let sizes = [200, 10, 10, 200, 200, 100, 100];
        assert_eq!(sizes.map(|size| one(&mut meter, size)), [NO, YES, YES, NO, NO, YES, YES]);
    }

    #[test]
    fn what_is_not_picked_keeps_its_mark() {
        let mut meter = meter("mark-every = 2; start = empty");
        meter.on_packet(at(0), &with_mark(1, PcnMark::Unmarked));
        let both = [0, 0].map(|ms| meter.on_packet(at(ms), &with_mark(100, PcnMark::Threshold)));
        assert_eq!(both, [PcnMark::Threshold, YES]);
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
