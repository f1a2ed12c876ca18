//! `sent`.

use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;

pub(crate) struct Sent;

impl Sent {
    pub const INFO: MetricInfo = MetricInfo {
        name: "sent",
        unit: "bit/s",
        doc: "Bits per second that a flow sent into the network, headers and retransmissions included.",
        targets: Targets::ENDS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Sent {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        at.rate(at.seen.flows[flow].sent.bytes)
    }
}
