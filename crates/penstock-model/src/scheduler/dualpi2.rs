//! DualPI2: two queues whose marking is coupled.

use super::class::ClassPlan;
use super::{HasFacts, HeadTimes, Hooks, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::discipline::pi2::{check_times, is_scalable, Controller};
use crate::discipline::{tail_drop, DepartureVerdict, DisciplinePlan, DropCause, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, Positive, Probability};
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// DualPI2: two queues with coupled marking: scalable traffic has a queue of its own with early marks, and the coupling gives
    /// scalable and Classic flows about equal rates.
    ///
    /// ## Decides
    /// Packets with ECT(1) or CE wait in the L queue, all others in the C queue. While both have packets, C gets `classic-share` of
    /// the bytes by weighted round robin and L the rest. Every `update-interval`, the base probability p' changes by
    /// $alpha (d - target) + beta (d - d_old)$ and stays between 0 and 1. d is the longer waiting time of the two heads, d_old its value
    /// at the previous update.
    ///
    /// | head of | below overload | in overload (k p' >= 1) |
    /// |---|---|---|
    /// | L | marked with the larger of k p' and its native probability | dropped with probability p'^2 (cause `early`), marked otherwise |
    /// | C | with probability p'^2 marked if ECN-capable, else dropped (cause `early`) | dropped with probability p'^2 |
    ///
    /// The native probability rises from 0 at a wait of `min-threshold` to 1 at `min-threshold` + `range`, and is 0 while no other
    /// packet waits in L. At p' = 1 chosen heads of C are always dropped. An arrival is dropped (cause `overflow`) if it does not fit
    /// into `limit`, which counts both queues.
    ///
    /// ## State
    /// p', the delay of the last update, the credit of the round robin, and a sum of probabilities per queue. A packet is chosen when
    /// the sum exceeds 1, which is then subtracted, so there are no random numbers. Constant cost per packet and per update. Updates are
    /// at multiples of `update-interval` and stop while both queues are empty and p' = 0.
    ///
    /// ## Departures
    /// - The defaults of `update-interval`, `alpha`, `beta`, `classic-share` and `limit` are those of the reference implementation in Linux
    ///   [RFC9332 App. A.1]; the formulas of its figure 2 give 15 ms, 0.15 and 3 for a target of 15 ms and a maximum round-trip time of
    ///   100 ms, and a limit of 250 ms at the rate of the link.
    /// - `limit` counts the backlog and the arrival; [RFC9332 App. A.1] always leaves room for a whole MTU.
    /// - A packet counts in its queue until it has left, so native marking spares a packet that is alone, as in the text of
    ///   [RFC9332 App. A.2]; line 5a of its figure 7 counts the packets behind it.
    /// - In overload the sum of L grows with p'^2 alone; in figure 7 each mark also adds k p' - 1.
    /// - The round robin restarts with L whenever both queues become backlogged; in Linux its credit lasts until both are empty.
    /// - p' also applies while less than two MTUs wait; in [RFC9332 App. A.1] it does not.
    /// - There is no time-shifted FIFO [RFC9332 App. A.2].
    /// - `queue` at the link is the discipline of each queue, asked before DualPI2 at departures; without it, only `limit` applies.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.dualpi2 = { target = "15 ms", min-threshold = "800 us", range = "400 us" }
    /// ```
    ///
    /// ## References
    /// [RFC9332 s2, App. A].
    pub struct Parameters {
        /// Maximum backlog of both queues together.
        limit: Limit = "10000 packets";
        /// Target delay of Classic traffic.
        target: Duration = "15 ms", changeable;
        /// Time between two updates of the probability (Tupdate).
        update_interval: Duration = "16 ms";
        /// Weight of the deviation from the target, per second (alpha).
        alpha: Positive = "0.16", changeable;
        /// Weight of the change of the delay, per second (beta).
        beta: Positive = "3.2", changeable;
        /// Coupling factor (k).
        coupling: Positive = "2", changeable;
        /// Waiting time from which the L queue marks (minTh).
        min_threshold: Duration = "800 us", changeable;
        /// Additional waiting time at which the L queue marks every packet (range); zero is a step.
        range: Duration = "400 us", changeable;
        /// Share of the link for Classic traffic while both queues have packets; above 0, below 1.
        classic_share: Probability = "0.1", changeable;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_times(self.target, self.update_interval, mistake);
        if !(self.classic_share.0 > 0.0 && self.classic_share.0 < 1.0) {
            mistake("classic-share", format!("{} would starve a queue; above 0, below 1", self.classic_share.0));
        }
    }
}

impl Parameters {
    /// What C earns for each byte of L that it waits for.
    fn classic_credit(&self) -> i64 {
        ((self.classic_share.0 * WHOLE as f64) as i64).clamp(1, WHOLE - 1)
    }
}

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        let queue = tail_drop::Parameters { limit: self.limit, counts: tail_drop::Counts::Waiting };
        SchedulerFacts {
            own_queues: Some("a queue for Classic and one for scalable traffic"),
            only_at_link: Some("makes queues by codepoint"),
            shared_limit: Some(self.limit),
            default_queue: Some(DisciplinePlan::TailDrop(queue)),
            marks: true,
            ..SchedulerFacts::default()
        }
    }
}

/// The number of the queue of Classic traffic.
const C: usize = 0;
/// The number of the queue of scalable traffic.
const L: usize = 1;
/// Native marking needs more packets in L than these, the head included (Th_len) [RFC9332 App. A.2].
const FEWEST: u32 = 1;
/// The share of both queues together, in the unit of credits for each byte.
const WHOLE: i64 = 1_000_000;

/// State of DualPI2.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    limit: Limit,
    controller: Controller,
    min_threshold: Duration,
    range: Duration,
    /// Credit of C for each byte of L that it waits for.
    classic_share: i64,
    /// Credit of C; above 0 it is its turn.
    credit: i64,
    /// The sums of probabilities, of C and of L (q.count).
    sums: [f64; 2],
}

impl DualPi2 {
    /// Two empty queues.
    pub fn new(parameters: &Parameters, _: &[ClassPlan], _: impl Into<SchedulerContext>) -> DualPi2 {
        let it = parameters;
        DualPi2 {
            limit: it.limit,
            controller: Controller::new((it.target, it.update_interval), (it.alpha.0, it.beta.0), it.coupling.0),
            min_threshold: it.min_threshold,
            range: it.range,
            classic_share: it.classic_credit(),
            credit: 0,
            sums: [0.0; 2],
        }
    }

    /// The probability with which L itself marks a packet that has waited (laqm) [RFC9332 App. A.1].
    fn native(&self, waited: Duration) -> f64 {
        if waited >= self.min_threshold + self.range {
            1.0
        } else if waited > self.min_threshold {
            Duration::from_ps(waited.as_ps() - self.min_threshold.as_ps()).as_seconds() / self.range.as_seconds()
        } else {
            0.0
        }
    }

    /// Whether a packet of a queue is chosen (recur) [RFC9332 App. A.1].
    fn chooses(&mut self, queue: usize, probability: f64) -> bool {
        self.sums[queue] += probability;
        let is_chosen = self.sums[queue] > 1.0;
        if is_chosen {
            self.sums[queue] -= 1.0;
        }
        is_chosen
    }
}

crate::state! {
    impl DualPi2, |it, _now| {
        /// Base probability as of the last update (p').
        "base-probability", "1", is it.controller.base;
    }
}

fn packets(queues: &[QueueState], queue: usize) -> u32 {
    queues.get(queue).map_or(0, |queue| queue.packets)
}

impl Scheduler for DualPi2 {
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        let c_first = packets(queues, L) == 0 || packets(queues, C) > 0 && self.credit > 0;
        Turn::Queue(if c_first { C } else { L })
    }

    fn on_packet(&mut self, now: Time, _queue: usize, _queues: &[QueueState]) {
        self.controller.wake(now);
    }

    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        if packets(queues, C) == 0 || packets(queues, L) == 0 {
            self.credit = 0;
        } else if queue == L {
            self.credit += self.classic_share * i64::from(size);
        } else {
            self.credit -= (WHOLE - self.classic_share) * i64::from(size);
        }
    }

    fn reads_heads(&self) -> bool {
        false
    }

    fn hooks(&self) -> Hooks {
        Hooks::QUEUES.and(Hooks::ARRIVAL).and(Hooks::DEPARTURE).and(Hooks::TIMER)
    }

    fn classify(&mut self, _now: Time, packet: &Packet) -> usize {
        if is_scalable(packet) {
            L
        } else {
            C
        }
    }

    fn on_arrival(&mut self, _now: Time, packet: &Packet, _queue: usize, queues: &[QueueState]) -> Verdict {
        let (packets, bytes) = queues.iter().fold((0, 0), |(packets, bytes), queue| (packets + queue.packets, bytes + queue.bytes));
        if self.limit.has_room(packets, bytes, packet.size) {
            Verdict::Accept
        } else {
            Verdict::Drop(DropCause::Overflow)
        }
    }

    fn on_departure(&mut self, _now: Time, packet: &Packet, waited: Duration, queue: usize, queues: &[QueueState]) -> DepartureVerdict {
        let (classic, coupled) = (self.controller.classic(), self.controller.coupled());
        if queue == C {
            return match self.chooses(C, classic) {
                false => DepartureVerdict::Send,
                true if packet.ecn.is_capable() && !self.controller.drops_capable() => DepartureVerdict::Mark,
                true => DepartureVerdict::Drop(DropCause::Early),
            };
        }
        if self.controller.is_overloaded() {
            return if self.chooses(L, classic) { DepartureVerdict::Drop(DropCause::Early) } else { DepartureVerdict::Mark };
        }
        let native = if packets(queues, L) > FEWEST { self.native(waited) } else { 0.0 };
        if self.chooses(L, native.max(coupled)) {
            DepartureVerdict::Mark
        } else {
            DepartureVerdict::Send
        }
    }

    fn next_deadline(&self) -> Time {
        self.controller.next_update
    }

    fn on_timer(&mut self, now: Time, head_since: HeadTimes<'_>) {
        let since = [C, L].into_iter().filter_map(head_since).min();
        self.controller.update(now, since.map_or(Duration::ZERO, |since| now.since(since)), since.is_none());
    }

    fn change(
        &mut self,
        _now: Time,
        parameters: &dyn Any,
        _classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        let it: &Parameters = own(parameters);
        self.controller.change(it.target, (it.alpha.0, it.beta.0), it.coupling.0);
        (self.min_threshold, self.range, self.classic_share) = (it.min_threshold, it.range, it.classic_credit());
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::packet::Ecn;
    use crate::parameters::testing::read;
    use crate::units::Rate;

    const DROP: DepartureVerdict = DepartureVerdict::Drop(DropCause::Early);

    fn dualpi2(lines: &[&str], base: f64) -> DualPi2 {
        let mut it = DualPi2::new(&read(lines).expect("sound"), &[], Rate::from_bps(1_000_000));
        it.controller.base = base;
        it
    }

    fn states(c: u32, l: u32) -> [QueueState; 2] {
        [c, l].map(|packets| QueueState { packets, bytes: 1000 * u64::from(packets), head: 0 })
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// How many of `n` heads meet each verdict: sent, marked, dropped.
    fn heads(it: &mut DualPi2, (queue, ecn): (usize, Ecn), waited: Duration, n: usize) -> [usize; 3] {
        let head = Packet { ecn, ..packet(1000, 0) };
        let mut seen = [0; 3];
        for _ in 0..n {
            seen[match it.on_departure(Time::ZERO, &head, waited, queue, &states(9, 9)) {
                DepartureVerdict::Send => 0,
                DepartureVerdict::Mark => 1,
                DROP => 2,
                other => panic!("{other:?}"),
            }] += 1;
        }
        seen
    }

    #[test]
    fn codepoints_have_queues() {
        let mut it = dualpi2(&[], 0.0);
        let queues = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|ecn| it.classify(Time::ZERO, &Packet { ecn, ..packet(1000, 0) }));
        assert_eq!(queues, [C, C, L, L]);
    }

    #[test]
    fn coupling_is_linear_for_scalable_and_squared_for_classic_heads() {
        // p' = 1/4: of 1600 heads, 1/16 and 1/2. A sum must exceed 1, so the last one is still to come.
        let mut it = dualpi2(&[], 0.25);
        assert_eq!(heads(&mut it, (C, Ecn::NotEct), Duration::ZERO, 1600), [1501, 0, 99]);
        assert_eq!(heads(&mut it, (L, Ecn::Ect1), Duration::ZERO, 1600), [801, 799, 0]);
        let mut it = dualpi2(&[], 0.25);
        assert_eq!(heads(&mut it, (C, Ecn::Ect0), Duration::ZERO, 1600), [1501, 99, 0]);
        // Sums of 0.5: 0.5, 1, 1.5 (chosen, 0.5 left), 1, 1.5 (chosen): from the third head on every other one.
        let mut it = dualpi2(&[], 0.25);
        let head = Packet { ecn: Ecn::Ect1, ..packet(1000, 0) };
        let marks: Vec<usize> =
            (1..=7).filter(|_| it.on_departure(Time::ZERO, &head, Duration::ZERO, L, &states(9, 9)) == DepartureVerdict::Mark).collect();
        assert_eq!(marks, [3, 5, 7]);
    }

    #[test]
    fn native_marking_is_a_ramp_or_a_step() {
        let us = Duration::from_us;
        let it = dualpi2(&[], 0.0);
        for (waited, expected) in [(800, 0.0), (900, 0.25), (1000, 0.5), (1100, 0.75), (1200, 1.0), (5000, 1.0)] {
            let seen = it.native(us(waited));
            assert!((seen - expected).abs() < 1e-12, "{waited}: {seen}");
        }
        let it = dualpi2(&["min-threshold = 1 ms", "range = 0 s"], 0.0);
        assert_eq!([999, 1000].map(|waited| it.native(us(waited))), [0.0, 1.0]);
        // The larger of both probabilities: a ramp of 1/4 and a coupled one of 1/2, then of 1/8.
        assert_eq!(heads(&mut dualpi2(&[], 0.25), (L, Ecn::Ect1), us(900), 1600), [801, 799, 0]);
        assert_eq!(heads(&mut dualpi2(&[], 0.0625), (L, Ecn::Ect1), us(900), 1600), [1201, 399, 0]);
        // A packet alone in its queue is not marked natively.
        let head = Packet { ecn: Ecn::Ect1, ..packet(1000, 0) };
        let mut it = dualpi2(&[], 0.0);
        assert!((0..9).all(|_| it.on_departure(Time::ZERO, &head, us(5000), L, &states(9, 1)) == DepartureVerdict::Send));
    }

    #[test]
    fn overload_drops_both_with_the_square() {
        // p' = 1/2, k p' = 1, p_C = 1/4 = p_Cmax.
        for (queue, ecn, expected) in [(C, Ecn::NotEct, [1201, 0, 399]), (C, Ecn::Ect0, [1201, 0, 399]), (L, Ecn::Ect1, [0, 1201, 399])] {
            assert_eq!(heads(&mut dualpi2(&[], 0.5), (queue, ecn), Duration::from_ms(9), 1600), expected);
        }
        // k = 1/2: p_Cmax = min(1/k^2, 1) = 1, and p_CL = 1/2 at p' = 1. A sum must exceed 1, so the first head is spared.
        for (queue, ecn, expected) in [(C, Ecn::Ect0, [1, 0, 1599]), (L, Ecn::Ect1, [801, 799, 0])] {
            assert_eq!(heads(&mut dualpi2(&["coupling = 0.5"], 1.0), (queue, ecn), Duration::ZERO, 1600), expected);
        }
    }

    #[test]
    fn the_longer_delay_moves_the_probability() {
        let mut it = dualpi2(&[], 0.0);
        assert_eq!(it.next_deadline(), Time::NEVER);
        it.on_packet(ms(17), C, &states(1, 0));
        assert_eq!(it.next_deadline(), ms(32));
        // 0.16 (0.025 - 0.015) + 3.2 * 0.025 = 0.0816, then 0.0016 more.
        it.on_timer(ms(32), &|queue| [Some(ms(7)), Some(ms(31))][queue]);
        assert!((it.controller.base - 0.0816).abs() < 1e-12);
        it.on_timer(ms(48), &|queue| [Some(ms(47)), Some(ms(23))][queue]);
        assert!((it.controller.base - 0.0832).abs() < 1e-12);
        // Nothing waits: 0.0024 and 0.08 less, and another 0.0024.
        it.on_timer(ms(64), &|_| None);
        assert!((it.controller.base - 0.0008).abs() < 1e-12);
        it.on_timer(ms(80), &|_| None);
        assert_eq!((it.controller.base, it.next_deadline()), (0.0, Time::NEVER));
    }

    #[test]
    fn both_queues_share_the_link_by_weights() {
        let mut it = dualpi2(&[], 0.0);
        let both = states(99, 99);
        let mut sent = String::new();
        for _ in 0..21 {
            let Turn::Queue(queue) = it.next(Time::ZERO, &both) else { panic!("nothing is held back") };
            it.on_sent(Time::ZERO, queue, 1000, &both);
            sent.push(if queue == C { 'c' } else { 'l' });
        }
        // A packet of L earns C a tenth of a packet, one of C costs it nine tenths: 0.1, -0.8, and 0.1 again after nine of L.
        assert_eq!(sent, "lclllllllllclllllllll");
        assert_eq!(it.next(Time::ZERO, &states(1, 0)), Turn::Queue(C));
        assert_eq!(it.next(Time::ZERO, &states(1, 0)[..1]), Turn::Queue(C));
        assert_eq!(it.next(Time::ZERO, &states(0, 1)), Turn::Queue(L));
    }

    #[test]
    fn the_limit_holds_for_both_queues_together() {
        let mut it = dualpi2(&["limit = 10 packets"], 0.0);
        let overflow = Verdict::Drop(DropCause::Overflow);
        for (c, l, expected) in [(5, 4, Verdict::Accept), (5, 5, overflow), (0, 10, overflow)] {
            assert_eq!(it.on_arrival(Time::ZERO, &packet(1000, 0), C, &states(c, l)), expected);
        }
    }

    #[test]
    fn shares_that_starve_and_zero_times_are_refused() {
        let mistakes = read::<Parameters>(&["classic-share = 1.0", "target = 0 s"]).expect_err("mistakes");
        assert_eq!(mistakes, ["target: must be above zero", "classic-share: 1 would starve a queue; above 0, below 1"]);
        assert_eq!(read::<Parameters>(&["classic-share = 0.0"]).expect_err("mistakes").len(), 1);
    }
}
