//! `lost-retransmissions`.

use crate::measure::target::MeasurableGroup;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;

pub(crate) struct LostRetransmissions;

impl LostRetransmissions {
    pub const INFO: MetricInfo = MetricInfo {
        name: "lost-retransmissions",
        unit: "packets",
        doc: "Retransmissions that were lost themselves: packets that a flow sent again after the warm-up and that were dropped, anywhere, before the end of the run.",
        targets: Targets::FLOWS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for LostRetransmissions {
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
        at.seen.flows[flow].lost_retransmissions as f64
    }
}
