//! Deficit round robin.

use super::class::ClassPlan;
use super::{ClassFacts, HasFacts, QueueState, Scheduler, SchedulerContext, Turn};
use crate::parameters::{Check, Quantum};
use crate::units::Time;

crate::parameters! {
    /// Deficit round robin: classes take turns, and each saves up what a turn leaves too little for its next packet.
    ///
    /// ## Decides
    /// Classes that have packets stand in a row; one that gets its first packet joins at the end. The first of the row gets
    /// its `quantum` added to its deficit counter and sends while its next packet is not larger than the counter, which
    /// each packet reduces by its size. Then it goes to the end of the row and keeps what is left. If it has no packet when
    /// the wire is free, it leaves the row and keeps nothing. Long-run shares in bytes are those of the quanta, whatever the packets' sizes.
    ///
    /// ## State
    /// The row and the counters. Constant cost per packet where each quantum is at least the largest packet of its class
    /// [Shreedhar96 s4]. Smaller quanta are allowed, with a warning: shares stay the same, and a decision costs up to twice
    /// as many steps as there are classes.
    ///
    /// ## Departures
    /// Rounds in which no class could send are not walked through but added up at once; the order is the same.
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
        /// Bytes that it may send more in each round; better at least its largest packet, so that each round serves each class and a
        /// decision costs the same however many classes there are [Shreedhar96 s4].
        quantum: Quantum;
    }
}
impl Check for ClassParameters {}

impl HasFacts for Parameters {
    fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
        ClassFacts { quantum: class.parameters().map(|class: &ClassParameters| class.quantum.0), ..ClassFacts::default() }
    }
}

/// State of deficit round robin.
#[derive(Clone, Debug)]
pub struct Drr {
    classes: Vec<Class>,
    /// The last of the list (ActiveList), whose next is the first; any class if it is empty.
    last: u8,
    /// How many stand in it.
    length: usize,
    /// The first of the row has had its quantum.
    granted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    deficit: u64,
    quantum: u64,
    /// The next class in the list.
    next: u8,
    stands_in_row: bool,
}

impl Drr {
    /// Deficit round robin among `classes`. A class without a quantum, in a blueprint made by hand, has 1500 bytes.
    pub fn new(_: &Parameters, classes: &[ClassPlan], _: impl Into<SchedulerContext>) -> Drr {
        let quantum = |class: &ClassPlan| class.parameters().map_or(1500, |class: &ClassParameters| class.quantum.get());
        let class = |plan| Class { deficit: 0, quantum: quantum(plan), next: 0, stands_in_row: false };
        Drr { classes: classes.iter().map(class).collect(), last: 0, length: 0, granted: false }
    }

    #[inline(always)]
    fn first(&self) -> u8 {
        self.classes[usize::from(self.last)].next
    }
}

impl Drr {
    /// Passes over all rounds in which no class would have enough for its next packet, of which there are many with quanta much
    /// below packets. All that stand in the row have packets, and the first has not had its quantum.
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
        /// What each class may still send in its turn, or keeps for its next one (DC_i) [Shreedhar96 s3].
        "deficit", "bytes", each it.classes.iter().map(|class| class.deficit as f64);
    }
}

impl Scheduler for Drr {
    #[inline(always)]
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        loop {
            for _ in 0..=self.classes.len() {
                let first = self.first();
                let (class, queue) = (&mut self.classes[usize::from(first)], &queues[usize::from(first)]);
                // Whatever came during its last transmission still belongs to its turn.
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
                // It goes to the end of the row.
                self.last = first;
                self.granted = false;
            }
            self.skip_rounds(queues);
        }
    }

    #[inline]
    fn on_backlog(&mut self, _now: Time, queue: usize, _queues: &[QueueState]) {
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

    #[inline(always)]
    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        debug_assert_eq!(usize::from(self.first()), queue);
        self.classes[queue].deficit -= u64::from(size);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{class, Queues};
    use super::*;
    use crate::units::Rate;

    fn drr(quanta: &[&str]) -> Drr {
        let classes: Vec<ClassPlan> = quanta.iter().map(|quantum| class::<ClassParameters>(&[&format!("quantum = {quantum}")])).collect();
        Drr::new(&Parameters {}, &classes, Rate::from_bps(1_000_000))
    }

    #[test]
    fn what_is_left_of_a_quantum_is_saved() {
        // Quanta of 500, packets of 400 and 200: the first sends 1 (100 left), 1 (200), 1 (300), 2 (0); the second sends
        // 2 (100 left), 3 (0), ...
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
        // 1500 rounds for the first class's packet, 1000 for one of the second: at round 750 the second has 1500, at 1500 both.
        let mut it = drr(&["1 byte", "2 bytes"]);
        let mut queues = Queues(vec![(9, 1500), (9, 1500)]);
        queues.announce(&mut it);
        assert_eq!(queues.send(&mut it, 9), [1, 0, 1, 1, 0, 1, 1, 0, 1]);
        // A class without packets keeps nothing of the rounds. The second joins behind the first, which has just sent: its
        // rounds 750 and 1500 come before the first's round 1500.
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
        // Its 700 of before are gone: three of 300 fit. The second class goes to the end only now that its turn is over.
        assert_eq!(queues.send(&mut it, 6), [2, 0, 0, 0, 1, 2]);
    }
}
