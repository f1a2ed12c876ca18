//! Random loss.

use super::{Fate, Impairment};
use crate::packet::Packet;
use crate::parameters::{Check, Probability};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Duration, Time};

crate::parameters! {
    /// Loss: each packet is lost with the same probability, independently of all others.
    ///
    /// ## Decides
    /// A packet on the wire is lost with `probability` (p), regardless of its size, colour and kind.
    ///
    /// ## State
    /// None; one random number per packet for any p, so that runs with different p share their draws: a packet lost at a small p is
    /// also lost at a larger one.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// impairment.loss = { probability = 0.01 }
    /// ```
    ///
    /// ## References
    /// Bernoulli loss, under which TCP is compared with formulas, as by Mathis et al. (1997) and Padhye et al. (1998).
    pub struct Parameters {
        /// Probability of losing a packet (p).
        probability: Probability;
    }
}

impl Check for Parameters {}

/// State of random loss.
#[derive(Clone, Debug)]
pub struct Loss {
    probability: f64,
    stream: Stream,
}

impl Loss {
    /// Loss with these parameters; it draws from the stream `loss` below the key of `site`.
    pub fn new(parameters: &Parameters, site: &Site) -> Loss {
        Loss { probability: parameters.probability.0, stream: site.key.child("loss").stream() }
    }
}

crate::state! {
    impl Loss, |_it, _now| {}
}

impl Impairment for Loss {
    #[inline]
    fn on_departure(&mut self, _now: Time, _packet: &Packet) -> Fate {
        if self.stream.chance(self.probability) {
            Fate::Lost
        } else {
            Fate::Delayed(Duration::ZERO)
        }
    }

    fn reorders(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fates, site};
    use super::*;

    fn losses(probability: f64) -> Vec<bool> {
        let mut loss = Loss::new(&Parameters { probability: Probability(probability) }, &site());
        fates(&mut loss, 100_000).into_iter().map(|fate| fate == Fate::Lost).collect()
    }

    #[test]
    fn the_share_that_is_lost_is_the_probability() {
        let lost = losses(0.01).into_iter().filter(|lost| *lost).count();
        // Binomial: standard error sqrt(100000 x .01 x .99) = 31.5; four of them.
        assert!(lost.abs_diff(1000) < 126, "{lost}");
        assert!(losses(1.0).into_iter().all(|lost| lost) && !losses(0.0).contains(&true));
    }

    #[test]
    fn losses_are_independent() {
        // P(lost | the previous packet was lost) = p = .1; about 10,000 such pairs, four standard errors of .003.
        let lost = losses(0.1);
        let after: Vec<bool> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        let share = after.iter().filter(|lost| **lost).count() as f64 / after.len() as f64;
        assert!((share - 0.1).abs() < 0.012, "{share}");
    }

    #[test]
    fn a_larger_probability_loses_the_same_packets_and_more() {
        assert!(losses(0.01).into_iter().zip(losses(0.02)).all(|(small, large)| large || !small));
    }
}
