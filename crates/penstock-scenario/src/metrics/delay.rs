//! `delay`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{mean_seconds, seconds, Evaluation, FlowSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, EXTREMES};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::{merged, quantiles_of, PacketStatistics};
use penstock_engine::blueprint::FlowWatch;

pub(crate) struct Delay;

impl Delay {
    pub const INFO: MetricInfo = MetricInfo {
        name: "delay",
        unit: "s",
        doc: "One-way delay of the data packets that arrived, from their creation to the end of reception.",
        statistics: "Statistics are over the packets of all flows together.",
        targets: Targets::ENDS,
        take: EXTREMES,
        default_take: EXTREMES,
        uses: &[Key::Quantiles, Key::Unit],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Delay {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn record_flows(&self, keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.delays |= keys.quantiles.is_some();
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        PacketStatistics { info: self.info(), statistic, quantiles }.add(at, measure, flow_set);
    }
}

fn statistic(at: &Evaluation<'_>, take: Statistic, flows: &[usize]) -> f64 {
    let received = flows.iter().map(|flow| &at.seen.flows[*flow]).filter(|flow| flow.received.packets > 0);
    match take {
        Statistic::Max => seconds(received.map(|flow| flow.received.delay_max).max()),
        _ => mean_seconds(
            flows.iter().map(|flow| at.seen.flows[*flow].received.delay_sum_ps).sum(),
            at.sum(flows, |flow| flow.received.packets),
        ),
    }
}

fn quantiles(at: &Evaluation<'_>, shares: &[f64], flows: &[usize]) -> Vec<f64> {
    let recorded = "the metric asks for the record";
    quantiles_of(&merged(flows.iter().map(|flow| at.timings(*flow).delays.as_ref().expect(recorded))), shares)
}
