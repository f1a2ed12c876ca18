//! The blueprint of a run: plain values, with all names resolved.
//!
//! The scenario crate validates what a user wrote and compiles it into a [`Blueprint`]; a program may also fill one in
//! by hand. [`crate::Sim::new`] refuses one that contradicts itself.

use crate::api::cancel::Cancel;
use crate::api::injection::Arrival;
pub use crate::api::route_set::RouteSet;
pub use crate::api::switch_plan::{CongestionPointsPlan, MessageRoute, PausePlan, SharedBufferPlan, SourceQuenchPlan, SwitchPlan};
pub use crate::api::watch_plan::{EfPlan, FlowWatch, LinkWatch, WatchPlan};
use penstock_model::atm::{bytes_in_cells, CELL};
use penstock_model::call::counts::CallCounts;
use penstock_model::call::delay::DelayPlan;
use penstock_model::call::{ArrivalPlan, HoldingPlan};
use penstock_model::conditioner::{PolicerPlan, ShaperPlan};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::edge::{AdmissionPlan, TerminationPlan};
use penstock_model::id::{LinkId, NodeId, RouteId};
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::parameters::Limit;
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::source::SourcePlan;
use penstock_model::transmission::Framing;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Bytes, Duration, Rate, Time};
pub use penstock_model::wire::aggregation::AggregationPlan;
pub use penstock_model::wire::delivery_times::DeliveryTimes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One run: a network, its traffic, and observations.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// Root of every random stream, with `replication`.
    pub seed: u64,
    /// Which of several statistically independent runs this is.
    pub replication: u64,
    /// When the run ends; events at this instant still happen.
    pub end: Time,
    /// When counting begins; what happens at this instant counts.
    pub warm_up: Time,
    /// How arrivals at the same instant at one process are ordered.
    pub ties: Ties,
    /// Names of the nodes; a [`NodeId`] is a position here.
    pub nodes: Vec<String>,
    /// How long nodes take until a packet that has arrived is at its port; part of the delay of each link into them.
    pub latencies: BTreeMap<NodeId, Duration>,
    /// The nodes whose ports share something, each at most once.
    pub switches: Vec<SwitchPlan>,
    /// The ATM part of the network.
    pub atm: AtmPlan,
    /// The links; a [`LinkId`] is a position here, and the order of ties.
    pub links: Vec<LinkPlan>,
    /// The routes; a [`RouteId`] is a position here.
    pub routes: RouteSet,
    /// Names of the traffic classes; a packet's class is a position here.
    pub classes: Vec<String>,
    /// What flows have in common.
    pub groups: Vec<FlowGroup>,
    /// The flows; a flow's serial number is its position here.
    pub flows: Vec<FlowPlan>,
    /// Packets from outside that are known before the run, as for [`crate::Sim::inject`]; of each flow by increasing time.
    pub arrivals: Arc<[Arrival]>,
    /// Queues to sample at fixed intervals.
    pub samples: Vec<SamplePlan>,
    /// Ports whose meters' states to sample at fixed intervals.
    pub meter_samples: Vec<SamplePlan>,
    /// Record what happens to every packet at every port and host.
    pub trace: bool,
    /// Records beyond the counters.
    pub watch: WatchPlan,
    /// Which fast paths ports may take. Results do not depend on it; tests switch them off.
    pub fast_paths: FastPaths,
    /// Number of events, usually [`MAX_VISIT_EVENTS`], after which a visit to a process ends, at the end of the instant. Results do not
    /// depend on it; tests lower it.
    pub max_visit_events: u64,
    /// Stops building and running once it is set. Their results are then invalid.
    pub cancel: Cancel,
}

/// This number of events takes a few milliseconds: within that, a run can be stopped, and what a process sends does not pile up.
pub const MAX_VISIT_EVENTS: u64 = 1 << 14;

/// Short cuts through a port that give the same results as the general path. A run with a trace takes none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastPaths {
    /// Tail-drop FIFO at a constant rate: only starts of transmissions are kept.
    pub tail_drop_fifo: bool,
    /// Many packets through a tail-drop FIFO in one loop.
    pub batches: bool,
    /// One loop, compiled for each scheduler, for event-driven ports of tail-drop queues.
    pub event_driven_loop: bool,
    /// Ports that only queue skip the stages that they do not have.
    pub bare: bool,
}

impl FastPaths {
    /// The general path alone.
    pub const NONE: FastPaths = FastPaths { tail_drop_fifo: false, batches: false, event_driven_loop: false, bare: false };
}

impl Default for FastPaths {
    fn default() -> FastPaths {
        FastPaths { tail_drop_fifo: true, batches: true, event_driven_loop: true, bare: true }
    }
}

/// The order of simultaneous events of one kind at one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// By the input's position in the scenario, then by the sender's order; timers by flow.
    #[default]
    Scenario,
    /// By a hash of seed, process, time, input (or flow) and sequence.
    Random,
}

/// The ATM part of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtmPlan {
    /// The nodes that forward cells as they are. All others at the end of a cell link are ends of AAL5.
    pub cell_switches: BTreeSet<NodeId>,
    /// The circuits that several flows share, or that are promised something; every other flow has one of its own in each direction.
    pub circuits: Vec<CircuitPlan>,
}

/// A circuit between two ends of AAL5, and the one back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitPlan {
    /// Its name.
    pub name: String,
    /// The groups whose flows it carries, by their positions in the blueprint.
    pub groups: Vec<u32>,
    /// Its minimum cell rate (MCR).
    pub mcr: Option<Rate>,
}

/// A one-way link and the port that feeds it.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// The name, such as `hosts[3]-r1`; its random streams hang below it.
    pub path: String,
    /// The node of the port.
    pub from: NodeId,
    /// Where the wire ends.
    pub to: NodeId,
    /// The rate at the beginning.
    pub rate: Rate,
    /// Later rates, by increasing time; [`Rate::ZERO`] is a failure during which packets wait.
    pub rate_changes: Vec<(Time, Rate)>,
    /// When the link delivers, instead of at its rates; then there are no changes of these.
    pub deliveries: Option<Arc<DeliveryTimes>>,
    /// How it sends packets in aggregates, instead of one by one; not with delivery times.
    pub aggregation: Option<AggregationPlan>,
    /// What packets take on the wire beyond their size; nothing where the link carries cells.
    pub framing: Framing,
    /// Propagation delay.
    pub delay: Duration,
    /// It carries cells, and its rate is that of cells.
    pub cells: bool,
    /// The rest of the port, shared between the members of a group.
    pub port: Arc<PortPlan>,
    /// The port from these times on, by increasing time: `port` with other values of changeable parameters.
    pub port_changes: Vec<(Time, Arc<PortPlan>)>,
}

/// What a port does to packets before they reach the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct PortPlan {
    /// Drop what exceeds a profile, before everything else.
    pub policers: Vec<PolicerPlan>,
    /// For each class of [`Blueprint::classes`], the policer of [`PortPlan::policers`] that it passes; beyond the end,
    /// none.
    pub policer_of_class: Vec<Option<u8>>,
    /// Colours packets.
    pub marker: Option<MarkerPlan>,
    /// Which queue sends next.
    pub scheduler: SchedulerPlan,
    /// The scheduler's classes, in its order; empty if it has none with keys of their own.
    pub classes: Vec<ClassPlan>,
    /// The queues: one for each class and, where classes have schedulers of their own, for each class below, in order.
    pub queues: Vec<QueuePlan>,
    /// For each class of [`Blueprint::classes`], the queue that it waits in.
    pub queue_of_class: Vec<u8>,
    /// PCN meters, in order.
    pub pcn: Vec<PcnMeterPlan>,
    /// Which packets they see, and when.
    pub pcn_at: PcnAt,
    /// Holds packets back before the wire.
    pub shaper: Option<ShaperPlan>,
    /// What the wire does to packets, in order.
    pub impairments: Vec<ImpairmentPlan>,
    /// Make the port event-driven even where departures can be precomputed; for tests of the equivalence.
    pub force_event_driven: bool,
}

impl PortPlan {
    /// Whether its marker or its PCN meters see packets depart.
    pub fn acts_at_departure(&self) -> bool {
        self.marker.as_ref().is_some_and(|marker| marker.at == MarkAt::Departure) || self.pcn_at == PcnAt::Departure
    }

    /// The limits of each queue that has any: its own, and that of all queues together.
    pub fn queue_limits(&self) -> Vec<Vec<Limit>> {
        let of_all = self.scheduler.facts().shared_limit;
        self.queues.iter().map(|queue| queue.discipline.limit().into_iter().chain(of_all).collect()).collect()
    }

    /// Whether something that can be read of it changes as packets depart: meters, tokens of a shaper, states of impairments.
    pub fn changes_at_departure(&self) -> bool {
        self.acts_at_departure() || self.shaper.is_some() || self.impairments.iter().any(ImpairmentPlan::shows_state)
    }
}

/// A queue of a port.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuePlan {
    /// The name in results; the class's, or empty for the only queue.
    pub name: String,
    /// Its discipline.
    pub discipline: DisciplinePlan,
}

/// A meter that writes colours into packets.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerPlan {
    /// Decides the colour.
    pub meter: MeterPlan,
    /// When it sees the packet.
    pub at: MarkAt,
}

/// Where in the port packets are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkAt {
    /// Before the discipline decides; what the queue then refuses has been metered.
    #[default]
    Arrival,
    /// When its transmission begins.
    Departure,
}

/// Which packets PCN meters see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PcnAt {
    /// Those that the queue accepts, on arrival [RFC5670 s2: meters come after dropping].
    #[default]
    Accepted,
    /// All that arrive, also those that the queue then refuses.
    Offered,
    /// Those that are sent, when their transmission begins.
    Departure,
}

/// What the flows of a group have in common.
#[derive(Clone, Debug)]
pub struct FlowGroup {
    /// The name; the members' random streams hang below it.
    pub name: String,
    /// What the application sends.
    pub source: SourcePlan,
    /// How it is carried.
    pub transport: TransportPlan,
    /// The transport of the members from these times on, by increasing time: `transport` with other values of changeable parameters.
    pub transport_changes: Vec<(Time, Arc<TransportPlan>)>,
    /// The class of its packets, both ways.
    pub class: u8,
    /// The precedence that its source gives its packets; acknowledgements too.
    pub precedence: u8,
    /// Each member starts at an instant drawn uniformly from here; equal ends mean exactly then.
    pub start: (Time, Time),
    /// When sources fall silent.
    pub stop: Time,
    /// Each flow is an aggregate of calls that send as `source` says.
    pub calls: Option<Arc<CallsPlan>>,
    /// Count the bytes received per interval of this length, from the beginning of the run; only for calls.
    pub interval: Option<Duration>,
    /// What each member transfers, and from when on, instead of a source's size and `start`; only for file transfers by connections.
    pub transfers: Option<Arc<[Transfer]>>,
    /// The rate of each member's source, instead of the one that `source` has; only of sources that have one.
    pub rates: Option<Arc<[Rate]>>,
    /// Rates that each source is asked to send at, by time; only of sources that adapt their rate.
    pub rate_requests: Option<Arc<[(Time, Rate)]>>,
}

impl FlowGroup {
    /// What a member's application sends.
    pub fn source_of(&self, member: u32) -> SourcePlan {
        let rate = self.rates.as_ref().map(|rates| rates[member as usize]);
        rate.and_then(|rate| self.source.at_rate(rate)).unwrap_or_else(|| self.source.clone())
    }
}

/// A finite transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When it opens its connection; never if that is after the end.
    pub start: Time,
    /// How many bytes it has, without headers.
    pub bytes: u64,
}

/// The arrivals, holding times, admission and termination of the calls of an aggregate.
#[derive(Clone, Debug)]
pub struct CallsPlan {
    /// When calls arrive; none do if left out.
    pub arrivals: Option<ArrivalPlan>,
    /// How long they last.
    pub holding: HoldingPlan,
    /// Calls that exist from the start, without admission control.
    pub initial: CallCounts,
    /// Their first packets go out uniformly within this span.
    pub initial_spread: Duration,
    /// Calls that begin together later, without admission control.
    pub surge: Option<SurgePlan>,
    /// How long packets wait before the ingress sees them; not at all if left out.
    pub delay: Option<DelayPlan>,
    /// Which calls are admitted; all if left out.
    pub admission: Option<AdmissionPlan>,
    /// Which calls are terminated early; none if left out.
    pub termination: Option<TerminationPlan>,
    /// Added to the propagation of each signal.
    pub processing: Duration,
    /// The size of the packet that carries each request through the queues, in bytes; if `None`, requests are messages that do not queue.
    pub request_packet: Option<u32>,
    /// The long-term mean rate of one call.
    pub call_rate: Rate,
}

impl CallsPlan {
    /// How many calls of the group's aggregate with this number begin without admission control, at the start and later.
    pub fn unconditional_calls(&self, aggregate: u32) -> u64 {
        u64::from(self.initial.of(aggregate)) + self.surge.as_ref().map_or(0, |surge| u64::from(surge.calls.of(aggregate)))
    }
}

/// Calls that begin together in each aggregate of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurgePlan {
    /// When.
    pub at: Time,
    /// How many.
    pub calls: CallCounts,
    /// Their first packets go out uniformly within this span.
    pub spread: Duration,
}

/// A flow.
#[derive(Clone, Copy, Debug)]
pub struct FlowPlan {
    /// Position in [`Blueprint::groups`].
    pub group: u32,
    /// Position within the group.
    pub member: u32,
    /// Where it begins.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// The data's route.
    pub forward: RouteId,
    /// The acknowledgements' route; the same as `forward` for transports that have none.
    pub backward: RouteId,
}

/// A queue, or the meters of a port, to be sampled.
#[derive(Clone, Copy, Debug)]
pub struct SamplePlan {
    /// The link whose port is sampled.
    pub link: LinkId,
    /// The interval; the first sample is taken one interval after the warm-up.
    pub every: Duration,
}

impl Blueprint {
    /// The nodes where packets become cells, and cells packets.
    pub fn aal5_ends(&self) -> BTreeSet<NodeId> {
        let ends = self.links.iter().filter(|link| link.cells).flat_map(|link| [link.from, link.to]);
        ends.filter(|node| !self.atm.cell_switches.contains(node)).collect()
    }
}

impl LinkPlan {
    /// The bytes that a packet of `size` takes on the wire.
    pub fn wire_size(&self, size: Bytes) -> Bytes {
        if self.cells {
            Bytes::new(bytes_in_cells(size.get()))
        } else {
            self.framing.on_wire(size.get() as u32)
        }
    }

    /// The shortest transmission of `size` bytes on the wire: none where the link delivers at instants, and at its highest rate elsewhere.
    pub fn shortest_transmission(&self, size: Bytes) -> Duration {
        if self.deliveries.is_some() {
            return Duration::ZERO;
        }
        self.rate_changes.iter().map(|(_, rate)| *rate).fold(self.rate, Rate::max).transmission_time(size)
    }

    /// The fewest bytes that leave at once where no packet is below `size`.
    pub fn smallest_unit(&self, size: Bytes) -> Bytes {
        if self.cells {
            Bytes::new(u64::from(CELL))
        } else {
            self.wire_size(size)
        }
    }
}
