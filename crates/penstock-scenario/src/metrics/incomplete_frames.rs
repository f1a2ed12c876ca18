//! `incomplete-frames`.

use crate::measure::keys::MeasureKeys;
use crate::measure::target::MeasurableGroup;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::frames::{check_frames, frames};
use crate::metrics::common::info::{MetricInfo, Targets, MEAN, MEANS};
use crate::metrics::common::metric::Metric;
use penstock_engine::blueprint::FlowWatch;
use penstock_engine::observations::FrameTimes;

pub(crate) struct IncompleteFrames;

impl IncompleteFrames {
    pub const INFO: MetricInfo = MetricInfo {
        name: "incomplete-frames",
        unit: "1",
        doc: "Share of the frames that did not arrive in full, of flows whose source has frames. A frame counts once it is complete. At the end of the run, an incomplete frame counts if a packet of a later frame has arrived; packets of it that are still in flight count as lost. Frames that began to arrive in the warm-up are left out, and so is the newest frame if it is incomplete at the end of the run.",
        statistics: "The mean is over all frames together; `min` and `max` are over flows, each with its share.",
        targets: Targets::FLOWS,
        take: MEANS,
        default_take: MEAN,
        is_ratio: true,
        is_part: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for IncompleteFrames {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        check_frames(Self::INFO.name, group)
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.frames = true;
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        share(at, &[flow])
    }

    fn pooled_flows(&self, at: &Evaluation<'_>, flows: &[usize]) -> Option<f64> {
        Some(share(at, flows))
    }
}

/// The share of the frames of `flows` that did not arrive in full.
fn share(at: &Evaluation<'_>, flows: &[usize]) -> f64 {
    let sum = |count: fn(&FrameTimes) -> u64| flows.iter().map(|flow| count(frames(at, *flow))).sum::<u64>() as f64;
    let incomplete = sum(|frames| frames.incomplete);
    incomplete / (incomplete + sum(|frames| frames.delays.count()))
}
