//! Metrics: one file each, and the list of them.

pub(crate) mod common;

mod blocking;
mod calls;
mod completion_time;
mod deadlocked;
mod delay;
mod drops;
mod ef_error;
mod fairness;
mod frame_delay;
mod goodput;
mod in_system;
mod incomplete_frames;
mod ipdv;
mod jitter;
mod loss;
mod lost_retransmissions;
mod marking_ratio;
mod marks;
mod meter_state;
mod offered;
mod page_time;
mod paused_time;
mod pauses;
mod payload_throughput;
mod queue;
mod queue_bytes;
mod repeated_retransmissions;
mod retransmissions;
mod rtp_jitter;
mod sent;
mod signal_rate;
mod slowdown;
mod termination_time;
mod throughput;
mod time_to_fairness;
mod timeouts;
mod transfers;
mod utilisation;
mod wait;

use crate::measure::keys::Measure;
use crate::metrics::common::evaluation::{Evaluation, GroupMembers, MetricValue};
use crate::metrics::common::metric::Metric;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::Observations;
use penstock_model::parameters::{join_words, Kind, Parameter, Value};

/// Lists the metrics, in the order of the catalogue.
macro_rules! metrics {
    ($( $module:ident::$metric:ident, )*) => {
        static METRICS: &[&dyn Metric] = &[$( &$module::$metric, )*];

        /// The names, each with its documentation.
        const WORDS: &[(&str, &str)] = &[$( ($module::$metric::INFO.name, $module::$metric::INFO.doc), )*];
    };
}

metrics! {
    throughput::Throughput,
    payload_throughput::PayloadThroughput,
    goodput::Goodput,
    sent::Sent,
    delay::Delay,
    jitter::Jitter,
    ipdv::Ipdv,
    rtp_jitter::RtpJitter,
    frame_delay::FrameDelay,
    incomplete_frames::IncompleteFrames,
    page_time::PageTime,
    completion_time::CompletionTime,
    slowdown::Slowdown,
    transfers::Transfers,
    loss::Loss,
    drops::Drops,
    offered::Offered,
    marks::Marks,
    queue::Queue,
    queue_bytes::QueueBytes,
    in_system::InSystem,
    wait::Wait,
    ef_error::EfError,
    utilisation::Utilisation,
    fairness::Fairness,
    time_to_fairness::TimeToFairness,
    retransmissions::Retransmissions,
    lost_retransmissions::LostRetransmissions,
    repeated_retransmissions::RepeatedRetransmissions,
    timeouts::Timeouts,
    marking_ratio::MarkingRatio,
    calls::Calls,
    blocking::Blocking,
    signal_rate::SignalRate,
    termination_time::TerminationTime,
    meter_state::MeterState,
    pauses::Pauses,
    paused_time::PausedTime,
    deadlocked::Deadlocked,
}

/// All metrics, in the order of the list.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Metric> {
    METRICS.iter().copied()
}

/// The metric called `name`.
pub(crate) fn find(name: &str) -> Option<&'static dyn Metric> {
    all().find(|metric| metric.info().name == name)
}

impl Parameter for &'static dyn Metric {
    const KIND: Kind = Kind::Choice(WORDS);

    fn from_value(value: &Value) -> Result<Self, String> {
        let found = match value {
            Value::Text(name) => find(name),
            _ => None,
        };
        found.ok_or_else(|| format!("{} is not one of {}", value.quoted(), join_words(all().map(|metric| metric.info().name))))
    }
}

/// The numbers that `measures` ask for, and how many belong to each of them; those that nothing asks for come last.
pub(crate) fn evaluate<'a>(
    measures: impl Iterator<Item = &'a Measure>,
    group_members: &GroupMembers,
    blueprint: &Blueprint,
    seen: &Observations,
) -> (Vec<MetricValue>, Vec<usize>) {
    let mut evaluation = Evaluation { group_members, blueprint, seen, window: seen.to.since(seen.from).as_seconds(), metrics: Vec::new() };
    let mut counts = Vec::new();
    for measure in measures {
        let before = evaluation.metrics.len();
        measure.metric.evaluate(&mut evaluation, measure);
        counts.push(evaluation.metrics.len() - before);
    }
    let before = evaluation.metrics.len();
    all().for_each(|metric| metric.evaluate_unasked(&mut evaluation));
    counts.push(evaluation.metrics.len() - before);
    (evaluation.metrics, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_is_found_by_its_name_and_documented() {
        for (i, (metric, (name, doc))) in all().zip(WORDS).enumerate() {
            let info = metric.info();
            assert_eq!((info.name, info.doc), (*name, *doc));
            assert_eq!(all().position(|other| other == find(name).expect("listed")), Some(i));
            assert!(!doc.is_empty() && !info.unit.is_empty(), "{name}");
            assert!(info.default_take.iter().all(|take| info.take.contains(take)), "{name}");
        }
    }
}
