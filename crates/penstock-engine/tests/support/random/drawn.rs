//! Components with settings: the ones of `listed.rs`, and every other component of the catalogue with drawn settings.
//!
//! A component that comes later, also one of a plug-in, is in random networks without an entry anywhere. Where it does not fit, it
//! says so itself, as by [`needs_cells`](penstock_model::discipline::Discipline::needs_cells).

use super::random_parameters::{Palette, Settings};
use crate::support;
use penstock_model::parameters::{default_value, Declaration, Entry, Field, Kind, Parameter, Plan, Value};
use penstock_model::rng::{Key, Stream};
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::transport::congestion_control::CongestionControlPlan;
use penstock_model::transport::rate_control::RateControlPlan;
use penstock_model::transport::TransportPlan;

/// Attempts to draw sound settings.
const ATTEMPTS: usize = 2000;
/// Values for which a component acts within 0.2 s at 1 Mbit/s, and costs few events.
const PALETTE: Palette = Palette {
    times: &["300 us", "1 ms", "3 ms", "5 ms", "20 ms", "60 ms"],
    rates: &["50 kbit/s", "100 kbit/s", "200 kbit/s", "400 kbit/s", "1 Mbit/s"],
    sizes: &["40 bytes", "300 bytes", "500 bytes", "1500 bytes", "3 kB", "9 kB"],
    numbers: &[0.02, 0.1, 0.3, 0.5, 0.8, 1.0, 2.0, 5.0],
    // Virtual times of the last two as weights need 128 bits.
    integers: &[1, 2, 3, 5, 9, 20, 9967, 9973],
    names: &["a", "b", "c"],
    registry: support::registry,
};

/// A component and its settings.
#[derive(Clone)]
pub(super) struct Choice {
    pub entry: &'static Entry,
    settings: Settings,
}

/// The components of this kind: the ones of the catalogue, and the ones of plug-ins.
pub(super) fn entries<P: Plan>() -> impl Iterator<Item = &'static Entry> {
    P::ENTRIES.iter().chain(support::registry().entries(P::OF))
}

/// The `listed` components, as `(name, "key = value; key = value")`, and all others that fit, with drawn settings.
pub(super) fn choices<P: Plan>(listed: &[(&str, &str)], fits: impl Fn(&P) -> bool) -> Vec<Choice> {
    let names: Vec<&str> = listed.iter().map(|(name, _)| *name).collect();
    let of_list = listed.iter().map(|(name, settings)| Choice::listed::<P>(name, settings));
    of_list.chain(new(&names, fits)).collect()
}

/// All components but the `listed` ones that fit, with drawn settings.
pub(super) fn new<P: Plan>(listed: &[&str], fits: impl Fn(&P) -> bool) -> Vec<Choice> {
    entries::<P>().filter(|entry| !listed.contains(&entry.name)).flat_map(|entry| drawn(entry, &fits)).collect()
}

/// Settings of `entry` whose plan `fits`, if any: the fewest, and the most.
fn drawn<P: Plan>(entry: &'static Entry, fits: impl Fn(&P) -> bool) -> Vec<Choice> {
    let mut stream = stream(P::OF, entry.name);
    let plans = PALETTE.plans(entry, ATTEMPTS / 100, &mut stream, P::read);
    assert!(
        !plans.is_empty(),
        "no settings drawn for {} '{}' are sound; declare its ranges by the types of its parameters",
        P::OF,
        entry.name
    );
    let mut drawn: Vec<Settings> = plans.into_iter().filter(|(plan, _)| fits(plan)).map(|(_, settings)| settings).collect();
    drawn.sort_by_key(Settings::len);
    if let 3.. = drawn.len() {
        drawn.drain(1..drawn.len() - 1);
    }
    drawn.into_iter().map(|settings| Choice { entry, settings }).collect()
}

fn stream(kind: &str, name: &str) -> Stream {
    Key::root(1, 0).child(kind).child(name).stream()
}

/// The first of these `transports` that accepts it, with each component of a kind that its parameter `key` names, but for those in
/// `listed`.
pub(super) fn in_transport<P: Plan>((key, transports): (&str, &[(&str, &str)]), listed: &[Choice]) -> Vec<Choice> {
    let names: Vec<String> = listed.iter().filter_map(|transport| transport.component(key)).map(|(name, _)| name).collect();
    let with = |component: Choice| {
        let name = component.entry.name;
        let sound = transports.iter().find_map(|(transport, settings)| {
            let mut choice = Choice::listed::<TransportPlan>(transport, settings);
            choice.settings.push((key.to_owned(), table(name, component.settings.clone())));
            choice.read::<TransportPlan>(&choice.settings).is_ok().then_some(choice)
        });
        sound.unwrap_or_else(|| panic!("no transport accepts {key} '{name}'"))
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    new::<P>(&names, |_| true).into_iter().map(with).collect()
}

fn table(name: &str, settings: Settings) -> Value {
    Value::Table(vec![(name.to_owned(), Value::Table(settings))])
}

/// Name and settings of a component that is written as a parameter.
fn component(value: &Value) -> Option<(String, Settings)> {
    match value {
        Value::Text(name) => Some((name.clone(), Settings::new())),
        Value::Table(written) => match &written[..] {
            [(name, Value::Table(settings))] => Some((name.clone(), settings.clone())),
            _ => None,
        },
        _ => None,
    }
}

impl Choice {
    /// The component `name` with settings as `key = value; key = value`.
    pub fn listed<P: Plan>(name: &str, settings: &str) -> Choice {
        let entry = entries::<P>().find(|entry| entry.name == name).unwrap_or_else(|| panic!("no {} '{name}'", P::OF));
        let settings = support::Settings::new(settings).0;
        let unknown = settings.iter().find(|(key, _)| entry.fields.iter().all(|field| !field.has_key(key)));
        assert!(unknown.is_none(), "{}: {unknown:?}", entry.name);
        Choice { entry, settings }
    }

    /// Name and settings of the component that its parameter `key` names.
    fn component(&self, key: &str) -> Option<(String, Settings)> {
        self.settings.iter().find(|(written, _)| written == key).and_then(|(_, value)| component(value))
    }

    /// Its plan.
    pub fn plan<P: Plan>(&self) -> P {
        self.read(&self.settings).unwrap_or_else(|mistakes| panic!("{}: {mistakes}", self.entry.name))
    }

    /// Its plan with another value of one of the parameters that may change during a run, if any; `n` decides which one, and the value.
    pub fn changed<P: Plan + Parameter + Clone>(&self, n: usize) -> P {
        let plan: P = self.plan();
        let change = |settings: &Settings| self.read::<P>(settings).ok().filter(|other| plan.check_change(other).is_ok());
        changed(self.entry.fields, &self.settings, n, change).unwrap_or_else(|| plan.clone())
    }

    fn read<P: Plan>(&self, settings: &Settings) -> Result<P, String> {
        PALETTE.read(settings, |reader| P::read(self.entry.name, reader))
    }
}

/// What `read` makes of `settings` with another value of one changeable parameter; `None` if there is none that it accepts.
fn changed<T>(fields: &[Field], settings: &Settings, n: usize, read: impl Fn(&Settings) -> Option<T>) -> Option<T> {
    let mut stream = Key::root(n as u64, 0).child("changed").stream();
    let other = std::iter::from_fn(|| with_other_value(fields, settings, n, &mut stream));
    other.take(ATTEMPTS / 10).find_map(|settings| read(&settings))
}

/// The settings with a drawn value of the changeable parameter that `n` decides; `None` if there is none.
fn with_other_value(fields: &[Field], settings: &Settings, n: usize, stream: &mut Stream) -> Option<Settings> {
    let changeable: Vec<&Field> = fields.iter().filter(|field| field.is_changeable).collect();
    let field = changeable.get(n.checked_rem(changeable.len())?)?;
    let (its, others): (Settings, Settings) = settings.iter().cloned().partition(|(key, _)| field.has_key(key));
    let value = match field.kind {
        Kind::Component { of, .. } => {
            let default = || field.default.map(default_value);
            let (name, settings) = component(&its.into_iter().map(|(_, value)| value).next().or_else(default)?)?;
            let fields = controls().find(|(kind, entry)| *kind == of && entry.name == name)?.1.fields;
            table(&name, with_other_value(fields, &settings, n, stream)?)
        }
        _ => PALETTE.value_of(field, stream),
    };
    Some(others.into_iter().chain([(field.key(), value)]).collect())
}

/// The components of transports that may change during a run, each with its kind.
fn controls() -> impl Iterator<Item = (&'static str, &'static Entry)> {
    let congestion_controls = entries::<CongestionControlPlan>().map(|entry| (CongestionControlPlan::OF, entry));
    congestion_controls.chain(entries::<RateControlPlan>().map(|entry| (RateControlPlan::OF, entry)))
}

/// A scheduler over the classes a, b and c.
#[derive(Clone)]
pub(super) struct Classed {
    pub scheduler: Choice,
    classes: [Settings; 3],
}

/// The `listed` schedulers with the settings of their classes, and all others that schedule classes.
pub(super) fn schedulers(listed: &[(&str, &str, [&str; 3])]) -> Vec<Classed> {
    let of_list = listed.iter().map(|(name, settings, classes)| Classed {
        scheduler: Choice::listed::<SchedulerPlan>(name, settings),
        classes: classes.map(listed_class),
    });
    let is_new = |entry: &&Entry| entry.class.is_some() && listed.iter().all(|(name, ..)| *name != entry.name);
    of_list.chain(entries::<SchedulerPlan>().filter(is_new).flat_map(Classed::drawn)).collect()
}

/// Settings of a class; after a `|`, of its rate limit.
fn listed_class(settings: &str) -> Settings {
    match settings.strip_prefix("| ") {
        Some(limit) => vec![("rate-limit".to_owned(), Value::Table(support::Settings::new(limit).0))],
        None => support::Settings::new(settings).0,
    }
}

impl Classed {
    fn drawn(entry: &'static Entry) -> Vec<Classed> {
        let mut stream = stream(SchedulerPlan::OF, entry.name);
        let fields = entry.class.expect("it has classes").fields;
        let attempt = |_| {
            let scheduler = Choice { entry, settings: PALETTE.settings(entry.fields, &mut stream) };
            let it = Classed { scheduler, classes: [(); 3].map(|()| PALETTE.settings(fields, &mut stream)) };
            it.read(&it.scheduler.settings, &it.classes).is_some().then_some(it)
        };
        let drawn: Vec<Classed> = (0..10 * ATTEMPTS).filter_map(attempt).take(2).collect();
        assert!(!drawn.is_empty(), "no settings drawn for scheduler '{}' and its classes are sound", entry.name);
        drawn
    }

    /// The scheduler and its classes, if they are sound together.
    fn read(&self, settings: &Settings, classes: &[Settings; 3]) -> Option<(SchedulerPlan, [ClassPlan; 3])> {
        let plan: SchedulerPlan = self.scheduler.read(settings).ok()?;
        let mut order = plan.facts().class_order.map_or_else(|| CLASSES.map(str::to_owned).into(), |(_, order)| order);
        order.sort();
        let classes = [0, 1, 2].map(|i| self.class(&classes[i]));
        let [a, b, c] = classes;
        let classes = [a?, b?, c?];
        let are_sound = order == CLASSES && plan.not_in_tree().is_none() && plan.check_classes(&classes).is_ok();
        are_sound.then_some((plan, classes))
    }

    fn declaration(&self) -> Declaration {
        self.scheduler.entry.class.expect("it has classes")
    }

    /// A class; without settings, as in a blueprint made by hand, it has no parameters at all.
    fn class(&self, settings: &Settings) -> Option<ClassPlan> {
        if settings.is_empty() {
            return Some(ClassPlan::default());
        }
        let parameters = PALETTE.read(settings, |reader| self.declaration().read(reader)).ok()?;
        Some(ClassPlan { parameters: Some(parameters), ..ClassPlan::default() })
    }

    /// The scheduler and its classes.
    pub fn plans(&self) -> (SchedulerPlan, [ClassPlan; 3]) {
        (self.scheduler.plan(), self.classes.each_ref().map(|settings| self.class(settings).expect("sound")))
    }

    /// The same with other values of parameters that may change during a run, as `n` decides.
    pub fn changed(&self, n: usize) -> (SchedulerPlan, [ClassPlan; 3]) {
        let (plan, classes) = self.plans();
        let change = |i: usize| {
            let Some(parameters) = &classes[i].parameters else { return classes[i].clone() };
            let read = |settings: &Settings| {
                self.class(settings).filter(|other| other.parameters.as_ref().is_some_and(|other| parameters.check_change(other).is_ok()))
            };
            changed(self.declaration().fields, &self.classes[i], n + i, read).unwrap_or_else(|| classes[i].clone())
        };
        let others = [0, 1, 2].map(change);
        let other: SchedulerPlan = self.scheduler.changed(n);
        match other.check_classes(&others) {
            Ok(()) => (other, others),
            Err(_) => (plan, classes),
        }
    }
}

const CLASSES: [&str; 3] = ["a", "b", "c"];
