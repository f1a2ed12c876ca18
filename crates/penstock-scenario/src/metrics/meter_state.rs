//! `meter-state`.

use crate::measure::keys::Measure;
use crate::measure::recording::RecordingPlan;
use crate::measure::target::MeasurableLink;
use crate::metrics::common::evaluation::{combine, Evaluation};
use crate::metrics::common::info::{Key, MetricInfo, Targets, MEANS};
use crate::metrics::common::metric::Metric;
use penstock_engine::blueprint::SamplePlan;
use std::ops::Range;

pub(crate) struct MeterState;

impl MeterState {
    pub const INFO: MetricInfo = MetricInfo {
        name: "meter-state",
        unit: "bit, bit/s, bytes or packets",
        doc: "States of a link's marker and PCN meters, sampled every `sample`, for the first time one `sample` after the warm-up. The labels `meter` and `variable` name the state. The page of the meter lists its states with their units, such as the tokens in a bucket (`fill`, in bit, negative for debt).",
        statistics: "Statistics are over the samples of all links together.",
        targets: Targets::LINKS,
        take: MEANS,
        default_take: MEANS,
        requires: &[Key::Sample],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for MeterState {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_link(&self, link: &MeasurableLink<'_>) -> Result<(), String> {
        let name = link.name;
        if !link.has_meters {
            Err(format!("'{name}' has neither a marker nor PCN meters; write marker or pcn on that link, or leave it out"))
        } else if !link.has_sampled_meters {
            Err(format!(
                "the marker of '{name}' has a state for each circuit, which series show: write [[series]] with of = \"{name}\" and \
                 what = \"marker.f-gcra.fill\", and leave this out"
            ))
        } else {
            Ok(())
        }
    }

    fn sample_plans<'r>(&self, recording: &'r mut RecordingPlan) -> &'r mut Vec<SamplePlan> {
        &mut recording.meter_samples
    }

    /// The sampled states of the meters of these links, which are alike. The unit is that of the variable.
    fn of_links(&self, at: &mut Evaluation<'_>, measure: &Measure, group: usize, samples: Option<&Range<usize>>) {
        let (name, members) = &at.group_members.links[group];
        let samples = samples.expect("asked for with an interval").clone();
        let (plans, sampled) = (&at.blueprint.links, &at.seen.meter_samples[samples]);
        let port = &plans[members.start].port;
        let marker = port.marker.iter().map(|marker| marker.meter.name());
        let meters: Vec<&str> = marker.chain(port.pcn.iter().map(|meter| meter.name())).collect();
        let shown: Vec<(Vec<(&str, &str)>, &[_])> = match measure.single {
            false => vec![(vec![("of", name)], sampled)],
            true => sampled
                .chunks(1)
                .enumerate()
                .map(|(i, own)| (vec![("of", name.as_str()), ("link", plans[members.start + i].path.as_str())], own))
                .collect(),
        };
        for (labels, links) in shown {
            for (i, state) in links[0].iter().enumerate() {
                for take in &measure.take {
                    let labels = [&labels[..], &[("statistic", take.word()), ("meter", meters[state.meter]), ("variable", state.variable)]];
                    let value = combine(*take, links.iter().flat_map(|link| link[i].values.iter().copied()));
                    at.push_in(state.unit, &Self::INFO, &labels.concat(), value);
                }
            }
        }
    }
}
