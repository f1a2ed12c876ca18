//! `marks`.

use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;

pub(crate) struct Marks;

impl Marks {
    pub const INFO: MetricInfo = MetricInfo {
        name: "marks",
        unit: "packets",
        doc: "Packets with a congestion mark. Of a link: those that its queue or its PCN meters marked. Of a flow or an aggregate of calls: those that arrived marked at its end.",
        targets: Targets::ALL,
        split: &[SplitBy::Class],
        ..MetricInfo::PLAIN
    };
}

impl Metric for Marks {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        at.seen.flows[flow].received.marked as f64
    }

    fn link_value(&self, _at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        link.marked_packets as f64
    }
}
