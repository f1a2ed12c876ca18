//! The time sliding window marker with two colours.

use super::tsw::{interval_mistake, TimeSlidingWindow};
use super::Meter;
use crate::packet::Packet;
use crate::parameters::{own, Check, Precedence, RateOrZero};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// Time Sliding Window Two Colour Marker (TSW2CM): marks at random the share of a stream that exceeds a rate.
    ///
    /// ## Decides
    /// The rate of the stream is estimated over a window of `averaging-interval` (T) that slides with its packets. A packet of
    /// B bits that arrives t after the previous one sets $avg = (avg T + B) / (t + T)$; the initial value is `committed-rate`.
    /// If avg is above `committed-rate` (CTR), a packet gets `exceed-precedence` with probability $(avg - CTR) / avg$. All
    /// other packets are green. In the long run the green traffic has the rate CTR, spread over the stream and not in bursts.
    ///
    /// ## State
    /// The estimate and the arrival time of the last packet; one random number per packet. Constant cost per packet.
    ///
    /// ## Departures
    /// - The colour of an arriving packet is ignored; the source does not mention it.
    /// - In [Clark98 s3.3] `averaging-interval` depends on the round-trip times of the stream; the default is from ns-2.
    ///
    /// ## Example
    /// ```toml
    /// marker.tsw2cm = { committed-rate = "500 kbit/s" }
    /// ```
    ///
    /// ## References
    /// Clark and Fang [Clark98 s3.3], with the estimator of RFC 2859 s3.
    pub struct Parameters {
        /// Rate up to which all packets are green (CTR, the target rate).
        committed_rate: RateOrZero, changeable;
        /// Length of the window (AVG_INTERVAL).
        averaging_interval: Duration = "1 s";
        /// Precedence of packets that exceed.
        exceed_precedence: Precedence = "1";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if let Some(message) = interval_mistake(self.averaging_interval) {
            mistake("averaging-interval", message);
        }
        if self.exceed_precedence.0 == 0 {
            mistake("exceed-precedence", "0 is what conforms; at least 1".to_owned());
        }
    }
}

/// State of a TSW2CM.
#[derive(Clone, Debug)]
pub struct Tsw2cm {
    window: TimeSlidingWindow,
    committed: f64,
    exceed: u8,
    stream: Stream,
}

impl Tsw2cm {
    /// A marker with these parameters; it draws from the stream `tsw2cm` of its port's marker.
    pub fn new(parameters: &Parameters, site: &Site) -> Tsw2cm {
        Tsw2cm {
            window: TimeSlidingWindow::new(parameters.averaging_interval, parameters.committed_rate.0),
            committed: parameters.committed_rate.0.as_bps() as f64,
            exceed: parameters.exceed_precedence.0,
            stream: site.key.child("tsw2cm").stream(),
        }
    }
}

crate::state! {
    impl Tsw2cm, |it, now| {
        /// The average rate as of now.
        "average-rate", "bit/s", is it.window.rate(now);
    }
}

impl Meter for Tsw2cm {
    #[inline]
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        // The position is uniform between 0 and avg. The packet exceeds the rate if the position is beyond CTR, which is impossible for avg
        // <= CTR.
        let place = self.window.on_packet(now, packet.bytes()) * self.stream.unit();
        if place < self.committed {
            0
        } else {
            self.exceed
        }
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.committed = own::<Parameters>(parameters).committed_rate.0.as_bps() as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, overload, probed, site};
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;

    fn marker(lines: &[&str]) -> Tsw2cm {
        Tsw2cm::new(&read(lines).expect("sound"), &site())
    }

    #[test]
    fn up_to_the_committed_rate_all_is_green() {
        // 500 bytes every 4 ms are 1 Mbit/s, so the estimate does not change.
        let mut meter = marker(&["committed-rate = 1 Mbit/s"]);
        assert!((1..=25_000).all(|i| meter.colour(at(4 * i), &packet(500, 0)) == 0));
    }

    #[test]
    fn above_it_the_excess_is_marked() {
        // Packet n of 25,001 is green with the probability 0.4 / avg, where avg rises from 0.4 to 1 Mbit/s as 1 - 0.6 / 1.004^n. The sum of
        // these is 0.4 x 25,001 plus 0.4 ln(2.5) / ln(1.004) = 91.8 from the initial rise.
        let [green, exceeds, _] = overload(&mut marker(&["committed-rate = 400 kbit/s"]));
        let expected = 0.4 * 25_001.0 + 91.8;
        // Four standard errors of sqrt(25,001 x 0.4 x 0.6) = 77.5.
        assert!((green as f64 - expected).abs() < 310.0, "{green}, not {expected}");
        assert_eq!(green + exceeds, 25_001);
    }

    #[test]
    fn with_a_target_of_zero_all_exceeds() {
        assert_eq!(overload(&mut marker(&["committed-rate = 0 bit/s"])), [0, 25_001, 0]);
    }

    #[test]
    fn a_packet_exceeds_with_the_share_of_the_rate_beyond_the_target() {
        // A single packet of 1000 bytes: avg = 8 + 8 kbit/s, and half of the positions are beyond CTR.
        let exceeds = (0..10_000)
            .filter(|i| {
                let parameters = read::<Parameters>(&["committed-rate = 8 kbit/s", "exceed-precedence = 2"]).expect("sound");
                Tsw2cm::new(&parameters, &site().with_key(site().key.nth(*i))).colour(Time::ZERO, &packet(1000, 0)) == 2
            })
            .count() as f64;
        // Four standard errors of sqrt(0.5 x 0.5 / 10,000).
        assert!((exceeds / 1e4 - 0.5).abs() < 0.02, "{exceeds}");
    }

    #[test]
    fn a_probe_tells_the_estimate_at_its_instant() {
        let mut meter = marker(&["committed-rate = 8 kbit/s", "averaging-interval = 500 ms"]);
        meter.colour(Time::ZERO, &packet(1000, 0)); // (4000 + 8000) bits in half a second
        assert_eq!(probed(&meter, 0), [("average-rate", 24_000.0)]);
        assert_eq!(probed(&meter, 500), [("average-rate", 12_000.0)]);
    }

    #[test]
    fn what_marks_nothing_is_refused() {
        let mistakes = |line: &str| read::<Parameters>(&["committed-rate = 8 kbit/s", line]).expect_err("a mistake");
        assert_eq!(mistakes("averaging-interval = 0 s"), ["averaging-interval: is zero, so that there would be no rate; above 0 s"]);
        assert_eq!(mistakes("exceed-precedence = 0"), ["exceed-precedence: 0 is what conforms; at least 1"]);
    }
}
