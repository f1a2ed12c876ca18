//! Metrics: computed from the observations of a run.

mod call;
mod class;
mod completion;
pub(crate) mod evaluation;
mod flow;
mod link;
mod timing;

use crate::measure::metric::{Grouping, MetricKind};
use crate::measure::target::Target;
use crate::measure::Measure;
use evaluation::{Evaluation, GroupMembers, Metric};
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::Observations;

/// The numbers that `measures` ask for.
pub(crate) fn evaluate<'a>(
    measures: impl Iterator<Item = &'a Measure>,
    group_members: &GroupMembers,
    blueprint: &Blueprint,
    seen: &Observations,
) -> Vec<Metric> {
    let mut evaluation = Evaluation { group_members, blueprint, seen, window: seen.to.since(seen.from).as_seconds(), metrics: Vec::new() };
    for measure in measures {
        match measure.metric {
            MetricKind::Fairness => {
                evaluation.fairness(measure);
                continue;
            }
            MetricKind::TimeToFairness => {
                evaluation.time_to_fairness(measure);
                continue;
            }
            MetricKind::TerminationTime => {
                evaluation.termination_time(measure);
                continue;
            }
            _ => {}
        }
        if measure.per == Grouping::Class {
            evaluation.by_class(measure).iter().for_each(|flow_set| evaluation.evaluate_flow_set(measure, flow_set));
            continue;
        }
        for (i, target) in measure.of.iter().enumerate() {
            match target {
                Target::Flows(group) => {
                    evaluation.flow_sets(measure, *group).iter().for_each(|flow_set| evaluation.evaluate_flow_set(measure, flow_set))
                }
                Target::Links(group) if measure.metric == MetricKind::EfError => evaluation.ef_error(measure, *group),
                Target::Links(group) => evaluation.links(measure, *group, measure.samples.get(i)),
            }
        }
    }
    evaluation.deadlock();
    evaluation.metrics
}
