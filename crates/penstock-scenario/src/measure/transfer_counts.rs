//! Companion metrics, such as the counts of transfers that accompany completion times and slowdowns.

use crate::measure::keys::Measure;
use crate::measure::target::Target;
use crate::measure::words::Grouping;
use crate::metrics::common::metric::Metric;
use penstock_model::units::Bytes;

/// The scope of a companion: a group, or the classes of several groups, and the sizes that split it.
#[derive(PartialEq)]
struct Companion {
    metric: &'static dyn Metric,
    of: Vec<Target>,
    per: Grouping,
    sizes: Vec<Bytes>,
}

impl Companion {
    /// The companions of a measurement: one for all its targets by class, or one for each target as a group, even if single flows are
    /// measured.
    fn all_of(metric: &'static dyn Metric, measure: &Measure) -> Vec<Companion> {
        let companion = |of, per| Companion { metric, of, per, sizes: measure.sizes.clone() };
        match measure.per {
            Grouping::Class => vec![companion(measure.of.clone(), Grouping::Class)],
            _ => measure.of.iter().map(|target| companion(vec![*target], Grouping::Group)).collect(),
        }
    }
}

/// Adds the companion of each metric that has one, such as `transfers` to each `completion-time`, unless the scenario has it.
pub(crate) fn add_companions(measures: &mut Vec<Measure>) {
    let companions: Vec<_> = measures.iter().filter_map(|measure| Some((measure.metric.companion()?, measure))).collect();
    let mut metrics: Vec<&dyn Metric> = Vec::new();
    for (metric, _) in &companions {
        if !metrics.contains(metric) {
            metrics.push(*metric);
        }
    }
    let is_written = |measure: &&Measure| measure.per != Grouping::Flow && metrics.contains(&measure.metric);
    let mut known: Vec<Companion> =
        measures.iter().filter(is_written).flat_map(|measure| Companion::all_of(measure.metric, measure)).collect();
    let written = known.len();
    for companion in companions.iter().flat_map(|(companion, measure)| Companion::all_of(*companion, measure)) {
        if !known.contains(&companion) {
            known.push(companion);
        }
    }
    let added = known.into_iter().skip(written);
    let added: Vec<_> =
        added.map(|Companion { metric, of, per, sizes }| Measure { per, sizes, ..Measure::with_defaults(metric, of) }).collect();
    measures.extend(added);
}

/// Adds texts for the `measures` that were appended to the written ones, each as an author would write it. They come before the last
/// text, the one for the numbers of every run.
pub(crate) fn measure_texts<'a>(mut texts: Vec<String>, measures: &[Measure], name_of: &dyn Fn(Target) -> &'a str) -> Vec<String> {
    let written = texts.len() - 1;
    // Without `[[measure]]` one text stands for all.
    if texts[0] != "default" {
        let added = measures.iter().skip(written).map(|measure| {
            let mut keys = serde_json::Map::new();
            keys.insert("metric".to_owned(), measure.metric.info().name.into());
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
