//! Schedulers that skip rounds in which no class could be served decide as if they went through each round. They are compared with plain
//! models that do, for visits worth much less than a packet.

mod support;

use penstock_model::id::{FlowId, HopId};
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{AnyScheduler, Hooks, QueueState, Scheduler, SchedulerPlan, Turn};
use penstock_model::units::Time;
use proptest::prelude::*;
use std::collections::VecDeque;
use support::{class, plan, LINK};

/// A scheduler that goes through all rounds. It selects the queue that sends, given the sizes of the packets in each.
trait Plain {
    fn on_packet(&mut self, queue: usize, sizes: &[VecDeque<u32>]);
    fn next(&mut self, sizes: &[VecDeque<u32>]) -> usize;
    fn on_sent(&mut self, queue: usize, size: u32);
}

/// Deficit round robin with a list of classes [Shreedhar96 s3].
struct PlainDrr {
    quanta: Vec<u64>,
    deficits: Vec<u64>,
    row: VecDeque<usize>,
    is_granted: bool,
}

impl Plain for PlainDrr {
    fn on_packet(&mut self, queue: usize, _: &[VecDeque<u32>]) {
        if !self.row.contains(&queue) {
            self.row.push_back(queue);
        }
    }

    fn next(&mut self, sizes: &[VecDeque<u32>]) -> usize {
        loop {
            let first = self.row[0];
            if sizes[first].is_empty() {
                self.row.pop_front();
                (self.deficits[first], self.is_granted) = (0, false);
                continue;
            }
            if !self.is_granted {
                self.deficits[first] += self.quanta[first];
                self.is_granted = true;
            }
            if u64::from(sizes[first][0]) <= self.deficits[first] {
                return first;
            }
            self.row.rotate_left(1);
            self.is_granted = false;
        }
    }

    fn on_sent(&mut self, queue: usize, size: u32) {
        self.deficits[queue] -= u64::from(size);
    }
}

/// Weighted round robin by bytes that keeps debts.
struct PlainWrr {
    weights: Vec<i64>,
    quantum: i64,
    credits: Vec<i64>,
    turn: usize,
}

impl Plain for PlainWrr {
    fn on_packet(&mut self, _: usize, _: &[VecDeque<u32>]) {}

    fn next(&mut self, sizes: &[VecDeque<u32>]) -> usize {
        let count = self.weights.len();
        loop {
            let has_packets = !sizes[self.turn].is_empty();
            if has_packets && self.credits[self.turn] > 0 {
                return self.turn;
            }
            if !has_packets {
                self.credits[self.turn] = self.credits[self.turn].min(0);
            }
            self.turn = (self.turn + 1) % count;
            self.credits[self.turn] += self.weights[self.turn] * self.quantum * count as i64;
        }
    }

    fn on_sent(&mut self, queue: usize, size: u32) {
        self.credits[queue] -= i64::from(size) * self.weights.iter().sum::<i64>();
    }
}

/// FQ-CoDel with two lists [RFC8290 s4.2].
struct PlainFqCodel {
    quantum: i64,
    credits: Vec<i64>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl Plain for PlainFqCodel {
    fn on_packet(&mut self, queue: usize, _: &[VecDeque<u32>]) {
        if !self.new.contains(&queue) && !self.old.contains(&queue) {
            self.credits[queue] = self.quantum;
            self.new.push_back(queue);
        }
    }

    fn next(&mut self, sizes: &[VecDeque<u32>]) -> usize {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let first = list[0];
            if self.credits[first] <= 0 {
                self.credits[first] += self.quantum;
                list.pop_front();
                self.old.push_back(first);
            } else if !sizes[first].is_empty() {
                return first;
            } else {
                list.pop_front();
                if is_new {
                    self.old.push_back(first);
                }
            }
        }
    }

    fn on_sent(&mut self, queue: usize, size: u32) {
        self.credits[queue] -= i64::from(size);
    }
}

const QUEUES: usize = 4;

/// Events at a port: a packet of this size arrives for this queue, or one is sent if any waits.
type Steps = Vec<Option<(usize, u32)>>;

fn steps() -> impl Strategy<Value = Steps> {
    let sizes = prop_oneof![1..20u32, 1..1_000u32];
    prop::collection::vec(prop_oneof![(0..QUEUES, sizes).prop_map(Some), Just(None)], 1..200)
}

fn states(sizes: &[VecDeque<u32>]) -> Vec<QueueState> {
    let state = |sizes: &VecDeque<u32>| QueueState {
        packets: sizes.len() as u32,
        bytes: sizes.iter().map(|size| u64::from(*size)).sum(),
        head: sizes.front().copied().unwrap_or(0),
    };
    sizes.iter().map(state).collect()
}

fn compare(plan: &SchedulerPlan, classes: &[ClassPlan], plain: &mut impl Plain, steps: &Steps) -> Result<(), TestCaseError> {
    let mut it = AnyScheduler::new(plan, classes, LINK);
    if it.hooks().has(Hooks::QUEUES) {
        // Some flows share a queue.
        let mut flow = 0;
        for queue in 0..QUEUES {
            let packet = |flow| Packet {
                created: Time::ZERO,
                flow: FlowId(flow),
                hop: HopId(0),
                size: 500,
                precedence: 0,
                class: 0,
                pcn: PcnMark::Unmarked,
                ecn: Ecn::NotEct,
                body: Body::datagram(0),
            };
            while it.classify(Time::ZERO, &packet(flow)) != queue {
                flow += 1;
            }
        }
    }
    let mut sizes = vec![VecDeque::new(); QUEUES];
    // At the end all packets are sent.
    for step in steps.iter().chain(std::iter::repeat_n(&None, steps.len())) {
        if let Some((queue, size)) = *step {
            sizes[queue].push_back(size);
            it.on_packet(Time::ZERO, queue, &states(&sizes));
            plain.on_packet(queue, &sizes);
        } else if sizes.iter().any(|sizes| !sizes.is_empty()) {
            let queue = plain.next(&sizes);
            prop_assert_eq!(it.next(Time::ZERO, &states(&sizes)), Turn::Queue(queue));
            let size = sizes[queue].pop_front().expect("it has a packet");
            it.on_sent(Time::ZERO, queue, size, &states(&sizes));
            plain.on_sent(queue, size);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn deficit_round_robin(quanta in prop::collection::vec(1..30u64, QUEUES), steps in steps()) {
        let classes: Vec<ClassPlan> = quanta.iter().map(|quantum| class(&format!("quantum = {quantum} bytes"))).collect();
        let mut plain = PlainDrr { quanta, deficits: vec![0; QUEUES], row: VecDeque::new(), is_granted: false };
        compare(&plan("drr", ""), &classes, &mut plain, &steps)?;
    }

    #[test]
    fn weighted_round_robin_by_bytes(weights in prop::collection::vec(1..50i64, QUEUES), quantum in 1..30i64, steps in steps()) {
        let classes: Vec<ClassPlan> = weights.iter().map(|weight| class(&format!("weight = {weight}"))).collect();
        let mut plain = PlainWrr { weights, quantum, credits: vec![0; QUEUES], turn: QUEUES - 1 };
        let plan = plan("wrr", &format!("weighs = bytes; quantum = {quantum} bytes"));
        compare(&plan, &classes, &mut plain, &steps)?;
    }

    #[test]
    fn flow_queues(quantum in 1..30i64, steps in steps()) {
        let mut plain = PlainFqCodel { quantum, credits: vec![0; QUEUES], new: VecDeque::new(), old: VecDeque::new() };
        let plan = plan("fq-codel", &format!("quantum = {quantum} bytes"));
        compare(&plan, &[ClassPlan::default()], &mut plain, &steps)?;
    }
}
