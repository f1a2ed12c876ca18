//! A port: policer, marker, discipline, queue, scheduler, shaper, wire, in this order.
//!
//! Where departures can be known on arrival (one FIFO queue) the port is [`Precomputed`] and costs no event of its own;
//! elsewhere it works in [`EventDriven`] mode and decides whenever its wire becomes free.

pub mod counters;
mod fast;
mod queueing;
pub mod recorder;
mod stages;
pub mod transmit_batch;
pub mod wire;

pub use fast::batches::{MANY, MOST_HANDED};

use crate::api::blueprint::{LinkPlan, LinkWatch, MarkAt, PcnAt};
use crate::api::observations::{LinkCounters, PortTimings, TraceEvent};
use crate::kernel::channel::{Arrival, Written};
use crate::kernel::digest::Digest;
use crate::kernel::journal::{Journal, Window};
use crate::merge::ring::Ring;
use crate::node::host::Context;
use crate::port::counters::{PortCounters, Release};
use crate::port::fast::event_driven_loop::Leaving;
use crate::port::fast::tail_drop_fifo::TailDropFifo;
use crate::port::queueing::event_driven::EventDriven;
use crate::port::queueing::precomputed::Precomputed;
use crate::port::recorder::PortRecorder;
use crate::port::transmit_batch::TransmitBatch;
use crate::port::wire::Wire;
use penstock_model::conditioner::ShaperPlan;
use penstock_model::discipline::{AnyDiscipline, Counting, Discipline, DropCause, PortContext, Verdict};
use penstock_model::id::{HopId, LinkId, ProcessId};
use penstock_model::impairment::{AnyImpairment, Fate, Impairment};
use penstock_model::meter::{AnyMeter, Meter};
use penstock_model::packet::{Packet, PcnMark};
use penstock_model::pcn_meter::PcnMeter;
use penstock_model::rng::Key;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::units::{Duration, Time};
use stages::{Marker, PcnStage, Policers};

/// A port and its link.
pub struct Port {
    /// Packets that the host has handed over, and when.
    handed: TransmitBatch,
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
    counters: PortCounters,
}

#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
enum Queueing {
    TailDropFifo(TailDropFifo),
    Precomputed(Box<Precomputed>),
    EventDriven(Box<EventDriven>),
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
        let watch = watch.map(|(watch, classes)| PortRecorder::new(watch, classes, window));
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
                    Queueing::TailDropFifo(TailDropFifo::new(discipline))
                }
                discipline => Queueing::Precomputed(Box::new(Precomputed::new(discipline))),
            }
        } else {
            Queueing::EventDriven(Box::new(EventDriven::new(&plan.port, &context)))
        };
        let has_stages = has_more_stages || marks_on_arrival && !matches!(queueing, Queueing::TailDropFifo(_));
        let pcn = PcnStage::new(&plan.port, key);
        let only_serves = match &queueing {
            Queueing::EventDriven(service) => !has_stages && pcn.is_none() && wire.is_constant() && service.has_loop(),
            _ => false,
        };
        Port {
            handed: TransmitBatch::default(),
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
            counters: PortCounters::new(place, window, watch),
        }
    }

    /// All packets that leave go to input `input` of `process`.
    pub fn lead_to(&mut self, process: ProcessId, input: u32) {
        self.only_channel = Some((process, input));
    }

    /// Reports what leaves from now on, and when; see [`Port::take_releases`]. Its packets come one by one.
    pub fn report_releases(&mut self) {
        debug_assert!(!self.commits(), "a port of a switch decides as its wire becomes free");
        (self.has_stages, self.only_serves) = (true, false);
        self.counters.report_releases();
    }

    /// What has left or been dropped since this was last asked.
    pub fn take_releases(&mut self, list: &mut Vec<Release>) {
        self.counters.take_releases(list);
    }

    /// Refuses a packet for want of room in what the port shares with others.
    pub fn refuse(&mut self, now: Time, packet: &Packet, context: &mut Context<'_, '_>) {
        self.counters.record_arrival_drop(now, packet, DropCause::Buffer, context.record);
        self.check_conservation();
    }

    /// May be told to stop: it takes its decisions one by one.
    pub fn make_pausable(&mut self) {
        debug_assert!(!self.commits(), "a port that may be stopped does not know its departures");
        self.only_serves = false;
    }

    /// Is told to stop, or to go on.
    pub fn on_pause(&mut self, now: Time, stops: bool, context: &mut Context<'_, '_>) {
        self.decide(now.before(), context);
        if let Queueing::EventDriven(service) = &mut self.queueing {
            service.on_pause(now, stops);
        }
    }

    /// Whether departures are known on arrival.
    pub fn commits(&self) -> bool {
        !matches!(self.queueing, Queueing::EventDriven(_))
    }

    /// When the wire is free: what has not been sent yet is not on it before.
    #[inline]
    pub fn free_at(&self) -> Time {
        match &self.queueing {
            Queueing::TailDropFifo(queue) => queue.free_at(),
            Queueing::Precomputed(queue) => queue.free_at(),
            Queueing::EventDriven(service) => service.free_at(),
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
            Queueing::TailDropFifo(_) if context.record.trace.is_none() && self.marker.is_none() => {
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
            Queueing::TailDropFifo(_) if context.record.trace.is_none() => {
                for (Arrival { at, packet }, hop) in packets {
                    let packet = &self.coloured(*at, packet);
                    self.queue_up(*at, packet, hop, context);
                }
            }
            Queueing::Precomputed(_) if !self.has_stages => {
                for (Arrival { at, packet }, hop) in packets {
                    self.commit(*at, packet, hop, context);
                }
            }
            Queueing::EventDriven(_) if self.only_serves && context.record.trace.is_none() => {
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
        while let Queueing::EventDriven(service) = &self.queueing {
            let due = service.next_decision();
            if due > now || due == now && !service.has_one_queue() {
                return;
            }
            self.serve(due, context);
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
    fn queue(&mut self, now: Time, packet: &Packet, record: &mut Journal) -> Option<(Time, PcnMark)> {
        let Port { queueing: Queueing::TailDropFifo(queue), counters, wire, pcn, delay, .. } = self else { return None };
        if !queue.admits(now, packet.size, &mut counters.sent) {
            counters.record_arrival_drop(now, packet, DropCause::Overflow, record);
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
            Queueing::TailDropFifo(_) => self.queue_up_traced(now, packet, hop, context),
            Queueing::Precomputed(_) => unreachable!("there is a loop for it"),
            Queueing::EventDriven(_) => self.on_arrival_to_service(now, packet, hop, context),
        }
    }

    /// Takes a packet at a port that knows its departures on arrival and has no further stages than PCN meters.
    #[inline(always)]
    fn commit(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::Precomputed(queue), counters, wire, pcn, delay, .. } = self else { return };
        let mut written = Written { hop, ecn: packet.ecn, pcn: packet.pcn };
        match queue.decide(now, packet, &mut counters.sent) {
            Verdict::Accept => context.record.trace(now, counters.place, packet, TraceEvent::Accept),
            Verdict::Mark => {
                written.ecn = packet.ecn.marked();
                counters.marked(now, Packet { ecn: written.ecn, ..*packet }, context.record);
            }
            Verdict::Drop(cause) => return counters.record_arrival_drop(now, packet, cause, context.record),
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
        let Port { queueing: Queueing::EventDriven(service), counters, pcn, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        let mut ecn = packet.ecn;
        match service.decide(now, packet) {
            Verdict::Accept => context.record.trace(now, counters.place, packet, TraceEvent::Accept),
            Verdict::Mark => {
                ecn = packet.ecn.marked();
                counters.marked(now, Packet { ecn, ..*packet }, context.record);
            }
            Verdict::Drop(cause) => return counters.record_arrival_drop(now, packet, cause, context.record),
        }
        let mut mark = packet.pcn;
        if let Some(pcn) = pcn {
            mark = pcn.meter(now, packet.size, packet.pcn);
            if mark > packet.pcn {
                counters.mark(now, packet);
            }
        }
        counters.offer();
        service.push(now, Packet { hop, ecn, pcn: mark, ..*packet });
        if service.has_one_queue() {
            self.serve(now, context);
        }
    }

    /// Takes a packet at a port that does more than queue in order.
    fn on_staged_arrival(&mut self, now: Time, mut packet: Packet, context: &mut Context<'_, '_>) {
        let packet = &mut packet;
        if !self.passes_policers(now, packet) {
            return self.counters.record_arrival_drop(now, packet, DropCause::Policed, context.record);
        }
        *packet = self.coloured(now, packet);
        self.meter_pcn(now, packet, PcnAt::Offered);
        let Port { queueing, counters, .. } = self;
        let verdict = match queueing {
            Queueing::TailDropFifo(_) => unreachable!("it only queues"),
            Queueing::Precomputed(queue) => queue.decide(now, packet, &mut counters.sent),
            Queueing::EventDriven(service) => service.decide(now, packet),
        };
        match verdict {
            Verdict::Accept => context.record.trace(now, counters.place, packet, TraceEvent::Accept),
            Verdict::Mark => {
                packet.ecn = packet.ecn.marked();
                counters.marked(now, *packet, context.record);
            }
            Verdict::Drop(cause) => return counters.record_arrival_drop(now, packet, cause, context.record),
        }
        self.meter_pcn(now, packet, PcnAt::Accepted);
        let Port { queueing, counters, wire, .. } = self;
        counters.offer();
        counters.accepted(now, packet);
        match queueing {
            Queueing::TailDropFifo(_) => unreachable!("it only queues"),
            Queueing::Precomputed(queue) => {
                let (start, end) = queue.commit(now, packet.size, packet.precedence, wire, &mut counters.sent);
                counters.watched_departure(now, start, end, packet);
                self.transmit(start, end, packet, context);
                self.check_conservation();
            }
            Queueing::EventDriven(service) => {
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
            Queueing::TailDropFifo(_) | Queueing::Precomputed(_) => Time::NEVER,
            Queueing::EventDriven(service) => service.next_decision(),
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
    fn service<'a, 'b, 'c>(&'a mut self, context: &'a mut Context<'b, 'c>) -> (&'a mut EventDriven, Leaving<'a, 'b, 'c>) {
        let Port { queueing: Queueing::EventDriven(service), counters, delay, only_channel, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        (service, Leaving { delay: *delay, only_channel: *only_channel, counters, context })
    }

    /// Starts the next transmission if the wire is free and something waits.
    fn serve(&mut self, now: Time, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::EventDriven(service), counters, wire, delay, .. } = self else { return };
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
            Queueing::TailDropFifo(queue) => queue.waiting(now, &mut self.counters.sent),
            Queueing::Precomputed(queue) => queue.waiting(now, &mut self.counters.sent),
            Queueing::EventDriven(service) => service.waiting(),
        }
    }

    /// Packets that wait for a decision.
    pub fn backlog(&self) -> u64 {
        match &self.queueing {
            Queueing::EventDriven(service) => u64::from(service.waiting()),
            Queueing::TailDropFifo(_) | Queueing::Precomputed(_) => 0,
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
            Queueing::TailDropFifo(queue) => queue.stuck(),
            Queueing::Precomputed(queue) => queue.stuck(),
            Queueing::EventDriven(service) => service.held(),
        };
        queued + self.doomed
    }

    /// Hands over the counts, and what was recorded beyond them.
    pub fn into_counters(mut self) -> (LinkCounters, Option<PortTimings>) {
        if let Queueing::EventDriven(service) = &self.queueing {
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
    fn lose_on_wire(&mut self, end: Time, packet: &Packet, record: &mut Journal) {
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
        let written = Written { hop: packet.hop, ecn: packet.ecn, pcn: packet.pcn };
        let at = left + self.delay;
        context.outputs.send(hop.process, hop.input, at, |arrival| arrival.write(at, packet, written));
    }

    /// Arrived = queued + sent + refused, after every event in debug builds.
    #[inline]
    fn check_conservation(&self) {
        let queued = match &self.queueing {
            Queueing::TailDropFifo(queue) => queue.len(),
            Queueing::Precomputed(queue) => queue.len(),
            Queueing::EventDriven(service) => u64::from(service.waiting()),
        };
        debug_assert_eq!(
            self.counters.offered,
            queued + self.counters.sent + self.counters.refused,
            "packets offered = queued + sent + refused at link {}",
            self.link.0
        );
    }
}
