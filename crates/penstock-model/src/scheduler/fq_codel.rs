//! FQ-CoDel: flow queues with CoDel.

use super::class::ClassPlan;
use super::flow_queues::{check_flows, one_more, FlowQueues, Newcomers};
use super::{HasFacts, Hooks, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::discipline::{codel, DisciplinePlan, Eviction};
use crate::packet::Packet;
use crate::parameters::{own, Check, Count, PacketLimit, Quantum};
use crate::units::{Bytes, Duration, Time};
use std::any::Any;

crate::parameters! {
    /// FQ-CoDel: a queue per flow with CoDel in each, served by deficit round robin; sparse flows go first.
    ///
    /// ## Decides
    /// A hash of the flow chooses one of `flows` queues. A queue that becomes active joins the end of the list of new queues with
    /// a credit of one `quantum`. The scheduler looks at the first new queue or, if there is none, at the first old queue:
    ///
    /// - A queue without credit receives a quantum and moves to the end of the old queues.
    /// - An empty queue leaves: a new one moves to the end of the old queues, an old one becomes inactive.
    /// - Otherwise the queue's discipline may drop packets from the head. The first packet that it keeps is sent, and its size is
    ///   taken from the credit.
    ///
    /// While more than `limit` packets wait in all queues, half of the packets of the queue with the most bytes, at most 64, are
    /// dropped from its head (cause `overflow`). `queue` at the link is the discipline of each queue; the default is `codel` with
    /// `ecn = true` and a limit above that of all queues. A `queue` in the scenario keeps its own defaults: `queue.codel = {}` does
    /// not mark, and drops arrivals at a flow's queue of 1000 packets.
    ///
    /// ## State
    /// A table of queues, each with its discipline's state and created at its first packet; two lists; the credits. Constant cost
    /// per packet; at the limit, one scan of all queues for up to 64 drops.
    ///
    /// ## Departures
    /// - A flow is a flow of the scenario, or an aggregate of calls; each port has its own seed of the hash.
    /// - A queue loses its turn at a credit of zero: [RFC8290 s3] says "zero or less", as in Linux, and s4.2 "negative".
    /// - CoDel compares `mtu` with the backlog of its own queue; [RFC8289 s4.4] recommends the backlog of all queues together,
    ///   which Linux uses.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.fq-codel = { quantum = "1514 bytes", flows = 1024 }
    /// queue.codel = { limit = "10241 packets", target = "5 ms", ecn = true }
    /// ```
    ///
    /// ## References
    /// [RFC8290 s4, s5].
    pub struct Parameters {
        /// Bytes that a queue may send in a turn [RFC8290 s5.2.4].
        quantum: Quantum = "1514 bytes", changeable;
        /// Number of queues [RFC8290 s5.2.5]; at most 65536.
        flows: Count = "1024";
        /// Maximum number of packets in all queues together [RFC8290 s5.2.3].
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
        let codel = codel::Parameters {
            limit: one_more(self.limit),
            target: Duration::from_ms(5),
            interval: Duration::from_ms(100),
            mtu: Bytes::new(1500),
            ecn: true,
            ce_threshold: None,
        };
        SchedulerFacts {
            own_queues: Some("a queue for each flow"),
            only_at_link: Some("makes queues by flow"),
            shared_limit: Some(self.limit.into()),
            default_queue: Some(DisciplinePlan::Codel(codel)),
            ..SchedulerFacts::default()
        }
    }
}

/// Maximum number of drops per scan of all queues [RFC8290 s4.1].
const DROP_BATCH: u32 = 64;

/// State of FQ-CoDel.
#[derive(Clone, Debug)]
pub struct FqCodel {
    flows: FlowQueues,
    /// The queue that drops packets at the limit, and the number of drops that remain.
    dropping: (usize, u32),
}

impl FqCodel {
    /// FQ-CoDel without queues.
    pub fn new(parameters: &Parameters, _: &[ClassPlan], context: impl Into<SchedulerContext>) -> FqCodel {
        let &Parameters { quantum, flows, limit } = parameters;
        FqCodel { flows: FlowQueues::new((quantum, flows, limit), Newcomers::GoFirst, &context.into()), dropping: (0, 0) }
    }
}

crate::state! {
    impl FqCodel, |it, _now| {
        /// Credit of each queue, negative if it owes [RFC8290 s4.2].
        "deficit", "bytes", each it.flows.credits();
    }
}

impl Scheduler for FqCodel {
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        self.flows.next(queues)
    }

    fn on_packet(&mut self, _now: Time, queue: usize, _queues: &[QueueState]) {
        self.flows.on_packet(queue);
    }

    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        self.flows.on_sent(queue, size);
    }

    fn on_drop(&mut self, _now: Time, _queue: usize, _size: u32, _queues: &[QueueState]) {
        self.flows.on_drop();
    }

    fn reads_heads(&self) -> bool {
        false
    }

    fn hooks(&self) -> Hooks {
        Hooks::QUEUES.and(Hooks::LIMIT)
    }

    fn classify(&mut self, _now: Time, packet: &Packet) -> usize {
        self.flows.classify(packet)
    }

    fn over_limit(&mut self, queues: &[QueueState]) -> Option<Eviction> {
        if self.dropping.1 == 0 && self.flows.is_over_limit() {
            let most = queues.iter().map(|queue| queue.bytes).max()?;
            let fattest = queues.iter().position(|queue| queue.bytes == most)?;
            self.dropping = (fattest, queues[fattest].packets.div_ceil(2).min(DROP_BATCH));
        }
        let (queue, left) = self.dropping;
        self.dropping.1 = left.checked_sub(1)?;
        Some(Eviction::of_head(queue))
    }

    fn on_idle(&mut self) {
        self.flows.on_idle();
    }

    fn change(
        &mut self,
        _now: Time,
        parameters: &dyn Any,
        _classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        self.flows.set_quantum(own::<Parameters>(parameters).quantum);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::parameters::Limit;
    use crate::units::Rate;

    /// A scheduler and its queues, each a list of the sizes of its packets.
    struct Port(FqCodel, Vec<Vec<u32>>);

    impl Port {
        fn new(lines: &[&str]) -> Port {
            Port(FqCodel::new(&read(lines).expect("sound"), &[], Rate::from_bps(1_000_000)), Vec::new())
        }

        fn states(&self) -> Vec<QueueState> {
            let state = |sizes: &Vec<u32>| QueueState {
                packets: sizes.len() as u32,
                bytes: sizes.iter().map(|size| u64::from(*size)).sum(),
                head: 0,
            };
            self.1.iter().map(state).collect()
        }

        fn arrive(&mut self, hash: u64, size: u32) -> usize {
            let queue = self.0.flows.queue_of_hash(hash);
            if queue == self.1.len() {
                self.1.push(Vec::new());
            }
            self.1[queue].push(size);
            self.0.on_packet(Time::ZERO, queue, &self.states());
            queue
        }

        fn arrive_all(&mut self, packets: &[(u64, u32)]) {
            for (hash, size) in packets {
                self.arrive(*hash, *size);
            }
        }

        /// Sends `n` packets. Asks twice each time, which must make no difference.
        fn send(&mut self, n: usize) -> Vec<usize> {
            let mut sent = Vec::new();
            for _ in 0..n {
                let Turn::Queue(queue) = self.0.next(Time::ZERO, &self.states()) else { panic!("nothing holds packets back") };
                assert_eq!(self.0.next(Time::ZERO, &self.states()), Turn::Queue(queue));
                let size = self.1[queue].remove(0);
                self.0.on_sent(Time::ZERO, queue, size, &self.states());
                sent.push(queue);
            }
            sent
        }

        fn drop_over_limit(&mut self) -> Vec<usize> {
            let mut dropped = Vec::new();
            while let Some(Eviction { queue, position: 0, .. }) = self.0.over_limit(&self.states()) {
                let size = self.1[queue].remove(0);
                self.0.on_drop(Time::ZERO, queue, size, &self.states());
                dropped.push(queue);
            }
            dropped
        }
    }

    #[test]
    fn queues_take_turns_of_a_quantum() {
        // 1514 bytes of credit: two packets of 1000 (-486); with another quantum (1028), again two. Three packets of 600 (-286).
        let mut port = Port::new(&[]);
        port.arrive_all(&[(0, 1000); 6]);
        port.arrive_all(&[(1, 600); 6]);
        assert_eq!(port.send(10), [0, 0, 1, 1, 1, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn credits_are_what_the_text_says() {
        let mut port = Port::new(&["quantum = 1000 bytes"]);
        port.arrive_all(&[(0, 1000), (0, 1000), (1, 900), (1, 900)]);
        // One queue has used exactly its quantum and gets another. The other has 100 left, so it continues.
        assert_eq!(port.send(3), [0, 1, 1]);
        assert_eq!(port.0.flows.credits().collect::<Vec<_>>(), [1000.0, -800.0]);
        assert_eq!(port.send(1), [0]);
    }

    #[test]
    fn a_sparse_flow_precedes_the_old_ones() {
        let mut port = Port::new(&[]);
        port.arrive_all(&[(0, 1500); 20]);
        port.arrive_all(&[(1, 1500); 20]);
        assert_eq!(port.send(4), [0, 0, 1, 1]);
        for _ in 0..3 {
            // The queue sends at once each time: once empty it becomes an old queue, and it leaves at its turn.
            port.arrive(2, 100);
            assert_eq!(port.send(1), [2]);
            assert_eq!(port.send(4).iter().filter(|queue| **queue == 2).count(), 0);
        }
    }

    #[test]
    fn an_emptied_new_queue_becomes_old_first() {
        let mut port = Port::new(&[]);
        port.arrive_all(&[(0, 1500); 9]);
        assert_eq!(port.send(2), [0, 0]);
        port.arrive(1, 100);
        assert_eq!(port.send(1), [1]);
        // The next decision makes the queue old. A packet that arrives before its turn finds it in the old list, behind the other queue.
        assert_eq!(port.send(1), [0]);
        port.arrive(1, 100);
        assert!(port.0.flows.is_old(1));
    }

    #[test]
    fn flows_of_one_hash_share_a_queue() {
        let mut port = Port::new(&["flows = 8"]);
        assert_eq!([3, 11, 4, 19, 12].map(|hash| port.arrive(hash, 100)), [0, 0, 1, 0, 1]);
    }

    #[test]
    fn the_fattest_queue_drops_from_its_head() {
        let mut port = Port::new(&["limit = 10 packets"]);
        port.arrive_all(&[(0, 100); 7]);
        port.arrive_all(&[(1, 500); 3]);
        assert!(port.drop_over_limit().is_empty());
        port.arrive(2, 1000);
        // 700, 1500 and 1000 bytes: half of three packets, rounded up.
        assert_eq!(port.drop_over_limit(), [1, 1]);
        let mut port = Port::new(&["limit = 300 packets"]);
        port.arrive_all(&[(0, 100); 301]);
        assert_eq!(port.drop_over_limit().len(), 64);
    }

    #[test]
    fn the_default_queue_has_room_for_the_arrival_at_the_limit() {
        let facts = read::<Parameters>(&["limit = 77 packets"]).expect("sound").facts();
        assert_eq!(facts.shared_limit, Some(Limit::Packets(77)));
        assert_eq!(facts.default_queue.and_then(|queue| queue.limit()), Some(Limit::Packets(78)));
    }

    #[test]
    fn an_idle_port_forgets_its_lists() {
        let mut port = Port::new(&[]);
        port.arrive_all(&[(0, 1500), (1, 1500)]);
        port.send(2);
        port.0.on_idle();
        port.arrive(1, 100);
        assert_eq!(port.0.flows.credits().nth(1), Some(1514.0));
        assert_eq!(port.send(1), [1]);
    }

    #[test]
    fn a_limit_in_bytes_and_too_many_queues_are_refused() {
        assert_eq!(
            read::<Parameters>(&["limit = 1 MB"]).expect_err("a mistake"),
            ["limit: '1 MB' is not a number of packets above zero; write \"60 packets\""]
        );
        let mistakes = read::<Parameters>(&["flows = 65537"]).expect_err("a mistake");
        assert_eq!(mistakes, ["flows: 65537 are more queues than a port keeps; at most 65536"]);
    }
}
