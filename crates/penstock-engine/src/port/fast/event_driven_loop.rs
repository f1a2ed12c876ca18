//! Fast path: event-driven tail-drop queues at a constant rate, without further stages. The loop does the same as [`EventDriven`] with
//! fewer checks per packet, and is compiled for each kind of scheduler.

use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::outputs::{Channel, Outputs};
use crate::kernel::route::Routes;
use crate::merge::ring::Back;
use crate::port::counters::PortCounters;
use crate::port::queueing::event_driven::queues::{Queues, ServiceState};
use crate::port::queueing::event_driven::EventDriven;
use crate::port::verdict::{DecisionPoint, Records};
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::scheduler::{Dispatch, Scheduler, Turn};
use penstock_model::units::{Duration, Time};

/// Runs the loop over arrivals, each after the decisions that are due before it, and then takes the decisions that are due before
/// `bound`.
struct ServicePass<'a, 'b, 'c, P> {
    queues: &'a mut Queues,
    packets: P,
    /// Maximum number of packets.
    most: usize,
    bound: Time,
    delay: Duration,
    /// The process, and its input, that receives all packets, if there is only one.
    only_channel: Option<Channel>,
    counters: &'a mut PortCounters,
    context: &'a mut Context<'b, 'c>,
}

/// Sends packets to the next process.
trait PacketOutput {
    fn send(&mut self, at: Time, packet: &Packet);
}

/// Sends each packet to the process of its hop.
struct RoutedOutput<'a, 'c> {
    routes: &'a Routes,
    outputs: &'a mut Outputs<'c>,
}

impl PacketOutput for RoutedOutput<'_, '_> {
    #[inline(always)]
    fn send(&mut self, at: Time, packet: &Packet) {
        let next = self.routes.hop(packet.hop);
        self.outputs.send(next.process, next.input, at, |arrival| *arrival = Arrival { at, packet: *packet });
    }
}

/// Sends all packets into the queue of one input.
impl PacketOutput for Back<'_, Arrival> {
    #[inline(always)]
    fn send(&mut self, at: Time, packet: &Packet) {
        *self.slot() = Arrival { at, packet: *packet };
        self.add_if(true);
    }
}

impl<'p, P: Iterator<Item = (&'p Arrival, HopId)>> Dispatch for ServicePass<'_, '_, '_, P> {
    #[inline(always)]
    fn call<S: Scheduler + ?Sized>(self, scheduler: &mut S) {
        let ServicePass { queues, packets, most, bound, delay, only_channel, counters, context } = self;
        let Context { routes, record, outputs } = context;
        let (records, service) = (Records { counters, journal: record }, &mut queues.service_state());
        let queue = only_channel.and_then(|(process, input)| outputs.queue(process, input));
        let Some(queue) = queue else {
            let output = RoutedOutput { routes, outputs };
            return ServiceLoop { service, delay, records, output }.run(packets, bound, scheduler);
        };
        let was_empty = queue.len() == 0;
        let output = queue.back(most + service.wire.backlog as usize);
        ServiceLoop { service, delay, records, output }.run(packets, bound, scheduler);
        if let Some((process, input)) = only_channel.filter(|_| was_empty) {
            outputs.announce_head(process, input);
        }
    }
}

/// The loop over arrivals and service decisions.
struct ServiceLoop<'a, 's, O> {
    service: &'a mut ServiceState<'s>,
    delay: Duration,
    records: Records<'a>,
    output: O,
}

impl<O: PacketOutput> ServiceLoop<'_, '_, O> {
    #[inline(always)]
    fn run<'p, S: Scheduler + ?Sized>(mut self, packets: impl Iterator<Item = (&'p Arrival, HopId)>, bound: Time, scheduler: &mut S) {
        for (arrival, hop) in packets {
            self.decide_before(arrival.at, scheduler);
            self.enqueue(arrival, hop, scheduler);
        }
        self.decide_before(bound, scheduler);
    }

    /// Enqueues a packet, or drops it if the queue has no room.
    #[inline(always)]
    fn enqueue<S: Scheduler + ?Sized>(&mut self, arrival: &Arrival, hop: HopId, scheduler: &mut S) {
        let index = self.service.queue_of(&arrival.packet);
        let (queue, state) = (&self.service.queues[index], &self.service.states[index]);
        let discipline = queue.tail_drop().expect("the loop applies to tail drop");
        let decision = discipline.verdict(state.packets, state.bytes, arrival.packet.size);
        if self.records.apply::<false>(decision, DecisionPoint::OnArrival, arrival.at, &arrival.packet).is_some() {
            self.records.counters.offered.add(1);
            self.service.enqueue(index, arrival, hop, scheduler);
        }
    }

    /// Takes all decisions that are due before `bound`.
    #[inline(always)]
    fn decide_before<S: Scheduler + ?Sized>(&mut self, bound: Time, scheduler: &mut S) {
        while self.service.wire.next_decision < bound {
            let now = self.service.wire.next_decision;
            match scheduler.next(now, self.service.states) {
                Turn::Queue(index) => self.transmit(now, index, scheduler),
                Turn::NotBefore(time) => self.service.wire.hold_until(time),
            }
        }
    }

    /// Transmits the head of a queue.
    #[inline(always)]
    fn transmit<S: Scheduler + ?Sized>(&mut self, now: Time, index: usize, scheduler: &mut S) {
        let Arrival { at, packet } = self.service.queues[index].head();
        let size = packet.size;
        let end = now + self.service.times.of(size);
        self.records.counters.sent.add(1);
        if self.records.counters.departure(*at, now, end, (packet.size, packet.precedence)) {
            self.output.send(end + self.delay, packet);
        }
        self.service.on_transmission_start(index, now, end, size, scheduler);
        self.service.queues[index].waiting.consume(1);
    }
}

impl Port {
    /// Processes at most `most` arrivals, each with its next hop, and the decisions that are due before each; then takes those due before
    /// `bound`.
    #[inline(always)]
    pub(in crate::port) fn run_service_loop<'p>(
        &mut self,
        packets: impl Iterator<Item = (&'p Arrival, HopId)>,
        (most, bound): (usize, Time),
        context: &mut Context<'_, '_>,
    ) {
        let Port { queueing: Queueing::EventDriven(service), counters, delay, only_channel, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        let EventDriven { queues, scheduler, .. } = &mut **service;
        let (delay, only_channel) = (*delay, *only_channel);
        scheduler.dispatch(ServicePass { queues, packets, most, bound, delay, only_channel, counters, context });
    }
}
