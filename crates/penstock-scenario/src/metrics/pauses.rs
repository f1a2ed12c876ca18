//! `pauses`.

use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;

pub(crate) struct Pauses;

impl Pauses {
    pub const INFO: MetricInfo = MetricInfo {
        name: "pauses",
        unit: "frames",
        doc:
            "Pause frames that a link carried to stop the ports at its end. Frames that prolong a pause count; frames that end one do not.",
        targets: Targets::LINKS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Pauses {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_value(&self, _at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        link.pauses.as_ref().map_or(0.0, |pauses| pauses.frames as f64)
    }
}
