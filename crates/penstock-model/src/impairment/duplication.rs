//! Duplication.

use super::correlated::{check_correlation, CorrelatedChoice};
use super::{Fate, Impairment};
use crate::packet::{Body, Packet};
use crate::parameters::{Check, Probability};
use crate::site::Site;
use crate::units::{Duration, Time};

crate::parameters! {
    /// Duplication: some packets arrive twice.
    ///
    /// ## Decides
    /// With `probability` (p), a copy follows a packet on the wire after `copy-delay`; if that is zero, it arrives at the same instant,
    /// directly behind the packet. If several impairments are listed, the later ones treat the copy separately, and may lose, delay or
    /// duplicate it. With a `correlation` (c), packets are duplicated in bursts and the long-run share stays p:
    ///
    /// | previous packet | probability of duplication |
    /// |---|---|
    /// | duplicated | $p + c (1 - p)$ |
    /// | not duplicated | $p (1 - c)$ |
    ///
    /// A copy is then a packet like any other: it fills queues, counts as offered, dropped or received, and TCP's receiver answers it
    /// with a duplicate acknowledgement. It does not count as sent. `throughput` may therefore exceed `sent`, and `loss`, which counts
    /// dropped copies too, may exceed what the receiver has lost.
    ///
    /// ## State
    /// Whether the previous packet was duplicated. One random number per packet for any parameters, so that runs with different
    /// parameters share their draws.
    ///
    /// ## Departures
    /// - netem's correlated numbers do not keep their probability, and are not imitated.
    /// - Packets that request the admission of a call are never copied: the egress answers each as one call.
    ///
    /// ## Example
    /// ```toml
    /// impairment.duplication = { probability = 0.01 }
    /// ```
    ///
    /// ## References
    /// tc-netem(8), the impairments of Linux; [RFC5560] for what a duplicate arrival is.
    pub struct Parameters {
        /// Probability that a packet is duplicated (p).
        probability: Probability;
        /// Time between the packet and its copy.
        copy_delay: Duration = "0 ms";
        /// Correlation of neighbouring packets (c).
        correlation: Probability = "0";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_correlation(self.correlation.0, mistake);
    }
}

/// State of duplication.
#[derive(Clone, Debug)]
pub struct Duplication {
    copy_delay: Duration,
    duplicated: CorrelatedChoice,
}

impl Duplication {
    /// Duplication with these parameters; it draws from the stream `duplication` below the key of `site`.
    pub fn new(parameters: &Parameters, site: &Site) -> Duplication {
        let stream = site.key.child("duplication").stream();
        let duplicated = CorrelatedChoice::new(parameters.probability.0, parameters.correlation.0, stream);
        Duplication { copy_delay: parameters.copy_delay, duplicated }
    }
}

crate::state! {
    impl Duplication, |_it, _now| {}
}

impl Impairment for Duplication {
    #[inline]
    fn on_departure(&mut self, _now: Time, packet: &Packet) -> Fate {
        match self.duplicated.draw() {
            true if !matches!(packet.body, Body::Request { .. }) => Fate::Duplicated(self.copy_delay),
            _ => Fate::Delayed(Duration::ZERO),
        }
    }

    /// Later packets may overtake a delayed copy.
    fn reorders(&self) -> bool {
        self.copy_delay > Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fates, packet, site};
    use super::*;
    use crate::parameters::testing::read;

    #[test]
    fn the_share_that_is_duplicated_is_the_probability() {
        let duplicates = |probability| {
            let mut it = Duplication::new(&read(&[probability, "copy-delay = 3 ms"]).expect("sound"), &site());
            assert!(it.reorders());
            fates(&mut it, 100_000).into_iter().filter(|fate| *fate == Fate::Duplicated(Duration::from_ms(3))).count()
        };
        // Binomial: standard error sqrt(100000 x .01 x .99) = 31.5; four of them.
        assert!(duplicates("probability = 0.01").abs_diff(1000) < 126);
        assert_eq!([duplicates("probability = 0"), duplicates("probability = 1")], [0, 100_000]);
    }

    #[test]
    fn copies_at_once_keep_the_order_and_requests_have_none() {
        let mut it = Duplication::new(&read(&["probability = 1"]).expect("sound"), &site());
        assert!(!it.reorders());
        let mut packet = packet();
        assert_eq!(it.on_departure(Time::ZERO, &packet), Fate::Duplicated(Duration::ZERO));
        packet.body = Body::Request { call: 1, live: 0 };
        assert_eq!(it.on_departure(Time::ZERO, &packet), Fate::Delayed(Duration::ZERO));
    }

    #[test]
    fn a_correlation_of_one_is_refused() {
        let mistakes = read::<Parameters>(&["probability = 0.1", "correlation = 1"]).expect_err("a mistake");
        assert_eq!(mistakes, ["correlation: is 1, so every packet would fare as the first; below 1"]);
    }
}
