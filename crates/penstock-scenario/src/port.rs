//! The port in front of a link: queues, scheduler, marker, and what the wire does.

use crate::mistake::Place;
use crate::section::{Nothing, Part, Section};
use crate::suggest::{listed, unknown};
use penstock_engine::blueprint::{MarkAt, MarkerPlan, PcnAt, PortPlan, QueuePlan};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::parameters::{Check, Parameters};
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::scheduler::SchedulerPlan;

penstock_model::choice! {
    /// When a marker sees a packet.
    pub enum At {
        /// On arrival, before the queue decides: what the queue then refuses has been metered.
        "arrival" => Arrival,
        /// When its transmission begins: only what is sent has been metered.
        "departure" => Departure,
    }
}

penstock_model::parameters! {
    /// A meter that writes its colours into the packets of this port.
    pub struct MarkerKeys {
        /// When it sees a packet.
        at: At = "arrival";
    }
}
impl Check for MarkerKeys {}

penstock_model::choice! {
    /// Which packets PCN meters see.
    pub enum PcnMetered {
        /// Those that the queue accepts, on arrival.
        "accepted" => Accepted,
        /// All that arrive, also those that the queue then refuses.
        "offered" => Offered,
        /// Those that are sent, when their transmission begins.
        "departure" => Departure,
    }
}

/// A port whose classes are not numbered yet.
#[derive(Clone, Debug)]
pub(crate) struct PortDraft {
    marker: Option<MarkerPlan>,
    scheduler: SchedulerPlan,
    default: DisciplinePlan,
    classes: Vec<(String, DisciplinePlan)>,
    pub pcn: Vec<PcnMeterPlan>,
    pcn_at: PcnAt,
    impairments: Vec<ImpairmentPlan>,
    /// The queue is more than a plain tail drop.
    pub is_special: bool,
    pub scheduler_place: Place,
}

/// Reads the part of a link that is its port.
pub(crate) struct PortKeys;

impl PortKeys {
    /// The port; `None` after a mistake.
    pub fn read(section: &mut Section<'_>, pcn_at: Option<PcnMetered>) -> Option<PortDraft> {
        let scheduler_place = section.place_below(&["scheduler", "priority", "order"]);
        let scheduler = section.one_of("scheduler", "scheduler", SchedulerPlan::NAMES, &[], SchedulerPlan::read);
        let queue = read_queue(section);
        let marker = read_marker(section);
        let impairments = section.some_of("impairment", "impairment", ImpairmentPlan::NAMES, ImpairmentPlan::read);
        let pcn = section.some_of("pcn", "PCN meter", PcnMeterPlan::NAMES, PcnMeterPlan::read);
        let is_special = !matches!((&scheduler, &queue), (Part::Absent, Part::Absent)) || section.has("pcn");
        let scheduler = match scheduler {
            Part::Absent => Some(SchedulerPlan::read("fifo", &mut Nothing).expect("fifo has no parameters")),
            Part::Broken => None,
            Part::Given(plan) => Some(plan),
        };
        let classes = read_classes(section, scheduler.as_ref());
        let mut names = scheduler.as_ref().map(scheduled).unwrap_or_default();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("names class '{}' twice", twice[0]);
            section.mistakes.add(scheduler_place, &section.join("scheduler.priority.order"), message);
        }
        let marker = match marker {
            Part::Absent => None,
            Part::Broken => return None,
            Part::Given(marker) => Some(marker),
        };
        let (scheduler, classes, impairments, pcn) = (scheduler?, classes?, impairments?, pcn?);
        if pcn_at.is_some() && pcn.is_empty() {
            section.wrong("pcn-at", "has no effect without a PCN meter; write pcn or leave it out");
        }
        let pcn_at = match pcn_at {
            None | Some(PcnMetered::Accepted) => PcnAt::Accepted,
            Some(PcnMetered::Offered) => PcnAt::Offered,
            Some(PcnMetered::Departure) => PcnAt::Departure,
        };
        let spare = !matches!(queue, Part::Absent)
            && !classes.is_empty()
            && scheduled(&scheduler).iter().all(|class| classes.iter().any(|(name, _)| name == class));
        if spare {
            section.wrong("queue", "has no effect: every class of the scheduler has a queue of its own; leave it out");
        }
        let default = match queue {
            Part::Absent => plain_queue(),
            Part::Broken => return None,
            Part::Given(plan) => plan,
        };
        Some(PortDraft { marker, scheduler, default, classes, pcn, pcn_at, impairments, is_special, scheduler_place })
    }
}

impl PortDraft {
    /// Whether it has a marker or PCN meters.
    pub fn has_meters(&self) -> bool {
        self.marker.is_some() || !self.pcn.is_empty()
    }

    /// A tail-drop queue of the default size.
    pub fn plain() -> PortDraft {
        PortDraft {
            marker: None,
            scheduler: SchedulerPlan::read("fifo", &mut Nothing).expect("fifo has no parameters"),
            default: plain_queue(),
            classes: Vec::new(),
            pcn: Vec::new(),
            pcn_at: PcnAt::default(),
            impairments: Vec::new(),
            is_special: false,
            scheduler_place: Place::Whole,
        }
    }

    /// The classes that the scheduler tells apart; none for a single queue.
    pub fn scheduled(&self) -> Vec<String> {
        scheduled(&self.scheduler)
    }

    /// The name of the scheduler.
    pub fn scheduler_name(&self) -> &'static str {
        self.scheduler.name()
    }

    /// The port, given the names of all classes.
    pub fn finish(self, classes: &[String]) -> PortPlan {
        let order = scheduled(&self.scheduler);
        // A class that never comes here may point to any queue.
        let queue_of_class = classes.iter().map(|class| order.iter().position(|name| name == class).unwrap_or(0) as u8).collect();
        let queues = if order.is_empty() {
            vec![QueuePlan { name: String::new(), discipline: self.default }]
        } else {
            let own = |class: &String| self.classes.iter().find(|(name, _)| name == class).map(|(_, plan)| plan);
            order.iter().map(|class| QueuePlan { name: class.clone(), discipline: own(class).unwrap_or(&self.default).clone() }).collect()
        };
        let PortDraft { marker, scheduler, pcn, pcn_at, impairments, .. } = self;
        PortPlan { marker, scheduler, queues, queue_of_class, pcn, pcn_at, impairments, force_service: false }
    }
}

/// The classes that a scheduler tells apart, in its order.
fn scheduled(scheduler: &SchedulerPlan) -> Vec<String> {
    match scheduler {
        SchedulerPlan::Fifo(_) => Vec::new(),
        SchedulerPlan::Priority(priority) => priority.order.iter().map(|class| class.0.clone()).collect(),
    }
}

fn plain_queue() -> DisciplinePlan {
    DisciplinePlan::read("tail-drop", &mut Nothing).expect("tail drop has defaults for everything")
}

fn read_queue(section: &mut Section<'_>) -> Part<DisciplinePlan> {
    section.one_of("queue", "discipline", DisciplinePlan::NAMES, &[], DisciplinePlan::read)
}

fn read_marker(section: &mut Section<'_>) -> Part<MarkerPlan> {
    let meter = section.one_of("marker", "meter", MeterPlan::NAMES, &["at"], MeterPlan::read);
    let keys = section.has("marker").then(|| section.table("marker")).flatten().map(|mut table| {
        let keys = MarkerKeys::read(&mut table);
        table.all();
        keys
    });
    match (meter, keys) {
        (Part::Given(meter), Some(Some(keys))) => {
            let at = match keys.at {
                At::Arrival => MarkAt::Arrival,
                At::Departure => MarkAt::Departure,
            };
            Part::Given(MarkerPlan { meter, at })
        }
        (Part::Absent, _) => Part::Absent,
        _ => Part::Broken,
    }
}

/// Reads `class.NAME.queue`; `None` after a mistake.
fn read_classes(section: &mut Section<'_>, scheduler: Option<&SchedulerPlan>) -> Option<Vec<(String, DisciplinePlan)>> {
    if section.branch("class").is_none() {
        return Some(Vec::new());
    }
    let mut table = section.table("class")?;
    let mut classes = Some(Vec::new());
    let scheduled = scheduler.map(scheduled);
    if scheduled.as_ref().is_some_and(Vec::is_empty) {
        let schedulers: Vec<&str> = SchedulerPlan::NAMES.iter().copied().filter(|name| *name != "fifo").collect();
        table.wrong("", format!("has no effect with one queue; write a scheduler ({}) or leave it out", listed(&schedulers)));
        classes = None;
    }
    for branch in table.all() {
        let path = table.join(&branch.key);
        if let Some(scheduled) = scheduled.as_ref().filter(|scheduled| !scheduled.is_empty() && !scheduled.contains(&branch.key)) {
            let known: Vec<&str> = scheduled.iter().map(String::as_str).collect();
            table.mistakes.add(branch.place, &path, unknown("class", &branch.key, &known));
            classes = None;
        }
        let queue = Section::new(table.mistakes, path, branch.place, &branch.tree).map(|mut class| {
            let queue = read_queue(&mut class);
            if matches!(queue, Part::Absent) {
                class.wrong("", "has no queue; write queue.tail-drop = { ... } or leave the class out");
            }
            class.finish();
            queue
        });
        match (queue, &mut classes) {
            (Some(Part::Given(queue)), Some(classes)) => classes.push((branch.key.clone(), queue)),
            _ => classes = None,
        }
    }
    classes
}
