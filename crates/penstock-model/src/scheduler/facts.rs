//! Facts of a scheduler before it is built, and the kind to which plug-ins add schedulers.

use super::class::{ClassPlan, RateLimit};
use super::traffic::Traffic;
use super::{Hooks, Scheduler, SchedulerPlan};
use crate::discipline::DisciplinePlan;
use crate::parameters::{Declaration, Entry, Limit};
use crate::registry::{Custom, OpenKind, Registry};
use crate::site::Site;
use crate::transmission::{Framing, WireRate};
use crate::units::{Bytes, Rate, Time};
use std::sync::Arc;

/// Properties of a scheduler that follow from its parameters, before it is built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchedulerFacts {
    /// Description of the queues that the scheduler creates as packets arrive ([`Hooks::QUEUES`]); `None` if it does not. Such a scheduler
    /// has no classes, and is the only scheduler of its port.
    pub own_queues: Option<&'static str>,
    /// Reason why it cannot be the scheduler of a class; `None` if it can.
    pub only_at_link: Option<&'static str>,
    /// Maximum backlog of all queues of the port, if the scheduler has such a limit.
    pub shared_limit: Option<Limit>,
    /// Default discipline of its queues; tail drop if `None`.
    pub default_queue: Option<DisciplinePlan>,
    /// Whether it ever marks packets with [`Ecn::Ce`](crate::packet::Ecn::Ce).
    pub marks: bool,
    /// Whether it classifies packets by hosts or codepoints ([`Traffic`]).
    pub reads_headers: bool,
    /// Whether differentiated services codepoints select the queue.
    pub reads_codepoints: bool,
    /// Whether it ever drops acknowledgements that a later one makes redundant ([`Hooks::FILTER`]).
    pub filters: bool,
    /// Rate of its own shaper. A rate above that of the link has no effect.
    pub shaped_rate: Option<Rate>,
    /// Whether its classes lend to the classes below them in a tree. A scheduler of the same name directly below then becomes part of it,
    /// and the classes of both are numbered together, depth first. A scheduler of that name further down borrows through the schedulers in
    /// between, by [`Scheduler::loan`].
    pub lends: bool,
    /// Names of all classes in order, and the parameter that gives them; `None` for alphabetical order.
    pub class_order: Option<(&'static str, Vec<String>)>,
}

/// Properties of a class of a scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassFacts {
    /// Bytes that the class may send per turn. A value below the largest packet causes a warning.
    pub quantum: Option<Bytes>,
    /// Limit of the traffic that the class may send ahead of others.
    pub rate_limit: Option<RateLimit>,
}

/// Properties and checks of the parameters of a scheduler of this crate.
pub trait HasFacts {
    /// Properties that are known before the scheduler is built.
    fn facts(&self) -> SchedulerFacts {
        SchedulerFacts::default()
    }

    /// Properties of one of its classes.
    fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
        let _ = class;
        ClassFacts::default()
    }

    /// Checks requirements on all classes together.
    fn check_classes(&self, classes: &[ClassPlan]) -> Result<(), String> {
        let _ = classes;
        Ok(())
    }
}

/// Loan of the schedulers above a class of a tree: capacity that the classes below may use beyond their own rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loan {
    /// Time at which a class above can pay for a packet: its rate bucket is open, and so are the ceilings from that class down.
    pub ready: Time,
}

/// Context from which a scheduler is built: its port.
#[derive(Clone, Debug)]
pub struct SchedulerContext {
    /// Site of the port; in a tree, of the class.
    pub site: Site,
    /// Overhead of packets on the wire.
    pub framing: Framing,
    /// Hosts and codepoints, if the scheduler reads them.
    pub traffic: Arc<Traffic>,
}

impl SchedulerContext {
    /// Rate and framing of the wire at the beginning.
    pub fn wire(&self) -> WireRate {
        WireRate { rate: self.site.rate, framing: self.framing }
    }

    /// Context of the scheduler below class `class`.
    pub(super) fn of_class(&self, class: &str) -> SchedulerContext {
        SchedulerContext { site: self.site.of_class(class), ..self.clone() }
    }
}

impl<W: Into<WireRate>> From<W> for SchedulerContext {
    /// Context of a port without a name.
    fn from(wire: W) -> SchedulerContext {
        let WireRate { rate, framing } = wire.into();
        SchedulerContext { site: Site { rate, ..Site::trial() }, framing, traffic: Arc::default() }
    }
}

/// Context from which the scheduler of a plug-in is built.
#[derive(Clone, Debug)]
pub struct ClassContext<'a> {
    /// The classes in order; empty while only the scheduler's own parameters are checked.
    pub classes: &'a [ClassPlan],
    /// Site of the port; in a tree, of the class.
    pub site: Site,
    /// Overhead of packets on the wire.
    pub framing: Framing,
}

/// The kind of schedulers.
pub struct Schedulers;

impl OpenKind for Schedulers {
    const OF: &'static str = SchedulerPlan::OF;
    const BUILT_IN: &'static [&'static str] = SchedulerPlan::NAMES;
    type Context<'a> = ClassContext<'a>;
    type Component = (SchedulerFacts, Box<dyn Scheduler + Send>);

    fn on_trial<T>(build: impl FnOnce(&ClassContext<'_>) -> T) -> T {
        build(&ClassContext { classes: &[], site: Site::trial(), framing: Framing::default() })
    }
}

impl Custom<Schedulers> {
    pub(super) fn facts(&self) -> SchedulerFacts {
        Schedulers::on_trial(|context| self.build(context)).0
    }

    /// Checks whether the plug-in's factory accepts these classes.
    pub(super) fn check_classes(&self, classes: &[ClassPlan]) -> Result<(), String> {
        Schedulers::on_trial(|context| self.try_build(&ClassContext { classes, ..context.clone() })).map(|_| ())
    }

    fn hooks(&self) -> Hooks {
        Schedulers::on_trial(|context| self.build(context)).1.hooks()
    }
}

impl SchedulerPlan {
    /// Declaration of the parameters of its classes; `None` for a scheduler without classes.
    pub fn class(&self, registry: &Registry) -> Option<Declaration> {
        SchedulerPlan::entries(registry).find(|entry| entry.name == self.name())?.class
    }

    /// Schedulers that have classes, with the declarations of their class parameters.
    pub fn with_classes(registry: &Registry) -> impl Iterator<Item = (&'static str, Declaration)> + '_ {
        SchedulerPlan::entries(registry).filter_map(|entry| Some((entry.name, entry.class?)))
    }

    /// Reason why it cannot be one of several schedulers of a port; `None` if it can.
    pub fn not_in_tree(&self) -> Option<&'static str> {
        match self {
            SchedulerPlan::Custom(it) if it.hooks() != Hooks::NONE => Some("decides on single packets"),
            _ => None,
        }
    }

    fn entries(registry: &Registry) -> impl Iterator<Item = &Entry> {
        SchedulerPlan::ENTRIES.iter().chain(registry.entries(SchedulerPlan::OF))
    }
}
