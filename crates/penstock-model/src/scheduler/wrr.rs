//! Weighted round robin.

use super::class::ClassPlan;
use super::weights::{weights, ClassParameters};
use super::{HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::{Check, Quantum};
use crate::units::{Bytes, Time};

crate::parameters! {
    /// Weighted round robin: classes take turns, and each sends as much at its turn as its weight allows.
    ///
    /// ## Decides
    /// Classes are visited in a fixed order; those without packets are passed over. With `weighs = "packets"` a class may
    /// send its weight in packets at each visit, so its share in bytes grows with its packets. With `weighs = "bytes"` it
    /// may send bytes in proportion to its weight: a visit adds `quantum` x classes x weight / sum of the weights to its
    /// credit, it sends while that is above zero, and what its last packet took too much is missing at the next visit.
    /// A visit ends when the wire is free and the class has no packet or no credit; a packet that arrives while the one
    /// before it is on the wire still belongs to it. Credit left over then is lost; debts stay. With
    /// `debts = "forgiven"` a debt lasts for one visit: if that does not cover it, the class starts afresh and is passed
    /// over, and if all that have packets are passed over, the first of them sends one at no charge.
    ///
    /// ## State
    /// Whose turn it is, and the credit of each class, exact. A decision costs as many steps as classes without packets
    /// or without credit are passed over.
    ///
    /// ## Departures
    /// Credit is exact, where ns-2 rounds what a visit adds to whole bytes. With debts forgiven, classes whose visits are
    /// worth less than a packet get more than their share.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.wrr = { weighs = "bytes" }
    /// class.ef.weight = 31
    /// class.default.weight = 69
    /// ```
    ///
    /// ## References
    /// [Katevenis91] for packets (of one size, cells). [Floyd95 s5] for bytes; queue/cbq.cc of ns-2 forgives debts.
    pub struct Parameters with class ClassParameters {
        /// What weights are about.
        weighs: Weighs = "packets";
        /// Bytes that a class of mean weight may send at a visit, with `weighs = "bytes"`; 1500 bytes if left out. Small
        /// ones serve classes more evenly, large ones let each send more packets at once.
        quantum: Option<Quantum>;
        /// What becomes of what a class sent too much, with `weighs = "bytes"`.
        debts: Debts = "kept";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.weighs == Weighs::Packets && self.quantum.is_some() {
            mistake("quantum", "has no effect with weighs = \"packets\"; leave it out".to_owned());
        }
        if self.weighs == Weighs::Packets && self.debts == Debts::Forgiven {
            mistake("debts", "has no effect with weighs = \"packets\", which leave none; leave it out".to_owned());
        }
    }
}

impl HasFacts for Parameters {}

crate::choice! {
    /// What the weights of classes are about.
    pub enum Weighs {
        /// Packets at each visit.
        "packets" => Packets,
        /// Shares of the bytes.
        "bytes" => Bytes,
    }
}

crate::choice! {
    /// What becomes of what a class sent beyond its credit.
    pub enum Debts {
        /// It is missing at the next visits, until it is paid.
        "kept" => Kept,
        /// It is missing at the next visit only, as in ns-2.
        "forgiven" => Forgiven,
    }
}

/// State of weighted round robin.
#[derive(Clone, Debug)]
pub struct Wrr {
    /// Whose turn it is.
    turn: usize,
    classes: Vec<Class>,
    /// What a byte costs, or 0 if packets cost one each.
    byte: i64,
    debts: Debts,
    /// Debts are forgiven and no class had credit: the next packet is not charged.
    at_no_charge: bool,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    /// What it may still send at its visit, in packets, or in bytes / sum of the weights.
    credit: i64,
    /// What a visit adds.
    grant: i64,
}

/// The default of the quantum: the largest packet of Ethernet.
const QUANTUM: Quantum = Quantum(Bytes::new(1500));

impl Wrr {
    /// The credit of each class in packets or bytes, if `wanted`.
    fn credits(&self, wanted: bool) -> impl Iterator<Item = f64> + '_ {
        self.classes.iter().filter(move |_| wanted).map(|class| class.credit as f64 / self.byte.max(1) as f64)
    }

    /// Round robin among `classes`.
    pub fn new(parameters: &Parameters, classes: &[ClassPlan], _: impl Into<SchedulerContext>) -> Wrr {
        let weights = weights(classes);
        match parameters.weighs {
            Weighs::Packets => Wrr::of(&weights, 1, 0, Debts::Kept),
            Weighs::Bytes => Wrr::of_bytes(&weights, parameters.quantum.unwrap_or(QUANTUM), parameters.debts),
        }
    }

    /// Round robin by bytes among classes with these weights, of which a mean one may send `quantum` at a visit.
    pub(super) fn of_bytes(weights: &[u64], quantum: Quantum, debts: Debts) -> Wrr {
        Wrr::of(weights, quantum.get() * weights.len() as u64, weights.iter().sum(), debts)
    }

    /// All products fit 63 bits: see [`Quantum`] for the grants; of debts, the largest packet times the sum of the weights is
    /// 65,535 x 256 x 10^4 = 1.7 x 10^11.
    fn of(weights: &[u64], unit: u64, byte: u64, debts: Debts) -> Wrr {
        let class = |weight: &u64| Class { credit: 0, grant: (weight * unit) as i64 };
        // The first visit is the first class's.
        Wrr { turn: weights.len() - 1, classes: weights.iter().map(class).collect(), byte: byte as i64, debts, at_no_charge: false }
    }

    #[inline(always)]
    fn after(&self, turn: usize) -> usize {
        let next = turn + 1;
        std::hint::select_unpredictable(next == self.classes.len(), 0, next)
    }

    /// Whose turn it is of those that `may` send, if debts are kept; one of them must.
    #[inline(always)]
    pub(super) fn next_of(&mut self, may: impl Fn(usize) -> bool) -> usize {
        let mut turn = self.turn;
        loop {
            for _ in 0..self.classes.len() {
                let class = &mut self.classes[turn];
                let may = may(turn);
                if may && class.credit > 0 {
                    self.turn = turn;
                    return turn;
                }
                if !may {
                    class.credit = class.credit.min(0);
                }
                turn = self.after(turn);
                let class = &mut self.classes[turn];
                class.credit += class.grant;
            }
            self.skip_rounds(turn, &may);
        }
    }

    /// Passes over all rounds from `turn`, which has had its grant, in which no class that `may` send would have credit: with
    /// visits worth much less than a packet there are many.
    #[cold]
    fn skip_rounds(&mut self, turn: usize, may: &impl Fn(usize) -> bool) {
        let rounds = |(i, class): (usize, &Class)| match -class.credit {
            debt if debt < 0 => 0,
            debt => debt / class.grant + i64::from(i == turn),
        };
        let waiting = self.classes.iter().enumerate().filter(|(i, _)| may(*i));
        let skipped = waiting.map(rounds).min().unwrap_or(0);
        for (i, class) in self.classes.iter_mut().enumerate() {
            let most = match (may(i), i == turn) {
                (true, _) => i64::MAX,
                // Nothing but the grant of this visit.
                (false, true) => class.grant.max(class.credit),
                (false, false) => 0,
            };
            class.credit = class.credit.saturating_add(class.grant.saturating_mul(skipped)).min(most);
        }
    }

    /// A packet of `size` bytes of class `class` is sent.
    #[inline(always)]
    pub(super) fn charge(&mut self, class: usize, size: u32) {
        self.classes[class].credit -= if self.byte == 0 { 1 } else { self.byte * i64::from(size) };
    }

    /// Whose turn it is if debts are forgiven.
    fn next_forgiving(&mut self, queues: &[QueueState]) -> usize {
        if self.at_no_charge {
            return self.turn;
        }
        // The visit goes on until the credit is used up.
        let mut turn = if self.classes[self.turn].credit > 0 { self.turn } else { self.after(self.turn) };
        for _ in 0..queues.len() {
            let class = &mut self.classes[turn];
            if class.credit <= 0 {
                class.credit += class.grant;
            }
            if queues[turn].packets > 0 && class.credit > 0 {
                return turn;
            }
            class.credit = 0;
            turn = self.after(turn);
        }
        while queues[turn].packets == 0 {
            turn = self.after(turn);
        }
        self.at_no_charge = true;
        turn
    }
}

crate::state! {
    impl Wrr, |it, _now| {
        /// What each class may still send in its turn, where packets are weighed.
        "credit", "packets", each it.credits(it.byte == 0);
        /// What each class may still send in its turn, or what it owes, where bytes are weighed.
        "credit-bytes", "bytes", each it.credits(it.byte != 0);
    }
}

impl Scheduler for Wrr {
    #[inline]
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        if self.debts == Debts::Forgiven {
            self.turn = self.next_forgiving(queues);
            return Turn::Queue(self.turn);
        }
        Turn::Queue(self.next_of(|class| queues[class].packets > 0))
    }

    #[inline]
    fn on_packet(&mut self, _now: Time, _queue: usize, _queues: &[QueueState]) {}

    #[inline]
    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        if !std::mem::take(&mut self.at_no_charge) {
            self.charge(queue, size);
        }
    }

    /// A packet that was to go at no charge may be gone.
    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        if queue == self.turn && queues[queue].packets == 0 {
            self.at_no_charge = false;
        }
    }

    #[inline]
    fn reads_heads(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{weighted, Queues};
    use super::*;
    use crate::parameters::testing::read;
    use crate::units::Rate;

    fn wrr(lines: &[&str], weights: &[u32]) -> Wrr {
        Wrr::new(&read(lines).expect("sound"), &weighted(weights), Rate::from_bps(1_000_000))
    }

    #[test]
    fn weights_are_packets_at_a_visit() {
        let mut queues = Queues(vec![(9, 1500), (9, 40), (1, 40)]);
        assert_eq!(queues.send(&mut wrr(&[], &[1, 3, 2]), 10), [0, 1, 1, 1, 2, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn what_a_class_leaves_unused_is_lost() {
        // The second class has one packet for its three; when it comes back it has three, not five.
        let mut it = wrr(&[], &[1, 3]);
        let mut queues = Queues(vec![(9, 100), (1, 100)]);
        assert_eq!(queues.send(&mut it, 4), [0, 1, 0, 0]);
        queues.0[1].0 = 9;
        assert_eq!(queues.send(&mut it, 5), [1, 1, 1, 0, 1]);
    }

    #[test]
    fn nothing_is_saved_while_others_are_served_at_each_step() {
        // As above, but no round passes without a packet: back again, the second class has three.
        let mut it = wrr(&[], &[3, 3]);
        let mut queues = Queues(vec![(9, 100), (1, 100)]);
        assert_eq!(queues.send(&mut it, 5), [0, 0, 0, 1, 0]);
        queues.0[1].0 = 9;
        assert_eq!(queues.send(&mut it, 6), [0, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn a_class_that_comes_back_still_has_its_debt() {
        // 2700 bytes at a visit worth 1500 leave -1200. The next visit makes that 300, which one packet of 600 uses up; -300 and
        // 1500 are two of them.
        let mut it = wrr(&["weighs = bytes"], &[1, 1]);
        let mut queues = Queues(vec![(9, 1500), (1, 2700)]);
        assert_eq!(queues.send(&mut it, 3), [0, 1, 0]);
        queues.0[1] = (9, 600);
        assert_eq!(queues.send(&mut it, 5), [1, 0, 1, 1, 0]);
    }

    #[test]
    fn weights_are_shares_of_the_bytes() {
        // A visit is worth 1500 bytes to each. 1500 bytes use it up; of 600 the third takes 300 too much, which are then
        // missing: two at the next visit.
        let mut queues = Queues(vec![(9, 1500), (9, 600)]);
        let sent = queues.send(&mut wrr(&["weighs = bytes"], &[1, 1]), 11);
        assert_eq!(sent, [0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1]);
    }

    #[test]
    fn a_share_below_a_packet_skips_visits() {
        // 3000 bytes a round, 300 of them for the first class: a packet of 1500 every five rounds of two packets.
        let mut queues = Queues(vec![(99, 1500), (999, 1350)]);
        let sent = queues.send(&mut wrr(&["weighs = bytes"], &[1, 9]), 110);
        assert_eq!(sent.iter().filter(|queue| **queue == 0).count(), 10);
    }

    #[test]
    fn forgiven_debts_are_missing_at_one_visit_only() {
        // A visit is worth 900 bytes: 1500 leave -600, then 300, then -1200, which the third visit does not cover and
        // the fourth knows nothing of. The other class has as much each time, and no debts.
        let mut it = wrr(&["weighs = bytes", "quantum = 900 bytes", "debts = forgiven"], &[1, 1]);
        let mut queues = Queues(vec![(9, 1500), (99, 900)]);
        assert_eq!(queues.send(&mut it, 10), [0, 1, 0, 1, 1, 0, 1, 0, 1, 1]);
    }

    #[test]
    fn forgiven_debts_let_small_shares_send_every_other_round() {
        // 300 bytes a visit: 1500 are sent, one visit is passed over, and so on.
        let mut it = wrr(&["weighs = bytes", "debts = forgiven"], &[1, 9]);
        let mut queues = Queues(vec![(99, 1500), (999, 1350)]);
        let sent = queues.send(&mut it, 100);
        assert_eq!(sent.iter().filter(|queue| **queue == 0).count(), 20);
    }

    #[test]
    fn with_debts_everywhere_one_packet_goes_at_no_charge() {
        let mut it = wrr(&["weighs = bytes", "quantum = 300 bytes", "debts = forgiven"], &[1, 1]);
        let mut queues = Queues(vec![(9, 1500), (9, 1500)]);
        assert_eq!(queues.send(&mut it, 6), [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn the_product_of_quantum_and_weight_is_bounded() {
        let quantum = |text: &str| read::<Parameters>(&["weighs = bytes", &format!("quantum = {text}")]);
        assert_eq!(
            quantum("2305843009213693952 bytes").expect_err("a mistake"),
            ["quantum: 2305843009213693952 bytes are more than visits can be worth: the product of quantum and weight would not fit; \
              at most 1000 GB"]
        );
        // The largest of all fit: shares are as they should be. A visit is worth 1.5 x 10^16 and 5 x 10^15 packets, so the first
        // class goes on; with all weights, no product overflows.
        let largest = quantum("1000 GB").expect("sound");
        let mut queues = Queues(vec![(9, 1500), (9, 1500)]);
        assert_eq!(queues.send(&mut Wrr::new(&largest, &weighted(&[3, 1]), Rate::from_bps(1)), 9), [0; 9]);
        let mut it = Wrr::new(&largest, &weighted(&[10_000; 256]), Rate::from_bps(1));
        let mut queues = Queues(vec![(2, 65_535); 256]);
        assert_eq!(queues.send(&mut it, 4), [0, 0, 1, 1]);
    }

    #[test]
    fn shares_are_kept_by_visits_worth_a_byte() {
        // A visit of the first class is worth 1.5 bytes: it sends a packet of 1500 bytes each 1000 rounds, the other three of 500.
        let mut it = wrr(&["weighs = bytes", "quantum = 1 byte"], &[3, 1]);
        let mut queues = Queues(vec![(999, 1500), (999, 1500)]);
        let sent = queues.send(&mut it, 400);
        assert_eq!(sent.iter().filter(|queue| **queue == 0).count(), 300);
    }

    #[test]
    fn what_has_no_effect_is_refused() {
        let mistakes = read::<Parameters>(&["quantum = 3 kB"]).expect_err("a mistake");
        assert_eq!(mistakes, ["quantum: has no effect with weighs = \"packets\"; leave it out"]);
        let mistakes = read::<Parameters>(&["debts = forgiven"]).expect_err("a mistake");
        assert_eq!(mistakes, ["debts: has no effect with weighs = \"packets\", which leave none; leave it out"]);
    }
}
