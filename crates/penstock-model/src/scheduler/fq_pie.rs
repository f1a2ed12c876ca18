//! FQ-PIE: flow queues with PIE.

use super::class::ClassPlan;
use super::flow_queues::{check_flows, FlowQueues, Newcomers};
use super::{HasFacts, Hooks, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::discipline::{pie, DisciplinePlan, DropCause, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Count, PacketLimit, Positive, Quantum};
use crate::units::{Bytes, Duration, Time};
use std::any::Any;

crate::parameters! {
    /// FQ-PIE: a queue per flow with PIE in each, served by deficit round robin; sparse flows go first.
    ///
    /// ## Decides
    /// Flows are assigned to `flows` queues and take turns as under `fq-codel`. An arrival that finds `limit` packets in all queues
    /// together is dropped (cause `overflow`). `queue` at the link is the discipline of each queue; the default is `pie` without a
    /// limit of its own. A `queue.pie` in the scenario has one, of 1000 packets by default.
    ///
    /// ## State
    /// The table of queues, two lists and the credits, as of `fq-codel`; each queue has the state and the timer of its PIE. Constant
    /// cost per packet.
    ///
    /// ## Departures
    /// - A flow is a flow of the scenario, or an aggregate of calls; each port has its own seed of the hash.
    /// - Linux limits both memory and packets; here only packets are limited.
    /// - Each queue updates its probability on its own, from its first packet on; Linux updates all at once.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.fq-pie = { quantum = "1514 bytes", flows = 1024 }
    /// queue.pie = { limit = "10240 packets", target = "15 ms" }
    /// ```
    ///
    /// ## References
    /// [Ramakrishnan19]; turns: [RFC8290 s4]; PIE: [RFC8033]. Defaults: Linux's sch_fq_pie.
    pub struct Parameters {
        /// Bytes that a queue may send in a turn [RFC8290 s5.2.4].
        quantum: Quantum = "1514 bytes", changeable;
        /// Number of queues; at most 65536.
        flows: Count = "1024";
        /// Maximum number of packets in all queues together.
        limit: PacketLimit = "10240 packets";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_flows(self.flows, mistake);
    }
}

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        let pie = pie::Parameters {
            limit: self.limit.into(),
            target: Duration::from_ms(15),
            update_interval: Duration::from_ms(15),
            max_burst: Duration::from_ms(150),
            alpha: Positive(0.125),
            beta: Positive(1.25),
            mean_packet: Bytes::new(1500),
            mode: pie::Mode::Packets,
            delay: pie::DelayEstimate::Timestamps,
            departure_threshold: None,
            ecn: false,
            mark_threshold: None,
            derandomise: false,
            cap: true,
            active_from: None,
        };
        SchedulerFacts {
            own_queues: Some("a queue for each flow"),
            only_at_link: Some("makes queues by flow"),
            shared_limit: Some(self.limit.into()),
            default_queue: Some(DisciplinePlan::Pie(pie)),
            ..SchedulerFacts::default()
        }
    }
}

/// State of FQ-PIE.
#[derive(Clone, Debug)]
pub struct FqPie(FlowQueues);

impl FqPie {
    /// FQ-PIE without queues.
    pub fn new(parameters: &Parameters, _: &[ClassPlan], context: impl Into<SchedulerContext>) -> FqPie {
        let &Parameters { quantum, flows, limit } = parameters;
        FqPie(FlowQueues::new((quantum, flows, limit), Newcomers::GoFirst, &context.into()))
    }
}

crate::state! {
    impl FqPie, |it, _now| {
        /// Credit of each queue, negative if it owes [RFC8290 s4.2].
        "deficit", "bytes", each it.0.credits();
    }
}

impl Scheduler for FqPie {
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        self.0.next(queues)
    }

    fn on_arrival(&mut self, _now: Time, _packet: &Packet, _queue: usize, _queues: &[QueueState]) -> Verdict {
        if self.0.is_full() {
            Verdict::Drop(DropCause::Overflow)
        } else {
            Verdict::Accept
        }
    }

    fn on_packet(&mut self, _now: Time, queue: usize, _queues: &[QueueState]) {
        self.0.on_packet(queue);
    }

    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        self.0.on_sent(queue, size);
    }

    fn on_drop(&mut self, _now: Time, _queue: usize, _size: u32, _queues: &[QueueState]) {
        self.0.on_drop();
    }

    fn reads_heads(&self) -> bool {
        false
    }

    fn hooks(&self) -> Hooks {
        Hooks::QUEUES.and(Hooks::ARRIVAL)
    }

    fn classify(&mut self, _now: Time, packet: &Packet) -> usize {
        self.0.classify(packet)
    }

    fn on_idle(&mut self) {
        self.0.on_idle();
    }

    fn change(
        &mut self,
        _now: Time,
        parameters: &dyn Any,
        _classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        self.0.set_quantum(own::<Parameters>(parameters).quantum);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;
    use crate::parameters::Limit;
    use crate::units::Rate;

    #[test]
    fn an_arrival_beyond_the_limit_of_all_queues_is_dropped() {
        let mut it = FqPie::new(&read(&["limit = 3 packets"]).expect("sound"), &[], Rate::from_bps(1_000_000));
        let queue = it.classify(Time::ZERO, &packet(500, 0));
        let mut verdicts = Vec::new();
        for _ in 0..4 {
            let verdict = it.on_arrival(Time::ZERO, &packet(500, 0), queue, &[]);
            verdicts.push(verdict);
            if verdict == Verdict::Accept {
                it.on_packet(Time::ZERO, queue, &[]);
            }
        }
        assert_eq!(verdicts, [Verdict::Accept, Verdict::Accept, Verdict::Accept, Verdict::Drop(DropCause::Overflow)]);
        it.on_drop(Time::ZERO, queue, 500, &[]);
        assert_eq!(it.on_arrival(Time::ZERO, &packet(500, 0), queue, &[]), Verdict::Accept);
    }

    #[test]
    fn each_queue_has_pie_without_a_limit_of_its_own() {
        let facts = read::<Parameters>(&["limit = 77 packets"]).expect("sound").facts();
        assert_eq!(facts.default_queue.and_then(|queue| queue.limit()), Some(Limit::Packets(77)));
    }
}
