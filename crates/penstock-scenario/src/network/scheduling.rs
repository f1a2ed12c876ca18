//! Schedulers and their classes, nested to any depth.

use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::section::{NoParameters, Section};
use crate::read::suggest::join_words;
use penstock_engine::blueprint::QueuePlan;
use penstock_model::conditioner::PolicerPlan;
use penstock_model::discipline::DisciplinePlan;
use penstock_model::parameters::{AnyParameters, Field, Reader, Reading};
use penstock_model::printable::quoted;
use penstock_model::scheduler::class::{ClassPlan, LevelPlan};
use penstock_model::scheduler::{ClassFacts, SchedulerPlan};
use penstock_model::units::Rate;
use std::collections::{BTreeMap, BTreeSet};

/// A scheduler and its classes; without classes, one queue.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub scheduler: SchedulerPlan,
    /// In the scheduler's order.
    pub classes: Vec<Class>,
    /// The discipline of queues that have none of their own.
    default: Option<DisciplinePlan>,
    /// Location of the scheduler's name, or of its order.
    pub location: SourceLocation,
}

/// A class of a scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub name: String,
    pub path: String,
    pub location: SourceLocation,
    parameters: Option<AnyParameters>,
    pub policer: Option<PolicerPlan>,
    queue: Option<DisciplinePlan>,
    pub below: Option<Level>,
}

impl Level {
    /// One queue, a plain tail drop.
    pub fn single() -> Level {
        Level { scheduler: fifo(), classes: Vec::new(), default: None, location: SourceLocation::Whole }
    }

    /// Reads the keys `scheduler`, `queue` and `class` of a link or of a class; `None` after a mistake.
    pub fn read(section: &mut Section<'_>) -> Option<Level> {
        let scheduler = match section.one_of::<SchedulerPlan>("scheduler", "scheduler", &[]) {
            Reading::Absent => Some(fifo()),
            Reading::Broken => None,
            Reading::Given(plan) => Some(plan),
        };
        let default = read_queue(section);
        let written = read_tables(section, scheduler.as_ref());
        let scheduler = scheduler?;
        let location = location_of_order(section, &scheduler);
        let classes = in_scheduler_order(section, &scheduler, location, written?)?;
        let has_queue = |class: &Class| class.queue.is_some() || class.below.as_ref().is_some_and(|level| level.default.is_some());
        if section.has("queue") && !classes.is_empty() && classes.iter().all(has_queue) {
            section.report("queue", "has no effect: every class of the scheduler has a queue of its own; leave it out");
        }
        let level = Level { scheduler, classes, default: default?, location };
        level.check(section);
        Some(level)
    }

    /// Reports mistakes of the classes together, and schedulers that cannot be in a tree.
    fn check(&self, section: &Section<'_>) {
        let (name, plans) = (self.scheduler.name(), self.plans());
        let wrong = |message: String| {
            section.mistakes.add(section.location_of("scheduler"), &section.join(&format!("scheduler.{name}")), message);
        };
        if let Err(message) = self.scheduler.check_classes(&plans) {
            wrong(message);
        }
        if let Some(why) = self.scheduler.not_in_tree().filter(|_| plans.iter().any(|plan| plan.below.is_some())) {
            wrong(format!("{why}, so its classes have no schedulers of their own"));
        }
        self.warn_of_passive_queues(section);
    }

    /// Warns of a queue that replaces the scheduler's own discipline and only drops at its limit; a link often still has one from a
    /// time without the scheduler.
    fn warn_of_passive_queues(&self, section: &Section<'_>) {
        let usual = self.scheduler.facts().default_queue.filter(|usual| !usual.is_passive());
        if let (Some(usual), Some(written)) = (usual, self.default.as_ref().filter(|written| written.is_passive())) {
            let (scheduler, usual, path) = (self.scheduler.name(), usual.name(), format!("queue.{}", written.name()));
            let message =
                format!("replaces the {usual} of {scheduler}, so its queues only drop at their limit; leave it out to use {usual}");
            section.mistakes.warn(section.location_of("queue"), &section.join(&path), message);
        }
    }

    /// The queues' classes, from the first to the last, each with the scheduler that it belongs to.
    pub fn leaves(&self) -> Vec<(&SchedulerPlan, &Class)> {
        self.all_classes().into_iter().filter(|(_, class)| class.below.is_none()).collect()
    }

    /// The queues' plans, each with its discipline.
    pub fn queues(&self) -> Vec<QueuePlan> {
        let plain = DisciplinePlan::read("tail-drop", &mut NoParameters).expect("tail drop has defaults for everything");
        if self.classes.is_empty() {
            let default = self.scheduler.facts().default_queue.unwrap_or(plain);
            return vec![QueuePlan { name: String::new(), discipline: self.default.clone().unwrap_or(default) }];
        }
        let mut queues = Vec::new();
        self.add_queues(&plain, &mut queues);
        queues
    }

    fn add_queues(&self, inherited: &DisciplinePlan, queues: &mut Vec<QueuePlan>) {
        let default = self.default.as_ref().unwrap_or(inherited);
        for class in &self.classes {
            match &class.below {
                Some(level) => level.add_queues(default, queues),
                None => {
                    let discipline = class.queue.as_ref().unwrap_or(default).clone();
                    queues.push(QueuePlan { name: class.name.clone(), discipline });
                }
            }
        }
    }

    /// The plans of the classes.
    pub fn plans(&self) -> Vec<ClassPlan> {
        self.classes.iter().map(Class::plan).collect()
    }

    /// Reports limits that the link never reaches.
    pub fn check_rates(&self, mistakes: &Mistakes, fastest: Rate) {
        for (scheduler, class) in self.all_classes() {
            if let Some(limit) = class.facts(scheduler).rate_limit.filter(|limit| limit.rate > fastest) {
                let message = format!("{} is above the rate of the link, {fastest}, so it would limit nothing", limit.rate);
                mistakes.add(class.location, &format!("{}.rate-limit.rate", class.path), message);
            }
        }
    }

    /// Reports parameters of disciplines that do not fit the initial rate of the link; `section` is the link.
    pub fn check_queues(&self, section: &Section<'_>, rate: Rate) {
        let check = |queue: &DisciplinePlan, path: &str, location: &dyn Fn(&str, &str) -> SourceLocation| {
            if let Some((key, message)) = queue.mistake_at(rate) {
                section.mistakes.add(location(queue.name(), key), &format!("{path}.{}.{key}", queue.name()), message);
            }
        };
        if let Some(queue) = &self.default {
            check(queue, &section.join("queue"), &|name, key| section.location_below(&["queue", name, key]));
        }
        for (_, class) in self.all_classes() {
            let of_level = class.below.as_ref().and_then(|level| level.default.as_ref());
            for queue in class.queue.iter().chain(of_level) {
                check(queue, &format!("{}.queue", class.path), &|_, _| class.location);
            }
        }
    }

    /// All classes below, each with the scheduler that it belongs to.
    pub fn all_classes(&self) -> Vec<(&SchedulerPlan, &Class)> {
        let mut all = Vec::new();
        for class in &self.classes {
            all.push((&self.scheduler, class));
            all.extend(class.below.as_ref().map(Level::all_classes).unwrap_or_default());
        }
        all
    }
}

impl Class {
    /// Its plan, with the plans of the classes below it.
    fn plan(&self) -> ClassPlan {
        let below = |level: &Level| Box::new(LevelPlan { scheduler: level.scheduler.clone(), classes: level.plans() });
        ClassPlan { name: self.name.clone(), parameters: self.parameters.clone(), below: self.below.as_ref().map(below) }
    }

    /// Facts of its parameters, as a class of `scheduler`.
    pub fn facts(&self, scheduler: &SchedulerPlan) -> ClassFacts {
        scheduler.class_facts(&self.plan())
    }
}

fn fifo() -> SchedulerPlan {
    SchedulerPlan::read("fifo", &mut NoParameters).expect("fifo has no parameters")
}

/// The discipline of the queue, if one is given; the outer `None` after a mistake.
fn read_queue(section: &mut Section<'_>) -> Option<Option<DisciplinePlan>> {
    optional(section.one_of::<DisciplinePlan>("queue", "discipline", &[]))
}

/// The part, if it is given; the outer `None` after a mistake.
pub(crate) fn optional<T>(part: Reading<T>) -> Option<Option<T>> {
    match part {
        Reading::Absent => Some(None),
        Reading::Broken => None,
        Reading::Given(plan) => Some(Some(plan)),
    }
}

/// The classes that have a table; `None` after a mistake.
fn read_tables(section: &mut Section<'_>, scheduler: Option<&SchedulerPlan>) -> Option<Vec<Class>> {
    if section.entry("class").is_none() {
        return Some(Vec::new());
    }
    let mut table = section.table("class")?;
    let mut classes = Some(Vec::new());
    if let Some((scheduler, queues)) = scheduler.and_then(|scheduler| Some((scheduler, scheduler.facts().own_queues?))) {
        // The keys of the classes have no meaning then, so they are not checked.
        table.report("", format!("has no effect with scheduler.{}, which makes {queues}; leave it out", scheduler.name()));
        return None;
    }
    let registry = section.mistakes.components.registry();
    if scheduler.is_some_and(|scheduler| scheduler.class(registry).is_none()) {
        let schedulers: Vec<&str> = SchedulerPlan::with_classes(registry).map(|(name, _)| name).collect();
        table.report("", format!("has no effect with one queue; write a scheduler ({}) or leave it out", join_words(&schedulers)));
        classes = None;
    }
    for branch in table.entries() {
        let path = table.join(&branch.key);
        let class = Section::new(table.mistakes, path, branch.location, &branch.tree).and_then(|mut class| {
            class.line = table.line;
            let read = read_class(&mut class, branch.key.clone(), scheduler);
            class.finish();
            read
        });
        match (class, &mut classes) {
            (Some(class), Some(classes)) => classes.push(class),
            _ => classes = None,
        }
    }
    classes
}

fn read_class(section: &mut Section<'_>, name: String, scheduler: Option<&SchedulerPlan>) -> Option<Class> {
    let parameters = read_parameters(section, scheduler);
    // All of these keys are known, whichever of them are read below.
    for key in PARTS {
        section.entry(key);
    }
    let policer = optional(section.one_of::<PolicerPlan>("policer", "policer", &[]));
    let (queue, below) = if section.has("scheduler") || section.has("class") {
        if section.has("policer") {
            section.report("policer", "has no effect at a class with a scheduler; write one for each class below it");
        }
        let level = Level::read(section);
        let only_at_link = |plan: &SchedulerPlan| plan.facts().only_at_link.or(plan.not_in_tree());
        if let Some((name, why)) = level.as_ref().and_then(|level| Some((level.scheduler.name(), only_at_link(&level.scheduler)?))) {
            section.report("scheduler", format!("{name} {why}, so it can only be set at the link itself"));
        }
        if level.as_ref().is_some_and(|level| level.scheduler.facts().own_queues.is_some()) {
            // Reported above.
        } else if level.as_ref().is_some_and(|level| level.classes.is_empty()) {
            section.report("scheduler", "has no effect: without it the class has one queue too; leave it out");
        }
        (Some(None), level.map(Some))
    } else {
        (read_queue(section), Some(None))
    };
    let (location, path) = (section.location, section.path.clone());
    Some(Class { name, path, location, parameters: parameters?, policer: policer?, queue: queue?, below: below? })
}

/// Keys that every class has, whatever its scheduler.
const PARTS: [&str; 4] = ["queue", "policer", "scheduler", "class"];

/// The parameters that the scheduler declares for its classes; the outer `None` after a mistake.
fn read_parameters(section: &mut Section<'_>, scheduler: Option<&SchedulerPlan>) -> Option<Option<AnyParameters>> {
    let registry = section.mistakes.components.registry();
    let declaration = scheduler.and_then(|scheduler| scheduler.class(registry));
    let own = declaration.map_or(&[][..], |class| class.fields);
    let parameters = declaration.map(|class| class.read(section));
    let mut known: BTreeSet<&str> = own.iter().map(|field| field.name).collect();
    let is_of_another = |field: &&Field| known.insert(field.name);
    for field in SchedulerPlan::with_classes(registry).flat_map(|(_, class)| class.fields).filter(is_of_another) {
        let key = field.key();
        // Without a known scheduler, the keys of all schedulers are known.
        if scheduler.is_some() && !section.has(&key) || section.take(field).is_none() {
            continue;
        }
        if let (Some(scheduler), Some(_)) = (scheduler, declaration) {
            section.report(&key, format!("has no effect with scheduler.{}, which reads {}; leave it out", scheduler.name(), keys_of(own)));
        }
    }
    let may_have = PARTS.into_iter().map(str::to_owned).chain(own.iter().map(Field::key));
    let nothing_needed = own.iter().all(|field| field.optional || field.default.is_some());
    if scheduler.is_some() && nothing_needed && may_have.into_iter().all(|key| !section.has(&key)) {
        section.report("", "is empty; write queue.tail-drop = { ... } or leave the class out");
    }
    match parameters {
        Some(None) => None,
        Some(parameters) => Some(parameters),
        None => Some(None),
    }
}

fn keys_of(fields: &[Field]) -> String {
    let keys: Vec<String> = fields.iter().map(Field::key).collect();
    join_words(&keys.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Location of the scheduler's name or, if it has one, of the parameter with the order of its classes.
fn location_of_order(section: &Section<'_>, scheduler: &SchedulerPlan) -> SourceLocation {
    match scheduler.facts().class_order {
        Some((key, _)) => section.location_below(&["scheduler", scheduler.name(), key]),
        None => section.location_below(&["scheduler"]),
    }
}

/// The classes in the scheduler's order; `None` after a mistake.
fn in_scheduler_order(
    section: &Section<'_>,
    scheduler: &SchedulerPlan,
    location: SourceLocation,
    mut written: Vec<Class>,
) -> Option<Vec<Class>> {
    let Some(declaration) = scheduler.class(section.mistakes.components.registry()) else { return Some(written) };
    let path = section.join(&format!("scheduler.{}", scheduler.name()));
    match scheduler.facts().class_order {
        Some((key, order)) => {
            let order: Vec<&str> = order.iter().map(String::as_str).collect();
            in_order_of(section, &order, (location, format!("{path}.{key}")), written)
        }
        None if written.is_empty() => {
            let message = format!("has no classes; write class.NAME = {{ ... }} for each, with {}", keys_of(declaration.fields));
            section.mistakes.add(section.location_of("scheduler"), &path, message);
            None
        }
        // The order in the file has no meaning.
        None => {
            written.sort_by(|a, b| a.name.cmp(&b.name));
            Some(written)
        }
    }
}

/// The classes in the order of their names in `order`, also those without a table.
fn in_order_of(
    section: &Section<'_>,
    order: &[&str],
    (location, path): (SourceLocation, String),
    written: Vec<Class>,
) -> Option<Vec<Class>> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    if let Some(twice) = twice {
        section.mistakes.add(location, &path, format!("names class {} twice", quoted(twice[0])));
    }
    let unordered: Vec<&Class> = written.iter().filter(|class| sorted.binary_search(&class.name.as_str()).is_err()).collect();
    for class in &unordered {
        let message = section.mistakes.suggestions.unknown("class", &class.name, order.iter().copied());
        section.mistakes.add(class.location, &class.path, message);
    }
    if twice.is_some() || !unordered.is_empty() {
        return None;
    }
    let mut written: BTreeMap<String, Class> = written.into_iter().map(|class| (class.name.clone(), class)).collect();
    let mut take = |name: &&str| match written.remove(*name) {
        Some(class) => class,
        None => Class { name: (*name).to_owned(), path: path.clone(), location, parameters: None, policer: None, queue: None, below: None },
    };
    Some(order.iter().map(&mut take).collect())
}
