//! `ipdv`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{Evaluation, FlowSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, MEANS};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::PacketStatistics;
use penstock_engine::blueprint::FlowWatch;

pub(crate) struct Ipdv;

impl Ipdv {
    pub const INFO: MetricInfo = MetricInfo {
        name: "ipdv",
        unit: "s",
        doc: "The difference of `jitter` with its sign, positive if the later packet took longer: IPDV of consecutive packets [RFC3393 s4.2].",
        statistics: "Statistics are over the pairs of packets of all flows together.",
        targets: Targets::FLOWS,
        take: MEANS,
        default_take: MEANS,
        uses: &[Key::Quantiles, Key::Unit],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Ipdv {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.variation = true;
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        PacketStatistics { info: self.info(), statistic, quantiles }.add(at, measure, flow_set);
    }
}

fn statistic(at: &Evaluation<'_>, take: Statistic, flows: &[usize]) -> f64 {
    let all = at.variation(flows);
    match take {
        Statistic::Min => all.min(),
        Statistic::Max => all.max(),
        _ => all.mean(),
    }
}

fn quantiles(at: &Evaluation<'_>, shares: &[f64], flows: &[usize]) -> Vec<f64> {
    let all = at.variation(flows);
    shares.iter().map(|share| all.quantile(*share)).collect()
}
