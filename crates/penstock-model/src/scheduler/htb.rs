//! Hierarchical token bucket.

use super::class::ClassPlan;
use super::{QueueState, Scheduler, SchedulerContext, SchedulerPlan, Traits, Turn};
use crate::parameters::{Check, Quantum};
use crate::units::{Bytes, Duration, Rate, Time, PS_PER_SECOND};
use std::collections::BTreeMap;

crate::parameters! {
    /// Hierarchical token bucket: each class is assured of a rate, and borrows what the classes above it leave, up to a ceiling.
    ///
    /// ## Decides
    /// Each class has a bucket of its `rate`, with at most `burst`, and one of its `ceiling`, with at most `ceiling-burst`. A bucket is
    /// open while its level is not negative; a packet may overdraw it. A class may send while its ceilings, its own and those of all
    /// classes above, are open. Its lender is the first on the way up, itself included, whose bucket of the rate is open. Among the
    /// classes that have packets and a lender, those whose lender is deepest go first, so that assured rates precede borrowed ones; among
    /// these the lowest `priority`; and equals take turns of a `quantum` by deficit round robin. A packet is charged to the ceilings of its
    /// class and of all above, and to the buckets of the rate from the lender up. If no class may send, the wire is idle until one may.
    ///
    /// A class with `scheduler.htb` lends to the classes below. One with any other scheduler borrows for all of them, and that scheduler
    /// chooses between them; nor does HTB below another scheduler borrow from above it.
    ///
    /// ## State
    /// Two buckets for each class, exact; for each depth and priority whose turn it is, and for each class what is left of its turn. The
    /// cost per decision grows with the number of classes and their depth.
    ///
    /// ## Departures
    /// As Linux, without hysteresis, with these exceptions: equals take turns whoever their lenders are, where Linux goes lender by lender;
    /// a debt has no limit (`mbuffer`); priorities begin at 1; and a `ceiling` is at least `rate`. Bursts that are left out are 1600 bytes,
    /// whatever the rate. The quantum that is left out is what `rate` sends in a tenth of a second (`r2q` = 10), 1000 to 200,000 bytes.
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
    pub struct Parameters {}
}
impl Check for Parameters {}

impl Traits for Parameters {
    fn class_keys() -> &'static [(&'static str, bool)] {
        &[("rate", true), ("ceiling", false), ("burst", false), ("ceiling-burst", false), ("priority", false), ("quantum", false)]
    }

    fn spans(&self, below: &SchedulerPlan) -> bool {
        matches!(below, SchedulerPlan::Htb(_))
    }
}

/// What a bucket holds of which nothing is said.
const BURST: Bytes = Bytes::new(1600);

/// A bucket whose tokens, in bit/s x ps, may be owed.
#[derive(Clone, Copy, Debug)]
struct Tokens {
    rate: i128,
    depth: i128,
    level: i128,
    at: Time,
}

impl Tokens {
    fn new(rate: Rate, burst: Option<Bytes>) -> Tokens {
        let depth = tokens(burst.unwrap_or(BURST).get());
        Tokens { rate: i128::from(rate.as_bps()), depth, level: depth, at: Time::ZERO }
    }

    #[inline]
    fn level(&self, now: Time) -> i128 {
        (self.level + self.rate * i128::from(now.since(self.at).as_ps())).min(self.depth)
    }

    /// When it is open, `now` or later.
    #[inline]
    fn ready(&self, now: Time) -> Time {
        match -self.level(now) {
            owed if owed <= 0 => now,
            owed => now + Duration::from_ps(u64::try_from((owed + self.rate - 1) / self.rate).unwrap_or(u64::MAX)),
        }
    }

    #[inline]
    fn charge(&mut self, now: Time, size: u32) {
        (self.level, self.at) = (self.level(now) - tokens(u64::from(size)), now);
    }
}

fn tokens(bytes: u64) -> i128 {
    i128::from(bytes) * 8 * i128::from(PS_PER_SECOND)
}

/// A hierarchical token bucket at work.
#[derive(Clone, Debug)]
pub struct Htb {
    /// All classes, each before those below it.
    classes: Vec<Class>,
    /// The classes that send, in the order of the queues.
    leaves: Vec<Leaf>,
    /// The leaf whose turn it is, by rank and priority of the lender.
    turns: BTreeMap<(u32, u32), usize>,
    /// The leaf that was named last, and the rank of its lender.
    named: (usize, u32),
}

#[derive(Clone, Debug)]
struct Class {
    above: Option<usize>,
    /// 0 of a leaf; of others the lower, the deeper they are.
    rank: u32,
    rate: Tokens,
    ceiling: Tokens,
}

#[derive(Clone, Debug)]
struct Leaf {
    class: usize,
    priority: u32,
    quantum: i64,
    /// What is left of its turn, by the rank of the lender; nothing of one that has not sent.
    deficit: BTreeMap<u32, i64>,
}

impl Htb {
    /// Over the tree of `classes`, as far down as their schedulers are HTB. In a blueprint made by hand, a class without a rate has
    /// that of the link.
    pub fn new(_: &Parameters, classes: &[ClassPlan], context: impl Into<SchedulerContext>) -> Htb {
        let mut it = Htb { classes: Vec::new(), leaves: Vec::new(), turns: BTreeMap::new(), named: (0, 0) };
        it.add(classes, None, 0, context.into().site.rate);
        it
    }

    fn add(&mut self, plans: &[ClassPlan], above: Option<usize>, depth: u32, link: Rate) {
        for plan in plans {
            let below = plan.below.as_deref().filter(|below| matches!(below.scheduler, SchedulerPlan::Htb(_)));
            let keys = &plan.keys;
            let rate = keys.rate.unwrap_or(link);
            let class = self.classes.len();
            self.classes.push(Class {
                above,
                rank: if below.is_some() { u32::MAX - depth } else { 0 },
                rate: Tokens::new(rate, keys.burst),
                ceiling: Tokens::new(keys.ceiling.unwrap_or(rate), keys.ceiling_burst.or(keys.burst)),
            });
            if let Some(below) = below {
                self.add(&below.classes, Some(class), depth + 1, link);
                continue;
            }
            let tenth = (rate.as_bps() / 80).clamp(1000, 200_000);
            self.leaves.push(Leaf {
                class,
                priority: keys.priority.map_or(1, |priority| priority.0),
                quantum: keys.quantum.map_or(tenth, Quantum::get) as i64,
                deficit: BTreeMap::new(),
            });
        }
    }

    /// The classes from a leaf up.
    fn path(&self, leaf: usize) -> impl Iterator<Item = &Class> + '_ {
        let first = &self.classes[self.leaves[leaf].class];
        std::iter::successors(Some(first), |class| class.above.map(|above| &self.classes[above]))
    }

    /// The rank of the lender of a leaf, or when it may have one.
    fn lender(&self, now: Time, leaf: usize) -> Result<u32, Time> {
        let ceilings = self.path(leaf).map(|class| class.ceiling.ready(now)).max().unwrap_or(now);
        let mut earliest = Time::NEVER;
        for class in self.path(leaf) {
            match class.rate.ready(now) {
                ready if ready <= now && ceilings <= now => return Ok(class.rank),
                ready => earliest = earliest.min(ready),
            }
        }
        Err(earliest.max(ceilings))
    }
}

crate::state! {
    impl Htb, |it, now| {
        /// What the bucket of each class's rate holds, or owes.
        "tokens", "bit", each it.classes.iter().map(|class| class.rate.level(now) as f64 / PS_PER_SECOND as f64);
        /// What the bucket of each class's ceiling holds, or owes.
        "ceiling-tokens", "bit", each it.classes.iter().map(|class| class.ceiling.level(now) as f64 / PS_PER_SECOND as f64);
    }
}

impl Scheduler for Htb {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        let (n, mut earliest, mut best) = (self.leaves.len(), Time::NEVER, None);
        for leaf in (0..n).filter(|leaf| queues[*leaf].packets > 0) {
            match self.lender(now, leaf) {
                Err(time) => earliest = earliest.min(time),
                Ok(rank) => {
                    let key = (rank, self.leaves[leaf].priority);
                    let turn = self.turns.get(&key).copied().unwrap_or(0);
                    let candidate = (key, (leaf + n - turn) % n, leaf);
                    best = Some(best.map_or(candidate, |best: ((u32, u32), usize, usize)| best.min(candidate)));
                }
            }
        }
        let Some(((rank, _), _, leaf)) = best else { return Turn::NotBefore(earliest) };
        self.named = (leaf, rank);
        Turn::Queue(leaf)
    }

    fn on_sent(&mut self, now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
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
        let goes_on = *deficit >= 0;
        if !goes_on {
            *deficit += leaf.quantum;
        }
        self.turns.insert((lender, leaf.priority), if goes_on { queue } else { (queue + 1) % n });
    }

    fn reads_heads(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::class::LevelPlan;
    use super::super::testing::class;
    use super::super::{drr, priority, AnyScheduler};
    use super::*;

    /// A class with these keys, this scheduler and classes below it.
    fn above(lines: &[&str], scheduler: SchedulerPlan, classes: Vec<ClassPlan>) -> ClassPlan {
        ClassPlan { below: Some(Box::new(LevelPlan { scheduler, classes })), ..class(lines) }
    }

    fn htb() -> SchedulerPlan {
        SchedulerPlan::Htb(Parameters {})
    }

    /// 1000 bytes a millisecond.
    const LINK: Rate = Rate::from_bps(8_000_000);

    /// Queues that always have packets of 1000 bytes, or never.
    fn states(busy: &[bool]) -> Vec<QueueState> {
        busy.iter()
            .map(|busy| QueueState { packets: u32::from(*busy), bytes: 1000 * u64::from(*busy), head: 1000 * u32::from(*busy) })
            .collect()
    }

    /// The queue that begins in each millisecond, and how many of them.
    fn sent(scheduler: &SchedulerPlan, classes: &[ClassPlan], busy: &[bool], until_ms: u64) -> Vec<(u64, usize)> {
        let mut it = AnyScheduler::new(scheduler, classes, LINK);
        let (queues, mut now, mut sent) = (states(busy), Time::ZERO, Vec::new());
        (0..busy.len()).filter(|queue| busy[*queue]).for_each(|queue| it.on_packet(now, queue, &queues));
        while now < Time::ZERO + Duration::from_ms(until_ms) {
            assert_eq!(it.next(now, &queues), it.next(now, &queues));
            match it.next(now, &queues) {
                Turn::Queue(queue) => {
                    it.on_sent(now, queue, 1000, &queues);
                    sent.push((now.as_ps() / 1_000_000_000, queue));
                    now += Duration::from_ms(1);
                }
                Turn::NotBefore(time) => {
                    assert!(time > now);
                    now = time;
                }
            }
        }
        sent
    }

    /// The shares of the link over 10 s.
    fn assert_shares(scheduler: &SchedulerPlan, classes: &[ClassPlan], busy: &[bool], expected: &[f64]) {
        let sent = sent(scheduler, classes, busy, 10_000);
        let seen: Vec<f64> = (0..busy.len()).map(|queue| sent.iter().filter(|(_, its)| *its == queue).count() as f64 / 1e4).collect();
        // Bursts and debts of 3 packets, and what is left of a turn of at most 30 packets, of 10 000.
        let is_near = |(seen, expected): (&f64, &f64)| (seen - expected).abs() < 0.0033;
        assert!(seen.iter().zip(expected).all(is_near), "{busy:?}: {seen:?}, not {expected:?}");
    }

    /// The example of [Devera02]: A has www and smtp, B is alone; all share the link.
    fn agencies() -> Vec<ClassPlan> {
        let www = class(&["rate = 2400 kbit/s", "ceiling = 8 Mbit/s"]);
        let smtp = class(&["rate = 800 kbit/s", "ceiling = 8 Mbit/s"]);
        let a = above(&["rate = 3200 kbit/s", "ceiling = 8 Mbit/s"], htb(), vec![smtp, www]);
        let b = class(&["rate = 4800 kbit/s", "ceiling = 8 Mbit/s"]);
        vec![above(&["rate = 8 Mbit/s"], htb(), vec![a, b])]
    }

    #[test]
    fn assured_rates_hold_and_what_is_unused_stays_in_the_family_first() {
        assert_shares(&htb(), &agencies(), &[true, true, true], &[0.1, 0.3, 0.6]);
        assert_shares(&htb(), &agencies(), &[true, false, true], &[0.4, 0.0, 0.6]);
        assert_shares(&htb(), &agencies(), &[false, true, false], &[0.0, 1.0, 0.0]);
        assert_shares(&htb(), &agencies(), &[false, false, true], &[0.0, 0.0, 1.0]);
    }

    #[test]
    fn excess_is_shared_by_quanta() {
        // B is silent: 0.6 are left, by quanta of 10 kB and 30 kB (a tenth of a second of 800 and of 2400 kbit/s).
        assert_shares(&htb(), &agencies(), &[true, true, false], &[0.25, 0.75, 0.0]);
        // 0.8 are left of two classes of 0.1, by quanta of 3 kB and 1 kB.
        let two = [("3000 bytes", "first"), ("1000 bytes", "second")]
            .map(|(quantum, _)| class(&["rate = 800 kbit/s", "ceiling = 8 Mbit/s", &format!("quantum = {quantum}")]));
        assert_shares(&htb(), &[above(&["rate = 8 Mbit/s"], htb(), two.to_vec())], &[true, true], &[0.7, 0.3]);
    }

    #[test]
    fn a_ceiling_holds_while_the_wire_is_idle() {
        let two = [class(&["rate = 800 kbit/s", "ceiling = 1600 kbit/s"]), class(&["rate = 800 kbit/s"])];
        // No class above lends.
        assert_shares(&htb(), &two, &[true, true], &[0.1, 0.1]);
        let one = [above(&["rate = 8 Mbit/s"], htb(), two.to_vec())];
        assert_shares(&htb(), &one, &[true, true], &[0.2, 0.1]);
        // In any time t no more than ceiling x t + burst + a packet that overdraws it.
        let starts: Vec<u64> = sent(&htb(), &one, &[true, false], 3000).iter().map(|(ms, _)| *ms).collect();
        for (i, from) in starts.iter().enumerate() {
            for (k, to) in starts.iter().enumerate().skip(i) {
                assert!((k - i + 1) as u64 * 1000 <= (to - from) * 200 + 1600 + 1000, "from {from} to {to} ms");
            }
        }
    }

    #[test]
    fn tokens_are_spent_and_earned_exactly() {
        // 1600 bytes: 1000 leave 600, with the 100 of the next millisecond 700; 1000 more overdraw by 300, which take 3 ms: at 4 ms, then
        // every 10 ms, since the bucket is at zero when it opens.
        let one = [class(&["rate = 800 kbit/s"])];
        let starts: Vec<u64> = sent(&htb(), &one, &[true], 40).iter().map(|(ms, _)| *ms).collect();
        assert_eq!(starts, [0, 1, 4, 14, 24, 34]);
    }

    #[test]
    fn priority_says_who_gets_the_excess() {
        let of = |ceiling: &str, priority: &str| class(&["rate = 800 kbit/s", ceiling, priority]);
        let two = |ceiling| vec![of(ceiling, "priority = 1"), of("ceiling = 8 Mbit/s", "priority = 2")];
        assert_shares(&htb(), &[above(&["rate = 8 Mbit/s"], htb(), two("ceiling = 4 Mbit/s"))], &[true, true], &[0.5, 0.5]);
        assert_shares(&htb(), &[above(&["rate = 8 Mbit/s"], htb(), two("ceiling = 8 Mbit/s"))], &[true, true], &[0.9, 0.1]);
    }

    #[test]
    fn it_stands_above_and_below_other_schedulers() {
        // Deficit round robin shares what its class gets, borrowed rate included, 3 to 1.
        let drr = SchedulerPlan::Drr(drr::Parameters {});
        let shared = vec![class(&["quantum = 3000 bytes"]), class(&["quantum = 1000 bytes"])];
        let lent = vec![above(&["rate = 1600 kbit/s", "ceiling = 4 Mbit/s"], drr, shared), class(&["rate = 4 Mbit/s"])];
        let classes = [above(&["rate = 8 Mbit/s"], htb(), lent)];
        assert_shares(&htb(), &classes, &[true, true, true], &[0.375, 0.125, 0.5]);
        assert_shares(&htb(), &classes, &[false, true, true], &[0.0, 0.5, 0.5]);
        // Below strict priority its classes borrow from each other, and leave what they may not send to the next class.
        let order = ["a", "b"].map(|name| priority::ClassName(name.to_owned())).to_vec();
        let root = SchedulerPlan::Priority(priority::Parameters { order });
        let inner = vec![class(&["rate = 800 kbit/s", "ceiling = 1600 kbit/s"]), class(&["rate = 800 kbit/s"])];
        let first = above(&[], htb(), vec![above(&["rate = 2400 kbit/s"], htb(), inner)]);
        assert_shares(&root, &[first.clone(), ClassPlan::default()], &[true, true, true], &[0.2, 0.1, 0.7]);
        assert_shares(&root, &[first, ClassPlan::default()], &[true, false, true], &[0.2, 0.0, 0.8]);
    }
}
