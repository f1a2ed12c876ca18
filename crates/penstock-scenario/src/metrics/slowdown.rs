//! `slowdown`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::target::MeasurableGroup;
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{combine, Evaluation, FlowSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, EXTREMES, MEANS};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::transfers::{check_has_size, FinishedTransfer, TransferStatistics};
use crate::metrics::transfers::Transfers;
use penstock_engine::blueprint::FlowWatch;

pub(crate) struct Slowdown;

impl Slowdown {
    pub const INFO: MetricInfo = MetricInfo {
        name: "slowdown",
        unit: "1",
        doc: "Slowdown of a transfer: its `completion-time` divided by the time that it would take in an empty network [Alizadeh13 s5]. There no window limits the sender, no packet waits or is lost, and the last packet is acknowledged at once. The time is the sum of the delays and transmission times of one packet on all links, there and back, and the transmission times of all further packets on the slowest link; where TCP opens with a SYN, a round trip of packets without data is added. The slowdown is at least 1, and includes the cost of slow start. A link whose rate changes counts with its highest rate. The metric covers the same transfers as `completion-time`.",
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

impl Metric for Slowdown {
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

fn slowdown(transfer: &FinishedTransfer) -> f64 {
    transfer.time.as_ps() as f64 / transfer.unloaded.as_ps() as f64
}

fn statistic(take: Statistic, transfers: &[FinishedTransfer]) -> f64 {
    combine(take, transfers.iter().map(slowdown))
}

fn quantiles(shares: &[f64], transfers: &[FinishedTransfer]) -> Vec<f64> {
    let mut all: Vec<f64> = transfers.iter().map(slowdown).collect();
    all.sort_by(f64::total_cmp);
    let rank = |share: f64| ((share * all.len() as f64).ceil() as usize).clamp(1, all.len()) - 1;
    shares.iter().map(|share| if all.is_empty() { f64::NAN } else { all[rank(*share)] }).collect()
}
