//! A random choice per packet that may depend on the previous one.

use crate::rng::Stream;

/// Chooses packets with a probability p; the choice may depend on the previous packet.
///
/// The choices are a Markov chain of two states with the stationary probability p and a correlation c of neighbours. After a chosen
/// packet, the next one is chosen with probability p + c (1 - p), otherwise with p (1 - c). Packets at distance k have the correlation
/// c^k, and the long-run share is p for any c.
#[derive(Clone, Debug)]
pub(super) struct CorrelatedChoice {
    probability: f64,
    correlation: f64,
    /// Probability of choosing the next packet.
    next: f64,
    stream: Stream,
}

impl CorrelatedChoice {
    /// The first packet is chosen with `probability`.
    pub fn new(probability: f64, correlation: f64, stream: Stream) -> CorrelatedChoice {
        CorrelatedChoice { probability, correlation, next: probability, stream }
    }

    /// Whether the next packet is chosen; draws one random number for any parameters.
    #[inline]
    pub fn draw(&mut self) -> bool {
        let chosen = self.stream.chance(self.next);
        let towards = if chosen { 1.0 } else { 0.0 };
        self.next = self.probability + self.correlation * (towards - self.probability);
        chosen
    }
}

/// Refuses a correlation of 1, which would give all packets the fate of the first.
pub(super) fn check_correlation(correlation: f64, mistake: &mut dyn FnMut(&str, String)) {
    if correlation >= 1.0 {
        mistake("correlation", "is 1, so every packet would fare as the first; below 1".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::site;
    use super::*;

    const N: usize = 200_000;

    fn choices(probability: f64, correlation: f64) -> Vec<bool> {
        let mut choice = CorrelatedChoice::new(probability, correlation, site().key.child("choice").stream());
        (0..N).map(|_| choice.draw()).collect()
    }

    #[test]
    fn the_share_is_the_probability_whatever_the_correlation() {
        for (p, c) in [(0.1, 0.0), (0.1, 0.5), (0.3, 0.9), (0.02, 0.25)] {
            let share = choices(p, c).iter().filter(|chosen| **chosen).count() as f64 / N as f64;
            // The variance of the mean of such a chain is p (1 - p) / n x (1 + c) / (1 - c); four standard errors.
            let error = (p * (1.0 - p) / N as f64 * (1.0 + c) / (1.0 - c)).sqrt();
            assert!((share - p).abs() < 4.0 * error, "{p} {c}: {share}");
        }
        assert!(choices(1.0, 0.5).iter().all(|chosen| *chosen) && !choices(0.0, 0.5).contains(&true));
    }

    #[test]
    fn after_a_chosen_packet_the_chance_is_higher_by_the_correlation() {
        let (p, c) = (0.2, 0.5);
        let all = choices(p, c);
        for (before, expected) in [(true, p + c * (1.0 - p)), (false, p * (1.0 - c))] {
            let after: Vec<bool> = all.windows(2).filter(|pair| pair[0] == before).map(|pair| pair[1]).collect();
            let share = after.iter().filter(|chosen| **chosen).count() as f64 / after.len() as f64;
            // Given the previous packet, each is an independent trial: a binomial share.
            let error = (expected * (1.0 - expected) / after.len() as f64).sqrt();
            assert!((share - expected).abs() < 4.0 * error, "after {before}: {share}, not {expected}");
        }
    }
}
