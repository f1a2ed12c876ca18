//! `frame-delay`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::target::MeasurableGroup;
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{mean_seconds, seconds, Evaluation, FlowSet};
use crate::metrics::common::frames::{check_frames, frames};
use crate::metrics::common::info::{Key, MetricInfo, Targets, EXTREMES};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::{merged, quantiles_of, PacketStatistics};
use penstock_engine::blueprint::FlowWatch;
use penstock_model::stats::distribution::Distribution;

pub(crate) struct FrameDelay;

impl FrameDelay {
    pub const INFO: MetricInfo = MetricInfo {
        name: "frame-delay",
        unit: "s",
        doc: "Time from the generation of a frame, when the source passes its first packet to the transport, to the arrival of its last packet, of flows whose source has frames, such as `video`. Only frames that arrived in full count.",
        statistics: "Statistics are over the complete frames of all flows together.",
        targets: Targets::FLOWS,
        take: EXTREMES,
        default_take: EXTREMES,
        uses: &[Key::Quantiles],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for FrameDelay {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        check_frames(Self::INFO.name, group)
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.frames = true;
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        PacketStatistics { info: self.info(), statistic, quantiles }.add(at, measure, flow_set);
    }
}

fn statistic(at: &Evaluation<'_>, take: Statistic, flows: &[usize]) -> f64 {
    let all = delays(at, flows);
    match take {
        Statistic::Max => seconds(all.max()),
        _ => mean_seconds(all.sum_ps(), all.count()),
    }
}

fn quantiles(at: &Evaluation<'_>, shares: &[f64], flows: &[usize]) -> Vec<f64> {
    quantiles_of(&delays(at, flows), shares)
}

fn delays(at: &Evaluation<'_>, flows: &[usize]) -> Distribution {
    merged(flows.iter().map(|flow| &frames(at, *flow).delays))
}
