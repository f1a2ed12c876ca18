//! Fast path: event-driven tail-drop queues at a constant rate, without further stages. It does what [`EventDriven`] does step
//! by step, with fewer checks per packet, and is compiled for each kind of scheduler.

use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::port::counters::PortCounters;
use crate::port::queueing::event_driven::queues::Queues;
use crate::port::queueing::event_driven::queues::ServiceState;
use crate::port::queueing::event_driven::EventDriven;
use crate::port::verdict::{self, DecisionPoint};
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::scheduler::{Dispatch, Scheduler, Turn};
use penstock_model::units::{Duration, Time};

/// Where packets that leave are sent and counted.
pub struct DeparturePath<'a, 'b, 'c> {
    /// The propagation delay.
    pub delay: Duration,
    /// The counters of the port.
    pub counters: &'a mut PortCounters,
    /// The context of the process.
    pub context: &'a mut Context<'b, 'c>,
}

/// Runs the loop over arrivals, each with the decisions that are due before it, and then the decisions that are due before
/// `bound`.
struct ServicePass<'a, 'b, 'c, P> {
    queues: &'a mut Queues,
    packets: P,
    bound: Time,
    departures: DeparturePath<'a, 'b, 'c>,
}

impl EventDriven {
    /// Whether the loop applies to these queues.
    pub fn supports_service_loop(&self) -> bool {
        !self.has_one_queue() && self.queues.drop_tails()
    }

    /// Processes arrivals, each with its next hop, and all decisions that are due before.
    #[inline(always)]
    pub fn run_arrivals<'p>(&mut self, packets: impl Iterator<Item = (&'p Arrival, HopId)>, departures: DeparturePath<'_, '_, '_>) {
        self.scheduler.dispatch(ServicePass { queues: &mut self.queues, packets, bound: Time::ZERO, departures });
    }

    /// Takes all decisions that are due up to and including `until`.
    pub fn decide_until(&mut self, until: Time, departures: DeparturePath<'_, '_, '_>) {
        let packets = std::iter::empty();
        self.scheduler.dispatch(ServicePass { queues: &mut self.queues, packets, bound: until.after(), departures });
    }
}

impl<'p, P: Iterator<Item = (&'p Arrival, HopId)>> Dispatch for ServicePass<'_, '_, '_, P> {
    #[inline(always)]
    fn call<S: Scheduler + ?Sized>(self, scheduler: &mut S) {
        let ServicePass { queues, packets, bound, mut departures } = self;
        let mut service_state = queues.service_state();
        for (arrival, hop) in packets {
            departures.decide_before(arrival.at, &mut service_state, scheduler);
            departures.enqueue(arrival, hop, &mut service_state, scheduler);
        }
        departures.decide_before(bound, &mut service_state, scheduler);
    }
}

impl DeparturePath<'_, '_, '_> {
    /// Queues a packet, if there is room for it.
    #[inline(always)]
    fn enqueue<S: Scheduler + ?Sized>(&mut self, arrival: &Arrival, hop: HopId, service_state: &mut ServiceState<'_>, scheduler: &mut S) {
        let index = service_state.queue_of(&arrival.packet);
        let (queue, state) = (&service_state.queues[index], &service_state.states[index]);
        let discipline = queue.tail_drop().expect("the loop applies to tail drop");
        let decision = discipline.verdict(state.packets, state.bytes, arrival.packet.size).into();
        let point = DecisionPoint::OnArrival;
        if verdict::apply::<false>(decision, point, arrival.at, &arrival.packet, self.counters, self.context.record).is_some() {
            self.counters.offer();
            service_state.enqueue(index, arrival, hop, scheduler);
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
        if self.counters.departure(*at, now, end, (packet.size, packet.precedence)) {
            let (at, next) = (end + self.delay, self.context.routes.hop(packet.hop));
            self.context.outputs.send(next.process, next.input, at, |arrival| *arrival = Arrival { at, packet: *packet });
        }
        service_state.on_transmission_start(index, now, end, size, scheduler);
        service_state.queues[index].waiting.consume(1);
    }
}

impl Port {
    /// The queues of an event-driven port, and the path of packets that leave them.
    #[inline]
    pub(in crate::port) fn event_driven_service<'a, 'b, 'c>(
        &'a mut self,
        context: &'a mut Context<'b, 'c>,
    ) -> (&'a mut EventDriven, DeparturePath<'a, 'b, 'c>) {
        let Port { queueing: Queueing::EventDriven(service), counters, delay, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        (service, DeparturePath { delay: *delay, counters, context })
    }
}
