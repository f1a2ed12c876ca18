//! Disciplines decide which packets a queue accepts, marks, drops and sends.
//!
//! The port owns the packets and passes the discipline the occupancy of the queue. The discipline returns a [`Verdict`] on
//! each arrival and, if declared in its [`Hooks`], a [`DepartureVerdict`] on each departure.

pub mod adaptive_red;
pub mod circuit_thresholds;
pub mod cobalt;
pub mod codel;
mod counting;
pub mod dfba;
mod drop_cause;
mod early_drop;
pub mod epd;
pub mod fba;
pub mod frame;
pub mod frame_thresholds;
mod hooks;
pub mod pi2;
pub mod pie;
pub mod ppd;
pub mod red;
pub mod red_marking;
pub mod red_n;
pub mod selective_drop;
pub mod step_marking;
pub mod tail_drop;
mod verdict;

pub use counting::Counting;
pub use drop_cause::DropCause;
pub use hooks::Hooks;
pub use verdict::{DepartureVerdict, Eviction, Leave, Verdict};

use crate::atm::circuits::PortCircuits;
use crate::packet::Packet;
use crate::parameters::{Entry, Limit};
use crate::probe::{Probe, ReportVariable};
use crate::queue_state::QueueState;
use crate::registry::{OpenKind, Registry};
use crate::scheduler::traffic::Traffic;
use crate::site::Site;
use crate::transmission::Framing;
use crate::units::{Duration, Rate, Time};
use dyn_clone::DynClone;
use std::any::Any;
use std::sync::Arc;

/// Generates the plan, the running discipline and the dispatch between them from the list below.
macro_rules! disciplines {
    ($( $name:literal => $variant:ident($discipline:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A discipline with its parameters, as a scenario gives it.
            pub enum DisciplinePlan of "discipline" open Disciplines { $( $name => $variant($parameters) shows <$discipline>::STATE, )* }
        }

        impl DisciplinePlan {
            /// The names of the built-in disciplines that mark with any parameters.
            pub fn always_marking() -> Vec<&'static str> {
                [$( ($name, <$discipline>::always_marks()) ),*].into_iter().filter(|(_, always)| *always).map(|(name, _)| name).collect()
            }
        }

        /// A running discipline. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[repr(u8)] // an explicit tag is read faster than one hidden in a field of a variant
        #[derive(Clone)]
        pub enum AnyDiscipline {
            $( $variant($discipline), )*
            Custom(Box<dyn Discipline + Send>),
        }

        impl AnyDiscipline {
            /// Builds the discipline that `plan` describes.
            pub fn new(plan: &DisciplinePlan, port: &PortContext) -> AnyDiscipline {
                match plan {
                    $( DisciplinePlan::$variant(parameters) => AnyDiscipline::$variant(<$discipline>::new(parameters, port)), )*
                    DisciplinePlan::Custom(it) => AnyDiscipline::Custom(it.build(port)),
                }
            }
        }

        impl Probe for AnyDiscipline {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    $( AnyDiscipline::$variant(it) => it.probe(now, report), )*
                    AnyDiscipline::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl Discipline for AnyDiscipline {
            #[cfg_attr(inlines_components, inline(always))]
            fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
                match self {
                    $( AnyDiscipline::$variant(it) => it.on_arrival(now, packet, queue), )*
                    AnyDiscipline::Custom(it) => it.on_arrival(now, packet, queue),
                }
            }

            fn make_room(&mut self, now: Time, packet: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
                match self {
                    $( AnyDiscipline::$variant(it) => it.make_room(now, packet, own, queues), )*
                    AnyDiscipline::Custom(it) => it.make_room(now, packet, own, queues),
                }
            }

            fn limit(&self) -> Option<Limit> {
                match self {
                    $( AnyDiscipline::$variant(it) => it.limit(), )*
                    AnyDiscipline::Custom(it) => it.limit(),
                }
            }

            fn needs_cells(&self) -> bool {
                match self {
                    $( AnyDiscipline::$variant(it) => it.needs_cells(), )*
                    AnyDiscipline::Custom(it) => it.needs_cells(),
                }
            }

            fn is_passive(&self) -> bool {
                match self {
                    $( AnyDiscipline::$variant(it) => it.is_passive(), )*
                    AnyDiscipline::Custom(it) => it.is_passive(),
                }
            }

            fn counting(&self) -> Counting {
                match self {
                    $( AnyDiscipline::$variant(it) => it.counting(), )*
                    AnyDiscipline::Custom(it) => it.counting(),
                }
            }

            fn hooks(&self) -> Hooks {
                match self {
                    $( AnyDiscipline::$variant(it) => it.hooks(), )*
                    AnyDiscipline::Custom(it) => it.hooks(),
                }
            }

            fn on_refusal(&mut self, now: Time, packet: &Packet) {
                match self {
                    $( AnyDiscipline::$variant(it) => it.on_refusal(now, packet), )*
                    AnyDiscipline::Custom(it) => it.on_refusal(now, packet),
                }
            }

            #[cfg_attr(inlines_components, inline)]
            fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
                match self {
                    $( AnyDiscipline::$variant(it) => it.on_departure(now, packet, waited, queue), )*
                    AnyDiscipline::Custom(it) => it.on_departure(now, packet, waited, queue),
                }
            }

            #[cfg_attr(inlines_components, inline)]
            fn on_leave(&mut self, now: Time, packet: &Packet, why: Leave) {
                match self {
                    $( AnyDiscipline::$variant(it) => it.on_leave(now, packet, why), )*
                    AnyDiscipline::Custom(it) => it.on_leave(now, packet, why),
                }
            }

            fn next_deadline(&self) -> Time {
                match self {
                    $( AnyDiscipline::$variant(it) => it.next_deadline(), )*
                    AnyDiscipline::Custom(it) => it.next_deadline(),
                }
            }

            fn on_timer(&mut self, now: Time, queue: &Occupancy) {
                match self {
                    $( AnyDiscipline::$variant(it) => it.on_timer(now, queue), )*
                    AnyDiscipline::Custom(it) => it.on_timer(now, queue),
                }
            }

            fn change(&mut self, now: Time, parameters: &dyn Any) {
                match self {
                    $( AnyDiscipline::$variant(it) => it.change(now, parameters), )*
                    AnyDiscipline::Custom(it) => it.change(now, parameters),
                }
            }
        }
    };
}

disciplines! {
    "tail-drop" => TailDrop(tail_drop::TailDrop, tail_drop::Parameters),
    "red" => Red(red::Red, red::Parameters),
    "adaptive-red" => AdaptiveRed(adaptive_red::AdaptiveRed, adaptive_red::Parameters),
    "red-n" => RedN(red_n::RedN, red_n::Parameters),
    "codel" => Codel(codel::Codel, codel::Parameters),
    "pie" => Pie(pie::Pie, pie::Parameters),
    "pi2" => Pi2(pi2::Pi2, pi2::Parameters),
    "red-marking" => RedMarking(red_marking::RedMarking, red_marking::Parameters),
    "step-marking" => StepMarking(step_marking::StepMarking, step_marking::Parameters),
    "ppd" => Ppd(ppd::Ppd, ppd::Parameters),
    "epd" => Epd(epd::Epd, epd::Parameters),
    "selective-drop" => SelectiveDrop(selective_drop::SelectiveDrop, selective_drop::Parameters),
    "fba" => Fba(fba::Fba, fba::Parameters),
    "frame-thresholds" => FrameThresholds(frame_thresholds::FrameThresholds, frame_thresholds::Parameters),
    "circuit-thresholds" => CircuitThresholds(circuit_thresholds::CircuitThresholds, circuit_thresholds::Parameters),
    "dfba" => Dfba(dfba::Dfba, dfba::Parameters),
    "cobalt" => Cobalt(cobalt::Cobalt, cobalt::Parameters),
}

/// The kind of queue disciplines.
pub struct Disciplines;

impl OpenKind for Disciplines {
    const OF: &'static str = DisciplinePlan::OF;
    const BUILT_IN: &'static [&'static str] = DisciplinePlan::NAMES;
    type Context<'a> = PortContext;
    type Component = Box<dyn Discipline + Send>;

    fn on_trial<T>(build: impl FnOnce(&PortContext) -> T) -> T {
        build(&PortContext::of(Site::trial()))
    }
}

impl DisciplinePlan {
    /// Asks a discipline with these parameters at a trial port for a property that is the same at every port.
    fn on_trial<T>(&self, ask: impl FnOnce(&AnyDiscipline) -> T) -> T {
        Disciplines::on_trial(|context| ask(&AnyDiscipline::new(self, context)))
    }

    /// Hooks of the discipline.
    pub fn hooks(&self) -> Hooks {
        self.on_trial(AnyDiscipline::hooks)
    }

    /// Maximum length of the queue; see [`Discipline::limit`].
    pub fn limit(&self) -> Option<Limit> {
        self.on_trial(AnyDiscipline::limit)
    }

    /// Whether the discipline works only on cell links; see [`Discipline::needs_cells`].
    pub fn needs_cells(&self) -> bool {
        self.on_trial(AnyDiscipline::needs_cells)
    }

    /// Whether the discipline only refuses packets that do not fit; see [`Discipline::is_passive`].
    pub fn is_passive(&self) -> bool {
        self.on_trial(AnyDiscipline::is_passive)
    }

    /// Names of the disciplines, including plug-ins, that mark packets with `ecn = true`.
    pub fn with_ecn(registry: &Registry) -> Vec<&'static str> {
        let has_ecn = |entry: &&Entry| entry.fields.iter().any(|field| field.name == "ecn");
        DisciplinePlan::ENTRIES.iter().chain(registry.entries(DisciplinePlan::OF)).filter(has_ecn).map(|entry| entry.name).collect()
    }

    /// Circuits that the parameters name, each with the key of its parameter.
    pub fn named_circuits(&self) -> Vec<(&'static str, &str)> {
        match self {
            DisciplinePlan::CircuitThresholds(it) => it.thresholds.names().map(|name| ("thresholds", name)).collect(),
            DisciplinePlan::Dfba(dfba::Parameters { z: dfba::Scale::Each(table), .. }) => table.names().map(|name| ("z", name)).collect(),
            _ => Vec::new(),
        }
    }

    /// Mistake of the parameters at a link of this initial rate, with the key.
    pub fn mistake_at(&self, rate: Rate) -> Option<(&'static str, String)> {
        match self {
            DisciplinePlan::AdaptiveRed(it) => it.mistake_at(rate),
            _ => None,
        }
    }

    /// Whether the discipline ever marks packets with [`Ecn::Ce`](crate::packet::Ecn::Ce).
    pub fn marks(&self) -> bool {
        self.hooks().has(Hooks::MARK)
    }
}

/// Occupancy of a queue at the arrival of a packet, without that packet.
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    /// Number of packets.
    pub packets: u32,
    /// Number of bytes.
    pub bytes: u64,
    /// Number of packets of each precedence.
    pub of_precedence: [u32; PRECEDENCES],
    /// Time since which the queue has been idle: it is empty, and none of its packets is in service. The port may send packets of other
    /// queues during this time. `None` while the queue is busy.
    pub idle_since: Option<Time>,
    /// Arrival time of the packet at the head; `None` if no packet waits, and for disciplines that do not declare
    /// [`Hooks::HEAD_AGE`].
    pub head_since: Option<Time>,
}

impl Occupancy {
    /// Adds a packet.
    #[inline]
    pub fn add(&mut self, size: u32, precedence: u8) {
        self.packets += 1;
        self.bytes += u64::from(size);
        self.of_precedence[usize::from(precedence)] += 1;
    }

    /// Removes a packet.
    #[inline]
    pub fn remove(&mut self, size: u32, precedence: u8) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
        self.of_precedence[usize::from(precedence)] -= 1;
    }

    /// Time that the packet at the head has waited; zero if no packet waits. Needs [`Hooks::HEAD_AGE`].
    #[inline]
    pub fn head_age(&self, now: Time) -> Duration {
        self.head_since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// Whether `packet` fits: fewer than `limit` packets are queued, or the bytes with the packet are at most `limit`.
    #[inline]
    pub fn has_room(&self, packet: &Packet, limit: Limit) -> bool {
        limit.has_room(self.packets, self.bytes, packet.size)
    }
}

/// Number of drop precedences [RFC2597 s2: three; a fourth for experiments].
pub const PRECEDENCES: usize = 4;

/// Properties of a port that its disciplines are built from.
#[derive(Clone, Debug)]
pub struct PortContext {
    /// Site of the port, or of the class of the port that the queue belongs to.
    pub site: Site,
    /// Bytes that each packet occupies on the wire in addition to its size.
    pub framing: Framing,
    /// The circuits of a cell link.
    pub circuits: Arc<PortCircuits>,
    /// Hosts and codepoints, if the scheduler of the port reads them.
    pub traffic: Arc<Traffic>,
}

impl PortContext {
    /// Context of a port without circuits or overhead on the wire.
    pub fn of(site: Site) -> PortContext {
        PortContext { site, framing: Framing::default(), circuits: PortCircuits::none(), traffic: Arc::default() }
    }
}

/// A queue discipline. Its decisions may use `now`, the packet, the occupancy, and its own state and random streams.
///
/// At one instant, timers precede arrivals and arrivals precede departures. A port with a single queue has no choice of packet to send;
/// there, a departure precedes the arrival.
pub trait Discipline: Probe + DynClone {
    /// Decides on `packet`, which arrives at `now` and finds `queue`.
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict;

    /// Selects a packet to drop, such as one of the longest queue, so that `packet` fits under a limit that several queues share. `queues`
    /// are all queues of the port, without the packets dropped so far; `queues[own]` is the queue of this discipline. Called before
    /// [`Discipline::on_arrival`] until it returns `None`. Needs [`Hooks::ROOM`].
    fn make_room(&mut self, now: Time, packet: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        let _ = (now, packet, own, queues);
        None
    }

    /// Maximum length of the queue; `None` if the discipline has no limit. Memory is estimated from it, and connections that wait for their
    /// port fill the queue up to it.
    fn limit(&self) -> Option<Limit> {
        None
    }

    /// Whether the discipline drops frames by circuit and therefore works only on cell links.
    fn needs_cells(&self) -> bool {
        false
    }

    /// Whether the discipline only refuses packets that do not fit. All others are active queue management; a run reports the ports where
    /// they have not acted.
    fn is_passive(&self) -> bool {
        false
    }

    /// Whether the discipline marks ECN-capable packets with any parameters, and therefore has no parameter `ecn`.
    fn always_marks() -> bool
    where
        Self: Sized,
    {
        false
    }

    /// Whether the packet in service counts in the occupancy passed to [`Discipline::on_arrival`].
    fn counting(&self) -> Counting {
        Counting::Waiting
    }

    /// Optional calls that the discipline uses, and whether it evicts packets.
    fn hooks(&self) -> Hooks {
        Hooks::ARRIVAL
    }

    /// Reports that the scheduler has dropped `packet`, an arrival for this queue, before [`Discipline::on_arrival`] could decide.
    #[inline]
    fn on_refusal(&mut self, now: Time, packet: &Packet) {
        let _ = (now, packet);
    }

    /// Decides on `packet`, the head, which has waited for `waited` and whose transmission could begin at `now`. `queue` is the occupancy
    /// behind the head.
    #[inline]
    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        let _ = (now, packet, waited, queue);
        DepartureVerdict::Send
    }

    /// Reports that `packet` no longer counts as queued. Disciplines use it to count packets by flow, class or virtual circuit; a packet
    /// counts once [`Discipline::on_arrival`] has accepted or marked it.
    #[inline]
    fn on_leave(&mut self, now: Time, packet: &Packet, why: Leave) {
        let _ = (now, packet, why);
    }

    /// Time of the next call of [`Discipline::on_timer`]. Any other call may change it.
    fn next_deadline(&self) -> Time {
        Time::NEVER
    }

    /// Handles the deadline; `queue` is the occupancy. The next deadline must be later.
    fn on_timer(&mut self, now: Time, queue: &Occupancy) {
        let _ = (now, queue);
    }

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(Discipline);

#[cfg(test)]
mod testing;
