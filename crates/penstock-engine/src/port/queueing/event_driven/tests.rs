//! Tests with disciplines and schedulers that use each of the hooks.

use super::*;
use crate::api::blueprint::PcnAt;
use crate::kernel::journal::{Journal, Measurement};
use crate::port::counters::PortCounters;
use penstock_model::discipline::{AnyDiscipline, Discipline, DisciplinePlan, DropCause, Eviction, Leave, Occupancy};
use penstock_model::id::FlowId;
use penstock_model::packet::Body;
use penstock_model::parameters::{default_value, Field, Reader, Value};
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::site::Site;
use penstock_model::units::{Duration, Rate};
use std::sync::{Arc, Mutex};

/// Reader without any parameter.
struct Defaults;

impl Reader for Defaults {
    fn take(&mut self, _field: &Field) -> Option<Value> {
        None
    }

    fn mistake(&mut self, key: &str, message: String) {
        panic!("{key}: {message}");
    }
}

/// Reader with one parameter, given by key and value.
struct Given(&'static str, &'static str);

impl Reader for Given {
    fn take(&mut self, field: &Field) -> Option<Value> {
        field.has_key(self.0).then(|| default_value(self.1))
    }

    fn mistake(&mut self, key: &str, message: String) {
        panic!("{key}: {message}");
    }
}

/// Log of the calls of a discipline, in order.
type Log = Arc<Mutex<Vec<String>>>;

/// Evicts the packet at `position` if three packets wait, and drops odd packets at departure. Has a timer every 10 ms.
#[derive(Clone)]
struct Scripted {
    log: Log,
    position: u32,
    deadline: Time,
}

penstock_model::state! {
    impl Scripted, |_it, _now| {}
}

impl Discipline for Scripted {
    fn on_arrival(&mut self, _now: Time, _packet: &Packet, queue: &Occupancy) -> Verdict {
        match queue.packets {
            0..3 => Verdict::Accept,
            _ => Verdict::Evict { position: self.position, cause: DropCause::Overflow },
        }
    }

    fn hooks(&self) -> Hooks {
        Hooks::DEPARTURE.and(Hooks::LEAVE).and(Hooks::TIMER).and(Hooks::EVICTION)
    }

    fn on_departure(&mut self, _now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        let mut log = self.log.lock().expect("one thread");
        log.push(format!("{} waited {waited}, {} behind", packet.sequence(), queue.packets));
        match packet.sequence() % 2 {
            0 => DepartureVerdict::Send,
            _ => DepartureVerdict::Drop(DropCause::Early),
        }
    }

    fn on_leave(&mut self, _now: Time, packet: &Packet, why: Leave) {
        self.log.lock().expect("one thread").push(format!("{} {why:?}", packet.sequence()));
    }

    fn next_deadline(&self) -> Time {
        self.deadline
    }

    fn on_timer(&mut self, now: Time, queue: &Occupancy) {
        self.log.lock().expect("one thread").push(format!("timer at {}, {} wait", now.since(Time::ZERO), queue.packets));
        self.deadline = now + Duration::from_ms(10);
    }
}

/// A port of 1 Mbit/s with one queue.
struct Bench {
    service: EventDriven,
    wire: Wire,
    counters: PortCounters,
    journal: Journal,
    log: Log,
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

/// Plan of a port with one CoDel queue.
fn port_plan() -> PortPlan {
    PortPlan {
        policers: Vec::new(),
        policer_of_class: Vec::new(),
        marker: None,
        scheduler: SchedulerPlan::read("fifo", &mut Defaults).expect("no parameters"),
        classes: Vec::new(),
        queues: vec![QueuePlan {
            name: String::new(),
            discipline: DisciplinePlan::read("codel", &mut Defaults).expect("defaults for everything"),
        }],
        queue_of_class: vec![0],
        pcn: Vec::new(),
        pcn_at: PcnAt::Accepted,
        shaper: None,
        impairments: Vec::new(),
        force_event_driven: false,
    }
}

impl Bench {
    fn new(position: u32) -> Bench {
        let rate = Rate::from_bps(1_000_000);
        let context = PortContext::of(Site { rate, ..Site::trial() });
        let mut service = EventDriven::new(&port_plan(), &context);
        let log = Log::default();
        let discipline = Scripted { log: log.clone(), position, deadline: ms(10) };
        service.queues.queues = vec![Queue::new(AnyDiscipline::Custom(Box::new(discipline)))];
        service.queues.has_timers = true;
        service.queues.reset_deadline();
        let counters = PortCounters::new(0, Measurement { from: Time::ZERO, to: Time::NEVER }, None);
        Bench { service, wire: Wire::new(rate, Vec::new(), None), counters, journal: Journal::default(), log }
    }

    /// Creates a port with two classes, each with its own queue, served by deficit round robin.
    fn of_two_classes() -> Bench {
        let class = |name: &str| ClassPlan { name: name.to_owned(), ..ClassPlan::default() };
        let mut plan = port_plan();
        let queue = plan.queues[0].clone();
        plan.scheduler = SchedulerPlan::read("drr", &mut Defaults).expect("defaults for everything");
        (plan.classes, plan.queues, plan.queue_of_class) = (vec![class("a"), class("b")], vec![queue.clone(), queue], vec![0, 1]);
        let context = PortContext::of(Site { rate: Rate::from_bps(1_000_000), ..Site::trial() });
        Bench { service: EventDriven::new(&plan, &context), ..Bench::new(0) }
    }

    /// Offers a packet of 1000 bytes of a class, and returns the decision.
    fn offer(&mut self, at: Time, class: u8, seq: u32) -> Verdict {
        let packet = Packet { created: at, class, size: 1000, body: Body::datagram(seq), ..Arrival::PLACEHOLDER.packet };
        let records = &mut Records { counters: &mut self.counters, journal: &mut self.journal };
        let decision = self.service.decide(at, &packet, records);
        if matches!(decision, Verdict::Accept) {
            self.service.enqueue(at, packet, records);
        }
        decision
    }

    /// Numbers of the packets that wait in each queue.
    fn waiting(&self) -> Vec<Vec<u32>> {
        let of_queue = |queue: &Queue| queue.waiting.iter().map(|arrival| arrival.packet.sequence()).collect();
        self.service.queues.queues.iter().map(of_queue).collect()
    }

    /// Offers a packet of 1000 bytes, whose transmission takes 8 ms, and expects that it is accepted.
    fn arrive(&mut self, at: Time, seq: u32) {
        self.arrive_of(at, FlowId(0), seq);
    }

    fn arrive_of(&mut self, at: Time, flow: FlowId, seq: u32) {
        let packet = Packet { created: at, flow, size: 1000, body: Body::datagram(seq), ..Arrival::PLACEHOLDER.packet };
        let records = &mut Records { counters: &mut self.counters, journal: &mut self.journal };
        assert!(matches!(self.service.decide(at, &packet, records), Verdict::Accept));
        self.service.enqueue(at, packet, records);
    }

    fn arrive_all(&mut self, at: Time, packets: &[u32]) {
        packets.iter().for_each(|seq| self.arrive(at, *seq));
    }

    /// Takes a decision; returns the number of the packet that is sent, if any.
    fn decide(&mut self, at: Time) -> Option<u32> {
        self.service.run_timers(at);
        let records = &mut Records { counters: &mut self.counters, journal: &mut self.journal };
        let (arrival, _) = self.service.begin_transmission(at, &mut self.wire, records)?;
        let sent = arrival.packet.sequence();
        Some(sent)
    }

    fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().expect("one thread"))
    }
}

#[test]
fn a_drop_at_departure_precedes_the_wire() {
    let mut bench = Bench::new(0);
    bench.arrive_all(ms(0), &[1, 3, 4]);
    assert_eq!(bench.decide(ms(1)), Some(4));
    let told = ["1 waited 1 ms, 2 behind", "1 Dropped(Early)", "3 waited 1 ms, 1 behind", "3 Dropped(Early)", "4 waited 1 ms, 0 behind"];
    assert_eq!(bench.told()[..5], told);
    assert_eq!(bench.service.free_at(), ms(9), "only one was transmitted");
    assert_eq!((bench.counters.dropped.get(), bench.service.waiting()), (2, 0));
}

#[test]
fn a_queue_may_be_emptied_at_departure() {
    let mut bench = Bench::new(0);
    bench.arrive_all(ms(0), &[1, 3]);
    assert_eq!(bench.service.next_decision(), ms(0));
    assert_eq!(bench.decide(ms(0)), None);
    // Only the timer is left.
    assert_eq!((bench.service.next_decision(), bench.service.waiting()), (ms(10), 0));
    bench.arrive(ms(2), 2);
    assert_eq!(bench.service.next_decision(), ms(2));
    assert_eq!(bench.decide(ms(2)), Some(2));
}

#[test]
fn the_head_makes_room_for_an_arrival() {
    let mut bench = Bench::new(0);
    bench.arrive_all(ms(1), &[0, 2, 4, 6]);
    assert_eq!(bench.told(), ["0 Evicted(Overflow)"]);
    assert_eq!([2, 10, 18].map(|at| bench.decide(ms(at))), [Some(2), Some(4), Some(6)]);
}

#[test]
fn a_packet_in_the_middle_is_pushed_out() {
    let mut bench = Bench::new(1);
    bench.arrive_all(ms(1), &[0, 2, 4, 6, 8]);
    assert_eq!(bench.told(), ["2 Evicted(Overflow)", "4 Evicted(Overflow)"]);
    let state = bench.service.queues.states[0];
    assert_eq!((state.packets, state.bytes, state.head), (3, 3000, 1000));
    assert_eq!([2, 10, 18].map(|at| bench.decide(ms(at))), [Some(0), Some(6), Some(8)]);
}

#[test]
fn timers_are_decisions() {
    let mut bench = Bench::new(0);
    assert_eq!(bench.service.next_decision(), ms(10));
    bench.arrive(ms(3), 0);
    bench.arrive(ms(3), 2);
    assert_eq!(bench.decide(ms(3)), Some(0));
    assert_eq!(bench.service.next_decision(), ms(10));
    assert_eq!(bench.decide(ms(10)), None, "the wire is busy");
    assert_eq!(bench.told().last().map(String::as_str), Some("timer at 10 ms, 1 wait"));
    assert_eq!(bench.service.next_decision(), ms(11));
}

/// A timer expires while the wire is busy and all waiting packets are paused. The next decision is due when the wire is free, not when
/// the pause ends.
#[test]
fn what_is_paused_waits_for_the_wire_too() {
    let mut bench = Bench::of_two_classes();
    bench.service.make_pausable();
    bench.arrive(ms(0), 0);
    assert_eq!(bench.decide(ms(0)), Some(0));
    let measured = Measurement { from: Time::ZERO, to: Time::NEVER };
    bench.service.on_pause(ms(1), Some(1), Duration::from_ms(4), &measured);
    bench.offer(ms(1), 1, 2);
    assert_eq!(bench.decide(ms(2)), None, "the wire is busy until 8 ms, and the pause lasts until 5 ms");
    assert_eq!(bench.service.next_decision(), ms(8));
    assert_eq!(bench.decide(ms(8)), Some(2));
}

/// Two classes of one queue are paused, until 20 ms and until 5 ms.
#[test]
fn a_queue_is_paused_while_any_of_its_classes_is() {
    let mut bench = Bench::of_two_classes();
    bench.service.queues.of_class[2] = 0;
    bench.service.make_pausable();
    let measured = Measurement { from: Time::ZERO, to: Time::NEVER };
    bench.service.on_pause(ms(0), Some(0), Duration::from_ms(20), &measured);
    bench.service.on_pause(ms(0), Some(2), Duration::from_ms(5), &measured);
    bench.offer(ms(1), 0, 0);
    assert_eq!((bench.decide(ms(6)), bench.service.next_decision()), (None, ms(20)));
    assert_eq!(bench.decide(ms(20)), Some(0));
}

/// A packet of 1000 bytes counts as queued until its transmission ends at 8 ms.
#[test]
fn what_has_been_sent_no_longer_counts_against_the_limit() {
    let mut bench = Bench::new(0);
    let mut plan = port_plan();
    plan.queues[0].discipline = DisciplinePlan::read("tail-drop", &mut Given("counts", "in-system")).expect("how it counts");
    bench.service = EventDriven::new(&plan, &PortContext::of(Site { rate: Rate::from_bps(1_000_000), ..Site::trial() }));
    bench.arrive(ms(0), 0);
    assert_eq!(bench.decide(ms(0)), Some(0));
    assert_eq!([ms(7), ms(8)].map(|at| bench.service.occupancy(0, at)), [(1, 1000), (0, 0)]);
}

/// Flow 0 has sent its packet by 8 ms. At 20 ms the port has been idle, so flow 1, which arrives first, is served first.
#[test]
fn no_flow_keeps_its_turn_over_an_idle_time() {
    let mut plan = port_plan();
    plan.scheduler = SchedulerPlan::read("fq-codel", &mut Defaults).expect("defaults for everything");
    let context = PortContext::of(Site { rate: Rate::from_bps(1_000_000), ..Site::trial() });
    let mut bench = Bench { service: EventDriven::new(&plan, &context), ..Bench::new(0) };
    for (at, flow) in [(0, 0), (20, 1), (20, 0)] {
        bench.arrive_of(ms(at), FlowId(flow), flow);
        if at == 0 {
            assert_eq!(bench.decide(ms(0)), Some(0));
        }
    }
    assert_eq!([20, 28].map(|at| bench.decide(ms(at))), [Some(1), Some(0)]);
}

/// All queues together hold ten packets. The eleventh is enqueued, then half of the eleven, rounded up, are dropped from the head
/// [RFC8290 s4.1].
#[test]
fn fq_codel_drops_a_batch_from_the_head_of_its_default_queue() {
    let mut plan = port_plan();
    plan.scheduler = SchedulerPlan::read("fq-codel", &mut Given("limit", "10 packets")).expect("a limit");
    plan.queues[0].discipline = plan.scheduler.facts().default_queue.expect("CoDel");
    let context = PortContext::of(Site { rate: Rate::from_bps(1_000_000), ..Site::trial() });
    let mut bench = Bench { service: EventDriven::new(&plan, &context), ..Bench::new(0) };
    bench.arrive_all(ms(0), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!((bench.service.waiting(), bench.counters.dropped.get()), (10, 0));
    bench.arrive(ms(0), 10);
    assert_eq!(bench.waiting(), [[6, 7, 8, 9, 10]]);
    assert_eq!(bench.counters.dropped.get(), 6);
}

/// The queues of a port together hold three packets. A full port drops the last packet of its longest queue.
#[derive(Clone)]
struct Longest {
    log: Log,
    is_refused: bool,
}

impl Longest {
    fn among(queues: &[QueueState]) -> (usize, u32, bool) {
        let longest = queues.iter().map(|queue| queue.packets).max().expect("a queue");
        let queue = queues.iter().position(|queue| queue.packets == longest).expect("the longest");
        (queue, longest, queues.iter().map(|queue| queue.packets).sum::<u32>() >= 3)
    }

    /// Creates a port with two classes whose queues use this discipline.
    fn bench() -> Bench {
        let mut bench = Bench::of_two_classes();
        let discipline = Longest { log: bench.log.clone(), is_refused: false };
        bench.service.queues.queues = vec![Queue::new(AnyDiscipline::Custom(Box::new(discipline))); 2];
        bench.service.queues.makes_room = true;
        bench
    }
}

penstock_model::state! {
    impl Longest, |_it, _now| {}
}

impl Discipline for Longest {
    fn make_room(&mut self, _: Time, _: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        let (queue, longest, is_full) = Longest::among(queues);
        self.is_refused = is_full && queues[own].packets == longest;
        (is_full && !self.is_refused).then(|| Eviction { queue, position: longest - 1, cause: DropCause::Forced })
    }

    fn on_arrival(&mut self, _: Time, _: &Packet, _: &Occupancy) -> Verdict {
        if self.is_refused {
            Verdict::Drop(DropCause::Overflow)
        } else {
            Verdict::Accept
        }
    }

    fn hooks(&self) -> Hooks {
        Hooks::ROOM.and(Hooks::LEAVE)
    }

    fn on_refusal(&mut self, _now: Time, packet: &Packet) {
        self.log.lock().expect("one thread").push(format!("{} refused", packet.sequence()));
    }

    fn on_leave(&mut self, _now: Time, packet: &Packet, why: Leave) {
        self.log.lock().expect("one thread").push(format!("{} {why:?}", packet.sequence()));
    }
}

#[test]
fn another_queue_makes_room_for_an_arrival() {
    let mut bench = Longest::bench();
    let refused = |decision: Verdict| matches!(decision, Verdict::Drop(DropCause::Overflow));
    assert!([0, 1, 2].into_iter().all(|seq| !refused(bench.offer(ms(1), 0, seq))) && refused(bench.offer(ms(1), 0, 3)));
    assert!(!refused(bench.offer(ms(1), 1, 4)));
    assert_eq!((bench.told(), bench.waiting()), (vec!["2 Evicted(Forced)".to_owned()], vec![vec![0, 1], vec![4]]));
    assert!(!refused(bench.offer(ms(1), 1, 5)) && refused(bench.offer(ms(1), 1, 6)));
    assert_eq!((bench.told(), bench.waiting()), (vec!["1 Evicted(Forced)".to_owned()], vec![vec![0], vec![4, 5]]));
    // The caller, which applies the decision, counts refused packets; this test does not apply it.
    assert_eq!((bench.counters.dropped.get(), bench.service.waiting(), bench.service.waiting_bytes()), (2, 3, 3000));
    assert_eq!([1, 9, 17, 25].map(|at| bench.decide(ms(at))), [Some(0), Some(4), Some(5), None]);
}

/// The scheduler sees a paused queue as empty; the discipline that makes room sees its actual state.
#[test]
fn a_paused_queue_makes_room_too() {
    let mut bench = Longest::bench();
    bench.service.make_pausable();
    let measured = Measurement { from: Time::ZERO, to: Time::NEVER };
    bench.service.on_pause(ms(0), Some(0), Duration::from_ms(20), &measured);
    for (class, seq) in [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4)] {
        bench.offer(ms(1), class, seq);
    }
    assert_eq!((bench.told().len(), bench.waiting()), (2, vec![vec![0], vec![3, 4]]));
    assert_eq!(bench.service.queues.states[0].packets, 0, "it is still hidden");
    assert_eq!(bench.service.waiting_bytes(), 3000, "hidden ones wait too");
    assert_eq!([1, 9, 17].map(|at| bench.decide(ms(at))), [Some(3), Some(4), None]);
    assert_eq!((bench.service.next_decision(), bench.decide(ms(20))), (ms(20), Some(0)));
}

/// A scheduler over classes with a limit for all of them together. It refuses an arrival of the second class if that class has a packet
/// waiting, and drops every departing packet.
#[derive(Clone)]
struct Limited(AnyScheduler);

penstock_model::state! {
    impl Limited, |_it, _now| {}
}

impl Scheduler for Limited {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        self.0.next(now, queues)
    }

    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        self.0.on_backlog(now, queue, queues);
    }

    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.0.on_sent(now, queue, size, queues);
    }

    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        self.0.on_head_change(queue, queues);
    }

    fn hooks(&self) -> scheduler::Hooks {
        scheduler::Hooks::LIMIT
    }

    fn on_arrival(&mut self, _: Time, _: &Packet, queue: usize, queues: &[QueueState]) -> Verdict {
        match queues[queue].packets {
            1.. if queue == 1 => Verdict::Drop(DropCause::Early),
            _ => Verdict::Accept,
        }
    }

    fn on_departure(&mut self, _: Time, _: &Packet, _: Duration, _: usize, _: &[QueueState]) -> DepartureVerdict {
        DepartureVerdict::Drop(DropCause::Forced)
    }

    fn over_limit(&mut self, queues: &[QueueState]) -> Option<Eviction> {
        let (queue, longest, _) = Longest::among(queues);
        let is_over = queues.iter().map(|queue| queue.packets).sum::<u32>() > 2;
        is_over.then(|| Eviction { queue, position: longest - 1, cause: DropCause::Overflow })
    }
}

#[test]
fn a_scheduler_over_classes_drops_from_the_longest_queue() {
    let mut bench = Bench::of_two_classes();
    bench.service.scheduler = AnyScheduler::Custom(Box::new(Limited(bench.service.scheduler.clone())));
    bench.service.queues.scheduler_hooks = scheduler::Hooks::LIMIT;
    // The third packet is enqueued and dropped at once; the fourth displaces the second.
    for (class, seq) in [(0, 0), (0, 1), (0, 2), (1, 3)] {
        bench.offer(ms(1), class, seq);
    }
    assert_eq!((bench.waiting(), bench.counters.dropped.get()), (vec![vec![0], vec![3]], 2));
    assert_eq!([1, 9, 17].map(|at| bench.decide(ms(at))), [Some(0), Some(3), None]);
}

#[test]
fn a_scheduler_decides_before_the_discipline() {
    let mut bench = Longest::bench();
    bench.service.scheduler = AnyScheduler::Custom(Box::new(Limited(bench.service.scheduler.clone())));
    bench.service.queues.scheduler_hooks = scheduler::Hooks::ARRIVAL;
    let cause = |decision: Verdict| match decision {
        Verdict::Drop(cause) => Some(cause),
        _ => None,
    };
    let decided = [(1, 0), (1, 1), (0, 2), (0, 3), (0, 4)].map(|(class, seq)| cause(bench.offer(ms(1), class, seq)));
    // The scheduler refuses the second packet, and the discipline refuses the last.
    assert_eq!(decided, [None, Some(DropCause::Early), None, None, Some(DropCause::Overflow)]);
    assert_eq!((bench.told(), bench.waiting()), (vec!["1 refused".to_owned()], vec![vec![2, 3], vec![0]]));
}

/// The discipline drops packet 1. The scheduler drops packet 2, which the discipline lets go.
#[test]
fn a_scheduler_decides_about_what_the_discipline_lets_go() {
    let mut bench = Bench::new(0);
    bench.service.scheduler = AnyScheduler::Custom(Box::new(Limited(bench.service.scheduler.clone())));
    bench.service.queues.scheduler_hooks = scheduler::Hooks::DEPARTURE;
    bench.arrive_all(ms(0), &[1, 2]);
    assert_eq!(bench.decide(ms(1)), None);
    let told = ["1 waited 1 ms, 1 behind", "1 Dropped(Early)", "2 waited 1 ms, 0 behind", "2 Dropped(Forced)"];
    assert_eq!(bench.told(), told);
}
