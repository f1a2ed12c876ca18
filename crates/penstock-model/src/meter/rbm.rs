//! The rate-based marker.

use super::bucket::{Bucket, Start};
use super::{colour_of, demotion_mistake, Demotion, Meter, Mode};
use crate::packet::Packet;
use crate::parameters::{own, Check, RateOrZero};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Rate-Based Marker: one token bucket for green and an independent one for yellow.
    ///
    /// ## Decides
    /// Bucket 0 fills at `committed-rate` (TGR0) and bucket 1 at `excess-rate` (TGR1), each up to its own size. A packet of B
    /// bytes gets the first colour whose condition holds:
    ///
    /// | Colour | Condition | Arriving colour in mode `colour-aware` | Takes |
    /// |---|---|---|---|
    /// | green | bucket 0 holds B | green | B from bucket 0 |
    /// | yellow | bucket 1 holds B | green or yellow | B from bucket 1 |
    /// | red | otherwise | any | nothing |
    ///
    /// Under a lasting overload green traffic gets TGR0 and yellow traffic TGR1.
    ///
    /// ## State
    /// The tokens of two buckets (exact) and the time of their last update. Constant cost per packet.
    ///
    /// ## Departures
    /// None. Without the excess bucket there are two colours: a packet that finds no tokens gets precedence 1, as in the
    /// document with two drop precedences. The document does not define `demotion` and `start`.
    ///
    /// ## Example
    /// ```toml
    /// marker.rbm = { committed-rate = "64 kbit/s", committed-burst = "4 kB", excess-rate = "128 kbit/s", excess-burst = "4 kB", mode = "colour-aware" }
    /// ```
    ///
    /// ## References
    /// [Goyal99 s2]. With both buckets and `next-bucket` it marks like `rfc-4115`.
    pub struct Parameters {
        /// Rate of the green tokens (TGR0).
        committed_rate: RateOrZero, changeable;
        /// Depth of the green bucket (bucket size dp0).
        committed_burst: Bytes, changeable;
        /// Rate of the yellow tokens (TGR1); without it and `excess-burst` there are two colours.
        excess_rate: Option<RateOrZero>, changeable;
        /// Depth of the yellow bucket (bucket size dp1).
        excess_burst: Option<Bytes>, changeable;
        /// Whether the colour of an arriving packet matters; the document's marker is colour-aware.
        mode: Mode = "colour-aware";
        /// Treatment of a packet that arrives green and finds too few tokens in bucket 0.
        demotion: Demotion = "next-bucket";
        /// Initial level of the buckets.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        match (self.excess_rate, self.excess_burst) {
            (Some(_), None) => mistake("excess-burst", "is missing, but excess-rate is given; give both or neither".to_owned()),
            (None, Some(_)) => mistake("excess-rate", "is missing, but excess-burst is given; give both or neither".to_owned()),
            _ => {}
        }
        if let Some(message) = demotion_mistake(self.demotion, self.mode, 1 + usize::from(self.excess_burst.is_some())) {
            mistake("demotion", message);
        }
    }
}

impl Parameters {
    /// Rate and depth of the excess bucket; `None` without one.
    fn excess(&self) -> Option<(Rate, Bytes)> {
        Some((self.excess_rate?.0, self.excess_burst?))
    }
}

/// State of an RBM.
#[derive(Clone, Debug)]
pub struct Rbm {
    committed: Bucket,
    excess: Option<Bucket>,
    mode: Mode,
    demotion: Demotion,
}

impl Rbm {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Rbm {
        Rbm {
            committed: Bucket::new(parameters.committed_rate.0, parameters.committed_burst, parameters.start),
            excess: parameters.excess().map(|(rate, burst)| Bucket::new(rate, burst, parameters.start)),
            mode: parameters.mode,
            demotion: parameters.demotion,
        }
    }
}

crate::state! {
    impl Rbm, |it, now| {
        /// Level of the committed bucket.
        "committed-fill", "bit", is it.committed.bits(now);
        /// Level of the excess bucket.
        "excess-fill", "bit", maybe it.excess.as_ref().map(|excess| excess.bits(now));
    }
}

impl Meter for Rbm {
    #[inline]
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        self.committed.settle(now);
        if let Some(excess) = &mut self.excess {
            excess.settle(now);
        }
        colour_of(&mut self.committed, self.excess.as_mut(), packet.bytes(), self.mode.admits(packet.precedence), self.demotion)
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        self.committed.change(now, it.committed_rate.0, it.committed_burst);
        Bucket::change_optional(&mut self.excess, now, it.excess(), it.start);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{colours, overload, site};
    use super::*;
    use crate::parameters::testing::read;

    const GREEN: [&str; 2] = ["committed-rate = 8 kbit/s", "committed-burst = 1000 bytes"];
    const BOTH: [&str; 4] = [GREEN[0], GREEN[1], "excess-rate = 16 kbit/s", "excess-burst = 500 bytes"];

    fn rbm(lines: &[&str], more: &[&str]) -> Rbm {
        Rbm::new(&read(&[lines, more].concat()).expect("sound"), &site())
    }

    #[test]
    fn the_buckets_fill_independently() {
        // Both buckets are emptied at 0. At 100 ms bucket 0 holds 100 and bucket 1 200; at 1 s bucket 1 holds its maximum of 500.
        let packets =
            [(0, 1000, 0), (0, 500, 0), (100, 200, 0), (100, 100, 0), (100, 1, 0), (1000, 900, 0), (1000, 501, 0), (1000, 500, 0)];
        assert_eq!(colours(&mut rbm(&BOTH, &[]), &packets), [0, 1, 1, 0, 2, 0, 2, 1]);
    }

    #[test]
    fn premarked_packets_use_no_better_bucket() {
        let packets = [(0, 1, 2), (0, 300, 1), (0, 300, 1), (0, 900, 0), (0, 200, 0), (0, 100, 0)];
        assert_eq!(colours(&mut rbm(&BOTH, &[]), &packets), [2, 1, 2, 0, 1, 0]);
        assert_eq!(colours(&mut rbm(&BOTH, &["mode = colour-blind"]), &packets), [0, 0, 0, 2, 0, 0]);
    }

    #[test]
    fn demotion_may_skip_the_second_bucket() {
        let packets = [(0, 1000, 0), (0, 500, 0), (0, 500, 1)];
        assert_eq!(colours(&mut rbm(&BOTH, &["demotion = last"]), &packets), [0, 2, 1]);
        assert_eq!(colours(&mut rbm(&BOTH, &[]), &packets), [0, 1, 2]);
    }

    #[test]
    fn with_two_precedences_what_exceeds_is_the_worst() {
        assert_eq!(colours(&mut rbm(&GREEN, &[]), &[(0, 800, 1), (0, 800, 0), (0, 800, 0), (0, 200, 2)]), [1, 0, 1, 2]);
    }

    #[test]
    fn overload_gets_both_rates() {
        let plan = ["committed-rate = 64 kbit/s", "committed-burst = 4 kB", "excess-rate = 128 kbit/s", "excess-burst = 4 kB"];
        // Green: 4 kB + 800 kB. The first yellow packet comes at 32 ms, when bucket 0 holds 256 bytes; until then bucket 1 is
        // full, so yellow: 4 kB + 16 kB/s x 99.968 s = 1603.488 kB, in whole packets.
        assert_eq!(overload(&mut rbm(&plan, &[])), [1608, 3206, 25_001 - 4814]);
    }

    #[test]
    fn half_a_bucket_is_refused() {
        let mistakes = |more: &str| read::<Parameters>(&[&GREEN[..], &[more]].concat()).expect_err("a mistake");
        assert_eq!(mistakes("excess-rate = 1 Mbit/s"), ["excess-burst: is missing, but excess-rate is given; give both or neither"]);
        assert_eq!(mistakes("excess-burst = 1 kB"), ["excess-rate: is missing, but excess-burst is given; give both or neither"]);
    }
}
