//! From what a run counted to the numbers that were asked for.

use crate::call_metrics;
use crate::measure::Measure;
use crate::target::Target;
use crate::what::{Per, Take, What};
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::{FlowCounters, Observations};
use penstock_model::units::PS_PER_SECOND;
use std::ops::Range;

/// A number that a run yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// The metric's name, such as `throughput`.
    pub name: &'static str,
    /// What distinguishes it from others of that name: `of`, `flow`, `link` or `class`, `statistic` or `quantile`, and what
    /// splits it, such as `cause`, `precedence`, `error`, `until`, `what` or `from`.
    pub labels: Vec<(String, String)>,
    /// The unit; `1` for a share.
    pub unit: &'static str,
    /// The number; not a number where there is nothing to average, such as the delay of packets of which none arrived.
    pub value: f64,
}

/// The names and members of a scenario's groups of flows and calls, in the blueprint's order, and of its links.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    pub flows: Vec<(String, Range<usize>)>,
    pub links: Vec<(String, Range<usize>)>,
}

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

/// Values of one member, each with the labels that tell it from the others.
pub(crate) type Split = Vec<(Vec<(&'static str, String)>, f64)>;

/// Flows that become one number: a group, a single flow or a class.
pub(crate) struct Part {
    labels: Vec<(&'static str, String)>,
    /// Position of their group, or of one of their groups.
    pub group: usize,
    pub flows: Vec<usize>,
    /// A flow by itself, whose value needs no statistic.
    single: bool,
}

impl Part {
    /// What tells it from others.
    pub fn labels(&self) -> Vec<(&str, &str)> {
        self.labels.iter().map(|(key, value)| (*key, value.as_str())).collect()
    }
}

/// The numbers found so far, and what they come from.
pub(crate) struct Sheet<'a> {
    pub roster: &'a Roster,
    pub blueprint: &'a Blueprint,
    pub seen: &'a Observations,
    /// How long was counted, in seconds.
    pub window: f64,
    metrics: Vec<Metric>,
}

impl Sheet<'_> {
    /// Adds a number.
    pub fn push(&mut self, what: What, labels: &[(&str, &str)], value: f64) {
        self.push_in(what.info().unit, what, labels, value);
    }

    /// Adds a number whose unit is not the metric's.
    pub fn push_in(&mut self, unit: &'static str, what: What, labels: &[(&str, &str)], value: f64) {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        self.metrics.push(Metric { name: what.info().name, labels, unit, value });
    }

    fn fairness(&mut self, measure: &Measure) {
        let (names, groups) = self.together(measure);
        let flows = groups.iter().flat_map(|group| &self.seen.flows[self.roster.flows[*group].1.clone()]);
        let values: Vec<f64> = flows.map(|flow| self.flow_value(What::Throughput, flow)).collect();
        let (sum, squares) = (values.iter().sum::<f64>(), values.iter().map(|x| x * x).sum::<f64>());
        self.push(What::Fairness, &[("of", &names)], sum * sum / (values.len() as f64 * squares));
    }

    fn termination_time(&mut self, measure: &Measure) {
        let (names, groups) = self.together(measure);
        let plans: Vec<_> = groups.iter().map(|group| (&self.blueprint.groups[*group], self.roster.flows[*group].1.clone())).collect();
        let reached = call_metrics::falls_below(&plans, self.seen, measure.below);
        let start = plans.iter().map(|(group, _)| call_metrics::complete(group)).max().unwrap_or_default();
        for (word, from) in [("first-termination", reached.map(|(first, _)| first)), ("start", Some(start))] {
            let span = reached.zip(from).map_or(f64::NAN, |((_, at), from)| at.since(from).as_seconds());
            self.push(What::TerminationTime, &[("of", &names), ("from", word)], span);
        }
    }

    /// The groups that are measured as one, and their names.
    fn together(&self, measure: &Measure) -> (String, Vec<usize>) {
        let group = |target: &Target| match target {
            Target::Flows(group) => Some(*group),
            Target::Links(_) => None,
        };
        let groups: Vec<usize> = measure.of.iter().filter_map(group).collect();
        let names: Vec<&str> = groups.iter().map(|group| self.roster.flows[*group].0.as_str()).collect();
        (names.join(", "), groups)
    }

    /// What becomes one number each, of a group of flows.
    fn parts(&self, measure: &Measure, group: usize) -> Vec<Part> {
        let (name, members) = &self.roster.flows[group];
        let of = ("of", name.clone());
        if !measure.single {
            return vec![Part { labels: vec![of], group, flows: members.clone().collect(), single: false }];
        }
        let one = |(i, flow)| Part { labels: vec![of.clone(), ("flow", format!("{name}[{i}]"))], group, flows: vec![flow], single: true };
        members.clone().enumerate().map(one).collect()
    }

    /// What becomes one number each: the flows of a class, in whatever groups.
    fn by_class(&self, measure: &Measure) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for group in self.together(measure).1 {
            let class = &self.blueprint.classes[usize::from(self.blueprint.groups[group].class)];
            let flows = self.roster.flows[group].1.clone();
            match parts.iter_mut().find(|part| part.labels[0].1 == *class) {
                Some(part) => part.flows.extend(flows),
                None => parts.push(Part { labels: vec![("class", class.clone())], group, flows: flows.collect(), single: false }),
            }
        }
        parts
    }

    fn part(&mut self, measure: &Measure, part: &Part) {
        if measure.what.is_over_packets() {
            return self.over_packets(measure, part);
        }
        let labels = part.labels();
        if part.single {
            for (split, value) in self.split_flow(measure, part.group, part.flows[0]) {
                self.push(measure.what, &join(&labels, &split), value);
            }
            return;
        }
        for take in &measure.take {
            let statistic = [("statistic", take.word().to_owned())];
            let labels = join(&labels, &statistic);
            let pooled = match measure.what {
                What::Blocking if *take == Take::Mean => Some(call_metrics::blocking(self.seen, part.flows.iter().copied())),
                what => self.pooled_flows(what, *take, &part.flows),
            };
            if let Some(value) = pooled {
                self.push(measure.what, &labels, value);
                continue;
            }
            let each: Vec<_> = part.flows.iter().map(|flow| self.split_flow(measure, part.group, *flow)).collect();
            for i in 0..each[0].len() {
                let value = combine(*take, each.iter().map(|splits| splits[i].1));
                self.push(measure.what, &join(&labels, &each[0][i].0), value);
            }
        }
    }

    /// A flow's value, or its values where there are several.
    fn split_flow(&self, measure: &Measure, group: usize, flow: usize) -> Split {
        if let Some(every) = measure.interval {
            return call_metrics::per_interval(self.seen, flow, every);
        }
        let only = |value| vec![(Vec::new(), value)];
        match measure.what {
            What::Calls => call_metrics::outcomes(self.seen, flow, self.window),
            What::Blocking => only(call_metrics::blocking(self.seen, std::iter::once(flow))),
            What::SignalRate => {
                let packet = self.blueprint.groups[group].calls.as_ref().and_then(|calls| calls.request_packet).unwrap_or_default();
                only(call_metrics::of(self.seen, flow).blocked as f64 * f64::from(packet) * 8.0 / self.window)
            }
            what => only(self.flow_value(what, &self.seen.flows[flow])),
        }
    }

    fn flow_value(&self, what: What, flow: &FlowCounters) -> f64 {
        let rate = |bytes: u64| bytes as f64 * 8.0 / self.window;
        match what {
            What::Throughput => rate(flow.received_bytes),
            What::PayloadThroughput => rate(flow.received_payload),
            What::Goodput => rate(flow.goodput_bytes),
            What::Sent => rate(flow.sent_bytes),
            What::Loss => lost(flow.sent_packets, flow.received_packets),
            What::Marks => flow.marked_packets as f64,
            What::MarkingRatio => flow.marked_packets as f64 / flow.received_packets as f64,
            What::Retransmissions => flow.retransmitted_packets as f64,
            What::Delay
            | What::Jitter
            | What::Ipdv
            | What::RtpJitter
            | What::PageTime
            | What::EfError
            | What::Drops
            | What::Offered
            | What::Queue
            | What::QueueBytes
            | What::InSystem
            | What::Wait
            | What::Utilisation
            | What::Fairness
            | What::Calls
            | What::Blocking
            | What::SignalRate
            | What::TerminationTime
            | What::MeterState => {
                unreachable!("refused for flows by validation, or no value of a single flow")
            }
        }
    }

    /// Shares of all packets together rather than means over flows.
    fn pooled_flows(&self, what: What, take: Take, flows: &[usize]) -> Option<f64> {
        let sum = |count: fn(&FlowCounters) -> u64| flows.iter().map(|flow| count(&self.seen.flows[*flow])).sum::<u64>();
        match (what, take) {
            (What::MarkingRatio, Take::Mean) => Some(sum(|flow| flow.marked_packets) as f64 / sum(|flow| flow.received_packets) as f64),
            (What::Loss, Take::Mean) => Some(lost(sum(|flow| flow.sent_packets), sum(|flow| flow.received_packets))),
            _ => None,
        }
    }
}

pub(crate) fn join<'a>(labels: &[(&'a str, &'a str)], more: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    labels.iter().copied().chain(more.iter().map(|(key, value)| (*key, value.as_str()))).collect()
}

pub(crate) fn combine(take: Take, values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    match take {
        Take::Sum => values.iter().sum(),
        Take::Mean => values.iter().sum::<f64>() / values.len() as f64,
        Take::Min => values.iter().copied().fold(f64::NAN, f64::min),
        Take::Max => values.iter().copied().fold(f64::NAN, f64::max),
    }
}

pub(crate) fn mean_seconds(sum_ps: u128, count: u64) -> f64 {
    sum_ps as f64 / count as f64 / PS_PER_SECOND as f64
}

fn lost(sent: u64, received: u64) -> f64 {
    sent.saturating_sub(received) as f64 / sent as f64
}
