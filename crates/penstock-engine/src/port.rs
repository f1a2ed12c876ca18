//! A port: policer, marker, discipline, queue, scheduler, shaper, wire, in this order.
//!
//! Where departures can be known on arrival (one FIFO queue) the port is [`Committed`] and costs no event of its own;
//! elsewhere it works in [`Service`] mode and decides whenever its wire becomes free.

use crate::blueprint::{LinkPlan, LinkWatch, MarkAt, PcnAt, PortPlan};
use crate::channel::{Arrival, Written};
use crate::committed::Committed;
use crate::datagrams::Both;
use crate::digest::Digest;
use crate::fifo::Fifo;
use crate::handed::Handed;
use crate::host::Context;
use crate::link::Wire;
use crate::observations::{LinkCounters, PortTimings, TraceEvent};
use crate::outlet::Departing;
use crate::port_counters::Counters;
use crate::port_watch::PortWatch;
use crate::record::{Record, Window};
use crate::ring::Ring;
use crate::service::Service;
use crate::serving::Leaving;
use crate::together::Together;
use crate::wheel::{Next, Turn};
use penstock_model::conditioner::policer::Policer;
use penstock_model::conditioner::{PolicerPlan, ShaperPlan};
use penstock_model::discipline::{AnyDiscipline, Counting, Discipline, DropCause, PortContext, Verdict};
use penstock_model::id::{HopId, LinkId, ProcessId};
use penstock_model::impairment::{AnyImpairment, Fate, Impairment};
use penstock_model::meter::{AnyMeter, Meter};
use penstock_model::packet::{Body, Packet, PcnMark};
use penstock_model::pcn_meter::{AnyPcnMeter, PcnMeter, PcnMeterPlan};
use penstock_model::rng::Key;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::units::{Bytes, Duration, Time};

/// So many packets that a host has handed over fit the nearest cache, with what the port needs.
pub const MOST_HANDED: usize = 64;

/// It pays to take so many in one go.
pub const MANY: usize = 6;

/// A port and its link.
pub struct Port {
    /// Packets that the host has handed over, and when.
    handed: Handed,
    /// Which of the host's arrivals are to go on through this port.
    through: Vec<u32>,
    link: LinkId,
    wire: Wire,
    delay: Duration,
    policers: Option<Box<Policers>>,
    marker: Option<Box<Marker>>,
    pcn: Option<Box<PcnStage>>,
    queueing: Queueing,
    /// Packets on their way to several processes, for a moment.
    spread: Ring<Arrival>,
    /// The process and its input that all packets go to, if there is only one.
    only_channel: Option<(ProcessId, u32)>,
    /// Whether the port does more than colour, queue in order and meter what it accepts; most do not, and one question tells.
    has_stages: bool,
    /// It is in service mode, and there is a loop for it.
    only_serves: bool,
    impairments: Vec<AnyImpairment>,
    /// What the impairments have lost.
    losses: Digest,
    /// Packets that they will lose after the end of the run.
    doomed: u64,
    counters: Counters,
}

/// The policers of a port.
struct Policers {
    policers: Vec<Policer>,
    of_class: Vec<Option<u8>>,
}

impl Policers {
    fn new(plan: &PortPlan) -> Option<Box<Policers>> {
        let policer = |plan: &PolicerPlan| match plan {
            PolicerPlan::TokenBucket(parameters) => Policer::new(parameters),
        };
        let policers: Vec<Policer> = plan.policers.iter().map(policer).collect();
        (!policers.is_empty()).then(|| Box::new(Policers { policers, of_class: plan.policer_of_class.clone() }))
    }

    fn passes(&mut self, now: Time, packet: &Packet) -> bool {
        match self.of_class.get(usize::from(packet.class)) {
            Some(Some(policer)) => self.policers[usize::from(*policer)].passes(now, packet.bytes()),
            _ => true,
        }
    }
}

struct Marker {
    meter: AnyMeter,
    at: MarkAt,
}

/// The PCN meters of a port.
struct PcnStage {
    meters: Vec<AnyPcnMeter>,
    at: PcnAt,
}

impl PcnStage {
    fn new(plan: &PortPlan, key: Key) -> Option<Box<PcnStage>> {
        let meter = |(i, plan): (usize, &PcnMeterPlan)| AnyPcnMeter::new(plan, key.child("pcn").nth(i as u64));
        let meters: Vec<AnyPcnMeter> = plan.pcn.iter().enumerate().map(meter).collect();
        (!meters.is_empty()).then(|| Box::new(PcnStage { meters, at: plan.pcn_at }))
    }

    /// The mark of a packet that the meters see. Each has registers of its own, so that ports without meters have all theirs.
    #[inline(always)]
    fn meter(&mut self, now: Time, size: u32, mark: PcnMark) -> PcnMark {
        let size = Bytes::new(u64::from(size));
        match &mut *self.meters {
            [meter] => meter.on_packet(now, size, mark),
            meters => PcnStage::meter_by_several(meters, now, size, mark),
        }
    }

    /// The same of packets that stand in a row, in one short loop; those that are marked are counted.
    fn meter_all(&mut self, packets: [&mut [Arrival]; 2], counters: &mut Counters) {
        for part in packets {
            match &mut *self.meters {
                [meter] => {
                    let (marked, bytes) = meter.on_packets(part, counters.window.from);
                    counters.marks_unwatched(marked, bytes);
                }
                meters => {
                    for Arrival { at, packet } in part {
                        let before = packet.pcn;
                        packet.pcn = PcnStage::meter_by_several(meters, *at, packet.bytes(), before);
                        if packet.pcn > before {
                            counters.mark_unwatched(*at, packet.size);
                        }
                    }
                }
            }
        }
    }

    #[inline(never)]
    fn meter_by_several(meters: &mut [AnyPcnMeter], now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        meters.iter_mut().fold(mark, |mark, meter| meter.on_packet(now, size, mark))
    }
}

#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
enum Queueing {
    Fifo(Fifo),
    Committed(Box<Committed>),
    Service(Box<Service>),
}

/// Whether a port with this plan knows its departures on arrival: one queue, served in order, and a discipline that
/// decides on arrival. (Scheduled rate changes are known beforehand and do not matter. Nor does a shaper; but where it
/// leaves the wire idle, how much waits does not tell how much is in service.)
pub fn commits_on_arrival(plan: &LinkPlan) -> bool {
    let port = &plan.port;
    if !matches!(port.scheduler, SchedulerPlan::Fifo(_)) || port.queues.len() != 1 || port.force_service {
        return false;
    }
    let context = PortContext { key: Key::root(0, 0), rate: plan.rate };
    port.shaper.is_none() || AnyDiscipline::new(&port.queues[0].discipline, &context).counting() == Counting::Waiting
}

impl Port {
    /// Builds the port of link `link`; its random streams hang below `key`. What `watch` names is recorded, of so many
    /// classes.
    pub fn new(link: LinkId, place: u32, plan: &LinkPlan, key: Key, window: Window, watch: Option<(&LinkWatch, usize)>) -> Port {
        let context = PortContext { key, rate: plan.rate };
        let watch = watch.map(|(watch, classes)| PortWatch::new(watch, classes, window));
        let marks_on_arrival = plan.port.marker.as_ref().is_some_and(|marker| marker.at == MarkAt::Arrival);
        let has_more_stages = watch.is_some()
            || plan.port.marker.is_some() && !marks_on_arrival
            || !plan.port.policers.is_empty()
            || !plan.port.impairments.is_empty()
            || !plan.port.pcn.is_empty() && plan.port.pcn_at != PcnAt::Accepted;
        let shaper = plan.port.shaper.as_ref().map(|shaper| match shaper {
            ShaperPlan::TokenBucket(parameters) => parameters.bucket(),
        });
        let impairment = |(i, plan)| AnyImpairment::new(plan, key.child("impairment").nth(i as u64));
        let wire = Wire::new(plan.rate, plan.rate_changes.clone(), shaper);
        let queueing = if commits_on_arrival(plan) {
            let only_queues = !has_more_stages && wire.is_constant();
            match AnyDiscipline::new(&plan.port.queues[0].discipline, &context) {
                AnyDiscipline::TailDrop(discipline) if only_queues && discipline.counting() == Counting::Waiting => {
                    Queueing::Fifo(Fifo::new(discipline))
                }
                discipline => Queueing::Committed(Box::new(Committed::new(discipline))),
            }
        } else {
            Queueing::Service(Box::new(Service::new(&plan.port, &context)))
        };
        let has_stages = has_more_stages || marks_on_arrival && !matches!(queueing, Queueing::Fifo(_));
        let pcn = PcnStage::new(&plan.port, key);
        let only_serves = match &queueing {
            Queueing::Service(service) => !has_stages && pcn.is_none() && wire.is_constant() && service.has_loop(),
            _ => false,
        };
        Port {
            handed: Handed::default(),
            through: Vec::new(),
            link,
            wire,
            delay: plan.delay,
            policers: Policers::new(&plan.port),
            marker: plan.port.marker.as_ref().map(|marker| Box::new(Marker { meter: AnyMeter::new(&marker.meter), at: marker.at })),
            pcn,
            has_stages,
            only_serves,
            queueing,
            spread: Ring::default(),
            only_channel: None,
            impairments: plan.port.impairments.iter().enumerate().map(impairment).collect(),
            losses: Digest::default(),
            doomed: 0,
            counters: Counters::new(place, window, watch),
        }
    }

    /// All packets that leave go to input `input` of `process`.
    pub fn lead_to(&mut self, process: ProcessId, input: u32) {
        self.only_channel = Some((process, input));
    }

    /// Whether departures are known on arrival.
    pub fn commits(&self) -> bool {
        !matches!(self.queueing, Queueing::Service(_))
    }

    /// When the wire is free: what has not been sent yet is not on it before.
    #[inline]
    pub fn free_at(&self) -> Time {
        match &self.queueing {
            Queueing::Fifo(queue) => queue.free_at(),
            Queueing::Committed(queue) => queue.free_at(),
            Queueing::Service(service) => service.free_at(),
        }
    }

    /// The link that this port feeds.
    pub fn link(&self) -> LinkId {
        self.link
    }

    /// Takes packets, each with the time of its arrival and where it is to go on to; there are at most `most`, the first at
    /// `from`.
    ///
    /// They are read where they stand and written once, into the inputs of the next processes: a copy in between would cost
    /// more than all decisions.
    #[inline(always)]
    pub fn on_arrivals<'p>(
        &mut self,
        packets: impl Iterator<Item = (&'p Arrival, HopId)>,
        (from, most): (Time, usize),
        context: &mut Context<'_, '_>,
    ) {
        match self.queueing {
            Queueing::Fifo(_) if context.record.trace.is_none() && self.marker.is_none() => {
                if most >= MANY && self.passes_all(from, most, context) {
                    return self.pass_all(packets, most, context, |place, (arrival, hop)| {
                        *place = *arrival;
                        place.packet.hop = hop;
                    });
                }
                if most >= MANY && self.has_room_for_all(from, most) {
                    return self.spread_all(packets, most, context);
                }
                for (Arrival { at, packet }, hop) in packets {
                    self.queue_up(*at, packet, hop, context);
                }
            }
            Queueing::Fifo(_) if context.record.trace.is_none() => {
                for (Arrival { at, packet }, hop) in packets {
                    let packet = &self.coloured(*at, packet);
                    self.queue_up(*at, packet, hop, context);
                }
            }
            Queueing::Committed(_) if !self.has_stages => {
                for (Arrival { at, packet }, hop) in packets {
                    self.commit(*at, packet, hop, context);
                }
            }
            Queueing::Service(_) if self.only_serves && context.record.trace.is_none() => {
                let (service, leaving) = self.service(context);
                service.take(packets, most, leaving);
            }
            _ => {
                for (Arrival { at, packet }, hop) in packets {
                    self.decide_before_arrival(*at, context);
                    self.on_arrival(*at, packet, hop, context);
                }
            }
        }
    }

    /// Takes the decisions that precede an arrival at `now`: at the same instant only those that leave no choice.
    #[inline]
    fn decide_before_arrival(&mut self, now: Time, context: &mut Context<'_, '_>) {
        while let Queueing::Service(service) = &self.queueing {
            let due = service.next_decision();
            if due > now || due == now && !service.has_one_queue() {
                return;
            }
            self.serve(due, context);
        }
    }

    /// Is handed a packet by the host, at `now`. Tells whether many have been handed over since [`Port::take_handed`].
    #[inline(always)]
    pub fn hand(&mut self, now: Time, packet: &Packet) -> bool {
        self.hand_on(now, packet, packet.hop)
    }

    /// Is handed the packets that sources of the host repeat.
    pub fn hand_all(&mut self, turns: &[Turn<Next>]) {
        for (place, turn) in self.handed.add(turns.len()).iter_mut().zip(turns) {
            *place = turn.arrival();
        }
    }

    /// The same of two wheels.
    #[inline(never)]
    pub fn hand_both(&mut self, together: &mut Together<'_, Next>) {
        together.take(self.handed.add(together.due()), |place, turn| *place = turn.arrival());
    }

    /// The same of a packet that is to go on to `hop`.
    #[inline(always)]
    pub fn hand_on(&mut self, now: Time, packet: &Packet, hop: HopId) -> bool {
        if let [place] = self.handed.add(1) {
            place.at = now;
            place.packet = *packet;
            place.packet.hop = hop;
        }
        self.handed.len() >= MOST_HANDED
    }

    /// Takes what the host has handed over, and those of its arrivals that were [let through](Port::let_through), in the order
    /// of time.
    pub fn take_merged(&mut self, arrivals: &[Arrival], context: &mut Context<'_, '_>) {
        if self.through.is_empty() {
            return self.take_handed(context);
        }
        let (mut handed, mut through) = (std::mem::take(&mut self.handed), std::mem::take(&mut self.through));
        let both = Both::new(handed.packets(), arrivals, &through);
        let bounds = both.bounds();
        self.on_arrivals(both, bounds, context);
        handed.clear();
        through.clear();
        (self.handed, self.through) = (handed, through);
    }

    /// Is to take packets of the host's arrivals, by their places among them.
    #[inline(always)]
    pub fn let_through(&mut self, arrivals: &[u32]) {
        self.through.extend_from_slice(arrivals);
    }

    /// Takes what the host has handed over.
    ///
    /// A port changes nothing at its host, so it need not look at each packet at once; one short loop for many packets after
    /// another, first the host's and then the port's, costs much less than a long one for both.
    #[inline]
    pub fn take_handed(&mut self, context: &mut Context<'_, '_>) {
        if let Some(first) = self.handed.packets().first() {
            let bounds = (first.at, self.handed.len());
            let mut handed = std::mem::take(&mut self.handed);
            self.on_arrivals(handed.packets().iter().map(|arrival| (arrival, arrival.packet.hop)), bounds, context);
            handed.clear();
            self.handed = handed;
        }
    }

    /// Whether it is the port that only queues, and may meter, so that [`Port::on_train`] is for it.
    #[inline]
    pub fn only_queues(&self) -> bool {
        matches!(self.queueing, Queueing::Fifo(_)) && self.marker.is_none()
    }

    /// Takes packets that a flow sends in a row: they look like `first`, but for time and size, and are numbered on from it.
    /// Nobody traces.
    #[inline(never)]
    pub fn on_train(&mut self, train: &[Departing], first: Packet, context: &mut Context<'_, '_>) {
        self.take_handed(context);
        let (hop, number) = (first.hop, first.sequence());
        let packets = train.iter().zip(0u32..).map(|(&Departing { at, size }, i)| {
            let body = Body::Media { seq: number.wrapping_add(i) };
            Arrival { at, packet: Packet { created: at, size, body, ..first } }
        });
        if self.passes_all(first.created, train.len(), context) {
            return self.pass_all(packets, train.len(), context, |place, arrival| *place = arrival);
        }
        let next = context.routes.hop(hop);
        let mut way = context.outputs.way(next.process, next.input);
        for Arrival { at: now, packet } in packets {
            if let Some((at, pcn)) = self.queue(now, &packet, context.record).filter(|(at, _)| *at != Time::NEVER) {
                way.send(at, |arrival| arrival.write(at, &packet, Written { hop, marked: packet.marked, pcn }));
            }
        }
    }

    /// Whether [`Port::pass_all`] is for `most` packets, the first at `from`: the port only queues and meters, has room for them, and
    /// feeds a single channel.
    fn passes_all(&mut self, from: Time, most: usize, context: &mut Context<'_, '_>) -> bool {
        let Some((process, input)) = self.only_channel else { return false };
        self.has_room_for_all(from, most) && context.outputs.queue(process, input).is_some()
    }

    /// Whether the port only queues, and may meter, and has room for `most` packets, the first at `from`.
    #[inline]
    fn has_room_for_all(&mut self, from: Time, most: usize) -> bool {
        let Port { queueing: Queueing::Fifo(queue), marker: None, counters, .. } = self else { return false };
        queue.has_room_for(most, from, &mut counters.sent)
    }

    /// Takes packets in one go, at most `most`, for which there is room, and sends each to its own process.
    #[inline(always)]
    fn spread_all<'p>(&mut self, packets: impl Iterator<Item = (&'p Arrival, HopId)>, most: usize, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::Fifo(queue), spread, counters, wire, pcn, delay, .. } = self else {
            unreachable!("asked before");
        };
        let count = spread.add_all(packets, most, |place, (arrival, hop)| {
            *place = *arrival;
            place.packet.hop = hop;
        });
        if let Some(pcn) = pcn {
            pcn.meter_all(spread.last_mut(count), counters);
        }
        queue.pass_all(spread, count, wire, *delay, counters);
        for part in spread.runs() {
            for arrival in part {
                let next = context.routes.hop(arrival.packet.hop);
                context.outputs.send(next.process, next.input, arrival.at, |place| *place = *arrival);
            }
        }
        spread.consume(spread.len());
    }

    /// Takes packets in one go, at most `most`, which `write` writes down; [`Port::passes_all`] says where.
    #[inline(always)]
    fn pass_all<P>(
        &mut self,
        packets: impl Iterator<Item = P>,
        most: usize,
        context: &mut Context<'_, '_>,
        write: impl Fn(&mut Arrival, P),
    ) {
        let Port { queueing: Queueing::Fifo(queue), only_channel: Some((process, input)), counters, wire, pcn, delay, .. } = self else {
            unreachable!("asked before");
        };
        let ring = context.outputs.queue(*process, *input).expect("asked before");
        let was_empty = ring.len() == 0;
        let count = ring.add_all(packets, most, write);
        if let Some(pcn) = pcn {
            pcn.meter_all(ring.last_mut(count), counters);
        }
        queue.pass_all(ring, count, wire, *delay, counters);
        if was_empty && ring.len() > 0 {
            context.outputs.sent_first(*process, *input);
        }
        self.check_conservation();
    }

    /// Takes the packets that sources of the host repeat; at once if these are many and it has been handed nothing before.
    pub fn take_repeated(&mut self, turns: &[Turn<Next>], context: &mut Context<'_, '_>) {
        let Some(first) = turns.first() else { return };
        let alone = self.handed.len() == 0 && context.record.trace.is_none();
        if alone && turns.len() >= MANY && self.passes_all(first.at, turns.len(), context) {
            self.pass_all(turns.iter(), turns.len(), context, |place, turn| *place = turn.arrival());
        } else {
            self.hand_all(turns);
        }
    }

    /// Takes a packet at a port that only queues, and meters what it accepts if it has meters; tells whether it accepts it.
    #[inline(always)]
    fn queue_up(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) -> bool {
        let Some((at, mark)) = self.queue(now, packet, context.record) else { return false };
        if at != Time::NEVER {
            let next = context.routes.hop(hop);
            context.outputs.send(next.process, next.input, at, |arrival| arrival.pass(at, packet, hop, mark));
        }
        true
    }

    /// The same without sending it on: when it arrives at the far end, if ever, and its mark; `None` if it is refused.
    #[inline(always)]
    fn queue(&mut self, now: Time, packet: &Packet, record: &mut Record) -> Option<(Time, PcnMark)> {
        let Port { queueing: Queueing::Fifo(queue), counters, wire, pcn, delay, .. } = self else { return None };
        if !queue.admits(now, packet.size, &mut counters.sent) {
            counters.offered_in_vain(now, packet, DropCause::Overflow, record);
            return None;
        }
        let mut mark = packet.pcn;
        if let Some(pcn) = pcn {
            mark = pcn.meter(now, packet.size, packet.pcn);
            if mark > packet.pcn {
                counters.mark_unwatched(now, packet.size);
            }
        }
        let (start, end) = queue.commit(now, packet.size, wire.transmission_time(packet.size), &mut counters.sent);
        let ends = counters.passage(now, start, end, packet);
        let at = if ends { end + *delay } else { Time::NEVER };
        self.check_conservation();
        Some((at, mark))
    }

    /// A packet as the marker makes it that sees it arrive, if there is one.
    #[inline]
    fn coloured(&mut self, now: Time, packet: &Packet) -> Packet {
        let precedence = match self.marker.as_deref_mut() {
            Some(Marker { meter, at: MarkAt::Arrival }) => meter.colour(now, packet.bytes(), packet.precedence),
            _ => packet.precedence,
        };
        Packet { precedence, ..*packet }
    }

    /// The same where somebody traces.
    fn queue_up_traced(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let packet = &self.coloured(now, packet);
        if self.queue_up(now, packet, hop, context) {
            context.record.trace(now, self.counters.place, packet, TraceEvent::Accept);
        }
    }

    /// Takes a packet where none of the loops is for it.
    fn on_arrival(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        if self.has_stages {
            return self.on_staged_arrival(now, Packet { hop, ..*packet }, context);
        }
        match self.queueing {
            Queueing::Fifo(_) => self.queue_up_traced(now, packet, hop, context),
            Queueing::Committed(_) => unreachable!("there is a loop for it"),
            Queueing::Service(_) => self.on_arrival_to_service(now, packet, hop, context),
        }
    }

    /// Takes a packet at a port that knows its departures on arrival and has no further stages than PCN meters.
    #[inline(always)]
    fn commit(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::Committed(queue), counters, wire, pcn, delay, .. } = self else { return };
        let mut written = Written { hop, marked: packet.marked, pcn: packet.pcn };
        match queue.decide(now, packet, &mut counters.sent) {
            Verdict::Accept => context.record.trace(now, counters.place, packet, TraceEvent::Accept),
            Verdict::Mark => {
                written.marked = true;
                counters.marked(now, Packet { marked: true, ..*packet }, context.record);
            }
            Verdict::Drop(cause) => return counters.offered_in_vain(now, packet, cause, context.record),
        }
        if let Some(pcn) = pcn {
            written.pcn = pcn.meter(now, packet.size, packet.pcn);
            if written.pcn > packet.pcn {
                counters.mark(now, packet);
            }
        }
        let (start, end) = queue.commit(now, packet.size, packet.precedence, wire, &mut counters.sent);
        if counters.passage(now, start, end, packet) {
            let (next, at) = (context.routes.hop(hop), end + *delay);
            context.outputs.send(next.process, next.input, at, |arrival| arrival.write(at, packet, written));
        }
        self.check_conservation();
    }

    /// Takes a packet at a port in service mode that does nothing else to it than meter it.
    fn on_arrival_to_service(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::Service(service), counters, pcn, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        let mut marked = packet.marked;
        match service.decide(now, packet) {
            Verdict::Accept => context.record.trace(now, counters.place, packet, TraceEvent::Accept),
            Verdict::Mark => {
                marked = true;
                counters.marked(now, Packet { marked, ..*packet }, context.record);
            }
            Verdict::Drop(cause) => return counters.offered_in_vain(now, packet, cause, context.record),
        }
        let mut mark = packet.pcn;
        if let Some(pcn) = pcn {
            mark = pcn.meter(now, packet.size, packet.pcn);
            if mark > packet.pcn {
                counters.mark(now, packet);
            }
        }
        counters.offer();
        service.push(now, Packet { hop, marked, pcn: mark, ..*packet });
        if service.has_one_queue() {
            self.serve(now, context);
        }
    }

    /// Takes a packet at a port that does more than queue in order.
    fn on_staged_arrival(&mut self, now: Time, mut packet: Packet, context: &mut Context<'_, '_>) {
        let packet = &mut packet;
        if !self.passes_policers(now, packet) {
            return self.counters.offered_in_vain(now, packet, DropCause::Policed, context.record);
        }
        *packet = self.coloured(now, packet);
        self.meter_pcn(now, packet, PcnAt::Offered);
        let Port { queueing, counters, .. } = self;
        let verdict = match queueing {
            Queueing::Fifo(_) => unreachable!("it only queues"),
            Queueing::Committed(queue) => queue.decide(now, packet, &mut counters.sent),
            Queueing::Service(service) => service.decide(now, packet),
        };
        match verdict {
            Verdict::Accept => context.record.trace(now, counters.place, packet, TraceEvent::Accept),
            Verdict::Mark => {
                packet.marked = true;
                counters.marked(now, *packet, context.record);
            }
            Verdict::Drop(cause) => return counters.offered_in_vain(now, packet, cause, context.record),
        }
        self.meter_pcn(now, packet, PcnAt::Accepted);
        let Port { queueing, counters, wire, .. } = self;
        counters.offer();
        counters.accepted(now, packet);
        match queueing {
            Queueing::Fifo(_) => unreachable!("it only queues"),
            Queueing::Committed(queue) => {
                let (start, end) = queue.commit(now, packet.size, packet.precedence, wire, &mut counters.sent);
                counters.watched_departure(now, start, end, packet);
                self.transmit(start, end, packet, context);
                self.check_conservation();
            }
            Queueing::Service(service) => {
                service.push(now, *packet);
                if service.has_one_queue() {
                    self.serve(now, context);
                }
            }
        }
    }

    fn passes_policers(&mut self, now: Time, packet: &Packet) -> bool {
        self.policers.as_mut().is_none_or(|policers| policers.passes(now, packet))
    }

    /// When the port next has to decide who goes; never for a port that commits on arrival.
    #[inline]
    pub fn next_decision(&self) -> Time {
        match &self.queueing {
            Queueing::Fifo(_) | Queueing::Committed(_) => Time::NEVER,
            Queueing::Service(service) => service.next_decision(),
        }
    }

    /// Takes all decisions that are due up to and including `until`.
    pub fn decide(&mut self, until: Time, context: &mut Context<'_, '_>) {
        if self.only_serves && self.next_decision() <= until {
            let (service, leaving) = self.service(context);
            return service.decide_until(until, leaving);
        }
        loop {
            let due = self.next_decision();
            if due > until || due == Time::NEVER {
                return;
            }
            self.serve(due, context);
        }
    }

    /// The queues of a port in service mode, and what becomes of packets that leave them.
    #[inline]
    fn service<'a, 'b, 'c>(&'a mut self, context: &'a mut Context<'b, 'c>) -> (&'a mut Service, Leaving<'a, 'b, 'c>) {
        let Port { queueing: Queueing::Service(service), counters, delay, only_channel, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        (service, Leaving { delay: *delay, only_channel: *only_channel, counters, context })
    }

    /// Starts the next transmission if the wire is free and something waits.
    fn serve(&mut self, now: Time, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::Service(service), counters, wire, delay, .. } = self else { return };
        if let Some((queue, end)) = service.begin(now, wire) {
            let Arrival { at, packet } = service.head(queue);
            let ends = counters.watched_departure(*at, now, end, packet);
            counters.sent += 1;
            if self.has_stages {
                let mut packet = *packet;
                service.take_off(queue);
                self.transmit(now, end, &mut packet, context);
            } else {
                if ends {
                    let hop = context.routes.hop(packet.hop);
                    let at = end + *delay;
                    context.outputs.send(hop.process, hop.input, at, |arrival| arrival.pass(at, packet, packet.hop, packet.pcn));
                }
                service.take_off(queue);
            }
        }
        self.check_conservation();
    }

    /// Packets that wait at `now`, the one in service not included.
    pub fn waiting(&mut self, now: Time) -> u32 {
        match &mut self.queueing {
            Queueing::Fifo(queue) => queue.waiting(now, &mut self.counters.sent),
            Queueing::Committed(queue) => queue.waiting(now, &mut self.counters.sent),
            Queueing::Service(service) => service.waiting(),
        }
    }

    /// Tells the states of its meters at `now`: which meter, the marker first, then name, unit and value of a variable.
    pub fn probe(&self, now: Time, tell: &mut dyn FnMut(usize, &'static str, &'static str, f64)) {
        if let Some(marker) = &self.marker {
            marker.meter.probe(now, &mut |name, unit, value| tell(0, name, unit, value));
        }
        let first = usize::from(self.marker.is_some());
        for (i, meter) in self.pcn.iter().flat_map(|stage| stage.meters.iter().enumerate()) {
            meter.probe(now, &mut |name, unit, value| tell(first + i, name, unit, value));
        }
    }

    /// Packets that are not on their way to another process: they wait for a decision or for a link that never recovers,
    /// or will be lost when their transmission ends, after the end of the run.
    pub fn held(&self) -> u64 {
        let queued = match &self.queueing {
            Queueing::Fifo(queue) => queue.stuck(),
            Queueing::Committed(queue) => queue.stuck(),
            Queueing::Service(service) => service.held(),
        };
        queued + self.doomed
    }

    /// Hands over the counts, and what was recorded beyond them.
    pub fn into_counters(mut self) -> (LinkCounters, Option<PortTimings>) {
        if let Queueing::Service(service) = &self.queueing {
            service.waiting_packets().for_each(|Arrival { at, packet }| self.counters.unfinished(*at, packet));
        }
        self.counters.into_counts()
    }

    /// The hash of what was marked and refused.
    pub fn digest(&self) -> u64 {
        self.counters.digest.value()
    }

    /// The hash of what was lost on the wire, in the order of departure; `None` where nothing can be.
    pub fn losses(&self) -> Option<u64> {
        (!self.impairments.is_empty()).then(|| self.losses.value())
    }

    #[inline]
    fn meter_pcn(&mut self, now: Time, packet: &mut Packet, at: PcnAt) {
        if let Some(pcn) = self.pcn.as_mut().filter(|pcn| pcn.at == at) {
            let before = packet.pcn;
            packet.pcn = pcn.meter(now, packet.size, before);
            if packet.pcn > before {
                self.counters.mark(now, packet);
            }
        }
    }

    /// Loses a packet whose transmission ends at `end`. That is known beforehand, and how long depends on how the port
    /// finds its departures: hence the digest of its own, and nothing at all about what lies after the end of the run.
    #[cold]
    fn lose_on_wire(&mut self, end: Time, packet: &Packet, record: &mut Record) {
        if end > self.counters.window.to {
            self.doomed += 1;
            return;
        }
        self.losses.packet(end, packet, TraceEvent::Drop(DropCause::Loss).code());
        record.trace(end, self.counters.place, packet, TraceEvent::Drop(DropCause::Loss));
        self.counters.loss(end, packet, DropCause::Loss);
    }

    /// Puts a packet on the wire, whose transmission lasts from `start` to `end`.
    fn transmit(&mut self, start: Time, end: Time, packet: &mut Packet, context: &mut Context<'_, '_>) {
        if end == Time::NEVER {
            return;
        }
        if let Some(Marker { meter, at: MarkAt::Departure }) = self.marker.as_deref_mut() {
            packet.precedence = meter.colour(start, packet.bytes(), packet.precedence);
        }
        self.meter_pcn(start, packet, PcnAt::Departure);
        let mut left = end;
        for impairment in &mut self.impairments {
            // Each begins where the one before has let the packet go, so that what keeps the order keeps it together.
            match impairment.on_departure(left, packet) {
                Fate::Delayed(added) => left += added,
                Fate::Lost => return self.lose_on_wire(end, packet, context.record),
            }
        }
        let hop = context.routes.hop(packet.hop);
        let written = Written { hop: packet.hop, marked: packet.marked, pcn: packet.pcn };
        let at = left + self.delay;
        context.outputs.send(hop.process, hop.input, at, |arrival| arrival.write(at, packet, written));
    }

    /// Arrived = queued + sent + refused, after every event in debug builds.
    #[inline]
    fn check_conservation(&self) {
        let queued = match &self.queueing {
            Queueing::Fifo(queue) => queue.len(),
            Queueing::Committed(queue) => queue.len(),
            Queueing::Service(service) => u64::from(service.waiting()),
        };
        debug_assert_eq!(
            self.counters.offered,
            queued + self.counters.sent + self.counters.refused,
            "packets offered = queued + sent + refused at link {}",
            self.link.0
        );
    }
}
