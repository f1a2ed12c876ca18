//! Relations between the keys of a measurement and its metric.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::target::{Measurable, Target};
use crate::measure::words::{Between, Grouping, SplitBy, TimeUnit};
use crate::metrics;
use crate::metrics::common::info::Key;
use crate::read::section::Section;
use penstock_model::parameters::Check;
use penstock_model::printable::quoted;
use penstock_model::registry::Registry;
use penstock_model::units::{Duration, Rate};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Shortest time between samples, as in a series: all samples stay in memory.
const LEAST_SAMPLE: Duration = Duration::from_ns(10);

impl Check for MeasureKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.sample == Some(Duration::ZERO) {
            mistake("sample", "an interval must be above zero".to_owned());
        } else if self.sample.is_some_and(|every| every < LEAST_SAMPLE) {
            mistake("sample", format!("must be at least {LEAST_SAMPLE}"));
        }
        self.check_use(mistake, Key::Sample);
        if self.interval == Some(Duration::ZERO) {
            mistake("interval", "an interval must be above zero".to_owned());
        }
        self.check_use(mistake, Key::Interval);
        self.check_use(mistake, Key::Tolerance);
        if self.check_use(mistake, Key::Between) && self.between == Between::Groups && self.of.0.len() < 2 {
            mistake("between", "needs at least two groups in of; with one, compare \"flows\"".to_owned());
        }
        self.check_use(mistake, Key::Below);
        self.check_use(mistake, Key::Sizes);
        if self.sizes.as_ref().is_some_and(Vec::is_empty) {
            mistake("sizes", "names no size; leave it out".to_owned());
        }
        if let Some(i) = self.sizes.iter().flat_map(|sizes| sizes.windows(2)).position(|pair| pair[0] >= pair[1]) {
            mistake("sizes", format!("item {} is not above the previous one; write them in ascending order", i + 1));
        }
        let names = &self.of.0;
        let mut seen = BTreeSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(*name)) {
            mistake("of", format!("names {} twice", quoted(name)));
        }
        let info = self.metric.info();
        if self.by.is_some() && info.split.is_empty() {
            mistake("by", format!("has no effect: '{}' is not split; leave it out", info.name));
        }
        for by in self.by.iter().flatten().filter(|by| !info.split.is_empty() && !info.split.contains(by)) {
            let allowed: Vec<&str> = info.split.iter().map(|by| by.word()).collect();
            mistake("by", format!("'{}' does not apply to '{}', which is split by {}", by.word(), info.name, allowed.join(", ")));
        }
        self.check_units_and_classes(mistake);
        for other in [SplitBy::Ingress, SplitBy::Circuit] {
            if [SplitBy::Class, other].iter().all(|split| self.by.iter().flatten().any(|by| by == split)) {
                mistake("by", format!("'class' and '{}' are not split at once; measure twice", other.word()));
            }
        }
        if self.take.is_some() && info.take.is_empty() {
            mistake("take", format!("has no effect: '{}' is one number over all that `of` names; leave it out", info.name));
        } else if self.take.is_some() && matches!(self.per, Grouping::Flow | Grouping::Link) && !info.has_member_statistics {
            mistake(
                "take",
                format!("has no effect with per = \"{}\", where every member is a number of its own; leave it out", self.per.word()),
            );
        } else {
            for take in self.take.iter().flatten().filter(|take| !info.take.contains(take)) {
                let allowed: Vec<&str> = info.take.iter().map(|take| take.word()).collect();
                mistake("take", format!("'{}' does not apply to '{}'; one of {}", take.word(), info.name, allowed.join(", ")));
            }
        }
        if info.take.is_empty() && self.per != Grouping::Group {
            mistake("per", format!("{} is one number over all that `of` names; leave it out", info.name));
        }
    }
}

impl MeasureKeys {
    fn check_units_and_classes(&self, mistake: &mut dyn FnMut(&str, String)) {
        self.check_use(mistake, Key::Quantiles);
        self.check_use(mistake, Key::Unit);
        if self.unit != TimeUnit::Second && self.per == Grouping::Class {
            mistake("unit", "groups of one class may have other packet times; leave it out or measure per group".to_owned());
        }
        self.check_use(mistake, Key::Classes);
        self.check_use(mistake, Key::Rate);
    }

    /// Reports a required key that is missing, or a key without effect; returns whether there was nothing to report.
    fn check_use(&self, mistake: &mut dyn FnMut(&str, String), key: Key) -> bool {
        let info = self.metric.info();
        let (name, is_written) = self.use_of(key);
        if info.requires.contains(&key) && !is_written {
            mistake(name, format!("is missing: {}", needed(key)));
        } else if is_written && !info.uses(key) {
            mistake(name, format!("has no effect: {}; leave it out", no_effect(key, info.name)));
        } else {
            return true;
        }
        false
    }

    /// The name of a key, and whether it is written.
    fn use_of(&self, key: Key) -> (&'static str, bool) {
        match key {
            Key::Quantiles => ("quantiles", self.quantiles.is_some()),
            Key::Unit => ("unit", self.unit != TimeUnit::Second),
            Key::Sample => ("sample", self.sample.is_some()),
            Key::Sizes => ("sizes", self.sizes.is_some()),
            Key::Interval => ("interval", self.interval.is_some()),
            Key::Tolerance => ("tolerance", self.tolerance.is_some()),
            Key::Between => ("between", self.between != Between::Flows),
            Key::Below => ("below", self.below.is_some()),
            Key::Classes => ("classes", self.classes.is_some()),
            Key::Rate => ("rate", self.rate.is_some()),
        }
    }
}

/// The part of the labels of numbers that metric, grouping, statistic and splitting do not determine.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Scope<'a> {
    Target(Target),
    Class(&'a str),
    Jointly(Vec<Target>),
}

/// Keys that affect numbers but do not appear in their labels.
struct Unlabelled {
    groups: BTreeSet<usize>,
    sample: Option<Duration>,
    tolerance: f64,
    between: Between,
    below: Rate,
    expedited: Option<(Vec<String>, Rate)>,
}

/// The measurements read so far, by the labels of their numbers.
#[derive(Default)]
pub(crate) struct Labelled<'a>(BTreeMap<(&'static str, &'static str, Scope<'a>), Unlabelled>);

impl<'a> Labelled<'a> {
    /// Adds a measurement, and reports a key by which its numbers differ from an earlier measurement's with the same labels.
    pub fn add(&mut self, measure: &Measure, section: &Section<'_>, measurable: &Measurable<'a>) {
        let mut by_scope: BTreeMap<Scope<'a>, BTreeSet<usize>> = BTreeMap::new();
        let is_joint = measure.metric.info().take.is_empty();
        if is_joint {
            by_scope.insert(Scope::Jointly(measure.of.clone()), BTreeSet::new());
        }
        for target in measure.of.iter().filter(|_| !is_joint) {
            match *target {
                Target::Flows(group) if measure.per == Grouping::Class => {
                    by_scope.entry(Scope::Class(measurable.flows[group].class)).or_default().insert(group);
                }
                target => {
                    by_scope.insert(Scope::Target(target), BTreeSet::new());
                }
            }
        }
        let mut difference = None;
        for (scope, groups) in by_scope {
            let Measure { sample, tolerance, between, below, ref expedited, .. } = *measure;
            let own = Unlabelled { groups, sample, tolerance, between, below, expedited: expedited.clone() };
            match self.0.entry((measure.metric.info().name, measure.per.word(), scope)) {
                Entry::Vacant(place) => {
                    place.insert(own);
                }
                Entry::Occupied(mut place) => {
                    difference = difference.or(own.difference(place.get()));
                    let known = &mut place.get_mut().sample;
                    *known = known.or(sample);
                }
            }
        }
        if let Some(key) = difference {
            let message = "differs from that of an earlier measurement whose numbers have the same labels; keep one of the two";
            section.report(key, message);
        }
    }
}

impl Unlabelled {
    /// The first key that differs.
    fn difference(&self, other: &Unlabelled) -> Option<&'static str> {
        let rate = |of: &Unlabelled| of.expedited.as_ref().map(|(_, rate)| *rate);
        let keys = [
            ("of", self.groups != other.groups),
            ("sample", self.sample.is_some() && other.sample.is_some() && self.sample != other.sample),
            ("tolerance", self.tolerance != other.tolerance),
            ("between", self.between != other.between),
            ("below", self.below != other.below),
            ("rate", rate(self) != rate(other)),
            ("classes", self.expedited != other.expedited),
        ];
        keys.into_iter().find(|(_, differs)| *differs).map(|(key, _)| key)
    }
}

/// The instruction to give a required key, with an example.
fn needed(key: Key) -> &'static str {
    match key {
        Key::Sample => "give the sampling interval, as in sample = \"10 ms\"",
        Key::Below => "give the rate below which the load must fall, as in below = \"128 Mbit/s\"",
        Key::Rate => "give the rate of the ideal server, as in rate = \"450 kbit/s\"",
        Key::Classes => "name the classes, as in classes = [\"ef\"]",
        _ => "give it",
    }
}

/// Why a key has no effect on the metric `other`: the metrics that use it.
fn no_effect(key: Key, other: &str) -> String {
    let names: Vec<&str> =
        metrics::all(Registry::NONE).map(|metric| metric.info()).filter(|info| info.uses(key)).map(|info| info.name).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let verb = |one: &'static str, several: &'static str| if names.len() == 1 { one } else { several };
    match key {
        Key::Quantiles => format!("only {} have them", names.join(", ")),
        Key::Unit => format!("'{other}' has one unit only"),
        Key::Sample => format!("only {} {} sampled", joined(&quoted), verb("is", "are")),
        Key::Sizes => format!("only {} {} reported by size", joined(&names), verb("is", "are")),
        Key::Interval => format!("only metric = {} {} measured per interval", joined(&quoted), verb("is", "are")),
        Key::Tolerance => format!("only metric = {} {} one", joined(&quoted), verb("has", "have")),
        Key::Between => format!("only metric = {} {}", joined(&quoted), verb("compares", "compare")),
        Key::Below | Key::Classes | Key::Rate => format!("only metric = {} {} it", joined(&quoted), verb("uses", "use")),
    }
}

/// The names in a sentence: `a, b and c`.
fn joined<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
