//! DualPI2: two queues with coupled marking.

use super::class::ClassPlan;
use super::{HasFacts, HeadTimes, Hooks, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::discipline::pi2::{check_times, is_scalable, Controller};
use crate::discipline::{tail_drop, DepartureVerdict, DisciplinePlan, DropCause, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, Positive, Probability};
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// DualPI2: two queues with coupled marking, where scalable traffic has a queue of its own with early marks, and the coupling
    /// gives scalable and Classic flows about equal rates.
    ///
    /// ## Decides
    /// Packets with ECT(1) or CE wait in the L queue, all others in the C queue. While both have packets, `conditional-priority` selects
    /// between them:
    ///
    /// - `wrr`: by weighted round robin C gets `classic-share` of the bytes and L the rest.
    /// - `ts-fifo`: L sends unless the head of C has waited longer than the head of L by more than `time-shift`. So L has priority,
    ///   and in overload both queues are delayed together, C by at most `time-shift` more.
    ///
    /// Every `update-interval`, the base probability p' changes by $alpha (d - target) + beta (d - d_old)$ and stays between 0 and 1. d is
    /// the longer waiting time of the two heads, d_old its value at the previous update.
    ///
    /// | head of | below overload | in overload (k p' >= 1) |
    /// |---|---|---|
    /// | L | marked with the larger of k p' and its native probability | dropped with probability p'^2 (cause `early`), marked otherwise |
    /// | C | with probability p'^2 marked if ECN-capable, else dropped (cause `early`) | dropped with probability p'^2 |
    ///
    /// The native probability rises from 0 at a wait of `min-threshold` to 1 at `min-threshold` + `range`, and is 0 while no other
    /// packet waits in L. At p' = 1 a chosen head of C is dropped even if it is ECN-capable. An arrival is dropped (cause
    /// `overflow`) if it does not fit into `limit`, which counts both queues.
    ///
    /// ## State
    /// p', the delay of the last update, the credit of the round robin if there is one, and a sum of probabilities per queue. A
    /// packet is chosen when the sum of its queue exceeds 1; then 1 is subtracted. So there are no random numbers. Constant cost
    /// per packet and per update. Updates are at multiples of `update-interval` and stop while both queues are empty and p' = 0.
    ///
    /// ## Departures
    /// - The defaults of `update-interval`, `alpha`, `beta`, `classic-share` and `limit` come from the reference implementation in Linux
    ///   [RFC9332 App. A.1]; the formulas of its figure 2 give 15 ms, 0.15 and 3 for a target of 15 ms and a maximum round-trip time of
    ///   100 ms, and a limit of 250 ms at the rate of the link. The text suggests a share of 1/16 [RFC9332 s4.2.2].
    /// - `limit` counts the backlog and the arrival; [RFC9332 App. A.1] always leaves room for a whole MTU.
    /// - A packet counts in its queue until it has left, so native marking spares a packet that is alone, as in the text of
    ///   [RFC9332 App. A.2]; line 5a of its figure 7 counts only the packets behind it.
    /// - In overload, only p'^2 is added to the sum of probabilities of L; in figure 7 each mark also adds k p' - 1.
    /// - The round robin restarts with L whenever both queues become backlogged; in Linux its credit lasts until both are empty.
    /// - p' also applies while less than two MTUs wait; in [RFC9332 App. A.1] it does not.
    /// - `queue` at the link is the discipline of each queue, asked before DualPI2 at departures; without it, only `limit` applies.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.dualpi2 = { target = "15 ms", min-threshold = "800 us", range = "400 us" }
    /// ```
    ///
    /// ## References
    /// [RFC9332 s2, s4.2.2, App. A, App. B.1].
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
        /// Scheduler of the two queues, a conditional priority of L over C.
        conditional_priority: ConditionalPriority = "wrr";
        /// Share of the link for Classic traffic while both queues have packets, for `wrr`; above 0, below 1, and 0.1 if left out.
        classic_share: Option<Probability>, changeable;
        /// Waiting time by which the head of C must exceed that of L to be sent first, for `ts-fifo` (tshift); 50 ms if left
        /// out [RFC9332 App. B.1].
        time_shift: Option<Duration>, changeable;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_times(self.target, self.update_interval, mistake);
        match (self.conditional_priority, self.classic_share) {
            (ConditionalPriority::TsFifo, Some(_)) => {
                mistake("classic-share", "has no effect without conditional-priority = \"wrr\"; leave it out".to_owned());
            }
            (ConditionalPriority::Wrr, Some(share)) if !(share.0 > 0.0 && share.0 < 1.0) => {
                mistake("classic-share", format!("{} would starve a queue; above 0, below 1", share.0));
            }
            _ => {}
        }
        if self.conditional_priority == ConditionalPriority::Wrr && self.time_shift.is_some() {
            mistake("time-shift", "has no effect without conditional-priority = \"ts-fifo\"; leave it out".to_owned());
        }
    }
}

crate::choice! {
    /// Scheduler that gives L priority on a condition [RFC9332 s4.2.2].
    pub enum ConditionalPriority {
        /// Weighted round robin: in overload, L loses throughput.
        "wrr" => Wrr,
        /// Time-shifted FIFO: in overload, L is delayed.
        "ts-fifo" => TsFifo,
    }
}

impl Parameters {
    /// Credit of C for each byte of L that is sent while C waits.
    fn classic_credit(&self) -> i64 {
        let share = self.classic_share.map_or(0.1, |share| share.0);
        ((share * WHOLE as f64) as i64).clamp(1, WHOLE - 1)
    }

    fn shift(&self) -> Duration {
        self.time_shift.unwrap_or(Duration::from_ms(50))
    }

    /// Scheduler of the two queues, at rest.
    fn priority(&self) -> Priority {
        match self.conditional_priority {
            ConditionalPriority::Wrr => Priority::Wrr { classic_share: self.classic_credit(), credit: 0 },
            ConditionalPriority::TsFifo => Priority::TsFifo { shift: self.shift() },
        }
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

/// Number of the queue of Classic traffic.
const C: usize = 0;
/// Number of the queue of scalable traffic.
const L: usize = 1;
/// Native marking requires more than this number of packets in L, the head included (Th_len) [RFC9332 App. A.2].
const FEWEST: u32 = 1;
/// Share of both queues together, in units of credit per byte.
const WHOLE: i64 = 1_000_000;

/// State of the scheduler of the two queues.
#[derive(Clone, Debug)]
enum Priority {
    /// Weighted round robin.
    Wrr {
        /// Credit of C for each byte of L that is sent while C waits.
        classic_share: i64,
        /// Credit of C. It is the turn of C while this is positive.
        credit: i64,
    },
    /// Time-shifted FIFO.
    TsFifo { shift: Duration },
}

/// State of DualPI2.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    limit: Limit,
    controller: Controller,
    min_threshold: Duration,
    range: Duration,
    priority: Priority,
    /// Sums of probabilities of C and of L (q.count).
    sums: [f64; 2],
}

impl DualPi2 {
    /// DualPI2 with two empty queues.
    pub fn new(parameters: &Parameters, _: &[ClassPlan], _: impl Into<SchedulerContext>) -> DualPi2 {
        let it = parameters;
        DualPi2 {
            limit: it.limit,
            controller: Controller::new((it.target, it.update_interval), (it.alpha.0, it.beta.0), it.coupling.0),
            min_threshold: it.min_threshold,
            range: it.range,
            priority: it.priority(),
            sums: [0.0; 2],
        }
    }

    /// Probability with which L itself marks a packet that has waited for `waited` (laqm) [RFC9332 App. A.1].
    fn native(&self, waited: Duration) -> f64 {
        if waited >= self.min_threshold + self.range {
            1.0
        } else if waited > self.min_threshold {
            Duration::from_ps(waited.as_ps() - self.min_threshold.as_ps()).as_seconds() / self.range.as_seconds()
        } else {
            0.0
        }
    }

    /// Whether the present packet of `queue` is chosen (recur) [RFC9332 App. A.1].
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
        let is_c_due = matches!(self.priority, Priority::Wrr { credit, .. } if credit > 0);
        let c_first = packets(queues, L) == 0 || packets(queues, C) > 0 && is_c_due;
        Turn::Queue(if c_first { C } else { L })
    }

    /// Selects the queue whose head has waited longer, with the shift added for L; L wins ties [RFC9332 App. B.1, fig. 10].
    fn next_by_heads(&mut self, now: Time, queues: &[QueueState], head_since: HeadTimes<'_>) -> Turn {
        match (&self.priority, head_since(C), head_since(L)) {
            (Priority::TsFifo { shift }, Some(c), Some(l)) => Turn::Queue(if c + *shift < l { C } else { L }),
            _ => self.next(now, queues),
        }
    }

    fn on_packet(&mut self, now: Time, _queue: usize, _queues: &[QueueState]) {
        self.controller.wake(now);
    }

    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        let Priority::Wrr { classic_share, credit } = &mut self.priority else { return };
        if packets(queues, C) == 0 || packets(queues, L) == 0 {
            *credit = 0;
        } else if queue == L {
            *credit += *classic_share * i64::from(size);
        } else {
            *credit -= (WHOLE - *classic_share) * i64::from(size);
        }
    }

    fn reads_heads(&self) -> bool {
        false
    }

    fn hooks(&self) -> Hooks {
        let hooks = Hooks::QUEUES.and(Hooks::ARRIVAL).and(Hooks::DEPARTURE).and(Hooks::TIMER);
        match self.priority {
            Priority::Wrr { .. } => hooks,
            Priority::TsFifo { .. } => hooks.and(Hooks::HEAD_TIMES),
        }
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
        (self.min_threshold, self.range) = (it.min_threshold, it.range);
        match &mut self.priority {
            Priority::Wrr { classic_share, .. } => *classic_share = it.classic_credit(),
            Priority::TsFifo { shift } => *shift = it.shift(),
        }
        None
    }
}

#[cfg(test)]
mod tests;
