//! The three-colour marker with a peak and a committed rate.

use super::bucket::{Bucket, Start};
use super::{Meter, Mode};
use crate::packet::Packet;
use crate::parameters::{own, Check, RateOrZero};
use crate::site::Site;
use crate::units::{Bytes, Time};
use std::any::Any;

crate::parameters! {
    /// Two-rate Three Colour Marker (trTCM) of RFC 2698: red above a peak rate, yellow between the committed rate and the peak.
    ///
    /// ## Decides
    /// Bucket P fills at `peak-rate` (PIR) and bucket C at `committed-rate` (CIR). A packet of B bytes gets the first colour
    /// whose condition holds:
    ///
    /// | Colour | Condition | In mode `colour-aware` also if the packet arrives | Takes |
    /// |---|---|---|---|
    /// | red | P does not hold B | red | nothing |
    /// | yellow | C does not hold B | yellow | B from P |
    /// | green | otherwise | - | B from both |
    ///
    /// Under a lasting overload green traffic gets CIR and yellow traffic PIR - CIR.
    ///
    /// ## State
    /// The tokens of two buckets (exact) and the time of their last update. Constant cost per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// marker.two-rate-tcm = { committed-rate = "1 Mbit/s", committed-burst = "10 kB", peak-rate = "2 Mbit/s", peak-burst = "10 kB" }
    /// ```
    ///
    /// ## References
    /// [RFC2698 s3].
    pub struct Parameters {
        /// Committed information rate (CIR).
        committed_rate: RateOrZero, changeable;
        /// Committed burst size (CBS).
        committed_burst: Bytes, changeable;
        /// Peak information rate (PIR), at least CIR.
        peak_rate: RateOrZero, changeable;
        /// Peak burst size (PBS).
        peak_burst: Bytes, changeable;
        /// Whether the colour of an arriving packet matters.
        mode: Mode = "colour-blind";
        /// Initial level of the buckets; default of the RFC.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.peak_rate < self.committed_rate {
            mistake("peak-rate", "is below committed-rate; at least as much".to_owned());
        }
    }
}

/// State of a trTCM.
#[derive(Clone, Debug)]
pub struct TwoRateTcm {
    committed: Bucket,
    peak: Bucket,
    mode: Mode,
}

impl TwoRateTcm {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> TwoRateTcm {
        TwoRateTcm {
            committed: Bucket::new(parameters.committed_rate.0, parameters.committed_burst, parameters.start),
            peak: Bucket::new(parameters.peak_rate.0, parameters.peak_burst, parameters.start),
            mode: parameters.mode,
        }
    }
}

crate::state! {
    impl TwoRateTcm, |it, now| {
        /// Level of the committed bucket.
        "committed-fill", "bit", is it.committed.bits(now);
        /// Level of the peak bucket.
        "peak-fill", "bit", is it.peak.bits(now);
    }
}

impl Meter for TwoRateTcm {
    #[inline]
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        let colour = self.mode.admits(packet.precedence);
        self.peak.settle(now);
        self.committed.settle(now);
        if colour >= 2 || !self.peak.take(packet.bytes()) {
            colour.max(2)
        } else if colour == 1 || !self.committed.take(packet.bytes()) {
            1
        } else {
            0
        }
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        self.committed.change(now, it.committed_rate.0, it.committed_burst);
        self.peak.change(now, it.peak_rate.0, it.peak_burst);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{colours, overload, site};
    use super::*;
    use crate::parameters::testing::read;

    const PLAN: [&str; 4] =
        ["committed-rate = 8 kbit/s", "committed-burst = 1000 bytes", "peak-rate = 16 kbit/s", "peak-burst = 1500 bytes"];

    fn marker(lines: &[&str]) -> TwoRateTcm {
        TwoRateTcm::new(&read(lines).expect("sound"), &site())
    }

    #[test]
    fn green_takes_from_both_buckets_and_yellow_from_the_peak() {
        // P, C: 1500, 1000 -> 900, 400 -> 300, 400 (yellow) -> red takes nothing -> 0, 100. At 100 ms: 200, 200.
        let packets = [(0, 600, 0), (0, 600, 0), (0, 301, 0), (0, 300, 0), (100, 201, 0), (100, 200, 0)];
        assert_eq!(colours(&mut marker(&PLAN), &packets), [0, 1, 2, 0, 2, 0]);
    }

    #[test]
    fn aware_packets_are_not_promoted() {
        let aware = [&PLAN[..], &["mode = colour-aware"]].concat();
        // Red takes nothing; yellow takes from P only: 1500 -> 900, and C keeps its 1000 for 900 of green.
        let packets = [(0, 1500, 2), (0, 600, 1), (0, 901, 1), (0, 900, 0), (0, 1, 0)];
        assert_eq!(colours(&mut marker(&aware), &packets), [2, 1, 2, 0, 2]);
    }

    #[test]
    fn overload_gets_the_committed_rate_green_and_the_rest_of_the_peak_yellow() {
        let plan = ["committed-rate = 0.4 Mbit/s", "committed-burst = 5 kB", "peak-rate = 0.6 Mbit/s", "peak-burst = 5 kB"];
        // 100 s: 5000 kB + 5 kB green; 7500 kB + 5 kB in all.
        let [green, yellow, red] = overload(&mut marker(&plan));
        assert_eq!((green, yellow, red), (10_010, 5000, 25_001 - 15_010));
    }

    #[test]
    fn without_a_committed_rate_green_is_a_burst_alone() {
        let lines = ["committed-rate = 0 bit/s", PLAN[1], PLAN[2], PLAN[3]];
        // At 0: P 1500 and C 1000. At 1 s P is full again, and C is unchanged.
        let packets = [(0, 600, 0), (0, 900, 0), (1000, 600, 0), (1000, 400, 0), (9000, 400, 0), (9000, 1, 0)];
        assert_eq!(colours(&mut marker(&lines), &packets), [0, 1, 1, 0, 1, 1]);
        // Bursts are above zero [RFC2698 s2].
        for zero in [
            ["committed-rate = 0 bit/s", "committed-burst = 0 bytes", PLAN[2], PLAN[3]],
            [PLAN[0], PLAN[1], PLAN[2], "peak-burst = 0 bytes"],
        ] {
            assert_eq!(read::<Parameters>(&zero).expect_err("a mistake").len(), 1);
        }
    }

    #[test]
    fn a_peak_below_the_committed_rate_is_refused() {
        let lines = [PLAN[0], PLAN[1], "peak-rate = 7 kbit/s", PLAN[3]];
        assert_eq!(read::<Parameters>(&lines).expect_err("a mistake"), ["peak-rate: is below committed-rate; at least as much"]);
    }
}
