//! `transfers`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::target::MeasurableGroup;
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{join, Evaluation, FlowSet, Labels};
use crate::metrics::common::info::{Key, MetricInfo, Targets, SUM};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::transfers::{check_has_size, size_classes};
use penstock_engine::blueprint::FlowWatch;

pub(crate) struct Transfers;

impl Transfers {
    pub const INFO: MetricInfo = MetricInfo {
        name: "transfers",
        unit: "transfers",
        doc: "Number of transfers with a size, by the label `what`: those that `arrived`, and of these the `finished` (the transfers of `completion-time` and `slowdown`) and the `unfinished`. A transfer arrives when its connection is opened, and is finished when its last byte is acknowledged; those finished in the warm-up are left out of all three. A transfer that its group's `stop` interrupts is unfinished. It is measured with every `completion-time` and `slowdown`, with the same `sizes`, and is in the default set of metrics.",
        statistics: "",
        targets: Targets::FLOWS,
        take: SUM,
        uses: &[Key::Sizes],
        counts_finished: true,
        rows: 3,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Transfers {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        check_has_size(self.info(), group)
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.completion = true;
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        let labels = flow_set.labels();
        let mut finished: Vec<u64> = at.completions(&flow_set.flows).iter().map(|transfer| transfer.bytes).collect();
        let mut unfinished = at.unfinished(&flow_set.flows);
        if measure.sizes.is_empty() {
            return add_counts(at, flow_set, &labels, finished.len(), unfinished.len());
        }
        finished.sort_unstable();
        unfinished.sort_unstable();
        let finished = size_classes(&measure.sizes, &finished, |bytes| *bytes);
        for ((size, finished), (_, unfinished)) in finished.into_iter().zip(size_classes(&measure.sizes, &unfinished, |bytes| *bytes)) {
            add_counts(at, flow_set, &join(&labels, &[("size", size)]), finished.len(), unfinished.len());
        }
    }
}

fn add_counts(at: &mut Evaluation<'_>, flow_set: &FlowSet, labels: &Labels<'_>, finished: usize, unfinished: usize) {
    // A single flow has no statistic, as with other counts.
    let statistic = (!flow_set.single).then(|| ("statistic", Statistic::Sum.word().to_owned()));
    let labels = join(labels, statistic.as_slice());
    for (what, count) in [("arrived", finished + unfinished), ("finished", finished), ("unfinished", unfinished)] {
        at.push(&Transfers::INFO, &join(&labels, &[("what", what.to_owned())]), count as f64);
    }
}
