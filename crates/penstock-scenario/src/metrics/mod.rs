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

/// The numbers that `measures` ask for, and how many belong to each of them; those that nothing asks for come last.
pub(crate) fn evaluate<'a>(
    measures: impl Iterator<Item = &'a Measure>,
    group_members: &GroupMembers,
    blueprint: &Blueprint,
    seen: &Observations,
) -> (Vec<Metric>, Vec<usize>) {
    let mut evaluation = Evaluation { group_members, blueprint, seen, window: seen.to.since(seen.from).as_seconds(), metrics: Vec::new() };
    let mut counts = Vec::new();
    for measure in measures {
        let before = evaluation.metrics.len();
        evaluate_one(&mut evaluation, measure);
        counts.push(evaluation.metrics.len() - before);
    }
    let before = evaluation.metrics.len();
    evaluation.deadlock();
    counts.push(evaluation.metrics.len() - before);
    (evaluation.metrics, counts)
}

fn evaluate_one(evaluation: &mut Evaluation<'_>, measure: &Measure) {
    match measure.metric {
        MetricKind::Fairness => return evaluation.fairness(measure),
        MetricKind::TimeToFairness => return evaluation.time_to_fairness(measure),
        MetricKind::TerminationTime => return evaluation.termination_time(measure),
        _ => {}
    }
    if measure.per == Grouping::Class {
        evaluation.by_class(measure).iter().for_each(|flow_set| evaluation.evaluate_flow_set(measure, flow_set));
        return;
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
