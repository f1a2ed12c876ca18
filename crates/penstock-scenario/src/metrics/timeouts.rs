//! `timeouts`.

use crate::measure::target::MeasurableGroup;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;

pub(crate) struct Timeouts;

impl Timeouts {
    pub const INFO: MetricInfo = MetricInfo {
        name: "timeouts",
        unit: "timeouts",
        doc: "Number of times that the retransmission timer of a flow expired, also for its SYN.",
        targets: Targets::FLOWS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Timeouts {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        match group.is_reliable {
            true => Ok(()),
            false => Err(format!("'{}' applies to tcp, but '{}' is carried by udp", Self::INFO.name, group.name)),
        }
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        at.seen.flows[flow].sent.timeouts as f64
    }
}
