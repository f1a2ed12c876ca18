//! The time sliding window marker with three colours.

use super::tsw::{interval_mistake, TimeSlidingWindow};
use super::Meter;
use crate::packet::Packet;
use crate::parameters::{own, Check, RateOrZero};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// Time Sliding Window Three Colour Marker (TSWTCM): colours at random the shares of a stream that exceed two rates.
    ///
    /// ## Decides
    /// The rate of the stream is estimated over a window of `averaging-interval` (T) that slides with its packets. A packet of
    /// B bits that arrives t after the previous one sets $avg = (avg T + B) / (t + T)$; the initial value is `committed-rate`.
    /// With `committed-rate` (CTR) and `peak-rate` (PTR), the colour of a packet is random:
    ///
    /// | Colour | Probability |
    /// |---|---|
    /// | red | $(avg - PTR) / avg$ if avg is above PTR, else 0 |
    /// | yellow | $(min(avg, PTR) - CTR) / avg$ if avg is above CTR, else 0 |
    /// | green | otherwise |
    ///
    /// In the long run the green traffic has the rate CTR and the yellow traffic PTR - CTR, spread over the stream and not in
    /// bursts.
    ///
    /// ## State
    /// The estimate and the arrival time of the last packet; one random number per packet. Constant cost per packet.
    ///
    /// ## Departures
    /// - The name contains the number of colours, as in ns-2, to tell it from `tsw2cm`.
    /// - The colour of an arriving packet is ignored; RFC 2859 does not mention it.
    /// - The default of `averaging-interval` is from ns-2.
    ///
    /// ## Example
    /// ```toml
    /// marker.tsw3cm = { committed-rate = "500 kbit/s", peak-rate = "1 Mbit/s" }
    /// ```
    ///
    /// ## References
    /// [RFC2859 s3, s4]; the estimator is that of Clark and Fang [Clark98 s3.3].
    pub struct Parameters {
        /// Rate up to which all packets are green (CTR, the committed target rate).
        committed_rate: RateOrZero, changeable;
        /// Rate up to which no packet is red (PTR, the peak target rate).
        peak_rate: RateOrZero, changeable;
        /// Length of the window (AVG_INTERVAL).
        averaging_interval: Duration = "1 s";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.peak_rate < self.committed_rate {
            mistake("peak-rate", "is below committed-rate; at least as much".to_owned());
        }
        if let Some(message) = interval_mistake(self.averaging_interval) {
            mistake("averaging-interval", message);
        }
    }
}

/// State of a TSWTCM.
#[derive(Clone, Debug)]
pub struct Tsw3cm {
    window: TimeSlidingWindow,
    committed: f64,
    peak: f64,
    stream: Stream,
}

impl Tsw3cm {
    /// A marker with these parameters; it draws from the stream `tsw3cm` of its port's marker.
    pub fn new(parameters: &Parameters, site: &Site) -> Tsw3cm {
        Tsw3cm {
            window: TimeSlidingWindow::new(parameters.averaging_interval, parameters.committed_rate.0),
            committed: parameters.committed_rate.0.as_bps() as f64,
            peak: parameters.peak_rate.0.as_bps() as f64,
            stream: site.key.child("tsw3cm").stream(),
        }
    }
}

crate::state! {
    impl Tsw3cm, |it, now| {
        /// The average rate as of now.
        "average-rate", "bit/s", is it.window.rate(now);
    }
}

impl Meter for Tsw3cm {
    #[inline]
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        // The position is uniform between 0 and avg: green up to CTR, yellow up to PTR [RFC2859 s4].
        let place = self.window.on_packet(now, packet.bytes()) * self.stream.unit();
        if place < self.committed {
            0
        } else if place < self.peak {
            1
        } else {
            2
        }
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        self.committed = it.committed_rate.0.as_bps() as f64;
        self.peak = it.peak_rate.0.as_bps() as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, overload, probed, site};
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;

    fn marker(lines: &[&str]) -> Tsw3cm {
        Tsw3cm::new(&read(lines).expect("sound"), &site())
    }

    #[test]
    fn up_to_the_rates_nothing_is_yellow_or_red() {
        // 500 bytes every 4 ms are 1 Mbit/s, so the estimate does not change.
        let mut meter = marker(&["committed-rate = 1 Mbit/s", "peak-rate = 1 Mbit/s"]);
        assert!((1..=25_000).all(|i| meter.colour(at(4 * i), &packet(500, 0)) == 0));
        // avg is at most PTR = 1 Mbit/s. It starts at CTR, so some packets are green and some yellow.
        let [green, yellow, red] = overload(&mut marker(&["committed-rate = 400 kbit/s", "peak-rate = 1 Mbit/s"]));
        assert_eq!((green + yellow, red), (25_001, 0));
        // Sum over the rising estimate: 10,092, within four standard errors; see the test of the TSW2CM.
        assert!((green as f64 - 10_092.0).abs() < 310.0, "{green}");
    }

    #[test]
    fn overload_has_the_shares_of_the_rates() {
        // A single packet of 1000 bytes, window 1 s: avg = 8 + 8 kbit/s. Up to 8 green, up to 12 yellow.
        let parameters = read::<Parameters>(&["committed-rate = 8 kbit/s", "peak-rate = 12 kbit/s"]).expect("sound");
        let mut counts = [0.0f64; 3];
        for i in 0..10_000 {
            let colour = Tsw3cm::new(&parameters, &site().with_key(site().key.nth(i))).colour(Time::ZERO, &packet(1000, 0));
            counts[usize::from(colour)] += 1e-4;
        }
        // Four standard errors of sqrt(0.5 x 0.5 / 10,000), the widest of the three.
        for (share, expected) in counts.into_iter().zip([0.5, 0.25, 0.25]) {
            assert!((share - expected).abs() < 0.02, "{counts:?}");
        }
    }

    #[test]
    fn a_probe_tells_the_estimate_at_its_instant() {
        let mut meter = marker(&["committed-rate = 8 kbit/s", "peak-rate = 8 kbit/s"]);
        meter.colour(Time::ZERO, &packet(1000, 0));
        assert_eq!(probed(&meter, 1000), [("average-rate", 8_000.0)]);
    }

    #[test]
    fn a_peak_below_the_committed_rate_is_refused() {
        let lines = ["committed-rate = 8 kbit/s", "peak-rate = 7 kbit/s", "averaging-interval = 0 s"];
        let mistakes = [
            "peak-rate: is below committed-rate; at least as much",
            "averaging-interval: is zero, so that there would be no rate; above 0 s",
        ];
        assert_eq!(read::<Parameters>(&lines).expect_err("mistakes"), mistakes);
    }
}
