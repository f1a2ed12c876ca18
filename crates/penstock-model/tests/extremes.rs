//! Every component under extreme ratios of its parameters: each step is short, and time advances.
//!
//! A loop that is bounded only by a ratio of parameters takes minutes for some of these settings, and so exceeds the budget of processor
//! time by far on any machine.

#[path = "support/random_parameters.rs"]
mod random_parameters;
#[path = "support/transport_ends.rs"]
mod transport_ends;

use penstock_model::atm::circuits::{Circuit, Circuits, PortCircuits};
use penstock_model::buffer::{AnyBuffer, Buffer, BufferContext, BufferPlan, Occupancies};
use penstock_model::call::{ArrivalPlan, HoldingPlan};
use penstock_model::discipline::{AnyDiscipline, Discipline, DisciplinePlan, Eviction, Hooks, Occupancy, PortContext, Verdict};
use penstock_model::edge::{AdmissionPlan, EdgeContext, Egress, Ingress, TerminationPlan};
use penstock_model::id::{FlowId, HopId};
use penstock_model::impairment::{AnyImpairment, Impairment, ImpairmentPlan};
use penstock_model::meter::{AnyMeter, Meter, MeterPlan};
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};
use penstock_model::parameters::{Entry, Reader};
use penstock_model::pcn_meter::{AnyPcnMeter, PcnMeter, PcnMeterPlan};
use penstock_model::probe::Probe;
use penstock_model::registry::Registry;
use penstock_model::rng::{Key, Stream};
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{self, AnyScheduler, QueueState, Scheduler, SchedulerPlan, Turn};
use penstock_model::site::Site;
use penstock_model::source::http::Http;
use penstock_model::source::{AnySource, Source, SourcePlan};
use penstock_model::units::{Bytes, Duration, Rate, Time};
use random_parameters::EXTREMES;
use std::collections::VecDeque;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::Arc;

/// Settings tried for each component; at least a tenth must be valid.
const SETTINGS: usize = 300;
/// Steps of each component with each of its settings.
const STEPS: usize = 300;
/// Maximum CPU time of all steps with one setting, in seconds. A step that draws 10,000 random numbers takes 0.1 to 0.3 ms, and few
/// settings have such steps; other steps take less than a hundredth of that.
const BUDGET: f64 = 0.25;
/// Real time in seconds after which a step counts as endless; far more than a busy machine needs for the budget.
const PATIENCE: u64 = 120;

fn stream(name: &str) -> Stream {
    Key::root(1, 0).child("extremes").child(name).stream()
}

/// Processor time of this thread in seconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux kernel");
    text.split_whitespace().next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("nanoseconds") * 1e-9
}

/// Exercises every component of a kind, each in a separate thread with many settings. With `PENSTOCK_COMPONENT`, only the component of
/// this name.
fn walk<P: Send + 'static>(
    entries: &'static [Entry],
    read: fn(&str, &mut dyn Reader) -> Option<P>,
    exercise: impl Fn(&P, &mut Stream) + Send + Clone + 'static,
) {
    let only = std::env::var("PENSTOCK_COMPONENT").ok();
    for entry in entries.iter().filter(|entry| only.as_deref().is_none_or(|only| only == entry.name)) {
        let mut stream = stream(entry.name);
        let plans = EXTREMES.plans(entry, SETTINGS, &mut stream, read);
        assert!(
            plans.len() >= SETTINGS / 10,
            "types and `Check` accept only {} of {SETTINGS} random settings of {}; a tenth must be sound",
            plans.len(),
            entry.name
        );
        let (begins, begun) = channel();
        let exercise = exercise.clone();
        let walker = std::thread::spawn(move || {
            for (plan, settings) in plans {
                let written = format!("{} {settings:?}", entry.name);
                begins.send(written.clone()).expect("the receiver waits");
                let before = processor_time();
                exercise(&plan, &mut stream);
                let spent = processor_time() - before;
                assert!(
                    spent < BUDGET,
                    "{spent:.2} s of processor time for {STEPS} steps, more than {BUDGET} s: bound the loop, or reject these parameters in \
                     `Check`: {written}"
                );
            }
        });
        let mut current = String::new();
        loop {
            match begun.recv_timeout(std::time::Duration::from_secs(PATIENCE)) {
                Ok(written) => current = written,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("no end of {current}"),
            }
        }
        if walker.join().is_err() {
            panic!("{current}");
        }
    }
}

/// Port with the circuits of one flow.
fn circuits() -> Arc<PortCircuits> {
    let circuit = |mcr| Circuit { name: "vc".to_owned(), mcr: Some(Rate::from_bps(mcr)) };
    let circuits = Circuits::new(vec![circuit(1), circuit(100_000_000_000_000)], vec![[0, 1]]);
    Arc::new(PortCircuits { circuits: Arc::new(circuits), here: vec![0, 1] })
}

fn packet(size: u32, precedence: u8) -> Packet {
    let (created, flow, hop, body) = (Time::ZERO, FlowId(0), HopId(0), Body::datagram(0));
    Packet { created, flow, hop, size, precedence, class: 0, pcn: PcnMark::Unmarked, ecn: Ecn::Ect0, body }
}

fn any_packet(stream: &mut Stream) -> Packet {
    let size = [1, 40, 64, 1500, 65_535][stream.below(5) as usize];
    packet(size, stream.below(4) as u8)
}

/// Instants with gaps of any order of magnitude, up to the longest run.
fn instants(stream: &mut Stream) -> impl Iterator<Item = (Time, u64)> + '_ {
    let mut now = Time::ZERO;
    (0..STEPS).map(move |_| {
        let gap = [0, 0, 1, 1_000, 1_000_000_000, 10_000_000_000_000_000][stream.below(6) as usize];
        now = (now + Duration::from_ps(gap)).min(Time::ZERO + Duration::from_secs(200 * 86_400));
        (now, stream.below(u64::MAX))
    })
}

#[test]
fn sources_send_and_time_goes_on() {
    walk(SourcePlan::ENTRIES, SourcePlan::read, |plan, stream| {
        if let SourcePlan::Http(parameters) = plan {
            let user = Http::new(parameters);
            (0..STEPS).for_each(|_| assert!(user.next_page(stream) > 0 && user.think(stream) <= Duration::FOREVER));
            return;
        }
        let Some(mut source) = AnySource::new(plan, &Site::trial()) else { return };
        source.first(stream);
        let mut passed = (0..STEPS).fold(Duration::ZERO, |sum, _| sum + source.next_run(stream).0.after);
        // At 100 Tbit/s, most random spacings of small packets are less than half a picosecond.
        for _ in 0..20_000 {
            if passed > Duration::ZERO {
                break;
            }
            passed = source.next(stream).after;
        }
        assert!(passed > Duration::ZERO, "it would send for ever");
    });
}

#[test]
fn meters_colour_and_mark() {
    walk(MeterPlan::ENTRIES, MeterPlan::read, |plan, stream| {
        let (mut meter, mut packets) = (AnyMeter::new(plan, &Site::trial()), stream.clone());
        for (now, _) in instants(stream) {
            assert!(meter.colour(now, &any_packet(&mut packets)) < 4);
            meter.probe(now, &mut |_, _, value| assert!(value.is_finite()));
        }
    });
    walk(PcnMeterPlan::ENTRIES, PcnMeterPlan::read, |plan, stream| {
        let (mut meter, mut packets) = (AnyPcnMeter::new(plan, &Site::trial()), stream.clone());
        for (now, _) in instants(stream) {
            meter.on_packet(now, &any_packet(&mut packets));
            meter.probe(now, &mut |_, _, value| assert!(value.is_finite()));
        }
    });
}

/// Classes with random parameters, either the same for all or separate ones. A single class without parameters for a scheduler without
/// classes.
fn classes(plan: &SchedulerPlan, stream: &mut Stream) -> Vec<ClassPlan> {
    let Some(declaration) = plan.class(Registry::NONE) else { return vec![ClassPlan::default()] };
    let count = [1, 2, 3, 64, 256][stream.below(5) as usize];
    let are_alike = stream.chance(0.5);
    let mut class = || ClassPlan { parameters: EXTREMES.parameters(declaration, stream), ..ClassPlan::default() };
    match are_alike {
        true => vec![class(); count],
        false => (0..count).map(|_| class()).collect(),
    }
}

/// A port without a wire: packets arrive for any queue, and leave as fast as the scheduler permits.
struct Queues {
    sizes: Vec<VecDeque<u32>>,
    states: Vec<QueueState>,
}

impl Queues {
    fn show(&mut self, queue: usize) {
        let sizes = &self.sizes[queue];
        let bytes = sizes.iter().map(|size| u64::from(*size)).sum();
        self.states[queue] = QueueState { packets: sizes.len() as u32, bytes, head: sizes.front().copied().unwrap_or(0) };
    }

    fn arrive(&mut self, it: &mut AnyScheduler, now: Time, number: u64, packet: &Packet) {
        let is_classified = it.hooks().has(scheduler::Hooks::QUEUES);
        let queue = if is_classified { it.classify(now, packet) } else { number as usize % self.sizes.len() };
        while queue >= self.sizes.len() {
            self.sizes.push(VecDeque::new());
            self.states.push(QueueState::default());
        }
        if it.hooks().has(scheduler::Hooks::ARRIVAL) && it.on_arrival(now, packet, queue, &self.states) != Verdict::Accept {
            return;
        }
        self.sizes[queue].push_back(packet.size);
        self.show(queue);
        it.on_packet(now, queue, &self.states);
        while let Some(Eviction { queue, position, .. }) = it.over_limit(&self.states) {
            let size = self.sizes[queue].remove(position as usize).expect("the fattest queue has a packet");
            self.show(queue);
            it.on_drop(now, queue, size, &self.states);
        }
    }

    /// Sends a packet. Returns the time from which another may be sent.
    fn send(&mut self, it: &mut AnyScheduler, now: Time) -> Time {
        if self.states.iter().all(|state| state.packets == 0) {
            return now;
        }
        match it.next(now, &self.states) {
            Turn::NotBefore(later) => {
                assert!(later > now, "asked again at once, for ever");
                later
            }
            Turn::Queue(queue) => {
                let size = self.sizes[queue].pop_front().expect("it has a packet");
                self.show(queue);
                it.on_sent(now, queue, size, &self.states);
                now
            }
        }
    }
}

#[test]
fn schedulers_decide() {
    walk(SchedulerPlan::ENTRIES, SchedulerPlan::read, |plan, stream| {
        let classes = classes(plan, stream);
        let rate = Rate::from_bps([1, 1_000_000, 100_000_000_000_000][stream.below(3) as usize]);
        let mut it = AnyScheduler::new(plan, &classes, rate);
        let queues = if it.hooks().has(scheduler::Hooks::QUEUES) { 0 } else { classes.len() };
        let mut queues = Queues { sizes: vec![VecDeque::new(); queues], states: vec![QueueState::default(); queues] };
        let mut packets = stream.clone();
        let mut free = Time::ZERO;
        for (now, number) in instants(stream) {
            if it.next_deadline() <= now {
                it.on_timer(now, &|_| Some(Time::ZERO));
                assert!(it.next_deadline() > now, "a timer that is due at once, for ever");
            }
            // Arrivals and departures mostly balance; large packets cause debts.
            if packets.chance(0.9) {
                let packet = any_packet(&mut packets);
                queues.arrive(&mut it, now, number, &packet);
                queues.arrive(&mut it, now, number.rotate_left(32), &Packet { size: 65_535, ..packet });
            }
            for _ in 0..2 {
                if free <= now {
                    free = queues.send(&mut it, now);
                }
            }
        }
    });
}

#[test]
fn disciplines_decide() {
    walk(DisciplinePlan::ENTRIES, DisciplinePlan::read, |plan, stream| {
        let rate = Rate::from_bps([1, 100_000_000_000_000][stream.below(2) as usize]);
        let port = PortContext { circuits: circuits(), ..PortContext::of(Site { rate, ..Site::trial() }) };
        let (mut it, mut packets) = (AnyDiscipline::new(plan, &port), stream.clone());
        let mut queue = Occupancy::default();
        for (now, number) in instants(stream) {
            if it.hooks().has(Hooks::TIMER) && it.next_deadline() <= now {
                it.on_timer(now, &queue);
                assert!(it.next_deadline() > now, "a timer that is due at once, for ever");
            }
            let packet = any_packet(&mut packets);
            it.on_arrival(now, &packet, &queue);
            if it.hooks().has(Hooks::DEPARTURE) {
                it.on_departure(now, &packet, Duration::from_ps(number), &queue);
            }
            queue.idle_since = (number % 3 == 0).then_some(now);
            queue.add(packet.size, packet.precedence);
        }
    });
}

#[test]
fn buffers_and_impairments_decide() {
    walk(BufferPlan::ENTRIES, BufferPlan::read, |plan, stream| {
        let shares = vec![None; 8];
        let buffer = AnyBuffer::new(plan, &BufferContext::of(&shares));
        let mut held = Occupancies::new(8);
        for _ in 0..STEPS {
            let (port, size) = (stream.below(8) as usize, any_packet(stream).size);
            if buffer.has_room(port, size, &held) {
                held.add(port, size);
            }
        }
    });
    walk(ImpairmentPlan::ENTRIES, ImpairmentPlan::read, |plan, stream| {
        let (mut impairment, mut packets) = (AnyImpairment::new(plan, &Site::trial()), stream.clone());
        for (now, _) in instants(stream) {
            impairment.on_departure(now, &any_packet(&mut packets));
        }
    });
}

#[test]
fn calls_come_and_go() {
    walk(ArrivalPlan::ENTRIES, ArrivalPlan::read, |plan, stream| {
        let passed = (0..STEPS).fold(Duration::ZERO, |sum, _| sum + plan.next_arrival(stream).0);
        assert!(passed > Duration::ZERO, "calls would arrive for ever");
    });
    walk(HoldingPlan::ENTRIES, HoldingPlan::read, |plan, stream| {
        (0..STEPS).for_each(|_| _ = plan.holding(stream));
    });
}

/// Feeds packets and deadlines to both edges. A deadline must be in the future after it has been handled.
fn exercise_edges(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>, stream: &mut Stream) {
    let context = EdgeContext { site: Site::trial(), call_rate: Rate::from_bps(64_000), initial: 3 };
    let (mut ingress, mut egress) = (Ingress::new(admission, termination, &context), Egress::new(admission, termination, &context));
    let marks = [PcnMark::Unmarked, PcnMark::Threshold, PcnMark::Excess];
    let mut served = 0;
    for (now, number) in instants(stream) {
        // At most a thousand deadlines between two packets, since there may be one every picosecond.
        while egress.deadline() <= now && served < 1_000 * STEPS {
            let due = egress.deadline();
            egress.on_timer(due);
            assert!(egress.deadline() > due, "the egress' deadline stays, for ever");
            served += 1;
        }
        while ingress.deadline() <= now && served < 1_000 * STEPS {
            let due = ingress.deadline();
            ingress.on_timer(due, 3);
            assert!(ingress.deadline() > due, "the ingress' deadline stays, for ever");
            served += 1;
        }
        if egress.deadline() <= now || ingress.deadline() <= now {
            return;
        }
        egress.on_number(now, number as u32 >> 16, number as u32 & 3);
        egress.on_packet(now, Bytes::new(1 + number % 65_535), marks[number as usize % 3]);
        ingress.on_sent(now, Bytes::new(1 + number % 65_535));
        while let Some(signal) = egress.next_signal() {
            ingress.on_signal(now, signal, 3);
        }
        ingress.next_cut();
        while let Some(signal) = ingress.next_signal() {
            egress.on_signal(now, signal, &mut 3);
        }
    }
}

#[test]
fn edges_serve_their_deadlines() {
    walk(AdmissionPlan::ENTRIES, AdmissionPlan::read, |plan, stream| exercise_edges(&Some(plan.clone()), &None, stream));
    walk(TerminationPlan::ENTRIES, TerminationPlan::read, |plan, stream| exercise_edges(&None, &Some(plan.clone()), stream));
}
