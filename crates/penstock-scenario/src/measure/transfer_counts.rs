//! Counts of transfers, which accompany completion times and slowdowns.

use crate::measure::metric::{Grouping, MetricKind};
use crate::measure::target::Target;
use crate::measure::Measure;
use penstock_model::units::Bytes;

/// What one set of counts is of: a group, or the classes of several groups, and the sizes that split it.
#[derive(PartialEq)]
struct Counted {
    of: Vec<Target>,
    per: Grouping,
    sizes: Vec<Bytes>,
}

impl Counted {
    /// The sets of counts that belong to a measurement; those of single flows add up to their group's.
    fn all_of(measure: &Measure) -> Vec<Counted> {
        let counted = |of, per| Counted { of, per, sizes: measure.sizes.clone() };
        match measure.per {
            Grouping::Class => vec![counted(measure.of.clone(), Grouping::Class)],
            _ => measure.of.iter().map(|target| counted(vec![*target], Grouping::Group)).collect(),
        }
    }
}

/// Adds `transfers` to each `completion-time` and `slowdown`, which are of finished transfers only, unless it is written.
pub(crate) fn add_transfer_counts(measures: &mut Vec<Measure>) {
    let is_written = |measure: &&Measure| measure.metric == MetricKind::Transfers && measure.per != Grouping::Flow;
    let mut known: Vec<Counted> = measures.iter().filter(is_written).flat_map(Counted::all_of).collect();
    let written = known.len();
    let is_of_finished = |measure: &&Measure| matches!(measure.metric, MetricKind::CompletionTime | MetricKind::Slowdown);
    for counted in measures.iter().filter(is_of_finished).flat_map(Counted::all_of) {
        if !known.contains(&counted) {
            known.push(counted);
        }
    }
    let added = known.into_iter().skip(written);
    measures.extend(added.map(|Counted { of, per, sizes }| Measure { per, sizes, ..Measure::with_defaults(MetricKind::Transfers, of) }));
}
