//! Schedulers and their classes, nested to any depth.

use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::section::{NoParameters, Section};
use crate::read::suggest::join_words;
use penstock_engine::blueprint::QueuePlan;
use penstock_model::conditioner::PolicerPlan;
use penstock_model::discipline::DisciplinePlan;
use penstock_model::parameters::{Parameters, Reading};
use penstock_model::printable::quoted;
use penstock_model::scheduler::class::{ClassKeys, ClassPlan, LevelPlan, RateLimit};
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::units::{Bytes, Rate};
use std::collections::BTreeMap;

/// A scheduler and its classes; without classes, one queue.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub scheduler: SchedulerPlan,
    /// In the scheduler's order.
    pub classes: Vec<Class>,
    /// The discipline of queues without one of their own.
    default: Option<DisciplinePlan>,
    /// Where the scheduler's name, or its order, is written.
    pub location: SourceLocation,
}

/// A class of a scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub name: String,
    pub path: String,
    pub location: SourceLocation,
    keys: ClassKeys,
    pub rate_limit: Option<RateLimit>,
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
        let location = section.location_below(&["scheduler", "priority", "order"]);
        let scheduler = match section.one_of::<SchedulerPlan>("scheduler", "scheduler", &[]) {
            Reading::Absent => Some(fifo()),
            Reading::Broken => None,
            Reading::Given(plan) => Some(plan),
        };
        let default = read_queue(section);
        let written = read_tables(section, scheduler.as_ref());
        let scheduler = scheduler?;
        let classes = in_scheduler_order(section, &scheduler, location, written?)?;
        let has_queue = |class: &Class| class.queue.is_some() || class.below.as_ref().is_some_and(|level| level.default.is_some());
        if section.has("queue") && !classes.is_empty() && classes.iter().all(has_queue) {
            section.report("queue", "has no effect: every class of the scheduler has a queue of its own; leave it out");
        }
        Some(Level { scheduler, classes, default: default?, location })
    }

    /// The queues' classes, from the first to the last, each with the scheduler that it belongs to.
    pub fn leaves(&self) -> Vec<(&SchedulerPlan, &Class)> {
        self.all_classes().into_iter().filter(|(_, class)| class.below.is_none()).collect()
    }

    /// The queues' plans, each with its discipline.
    pub fn queues(&self) -> Vec<QueuePlan> {
        let plain = DisciplinePlan::read("tail-drop", &mut NoParameters).expect("tail drop has defaults for everything");
        if self.classes.is_empty() {
            let default = self.scheduler.traits().default_queue().unwrap_or(plain);
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
        let below = |level: &Level| Box::new(LevelPlan { scheduler: level.scheduler.clone(), classes: level.plans() });
        let plan = |class: &Class| ClassPlan {
            name: class.name.clone(),
            keys: class.keys.clone(),
            rate_limit: class.rate_limit.clone(),
            below: class.below.as_ref().map(below),
        };
        self.classes.iter().map(plan).collect()
    }

    /// Reports limits that the link never reaches.
    pub fn check_rates(&self, mistakes: &Mistakes, fastest: Rate) {
        for (_, class) in self.all_classes() {
            if let Some(limit) = class.rate_limit.as_ref().filter(|limit| limit.rate > fastest) {
                let message = format!("{} is above the rate of the link, {fastest}, so it would limit nothing", limit.rate);
                mistakes.add(class.location, &format!("{}.rate-limit.rate", class.path), message);
            }
        }
    }

    /// All classes below, with the scheduler that each belongs to.
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
    /// The quantum of deficit round robin.
    pub fn quantum(&self) -> Option<Bytes> {
        self.keys.quantum.map(|quantum| quantum.0)
    }
}

fn fifo() -> SchedulerPlan {
    SchedulerPlan::read("fifo", &mut NoParameters).expect("fifo has no parameters")
}

/// The discipline of the queue, if one is given; the outer `None` after a mistake.
fn read_queue(section: &mut Section<'_>) -> Option<Option<DisciplinePlan>> {
    optional(section.one_of::<DisciplinePlan>("queue", "discipline", &[]))
}

/// `None` after a mistake.
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
    if let Some((scheduler, queues)) = scheduler.and_then(|scheduler| Some((scheduler, scheduler.traits().own_queues()?))) {
        // The keys of the classes have no meaning then, so they are not checked.
        table.report("", format!("has no effect with scheduler.{}, which makes {queues}; leave it out", scheduler.name()));
        return None;
    }
    if scheduler.is_some_and(|scheduler| scheduler.class_keys().is_empty()) {
        let schedulers = SchedulerPlan::with_classes();
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
    let keys = ClassKeys::read(section);
    // Known keys, whichever of them is read below.
    for key in ["queue", "rate-limit", "policer", "scheduler", "class"] {
        section.entry(key);
    }
    let rate_limit = read_rate_limit(section);
    let policer = optional(section.one_of::<PolicerPlan>("policer", "policer", &[]));
    if let Some(scheduler) = scheduler {
        check_keys(section, scheduler);
    }
    let (queue, below) = if section.has("scheduler") || section.has("class") {
        if section.has("policer") {
            section.report("policer", "stands where there is a queue; write one for each class below");
        }
        let level = Level::read(section);
        if let Some((name, why)) = level.as_ref().and_then(|level| Some((level.scheduler.name(), level.scheduler.traits().only_at_link()?)))
        {
            section.report("scheduler", format!("{name} {why}, so it stands at the link itself; not at a class"));
        }
        if level.as_ref().is_some_and(|level| level.scheduler.traits().own_queues().is_some()) {
            // Reported above.
        } else if level.as_ref().is_some_and(|level| level.classes.is_empty()) {
            section.report("scheduler", "leaves the class with one queue, as it has without it; leave it out");
        }
        (Some(None), level.map(Some))
    } else {
        (read_queue(section), Some(None))
    };
    let (location, path) = (section.location, section.path.clone());
    Some(Class { name, path, location, keys: keys?, rate_limit: rate_limit?, policer: policer?, queue: queue?, below: below? })
}

/// `None` after a mistake.
fn read_rate_limit(section: &mut Section<'_>) -> Option<Option<RateLimit>> {
    if !section.has("rate-limit") {
        return Some(None);
    }
    let mut table = section.table("rate-limit")?;
    let limit = RateLimit::read(&mut table);
    table.finish();
    limit.map(Some)
}

/// Reports keys of a class that its scheduler needs or does not read.
fn check_keys(section: &Section<'_>, scheduler: &SchedulerPlan) {
    let keys = scheduler.class_keys();
    let missing: Vec<&str> = keys.iter().filter(|(key, required)| *required && !section.has(key)).map(|(key, _)| *key).collect();
    for key in missing {
        let example = match key {
            "quantum" => "\"1500 bytes\"",
            "share" => "0.5",
            "rate" => "\"1 Mbit/s\"",
            _ => "1",
        };
        section.report(key, format!("is missing; scheduler.{} needs it: write {key} = {example}", scheduler.name()));
    }
    let fields = ClassKeys::FIELDS.iter().map(|field| field.key()).chain(["rate-limit".to_owned()]);
    for key in fields.filter(|key| section.has(key) && keys.iter().all(|(read, _)| read != key)) {
        let message = format!("has no effect with scheduler.{}, which reads {}; leave it out", scheduler.name(), read_by(scheduler));
        section.report(&key, message);
    }
    let may_have = ["queue", "policer", "scheduler", "class"].into_iter().chain(keys.iter().map(|(key, _)| *key));
    if keys.iter().all(|(_, required)| !required) && may_have.into_iter().all(|key| !section.has(key)) {
        section.report("", "is empty; write queue.tail-drop = { ... } or leave the class out");
    }
}

/// The keys of a class that a scheduler reads.
fn read_by(scheduler: &SchedulerPlan) -> String {
    let keys: Vec<&str> = scheduler.class_keys().iter().map(|(key, _)| *key).collect();
    join_words(&keys)
}

/// The classes in the scheduler's order; `None` after a mistake.
fn in_scheduler_order(
    section: &Section<'_>,
    scheduler: &SchedulerPlan,
    location: SourceLocation,
    mut written: Vec<Class>,
) -> Option<Vec<Class>> {
    match scheduler {
        _ if scheduler.class_keys().is_empty() => Some(written),
        SchedulerPlan::Priority(priority) => {
            let order: Vec<&str> = priority.order.iter().map(|class| class.0.as_str()).collect();
            in_priority_order(section, &order, location, written)
        }
        _ if written.is_empty() => {
            let location = section.location_of("scheduler");
            let path = section.join(&format!("scheduler.{}", scheduler.name()));
            let message = format!("has no classes; write class.NAME = {{ ... }} for each, with {}", read_by(scheduler));
            section.mistakes.add(location, &path, message);
            None
        }
        // The order in the file has no meaning.
        _ => {
            let shares: f64 = written.iter().filter_map(|class| class.keys.share).map(|share| share.0).sum();
            // Shares such as 1/3 add up only within rounding.
            if shares > 1.0 + 1e-9 {
                let message = format!("the shares of its classes add up to {shares:.4} of the link; at most 1");
                let path = section.join(&format!("scheduler.{}", scheduler.name()));
                section.mistakes.add(section.location_of("scheduler"), &path, message);
            }
            written.sort_by(|a, b| a.name.cmp(&b.name));
            Some(written)
        }
    }
}

/// The classes in the order of their names in `order`, also those without a table.
fn in_priority_order(section: &Section<'_>, order: &[&str], location: SourceLocation, written: Vec<Class>) -> Option<Vec<Class>> {
    let path = section.join("scheduler.priority.order");
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
        None => Class {
            name: (*name).to_owned(),
            path: path.clone(),
            location,
            keys: ClassKeys::default(),
            rate_limit: None,
            policer: None,
            queue: None,
            below: None,
        },
    };
    Some(order.iter().map(&mut take).collect())
}
