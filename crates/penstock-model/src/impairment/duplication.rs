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
    /// With `probability` (p) a copy of a packet on the wire follows it by `copy-delay`: at the same instant, right behind it, if that
    /// is zero. Where several impairments are listed, the copy passes those behind this one on its own, and is lost, delayed or
    /// duplicated there on its own. With a `correlation` (c) packets are duplicated in bursts: after one that was, the next is
    /// with p + c (1 - p), after one that was not, with p (1 - c), so that the long-run share stays p.
    ///
    /// From there on a copy is a packet like any other: it fills queues, is counted where it is offered, dropped or received, and
    /// TCP's receiver answers it with a duplicate acknowledgement. It was not sent, so that `throughput` may exceed `sent`, and
    /// `loss`, which counts dropped copies too, what was lost to the receiver.
    ///
    /// ## State
    /// Whether the packet before was duplicated; one random number per packet, whatever the parameters are, so that runs with
    /// different ones share their draws.
    ///
    /// ## Departures
    /// netem's correlated numbers do not keep their probability, and are not imitated. Packets that ask whether a call may begin
    /// are never copied: the egress answers each as one call.
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
        /// By how much the copy follows.
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

    /// Later packets overtake a copy that is late.
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
