//! The two-rate three-colour marker with efficient handling of in-profile traffic.

use super::bucket::{Bucket, Start};
use super::{colour_of, Demotion, Meter, Mode};
use crate::packet::Packet;
use crate::parameters::{own, BytesOrZero, Check, RateOrZero};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Two-rate three-colour marker of RFC 4115: committed and excess traffic have independent buckets.
    ///
    /// ## Decides
    /// Bucket C fills at `committed-rate` (CIR) and bucket E at `excess-rate` (EIR). A packet of B bytes gets the first colour
    /// whose condition holds:
    ///
    /// | Colour | Condition | Arriving colour in mode `colour-aware` | Takes |
    /// |---|---|---|---|
    /// | green | C holds B | green | B from C |
    /// | yellow | E holds B | green or yellow | B from E |
    /// | red | otherwise | any | nothing |
    ///
    /// In mode `colour-aware`, packets that arrive yellow therefore take no green tokens. Under a lasting overload green
    /// traffic gets CIR and yellow traffic EIR. If CIR or EIR is zero, its bucket gives only its initial tokens; without an
    /// excess service, EIR is zero.
    ///
    /// ## State
    /// The tokens of two buckets (exact) and the time of their last update. Constant cost per packet.
    ///
    /// ## Departures
    /// A bucket that holds exactly B suffices, as in [RFC2697 s3], so that a burst of the whole depth conforms.
    ///
    /// ## Example
    /// ```toml
    /// marker.rfc-4115 = { committed-rate = "1 Mbit/s", committed-burst = "10 kB", excess-rate = "1 Mbit/s", excess-burst = "10 kB" }
    /// ```
    ///
    /// ## References
    /// [RFC4115 s3].
    pub struct Parameters {
        /// Rate of the green tokens (CIR).
        committed_rate: RateOrZero, changeable;
        /// Depth of bucket C (CBS).
        committed_burst: BytesOrZero, changeable;
        /// Rate of the yellow tokens (EIR).
        excess_rate: RateOrZero, changeable;
        /// Depth of bucket E (EBS).
        excess_burst: BytesOrZero, changeable;
        /// Whether the colour of an arriving packet matters.
        mode: Mode = "colour-blind";
        /// Initial level of the buckets.
        start: Start = "full";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let buckets = [("committed", self.committed_rate, self.committed_burst), ("excess", self.excess_rate, self.excess_burst)];
        for (name, rate, burst) in buckets {
            if rate.0 > Rate::ZERO && burst.0 == Bytes::default() {
                mistake(&format!("{name}-burst"), format!("must be above zero where {name}-rate is, or no packet would find tokens"));
            }
        }
    }
}

/// State of an RFC 4115 marker.
#[derive(Clone, Debug)]
pub struct Rfc4115 {
    committed: Bucket,
    excess: Bucket,
    mode: Mode,
}

impl Rfc4115 {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Rfc4115 {
        Rfc4115 {
            committed: Bucket::new(parameters.committed_rate.0, parameters.committed_burst.0, parameters.start),
            excess: Bucket::new(parameters.excess_rate.0, parameters.excess_burst.0, parameters.start),
            mode: parameters.mode,
        }
    }
}

crate::state! {
    impl Rfc4115, |it, now| {
        /// Level of the committed bucket.
        "committed-fill", "bit", is it.committed.bits(now);
        /// Level of the excess bucket.
        "excess-fill", "bit", is it.excess.bits(now);
    }
}

impl Meter for Rfc4115 {
    #[inline]
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        self.committed.settle(now);
        self.excess.settle(now);
        colour_of(&mut self.committed, Some(&mut self.excess), packet.bytes(), self.mode.admits(packet.precedence), Demotion::NextBucket)
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        self.committed.change(now, it.committed_rate.0, it.committed_burst.0);
        self.excess.change(now, it.excess_rate.0, it.excess_burst.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{colours, overload, site};
    use super::*;
    use crate::parameters::testing::read;

    fn marker(lines: &[&str]) -> Rfc4115 {
        Rfc4115::new(&read(lines).expect("sound"), &site())
    }

    const PLAN: [&str; 4] =
        ["committed-rate = 8 kbit/s", "committed-burst = 1000 bytes", "excess-rate = 16 kbit/s", "excess-burst = 500 bytes"];

    #[test]
    fn excess_traffic_leaves_committed_tokens_alone() {
        let packets = [(0, 600, 0), (0, 500, 0), (0, 400, 0), (0, 1, 0), (250, 500, 0), (250, 250, 0)];
        assert_eq!(colours(&mut marker(&PLAN), &packets), [0, 1, 0, 2, 1, 0]);
    }

    #[test]
    fn a_yellow_packet_tries_only_the_excess_bucket() {
        let aware = [&PLAN[..], &["mode = colour-aware"]].concat();
        let packets = [(0, 500, 1), (0, 500, 1), (0, 500, 2), (0, 1000, 0), (0, 1, 0)];
        assert_eq!(colours(&mut marker(&aware), &packets), [1, 2, 2, 0, 2]);
    }

    #[test]
    fn a_rate_of_zero_gives_its_burst_once() {
        // No excess service: packets beyond C are yellow while E lasts, and always red afterwards.
        let no_excess = [PLAN[0], PLAN[1], "excess-rate = 0 bit/s", PLAN[3]];
        let packets = [(0, 1000, 0), (0, 500, 0), (1000, 1000, 0), (1000, 1, 0), (9000, 1000, 0), (9000, 1, 0)];
        assert_eq!(colours(&mut marker(&no_excess), &packets), [0, 1, 0, 2, 0, 2]);
        // Without a bucket E either, no packet is ever yellow; without C, none is green.
        let green_only = [PLAN[0], PLAN[1], "excess-rate = 0 bit/s", "excess-burst = 0 bytes"];
        assert_eq!(colours(&mut marker(&green_only), &packets), [0, 2, 0, 2, 0, 2]);
        let yellow_only = ["committed-rate = 0 bit/s", "committed-burst = 0 bytes", PLAN[2], PLAN[3]];
        assert_eq!(colours(&mut marker(&yellow_only), &[(0, 500, 0), (0, 1, 0), (250, 500, 0)]), [1, 2, 1]);
    }

    #[test]
    fn a_rate_needs_a_bucket() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(
            mistakes(&[PLAN[0], "committed-burst = 0 bytes", PLAN[2], "excess-burst = 0 bytes"]),
            ["committed", "excess"]
                .map(|name| format!("{name}-burst: must be above zero where {name}-rate is, or no packet would find tokens"))
        );
    }

    #[test]
    fn overload_gets_both_rates() {
        let plan = ["committed-rate = 0.4 Mbit/s", "committed-burst = 10 kB", "excess-rate = 0.2 Mbit/s", "excess-burst = 5 kB"];
        // Green: 10 kB + 5000 kB. The first yellow packet comes at 128 ms, when C holds 400 bytes; until then E is full, so
        // yellow: 5 kB + 25 kB/s x 99.872 s = 2501.8 kB, in whole packets.
        assert_eq!(overload(&mut marker(&plan)), [10_020, 5003, 25_001 - 15_023]);
    }
}
