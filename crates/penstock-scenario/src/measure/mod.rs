//! The measurements that a scenario asks for: `[[measure]]`.

mod checks;
pub(crate) mod keys;
pub(crate) mod recording;
mod resolve;
pub(crate) mod target;
mod transfer_counts;
pub(crate) mod words;

use crate::measure::checks::Labelled;
use crate::measure::keys::{Durations, Measure, MeasureKeys, Request, FAIRNESS_TOLERANCE};
use crate::measure::recording::RecordingPlan;
use crate::measure::resolve::resolve_target;
use crate::measure::target::{Measurable, Target};
use crate::measure::transfer_counts::add_companions;
pub(crate) use crate::measure::transfer_counts::measure_texts;
use crate::measure::words::{Grouping, SplitBy, Statistic, TimeUnit};
use crate::metrics;
use crate::metrics::common::info::Key;
use crate::network::nodes::MAX_ENTITIES;
use crate::read::section::Section;
use penstock_engine::blueprint::SamplePlan;
use penstock_model::id::LinkId;
use penstock_model::parameters::{ClassName, Parameters};
use penstock_model::units::Rate;

/// Reads all `[[measure]]`; `None` if there is none.
pub(crate) fn read_all(
    top: &mut Section<'_>,
    measurable: &Measurable<'_>,
    durations: Option<Durations>,
    recording: &mut RecordingPlan,
) -> Option<Vec<Measure>> {
    let written = top.has("measure");
    let (mut measures, mut labelled) = (Vec::new(), Labelled::default());
    for mut section in top.tables("measure") {
        let keys = MeasureKeys::read(&mut section);
        if let Some(measure) = keys.and_then(|keys| resolve(&section, keys, measurable, durations, recording)) {
            labelled.add(&measure, &section, measurable);
            measures.push(measure);
        }
        section.finish();
    }
    add_companions(&mut measures);
    written.then_some(measures)
}

fn resolve(
    section: &Section<'_>,
    keys: MeasureKeys,
    measurable: &Measurable<'_>,
    durations: Option<Durations>,
    recording: &mut RecordingPlan,
) -> Option<Measure> {
    let info = keys.metric.info();
    section.mistakes.components.note(metrics::OF, info.name);
    let of: Vec<Option<Target>> = keys.of.0.iter().map(|name| resolve_target(section, name, keys.metric, measurable)).collect();
    let of: Vec<Target> = of.into_iter().collect::<Option<_>>()?;
    let mismatched = |target: &Target| {
        matches!((keys.per, target), (Grouping::Flow | Grouping::Class, Target::Links(_)) | (Grouping::Link, Target::Flows(_)))
    };
    if let Some(i) = of.iter().position(mismatched) {
        let message = match keys.per {
            Grouping::Class => format!("'{}' is a link; write by = [\"class\"]", keys.of.0[i]),
            Grouping::Flow => format!("'{}' has no flows; write per = \"link\"", keys.of.0[i]),
            _ => format!("'{}' has no links; write per = \"flow\"", keys.of.0[i]),
        };
        section.report("per", message);
        return None;
    }
    let mut ranges = Vec::new();
    if let Some(every) = keys.sample {
        if durations.is_some_and(|durations| every > durations.window) {
            section.report("sample", format!("{every} is longer than the measurement period, so no sample would be taken"));
        }
        let plans = keys.metric.sample_plans(recording);
        for target in &of {
            let Target::Links(link) = target else { continue };
            let first = plans.len();
            if first + measurable.links[*link].members.len() > MAX_ENTITIES {
                section.report("sample", format!("more than {MAX_ENTITIES} sampled ports of all measurements are too many"));
                return None;
            }
            plans.extend(measurable.links[*link].members.clone().map(|link| SamplePlan { link: LinkId(link), every }));
            ranges.push(first..plans.len());
        }
    }
    keys.metric.prepare(&mut Request { section, keys: &keys, of: &of, measurable, durations, recording });
    let extreme = keys.take.iter().flatten().find(|take| matches!(take, Statistic::Min | Statistic::Max));
    let is_single = |target: &Target| matches!(target, Target::Links(link) if measurable.links[*link].members.len() == 1);
    if let Some(extreme) = extreme.filter(|_| info.is_time_average && of.iter().all(is_single)) {
        let word = extreme.word();
        let more = if info.uses(Key::Sample) { "; sample = \"10 ms\" gives sampled-max, the longest queue of the samples" } else { "" };
        let message = format!("'{word}' of one link is its average over time, as 'mean' is{more}");
        section.mistakes.warn(section.location_of("take"), &section.join("take"), message);
    }
    request_recording(section, &keys, &of, measurable, recording);
    let names = |classes: Vec<ClassName>| classes.into_iter().map(|class| class.0).collect();
    Some(Measure {
        metric: keys.metric,
        of,
        per: keys.per,
        single: matches!(keys.per, Grouping::Flow | Grouping::Link),
        take: keys.take.unwrap_or_else(|| info.default_take.to_vec()),
        quantiles: keys.quantiles.unwrap_or_default().into_iter().map(|quantile| quantile.0).collect(),
        unit: keys.unit,
        by: keys.by.unwrap_or_default(),
        sizes: keys.sizes.unwrap_or_default(),
        expedited: keys.classes.map(names).zip(keys.rate),
        interval: keys.interval,
        tolerance: keys.tolerance.map_or(FAIRNESS_TOLERANCE, |tolerance| tolerance.0),
        between: keys.between,
        below: keys.below.unwrap_or(Rate::ZERO),
        sample: keys.sample,
        samples: ranges,
        if_dropped: false,
    })
}

/// Requests the records that a measurement needs beyond the counters, and reports records that cannot be made.
fn request_recording(section: &Section<'_>, keys: &MeasureKeys, of: &[Target], measurable: &Measurable<'_>, recording: &mut RecordingPlan) {
    let classes = keys.classes.iter().flatten().map(|class| &class.0);
    for class in classes.filter(|class| measurable.complete && !measurable.classes.contains(class.as_str())) {
        section.report("classes", section.mistakes.suggestions.unknown("class", class, measurable.classes.iter().copied()));
    }
    let is_by = |split| keys.by.iter().flatten().any(|by| *by == split);
    let (by_class, by_ingress, by_circuit) = (is_by(SplitBy::Class), is_by(SplitBy::Ingress), is_by(SplitBy::Circuit));
    for (name, target) in keys.of.0.iter().zip(of) {
        match target {
            Target::Flows(group) => {
                let plan = &measurable.flows[*group];
                if keys.unit == TimeUnit::PacketTime && plan.spacing.is_none() {
                    section.report("unit", format!("'{name}' has no packet time: only cbr flows keep a spacing; leave it out"));
                }
                if keys.by.is_some() {
                    section.report("by", format!("'{name}' is not a link; write per = \"class\" or leave it out"));
                }
                let watch = recording.groups.entry(*group).or_default();
                keys.metric.record_flows(keys, watch);
            }
            Target::Links(link) => {
                let members = measurable.links[*link].members.clone();
                if by_ingress {
                    recording.at_links(members.clone()).ingresses = true;
                }
                if by_circuit && measurable.links[*link].carries_cells {
                    recording.at_links(members.clone()).circuits = true;
                } else if by_circuit {
                    section
                        .report("by", format!("'{name}' has no circuits: it carries packets; write cells = true there, or leave it out"));
                }
                if by_class {
                    recording.at_links(members.clone()).classes = true;
                }
                if let Err(message) = keys.metric.record_links(keys, members, recording) {
                    section.report("of", message);
                }
            }
        }
    }
}
