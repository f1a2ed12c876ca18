//! Weighted round robin.

use super::class::ClassPlan;
use super::idle::LastTransmission;
use super::weights::{weights, ClassParameters};
use super::{HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::{own, Check, Quantum};
use crate::transmission::WireRate;
use crate::units::{Bytes, Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Weighted round robin: classes take turns, and each sends packets or bytes by its weight.
    ///
    /// ## Decides
    /// Classes take turns in a fixed order; a class without packets is skipped.
    ///
    /// - With `weighs = "packets"`, a class may send its weight in packets at each turn, so its share in bytes grows with the size
    ///   of its packets.
    /// - With `weighs = "bytes"`, a turn adds `quantum` x number of classes x weight / sum of the weights to the credit of the
    ///   class, which sends while its credit is positive. The last packet may overdraw the credit; the debt reduces the next turn.
    ///
    /// A turn ends when the wire is free and the class has no packet or no credit; a packet that arrives while its predecessor is
    /// on the wire still belongs to the turn. Unused credit is lost, debts remain. With `debts = "forgiven"`, a debt lasts for one
    /// turn: if the turn does not cover it, the class is skipped and its debt is cancelled; if all classes with packets are
    /// skipped, the first of them sends one packet without charge.
    ///
    /// ## State
    /// The class whose turn it is, and the exact credit of each class. A decision takes one step per class that is skipped.
    ///
    /// ## Departures
    /// Credit is exact; ns-2 rounds the credit of a turn to whole bytes. With debts forgiven, classes whose turn is less than a
    /// packet get more than their share. If the port becomes idle, the end of the last transmission is computed from the initial
    /// rate of the link, even if this rate changes.
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
        /// Unit of the weights.
        weighs: Weighs = "packets";
        /// Bytes that a class of mean weight may send in a turn, with `weighs = "bytes"`; 1500 bytes if left out. A small quantum
        /// serves classes more evenly, a large one sends longer bursts of each class.
        quantum: Option<Quantum>, changeable;
        /// Treatment of overdrawn credit, with `weighs = "bytes"`.
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
    /// Unit of the weights.
    pub enum Weighs {
        /// Packets per turn.
        "packets" => Packets,
        /// Shares of the bytes.
        "bytes" => Bytes,
    }
}

crate::choice! {
    /// Treatment of overdrawn credit.
    pub enum Debts {
        /// It reduces the following turns until it is paid.
        "kept" => Kept,
        /// It reduces the next turn only, as in ns-2.
        "forgiven" => Forgiven,
    }
}

/// State of weighted round robin.
#[derive(Clone, Debug)]
pub struct Wrr {
    /// Class whose turn it is.
    turn: usize,
    classes: Vec<Class>,
    /// Cost of a byte; 0 if each packet costs 1.
    byte: i64,
    debts: Debts,
    /// Debts are forgiven and no class had credit, so the next packet is free of charge.
    at_no_charge: bool,
    last_transmission: LastTransmission,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    /// Credit in packets, or in bytes / sum of the weights.
    credit: i64,
    /// Credit that a turn adds.
    grant: i64,
}

/// Default of `quantum`: the largest packet of Ethernet.
const QUANTUM: Quantum = Quantum(Bytes::new(1500));

impl Wrr {
    /// Credit of each class in packets or bytes, if `wanted`.
    fn credits(&self, wanted: bool) -> impl Iterator<Item = f64> + '_ {
        self.classes.iter().filter(move |_| wanted).map(|class| class.credit as f64 / self.byte.max(1) as f64)
    }

    /// Round robin among `classes`.
    pub fn new(parameters: &Parameters, classes: &[ClassPlan], wire: impl Into<SchedulerContext>) -> Wrr {
        let (weights, wire) = (weights(classes), wire.into().wire());
        match parameters.weighs {
            Weighs::Packets => Wrr::of(&weights, 1, 0, Debts::Kept, wire),
            Weighs::Bytes => Wrr::of_bytes(&weights, parameters.quantum.unwrap_or(QUANTUM), parameters.debts, wire),
        }
    }

    /// Adopts the grants and the unit of `other`. Credits keep their value in bytes, rounded down to the new unit.
    fn take_weights(&mut self, other: &Wrr) {
        let (old, new) = (i128::from(self.byte.max(1)), i128::from(other.byte.max(1)));
        for (class, other) in self.classes.iter_mut().zip(&other.classes) {
            class.credit = (i128::from(class.credit) * new).div_euclid(old) as i64;
            class.grant = other.grant;
        }
        self.byte = other.byte;
    }

    /// Round robin by bytes among classes with these weights; a class of mean weight may send `quantum` in a turn.
    pub(super) fn of_bytes(weights: &[u64], quantum: Quantum, debts: Debts, wire: WireRate) -> Wrr {
        Wrr::of(weights, quantum.get() * weights.len() as u64, weights.iter().sum(), debts, wire)
    }

    /// Creates the state. All products fit into 63 bits: see [`Quantum`] for the grants; the largest debt, the largest packet times the sum
    /// of the weights, is 65,535 x 256 x 10^4 = 1.7 x 10^11.
    fn of(weights: &[u64], unit: u64, byte: u64, debts: Debts, wire: WireRate) -> Wrr {
        let class = |weight: &u64| Class { credit: 0, grant: (weight * unit) as i64 };
        Wrr {
            // The first class gets the first visit.
            turn: weights.len() - 1,
            classes: weights.iter().map(class).collect(),
            byte: byte as i64,
            debts,
            at_no_charge: false,
            last_transmission: LastTransmission::none(wire),
        }
    }

    #[inline(always)]
    fn after(&self, turn: usize) -> usize {
        let next = turn + 1;
        std::hint::select_unpredictable(next == self.classes.len(), 0, next)
    }

    /// Class whose turn it is among the classes that satisfy `may` (at least one does), if debts are kept.
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

    /// Skips the rounds, from `turn` on, in which no class of `may` would have credit; `turn` has already received its grant. There are
    /// many such rounds if a turn is worth much less than a packet.
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
                // Only the grant of this visit counts.
                (false, true) => class.grant.max(class.credit),
                (false, false) => 0,
            };
            class.credit = class.credit.saturating_add(class.grant.saturating_mul(skipped)).min(most);
        }
    }

    /// Class whose turn it is.
    pub(super) fn turn(&self) -> usize {
        self.turn
    }

    /// Ends the turn of a class that has no packet when the wire is free: the rest of its credit is lost, and the next class has its turn.
    #[cold]
    pub(super) fn end_turn(&mut self) {
        let credit = &mut self.classes[self.turn].credit;
        *credit = (*credit).min(0);
    }

    /// Charges class `class` for a packet of `size` bytes.
    #[inline(always)]
    pub(super) fn charge(&mut self, class: usize, size: u32) {
        self.classes[class].credit -= if self.byte == 0 { 1 } else { self.byte * i64::from(size) };
    }

    /// Class whose turn it is, if debts are forgiven.
    fn next_forgiving(&mut self, queues: &[QueueState]) -> usize {
        if self.at_no_charge {
            return self.turn;
        }
        // A visit lasts until its credit is used up.
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
        /// Packets that each class may still send in its turn, with `weighs = "packets"`.
        "credit", "packets", each it.credits(it.byte == 0);
        /// Credit of each class, negative if it owes, with `weighs = "bytes"`.
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
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        if self.last_transmission.is_over(now, queue, queues) {
            self.end_turn();
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        self.last_transmission.begin(now, size);
        if !std::mem::take(&mut self.at_no_charge) {
            self.charge(queue, size);
        }
    }

    /// Cancels a free packet that is gone.
    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        if queue == self.turn && queues[queue].packets == 0 {
            self.at_no_charge = false;
        }
    }

    #[inline]
    fn reads_heads(&self) -> bool {
        false
    }

    fn change(
        &mut self,
        _now: Time,
        parameters: &dyn Any,
        classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        self.take_weights(&Wrr::new(own(parameters), classes, Rate::from_bps(1)));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{weighted, Queues};
    use super::*;
    use crate::parameters::testing::read;
    use crate::units::{Duration, Rate};

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
        // The second class has one packet for its credit of three. With packets again, it has three, not five.
        let mut it = wrr(&[], &[1, 3]);
        let mut queues = Queues(vec![(9, 100), (1, 100)]);
        assert_eq!(queues.send(&mut it, 4), [0, 1, 0, 0]);
        queues.0[1].0 = 9;
        assert_eq!(queues.send(&mut it, 5), [1, 1, 1, 0, 1]);
    }

    #[test]
    fn nothing_is_saved_while_others_are_served_at_each_step() {
        // As above, but no round passes without a packet: with packets again, the second class has three.
        let mut it = wrr(&[], &[3, 3]);
        let mut queues = Queues(vec![(9, 100), (1, 100)]);
        assert_eq!(queues.send(&mut it, 5), [0, 0, 0, 1, 0]);
        queues.0[1].0 = 9;
        assert_eq!(queues.send(&mut it, 6), [0, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn a_class_that_comes_back_still_has_its_debt() {
        // 2700 bytes at a visit worth 1500 leave -1200. The next visit makes that 300, which one packet of 600 uses up; -300 + 1500 are two
        // packets.
        let mut it = wrr(&["weighs = bytes"], &[1, 1]);
        let mut queues = Queues(vec![(9, 1500), (1, 2700)]);
        assert_eq!(queues.send(&mut it, 3), [0, 1, 0]);
        queues.0[1] = (9, 600);
        assert_eq!(queues.send(&mut it, 5), [1, 0, 1, 1, 0]);
    }

    #[test]
    fn a_debt_keeps_its_bytes_under_other_weights() {
        // The second class owes 300 bytes after its visit of 1500. From then on visits are worth 1000 and 2000 bytes: it sends 1800 of 1700
        // and 2400 of 1900. The first class sends 1500 of 1000 and of 500, and is skipped once.
        let mut it = wrr(&["weighs = bytes"], &[1, 1]);
        let mut queues = Queues(vec![(9, 1500), (99, 600)]);
        assert_eq!(queues.send(&mut it, 4), [0, 1, 1, 1]);
        let parameters: Parameters = read(&["weighs = bytes"]).expect("sound");
        assert!(it.change(Time::ZERO, &parameters, &weighted(&[1, 2]), &queues.states()).is_none());
        assert_eq!(queues.send(&mut it, 13), [0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn weights_are_shares_of_the_bytes() {
        // A visit is worth 1500 bytes to each class. A packet of 1500 uses it up. With packets of 600, the third exceeds it by 300, which
        // are missing at the next visit: two packets.
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
        // A visit is worth 900 bytes: 1500 leave -600, then 300, then -1200. The third visit does not cover this debt, and the fourth
        // starts without it. The other class gets 900 each time and has no debts.
        let mut it = wrr(&["weighs = bytes", "quantum = 900 bytes", "debts = forgiven"], &[1, 1]);
        let mut queues = Queues(vec![(9, 1500), (99, 900)]);
        assert_eq!(queues.send(&mut it, 10), [0, 1, 0, 1, 1, 0, 1, 0, 1, 1]);
    }

    #[test]
    fn forgiven_debts_let_small_shares_send_every_other_round() {
        // 300 bytes a visit: 1500 are sent, one visit is skipped, and so on.
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
            ["quantum: 2305843009213693952 bytes are too many for a turn: the product of quantum and weight would overflow; at most 1000 GB"]
        );
        // Even the largest quantum gives correct shares. A visit is worth 1.5 x 10^16 and 5 x 10^15 packets, so the first class continues.
        // No product overflows with all weights.
        let largest = quantum("1000 GB").expect("sound");
        let mut queues = Queues(vec![(9, 1500), (9, 1500)]);
        assert_eq!(queues.send(&mut Wrr::new(&largest, &weighted(&[3, 1]), Rate::from_bps(1)), 9), [0; 9]);
        let mut it = Wrr::new(&largest, &weighted(&[10_000; 256]), Rate::from_bps(1));
        let mut queues = Queues(vec![(2, 65_535); 256]);
        assert_eq!(queues.send(&mut it, 4), [0, 0, 1, 1]);
    }

    #[test]
    fn shares_are_kept_by_visits_worth_a_byte() {
        // A visit of the first class is worth 1.5 bytes: it sends a packet of 1500 bytes every 1000 rounds. One of the other class is worth
        // 0.5 bytes: 3000 rounds.
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

    /// A packet of 1500 bytes takes 12 ms; a turn of the first class is three of them.
    #[test]
    fn an_idle_port_ends_the_turn() {
        let bytes: &[&str] = &["weighs = bytes", "quantum = 3000 bytes"];
        for lines in [&[][..], bytes, &[bytes, &["debts = forgiven"]].concat()] {
            // Arrivals at the end of the transmission precede the decision and belong to the turn.
            for (back_us, expected) in [(12_000, [0, 0, 1, 0, 0, 0]), (12_001, [1, 0, 0, 0, 1, 0])] {
                let weights = if lines.is_empty() { [3, 1] } else { [75, 25] };
                let mut it = wrr(lines, &weights);
                let mut queues = Queues(vec![(1, 1500), (0, 1500)]);
                queues.announce(&mut it);
                assert_eq!(queues.send(&mut it, 1), [0]);
                for class in [1, 0] {
                    queues.0[class].0 = 1;
                    it.on_packet(Time::ZERO + Duration::from_us(back_us), class, &queues.states());
                    queues.0[class].0 = 9;
                }
                assert_eq!(queues.send(&mut it, 6), expected, "{lines:?}, back after {back_us} us");
            }
        }
    }

    #[test]
    fn a_debt_outlives_an_idle_port() {
        // 2700 bytes of 1500 leave -1200. The next turn makes that 300, enough for one packet of 600.
        let mut it = wrr(&["weighs = bytes"], &[1, 1]);
        let mut queues = Queues(vec![(1, 2700), (0, 1500)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 1), [0]);
        for class in [1, 0] {
            queues.0[class] = (1, 600);
            it.on_packet(Time::ZERO + Duration::from_secs(1), class, &queues.states());
            queues.0[class].0 = 9;
        }
        assert_eq!(queues.send(&mut it, 6), [1, 1, 1, 0, 1, 1]);
    }
}
