//! The single-rate three-colour marker.

use super::bucket::{Bucket, Start};
use super::{colour_of, demotion_mistake, Demotion, Meter, Mode};
use crate::packet::Packet;
use crate::parameters::{own, BytesOrZero, Check, RateOrZero};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Three Colour Marker, also known as the single-rate one (srTCM): one rate fills a committed bucket, and the tokens that it cannot hold fill an excess bucket.
    ///
    /// ## Decides
    /// Tokens arrive at `committed-rate` (CIR) in bucket C, and in bucket E while C is full. A packet of B bytes gets the
    /// first colour whose condition holds:
    ///
    /// | Colour | Condition | Arriving colour in mode `colour-aware` | Takes |
    /// |---|---|---|---|
    /// | green | C holds B | green | B from C |
    /// | yellow | E holds B | green or yellow | B from E |
    /// | red | otherwise | any | nothing |
    ///
    /// Under a lasting overload green traffic gets CIR, and yellow traffic only the initial tokens of E. One of the buckets
    /// may have a depth of zero: with a CBS of zero all tokens go to E, and no packet is green.
    ///
    /// ## State
    /// The tokens of two buckets (exact) and the time of their last update. Constant cost per packet.
    ///
    /// ## Departures
    /// - The draft has no mode `colour-aware`; that is the rule of [RFC2697 s3].
    /// - The draft gives the CIR in bytes per second; here it is a rate with any unit.
    /// - Without `excess-burst` there are two colours, as in [Goyal99 s2] with two drop precedences: a packet that finds no
    ///   tokens in C gets precedence 1, and tokens that C cannot hold are lost.
    /// - [Goyal99 s2] does not define `demotion`; the RFC has `next-bucket`.
    ///
    /// ## Example
    /// ```toml
    /// marker.tcm = { committed-rate = "192 kbit/s", committed-burst = "4 kB", excess-burst = "4 kB", mode = "colour-aware" }
    /// ```
    ///
    /// ## References
    /// draft-heinanen-diffserv-tcm-00; [RFC2697 s3].
    pub struct Parameters {
        /// Rate of the tokens (CIR).
        committed_rate: RateOrZero, changeable;
        /// Depth of bucket C (CBS).
        committed_burst: BytesOrZero, changeable;
        /// Depth of bucket E (EBS); without it there are two colours.
        excess_burst: Option<BytesOrZero>, changeable;
        /// Whether the colour of an arriving packet matters; default of the draft.
        mode: Mode = "colour-blind";
        /// Treatment of a packet that arrives green and finds too few tokens in C; default of RFC 2697.
        demotion: Demotion = "next-bucket";
        /// Initial level of the buckets; default of the draft.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if let Some(message) = demotion_mistake(self.demotion, self.mode, 1 + usize::from(self.excess_burst.is_some())) {
            mistake("demotion", message);
        }
        if self.committed_burst.0 == Bytes::default() && self.excess_burst.is_none_or(|burst| burst.0 == Bytes::default()) {
            mistake("committed-burst", "is zero, and so is what excess-burst holds: no packet would find tokens [RFC2697 s2]".to_owned());
        }
    }
}

/// State of a TCM.
#[derive(Clone, Debug)]
pub struct Tcm {
    committed: Bucket,
    excess: Option<Bucket>,
    mode: Mode,
    demotion: Demotion,
}

impl Tcm {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Tcm {
        Tcm {
            committed: Bucket::new(parameters.committed_rate.0, parameters.committed_burst.0, parameters.start),
            excess: parameters.excess_burst.map(|burst| Bucket::new(Rate::ZERO, burst.0, parameters.start)),
            mode: parameters.mode,
            demotion: parameters.demotion,
        }
    }
}

crate::state! {
    impl Tcm, |it, now| {
        /// Level of the committed bucket.
        "committed-fill", "bit", is it.committed.bits(now);
        /// Level of the excess bucket.
        "excess-fill", "bit", maybe it.excess.map(|mut excess| {
            let mut committed = it.committed;
            excess.pour(committed.settle(now));
            excess.bits(now)
        });
    }
}

impl Meter for Tcm {
    #[inline]
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        let spilt = self.committed.settle(now);
        if let Some(excess) = &mut self.excess {
            excess.pour(spilt);
        }
        colour_of(&mut self.committed, self.excess.as_mut(), packet.bytes(), self.mode.admits(packet.precedence), self.demotion)
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        let spilt = self.committed.settle(now);
        if let Some(excess) = &mut self.excess {
            excess.pour(spilt);
        }
        self.committed.change(now, it.committed_rate.0, it.committed_burst.0);
        Bucket::change_optional(&mut self.excess, now, it.excess_burst.map(|burst| (Rate::ZERO, burst.0)), it.start);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{colours, overload, site};
    use super::*;
    use crate::parameters::testing::read;

    const ONE: [&str; 2] = ["committed-rate = 8 kbit/s", "committed-burst = 1000 bytes"];

    fn tcm(more: &[&str]) -> Tcm {
        Tcm::new(&read(&[&ONE[..], more].concat()).expect("sound"), &site())
    }

    #[test]
    fn tokens_that_the_committed_bucket_cannot_hold_go_to_the_excess_bucket() {
        // C 1000, E 500, one byte per millisecond. At 0: C 200, E 100. At 800 ms C is full and E is unchanged; at 900 ms E has 200.
        let packets = [(0, 400, 0), (0, 400, 0), (0, 400, 0), (0, 400, 0), (800, 101, 0), (901, 1000, 0), (901, 100, 0), (901, 101, 0)];
        let seen = colours(&mut tcm(&["excess-burst = 500 bytes"]), &packets);
        // The packet of 101 bytes delays the overflow: C is full again at 901 ms, so E still holds 100.
        assert_eq!(seen, [0, 0, 1, 2, 0, 0, 1, 2]);
    }

    #[test]
    fn only_the_overflow_reaches_the_excess_bucket() {
        let packets = [(0, 1000, 0), (0, 500, 0), (1200, 1000, 0), (1200, 201, 0), (1200, 200, 0), (1200, 1, 0)];
        assert_eq!(colours(&mut tcm(&["excess-burst = 500 bytes"]), &packets), [0, 1, 0, 2, 1, 2]);
        let empty = tcm(&["excess-burst = 500 bytes", "start = empty"]);
        assert_eq!(colours(&mut empty.clone(), &[(1000, 1000, 0), (1000, 1, 0)]), [0, 2]);
        assert_eq!(colours(&mut empty.clone(), &[(1300, 1000, 0), (1300, 300, 0), (1300, 1, 0)]), [0, 1, 2]);
    }

    #[test]
    fn aware_packets_use_no_better_bucket_than_their_colour() {
        let aware = ["excess-burst = 500 bytes", "mode = colour-aware"];
        let packets = [(0, 100, 2), (0, 400, 1), (0, 400, 1), (0, 900, 0), (0, 101, 0), (0, 100, 0), (0, 100, 0)];
        assert_eq!(colours(&mut tcm(&aware), &packets), [2, 1, 2, 0, 2, 0, 1]);
        // Same packets, colour-blind: every packet counts as green; the 101 bytes find 100 in C and 500 in E.
        assert_eq!(colours(&mut tcm(&aware[..1]), &packets), [0, 0, 0, 2, 1, 0, 1]);
    }

    #[test]
    fn demotion_may_skip_the_excess_bucket() {
        let last = ["excess-burst = 500 bytes", "mode = colour-aware", "demotion = last"];
        assert_eq!(colours(&mut tcm(&last), &[(0, 1000, 0), (0, 100, 0), (0, 500, 1), (0, 1, 1)]), [0, 2, 1, 2]);
    }

    #[test]
    fn without_an_excess_bucket_there_are_two_colours() {
        assert_eq!(colours(&mut tcm(&[]), &[(0, 600, 1), (0, 600, 0), (0, 1, 0), (2000, 1000, 0), (2000, 1, 0)]), [0, 1, 0, 0, 1]);
        let mut aware = tcm(&["mode = colour-aware"]);
        assert_eq!(colours(&mut aware, &[(0, 600, 1), (0, 600, 0), (0, 600, 0), (0, 1, 2)]), [1, 0, 1, 2]);
    }

    #[test]
    fn one_of_the_buckets_may_have_no_depth() {
        // All tokens go to E, one byte per millisecond; then to C alone.
        let packets = [(0, 500, 0), (0, 1, 0), (100, 101, 0), (100, 100, 0)];
        let yellow = read(&[ONE[0], "committed-burst = 0 bytes", "excess-burst = 500 bytes"]).expect("sound");
        assert_eq!(colours(&mut Tcm::new(&yellow, &site()), &packets), [1, 2, 2, 1]);
        let green = read(&[ONE[0], "committed-burst = 500 bytes", "excess-burst = 0 bytes"]).expect("sound");
        assert_eq!(colours(&mut Tcm::new(&green, &site()), &packets), [0, 2, 2, 0]);
        // With a rate of zero, each burst is available once.
        let once = read(&["committed-rate = 0 bit/s", ONE[1], "excess-burst = 500 bytes"]).expect("sound");
        assert_eq!(colours(&mut Tcm::new(&once, &site()), &[(0, 1000, 0), (0, 500, 0), (9000, 1, 0)]), [0, 1, 2]);
        for excess in [&[][..], &["excess-burst = 0 bytes"]] {
            let lines = [&[ONE[0], "committed-burst = 0 bytes"][..], excess].concat();
            let message = "committed-burst: is zero, and so is what excess-burst holds: no packet would find tokens [RFC2697 s2]";
            assert_eq!(read::<Parameters>(&lines).expect_err("a mistake"), [message]);
        }
    }

    #[test]
    fn overload_gets_the_committed_rate_and_yellow_once() {
        let plan = ["committed-rate = 192 kbit/s", "committed-burst = 4 kB", "excess-burst = 4 kB"];
        let [green, yellow, red] = overload(&mut Tcm::new(&read(&plan).expect("sound"), &site()));
        // 100 s at 192 kbit/s are 2400 kB, and both bursts once: in packets of 500 bytes, 4808 and 8.
        assert_eq!((green, yellow, red), (4808, 8, 25_001 - 4816));
    }

    #[test]
    fn a_demotion_rule_without_effect_is_refused() {
        let mistakes = |more: &[&str]| read::<Parameters>(&[&ONE[..], &["demotion = last"], more].concat()).expect_err("a mistake");
        assert!(mistakes(&["mode = colour-aware"])[0].starts_with("demotion: has no effect without an excess bucket"));
        assert!(mistakes(&["excess-burst = 500 bytes"])[0].contains("leaves the excess bucket unused"));
    }
}
