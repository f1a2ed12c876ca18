//! The trait of metrics: their requirements and their values.

use crate::measure::keys::{Measure, MeasureKeys, Request};
use crate::measure::recording::RecordingPlan;
use crate::measure::target::{MeasurableGroup, MeasurableLink, Target};
use crate::measure::words::{Grouping, SplitBy, Statistic};
use crate::metrics::common::counts::dropped;
use crate::metrics::common::evaluation::{combine, join, Evaluation, FlowSet, LabelledValues, Labels, LinkSet};
use crate::metrics::common::info::MetricInfo;
use penstock_engine::blueprint::{FlowWatch, SamplePlan};
use penstock_engine::observations::LinkCounters;
use std::fmt;
use std::ops::Range;

/// A metric: its properties, the records that it needs, and how its values follow from the observations.
///
/// An implementation needs `info` and a value: `flow_value` for flows and aggregates of calls, `link_value` for links. The other
/// methods have defaults, which compute statistics over members and split them.
pub trait Metric: Sync {
    /// The name, the unit, the targets and the page.
    fn info(&self) -> &'static MetricInfo;

    /// Checks that it applies to a group of flows or calls, if these are among its targets.
    ///
    /// # Errors
    /// Why it does not.
    fn check_group(&self, _group: &MeasurableGroup<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Checks that it applies to a group of links, if links are among its targets.
    ///
    /// # Errors
    /// Why it does not.
    fn check_link(&self, _link: &MeasurableLink<'_>) -> Result<(), String> {
        Ok(())
    }

    /// A metric that is measured along with it, of the same targets and sizes.
    fn companion(&self) -> Option<&'static dyn Metric> {
        None
    }

    /// Checks the measurement as a whole, and requests the records that it needs per group.
    fn prepare(&self, _request: &mut Request<'_, '_>) {}

    /// Requests records of each flow of a group beyond the counters.
    fn record_flows(&self, _keys: &MeasureKeys, _watch: &mut FlowWatch) {}

    /// Requests records at each of these links beyond the counters.
    ///
    /// # Errors
    /// Says why, if it cannot be recorded.
    fn record_links(&self, _keys: &MeasureKeys, _members: Range<u32>, _recording: &mut RecordingPlan) -> Result<(), String> {
        Ok(())
    }

    /// The list to which its sample plans are added.
    fn sample_plans<'r>(&self, recording: &'r mut RecordingPlan) -> &'r mut Vec<SamplePlan> {
        &mut recording.samples
    }

    /// Adds its numbers, target by target or by class.
    fn evaluate(&self, at: &mut Evaluation<'_>, measure: &Measure) {
        if measure.per == Grouping::Class {
            at.by_class(&measure.of).iter().for_each(|flow_set| self.of_flows(at, measure, flow_set));
            return;
        }
        for (i, target) in measure.of.iter().enumerate() {
            match target {
                Target::Flows(group) => {
                    at.flow_sets(*group, measure.single).iter().for_each(|flow_set| self.of_flows(at, measure, flow_set));
                }
                Target::Links(group) => self.of_links(at, measure, *group, measure.samples.get(i)),
            }
        }
    }

    /// Adds numbers that no measurement asks for, after all others.
    fn evaluate_unasked(&self, _at: &mut Evaluation<'_>) {}

    /// Adds the numbers of a set of flows: the values of a single one, or statistics over members.
    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        let info = self.info();
        let labels = flow_set.labels();
        if flow_set.single {
            for (split, value) in self.flow_values(at, measure, flow_set.group, flow_set.flows[0]) {
                at.push(info, &join(&labels, &split), value);
            }
            return;
        }
        for take in &measure.take {
            let pooled = if *take == Statistic::Mean { self.pooled_flows(at, &flow_set.flows) } else { None };
            let each = || flow_set.flows.iter().map(|flow| self.flow_values(at, measure, flow_set.group, *flow)).collect();
            let values = pooled.map_or_else(|| over_members(*take, each()), |value| vec![(Vec::new(), value)]);
            push_statistic(at, info, *take, &labels, values);
        }
    }

    /// Adds the numbers of a group of links, for each link or as statistics over links, split as requested. `samples` are the group's.
    fn of_links(&self, at: &mut Evaluation<'_>, measure: &Measure, group: usize, samples: Option<&Range<usize>>) {
        let (name, members) = &at.group_members.links[group];
        let links = &at.seen.links[members.clone()];
        if measure.if_dropped && links.iter().all(|link| dropped(link, None, None) == 0) {
            return;
        }
        let (plans, seen) = (&at.blueprint.links, at.seen);
        let sampled = |own: Range<usize>| samples.map_or(&[][..], |all| &seen.samples[all.start + own.start..all.start + own.end]);
        if measure.single {
            for (i, link) in members.clone().enumerate() {
                let labels = [("of", name.as_str()), ("link", plans[link].path.as_str())];
                self.split_links(at, measure, link..link + 1, &labels);
                self.of_samples(at, sampled(i..i + 1), &labels);
            }
            return;
        }
        self.split_links(at, measure, members.clone(), &[("of", name)]);
        self.of_samples(at, sampled(0..links.len()), &[("of", name)]);
    }

    /// Adds the numbers of links that are aggregated, by class, ingress or circuit if requested.
    fn split_links(&self, at: &mut Evaluation<'_>, measure: &Measure, members: Range<usize>, labels: &Labels<'_>) {
        let is_by = |split| measure.by.contains(&split);
        let parts = if is_by(SplitBy::Ingress) {
            at.by_ingress(&members)
        } else if is_by(SplitBy::Circuit) {
            at.by_circuit(&members)
        } else if is_by(SplitBy::Class) {
            at.by_link_class(&members)
        } else {
            vec![LinkSet { split: None, class: None, counters: at.seen.links[members.clone()].into() }]
        };
        for part in parts {
            let labels = join(labels, part.split.as_slice());
            self.link_rows(at, measure, &part, &members, &labels);
        }
    }

    /// Adds the numbers of links that are aggregated: the values of a single one, or statistics over members.
    fn link_rows(&self, at: &mut Evaluation<'_>, measure: &Measure, links: &LinkSet<'_>, _members: &Range<usize>, labels: &Labels<'_>) {
        let info = self.info();
        if measure.single {
            for (split, value) in self.link_values(at, measure, &links.counters[0]) {
                at.push(info, &join(labels, &split), value);
            }
            return;
        }
        for take in &measure.take {
            let pooled = if *take == Statistic::Mean { self.pooled_links(at, &links.counters) } else { None };
            let each = || links.counters.iter().map(|link| self.link_values(at, measure, link)).collect();
            let values = pooled.map_or_else(|| over_members(*take, each()), |value| vec![(Vec::new(), value)]);
            push_statistic(at, info, *take, labels, values);
        }
    }

    /// Adds the numbers of the samples at links, if there are any.
    fn of_samples(&self, _at: &mut Evaluation<'_>, _samples: &[Vec<u32>], _labels: &Labels<'_>) {}

    /// The values of a flow or an aggregate of calls, if there are several.
    fn flow_values(&self, at: &Evaluation<'_>, _measure: &Measure, _group: usize, flow: usize) -> LabelledValues {
        vec![(Vec::new(), self.flow_value(at, flow))]
    }

    /// The value of a flow or an aggregate of calls.
    fn flow_value(&self, _at: &Evaluation<'_>, _flow: usize) -> f64 {
        unreachable!("'{}' is refused for flows by validation, or has no value of a single flow", self.info().name)
    }

    /// The mean of a group, if it is not the mean over members.
    fn pooled_flows(&self, _at: &Evaluation<'_>, _flows: &[usize]) -> Option<f64> {
        None
    }

    /// The values of a link, if there are several.
    fn link_values(&self, at: &Evaluation<'_>, _measure: &Measure, link: &LinkCounters) -> LabelledValues {
        vec![(Vec::new(), self.link_value(at, link))]
    }

    /// The value of a link.
    fn link_value(&self, _at: &Evaluation<'_>, _link: &LinkCounters) -> f64 {
        unreachable!("'{}' is refused for links by validation, or has no value of a single link", self.info().name)
    }

    /// The mean of a group of links, if it is not the mean over members.
    fn pooled_links(&self, _at: &Evaluation<'_>, _links: &[LinkCounters]) -> Option<f64> {
        None
    }
}

impl fmt::Debug for dyn Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.info().name)
    }
}

impl PartialEq for dyn Metric {
    fn eq(&self, other: &dyn Metric) -> bool {
        self.info().name == other.info().name
    }
}

/// The statistic of the values of members, which all have the same labels.
fn over_members(take: Statistic, each: Vec<LabelledValues>) -> LabelledValues {
    let of = |i: usize| (each[0][i].0.clone(), combine(take, each.iter().map(|values| values[i].1)));
    (0..each[0].len()).map(of).collect()
}

fn push_statistic(at: &mut Evaluation<'_>, info: &MetricInfo, take: Statistic, labels: &Labels<'_>, values: LabelledValues) {
    let statistic = [("statistic", take.word().to_owned())];
    let labels = join(labels, &statistic);
    for (split, value) in values {
        at.push(info, &join(&labels, &split), value);
    }
}
