//! Deficit round robin.

use super::class::ClassPlan;
use super::idle::LastTransmission;
use super::{ClassFacts, HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::{Check, Quantum};
use crate::transmission::WireRate;
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// Deficit round robin: classes take turns, and each carries the unused part of its quantum over to its next turn.
    ///
    /// ## Decides
    /// Classes with packets form a list; a class that receives its first packet joins at the end. The first class of the list has
    /// the turn. It adds its `quantum` to its deficit counter and sends packets while the next one is no larger than the counter;
    /// each packet reduces the counter by its size. Then the class moves to the end of the list and keeps the rest of its counter.
    /// A class that has no packets when its last transmission ends leaves the list, and its counter is reset. Long-run shares in
    /// bytes are proportional to the quanta, regardless of packet sizes.
    ///
    /// ## State
    /// The list and the counters. Constant cost per packet if each quantum is at least the largest packet of its class
    /// [Shreedhar96 s4]. Smaller quanta are allowed, with a warning: shares stay the same, and a decision takes up to two steps
    /// per class.
    ///
    /// ## Departures
    /// Rounds in which no class can send are computed in one step instead of one by one; the order of packets is the same. If the
    /// port becomes idle, the end of the last transmission is computed from the initial rate of the link, even if this rate
    /// changes.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.drr = {}
    /// class.ef.quantum = "3000 bytes"
    /// class.default.quantum = "1500 bytes"
    /// ```
    ///
    /// ## References
    /// [Shreedhar96 s3].
    pub struct Parameters with class ClassParameters {}
}
impl Check for Parameters {}

crate::parameters! {
    /// A class of deficit round robin.
    pub struct ClassParameters {
        /// Bytes added to the deficit counter in each round. If it is at least the largest packet of the class, each round serves
        /// each class, and the cost of a decision does not depend on the number of classes [Shreedhar96 s4].
        quantum: Quantum, changeable;
    }
}
impl Check for ClassParameters {}

impl HasFacts for Parameters {
    fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
        ClassFacts { quantum: class.parameters().map(|class: &ClassParameters| class.quantum.0), ..ClassFacts::default() }
    }
}

fn quantum(class: &ClassPlan) -> u64 {
    class.parameters().map_or(1500, |class: &ClassParameters| class.quantum.get())
}

/// State of deficit round robin.
#[derive(Clone, Debug)]
pub struct Drr {
    classes: Vec<Class>,
    /// Tail of the list (ActiveList). Its `next` is the head of the list. Any class if the list is empty.
    last: u8,
    /// Length of the list.
    length: usize,
    /// Whether the first class of the list has received its quantum.
    granted: bool,
    last_transmission: LastTransmission,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    deficit: u64,
    quantum: u64,
    /// Next class in the list.
    next: u8,
    stands_in_row: bool,
}

impl Drr {
    /// Deficit round robin among `classes`. A class without a quantum, in a blueprint made by hand, has 1500 bytes.
    pub fn new(_: &Parameters, classes: &[ClassPlan], wire: impl Into<SchedulerContext>) -> Drr {
        Drr::with_quanta(classes.iter().map(quantum), wire.into().wire())
    }

    /// Deficit round robin among classes with these quanta, in bytes, on a link of this rate.
    pub(super) fn with_quanta(quanta: impl Iterator<Item = u64>, wire: WireRate) -> Drr {
        let class = |quantum| Class { deficit: 0, quantum, next: 0, stands_in_row: false };
        let last_transmission = LastTransmission::none(wire);
        Drr { classes: quanta.map(class).collect(), last: 0, length: 0, granted: false, last_transmission }
    }

    /// The deficit counter of each class.
    pub(super) fn deficits(&self) -> impl Iterator<Item = f64> + '_ {
        self.classes.iter().map(|class| class.deficit as f64)
    }

    #[inline(always)]
    fn first(&self) -> u8 {
        self.classes[usize::from(self.last)].next
    }

    /// Appends a class to the list unless the list contains it.
    #[inline]
    pub(super) fn join(&mut self, queue: usize) {
        if self.classes[queue].stands_in_row {
            return;
        }
        let first = if self.length == 0 { queue as u8 } else { self.first() };
        self.classes[queue].stands_in_row = true;
        self.classes[queue].next = first;
        if self.length > 0 {
            self.classes[usize::from(self.last)].next = queue as u8;
        }
        self.last = queue as u8;
        self.length += 1;
    }

    /// Empties the list, since no class had packets while the wire was free.
    #[cold]
    fn reset(&mut self) {
        for class in &mut self.classes {
            (class.deficit, class.stands_in_row) = (0, false);
        }
        (self.length, self.granted) = (0, false);
    }
}

impl Drr {
    /// Skips the rounds in which no class would have enough for its next packet. There are many if quanta are much smaller than packets.
    /// All classes of the list must have packets, and the first must not have received its quantum.
    #[cold]
    fn skip_rounds(&mut self, queues: &[QueueState]) {
        let row = || self.classes.iter().zip(queues).filter(|(class, _)| class.stands_in_row);
        let rounds = |(class, queue): (&Class, &QueueState)| (u64::from(queue.head) - class.deficit - 1) / class.quantum;
        let skipped = row().map(rounds).min().unwrap_or(0);
        for class in self.classes.iter_mut().filter(|class| class.stands_in_row) {
            class.deficit += class.quantum * skipped;
        }
    }
}

crate::state! {
    impl Drr, |it, _now| {
        /// Deficit counter of each class (DC_i) [Shreedhar96 s3].
        "deficit", "bytes", each it.deficits();
    }
}

impl Scheduler for Drr {
    #[inline(always)]
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        loop {
            for _ in 0..=self.classes.len() {
                let first = self.first();
                let (class, queue) = (&mut self.classes[usize::from(first)], &queues[usize::from(first)]);
                // A packet that arrived during the last transmission of the class still belongs to its turn.
                if queue.packets == 0 {
                    *class = Class { deficit: 0, stands_in_row: false, ..*class };
                    let next = class.next;
                    self.classes[usize::from(self.last)].next = next;
                    assert!(self.length > 1, "asked only while a queue has a packet");
                    self.length -= 1;
                    self.granted = false;
                    continue;
                }
                if !self.granted {
                    class.deficit += class.quantum;
                    self.granted = true;
                }
                if u64::from(queue.head) <= class.deficit {
                    return Turn::Queue(usize::from(first));
                }
                // The class moves to the end of the list.
                self.last = first;
                self.granted = false;
            }
            self.skip_rounds(queues);
        }
    }

    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        if self.last_transmission.is_over(now, queue, queues) {
            self.reset();
        }
        self.join(queue);
    }

    #[inline(always)]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        debug_assert_eq!(usize::from(self.first()), queue);
        self.last_transmission.begin(now, size);
        self.classes[queue].deficit -= u64::from(size);
    }

    fn change(
        &mut self,
        _now: Time,
        _parameters: &dyn Any,
        classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        self.classes.iter_mut().zip(classes).for_each(|(class, plan)| class.quantum = quantum(plan));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{class, Queues};
    use super::*;
    use crate::units::{Duration, Rate};

    fn drr(quanta: &[&str]) -> Drr {
        let classes: Vec<ClassPlan> = quanta.iter().map(|quantum| class::<ClassParameters>(&[&format!("quantum = {quantum}")])).collect();
        Drr::new(&Parameters {}, &classes, Rate::from_bps(1_000_000))
    }

    #[test]
    fn what_is_left_of_a_quantum_is_saved() {
        // Quanta of 500, packets of 400 and 200. The first class sends 1 (100 left), 1 (200), 1 (300), 2 (0); the second sends 2 (100
        // left), 3 (0), ...
        let mut it = drr(&["500 bytes", "500 bytes"]);
        let mut queues = Queues(vec![(20, 400), (20, 200)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 15), [0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn a_packet_larger_than_its_quantum_waits_for_several() {
        let mut it = drr(&["500 bytes", "500 bytes"]);
        let mut queues = Queues(vec![(2, 1500), (20, 500)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 8), [1, 1, 0, 1, 1, 1, 0, 1]);
    }

    #[test]
    fn quanta_much_below_packets_are_counted_up_at_once() {
        // A packet of the first class needs 1500 rounds, one of the second 750. At round 750 the second sends, at round 1500 both.
        let mut it = drr(&["1 byte", "2 bytes"]);
        let mut queues = Queues(vec![(9, 1500), (9, 1500)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 9), [1, 0, 1, 1, 0, 1, 1, 0, 1]);
        // A class without packets gets nothing from skipped rounds. The second class joins behind the first, which has just sent: rounds
        // 750 and 1500 of the second come before round 1500 of the first.
        queues.0 = vec![(9, 1500), (0, 1500)];
        assert_eq!(queues.send(&mut it, 2), [0, 0]);
        queues.0[1].0 = 9;
        it.on_backlog(Time::ZERO, 1, &queues.states());
        assert_eq!(queues.send(&mut it, 3), [1, 1, 0]);
    }

    #[test]
    fn a_class_that_runs_dry_starts_anew_at_the_end() {
        let mut it = drr(&["1000 bytes", "1000 bytes", "1000 bytes"]);
        let mut queues = Queues(vec![(1, 300), (9, 1000), (9, 1000)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 2), [0, 1]);
        queues.0[0].0 = 9;
        it.on_backlog(Time::ZERO, 0, &queues.states());
        // The earlier deficit of 700 is gone, so three packets of 300 fit. The second class moves to the end only when its turn is over.
        assert_eq!(queues.send(&mut it, 6), [2, 0, 0, 0, 1, 2]);
    }

    /// A packet of 1500 bytes takes 12 ms.
    #[test]
    fn an_idle_port_ends_the_turn() {
        // Arrivals at the end of the transmission precede the decision, so the first class can use the 1500 bytes that it has left.
        for (back_us, expected) in [(12_000, [0, 1, 0, 0, 1, 0]), (12_001, [1, 0, 0, 1, 0, 0])] {
            let mut it = drr(&["3000 bytes", "1500 bytes"]);
            let mut queues = Queues(vec![(1, 1500), (0, 1500)]);
            queues.announce(&mut it);
            assert_eq!(queues.send(&mut it, 1), [0]);
            for class in [1, 0] {
                queues.0[class].0 = 9;
                it.on_backlog(Time::ZERO + Duration::from_us(back_us), class, &queues.states());
            }
            assert_eq!(queues.send(&mut it, 6), expected, "back after {back_us} us");
        }
    }

    #[test]
    fn a_class_whose_packets_were_dropped_keeps_nothing_while_the_port_is_idle() {
        let mut it = drr(&["1000 bytes", "1000 bytes"]);
        let mut queues = Queues(vec![(2, 300), (9, 800)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 3), [0, 0, 1]);
        // The second class has 200 bytes left and loses its other packets. When both get packets again, deficits are zero, and a quantum
        // fits two packets.
        queues.0[1].0 = 0;
        it.on_drop(Time::ZERO, 1, 800, &queues.states());
        for class in [1, 0] {
            queues.0[class] = (9, 500);
            it.on_backlog(Time::ZERO + Duration::from_ms(20), class, &queues.states());
        }
        assert_eq!(it.deficits().collect::<Vec<_>>(), [0.0, 0.0]);
        assert_eq!(queues.send(&mut it, 5), [1, 1, 0, 0, 1]);
    }
}
