//! The evaluation of metrics: the observations of a run, and the metrics computed so far.

use crate::measure::words::Statistic;
use crate::metrics::common::info::MetricInfo;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::{LinkCounters, Observations};
use penstock_model::units::{Duration, PS_PER_SECOND};
use std::borrow::Cow;
use std::ops::Range;

/// A number that a run yields.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricValue {
    /// The metric's name, such as `throughput`.
    pub name: &'static str,
    /// Labels that distinguish it from others of that name: `of`, `flow`, `link` or `class`, `statistic` or `quantile`, and the
    /// criteria that split it, such as `cause`, `precedence`, `circuit`, `error`, `until`, `what` or `from`.
    pub labels: Vec<(String, String)>,
    /// The unit; `1` for a share.
    pub unit: &'static str,
    /// The number; NaN if there is nothing to average, such as the delay if no packet arrived.
    pub value: f64,
}

/// The names and members of a scenario's nodes, of its groups of flows and calls, in the blueprint's order, and of its links.
#[derive(Clone, Debug, Default)]
pub struct GroupMembers {
    pub nodes: Vec<(String, Range<usize>)>,
    pub flows: Vec<(String, Range<usize>)>,
    pub links: Vec<(String, Range<usize>)>,
}

/// The values of one member, each with the labels that distinguish it.
pub type LabelledValues = Vec<(Vec<(&'static str, String)>, f64)>;

/// Names and values that distinguish a number.
pub type Labels<'a> = [(&'a str, &'a str)];

/// Links that are aggregated, or the share that one class, ingress or circuit has of their counts.
pub struct LinkSet<'a> {
    /// The criterion that splits the counts, and the part to which these counts belong.
    pub split: Option<(&'static str, String)>,
    /// The position of the class, if they are split by class.
    pub class: Option<usize>,
    pub counters: Cow<'a, [LinkCounters]>,
}

/// Flows that are aggregated into one number: a group, a single flow or a class.
pub struct FlowSet {
    /// The labels that distinguish it.
    pub labels: Vec<(&'static str, String)>,
    /// Position of their group, or of one of their groups.
    pub group: usize,
    /// Positions of the flows.
    pub flows: Vec<usize>,
    /// A single flow, whose value needs no statistic.
    pub single: bool,
}

impl FlowSet {
    /// The labels that distinguish it.
    pub fn labels(&self) -> Vec<(&str, &str)> {
        self.labels.iter().map(|(key, value)| (*key, value.as_str())).collect()
    }
}

/// The metrics computed so far, and the data that they are computed from.
pub struct Evaluation<'a> {
    pub(crate) group_members: &'a GroupMembers,
    /// The plan of the run.
    pub blueprint: &'a Blueprint,
    /// The counts and records of the engine in the window.
    pub seen: &'a Observations,
    /// The length of the window in seconds.
    pub window: f64,
    pub(crate) metrics: Vec<MetricValue>,
}

impl Evaluation<'_> {
    /// Adds a number.
    pub fn push(&mut self, metric: &MetricInfo, labels: &Labels<'_>, value: f64) {
        self.push_in(metric.unit, metric, labels, value);
    }

    /// Adds a number whose unit is not the metric's.
    pub fn push_in(&mut self, unit: &'static str, metric: &MetricInfo, labels: &Labels<'_>, value: f64) {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        self.metrics.push(MetricValue { name: metric.name, labels, unit, value });
    }
}

pub(crate) fn join<'a>(labels: &Labels<'a>, more: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    labels.iter().copied().chain(more.iter().map(|(key, value)| (*key, value.as_str()))).collect()
}

pub(crate) fn combine(take: Statistic, values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    match take {
        Statistic::Sum => values.iter().sum(),
        Statistic::Mean => values.iter().sum::<f64>() / values.len() as f64,
        Statistic::Min => values.iter().copied().fold(f64::NAN, f64::min),
        Statistic::Max => values.iter().copied().fold(f64::NAN, f64::max),
    }
}

pub(crate) fn mean_seconds(sum_ps: u128, count: u64) -> f64 {
    sum_ps as f64 / count as f64 / PS_PER_SECOND as f64
}

/// A span in seconds; NaN if there is none.
pub(crate) fn seconds(span: Option<Duration>) -> f64 {
    span.map_or(f64::NAN, Duration::as_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_values_below_zero() {
        let of = |take| combine(take, [-3.0, -1.0, -2.0].into_iter());
        assert_eq!([Statistic::Sum, Statistic::Mean, Statistic::Min, Statistic::Max].map(of), [-6.0, -2.0, -3.0, -1.0]);
        assert!([Statistic::Min, Statistic::Max].map(|take| combine(take, std::iter::empty())).iter().all(|value| value.is_nan()));
    }
}
