//! The path of a packet through a port, from its arrival to the wire: the general path, and the choice of a faster one.

use crate::api::blueprint::PcnAt;
use crate::api::observations::TraceEvent;
use crate::kernel::context::Context;
use crate::kernel::event::{Arrival, HeaderUpdate};
use crate::port::fast::batch_path::MIN_BATCH;
use crate::port::verdict::{self, DecisionPoint, Records};
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::impairment::{Fate, Impairment};
use penstock_model::meter::Meter;
use penstock_model::packet::Packet;
use penstock_model::units::{Duration, Time};

impl Port {
    /// Processes at most `most` arrivals, each with its next hop; the first arrives at `from`.
    ///
    /// Packets are read in place and written once, to the inputs of the next processes: a copy in between would cost more than all
    /// decisions.
    #[inline(always)]
    pub fn on_arrivals<'p>(
        &mut self,
        packets: impl Iterator<Item = (&'p Arrival, HopId)>,
        (from, most): (Time, usize),
        context: &mut Context<'_, '_>,
    ) {
        match self.queueing {
            Queueing::TailDropFifo(_) if self.arrival_marker.is_none() => {
                if most >= MIN_BATCH && self.can_batch_to_one_channel(from, most, context) {
                    return self.batch_to_one_channel(packets, most, context, |slot, (arrival, hop)| {
                        *slot = *arrival;
                        slot.packet.hop = hop;
                        arrival.packet.header_word()
                    });
                }
                if most >= MIN_BATCH && self.has_room_for_batch(from, most) {
                    return self.on_batches(packets, context);
                }
                for (Arrival { at, packet }, hop) in packets {
                    self.enqueue_and_send(*at, packet, hop, context);
                }
            }
            Queueing::EventDriven(_) if self.uses_service_loop => {
                self.run_service_loop(packets, (most, Time::ZERO), context);
            }
            Queueing::Precomputed(_) if self.is_bare => {
                for (Arrival { at, packet }, hop) in packets {
                    self.on_bare_arrival(*at, packet, hop, context);
                }
            }
            _ => {
                for (Arrival { at, packet }, hop) in packets {
                    self.decide_before_arrival(*at, context);
                    self.on_arrival(*at, packet, hop, context);
                }
            }
        }
    }

    /// Takes all decisions due before an arrival at `now`. Of those due at `now`, it runs timers and, with a single queue, departures.
    #[inline]
    fn decide_before_arrival(&mut self, now: Time, context: &mut Context<'_, '_>) {
        while let Queueing::EventDriven(service) = &mut self.queueing {
            let due = service.next_decision();
            if due > now {
                return;
            }
            if due == now && !service.has_one_queue() {
                return service.run_timers(now);
            }
            self.serve(due, context);
        }
    }

    /// Processes one arrival at a port for which no fast loop applies.
    fn on_arrival(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        match self.queueing {
            Queueing::TailDropFifo(_) => self.enqueue_coloured(now, packet, hop, context),
            _ => {
                self.on_general_arrival(now, Packet { hop, ..*packet }, context);
            }
        }
    }

    /// Passes an arriving packet through a port whose only stage is a queue with departures computed on arrival; returns `None` if the
    /// packet is dropped. The packet is not copied until it is written to the input of the next process.
    #[inline(always)]
    pub(super) fn on_bare_arrival(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) -> Option<()> {
        let Port { queueing: Queueing::Precomputed(queue), counters, wire, .. } = self else { unreachable!("departures are computed") };
        let decision = queue.on_arrival(now, packet);
        let ecn = Records { counters, journal: context.record }.apply::<false>(decision, DecisionPoint::OnArrival, now, packet)?;
        counters.offered.add(1);
        let (start, end) = queue.schedule(now, packet.size, packet.precedence, wire);
        if counters.departure(now, start, end, (packet.size, packet.precedence)) {
            self.deliver(end + self.delay, packet, HeaderUpdate { hop, ecn, pcn: packet.pcn }, context);
        }
        self.check_conservation();
        Some(())
    }

    /// Passes an arriving packet through all stages up to its queue; returns `None` if it is dropped.
    pub(super) fn on_general_arrival(&mut self, now: Time, mut packet: Packet, context: &mut Context<'_, '_>) -> Option<()> {
        let packet = &mut packet;
        let Port { policers, arrival_marker, pcn, queueing, counters, .. } = self;
        let records = &mut Records { counters, journal: context.record };
        if let Some(policers) = policers {
            policers.pass(now, packet, records)?;
        }
        if let Some(marker) = arrival_marker {
            packet.precedence = marker.colour(now, packet);
        }
        pcn.iter_mut().for_each(|pcn| pcn.pass(PcnAt::Offered, now, packet, records));
        let decision = match queueing {
            Queueing::TailDropFifo(_) => unreachable!("it has no stages"),
            Queueing::Precomputed(queue) => queue.on_arrival(now, packet),
            Queueing::EventDriven(service) => service.decide(now, packet, records),
        };
        packet.ecn = records.apply::<true>(decision, DecisionPoint::OnArrival, now, packet)?;
        pcn.iter_mut().for_each(|pcn| pcn.pass(PcnAt::Accepted, now, packet, records));
        self.enqueue(now, packet, context);
        Some(())
    }

    /// Enqueues an accepted packet.
    fn enqueue(&mut self, now: Time, packet: &mut Packet, context: &mut Context<'_, '_>) {
        let Port { queueing, counters, wire, .. } = self;
        counters.offered.add(1);
        counters.recorder.iter_mut().for_each(|recorder| recorder.accepted(now, packet));
        match queueing {
            Queueing::TailDropFifo(_) => unreachable!("it has no stages"),
            Queueing::Precomputed(queue) => {
                let (start, end) = queue.schedule(now, packet.size, packet.precedence, wire);
                counters.record_departure(now, start, end, packet);
                self.transmit(start, end, packet, context);
                self.check_conservation();
            }
            Queueing::EventDriven(service) => {
                service.enqueue(now, *packet, &mut Records { counters, journal: context.record });
                self.serve_single_queue(now, context);
            }
        }
    }

    /// Starts the next transmission after an arrival, if the port has a single queue and the wire is free.
    #[inline]
    pub(super) fn serve_single_queue(&mut self, now: Time, context: &mut Context<'_, '_>) {
        if matches!(&self.queueing, Queueing::EventDriven(service) if service.has_one_queue()) {
            self.serve(now, context);
        }
    }

    /// Takes all decisions that are due up to and including `until`.
    pub fn decide(&mut self, until: Time, context: &mut Context<'_, '_>) {
        if self.uses_service_loop && self.next_decision() <= until {
            return self.run_service_loop(std::iter::empty(), (0, until.after()), context);
        }
        loop {
            let due = self.next_decision();
            if due > until || due == Time::NEVER {
                return;
            }
            self.serve(due, context);
        }
    }

    /// Runs timers that are due, and starts the next transmission if the wire is free and a packet may be sent.
    fn serve(&mut self, now: Time, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::EventDriven(service), counters, wire, telemetry, .. } = self else { return };
        service.run_timers(now);
        let departure = service.begin_transmission(now, wire, &mut Records { counters, journal: context.record });
        if let Some((Arrival { at, mut packet }, end)) = departure {
            counters.record_departure(at, now, end, &packet);
            counters.sent.add(1);
            if let Some(telemetry) = telemetry {
                telemetry.on_transmission((now, end), &packet, service.waiting_bytes(), context.outputs);
            }
            self.transmit(now, end, &mut packet, context);
        }
        self.check_conservation();
    }

    /// Puts a packet on the wire; its transmission lasts from `start` to `end`.
    fn transmit(&mut self, start: Time, end: Time, packet: &mut Packet, context: &mut Context<'_, '_>) {
        if end == Time::NEVER {
            return verdict::trace_transmission(start, packet, &self.counters, context.record);
        }
        let Port { departure_marker, pcn, counters, .. } = self;
        let records = &mut Records { counters, journal: context.record };
        if let Some(marker) = departure_marker {
            packet.precedence = marker.colour(start, packet);
        }
        pcn.iter_mut().for_each(|pcn| pcn.pass(PcnAt::Departure, start, packet, records));
        verdict::trace_transmission(start, packet, records.counters, records.journal);
        self.propagate(0, end, end, packet, context);
    }

    /// Sends a packet, whose transmission ends at `end`, through the impairments from index `from` on and over the wire. It reaches the
    /// first of these impairments at `left`.
    fn propagate(&mut self, from: usize, end: Time, mut left: Time, packet: &Packet, context: &mut Context<'_, '_>) {
        for i in from..self.impairments.len() {
            // Each impairment sees the packet when the previous one releases it, so that several that preserve order do so together.
            match self.impairments[i].on_departure(left, packet) {
                Fate::Delayed(added) => left += added,
                Fate::Duplicated(later) => return self.duplicate(i + 1, end, (left, later), packet, context),
                Fate::Lost => return self.lose_on_wire(end, packet, context),
            }
        }
        let header = HeaderUpdate { hop: packet.hop, ecn: packet.ecn, pcn: packet.pcn };
        self.deliver(left + self.delay, packet, header, context);
    }

    /// Delivers a packet to the far end at `at`, with `header`.
    #[inline(always)]
    fn deliver(&self, at: Time, packet: &Packet, header: HeaderUpdate, context: &mut Context<'_, '_>) {
        let hop = context.routes.hop(header.hop);
        context.outputs.send(hop.process, hop.input, at, |arrival| arrival.write_forwarded(at, packet, header));
    }

    /// Sends a packet, and a copy that follows after `later`. A transmission that ends after the run gets no copy: nobody would see it.
    #[cold]
    fn duplicate(&mut self, from: usize, end: Time, (left, later): (Time, Duration), packet: &Packet, context: &mut Context<'_, '_>) {
        self.propagate(from, end, left, packet, context);
        if end <= self.counters.measured.to {
            // The process at which the copy arrives hashes it.
            context.record.trace(end, self.counters.place, packet, TraceEvent::Duplicate);
            self.propagate(from, end, left + later, packet, context);
        }
    }

    /// Loses a packet whose transmission ends at `end`. Losses after the end of the run are not recorded: how many of them a port knows
    /// depends on whether it computes departures on arrival.
    #[cold]
    fn lose_on_wire(&mut self, end: Time, packet: &Packet, context: &mut Context<'_, '_>) {
        if end > self.counters.measured.to {
            self.lost_after_end += 1;
        } else {
            verdict::record_wire_loss(end, packet, &mut self.losses, &mut self.counters, context.record);
        }
    }
}
