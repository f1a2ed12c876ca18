//! `goodput`.

use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;

pub(crate) struct Goodput;

impl Goodput {
    pub const INFO: MetricInfo = MetricInfo {
        name: "goodput",
        unit: "bit/s",
        doc: "Bits per second of payload handed to a flow's application, without duplicates.",
        targets: Targets::ENDS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Goodput {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        at.rate(at.seen.flows[flow].goodput_bytes)
    }
}
