//! Hierarchical token bucket.

use super::class::ClassPlan;
use super::{ClassFacts, HasFacts, Loan, QueueState, Scheduler, SchedulerContext, SchedulerFacts, SchedulerPlan, Turn};
use crate::parameters::{Check, Count, Quantum};
use crate::units::{Bytes, Duration, Rate, Time, PS_PER_SECOND};
use std::any::Any;
use std::collections::BTreeMap;

crate::parameters! {
    /// Hierarchical token bucket: each class has an assured rate and borrows unused rate from the classes above, up to a ceiling.
    ///
    /// ## Decides
    /// Each class has two token buckets: one for its `rate`, of size `burst`, and one for its `ceiling`, of size `ceiling-burst`. A
    /// bucket is open while its level is not negative; a packet may overdraw it. The lender of a class is the first class on the path
    /// to the root, starting with itself, whose rate bucket is open, provided that the ceiling buckets of all classes up to the
    /// lender are open. Among the classes with packets and a lender, the scheduler chooses by three rules:
    ///
    /// 1. the deepest lender, so that assured rates precede borrowed ones;
    /// 2. the lowest `priority`;
    /// 3. turns of a `quantum` by deficit round robin. A class whose queue becomes empty passes the turn on if its last packet was sent
    ///    at its own `rate`, and keeps it if that packet borrowed.
    ///
    /// A packet is charged to the ceilings of its class and of all classes above, and to the rate buckets from the lender up. If no
    /// class has a lender, the wire is idle until one has. A class sends at its own `rate` even if the ceiling of a class above is used
    /// up, so the assured rates should add up to less than that ceiling.
    ///
    /// A class with `scheduler.htb` lends to the classes below. A class with any other scheduler borrows for all of its classes, and
    /// that scheduler chooses among them. HTB classes further down borrow through the schedulers in between. Lenders of all levels
    /// count: the packet with the deepest lender goes first, and is charged to all classes above it. The schedulers in between
    /// choose only among packets that may be sent.
    ///
    /// ## State
    /// Two exact bucket levels per class; the class whose turn it is at each depth and priority; the unused part of each class's
    /// turn. The cost per decision grows with the number of classes and their depth.
    ///
    /// ## Departures
    /// As in Linux without hysteresis, with these exceptions:
    ///
    /// - Classes of equal rank take turns whichever lenders they have; Linux serves one lender after another.
    /// - Debts are unlimited (Linux limits them by `mbuffer`).
    /// - Priorities begin at 1; `ceiling` must be at least `rate`; `ceiling-burst` defaults to `burst` if that is given.
    /// - The default of the bursts is 1600 bytes at any rate, as in `tc` with a clock of nanoseconds.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.htb = {}
    /// class.all.rate = "1 Mbit/s"
    /// class.all.scheduler.htb = {}
    /// class.all.class.ef = { rate = "300 kbit/s", ceiling = "1 Mbit/s" }
    /// class.all.class.default = { rate = "700 kbit/s", ceiling = "1 Mbit/s", priority = 2 }
    /// ```
    ///
    /// ## References
    /// [Devera02]; tc-htb(8) of Linux; borrowing as in [Floyd95].
    pub struct Parameters with class ClassParameters {}
}
impl Check for Parameters {}

crate::parameters! {
    /// A class of the hierarchical token bucket.
    pub struct ClassParameters {
        /// Assured rate.
        rate: Rate, changeable;
        /// Maximum rate, borrowed rate included; `rate` if left out.
        ceiling: Option<Rate>, changeable;
        /// Size of the bucket of the assured rate: bytes sent back to back after a pause.
        burst: Bytes = "1600 bytes", changeable;
        /// Size of the bucket of the ceiling; `burst` if left out.
        ceiling_burst: Option<Bytes>, changeable;
        /// Rank among the classes that borrow; 1 goes first. Classes may share a priority.
        priority: Count = "1";
        /// Bytes that it may send in a turn; if left out, a tenth of a second at `rate` (`r2q` = 10), within 1000 and 200,000 bytes.
        quantum: Option<Quantum>, changeable;
    }
}
impl Check for ClassParameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if let Some(ceiling) = self.ceiling.filter(|ceiling| *ceiling < self.rate) {
            mistake("ceiling", format!("{ceiling} is below the rate, {}; at least that", self.rate));
        }
    }
}

impl ClassParameters {
    /// Parameters of a class with this rate and default values.
    fn of(rate: Rate) -> ClassParameters {
        ClassParameters { rate, ceiling: None, burst: Bytes::new(1600), ceiling_burst: None, priority: Count(1), quantum: None }
    }

    fn rate_tokens(&self) -> Tokens {
        Tokens::new(self.rate, self.burst)
    }

    fn ceiling_tokens(&self) -> Tokens {
        Tokens::new(self.ceiling.unwrap_or(self.rate), self.ceiling_burst.unwrap_or(self.burst))
    }

    fn quantum(&self) -> i64 {
        let tenth = (self.rate.as_bps() / 80).clamp(1000, 200_000);
        self.quantum.map_or(tenth, Quantum::get) as i64
    }
}

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        SchedulerFacts { lends: true, ..SchedulerFacts::default() }
    }

    fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
        let quantum = class.parameters().and_then(|class: &ClassParameters| class.quantum);
        ClassFacts { quantum: quantum.map(|quantum| quantum.0), ..ClassFacts::default() }
    }
}

/// Token bucket whose level, in bit/s x ps, may be negative.
#[derive(Clone, Copy, Debug)]
struct Tokens {
    rate: i128,
    depth: i128,
    level: i128,
    at: Time,
}

impl Tokens {
    fn new(rate: Rate, burst: Bytes) -> Tokens {
        let depth = tokens(burst.get());
        Tokens { rate: i128::from(rate.as_bps()), depth, level: depth, at: Time::ZERO }
    }

    #[inline]
    fn level(&self, now: Time) -> i128 {
        (self.level + self.rate * i128::from(now.since(self.at).as_ps())).min(self.depth)
    }

    /// Time at which the bucket is open; `now` or later.
    #[inline]
    fn ready(&self, now: Time) -> Time {
        match -self.level(now) {
            owed if owed <= 0 => now,
            owed => now + Duration::from_ps(u64::try_from((owed + self.rate - 1) / self.rate).unwrap_or(u64::MAX)),
        }
    }

    /// Adopts the rate and the depth of `other`. Tokens above the new depth are lost.
    fn change(&mut self, now: Time, other: &Tokens) {
        *self = Tokens { level: self.level(now).min(other.depth), at: now, ..*other };
    }

    #[inline]
    fn charge(&mut self, now: Time, size: u32) {
        (self.level, self.at) = (self.level(now) - tokens(u64::from(size)), now);
    }
}

fn tokens(bytes: u64) -> i128 {
    i128::from(bytes) * 8 * i128::from(PS_PER_SECOND)
}

/// Rank of a lender that is a class of another scheduler above.
const ABOVE: u32 = u32::MAX;

/// Whether classes below `plan` can borrow from it, directly or through other schedulers.
fn lends_below(plan: &ClassPlan) -> bool {
    let below = plan.below.as_deref();
    below.is_some_and(|below| below.scheduler.facts().lends || below.classes.iter().any(lends_below))
}

/// State of a hierarchical token bucket.
#[derive(Clone, Debug)]
pub struct Htb {
    /// All classes, each before the classes below it.
    classes: Vec<Class>,
    /// Classes that send, in the order of the queues.
    leaves: Vec<Leaf>,
    /// Leaf whose turn it is, by rank and priority of the lender.
    turns: BTreeMap<(u32, u32), usize>,
    /// Leaf that the last decision selected, and the rank of its lender.
    named: (usize, u32),
}

#[derive(Clone, Debug)]
struct Class {
    above: Option<usize>,
    /// 0 for a class that no other borrows from; otherwise lower for deeper classes.
    rank: u32,
    rate: Tokens,
    ceiling: Tokens,
}

#[derive(Clone, Debug)]
struct Leaf {
    class: usize,
    priority: u32,
    quantum: i64,
    /// Remaining bytes of its turn, by the rank of the lender; no entry before the class has sent.
    deficit: BTreeMap<u32, i64>,
}

impl Htb {
    /// HTB over the tree of `classes`, down to the last level whose scheduler is HTB. In a blueprint made by hand, a class without a rate
    /// has the rate of the link.
    pub fn new(_: &Parameters, classes: &[ClassPlan], context: impl Into<SchedulerContext>) -> Htb {
        let mut it = Htb { classes: Vec::new(), leaves: Vec::new(), turns: BTreeMap::new(), named: (0, 0) };
        it.add(classes, None, 0, context.into().site.rate);
        it
    }

    fn add(&mut self, plans: &[ClassPlan], above: Option<usize>, depth: u32, link: Rate) {
        for plan in plans {
            let below = plan.below.as_deref().filter(|below| matches!(below.scheduler, SchedulerPlan::Htb(_)));
            let keys = plan.parameters().cloned().unwrap_or_else(|| ClassParameters::of(link));
            let class = self.classes.len();
            self.classes.push(Class {
                above,
                rank: if lends_below(plan) { ABOVE - 1 - depth } else { 0 },
                rate: keys.rate_tokens(),
                ceiling: keys.ceiling_tokens(),
            });
            if let Some(below) = below {
                self.add(&below.classes, Some(class), depth + 1, link);
                continue;
            }
            self.leaves.push(Leaf { class, priority: keys.priority.0, quantum: keys.quantum(), deficit: BTreeMap::new() });
        }
    }

    /// Gives the classes, starting at class number `class`, the changeable parameters of `plans`. Returns the number after the last.
    fn change_classes(&mut self, now: Time, plans: &[ClassPlan], mut class: usize) -> usize {
        for plan in plans {
            if let Some(keys) = plan.parameters::<ClassParameters>() {
                self.classes[class].rate.change(now, &keys.rate_tokens());
                self.classes[class].ceiling.change(now, &keys.ceiling_tokens());
                self.leaves.iter_mut().filter(|leaf| leaf.class == class).for_each(|leaf| leaf.quantum = keys.quantum());
            }
            class += 1;
            if let Some(below) = plan.below.as_deref().filter(|below| matches!(below.scheduler, SchedulerPlan::Htb(_))) {
                class = self.change_classes(now, &below.classes, class);
            }
        }
        class
    }

    /// Classes from a leaf to the root.
    fn path(&self, leaf: usize) -> impl Iterator<Item = &Class> + '_ {
        let first = &self.classes[self.leaves[leaf].class];
        std::iter::successors(Some(first), |class| class.above.map(|above| &self.classes[above]))
    }

    /// Rank of the lender of a leaf, or the time at which the leaf may have one. Ceilings count up to the lender, as in Linux.
    fn lender(&self, now: Time, leaf: usize, is_paid: bool, above: Option<Loan>) -> Result<u32, Time> {
        if is_paid {
            return Ok(0);
        }
        let (mut ceilings, mut earliest) = (now, Time::NEVER);
        for class in self.path(leaf) {
            ceilings = ceilings.max(class.ceiling.ready(now));
            match class.rate.ready(now).max(ceilings) {
                ready if ready <= now => return Ok(class.rank),
                ready => earliest = earliest.min(ready),
            }
        }
        match above.map(|loan| loan.ready.max(ceilings)) {
            Some(ready) if ready <= now => Ok(ABOVE),
            ready => Err(earliest.min(ready.unwrap_or(Time::NEVER))),
        }
    }
}

crate::state! {
    impl Htb, |it, now| {
        /// Level of the rate bucket of each class, negative if it owes.
        "tokens", "bit", each it.classes.iter().map(|class| class.rate.level(now) as f64 / PS_PER_SECOND as f64);
        /// Level of the ceiling bucket of each class, negative if it owes.
        "ceiling-tokens", "bit", each it.classes.iter().map(|class| class.ceiling.level(now) as f64 / PS_PER_SECOND as f64);
    }
}

impl Scheduler for Htb {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        self.next_with_loan(now, queues, &[], None).0
    }

    fn loan(&self, now: Time, class: usize, above: Option<Loan>) -> Option<Loan> {
        let (mut ceilings, mut earliest) = (now, Time::NEVER);
        for class in self.path(class) {
            ceilings = ceilings.max(class.ceiling.ready(now));
            earliest = earliest.min(class.rate.ready(now).max(ceilings));
        }
        let of_others = above.map_or(Time::NEVER, |loan| loan.ready.max(ceilings));
        Some(Loan { ready: earliest.min(of_others) })
    }

    fn next_with_loan(&mut self, now: Time, queues: &[QueueState], is_paid: &[bool], above: Option<Loan>) -> (Turn, bool) {
        let (n, mut earliest, mut best) = (self.leaves.len(), Time::NEVER, None);
        for leaf in (0..n).filter(|leaf| queues[*leaf].packets > 0) {
            match self.lender(now, leaf, is_paid.get(leaf) == Some(&true), above) {
                Err(time) => earliest = earliest.min(time),
                Ok(rank) => {
                    let key = (rank, self.leaves[leaf].priority);
                    let turn = self.turns.get(&key).copied().unwrap_or(0);
                    let candidate = (key, (leaf + n - turn) % n, leaf);
                    best = Some(best.map_or(candidate, |best: ((u32, u32), usize, usize)| best.min(candidate)));
                }
            }
        }
        let Some(((rank, _), _, leaf)) = best else { return (Turn::NotBefore(earliest), false) };
        self.named = (leaf, rank);
        (Turn::Queue(leaf), rank != ABOVE)
    }

    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let (named, lender) = self.named;
        debug_assert_eq!(named, queue, "sends what it has named");
        let mut class = Some(self.leaves[queue].class);
        while let Some(it) = class.map(|class| &mut self.classes[class]) {
            it.ceiling.charge(now, size);
            if it.rank >= lender {
                it.rate.charge(now, size);
            }
            class = it.above;
        }
        let n = self.leaves.len();
        let leaf = &mut self.leaves[queue];
        let deficit = leaf.deficit.entry(lender).or_insert(0);
        *deficit -= i64::from(size);
        // Linux removes an empty leaf from the round of leaves that send at their own rate; a class that lends remembers whose turn it is.
        let borrows = lender > self.classes[leaf.class].rank;
        let goes_on = *deficit >= 0 && (borrows || queues[queue].packets > 0);
        if *deficit < 0 {
            *deficit += leaf.quantum;
        }
        self.turns.insert((lender, leaf.priority), if goes_on { queue } else { (queue + 1) % n });
    }

    fn reads_heads(&self) -> bool {
        false
    }

    fn change(
        &mut self,
        now: Time,
        _parameters: &dyn Any,
        classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        self.change_classes(now, classes, 0);
        None
    }
}

#[cfg(test)]
mod tests;
