//! `utilisation`.

use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, MEANS};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;

pub(crate) struct Utilisation;

impl Utilisation {
    pub const INFO: MetricInfo = MetricInfo {
        name: "utilisation",
        unit: "1",
        doc: "Share of the time that a link was sending. Pause frames count, but in no class.",
        take: MEANS,
        split: &[SplitBy::Class],
        is_ratio: true,
        is_part: true,
        ..MetricInfo::TIME_AVERAGE
    };
}

impl Metric for Utilisation {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_value(&self, at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        link.busy.as_seconds() / at.window
    }
}
