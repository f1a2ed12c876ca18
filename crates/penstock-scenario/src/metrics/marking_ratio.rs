//! `marking-ratio`.

use crate::measure::words::SplitBy;
use crate::metrics::common::counts::share_of_offered;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets, MEAN, MEANS, SHARES};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;

pub(crate) struct MarkingRatio;

impl MarkingRatio {
    pub const INFO: MetricInfo = MetricInfo {
        name: "marking-ratio",
        unit: "1",
        doc: "Share of packets that were marked. Of flows and calls: marked / received. Of a link: marked there / offered.",
        statistics: SHARES,
        targets: Targets::ALL,
        take: MEANS,
        default_take: MEAN,
        split: &[SplitBy::Class],
        is_ratio: true,
        is_part: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for MarkingRatio {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        let flow = &at.seen.flows[flow];
        flow.received.marked as f64 / flow.received.packets as f64
    }

    fn pooled_flows(&self, at: &Evaluation<'_>, flows: &[usize]) -> Option<f64> {
        Some(at.sum(flows, |flow| flow.received.marked) as f64 / at.sum(flows, |flow| flow.received.packets) as f64)
    }

    fn link_value(&self, _at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        share_of_offered(std::slice::from_ref(link), |link| link.marked_packets)
    }

    fn pooled_links(&self, _at: &Evaluation<'_>, links: &[LinkCounters]) -> Option<f64> {
        Some(share_of_offered(links, |link| link.marked_packets))
    }
}
