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

/// The texts of what is written, which end with that of the numbers of every run, with one for each of the `measures` that were added
/// behind the written ones: what somebody would write for the same.
pub(crate) fn measure_texts<'a>(mut texts: Vec<String>, measures: &[Measure], name_of: &dyn Fn(Target) -> &'a str) -> Vec<String> {
    let written = texts.len() - 1;
    // Without `[[measure]]` one text stands for all.
    if texts[0] != "default" {
        let added = measures.iter().skip(written).map(|measure| {
            let mut keys = serde_json::Map::new();
            keys.insert("metric".to_owned(), "transfers".into());
            keys.insert("of".to_owned(), measure.of.iter().map(|target| name_of(*target)).collect());
            if measure.per == Grouping::Class {
                keys.insert("per".to_owned(), "class".into());
            }
            if !measure.sizes.is_empty() {
                keys.insert("sizes".to_owned(), measure.sizes.iter().map(|size| format!("{} bytes", size.get())).collect());
            }
            serde_json::Value::Object(keys).to_string()
        });
        texts.splice(written..written, added.collect::<Vec<_>>());
    }
    texts
}
