//! Stochastic fairness queueing.

use super::class::ClassPlan;
use super::flow_queues::{check_flows, FlowQueues, Newcomers};
use super::{HasFacts, Hooks, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::discipline::{tail_drop, DisciplinePlan, DropCause, Eviction};
use crate::packet::Packet;
use crate::parameters::{own, Check, Count, PacketLimit, Quantum};
use crate::rng::Key;
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// Stochastic fairness queueing: flows are hashed to queues that take turns; a full buffer drops from the longest queue.
    ///
    /// ## Decides
    /// A hash of the flow chooses one of `flows` queues. A queue that becomes active joins the end of the round with a credit of one
    /// `quantum`. The first queue of the round sends while its credit is above zero; each packet reduces the credit by its size.
    /// Then the queue gets a quantum and moves to the end. A queue leaves the round when its last packet is dropped or begins its
    /// transmission. While more than `limit` packets wait in all queues, the last packet of the queue with the most packets is
    /// dropped (cause `overflow`), which may be the arrival. Among several such queues, it is the one whose length changed last; if
    /// no queue has more than one packet, it is the first of the round. With `perturb`, the hash gets a new seed after the first
    /// packet that comes at least this time after the last change, so that two flows do not share a queue for long.
    ///
    /// ## State
    /// The table of queues, the round, the credits, and the order in which lengths changed. Constant cost per packet; at the limit,
    /// one scan of all queues per drop.
    ///
    /// ## Departures
    /// - [McKenney90] sends a packet of each queue in turn; turns of bytes and the defaults are Linux's (sch_sfq).
    /// - A flow is a flow of the scenario, or an aggregate of calls.
    /// - Packets that wait when the seed changes stay in their queues, so that later packets of their flow may overtake them; Linux
    ///   moves them. Instead of Linux's limit per queue (`depth`) and its RED, each queue can have a discipline here.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.sfq = { flows = 1024, perturb = "10 s" }
    /// ```
    ///
    /// ## References
    /// [McKenney90].
    pub struct Parameters {
        /// Bytes that a queue may send in a turn.
        quantum: Quantum = "1514 bytes", changeable;
        /// Number of queues; at most 65536.
        flows: Count = "1024";
        /// Maximum number of packets in all queues together.
        limit: PacketLimit = "127 packets";
        /// Time between two seeds of the hash; one seed for the whole run if left out.
        perturb: Option<Duration>;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_flows(self.flows, mistake);
        if self.perturb == Some(Duration::ZERO) {
            mistake("perturb", "must be above zero; leave it out for one seed".to_owned());
        }
    }
}

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        let queue = tail_drop::Parameters { limit: self.limit.into(), counts: tail_drop::Counts::Waiting };
        SchedulerFacts {
            own_queues: Some("a queue for each flow"),
            only_at_link: Some("makes queues by flow"),
            shared_limit: Some(self.limit.into()),
            default_queue: Some(DisciplinePlan::TailDrop(queue)),
            ..SchedulerFacts::default()
        }
    }
}

/// State of stochastic fairness queueing.
#[derive(Clone, Debug)]
pub struct Sfq {
    flows: FlowQueues,
    /// Number of length changes of all queues.
    moves: u64,
    /// Number of the last length change of each queue that has had a packet; shorter if later queues have not.
    moved: Vec<u64>,
    /// Key from which seeds are derived.
    seeds: Key,
    /// Number of changes of the seed.
    changes: u64,
    perturb: Option<Duration>,
    next_change: Time,
}

impl Sfq {
    /// Stochastic fairness queueing without queues.
    pub fn new(parameters: &Parameters, _: &[ClassPlan], context: impl Into<SchedulerContext>) -> Sfq {
        let &Parameters { quantum, flows, limit, perturb } = parameters;
        let flows = FlowQueues::new((quantum, flows, limit), Newcomers::GoLast, &context.into());
        let next_change = perturb.map_or(Time::NEVER, |perturb| Time::ZERO + perturb);
        Sfq { seeds: flows.seed, flows, moves: 0, moved: Vec::new(), changes: 0, perturb, next_change }
    }

    /// Records that the length of a queue has changed.
    fn note_move(&mut self, queue: usize) {
        if self.moved.len() <= queue {
            self.moved.resize(queue + 1, 0);
        }
        self.moves += 1;
        self.moved[queue] = self.moves;
    }

    /// Records that a packet has left a queue. An empty queue leaves the round.
    fn note_leave(&mut self, queue: usize, queues: &[QueueState]) {
        self.note_move(queue);
        if queues[queue].packets == 0 {
            self.flows.leave_round(queue);
        }
    }

    #[cold]
    fn change_seed(&mut self, now: Time) {
        self.changes += 1;
        self.flows.seed = self.seeds.nth(self.changes);
        self.next_change = self.perturb.map_or(Time::NEVER, |perturb| now + perturb);
    }
}

crate::state! {
    impl Sfq, |it, _now| {
        /// Credit of each queue, negative if it owes.
        "deficit", "bytes", each it.flows.credits();
    }
}

impl Scheduler for Sfq {
    fn next(&mut self, _now: Time, queues: &[QueueState]) -> Turn {
        self.flows.next(queues)
    }

    fn on_packet(&mut self, now: Time, queue: usize, _queues: &[QueueState]) {
        self.flows.on_packet(queue);
        self.note_move(queue);
        if now >= self.next_change {
            self.change_seed(now);
        }
    }

    fn on_sent(&mut self, _now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.flows.on_sent(queue, size);
        self.note_leave(queue, queues);
    }

    fn on_drop(&mut self, _now: Time, queue: usize, _size: u32, queues: &[QueueState]) {
        self.flows.on_drop();
        self.note_leave(queue, queues);
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
        if !self.flows.is_over_limit() {
            return None;
        }
        let most = queues.iter().map(|queue| queue.packets).max()?;
        let is_longest = |queue: &usize| queues[*queue].packets == most;
        // As in `sfq_drop` of Linux, whose lists by length begin with the queue that changed last.
        let queue = match most {
            1 => self.flows.round().find(is_longest),
            _ => (0..queues.len()).filter(is_longest).max_by_key(|queue| self.moved[*queue]),
        };
        Some(Eviction { queue: queue?, position: most - 1, cause: DropCause::Overflow })
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
    use super::super::testing::Queues;
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;
    use crate::units::Rate;

    fn sfq(lines: &[&str], hashes: u64) -> Sfq {
        let mut it = Sfq::new(&read(lines).expect("sound"), &[], Rate::from_bps(1_000_000));
        (0..hashes).for_each(|hash| _ = it.flows.queue_of_hash(hash));
        it
    }

    /// Reports each packet to the scheduler.
    fn arrive(it: &mut Sfq, queues: &Queues) {
        for (queue, (packets, _)) in queues.0.iter().enumerate() {
            (0..*packets).for_each(|_| it.on_packet(Time::ZERO, queue, &queues.states()));
        }
    }

    #[test]
    fn queues_take_turns_of_a_quantum() {
        // Credits of 1000: packets of 600 leave 400 and -200; after a quantum 800, 200, -400. The other queue sends one packet of 1000 per
        // turn.
        let mut it = sfq(&["quantum = 1000 bytes"], 2);
        let mut queues = Queues(vec![(9, 600), (9, 1000)]);
        arrive(&mut it, &queues);
        assert_eq!(queues.send(&mut it, 9), [0, 0, 1, 0, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn a_queue_that_becomes_active_waits_for_its_turn() {
        let mut it = sfq(&["quantum = 500 bytes"], 3);
        let mut queues = Queues(vec![(9, 500), (9, 500), (0, 500)]);
        arrive(&mut it, &queues);
        assert_eq!(queues.send(&mut it, 1), [0]);
        queues.0[2].0 = 1;
        it.on_packet(Time::ZERO, 2, &queues.states());
        assert_eq!(queues.send(&mut it, 4), [1, 2, 0, 1]);
    }

    #[test]
    fn the_longest_queue_loses_its_last_packet() {
        let mut it = sfq(&["limit = 5 packets"], 3);
        let queues = Queues(vec![(1, 1500), (4, 100), (0, 1500)]);
        arrive(&mut it, &queues);
        assert_eq!(it.over_limit(&queues.states()), None);
        it.on_packet(Time::ZERO, 2, &queues.states());
        let dropped = Eviction { queue: 1, position: 3, cause: DropCause::Overflow };
        assert_eq!(it.over_limit(&queues.states()), Some(dropped));
        it.on_drop(Time::ZERO, 1, 100, &queues.states());
        assert_eq!(it.over_limit(&queues.states()), None);
    }

    #[test]
    fn another_seed_parts_flows_that_share_a_queue() {
        let mut it = sfq(&["flows = 2", "perturb = 10 s"], 0);
        let of_flow = |it: &mut Sfq, flow: u32| it.classify(Time::ZERO, &Packet { flow: crate::id::FlowId(flow), ..packet(500, 0) });
        let together = |it: &mut Sfq| (1..50).filter(|flow| of_flow(it, *flow) == of_flow(it, 0)).count();
        let always = |it: &mut Sfq| {
            let before: Vec<bool> = (1..50).map(|flow| of_flow(it, flow) == of_flow(it, 0)).collect();
            let (early, due) = (it.next_change.before(), it.next_change);
            it.on_packet(early, 0, &[]);
            assert_eq!(it.changes, 0);
            it.on_packet(due, 0, &[]);
            before.into_iter().zip(1..50).filter(|(was, flow)| *was && of_flow(it, *flow) == of_flow(it, 0)).count()
        };
        assert!((15..35).contains(&together(&mut it)));
        assert!((4..22).contains(&always(&mut it)), "half of those that shared a queue");
        assert_eq!(it.next_change, Time::ZERO + Duration::from_secs(20));
    }

    #[test]
    fn settings_without_a_meaning_are_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(mistakes(&["perturb = 0 s"]), ["perturb: must be above zero; leave it out for one seed"]);
        assert_eq!(mistakes(&["limit = 1 MB"]), ["limit: '1 MB' is not a number of packets above zero; write \"60 packets\""]);
    }

    #[test]
    fn of_the_longest_queues_the_one_whose_length_changed_last_loses() {
        let lost = |order: &[usize], queues: &[u32]| {
            let mut it = sfq(&["limit = 6 packets"], 3);
            let queues = Queues(queues.iter().map(|packets| (*packets, 1000)).collect());
            order.iter().for_each(|queue| it.on_packet(Time::ZERO, *queue, &queues.states()));
            it.over_limit(&queues.states()).map(|eviction| (eviction.queue, eviction.position))
        };
        assert_eq!(lost(&[0, 0, 0, 1, 1, 1, 2], &[3, 3, 1]), Some((1, 2)));
        assert_eq!(lost(&[1, 1, 1, 0, 0, 2, 0], &[3, 3, 1]), Some((0, 2)));
    }

    #[test]
    fn among_queues_of_one_packet_the_first_of_the_round_loses() {
        let mut it = sfq(&["limit = 2 packets"], 3);
        let mut queues = Queues(vec![(1, 1000); 3]);
        [2, 0, 1].into_iter().for_each(|queue| it.on_packet(Time::ZERO, queue, &queues.states()));
        assert_eq!(it.over_limit(&queues.states()).map(|eviction| (eviction.queue, eviction.position)), Some((2, 0)));
        // The queue leaves the round: a packet that arrives before the others are sent goes last.
        queues.0[2].0 = 0;
        it.on_drop(Time::ZERO, 2, 1000, &queues.states());
        queues.0[2].0 = 1;
        it.on_packet(Time::ZERO, 2, &queues.states());
        assert_eq!(it.over_limit(&queues.states()).map(|eviction| eviction.queue), Some(0));
        queues.0[0].0 = 0;
        it.on_drop(Time::ZERO, 0, 1000, &queues.states());
        assert_eq!(queues.send(&mut it, 2), [1, 2]);
    }

    /// 24 flows compete for 16 packets: of three packets, two are sent at random.
    #[test]
    fn equal_flows_lose_alike() {
        let (flows, arrivals) = (24, 72_000);
        let mut it = sfq(&["limit = 16 packets"], flows as u64);
        let mut stream = Key::root(1, 0).stream();
        let mut queues = Queues(vec![(0, 1000); flows]);
        let (mut offered, mut lost) = (vec![0.0f64; flows], vec![0.0f64; flows]);
        for i in 0..arrivals {
            let flow = stream.below(flows as u64) as usize;
            offered[flow] += 1.0;
            queues.0[flow].0 += 1;
            it.on_packet(Time::ZERO, flow, &queues.states());
            while let Some(Eviction { queue, .. }) = it.over_limit(&queues.states()) {
                lost[queue] += 1.0;
                queues.0[queue].0 -= 1;
                it.on_drop(Time::ZERO, queue, 1000, &queues.states());
            }
            if i % 3 > 0 {
                queues.send(&mut it, 1);
            }
        }
        // A third of 3000 packets each, within four standard errors of 0.0086.
        for (flow, (lost, offered)) in lost.iter().zip(&offered).enumerate() {
            assert!((lost / offered - 1.0 / 3.0).abs() < 4.0 * 0.0086, "flow {flow}: {}", lost / offered);
        }
    }

    #[test]
    fn a_queue_leaves_the_round_with_its_last_packet() {
        let mut it = sfq(&["quantum = 1500 bytes"], 2);
        let mut queues = Queues(vec![(1, 200), (1, 1500)]);
        arrive(&mut it, &queues);
        assert_eq!(queues.send(&mut it, 1), [0]);
        // The next packet goes behind that of the other queue, although it arrives while the last one is on the wire.
        queues.0[0].0 = 1;
        it.on_packet(Time::ZERO, 0, &queues.states());
        assert_eq!(queues.send(&mut it, 2), [1, 0]);
    }
}
