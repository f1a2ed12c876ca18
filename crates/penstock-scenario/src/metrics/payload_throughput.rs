//! `payload-throughput`.

use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;

pub(crate) struct PayloadThroughput;

impl PayloadThroughput {
    pub const INFO: MetricInfo = MetricInfo {
        name: "payload-throughput",
        unit: "bit/s",
        doc: "Bits per second of payload that arrived at a flow's end, duplicates included.",
        targets: Targets::ENDS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for PayloadThroughput {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        at.rate(at.seen.flows[flow].received_payload)
    }
}
