//! `loss`.

use crate::measure::words::SplitBy;
use crate::metrics::common::counts::{dropped, share_of_offered};
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets, MEAN, MEANS, SHARES};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;

pub(crate) struct Loss;

impl Loss {
    pub const INFO: MetricInfo = MetricInfo {
        name: "loss",
        unit: "1",
        doc: "Share of packets lost. Of a link: dropped / offered. Of a flow or an aggregate of calls: dropped / sent, of the packets that it sent after the warm-up, wherever they were dropped. Packets still in flight at the end of the run count as sent and not as lost.",
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

impl Metric for Loss {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        let flow = &at.seen.flows[flow];
        flow.lost_packets as f64 / flow.sent.packets as f64
    }

    fn pooled_flows(&self, at: &Evaluation<'_>, flows: &[usize]) -> Option<f64> {
        Some(at.sum(flows, |flow| flow.lost_packets) as f64 / at.sum(flows, |flow| flow.sent.packets) as f64)
    }

    fn link_value(&self, _at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        share_of_offered(std::slice::from_ref(link), |link| dropped(link, None, None))
    }

    fn pooled_links(&self, _at: &Evaluation<'_>, links: &[LinkCounters]) -> Option<f64> {
        Some(share_of_offered(links, |link| dropped(link, None, None)))
    }
}
