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
        #[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
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
    /// Properties of every discipline with these parameters, at any port.
    fn on_trial<T>(&self, ask: impl FnOnce(&AnyDiscipline) -> T) -> T {
        Disciplines::on_trial(|context| ask(&AnyDiscipline::new(self, context)))
    }

    /// Hooks that the discipline uses.
    pub fn hooks(&self) -> Hooks {
        self.on_trial(AnyDiscipline::hooks)
    }

    /// Maximum length of its queue; see [`Discipline::limit`].
    pub fn limit(&self) -> Option<Limit> {
        self.on_trial(AnyDiscipline::limit)
    }

    /// Whether it works only on cell links; see [`Discipline::needs_cells`].
    pub fn needs_cells(&self) -> bool {
        self.on_trial(AnyDiscipline::needs_cells)
    }

    /// Whether it only refuses packets that do not fit; see [`Discipline::is_passive`].
    pub fn is_passive(&self) -> bool {
        self.on_trial(AnyDiscipline::is_passive)
    }

    /// Names of the disciplines, including plug-ins, that mark packets with `ecn = true`.
    pub fn with_ecn(registry: &Registry) -> Vec<&'static str> {
        let has_ecn = |entry: &&Entry| entry.fields.iter().any(|field| field.name == "ecn");
        DisciplinePlan::ENTRIES.iter().chain(registry.entries(DisciplinePlan::OF)).filter(has_ecn).map(|entry| entry.name).collect()
    }

    /// The circuits named by its parameters, each with its key.
    pub fn named_circuits(&self) -> Vec<(&'static str, &str)> {
        match self {
            DisciplinePlan::CircuitThresholds(it) => it.thresholds.names().map(|name| ("thresholds", name)).collect(),
            DisciplinePlan::Dfba(dfba::Parameters { z: dfba::Scale::Each(table), .. }) => table.names().map(|name| ("z", name)).collect(),
            _ => Vec::new(),
        }
    }

    /// Mistake of its parameters at a link of this initial rate, with the key.
    pub fn mistake_at(&self, rate: Rate) -> Option<(&'static str, String)> {
        match self {
            DisciplinePlan::AdaptiveRed(it) => it.mistake_at(rate),
            _ => None,
        }
    }

    /// Whether it ever marks packets with [`Ecn::Ce`](crate::packet::Ecn::Ce).
    pub fn marks(&self) -> bool {
        self.hooks().has(Hooks::MARK)
    }
}

/// Occupancy of the queue at the arrival of a packet, which is not included.
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    /// Packets.
    pub packets: u32,
    /// Bytes.
    pub bytes: u64,
    /// Packets per precedence.
    pub of_precedence: [u32; PRECEDENCES],
    /// Time since which the queue has been idle: it is empty and none of its packets is in service. `None` while it is busy. The port may
    /// send packets of other queues in this time.
    pub idle_since: Option<Time>,
    /// Arrival time of the packet at the head; `None` if no packet waits, and for disciplines that do not declare
    /// [`Hooks::HEAD_AGE`].
    pub head_since: Option<Time>,
}

impl Occupancy {
    /// A packet joins.
    #[inline]
    pub fn add(&mut self, size: u32, precedence: u8) {
        self.packets += 1;
        self.bytes += u64::from(size);
        self.of_precedence[usize::from(precedence)] += 1;
    }

    /// A packet leaves.
    #[inline]
    pub fn remove(&mut self, size: u32, precedence: u8) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
        self.of_precedence[usize::from(precedence)] -= 1;
    }

    /// Waiting time of the packet at the head so far; zero if no packet waits. Declared by [`Hooks::HEAD_AGE`].
    #[inline]
    pub fn head_age(&self, now: Time) -> Duration {
        self.head_since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// Whether `packet` fits: fewer than `limit` packets are queued, or the bytes including it do not exceed `limit` bytes.
    #[inline]
    pub fn has_room(&self, packet: &Packet, limit: Limit) -> bool {
        limit.has_room(self.packets, self.bytes, packet.size)
    }
}

/// Number of drop precedences [RFC2597 s2: three; a fourth for experiments].
pub const PRECEDENCES: usize = 4;

/// Facts about a port from which its disciplines are built.
#[derive(Clone, Debug)]
pub struct PortContext {
    /// Site of the port, or of the class of the port to which the queue belongs.
    pub site: Site,
    /// Bytes of packets on the wire in addition to their size.
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

/// A queue discipline. Decisions may use `now`, the packet, the occupancy and the discipline's own state and streams.
///
/// At one instant timers precede arrivals, and arrivals precede departures. In a port with a single queue, where there is no
/// choice of the packet to send, a departure precedes the arrival.
pub trait Discipline: Probe + DynClone {
    /// Decides on `packet`, arriving at `now` to a queue that holds `queue`.
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict;

    /// Selects a packet to drop in order to make room for `packet` if several queues share a limit, such as one of the longest
    /// queue. `queues` are all queues of the port; `queues[own]` is the queue of this discipline. Called before
    /// [`Discipline::on_arrival`] until it returns `None`; `queues` no longer includes the packets dropped so far. For
    /// [`Hooks::ROOM`].
    fn make_room(&mut self, now: Time, packet: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        let _ = (now, packet, own, queues);
        None
    }

    /// Maximum length of its queue; `None` if the discipline has no limit. It serves to estimate memory, and connections that
    /// wait for their port fill the queue up to it.
    fn limit(&self) -> Option<Limit> {
        None
    }

    /// Whether it drops frames by circuit and therefore works only on cell links.
    fn needs_cells(&self) -> bool {
        false
    }

    /// Whether it only refuses packets that do not fit. All other disciplines are active queue management, and a run reports
    /// the ports where they have not acted.
    fn is_passive(&self) -> bool {
        false
    }

    /// Whether it marks ECN-capable packets with any parameters, and therefore has no parameter `ecn`.
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

    /// The calls below that it uses, and whether it evicts packets.
    fn hooks(&self) -> Hooks {
        Hooks::ARRIVAL
    }

    /// The scheduler has dropped `packet`, an arrival for this queue, before [`Discipline::on_arrival`] could decide.
    #[inline]
    fn on_refusal(&mut self, now: Time, packet: &Packet) {
        let _ = (now, packet);
    }

    /// Decides on `packet`, the head, whose transmission could begin at `now` after it has waited for `waited`. `queue` is the
    /// occupancy behind it.
    #[inline]
    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        let _ = (now, packet, waited, queue);
        DepartureVerdict::Send
    }

    /// `packet` no longer counts as queued. For occupancy by flow, class or virtual circuit; packets enter when
    /// [`Discipline::on_arrival`] accepts or marks them.
    #[inline]
    fn on_leave(&mut self, now: Time, packet: &Packet, why: Leave) {
        let _ = (now, packet, why);
    }

    /// Time of the next call of [`Discipline::on_timer`]. Any other call may change it.
    fn next_deadline(&self) -> Time {
        Time::NEVER
    }

    /// The deadline has come; `queue` is the occupancy. The next deadline must be later.
    fn on_timer(&mut self, now: Time, queue: &Occupancy) {
        let _ = (now, queue);
    }

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(Discipline);

#[cfg(test)]
mod testing;
