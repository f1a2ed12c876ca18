//! Fractional marking combined with threshold marking.

use super::bucket::{Bucket, Clock};
use super::bucket_integer::BucketInteger;
use super::depth::{check_below, check_rates, Depth};
use super::{MarkingRate, PcnMeter, PcnMeterParameters};
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::{Check, Count};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Fractional marking: 1/N of the bytes above the admissible rate, all above the supportable rate.
    ///
    /// ## Decides
    /// Each packet is judged by the levels of two buckets and then takes its tokens from both:
    /// - The fractional bucket (FrTB) fills at `admissible-rate`. While its level is below its threshold, a byte counter
    ///   selects 1/N of the bytes: a packet that finds the counter below zero is marked and adds N times its size to the
    ///   counter, and every packet subtracts its size.
    /// - The threshold bucket (ThTB) fills at `supportable-rate`. While its level is below its threshold, every packet is
    ///   marked.
    ///
    /// The marked share is 0 below the admissible rate, 1/N up to the supportable rate, and 1 above.
    ///
    /// ## State
    /// The tokens of two buckets, exact, and the byte counter. Constant cost per packet.
    ///
    /// ## Departures
    /// None. The document gives no sizes, thresholds or initial value of the counter. The default sizes and thresholds are the
    /// ones of the document's main marker (`single-threshold`). The counter starts at 0, so the first packet is not marked.
    ///
    /// ## Example
    /// ```toml
    /// pcn.fractional = { admissible-rate = "64 Mbit/s", supportable-rate = "115.2 Mbit/s" }
    /// ```
    ///
    /// ## References
    /// [Satoh10 appendix E].
    pub struct Parameters {
        /// Rate of the fractional bucket (AR, FrTB.rate).
        admissible_rate: Rate;
        /// Rate of the threshold bucket (SR, ThTB.rate).
        supportable_rate: Rate;
        /// Size of the fractional bucket (FrTB.size).
        fractional_size: Depth = "20 ms";
        /// Fill below which 1/N is marked (FrTB.threshold).
        fractional_threshold: Depth = "10 ms";
        /// Size of the threshold bucket (ThTB.size).
        marking_size: Depth = "10 ms";
        /// Fill below which every packet is marked (ThTB.threshold).
        marking_threshold: Depth = "8 ms";
        /// Marks one byte in N between the two rates (N).
        mark_every: Count = "3";
        /// Initial level of the buckets.
        start: Start = "full";
    }
}

impl PcnMeterParameters for Parameters {
    fn mark(&self) -> PcnMark {
        PcnMark::Threshold
    }

    fn marking_rates(&self) -> Vec<MarkingRate> {
        vec![
            MarkingRate::admission("admissible-rate", self.admissible_rate),
            MarkingRate::termination("supportable-rate", self.supportable_rate),
        ]
    }

    fn highest_level(&self) -> Option<f64> {
        Some(1.0 / f64::from(self.mark_every.0))
    }

    fn marks_runs_above_supportable(&self) -> bool {
        true
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_rates(mistake, self.admissible_rate, self.supportable_rate);
        let fractional = ("fractional-threshold", self.fractional_threshold);
        check_below(mistake, self.admissible_rate, fractional, ("fractional-size", self.fractional_size));
        let marking = ("marking-threshold", self.marking_threshold);
        check_below(mistake, self.supportable_rate, marking, ("marking-size", self.marking_size));
    }
}

/// State of fractional marking.
#[derive(Clone, Debug)]
pub struct Fractional<N> {
    clock: Clock,
    fractional: Bucket<N>,
    /// The fractional bucket is below its threshold if more than this is missing.
    fractional_low: N,
    marking: Bucket<N>,
    /// The threshold bucket is below its threshold if more than this is missing.
    marking_low: N,
    mark_every: i64,
    /// Byte counter (Cnt): the next packet is marked if it is below zero.
    counter: i64,
}

impl<N: BucketInteger> Fractional<N> {
    /// A meter with these parameters; `None` if its levels do not fit.
    pub fn new(parameters: &Parameters, _: &Site) -> Option<Fractional<N>> {
        let fractional = Bucket::new(parameters.admissible_rate, parameters.fractional_size, parameters.start)?;
        let marking = Bucket::new(parameters.supportable_rate, parameters.marking_size, parameters.start)?;
        Some(Fractional {
            clock: Clock::default(),
            fractional_low: fractional.missing_at(parameters.fractional_threshold),
            fractional,
            marking_low: marking.missing_at(parameters.marking_threshold),
            marking,
            mark_every: i64::from(parameters.mark_every.0),
            counter: 0,
        })
    }
}

crate::state! {
    impl Fractional<N> where [N: BucketInteger], |it, now| {
        /// Level of the fractional bucket.
        "fractional-fill", "bit", is it.fractional.bits_after(it.clock.elapsed(now));
        /// Level of the threshold bucket.
        "marking-fill", "bit", is it.marking.bits_after(it.clock.elapsed(now));
        /// Byte counter.
        "counter", "bytes", is it.counter as f64;
    }
}

impl<N: BucketInteger> PcnMeter for Fractional<N> {
    #[inline(always)]
    fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        let elapsed = self.clock.advance(now);
        self.fractional.fill(elapsed);
        self.marking.fill(elapsed);
        let mut marked = self.marking.missing() > self.marking_low;
        if self.fractional.missing() > self.fractional_low {
            let bytes = size.get() as i64;
            if self.counter < 0 {
                marked = true;
                self.counter += self.mark_every * bytes;
            }
            self.counter -= bytes;
        }
        self.fractional.take(self.fractional.grains(size));
        self.marking.take(self.marking.grains(size));
        if marked {
            mark.max(PcnMark::Threshold)
        } else {
            mark
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{marks, probed, site};
    use super::*;
    use crate::parameters::testing::read;

    const SMALL: [&str; 6] = [
        "admissible-rate = 8 kbit/s",
        "supportable-rate = 16 kbit/s",
        "fractional-size = 1000 bytes",
        "fractional-threshold = 800 bytes",
        "marking-size = 1000 bytes",
        "marking-threshold = 200 bytes",
    ];

    fn pattern(meter: &mut Fractional<u64>, packets: &[(u64, u32)]) -> String {
        marks(meter, packets).into_iter().map(|mark| if mark == PcnMark::Threshold { '#' } else { '-' }).collect()
    }

    #[test]
    fn a_byte_counter_picks_a_share_and_the_low_bucket_everything() {
        let mut meter = Fractional::new(&read(&SMALL).expect("sound"), &site()).expect("fits");
        // Packets find 1000, 900, ... bytes. From 700 on the counter runs: 0 -> -100; below 0: marked, +300 -100 -> 100; 0; -100; marked,
        // 100; 0 (200 found: not below). From 100 on all packets are marked; the counter goes to -100.
        assert_eq!(pattern(&mut meter, &[(0, 100); 10]), "----#--#-#");
        assert_eq!(probed(&meter, 0), [("fractional-fill", 0.0), ("marking-fill", 0.0), ("counter", -100.0)]);
        assert_eq!(pattern(&mut meter, &[(0, 100)]), "#");
        // 200 ms later the second bucket holds 400 and the first 200.
        assert_eq!(pattern(&mut meter, &[(200, 100), (200, 100), (200, 100), (200, 100)]), "--##");
    }

    #[test]
    fn bytes_are_picked_not_packets() {
        let mut meter = Fractional::new(&read(&[&SMALL[..], &["start = empty"]].concat()).expect("sound"), &site()).expect("fits");
        // At 500 ms: 500 and 1000 bytes. A large marked packet pays for three times its size.
        let packets = [(500, 10), (500, 300), (500, 100), (500, 100), (500, 100), (500, 100)];
        // 0, -10 marked: +900 - 300 = 590; 490, 390, 290, 190 before each of the others.
        assert_eq!(pattern(&mut meter, &packets), "-#----");
        assert_eq!(probed(&meter, 500_000)[2], ("counter", 190.0));
    }

    #[test]
    fn thresholds_out_of_order_are_refused() {
        let lines = ["admissible-rate = 2 Mbit/s", "supportable-rate = 1 Mbit/s", "fractional-size = 10 ms", "marking-size = 8 ms"];
        assert_eq!(
            read::<Parameters>(&lines).expect_err("mistakes"),
            [
                "admissible-rate: 2 Mbit/s is above supportable-rate, 1 Mbit/s",
                "fractional-threshold: 10 ms is not below fractional-size, 10 ms",
                "marking-threshold: 8 ms is not below marking-size, 8 ms",
            ]
        );
    }
}
