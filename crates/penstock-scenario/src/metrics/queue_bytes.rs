//! `queue-bytes`.

use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::MetricInfo;
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;
use penstock_model::units::PS_PER_SECOND;

pub(crate) struct QueueBytes;

impl QueueBytes {
    pub const INFO: MetricInfo = MetricInfo {
        name: "queue-bytes",
        unit: "bytes",
        doc: "Time average of the bytes that wait at a link, without the packet in service.",
        split: &[SplitBy::Class, SplitBy::Circuit],
        is_time_average: true,
        ..MetricInfo::TIME_AVERAGE
    };
}

impl Metric for QueueBytes {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_value(&self, at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        link.waiting_byte_ps as f64 / (at.window * PS_PER_SECOND as f64)
    }
}
