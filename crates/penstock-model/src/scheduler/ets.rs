//! Enhanced transmission selection.

use super::class::ClassPlan;
use super::drr::Drr;
use super::{ClassFacts, HasFacts, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::parameters::{Check, ClassName, Fraction, Quantum};
use crate::units::Time;

crate::parameters! {
    /// Enhanced transmission selection: strict classes go first, and the others share the bandwidth that these leave.
    ///
    /// ## Decides
    /// The first class of `order` that has a packet and no `bandwidth` sends. If there is none, the classes with a `bandwidth` send
    /// by deficit round robin, each with a quantum in proportion to its share. Bandwidth that a class does not use goes to the
    /// others in proportion to their shares. The shares add up to 1. When no class with a `bandwidth` has packets, the round begins
    /// again.
    ///
    /// ## State
    /// The list and the counters of deficit round robin. The cost of a decision grows with the number of strict classes.
    ///
    /// ## Departures
    /// The standard leaves the algorithm open, and asks for shares within 10 % of the bandwidth over a long time; deficit round robin,
    /// as in Linux's sch_ets, gives the shares exactly over a long time. Numbers of traffic classes and credit-based shaping are
    /// left out.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.ets = { order = ["ef", "default"] }
    /// class.default.bandwidth = "100 %"
    /// ```
    ///
    /// ## References
    /// [IEEE8021Qaz]; deficit round robin: [Shreedhar96 s3].
    pub struct Parameters with class ClassParameters {
        /// The classes of the port: the strict ones in the order of their priority, and then the others.
        order: Vec<ClassName>;
        /// Bytes that the class with the smallest share may send in a turn. If this is at least the largest packet, each class sends in each round.
        quantum: Quantum = "1514 bytes";
    }
}
impl Check for Parameters {}

crate::parameters! {
    /// A class of enhanced transmission selection.
    pub struct ClassParameters {
        /// Its share of the bandwidth that the strict classes leave (TCBandwidth); a class without one is strict.
        bandwidth: Option<Fraction>;
    }
}
impl Check for ClassParameters {}

fn share(class: &ClassPlan) -> Option<f64> {
    class.parameters().and_then(|class: &ClassParameters| class.bandwidth).map(|share| share.0)
}

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        let order = self.order.iter().map(|class| class.0.clone()).collect();
        SchedulerFacts { class_order: Some(("order", order)), ..SchedulerFacts::default() }
    }

    fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
        ClassFacts { quantum: share(class).map(|_| self.quantum.0), ..ClassFacts::default() }
    }

    fn check_classes(&self, classes: &[ClassPlan]) -> Result<(), String> {
        let shares: Vec<Option<f64>> = classes.iter().map(share).collect();
        let sum: f64 = shares.iter().flatten().sum();
        if shares.windows(2).any(|pair| pair[0].is_some() && pair[1].is_none()) {
            return Err("a class without bandwidth is strict and goes first; put it before those with bandwidth in order".to_owned());
        }
        // Shares such as 1/3 add up only within rounding.
        if shares.iter().any(Option::is_some) && (sum - 1.0).abs() > 1e-9 {
            return Err(format!("the bandwidths of its classes add up to {sum:.4} of what the strict ones leave; must be 1"));
        }
        Ok(())
    }
}

/// State of enhanced transmission selection.
#[derive(Clone, Debug)]
pub struct Ets {
    /// Number of strict classes. They come first.
    strict: usize,
    shared: Drr,
}

impl Ets {
    /// Enhanced transmission selection among `classes`, the strict ones first.
    pub fn new(parameters: &Parameters, classes: &[ClassPlan], wire: impl Into<SchedulerContext>) -> Ets {
        let shares: Vec<f64> = classes.iter().filter_map(share).collect();
        let smallest = shares.iter().copied().fold(1.0, f64::min);
        let quantum = |share: &f64| (parameters.quantum.get() as f64 * share / smallest + 0.5) as u64;
        Ets { strict: classes.len() - shares.len(), shared: Drr::with_quanta(shares.iter().map(quantum), wire.into().wire()) }
    }
}

crate::state! {
    impl Ets, |it, _now| {
        /// Deficit counter of each class; zero for strict ones.
        "deficit", "bytes", each std::iter::repeat_n(0.0, it.strict).chain(it.shared.deficits());
    }
}

impl Scheduler for Ets {
    #[inline]
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        let (strict, shared) = queues.split_at(self.strict);
        match strict.iter().position(|queue| queue.packets > 0) {
            Some(queue) => Turn::Queue(queue),
            None => match self.shared.next(now, shared) {
                Turn::Queue(queue) => Turn::Queue(self.strict + queue),
                turn @ Turn::NotBefore(_) => turn,
            },
        }
    }

    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        if queue >= self.strict {
            self.shared.on_backlog(now, queue - self.strict, &queues[self.strict..]);
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        if queue >= self.strict {
            self.shared.on_sent(now, queue - self.strict, size, &queues[self.strict..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{class, Queues};
    use super::*;
    use crate::parameters::testing::read;
    use crate::units::{Duration, Rate};

    fn classes(shares: &[&str]) -> Vec<ClassPlan> {
        let lines = |share: &&str| if share.is_empty() { vec![] } else { vec![format!("bandwidth = {share}")] };
        let of = |lines: Vec<String>| class::<ClassParameters>(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        shares.iter().map(lines).map(of).collect()
    }

    fn parameters() -> Parameters {
        read(&["order = [a, b, c, d]", "quantum = 500 bytes"]).expect("sound")
    }

    fn ets(shares: &[&str]) -> Ets {
        Ets::new(&parameters(), &classes(shares), Rate::from_bps(1_000_000))
    }

    #[test]
    fn strict_classes_go_first_and_the_others_share_the_rest() {
        let mut it = ets(&["", "", "0.6", "0.4"]);
        let mut queues = Queues(vec![(1, 100), (2, 100), (9, 250), (9, 250)]);
        queues.announce(&mut it);
        // Quanta of 750 and 500 bytes: three and two packets in a turn.
        assert_eq!(queues.send(&mut it, 10), [0, 1, 1, 2, 2, 2, 3, 3, 2, 2]);
        // A strict packet interrupts a turn, which then continues.
        queues.0[1].0 = 1;
        it.on_backlog(Time::ZERO, 1, &queues.states());
        assert_eq!(queues.send(&mut it, 5), [1, 2, 3, 3, 2]);
    }

    #[test]
    fn shares_are_exact_for_packets_of_other_sizes() {
        let mut it = ets(&["", "0.5", "0.3", "0.2"]);
        let mut queues = Queues(vec![(0, 100), (90_000, 97), (90_000, 400), (90_000, 331)]);
        queues.announce(&mut it);
        let mut sent = [0.0; 4];
        for queue in queues.send(&mut it, 60_000) {
            sent[queue] += f64::from(queues.0[queue].1);
        }
        let total: f64 = sent.iter().sum();
        // Within a quantum of each class: 1250, 750 and 500 bytes.
        for (bytes, share, quantum) in [(sent[1], 0.5, 1250.0), (sent[2], 0.3, 750.0), (sent[3], 0.2, 500.0)] {
            assert!((bytes - share * total).abs() <= quantum, "{bytes} of {total}");
        }
    }

    #[test]
    fn what_one_leaves_goes_to_the_others_by_share() {
        let mut it = ets(&["0.5", "0.25", "0.25"]);
        let mut queues = Queues(vec![(0, 500), (6, 500), (6, 500)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 6), [1, 2, 1, 2, 1, 2]);
    }

    #[test]
    fn shares_that_do_not_fit_are_refused() {
        let check = |shares: &[&str]| parameters().check_classes(&classes(shares));
        assert_eq!([check(&["", "0.6", "0.4"]), check(&["", ""])], [Ok(()), Ok(())]);
        let sum = "the bandwidths of its classes add up to 0.9000 of what the strict ones leave; must be 1";
        assert_eq!(check(&["", "0.6", "0.3"]), Err(sum.to_owned()));
        let order = "a class without bandwidth is strict and goes first; put it before those with bandwidth in order";
        assert_eq!(check(&["0.6", "", "0.4"]), Err(order.to_owned()));
    }

    /// A packet of 1500 bytes takes 12 ms.
    #[test]
    fn a_turn_ends_once_no_class_with_bandwidth_has_packets() {
        for (back_us, expected) in [(12_000, [1, 2, 1, 1, 2]), (12_001, [2, 1, 1, 2, 1])] {
            let parameters = read(&["order = [a, b, c]", "quantum = 1500 bytes"]).expect("sound");
            let mut it = Ets::new(&parameters, &classes(&["", "0.66666666666667", "0.33333333333333"]), Rate::from_bps(1_000_000));
            let mut queues = Queues(vec![(0, 1500), (1, 1500), (0, 1500)]);
            queues.announce(&mut it);
            assert_eq!(queues.send(&mut it, 1), [1]);
            // Strict packets do not affect the turn.
            queues.0[0].0 = 1;
            it.on_backlog(Time::ZERO, 0, &queues.states());
            for class in [2, 1] {
                queues.0[class].0 = 9;
                it.on_backlog(Time::ZERO + Duration::from_us(back_us), class, &queues.states());
            }
            assert_eq!(queues.send(&mut it, 1), [0]);
            assert_eq!(queues.send(&mut it, 5), expected, "back after {back_us} us");
        }
    }
}
