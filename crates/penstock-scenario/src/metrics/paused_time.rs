//! `paused-time`.

use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, MEANS};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;
use penstock_model::units::Duration;

pub(crate) struct PausedTime;

impl PausedTime {
    pub const INFO: MetricInfo = MetricInfo {
        name: "paused-time",
        unit: "1",
        doc: "Share of the time that a link was paused by the node that it feeds. Where classes are paused separately, it is the share of the class that was paused the longest; `by` gives that of each class.",
        take: MEANS,
        split: &[SplitBy::Class],
        is_ratio: true,
        is_part: true,
        ..MetricInfo::TIME_AVERAGE
    };
}

impl Metric for PausedTime {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_value(&self, at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        let times = link.pauses.iter().flat_map(|pauses| &pauses.paused).map(|paused| paused.time);
        times.max().unwrap_or(Duration::ZERO).as_seconds() / at.window
    }
}
