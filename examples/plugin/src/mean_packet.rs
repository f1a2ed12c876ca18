//! A metric: the mean size of packets.

use penstock_engine::observations::LinkCounters;
use penstock_scenario::metric::{Evaluation, Metric, MetricInfo, SplitBy, Targets, MEAN, MEANS};

/// The mean size of packets that flows receive or links send.
pub struct MeanPacket;

static INFO: MetricInfo = MetricInfo {
    name: "mean-packet",
    unit: "bytes",
    doc: "Mean size on the wire of the data packets that a flow's receiver got or that a link sent.",
    statistics: "The mean is over all packets together; `min` and `max` are over flows or links, each with its mean.",
    targets: Targets { flows: true, calls: false, links: true },
    take: MEANS,
    default_take: MEAN,
    split: &[SplitBy::Class],
    ..MetricInfo::PLAIN
};

impl Metric for MeanPacket {
    fn info(&self) -> &'static MetricInfo {
        &INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        self.pooled_flows(at, &[flow]).expect("it has flows")
    }

    fn pooled_flows(&self, at: &Evaluation<'_>, flows: &[usize]) -> Option<f64> {
        let packets = at.sum(flows, |flow| flow.received.packets);
        Some(at.sum(flows, |flow| flow.received.bytes) as f64 / packets as f64)
    }

    fn link_value(&self, _at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        link.sent_bytes as f64 / link.sent_packets as f64
    }

    fn pooled_links(&self, _at: &Evaluation<'_>, links: &[LinkCounters]) -> Option<f64> {
        let packets: u64 = links.iter().map(|link| link.sent_packets).sum();
        Some(links.iter().map(|link| link.sent_bytes).sum::<u64>() as f64 / packets as f64)
    }
}
