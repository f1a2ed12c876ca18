//! Facts of a scheduler before it is built, and the kind that plug-ins add to.

use super::class::{ClassPlan, RateLimit};
use super::{Hooks, Scheduler, SchedulerPlan};
use crate::discipline::DisciplinePlan;
use crate::parameters::{Declaration, Entry, Limit};
use crate::registry::{Custom, OpenKind, Registry};
use crate::site::Site;
use crate::transmission::{Framing, WireRate};
use crate::units::{Bytes, Time};

/// Facts of a scheduler that follow from its parameters, before it is built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchedulerFacts {
    /// The queues that it makes as packets arrive, in words, if it does so ([`Hooks::QUEUES`]). Then it has no classes, and its port has
    /// no other scheduler.
    pub own_queues: Option<&'static str>,
    /// Why it cannot be the scheduler of a class, where that is so.
    pub only_at_link: Option<&'static str>,
    /// The most that may wait in all queues of the port, where the scheduler has such a limit.
    pub shared_limit: Option<Limit>,
    /// The discipline of its queues where the scenario gives none; plain tail drop if `None`.
    pub default_queue: Option<DisciplinePlan>,
    /// Whether it ever marks packets with [`Ecn::Ce`](crate::packet::Ecn::Ce).
    pub marks: bool,
    /// Whether its classes lend to those below them, in a tree. A scheduler of the same name directly below is then part of it: it also
    /// chooses between the classes below, and counts them, each before those below it. One further down borrows through the schedulers
    /// in between by [`Scheduler::loan`].
    pub lends: bool,
    /// The names of all classes in their order, and the parameter that has them; `None` if the order of names will do.
    pub class_order: Option<(&'static str, Vec<String>)>,
}

/// Facts of a class of a scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassFacts {
    /// What it may send in a turn; worth a warning below the largest packet.
    pub quantum: Option<Bytes>,
    /// The most that it may send ahead of others.
    pub rate_limit: Option<RateLimit>,
}

/// What the parameters of a scheduler of this crate tell.
pub trait HasFacts {
    /// Facts that hold before it is built.
    fn facts(&self) -> SchedulerFacts {
        SchedulerFacts::default()
    }

    /// Facts of one of its classes.
    fn class_facts(&self, class: &ClassPlan) -> ClassFacts {
        let _ = class;
        ClassFacts::default()
    }

    /// Checks what no class has to itself.
    fn check_classes(&self, classes: &[ClassPlan]) -> Result<(), String> {
        let _ = classes;
        Ok(())
    }
}

/// What the schedulers above a class of a tree let the classes below it send beyond the rates that these have themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loan {
    /// When a class above can pay for a packet: its rate is open, and so are the ceilings from there down.
    pub ready: Time,
}

/// What a scheduler learns about its port when it is built.
#[derive(Clone, Debug)]
pub struct SchedulerContext {
    /// The port; in a tree, the class.
    pub site: Site,
    /// What packets take on the wire beyond their size.
    pub framing: Framing,
}

impl SchedulerContext {
    /// The wire at the beginning.
    pub fn wire(&self) -> WireRate {
        WireRate { rate: self.site.rate, framing: self.framing }
    }

    /// That of a class below which there is another scheduler.
    pub(super) fn of_class(&self, class: &str) -> SchedulerContext {
        SchedulerContext { site: self.site.of_class(class), framing: self.framing }
    }
}

impl<W: Into<WireRate>> From<W> for SchedulerContext {
    /// A port without a name.
    fn from(wire: W) -> SchedulerContext {
        let WireRate { rate, framing } = wire.into();
        SchedulerContext { site: Site { rate, ..Site::trial() }, framing }
    }
}

/// What the factory of a plug-in's scheduler learns.
#[derive(Clone, Debug)]
pub struct ClassContext<'a> {
    /// The classes in their order; empty while the scheduler's parameters alone are checked.
    pub classes: &'a [ClassPlan],
    /// The port; in a tree, the class.
    pub site: Site,
    /// What packets take on the wire beyond their size.
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

    /// Tries the factory with these classes.
    pub(super) fn check_classes(&self, classes: &[ClassPlan]) -> Result<(), String> {
        Schedulers::on_trial(|context| self.try_build(&ClassContext { classes, ..context.clone() })).map(|_| ())
    }

    fn hooks(&self) -> Hooks {
        Schedulers::on_trial(|context| self.build(context)).1.hooks()
    }
}

impl SchedulerPlan {
    /// The parameters of its classes; `None` for a scheduler without classes.
    pub fn class(&self, registry: &Registry) -> Option<Declaration> {
        SchedulerPlan::entries(registry).find(|entry| entry.name == self.name())?.class
    }

    /// The schedulers over classes.
    pub fn with_classes(registry: &Registry) -> impl Iterator<Item = (&'static str, Declaration)> + '_ {
        SchedulerPlan::entries(registry).filter_map(|entry| Some((entry.name, entry.class?)))
    }

    /// Why it cannot be one of several schedulers of a port, where that is so.
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
