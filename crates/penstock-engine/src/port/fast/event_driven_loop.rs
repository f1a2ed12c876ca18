//! Fast path: event-driven tail-drop queues at a constant rate, without further stages. It does what [`EventDriven`] does step
//! by step, with less to ask of each packet, and is compiled for each kind of scheduler.

use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Journal;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use crate::merge::ring::Back;
use crate::port::counters::PortCounters;
use crate::port::queueing::event_driven::{EventDriven, Queues, ServiceState};
use crate::port::verdict::{self, Standing};
use crate::port::{Port, Queueing};
use penstock_model::id::{HopId, ProcessId};
use penstock_model::packet::Packet;
use penstock_model::scheduler::{Scheduler, Turn, Visitor};
use penstock_model::units::{Duration, Time};

/// What becomes of packets that leave.
pub struct Leaving<'a, 'b, 'c> {
    /// How long they take beside their transmission.
    pub delay: Duration,
    /// The process and its input that all go to, if there is only one.
    pub only_channel: Option<(ProcessId, u32)>,
    /// What the port counts.
    pub counters: &'a mut PortCounters,
    /// What it needs of the process around it.
    pub context: &'a mut Context<'b, 'c>,
}

/// Some packets to be taken, each with the decisions that are due before it, and then all that are due before `bound`.
struct Run<'a, 'b, 'c, P> {
    queues: &'a mut Queues,
    packets: P,
    /// There are at most so many packets.
    most: usize,
    bound: Time,
    leaving: Leaving<'a, 'b, 'c>,
}

/// Where packets go.
trait Way {
    fn send(&mut self, at: Time, packet: &Packet);
}

/// Each where its hop says.
struct ByHop<'a, 'c> {
    routes: &'a Routes,
    outputs: &'a mut Outputs<'c>,
}

impl Way for ByHop<'_, '_> {
    #[inline(always)]
    fn send(&mut self, at: Time, packet: &Packet) {
        let next = self.routes.hop(packet.hop);
        self.outputs.send(next.process, next.input, at, |arrival| *arrival = Arrival { at, packet: *packet });
    }
}

/// All into one queue.
impl Way for Back<'_, Arrival> {
    #[inline(always)]
    fn send(&mut self, at: Time, packet: &Packet) {
        *self.place() = Arrival { at, packet: *packet };
        self.add_if(true);
    }
}

impl EventDriven {
    /// Whether the loop is for these queues.
    pub fn has_loop(&self) -> bool {
        !self.has_one_queue() && self.queues.drop_tails()
    }

    /// Takes at most `most` packets, each to go on to a hop, and all decisions that are due before.
    #[inline(always)]
    pub fn take<'p>(&mut self, packets: impl Iterator<Item = (&'p Arrival, HopId)>, most: usize, leaving: Leaving<'_, '_, '_>) {
        self.scheduler.receive(Run { queues: &mut self.queues, packets, most, bound: Time::ZERO, leaving });
    }

    /// Takes all decisions that are due up to and including `until`.
    pub fn decide_until(&mut self, until: Time, leaving: Leaving<'_, '_, '_>) {
        let packets = std::iter::empty();
        self.scheduler.receive(Run { queues: &mut self.queues, packets, most: 0, bound: until.after(), leaving });
    }
}

impl<'p, P: Iterator<Item = (&'p Arrival, HopId)>> Visitor for Run<'_, '_, '_, P> {
    #[inline(always)]
    fn visit<S: Scheduler + ?Sized>(self, scheduler: &mut S) {
        let Run { queues, packets, most, bound, leaving: Leaving { delay, only_channel, counters, context } } = self;
        let Context { routes, record, outputs } = context;
        let mut service_state = queues.service_state();
        let queue = only_channel.and_then(|(process, input)| outputs.queue(process, input));
        let Some(queue) = queue else {
            return Serving { delay, counters, record, way: ByHop { routes, outputs } }.run(packets, bound, &mut service_state, scheduler);
        };
        let was_empty = queue.len() == 0;
        let way = queue.back(most + service_state.wire.backlog as usize);
        Serving { delay, counters, record, way }.run(packets, bound, &mut service_state, scheduler);
        if let Some((process, input)) = only_channel.filter(|_| was_empty) {
            outputs.announce_head_if_any(process, input);
        }
    }
}

/// A port at work.
struct Serving<'a, W> {
    delay: Duration,
    counters: &'a mut PortCounters,
    record: &'a mut Journal,
    way: W,
}

impl<W: Way> Serving<'_, W> {
    #[inline(always)]
    fn run<'p, S: Scheduler + ?Sized>(
        &mut self,
        packets: impl Iterator<Item = (&'p Arrival, HopId)>,
        bound: Time,
        service_state: &mut ServiceState<'_>,
        scheduler: &mut S,
    ) {
        for (arrival, hop) in packets {
            self.decide_before(arrival.at, service_state, scheduler);
            self.take(arrival, hop, service_state, scheduler);
        }
        self.decide_before(bound, service_state, scheduler);
    }

    /// Queues a packet, if there is room for it.
    #[inline(always)]
    fn take<S: Scheduler + ?Sized>(&mut self, arrival: &Arrival, hop: HopId, service_state: &mut ServiceState<'_>, scheduler: &mut S) {
        let index = service_state.index(&arrival.packet);
        let (queue, state) = (&service_state.queues[index], &service_state.states[index]);
        let discipline = queue.tail_drop().expect("the loop is for tail drop");
        let decision = discipline.verdict(state.packets, state.bytes, arrival.packet.size).into();
        let accepted = verdict::apply::<false>(decision, Standing::Arriving, arrival.at, &arrival.packet, self.counters, self.record);
        if accepted.is_some() {
            self.counters.offer();
            service_state.push(index, arrival, hop, scheduler);
        }
    }

    /// Takes all decisions that are due before `bound`.
    #[inline(always)]
    fn decide_before<S: Scheduler + ?Sized>(&mut self, bound: Time, service_state: &mut ServiceState<'_>, scheduler: &mut S) {
        while service_state.wire.next_decision < bound {
            let now = service_state.wire.next_decision;
            match scheduler.next(now, service_state.states) {
                Turn::Queue(index) => self.transmit(now, index, service_state, scheduler),
                Turn::NotBefore(time) => service_state.wire.hold_until(time),
            }
        }
    }

    /// Transmits the first packet of a queue.
    #[inline(always)]
    fn transmit<S: Scheduler + ?Sized>(&mut self, now: Time, index: usize, service_state: &mut ServiceState<'_>, scheduler: &mut S) {
        let Arrival { at, packet } = service_state.queues[index].head();
        let size = packet.size;
        let end = now + service_state.times.of(size);
        self.counters.sent += u64::from(cfg!(debug_assertions));
        if self.counters.departure(*at, now, end, packet) {
            self.way.send(end + self.delay, packet);
        }
        service_state.sent(index, now, end, size, scheduler);
        service_state.queues[index].waiting.consume(1);
    }
}

impl Port {
    /// The queues of an event-driven port, and what becomes of packets that leave them.
    #[inline]
    pub(in crate::port) fn service<'a, 'b, 'c>(
        &'a mut self,
        context: &'a mut Context<'b, 'c>,
    ) -> (&'a mut EventDriven, Leaving<'a, 'b, 'c>) {
        let Port { queueing: Queueing::EventDriven(service), counters, delay, only_channel, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        (service, Leaving { delay: *delay, only_channel: *only_channel, counters, context })
    }
}
