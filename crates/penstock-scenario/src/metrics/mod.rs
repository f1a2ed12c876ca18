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
use crate::metrics::common::info::MetricInfo;
use crate::metrics::common::metric::Metric;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::Observations;
use penstock_model::parameters::{join_words, Entry, Field, Kind, Parameter, Reader, Reading, Value};
use penstock_model::registry::{Plugin, Registry};

/// Lists the metrics, in the order of the catalogue.
macro_rules! metrics {
    ($( $module:ident::$metric:ident, )*) => {
        static METRICS: &[&dyn Metric] = &[$( &$module::$metric, )*];

        /// The names.
        const NAMES: &[&str] = &[$( $module::$metric::INFO.name, )*];

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

/// The kind of metrics.
pub(crate) const OF: &str = "metric";

/// All metrics, in the order of the list, plug-in ones last.
pub(crate) fn all(registry: &Registry) -> impl Iterator<Item = &'static dyn Metric> + '_ {
    METRICS.iter().chain(registry.values(OF)).copied()
}

/// The metric of this crate called `name`.
pub(crate) fn find(name: &str) -> Option<&'static dyn Metric> {
    METRICS.iter().copied().find(|metric| metric.info().name == name)
}

/// Adding metrics to a plug-in.
pub trait AddMetric {
    /// Adds a metric. It is read, checked, listed and documented as built-in ones are.
    fn add_metric(self, metric: &'static dyn Metric) -> Self;
}

impl AddMetric for Plugin {
    fn add_metric(self, metric: &'static dyn Metric) -> Plugin {
        let MetricInfo { name, doc, .. } = *metric.info();
        self.add_value(OF, NAMES, Entry { name, doc, fields: &[], state: &[], class: None, profiles: &[] }, metric)
    }
}

impl Parameter for &'static dyn Metric {
    const KIND: Kind = Kind::OpenChoice { of: OF, words: WORDS };

    fn from_value(value: &Value) -> Result<Self, String> {
        named(value, Registry::NONE)
    }

    fn read_from(field: &Field, reader: &mut dyn Reader) -> Reading<Self> {
        let Some(value) = reader.take(field) else { return Reading::Absent };
        match named(&value, reader.registry()) {
            Ok(metric) => Reading::Given(metric),
            Err(message) => {
                reader.mistake(&field.key(), message);
                Reading::Broken
            }
        }
    }
}

/// The metric that `value` names.
fn named(value: &Value, registry: &Registry) -> Result<&'static dyn Metric, String> {
    let is_named = |metric: &&dyn Metric| matches!(value, Value::Text(name) if name == metric.info().name);
    let found = all(registry).find(is_named);
    found.ok_or_else(|| format!("{} is not one of {}", value.quoted(), join_words(all(registry).map(|metric| metric.info().name))))
}

/// The numbers that `measures` request, and how many belong to each measurement. Numbers that no measurement requests come last.
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
    METRICS.iter().for_each(|metric| metric.evaluate_unasked(&mut evaluation));
    counts.push(evaluation.metrics.len() - before);
    (evaluation.metrics, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_is_found_by_its_name_and_documented() {
        for (i, (metric, (name, doc))) in all(Registry::NONE).zip(WORDS).enumerate() {
            let info = metric.info();
            assert_eq!((info.name, info.doc), (*name, *doc));
            assert_eq!(all(Registry::NONE).position(|other| other == find(name).expect("listed")), Some(i));
            assert!(!doc.is_empty() && !info.unit.is_empty(), "{name}");
            assert!(info.default_take.iter().all(|take| info.take.contains(take)), "{name}");
        }
    }
}
