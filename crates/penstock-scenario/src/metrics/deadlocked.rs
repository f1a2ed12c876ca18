//! `deadlocked`.

use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets, SUM};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::{LinkCounters, PausedIngress};

pub(crate) struct Deadlocked;

impl Deadlocked {
    pub const INFO: MetricInfo = MetricInfo {
        name: "deadlocked",
        unit: "links",
        doc: "Whether a link is deadlocked at the end of the run (1 or 0): it belongs to a circle of links whose pauses never end, because each waits for the next. A run that ends in a deadlock always has a row with the label `circle`, even without this metric: the links of the circle in order, with the classes that are paused.",
        statistics: "The sum is over links.",
        targets: Targets::LINKS,
        take: SUM,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Deadlocked {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_value(&self, _at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        link.pauses.as_ref().map_or(0.0, |pauses| f64::from(u8::from(pauses.is_deadlocked)))
    }

    /// Reports a cycle of pauses that never lift, because the other numbers then describe a network that no longer moves.
    fn evaluate_unasked(&self, at: &mut Evaluation<'_>) {
        let of_paused = |paused: &PausedIngress| {
            let link = &at.blueprint.links[paused.link.index()].path;
            paused.class.map_or_else(|| link.clone(), |class| format!("{link} {}", at.blueprint.classes[usize::from(class)]))
        };
        let circle: Vec<String> = at.seen.deadlock.iter().map(of_paused).collect();
        if !circle.is_empty() {
            at.push(&Self::INFO, &[("circle", &circle.join(", "))], circle.len() as f64);
        }
    }
}
