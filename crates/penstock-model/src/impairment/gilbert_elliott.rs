//! Loss in bursts: the channel of Gilbert and Elliott.

use super::{Fate, Impairment};
use crate::packet::Packet;
use crate::parameters::{Check, Probability};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Duration, Time};

crate::parameters! {
    /// Gilbert-Elliott: a channel with a good and a bad state; losses come in bursts while it is in the bad state.
    ///
    /// ## Decides
    /// The state of the channel sets the probability that a packet on the wire is lost, and the probability that the state changes
    /// after each packet, lost or not:
    ///
    /// | state | loss | change |
    /// |---|---|---|
    /// | good | `loss-in-good` (1 - k) | `good-to-bad` (p) |
    /// | bad | `loss-in-bad` (1 - h) | `bad-to-good` (r) |
    ///
    /// The first packet finds the bad state with its long-run share, $p / (p + r)$. The long-run loss is
    /// $(p (1 - h) + r (1 - k)) / (p + r)$, and the bad state lasts 1/r packets on average. With the defaults, all packets of the bad
    /// state are lost and no others: bursts of 1/r losses follow gaps of 1/p packets on average, both geometric.
    ///
    /// ## State
    /// The state of the channel. Two random numbers per packet and one at the beginning, for any parameters, so that runs with
    /// different parameters share their draws.
    ///
    /// ## Departures
    /// Gilbert and Elliott describe digits. Here a step of the chain is a packet, regardless of its size and of the time since the
    /// previous one.
    ///
    /// ## Example
    /// ```toml
    /// impairment.gilbert-elliott = { good-to-bad = 0.01, bad-to-good = 0.25, loss-in-bad = 0.8 }
    /// ```
    ///
    /// ## References
    /// [Gilbert60], where a good channel loses nothing (k = 1), and [Elliott63].
    pub struct Parameters {
        /// Probability that a good channel becomes bad after a packet (p).
        good_to_bad: Probability;
        /// Probability that a bad channel becomes good after a packet (r).
        bad_to_good: Probability;
        /// Probability of losing a packet in the bad state (1 - h).
        loss_in_bad: Probability = "1";
        /// Probability of losing a packet in the good state (1 - k).
        loss_in_good: Probability = "0";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.good_to_bad.0 + self.bad_to_good.0 == 0.0 {
            mistake("good-to-bad", "the channel would never change; at least one of good-to-bad and bad-to-good above 0".to_owned());
        }
        if self.loss_in_bad.0 < self.loss_in_good.0 {
            mistake("loss-in-bad", "is below loss-in-good, so the bad state would be the better one; at least loss-in-good".to_owned());
        }
    }
}

/// State of a Gilbert-Elliott channel.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    parameters: Parameters,
    is_bad: bool,
    stream: Stream,
}

impl GilbertElliott {
    /// A channel with these parameters; it draws from the stream `gilbert-elliott` below the key of `site`.
    pub fn new(parameters: &Parameters, site: &Site) -> GilbertElliott {
        let mut stream = site.key.child("gilbert-elliott").stream();
        let (p, r) = (parameters.good_to_bad.0, parameters.bad_to_good.0);
        GilbertElliott { is_bad: stream.chance(p / (p + r)), parameters: parameters.clone(), stream }
    }
}

crate::state! {
    impl GilbertElliott, |it, _now| {
        /// Whether the channel is bad for the next packet whose transmission begins: 1 or 0.
        "bad", "1", is f64::from(u8::from(it.is_bad));
    }
}

impl Impairment for GilbertElliott {
    #[inline]
    fn on_departure(&mut self, _now: Time, _packet: &Packet) -> Fate {
        let Parameters { good_to_bad, bad_to_good, loss_in_bad, loss_in_good } = &self.parameters;
        let (loss, change) = if self.is_bad { (loss_in_bad, bad_to_good) } else { (loss_in_good, good_to_bad) };
        let is_lost = self.stream.chance(loss.0);
        self.is_bad ^= self.stream.chance(change.0);
        if is_lost {
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
    use crate::parameters::testing::read;

    fn losses(lines: &[&str], n: u64) -> Vec<bool> {
        let mut channel = GilbertElliott::new(&read(lines).expect("sound"), &site());
        fates(&mut channel, n).into_iter().map(|fate| fate == Fate::Lost).collect()
    }

    fn share(losses: &[bool]) -> f64 {
        losses.iter().filter(|lost| **lost).count() as f64 / losses.len() as f64
    }

    const BURSTS: [&str; 2] = ["good-to-bad = 0.01", "bad-to-good = 0.19"];

    #[test]
    fn the_long_run_loss_is_that_of_the_chain() {
        // p / (p + r) = .05. The mean of n states has variance .05 x .95 x (1 + .8) / (1 - .8) / n, as neighbours are
        // correlated with 1 - p - r = .8: a standard error of .00065; four of them.
        assert!((share(&losses(&BURSTS, 1_000_000)) - 0.05).abs() < 0.0026);
        // Half of the bad and a tenth of the good packets: .05 x .5 + .95 x .1 = .12. The states alone contribute .4 of their error,
        // .00026, and the choice among packets sqrt(.12 x .88 / n) = .00033: together .00042; four of them.
        let mixed = [&BURSTS[..], &["loss-in-bad = 0.5", "loss-in-good = 0.1"]].concat();
        assert!((share(&losses(&mixed, 1_000_000)) - 0.12).abs() < 0.0017);
    }

    #[test]
    fn bursts_and_gaps_are_geometric() {
        let losses = losses(&BURSTS, 1_000_000);
        let runs: Vec<(bool, usize)> = losses.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        // The first and the last run may be cut off.
        let inner = &runs[1..runs.len() - 1];
        for (lost, probability) in [(true, 0.19), (false, 0.01)] {
            let lengths: Vec<usize> = inner.iter().filter(|run| run.0 == lost).map(|run| run.1).collect();
            let n = lengths.len() as f64;
            let mean = lengths.iter().sum::<usize>() as f64 / n;
            // Mean 1/p, variance (1 - p) / p^2; four standard errors. About 9500 runs of each.
            let error = ((1.0 - probability) / n).sqrt() / probability;
            assert!((mean - 1.0 / probability).abs() < 4.0 * error, "{mean}");
            let ones = lengths.iter().filter(|length| **length == 1).count() as f64 / n;
            assert!((ones - probability).abs() < 4.0 * (probability * (1.0 - probability) / n).sqrt(), "{ones}");
        }
    }

    #[test]
    fn it_begins_in_either_state_as_often_as_it_is_in_it() {
        let parameters: Parameters = read(&["good-to-bad = 0.03", "bad-to-good = 0.07"]).expect("sound");
        let first = |i: u64| fates(&mut GilbertElliott::new(&parameters, &site().with_key(site().key.nth(i))), 1)[0] == Fate::Lost;
        let bad = (0..10_000).filter(|i| first(*i)).count() as f64 / 1e4;
        // p / (p + r) = .3; standard error sqrt(.21 / 10000) = .0046; four of them.
        assert!((bad - 0.3).abs() < 0.0184, "{bad}");
    }

    #[test]
    fn each_state_has_its_loss() {
        let bad = losses(&["good-to-bad = 1", "bad-to-good = 0", "loss-in-bad = 0.3"], 100_000);
        // Binomial: standard error sqrt(.21 / 100000) = .00145; four of them.
        assert!((share(&bad) - 0.3).abs() < 0.0058);
        let good = losses(&["good-to-bad = 0", "bad-to-good = 1", "loss-in-good = 0.3"], 100_000);
        assert!((share(&good) - 0.3).abs() < 0.0058);
    }

    #[test]
    fn a_worse_bad_state_loses_the_same_packets_and_more() {
        let at = |loss: &str| losses(&[&BURSTS[..], &[loss]].concat(), 100_000);
        let (some, all) = (at("loss-in-bad = 0.5"), at("loss-in-bad = 1"));
        assert!(some.iter().zip(&all).all(|(some, all)| *all || !some) && share(&some) < share(&all));
    }

    #[test]
    fn channels_that_never_change_or_are_upside_down_are_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(
            mistakes(&["good-to-bad = 0", "bad-to-good = 0"]),
            ["good-to-bad: the channel would never change; at least one of good-to-bad and bad-to-good above 0"]
        );
        assert_eq!(
            mistakes(&["good-to-bad = 0.1", "bad-to-good = 0.1", "loss-in-bad = 0.1", "loss-in-good = 0.2"]),
            ["loss-in-bad: is below loss-in-good, so the bad state would be the better one; at least loss-in-good"]
        );
    }
}
