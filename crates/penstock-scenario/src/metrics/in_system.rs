//! `in-system`.

use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::MetricInfo;
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;
use penstock_model::units::PS_PER_SECOND;

pub(crate) struct InSystem;

impl InSystem {
    pub const INFO: MetricInfo = MetricInfo {
        name: "in-system",
        unit: "packets",
        doc: "Time average of the packets at a link, the one in service included. Pause frames in service count, but in no class.",
        split: &[SplitBy::Class],
        is_time_average: true,
        ..MetricInfo::TIME_AVERAGE
    };
}

impl Metric for InSystem {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_value(&self, at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        (link.waiting_packet_ps + u128::from(link.busy.as_ps())) as f64 / (at.window * PS_PER_SECOND as f64)
    }
}
