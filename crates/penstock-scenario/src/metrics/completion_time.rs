//! `completion-time`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::target::MeasurableGroup;
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{mean_seconds, seconds, Evaluation, FlowSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, EXTREMES, MEANS};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::quantiles_of;
use crate::metrics::common::transfers::{check_has_size, FinishedTransfer, TransferStatistics};
use crate::metrics::transfers::Transfers;
use penstock_engine::blueprint::FlowWatch;
use penstock_model::stats::distribution::Distribution;

pub(crate) struct CompletionTime;

impl CompletionTime {
    pub const INFO: MetricInfo = MetricInfo {
        name: "completion-time",
        unit: "s",
        doc: "Time from the start of a transfer (its SYN if it has one) to the acknowledgement of its last byte, of `ftp` flows with a `size`. Transfers that are unfinished when the run ends are left out; `transfers`, which is measured with it, counts them.",
        statistics: "Statistics are over finished transfers.",
        targets: Targets::FLOWS,
        take: MEANS,
        default_take: EXTREMES,
        uses: &[Key::Quantiles, Key::Sizes],
        is_of_finished: true,
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for CompletionTime {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        check_has_size(self.info(), group)
    }

    fn companion(&self) -> Option<&'static dyn Metric> {
        Some(&Transfers)
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.completion = true;
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        TransferStatistics { info: self.info(), statistic, quantiles }.add(at, measure, flow_set);
    }
}

fn statistic(take: Statistic, transfers: &[FinishedTransfer]) -> f64 {
    let times = transfers.iter().map(|transfer| transfer.time);
    match take {
        Statistic::Min => seconds(times.min()),
        Statistic::Max => seconds(times.max()),
        _ => {
            let all = distribution(transfers);
            mean_seconds(all.sum_ps(), all.count())
        }
    }
}

fn quantiles(shares: &[f64], transfers: &[FinishedTransfer]) -> Vec<f64> {
    quantiles_of(&distribution(transfers), shares)
}

fn distribution(transfers: &[FinishedTransfer]) -> Distribution {
    transfers.iter().fold(Distribution::default(), |mut all, transfer| {
        all.add(transfer.time);
        all
    })
}
