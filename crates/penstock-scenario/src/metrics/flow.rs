//! Metrics of flows, groups of flows and classes.

use crate::measure::metric::{Between, MetricKind, Statistic};
use crate::measure::target::Target;
use crate::measure::{Measure, FAIRNESS_BIN};
use crate::metrics::call;
use crate::metrics::evaluation::{combine, join, Evaluation, FlowSet, LabelledValues};
use penstock_engine::observations::FlowCounters;
use penstock_model::units::Time;
use std::ops::Range;

/// The first of these bins from which on the bytes of each of those compared, the flows of a slice together, are within `tolerance` of
/// the mean of all, in every bin; a bin in which nobody has anything is not fair.
fn fair_from(compared: &[Vec<&[u64]>], bins: Range<usize>, tolerance: f64) -> Option<usize> {
    let is_fair = |bin: &usize| {
        let of = |flow: &&[u64]| flow.get(*bin).copied().unwrap_or(0);
        let bytes = || compared.iter().map(|flows| flows.iter().map(of).sum::<u64>() as f64);
        let mean = bytes().sum::<f64>() / compared.len() as f64;
        mean > 0.0 && bytes().all(|bytes| (bytes - mean).abs() <= tolerance * mean)
    };
    bins.rev().take_while(is_fair).last()
}

impl Evaluation<'_> {
    pub fn fairness(&mut self, measure: &Measure) {
        let (names, compared) = self.compared(measure);
        let rate = |flow: &usize| self.flow_value(MetricKind::Throughput, &self.seen.flows[*flow]);
        let values: Vec<f64> = compared.iter().map(|flows| flows.iter().map(rate).sum()).collect();
        let (sum, squares) = (values.iter().sum::<f64>(), values.iter().map(|x| x * x).sum::<f64>());
        self.push(MetricKind::Fairness, &[("of", &names)], sum * sum / (values.len() as f64 * squares));
    }

    pub fn time_to_fairness(&mut self, measure: &Measure) {
        let (names, compared) = self.compared(measure);
        let bin = measure.interval.unwrap_or(FAIRNESS_BIN);
        // Only whole bins.
        let (from, to) = (self.seen.from.as_ps().div_ceil(bin.as_ps()), self.seen.to.as_ps() / bin.as_ps());
        let bins = |flow: &usize| self.timings(*flow).bins.as_deref().unwrap_or_default();
        let bytes: Vec<Vec<&[u64]>> = compared.iter().map(|flows| flows.iter().map(bins).collect()).collect();
        let reached = fair_from(&bytes, from as usize..to as usize, measure.tolerance);
        let value = reached.map_or(f64::NAN, |reached| {
            let begins = Time::from_ps(bin.as_ps() * reached as u64);
            begins.since(self.seen.from).as_seconds()
        });
        self.push(MetricKind::TimeToFairness, &[("of", &names)], value);
    }

    pub fn termination_time(&mut self, measure: &Measure) {
        let (names, groups) = self.joint_groups(measure);
        let plans: Vec<_> =
            groups.iter().map(|group| (&self.blueprint.groups[*group], self.group_members.flows[*group].1.clone())).collect();
        let reached = call::falls_below(&plans, self.seen, measure.below);
        let start = plans.iter().map(|(group, _)| call::all_begun(group)).max().unwrap_or_default();
        for (word, from) in [("first-termination", reached.map(|(first, _)| first)), ("start", Some(start))] {
            let span = reached.zip(from).map_or(f64::NAN, |((_, at), from)| at.since(from).as_seconds());
            self.push(MetricKind::TerminationTime, &[("of", &names), ("from", word)], span);
        }
    }

    /// The flows of each of those that a fairness compares, and the names of their groups.
    fn compared(&self, measure: &Measure) -> (String, Vec<Vec<usize>>) {
        let (names, groups) = self.joint_groups(measure);
        let members = groups.iter().map(|group| self.group_members.flows[*group].1.clone());
        let compared = match measure.between {
            Between::Flows => members.flatten().map(|flow| vec![flow]).collect(),
            Between::Groups => members.map(Iterator::collect).collect(),
        };
        (names, compared)
    }

    /// The groups that are measured jointly, and their names.
    fn joint_groups(&self, measure: &Measure) -> (String, Vec<usize>) {
        let group = |target: &Target| match target {
            Target::Flows(group) => Some(*group),
            Target::Links(_) => None,
        };
        let groups: Vec<usize> = measure.of.iter().filter_map(group).collect();
        let names: Vec<&str> = groups.iter().map(|group| self.group_members.flows[*group].0.as_str()).collect();
        (names.join(", "), groups)
    }

    /// The sets of flows of a group that become one number each.
    pub fn flow_sets(&self, measure: &Measure, group: usize) -> Vec<FlowSet> {
        let (name, members) = &self.group_members.flows[group];
        let of = ("of", name.clone());
        if !measure.single {
            return vec![FlowSet { labels: vec![of], group, flows: members.clone().collect(), single: false }];
        }
        let one =
            |(i, flow)| FlowSet { labels: vec![of.clone(), ("flow", format!("{name}[{i}]"))], group, flows: vec![flow], single: true };
        members.clone().enumerate().map(one).collect()
    }

    /// The flows of each class, in whatever groups.
    pub fn by_class(&self, measure: &Measure) -> Vec<FlowSet> {
        let mut flow_sets: Vec<FlowSet> = Vec::new();
        for group in self.joint_groups(measure).1 {
            let class = &self.blueprint.classes[usize::from(self.blueprint.groups[group].class)];
            let flows = self.group_members.flows[group].1.clone();
            match flow_sets.iter_mut().find(|flow_set| flow_set.labels[0].1 == *class) {
                Some(flow_set) => flow_set.flows.extend(flows),
                None => flow_sets.push(FlowSet { labels: vec![("class", class.clone())], group, flows: flows.collect(), single: false }),
            }
        }
        flow_sets
    }

    pub fn evaluate_flow_set(&mut self, measure: &Measure, flow_set: &FlowSet) {
        if measure.metric == MetricKind::Transfers {
            return self.transfer_counts(measure, flow_set);
        }
        if measure.metric.is_over_packets() {
            return self.over_packets(measure, flow_set);
        }
        let labels = flow_set.labels();
        if flow_set.single {
            for (split, value) in self.flow_values(measure, flow_set.group, flow_set.flows[0]) {
                self.push(measure.metric, &join(&labels, &split), value);
            }
            return;
        }
        for take in &measure.take {
            let statistic = [("statistic", take.word().to_owned())];
            let labels = join(&labels, &statistic);
            let pooled = match measure.metric {
                MetricKind::Blocking if *take == Statistic::Mean => Some(call::blocking(self.seen, flow_set.flows.iter().copied())),
                metric => self.pooled_flows(metric, *take, &flow_set.flows),
            };
            if let Some(value) = pooled {
                self.push(measure.metric, &labels, value);
                continue;
            }
            let each: Vec<_> = flow_set.flows.iter().map(|flow| self.flow_values(measure, flow_set.group, *flow)).collect();
            for i in 0..each[0].len() {
                let value = combine(*take, each.iter().map(|splits| splits[i].1));
                self.push(measure.metric, &join(&labels, &each[0][i].0), value);
            }
        }
    }

    /// A flow's value, or its values where there are several.
    fn flow_values(&self, measure: &Measure, group: usize, flow: usize) -> LabelledValues {
        if let Some(every) = measure.interval {
            return call::per_interval(self.seen, flow, every);
        }
        let only = |value| vec![(Vec::new(), value)];
        match measure.metric {
            MetricKind::Calls => call::outcomes(self.seen, flow, self.window),
            MetricKind::Blocking => only(call::blocking(self.seen, std::iter::once(flow))),
            MetricKind::SignalRate => {
                let packet = self.blueprint.groups[group].calls.as_ref().and_then(|calls| calls.request_packet).unwrap_or_default();
                only(call::counters_of(self.seen, flow).blocked as f64 * f64::from(packet) * 8.0 / self.window)
            }
            MetricKind::RepeatedRetransmissions => only(self.repeats(flow) as f64),
            metric => only(self.flow_value(metric, &self.seen.flows[flow])),
        }
    }

    fn repeats(&self, flow: usize) -> u64 {
        let repeats = &self.seen.repeated_retransmissions;
        repeats.binary_search_by_key(&flow, |(flow, _)| flow.index()).map_or(0, |place| repeats[place].1)
    }

    fn flow_value(&self, metric: MetricKind, flow: &FlowCounters) -> f64 {
        let rate = |bytes: u64| bytes as f64 * 8.0 / self.window;
        match metric {
            MetricKind::Throughput => rate(flow.received_bytes),
            MetricKind::PayloadThroughput => rate(flow.received_payload),
            MetricKind::Goodput => rate(flow.goodput_bytes),
            MetricKind::Sent => rate(flow.sent_bytes),
            MetricKind::Loss => flow.lost_packets as f64 / flow.sent_packets as f64,
            MetricKind::Drops => flow.lost_packets as f64,
            MetricKind::Marks => flow.marked_packets as f64,
            MetricKind::MarkingRatio => flow.marked_packets as f64 / flow.received_packets as f64,
            MetricKind::Retransmissions => flow.retransmitted_packets as f64,
            MetricKind::LostRetransmissions => flow.lost_retransmissions as f64,
            MetricKind::Timeouts => flow.timeouts as f64,
            MetricKind::Delay
            | MetricKind::Jitter
            | MetricKind::Ipdv
            | MetricKind::RtpJitter
            | MetricKind::PageTime
            | MetricKind::CompletionTime
            | MetricKind::EfError
            | MetricKind::Slowdown
            | MetricKind::Transfers
            | MetricKind::RepeatedRetransmissions
            | MetricKind::Offered
            | MetricKind::Queue
            | MetricKind::QueueBytes
            | MetricKind::InSystem
            | MetricKind::Wait
            | MetricKind::Utilisation
            | MetricKind::Fairness
            | MetricKind::TimeToFairness
            | MetricKind::Calls
            | MetricKind::Blocking
            | MetricKind::SignalRate
            | MetricKind::TerminationTime
            | MetricKind::MeterState
            | MetricKind::Pauses
            | MetricKind::PausedTime
            | MetricKind::Deadlocked => {
                unreachable!("refused for flows by validation, or no value of a single flow")
            }
        }
    }

    /// Shares of all packets together rather than means over flows.
    fn pooled_flows(&self, metric: MetricKind, take: Statistic, flows: &[usize]) -> Option<f64> {
        let sum = |count: fn(&FlowCounters) -> u64| flows.iter().map(|flow| count(&self.seen.flows[*flow])).sum::<u64>();
        match (metric, take) {
            (MetricKind::MarkingRatio, Statistic::Mean) => {
                Some(sum(|flow| flow.marked_packets) as f64 / sum(|flow| flow.received_packets) as f64)
            }
            (MetricKind::Loss, Statistic::Mean) => Some(sum(|flow| flow.lost_packets) as f64 / sum(|flow| flow.sent_packets) as f64),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_reached_when_it_lasts() {
        // Means of 100, 100, 100, 50 and 100: the third bin is off by 20 %, later ones by 10 % at most.
        let (a, b): (&[u64], &[u64]) = (&[100, 95, 120, 55, 109], &[100, 105, 80, 45, 91]);
        let fair_from = |flows: &[&[u64]], bins, tolerance| {
            let alone: Vec<Vec<&[u64]>> = flows.iter().map(|flow| vec![*flow]).collect();
            fair_from(&alone, bins, tolerance)
        };
        assert_eq!(fair_from(&[a, b], 0..5, 0.1), Some(3));
        assert_eq!(fair_from(&[a, b], 0..5, 0.2), Some(0));
        assert_eq!(fair_from(&[a, b], 1..2, 0.1), Some(1));
        assert_eq!(fair_from(&[a, b], 0..3, 0.1), None);
        // What has got nothing up to the end, and bins in which nobody has anything.
        assert_eq!(fair_from(&[a, &b[..4]], 0..5, 0.1), None);
        assert_eq!(fair_from(&[a, b], 0..6, 0.1), None);
        assert_eq!(fair_from(&[a], 0..5, 0.1), Some(0));
        // Both together are twice their mean, beside which the third has the other half.
        assert_eq!(super::fair_from(&[vec![a, b], vec![&[200; 5]]], 0..5, 0.1), Some(4));
    }
}
