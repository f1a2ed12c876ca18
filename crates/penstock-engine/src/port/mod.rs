//! A port: policer, marker, discipline, queue, scheduler, shaper and wire, in this order.
//!
//! A port that can compute departures on arrival (one FIFO queue, decisions on arrival) is [`Precomputed`] and needs no events of its
//! own. Any other port is [`EventDriven`] and decides whenever its wire becomes free. The folder `fast` only saves time: the results
//! are the same without it.

pub mod counters;
mod fast;
pub mod flow_losses;
mod host_interface;
pub mod link_counts;
pub mod observer;
mod pipeline;
pub mod probing;
mod queueing;
pub mod recorder;
mod stages;
mod switch_interface;
pub mod telemetry;
pub mod traffic_split;
pub mod transit_merge;
pub mod transmit_batch;
mod verdict;
pub mod waiting;

pub use fast::batch_path::{MAX_BATCH, MIN_BATCH};
pub use host_interface::MAX_TRANSMIT_BATCH;

use crate::api::blueprint::{FastPaths, LinkPlan, MarkAt, PcnAt, PortPlan};
use crate::api::observations::{LinkCounters, PortTimings};
use crate::kernel::digest::Digest;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Measurement;
use crate::kernel::outputs::Channel;
use crate::port::counters::PortCounters;
use crate::port::fast::tail_drop_fifo::TailDropFifo;
use crate::port::flow_losses::FlowLosses;
use crate::port::queueing::event_driven::EventDriven;
use crate::port::queueing::precomputed::Precomputed;
use crate::port::recorder::PortRecorder;
use crate::port::telemetry::{Telemetry, TelemetryReceiver};
use crate::port::transmit_batch::TransmitBatch;
use crate::port::waiting::WaitingLists;
use penstock_model::conditioner::AnyShaper;
use penstock_model::discipline::{AnyDiscipline, Counting, Discipline, PortContext};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::impairment::AnyImpairment;
use penstock_model::meter::{AnyMeter, Meter};
use penstock_model::prefetch::prefetch;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::site::Site;
use penstock_model::transmission::WireRate;
use penstock_model::transport::jitter::PortJitter;
use penstock_model::units::{Duration, Rate, Time};
use penstock_model::wire::aggregation::Aggregation;
use penstock_model::wire::deliveries::Deliveries;
use penstock_model::wire::Wire;
use stages::{marker, PcnStage, Policers};
use std::sync::Arc;

/// A port and its link. The fields that every packet changes come first: in a large network they leave the caches between two packets.
#[repr(C)]
#[derive(Clone)]
pub struct Port {
    queueing: Queueing,
    wire: Wire,
    delay: Duration,
    pcn: Option<Box<PcnStage>>,
    counters: PortCounters,
    /// The marker, if it sees packets on arrival.
    arrival_marker: Option<Box<AnyMeter>>,
    /// The link that the port feeds.
    pub link: LinkId,
    /// The port has no stages except its queue, and no recorder.
    is_bare: bool,
    /// The port is event-driven and uses the service loop in `fast`.
    uses_service_loop: bool,
    /// Packets may be processed in batches.
    allows_batches: bool,
    policers: Option<Box<Policers>>,
    /// The marker, if it sees packets at departure.
    departure_marker: Option<Box<AnyMeter>>,
    /// Packets that the host sends or forwards, not yet processed.
    transmit_batch: TransmitBatch,
    /// Indices of the host's arrivals that this port forwards.
    transit: Vec<u32>,
    /// Connections of the host that wait for room; `None` if connections never wait here.
    waiting_lists: Option<Box<WaitingLists>>,
    /// Buffer for packets that are processed as a batch.
    batch: Vec<Arrival>,
    /// The process, and its input, that receives all packets, if there is only one.
    pub only_channel: Option<Channel>,
    impairments: Vec<AnyImpairment>,
    /// Telemetry, if flows request it.
    telemetry: Option<Box<Telemetry>>,
    /// Hash of the packets that impairments have lost.
    losses: Digest,
    /// Number of packets that impairments lose after the end of the run.
    lost_after_end: u64,
}

#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
#[derive(Clone)]
enum Queueing {
    TailDropFifo(TailDropFifo),
    Precomputed(Box<Precomputed>),
    EventDriven(Box<EventDriven>),
}

impl Queueing {
    /// Creates the queueing that the plan needs. `only_queues` says that the port has no other stages and a constant rate.
    fn new(plan: &LinkPlan, context: &PortContext, only_queues: bool, decides_at_departure: bool) -> Queueing {
        if decides_at_departure || !can_precompute_departures(plan) {
            return Queueing::EventDriven(Box::new(EventDriven::new(&plan.port, context)));
        }
        match AnyDiscipline::new(&plan.port.queues[0].discipline, context) {
            AnyDiscipline::TailDrop(discipline) if only_queues && discipline.counting() == Counting::Waiting => {
                Queueing::TailDropFifo(TailDropFifo::new(discipline.limit))
            }
            discipline => Queueing::Precomputed(Box::new(Precomputed::new(discipline))),
        }
    }
}

/// Whether a port with this plan can compute departures on arrival: it has one FIFO queue, whose discipline uses only the hook on
/// arrival. Scheduled rate changes are allowed, since they are known in advance. A shaper or delivery opportunities are allowed unless
/// the discipline counts the packet in service: they may leave the wire idle, so the queue does not determine how much is in service.
/// Changes of the shaper, or of a marker at departures, are not allowed: they affect packets that already wait.
pub fn can_precompute_departures(plan: &LinkPlan) -> bool {
    let port = &plan.port;
    let changes = plan.port_changes.iter().any(|(_, changed)| port.changes_departures(changed));
    if !matches!(port.scheduler, SchedulerPlan::Fifo(_)) || port.queues.len() != 1 || port.force_event_driven || changes {
        return false;
    }
    let context = PortContext { framing: plan.framing, ..PortContext::of(Site { rate: plan.rate, ..Site::trial() }) };
    let discipline = AnyDiscipline::new(&port.queues[0].discipline, &context);
    let may_idle = port.shaper.is_some() || plan.deliveries.is_some();
    discipline.hooks().decide_on_arrival() && (!may_idle || discipline.counting() == Counting::Waiting)
}

/// Creates the wire of a link.
fn wire_of(plan: &LinkPlan, site: &Site) -> Wire {
    let shaper = plan.port.shaper.as_ref().map(|shaper| AnyShaper::new(shaper, &site.child("shaper")));
    let wire = Wire::new(WireRate { rate: plan.rate, framing: plan.framing }, plan.rate_changes.clone(), shaper);
    let wire = match &plan.deliveries {
        Some(times) => wire.with_deliveries(Deliveries::new(Arc::clone(times))),
        None => wire,
    };
    match &plan.aggregation {
        Some(aggregation) => wire.with_aggregation(Aggregation::new(aggregation.clone(), site.key.child("aggregation").stream())),
        None => wire,
    }
}

impl Port {
    /// Prefetches the memory that every packet changes; in a later stage, the memory that it points to.
    #[inline]
    pub fn prefetch(&self, stage: usize) {
        if stage == 1 {
            prefetch(&self.queueing);
            prefetch(&self.wire);
            self.counters.prefetch();
        } else if let Queueing::TailDropFifo(queue) = &self.queueing {
            queue.waiting.prefetch_next();
        }
    }

    /// Prefetches the memory to which the host writes its packets.
    #[inline]
    pub fn prefetch_transmit_batch(&self, stage: usize) {
        if stage == 1 {
            prefetch(&self.transmit_batch);
            prefetch(&self.transit);
        } else {
            self.transmit_batch.prefetch();
        }
    }

    /// Builds the port of `link`; `place` is its index in traces. The tuple holds what the plan lacks: the recorder, if more than counters
    /// is recorded; the jitter of packets that enter the network here; and whether each departure must be an event.
    pub fn new(
        link: LinkId,
        place: u32,
        plan: &LinkPlan,
        context: PortContext,
        measured: Measurement,
        (recorder, jitter, decides_at_departure): (Option<Box<PortRecorder>>, Option<PortJitter>, bool),
        fast_paths: FastPaths,
    ) -> Port {
        let site = context.site.clone();
        let marks_on_arrival = plan.port.marker.as_ref().is_some_and(|marker| marker.at == MarkAt::Arrival);
        let has_more_stages = recorder.is_some()
            || jitter.is_some()
            || plan.port.marker.is_some() && !marks_on_arrival
            || !plan.port.policers.is_empty()
            || !plan.port.impairments.is_empty()
            || !plan.port.pcn.is_empty() && plan.port.pcn_at != PcnAt::Accepted;
        let jitter = jitter.map(|jitter| AnyImpairment::Custom(Box::new(jitter)));
        let impairment = |(i, plan)| AnyImpairment::new(plan, &site.with_key(site.key.child("impairment").nth(i as u64)));
        let wire = wire_of(plan, &site);
        let only_queues = fast_paths.tail_drop_fifo && !has_more_stages && wire.is_constant();
        let queueing = Queueing::new(plan, &context, only_queues, decides_at_departure);
        let pcn = PcnStage::new(&plan.port, &site);
        let uses_service_loop = match &queueing {
            Queueing::EventDriven(service) if fast_paths.event_driven_loop => {
                !has_more_stages && !marks_on_arrival && pcn.is_none() && wire.is_constant() && service.supports_service_loop()
            }
            _ => false,
        };
        Port {
            transmit_batch: TransmitBatch::default(),
            transit: Vec::new(),
            waiting_lists: None,
            link,
            wire,
            delay: plan.delay,
            policers: Policers::new(&plan.port, &site),
            arrival_marker: marker(&plan.port.marker, MarkAt::Arrival, &context),
            departure_marker: marker(&plan.port.marker, MarkAt::Departure, &context),
            pcn,
            is_bare: fast_paths.bare && !has_more_stages && !marks_on_arrival && plan.port.pcn.is_empty(),
            uses_service_loop,
            allows_batches: fast_paths.batches,
            queueing,
            batch: Vec::new(),
            only_channel: None,
            // Jitter comes last: an impairment that preserves the order of all packets must not wait for jitter of a single flow.
            impairments: plan.port.impairments.iter().enumerate().map(impairment).chain(jitter).collect(),
            telemetry: None,
            losses: Digest::default(),
            lost_after_end: 0,
            counters: PortCounters::new(place, measured, recorder),
        }
    }

    /// Reports each transmission of a packet of `flow`; `rate` is the line rate. The port must be event-driven.
    pub fn report_to(&mut self, flow: FlowId, receiver: TelemetryReceiver, rate: Rate) {
        debug_assert!(!self.precomputes_departures(), "what waits behind a packet is known when its transmission begins");
        self.uses_service_loop = false;
        self.telemetry.get_or_insert_with(|| Box::new(Telemetry::new(rate))).receivers.insert(flow, receiver);
    }

    /// Name of the kind of port, for ports outside switches.
    pub fn kind(&self) -> &'static str {
        match self.queueing {
            Queueing::TailDropFifo(_) => "tail-drop-fifo",
            Queueing::Precomputed(_) => "precomputed",
            Queueing::EventDriven(_) if self.uses_service_loop => "event-driven-loop",
            Queueing::EventDriven(_) => "event-driven",
        }
    }

    /// Whether the port only queues packets in a tail-drop FIFO at a constant rate.
    pub fn only_queues(&self) -> bool {
        matches!(self.queueing, Queueing::TailDropFifo(_)) && self.arrival_marker.is_none() && self.pcn.is_none()
    }

    /// Sets the parameters of its components to those in `plan` from `now` on.
    pub fn change(&mut self, now: Time, plan: &PortPlan) {
        // If departures are computed on arrival, the shaper never changes; see `can_precompute_departures`.
        if let (Some(shaper), false) = (&plan.shaper, self.precomputes_departures()) {
            self.wire.change_shaper(now, shaper);
        }
        match &mut self.queueing {
            Queueing::TailDropFifo(_) => {} // has no changeable parameters
            Queueing::Precomputed(queue) => queue.change(now, &plan.queues[0].discipline),
            Queueing::EventDriven(service) => service.change(now, plan),
        }
        self.policers.iter_mut().for_each(|policers| policers.change(now, &plan.policers));
        if let Some(parameters) = plan.marker.as_ref().and_then(|marker| marker.meter.changeable()) {
            let markers = self.arrival_marker.iter_mut().chain(&mut self.departure_marker);
            markers.for_each(|marker| marker.change(now, parameters));
        }
    }

    /// Whether departures are computed on arrival.
    pub fn precomputes_departures(&self) -> bool {
        !matches!(self.queueing, Queueing::EventDriven(_))
    }

    /// Returns its queues and their scheduler if it is event-driven.
    #[inline]
    fn service(&self) -> Option<&EventDriven> {
        match &self.queueing {
            Queueing::EventDriven(service) => Some(service),
            Queueing::TailDropFifo(_) | Queueing::Precomputed(_) => None,
        }
    }

    /// Earliest start of the next transmission.
    #[inline]
    pub fn free_at(&self) -> Time {
        match &self.queueing {
            Queueing::TailDropFifo(queue) => queue.last_end,
            Queueing::Precomputed(queue) => queue.last_end,
            Queueing::EventDriven(service) => service.free_at(),
        }
    }

    /// Time of the next decision or timer; never if departures are computed on arrival.
    #[inline]
    pub fn next_decision(&self) -> Time {
        self.service().map_or(Time::NEVER, EventDriven::next_decision)
    }

    /// Number of packets that wait at `now`, without the one in service.
    pub fn waiting(&mut self, now: Time) -> u32 {
        match &mut self.queueing {
            Queueing::TailDropFifo(queue) => queue.count_waiting(now),
            Queueing::Precomputed(queue) => queue.waiting(now),
            Queueing::EventDriven(service) => service.waiting(),
        }
    }

    /// Number of packets that are not in flight to another process: they wait for a decision or for a link that never recovers, or an
    /// impairment loses them after the end of the run.
    pub fn unsent(&self) -> u64 {
        let queued = match &self.queueing {
            Queueing::TailDropFifo(queue) => queue.never_sent(),
            Queueing::Precomputed(queue) => queue.never_sent(),
            Queueing::EventDriven(service) => service.unsent(),
        };
        queued + self.lost_after_end
    }

    /// Adds to `digest` the hash of marks and drops, and the hash of losses on the wire, which follows the order of departure. Returns the
    /// counters, the additional records, and by flow the number of data packets that were both sent and lost here in the measurement
    /// period.
    pub fn finish(mut self, digest: &mut Digest) -> (LinkCounters, Option<PortTimings>, FlowLosses) {
        digest.number(self.counters.digest.value());
        if !self.impairments.is_empty() {
            digest.number(self.losses.value());
        }
        if let Queueing::EventDriven(service) = &mut self.queueing {
            service.waiting_packets().for_each(|Arrival { at, packet }| self.counters.unfinished(*at, packet));
            let paused = service.paused_times(&self.counters.measured);
            if !paused.is_empty() {
                self.counters.link.pauses.get_or_insert_default().paused = paused;
            }
        }
        let PortCounters { mut link, complete, recorder, lost, .. } = self.counters;
        complete.report(&mut link);
        (*link, recorder.map(|recorder| recorder.into_timings()), lost)
    }

    /// Checks in debug builds that offered = queued + sent + dropped. Called after every event.
    #[inline]
    fn check_conservation(&self) {
        let (queued, sent) = match &self.queueing {
            Queueing::TailDropFifo(queue) => (queue.waiting.len() as u64, queue.left),
            Queueing::Precomputed(queue) => (queue.ring.len() as u64, queue.left),
            Queueing::EventDriven(service) => (u64::from(service.waiting()), self.counters.sent),
        };
        debug_assert_eq!(
            self.counters.offered.get(),
            queued + sent.get() + self.counters.dropped.get(),
            "packets offered = queued + sent + dropped at link {}",
            self.link.0
        );
    }
}
