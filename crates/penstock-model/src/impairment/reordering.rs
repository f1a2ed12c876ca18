//! Reordering by holding packets back.

use super::correlated::{check_correlation, CorrelatedChoice};
use super::{Fate, Impairment};
use crate::packet::Packet;
use crate::parameters::{Check, Probability};
use crate::site::Site;
use crate::units::{Duration, Time};

crate::parameters! {
    /// Reordering: some packets are held back, so that later ones overtake them.
    ///
    /// ## Decides
    /// With `probability` (p), a packet on the wire is held back and arrives later by `delay`; all others arrive without added delay.
    /// Packets that follow within `delay` overtake it, unless they are held back too. With a `correlation` (c), packets are held back
    /// in bursts and the long-run share stays p:
    ///
    /// | previous packet | probability of being held back |
    /// |---|---|
    /// | held back | $p + c (1 - p)$ |
    /// | not held back | $p (1 - c)$ |
    ///
    /// ## State
    /// Whether the previous packet was held back. One random number per packet for any parameters, so that runs with different
    /// parameters share their draws.
    ///
    /// ## Departures
    /// - netem's `delay TIME reorder P` delays all packets except the chosen ones, which overtake. Here the chosen packets are late, so
    ///   that the delay of all others is the link's. `probability` = 1 - P and `delay` = TIME here have the effect of P and TIME there.
    /// - netem's correlated numbers do not keep their probability, and are not imitated.
    ///
    /// ## Example
    /// ```toml
    /// impairment.reordering = { probability = 0.01, delay = "5 ms" }
    /// ```
    ///
    /// ## References
    /// tc-netem(8), the impairments of Linux; [RFC4737 s3.3] for what makes an arrival reordered.
    pub struct Parameters {
        /// Probability that a packet is held back (p).
        probability: Probability;
        /// Added delay of a held-back packet.
        delay: Duration;
        /// Correlation of neighbouring packets (c).
        correlation: Probability = "0";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.delay == Duration::ZERO {
            mistake("delay", "is zero, so nothing would be held back; above zero".to_owned());
        }
        check_correlation(self.correlation.0, mistake);
    }
}

/// State of reordering.
#[derive(Clone, Debug)]
pub struct Reordering {
    delay: Duration,
    held_back: CorrelatedChoice,
}

impl Reordering {
    /// Reordering with these parameters; it draws from the stream `reordering` below the key of `site`.
    pub fn new(parameters: &Parameters, site: &Site) -> Reordering {
        let stream = site.key.child("reordering").stream();
        Reordering { delay: parameters.delay, held_back: CorrelatedChoice::new(parameters.probability.0, parameters.correlation.0, stream) }
    }
}

crate::state! {
    impl Reordering, |_it, _now| {}
}

impl Impairment for Reordering {
    #[inline]
    fn on_departure(&mut self, _now: Time, _packet: &Packet) -> Fate {
        Fate::Delayed(if self.held_back.draw() { self.delay } else { Duration::ZERO })
    }

    fn reorders(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fates, site};
    use super::*;
    use crate::parameters::testing::read;

    /// Which of the packets that leave every millisecond are held back.
    fn held_back(probability: &str) -> Vec<bool> {
        let parameters = read(&[probability, "delay = 5 ms"]).expect("sound");
        let late = Fate::Delayed(Duration::from_ms(5));
        let all = fates(&mut Reordering::new(&parameters, &site()), 100_000);
        assert!(all.iter().all(|fate| *fate == late || *fate == Fate::Delayed(Duration::ZERO)), "nothing between");
        all.into_iter().map(|fate| fate == late).collect()
    }

    #[test]
    fn the_share_that_is_held_back_is_the_probability() {
        let held = held_back("probability = 0.01").into_iter().filter(|held| *held).count();
        // Binomial: standard error sqrt(100000 x .01 x .99) = 31.5; four of them.
        assert!(held.abs_diff(1000) < 126, "{held}");
    }

    #[test]
    fn a_larger_probability_holds_back_the_same_packets_and_more() {
        let (small, large) = (held_back("probability = 0.01"), held_back("probability = 0.02"));
        assert!(small.iter().zip(&large).all(|(small, large)| *large || !*small) && small != large);
    }

    #[test]
    fn what_would_do_nothing_is_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(mistakes(&["probability = 0.1", "delay = 0 ms"]), ["delay: is zero, so nothing would be held back; above zero"]);
        assert_eq!(
            mistakes(&["probability = 0.1", "delay = 1 ms", "correlation = 1"]),
            ["correlation: is 1, so every packet would fare as the first; below 1"]
        );
    }
}
