//! From what a run counted to the numbers that were asked for.

mod call;
mod class;
mod flow;
mod link;
pub(crate) mod sheet;
mod timing;

use crate::measure::metric::{Per, What};
use crate::measure::target::Target;
use crate::measure::Measure;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::Observations;
use sheet::{Metric, Roster, Sheet};

/// The numbers that `measures` ask for.
pub(crate) fn evaluate(measures: &[Measure], roster: &Roster, blueprint: &Blueprint, seen: &Observations) -> Vec<Metric> {
    let mut sheet = Sheet { roster, blueprint, seen, window: seen.to.since(seen.from).as_seconds(), metrics: Vec::new() };
    for measure in measures {
        match measure.what {
            What::Fairness => {
                sheet.fairness(measure);
                continue;
            }
            What::TerminationTime => {
                sheet.termination_time(measure);
                continue;
            }
            _ => {}
        }
        if measure.per == Per::Class {
            sheet.by_class(measure).iter().for_each(|part| sheet.part(measure, part));
            continue;
        }
        for (i, target) in measure.of.iter().enumerate() {
            match target {
                Target::Flows(group) => sheet.parts(measure, *group).iter().for_each(|part| sheet.part(measure, part)),
                Target::Links(group) if measure.what == What::EfError => sheet.ef_error(measure, *group),
                Target::Links(group) => sheet.links(measure, *group, measure.samples.get(i)),
            }
        }
    }
    sheet.metrics
}
