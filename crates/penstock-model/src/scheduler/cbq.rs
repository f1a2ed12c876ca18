//! Class-based queueing.

use super::class::ClassPlan;
use super::class_set::ClassSet;
use super::wrr::{Debts, Wrr};
use super::{HasFacts, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::parameters::{Check, Count, Probability, Quantum};
use crate::transmission::{TransmissionTimes, WireRate};
use crate::units::{Duration, Rate, Time};

crate::parameters! {
    /// Class-based queueing: each class has a share of the link, and may exceed it only by borrowing.
    ///
    /// ## Decides
    /// Classes are served by `priority`, the lowest number first, and by weighted round robin with their shares within a priority.
    /// Each class has an estimator. The idle time of a packet is the time from the end of its predecessor to its own end, minus its
    /// transmission time at the class's share of the link. The estimator averages it: avgidle += (idle - avgidle) / 16, at most
    /// maxidle. A class whose avgidle becomes negative is over its limit. It stays so until the time at which sending another packet
    /// of the same size would bring avgidle back to zero. A class over its limit that `borrows` may send if no other class is
    /// unsatisfied (has packets and is within its limit), or at any time with `sharing = "ancestor-only"`; a class that does not
    /// borrow waits, even if the wire is idle. maxidle allows a class that was idle to send `burst` packets of `quantum` bytes back to
    /// back.
    ///
    /// ## State
    /// The class whose turn it is in each priority; per class, avgidle in 1/16 ps and the time until which it is over its limit. The
    /// cost per decision grows with the number of classes.
    ///
    /// ## Departures
    /// - The tree of classes has two levels, the link and its classes; the link is never over its limit.
    /// - avgidle is rounded down to 1/16 ps and begins at maxidle. It has no lower bound (minidle), and a class that was held back
    ///   has no extra delay (extradelay, offtime).
    /// - Shares refer to the initial rate of the link, even if this rate changes.
    /// - A class keeps the debt of a turn, as in `wrr` by default, where a turn ends in the same way.
    ///
    /// A class that does not borrow may get less than its share, since the estimator forgets. If its packets are small, the class
    /// earns idle time while large packets of others are on the wire, but loses a sixteenth of it with each packet that it sends.
    /// avgidle hardly becomes negative, since the class must then wait. In the long run its packets are further apart than its
    /// share requires, by the mean of avgidle. Three classes with shares of 50, 30 and 10 % and permanent backlog get:
    ///
    /// | packets (bytes) | shares |
    /// |---|---|
    /// | 1500, 300, 64 | 50.4, 29.2, 8.9 % |
    /// | 1500, 300, 64 in ns-2 (`CBQ/WRR`) | 50.4, 29.6, 9.8 % |
    /// | 1500, 300, 64 in ns-2 (`CBQ`) | 50.4, 29.7, 9.5 % |
    /// | 300, 300, 64 | 49.4, 30.4, 9.9 % |
    ///
    /// ns-2 forgives debts: a class that is held back waits no longer than its share requires, whatever avgidle is. Its round robin
    /// forgives debts, too. For exact shares, use a scheduler with weights.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.cbq = {}
    /// class.ef = { share = "31 %", borrows = false }
    /// class.default = { share = "69 %", priority = 2 }
    /// ```
    ///
    /// ## References
    /// [Floyd95 s3, s5 and appendix A]; queue/cbq.cc of ns-2; the values of `sharing` are the names of its algorithms.
    pub struct Parameters with class ClassParameters {
        /// Condition under which classes over their limit may borrow.
        sharing: Sharing = "formal";
        /// Packets of `quantum` bytes that a class may send back to back after it was idle.
        burst: Count = "16";
        /// Bytes that a class with the mean share of its priority may send in a turn.
        quantum: Quantum = "1500 bytes";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.burst.0 > MOST_BURST {
            mistake("burst", format!("{} packets are more than an estimator remembers; at most {MOST_BURST}", self.burst.0));
        }
    }
}

crate::parameters! {
    /// A class of class-based queueing.
    pub struct ClassParameters {
        /// Its share of the link, above 0; the shares of all classes add up to at most 1.
        share: Probability;
        /// Rank of the class; 1 goes first. Classes may share a priority.
        priority: Count = "1";
        /// Whether it may send beyond its share when the link would be idle.
        borrows: bool = "true";
    }
}
impl Check for ClassParameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.share == Probability(0.0) {
            mistake("share", "0 would never be served; above 0, at most 1".to_owned());
        }
    }
}

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        SchedulerFacts { only_at_link: Some("holds its classes to shares of the link"), ..SchedulerFacts::default() }
    }

    fn check_classes(&self, classes: &[ClassPlan]) -> Result<(), String> {
        let shares: f64 = classes.iter().filter_map(ClassPlan::parameters).map(|class: &ClassParameters| class.share.0).sum();
        // Shares such as 1/3 add up only within rounding.
        if shares > 1.0 + 1e-9 {
            return Err(format!("the shares of its classes add up to {shares:.4} of the link; at most 1"));
        }
        Ok(())
    }
}

crate::choice! {
    /// Condition under which a class over its limit may borrow from the link.
    pub enum Sharing {
        /// No other class within its limit has packets.
        "formal" => Formal,
        /// None: classes that borrow are never held back.
        "ancestor-only" => AncestorOnly,
    }
}

/// Maximum of `burst`: (16/15)^256 is 15 million, and a larger maxidle has no meaning.
const MOST_BURST: u32 = 256;

/// The inverse of the estimator's gain.
const GAIN: i128 = 16;

/// State of class-based queueing.
#[derive(Clone, Debug)]
pub struct Cbq<const WORDS: usize> {
    /// Levels in order of priority.
    levels: Vec<Level<WORDS>>,
    classes: Vec<Class>,
    sharing: Sharing,
    link: TransmissionTimes,
    /// Classes that have packets.
    waiting: ClassSet<WORDS>,
    /// Classes that borrow.
    borrowers: ClassSet<WORDS>,
    /// Classes over their limit, and some that no longer are.
    over: ClassSet<WORDS>,
    /// Earliest time at which a class in `over` may no longer be over its limit.
    over_until: Time,
}

/// The classes of one priority.
#[derive(Clone, Debug)]
struct Level<const WORDS: usize> {
    members: Vec<u8>,
    all: ClassSet<WORDS>,
    turns: Wrr,
}

#[derive(Clone, Debug)]
struct Class {
    /// Transmission times at the share of the class.
    own: TransmissionTimes,
    /// Index of its level, and its position within the level.
    level: (usize, usize),
    /// avgidle and maxidle, in ps / GAIN.
    idle: i128,
    max_idle: i128,
    /// End of the last packet of the class.
    last: Time,
    /// Time until which the class is over its limit.
    over_until: Time,
}

impl<const WORDS: usize> Cbq<WORDS> {
    /// Class-based queueing among `classes` on a link of `rate`; `None` if the classes do not fit. A class without parameters, in a
    /// blueprint made by hand, has an equal share and priority 1, and borrows.
    pub fn new(parameters: &Parameters, classes: &[ClassPlan], wire: impl Into<SchedulerContext>) -> Option<Cbq<WORDS>> {
        let wire = wire.into().wire();
        let WireRate { rate, framing } = wire;
        let equal = ClassParameters { share: Probability(1.0 / classes.len() as f64), priority: Count(1), borrows: true };
        let said = |class: &ClassPlan| class.parameters().unwrap_or(&equal).clone();
        let share = |class: &ClassPlan| said(class).share.0;
        let priority = |class: &ClassPlan| said(class).priority.0;
        let set = |is_in: &dyn Fn(&ClassPlan) -> bool| {
            let mut set = ClassSet::NONE;
            classes.iter().enumerate().for_each(|(i, class)| set.set(i, is_in(class)));
            set
        };
        if !ClassSet::<WORDS>::fits(classes.len()) {
            return None;
        }
        let mut priorities: Vec<u32> = classes.iter().map(priority).collect();
        priorities.sort_unstable();
        priorities.dedup();
        let level = |number: &u32| {
            let all = set(&|class| priority(class) == *number);
            let weights: Vec<u64> = all.iter().map(|i| ((share(&classes[i]) * 1e4 + 0.5) as u64).max(1)).collect();
            let turns = Wrr::of_bytes(&weights, parameters.quantum, Debts::Kept, wire);
            Level { members: all.iter().map(|i| i as u8).collect(), all, turns }
        };
        let levels: Vec<Level<WORDS>> = priorities.iter().map(level).collect();
        let place = |i: usize| {
            let find = |(l, level): (usize, &Level<WORDS>)| Some((l, level.members.iter().position(|member| usize::from(*member) == i)?));
            levels.iter().enumerate().find_map(find).expect("every class has a priority")
        };
        let class = |(i, plan): (usize, &ClassPlan)| {
            let own = Rate::from_bps(((rate.as_bps() as f64 * share(plan) + 0.5) as u64).max(1));
            let max_idle = max_idle(rate, own, parameters);
            let own = TransmissionTimes::new(WireRate { rate: own, framing });
            Class { own, level: place(i), idle: max_idle, max_idle, last: Time::ZERO, over_until: Time::ZERO }
        };
        Some(Cbq {
            classes: classes.iter().enumerate().map(class).collect(),
            levels,
            sharing: parameters.sharing,
            link: TransmissionTimes::new(wire),
            waiting: ClassSet::NONE,
            borrowers: set(&|class| said(class).borrows),
            over: ClassSet::NONE,
            over_until: Time::NEVER,
        })
    }

    /// Removes from `over` the classes that are no longer over their limit.
    #[inline(never)]
    fn update_limits(&mut self, now: Time) {
        self.over_until = Time::NEVER;
        for i in self.over.iter() {
            let until = self.classes[i].over_until;
            if until <= now {
                self.over.set(i, false);
            } else {
                self.over_until = self.over_until.min(until);
            }
        }
    }
}

/// The avgidle that `burst` packets back to back use up: t (1/p - 1) (1 - g^n) / g^n with g = 15/16 [Floyd95 appendix A].
fn max_idle(link: Rate, own: Rate, parameters: &Parameters) -> i128 {
    let spacing = own.transmission_time(parameters.quantum.0) - link.transmission_time(parameters.quantum.0);
    let kept = libm::pow((GAIN - 1) as f64 / GAIN as f64, f64::from(parameters.burst.0));
    (spacing.as_ps() as f64 * (1.0 - kept) / kept) as i128 * GAIN
}

impl Class {
    /// Charges the class for a packet of `size` bytes that starts at `now` and `takes` this long on the link. Returns whether the class is
    /// then over its limit.
    #[inline(always)]
    fn sent(&mut self, now: Time, size: u32, takes: Duration) -> bool {
        let may_take = self.own.of(size);
        let end = now + takes;
        let idle = i128::from(end.since(self.last).as_ps()) - i128::from(may_take.as_ps());
        self.idle = (self.idle + idle - self.idle.div_euclid(GAIN)).min(self.max_idle);
        self.last = end;
        // A packet of this size that begins at `over_until` has the idle time -(GAIN - 1) avgidle. The branch would be unpredictable, so
        // this is computed in any case.
        let needed = (self.idle.min(0) * (1 - GAIN)).div_euclid(GAIN) + 1;
        self.over_until = end + (may_take - takes) + Duration::from_ps(u64::try_from(needed).unwrap_or(u64::MAX));
        self.idle < 0
    }
}

crate::state! {
    impl Cbq<WORDS> where [const WORDS: usize], |it, now| {
        /// Average idle time of each class as of its last packet (avgidle) [Floyd95 appendix A].
        "average-idle", "s", each it.classes.iter().map(|class| class.idle as f64 / GAIN as f64 * 1e-12);
        /// Whether each class is over its limit: 1 or 0.
        "over-limit", "1", each it.classes.iter().map(|class| f64::from(u8::from(class.over_until > now)));
    }
}

impl<const WORDS: usize> Scheduler for Cbq<WORDS> {
    #[inline(always)]
    fn next(&mut self, now: Time, _queues: &[QueueState]) -> Turn {
        if self.over_until <= now {
            self.update_limits(now);
        }
        let mut may = self.waiting.without(&self.over);
        if self.sharing == Sharing::AncestorOnly || may.is_empty() {
            may = may.or(&self.waiting.and(&self.borrowers));
        }
        match self.levels.iter_mut().find(|level| !level.all.and(&may).is_empty()) {
            Some(Level { members, turns, .. }) => {
                let at = turns.next_of(|at| may.has(usize::from(members[at])));
                Turn::Queue(usize::from(members[at]))
            }
            None => {
                let is_empty = |level: &Level<WORDS>| !self.waiting.has(usize::from(level.members[level.turns.turn()]));
                self.levels.iter_mut().filter(|level| is_empty(level)).for_each(|level| level.turns.end_turn());
                Turn::NotBefore(self.waiting.iter().map(|i| self.classes[i].over_until).min().unwrap_or(Time::NEVER))
            }
        }
    }

    #[inline]
    fn on_backlog(&mut self, now: Time, queue: usize, _queues: &[QueueState]) {
        let Level { members, all, turns } = &mut self.levels[self.classes[queue].level.0];
        // An arrival at the very end of a transmission precedes the decision at that instant.
        if all.and(&self.waiting).is_empty() && self.classes[usize::from(members[turns.turn()])].last < now {
            turns.end_turn();
        }
        self.waiting.set(queue, true);
    }

    #[inline]
    fn on_packet(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        self.on_backlog(now, queue, queues);
    }

    #[inline(always)]
    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let class = &mut self.classes[queue];
        let is_over = class.sent(now, size, self.link.of(size));
        self.over.set(queue, is_over);
        self.over_until = self.over_until.min(std::hint::select_unpredictable(is_over, class.over_until, Time::NEVER));
        let (level, at) = class.level;
        self.levels[level].turns.charge(at, size);
        self.on_head_change(queue, queues);
    }

    #[inline]
    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        self.waiting.set(queue, queues[queue].packets > 0);
    }

    #[inline]
    fn reads_heads(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{class, Queues};
    use super::*;
    use crate::parameters::testing::read;
    use crate::units::Bytes;

    /// Serves full queues with these packet sizes for `seconds` at 1 Mbit/s. Returns the bytes that each queue sent.
    fn run(lines: &[&str], classes: &[&[&str]], sizes: &[u32], seconds: u64) -> Vec<u64> {
        let mut sent = vec![0; sizes.len()];
        observe(lines, classes, sizes, seconds, |_, queue, _| sent[queue] += u64::from(sizes[queue]));
        sent
    }

    /// Serves the same queues and calls `sent` when a packet begins, with the time, the queue, and avgidle after the packet in ps / GAIN.
    fn observe(lines: &[&str], classes: &[&[&str]], sizes: &[u32], seconds: u64, mut sent: impl FnMut(Time, usize, i128)) {
        let rate = Rate::from_bps(1_000_000);
        let plans: Vec<ClassPlan> = classes.iter().map(|lines| class::<ClassParameters>(lines)).collect();
        let mut it = Cbq::<1>::new(&read(lines).expect("sound"), &plans, rate).expect("a few classes");
        let state = |size: &u32| QueueState { packets: u32::from(*size > 0), bytes: u64::from(*size), head: *size };
        let states: Vec<QueueState> = sizes.iter().map(state).collect();
        (0..sizes.len()).filter(|i| sizes[*i] > 0).for_each(|i| it.on_backlog(Time::ZERO, i, &states));
        let mut now = Time::ZERO;
        while now < Time::ZERO + Duration::from_secs(seconds) {
            match it.next(now, &states) {
                Turn::NotBefore(later) => now = later,
                Turn::Queue(queue) => {
                    it.on_sent(now, queue, sizes[queue], &states);
                    sent(now, queue, it.classes[queue].idle);
                    now += rate.transmission_time(Bytes::new(u64::from(sizes[queue])));
                }
            }
        }
    }

    fn shares(sent: &[u64], seconds: u64) -> Vec<f64> {
        sent.iter().map(|bytes| *bytes as f64 * 8.0 / (1e6 * seconds as f64)).collect()
    }

    /// Equal within 2 %. In 100 s, the burst of 16 packets beyond a share is less than that on a link of 1 Mbit/s.
    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 0.02
    }

    #[test]
    fn a_class_that_does_not_borrow_keeps_to_its_share_on_an_idle_link() {
        for (share, size) in [("share = 0.3", 160), ("share = 0.3", 1500), ("share = 0.05", 1500)] {
            let expected: f64 = share[8..].parse().expect("a number");
            let sent = run(&[], &[&[share, "borrows = false"], &["share = 0.6"]], &[size, 0], 100);
            assert!(near(shares(&sent, 100)[0], expected), "{share}: {sent:?}");
        }
    }

    #[test]
    fn a_class_that_does_not_borrow_loses_the_idle_time_that_its_estimator_forgets() {
        let classes: &[&[&str]] =
            &[&["share = 0.5", "borrows = false"], &["share = 0.3", "borrows = false"], &["share = 0.1", "borrows = false"]];
        for (sizes, expected) in [([1500, 300, 64], [0.504, 0.292, 0.089]), ([300, 300, 64], [0.494, 0.304, 0.099])] {
            // The initial bursts are over after the first 50 s.
            let (mut bytes, mut packets, mut idle) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            observe(&[], classes, &sizes, 250, |now, queue, avgidle| {
                if now >= Time::ZERO + Duration::from_secs(50) {
                    bytes[queue] += f64::from(sizes[queue]);
                    packets[queue] += 1.0;
                    idle[queue] += avgidle as f64 / GAIN as f64;
                }
            });
            for (i, share) in [0.5, 0.3, 0.1].into_iter().enumerate() {
                let got = bytes[i] * 8.0 / 200e6;
                assert!((got - expected[i]).abs() < 0.0006, "class {i} of {sizes:?}: {got}");
                // The mean distance between its packets is that of its share plus the mean of avgidle, except for the 16 differences of
                // avgidle between the first and the last of thousands of packets.
                let distance = f64::from(sizes[i]) * 8.0 / (share * 1e6);
                let longer = 1.0 + idle[i] / packets[i] / 1e12 / distance;
                assert!((got * longer / share - 1.0).abs() < 0.003, "class {i} of {sizes:?}: {got}, {longer}");
            }
        }
    }

    #[test]
    fn urgent_classes_are_held_to_their_share_by_unsatisfied_ones() {
        let classes: &[&[&str]] = &[&["share = 0.3"], &["share = 0.6", "priority = 2"]];
        let sent = shares(&run(&[], classes, &[500, 1500], 100), 100);
        // The second class gets its 60 %. Both then exceed their shares, so the first class gets the rest.
        assert!(sent[1] > 0.58 && sent[0] > 0.28 && near(sent[0] + sent[1], 1.0), "{sent:?}");
        let sent = shares(&run(&["sharing = ancestor-only"], classes, &[500, 1500], 100), 100);
        assert!(near(sent[0], 1.0), "{sent:?}");
    }

    #[test]
    fn classes_of_one_priority_share_by_their_shares() {
        let classes: &[&[&str]] = &[&["share = 0.25"], &["share = 0.75"]];
        let sent = shares(&run(&["sharing = ancestor-only"], classes, &[160, 1500], 100), 100);
        assert!(near(sent[0], 0.25) && near(sent[1], 0.75), "{sent:?}");
    }

    #[test]
    fn an_idle_class_may_send_its_burst() {
        let full = [QueueState { packets: 99, bytes: 99 * 1500, head: 1500 }, QueueState::default()];
        let it = |burst: &str| {
            let plans = [class::<ClassParameters>(&["share = 0.1", "borrows = false"]), class::<ClassParameters>(&["share = 0.9"])];
            let mut it = Cbq::<1>::new(&read(&[burst]).expect("sound"), &plans, Rate::from_bps(1_000_000)).expect("a few classes");
            it.on_backlog(Time::ZERO, 0, &full);
            it
        };
        // A longer idle time gives no larger burst: it only makes the first packet follow a silence, at no cost.
        for (burst, idle) in [(1usize, 0), (4, 0), (16, 0), (4, 100), (16, 100)] {
            let (mut it, mut now, mut sent) = (it(&format!("burst = {burst}")), Time::ZERO + Duration::from_secs(idle), 0);
            // The first packet has no predecessor: its idle time counts from time zero.
            while it.next(now, &full) == Turn::Queue(0) {
                it.on_sent(now, 0, 1500, &full);
                now += Duration::from_ms(12);
                sent += 1;
            }
            let costly = sent - usize::from(idle > 0);
            assert!(costly == burst || costly == burst + 1, "{sent} for {burst} after {idle} s");
        }
    }

    #[test]
    fn a_turn_ends_while_the_level_has_no_packets() {
        // A turn of the first class is 4500 bytes, three packets of 12 ms each.
        let plans = [["share = 0.75"], ["share = 0.25"]].map(|lines| class::<ClassParameters>(&lines));
        let lines = ["sharing = ancestor-only", "quantum = 3000 bytes"];
        for (back_us, expected) in [(12_000, [0, 0, 1, 0, 0, 0]), (12_001, [1, 0, 0, 0, 1, 0])] {
            let mut it = Cbq::<1>::new(&read(&lines).expect("sound"), &plans, Rate::from_bps(1_000_000)).expect("two classes");
            let mut queues = Queues(vec![(1, 1500), (0, 1500)]);
            queues.announce(&mut it);
            assert_eq!(queues.send(&mut it, 1), [0]);
            for class in [1, 0] {
                queues.0[class].0 = 9;
                it.on_packet(Time::ZERO + Duration::from_us(back_us), class, &queues.states());
            }
            assert_eq!(queues.send(&mut it, 6), expected, "back after {back_us} us");
        }
    }

    #[test]
    fn a_turn_ends_while_the_other_classes_are_held_back() {
        let plans = [["share = 0.5", "borrows = true"], ["share = 0.25", "borrows = false"], ["share = 0.25", "borrows = true"]];
        let plans = plans.map(|lines| class::<ClassParameters>(&lines));
        let lines = ["burst = 1", "quantum = 3000 bytes"];
        let mut it = Cbq::<1>::new(&read(&lines).expect("sound"), &plans, Rate::from_bps(1_000_000)).expect("three classes");
        let mut queues = Queues(vec![(0, 1500), (99, 1500), (0, 1500)]);
        queues.announce(&mut it);
        // The second class sends until it is held back. Then the first begins a turn of 4500 bytes, with only one packet.
        let mut now = Time::ZERO;
        while it.next(now, &queues.states()) == Turn::Queue(1) {
            it.on_sent(now, 1, 1500, &queues.states());
            now += Duration::from_ms(12);
        }
        queues.0[0].0 = 1;
        it.on_packet(now, 0, &queues.states());
        assert_eq!(it.next(now, &queues.states()), Turn::Queue(0));
        queues.0[0].0 = 0;
        it.on_sent(now, 0, 1500, &queues.states());
        now += Duration::from_ms(12);
        assert!(matches!(it.next(now, &queues.states()), Turn::NotBefore(later) if later > now + Duration::from_ms(1)));
        // The first class becomes active again together with the third, whose turn it is.
        for class in [0, 2] {
            queues.0[class].0 = 1;
            it.on_packet(now + Duration::from_us(1), class, &queues.states());
        }
        assert_eq!(it.next(now + Duration::from_us(1), &queues.states()), Turn::Queue(2));
    }
}
