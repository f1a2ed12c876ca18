//! `repeated-retransmissions`.

use crate::measure::keys::MeasureKeys;
use crate::measure::target::MeasurableGroup;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_engine::blueprint::FlowWatch;

pub(crate) struct RepeatedRetransmissions;

impl RepeatedRetransmissions {
    pub const INFO: MetricInfo = MetricInfo {
        name: "repeated-retransmissions",
        unit: "packets",
        doc: "Number of times that a TCP flow sent a segment for the third time or later, because a retransmission was lost or taken for lost.",
        targets: Targets::FLOWS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for RepeatedRetransmissions {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        match group.retransmits_segments {
            true => Ok(()),
            false => Err(format!("'{}' applies to tcp, but '{}' is carried by another transport", Self::INFO.name, group.name)),
        }
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.repeated_retransmissions = true;
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        let repeats = &at.seen.repeated_retransmissions;
        repeats.binary_search_by_key(&flow, |(flow, _)| flow.index()).map_or(0, |place| repeats[place].1) as f64
    }
}
