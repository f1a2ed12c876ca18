//! Metrics of flows, groups of flows and classes.

use crate::measure::metric::{Take, What};
use crate::measure::target::Target;
use crate::measure::Measure;
use crate::metrics::call;
use crate::metrics::sheet::{combine, join, Part, Sheet, Split};
use penstock_engine::observations::FlowCounters;

impl Sheet<'_> {
    pub fn fairness(&mut self, measure: &Measure) {
        let (names, groups) = self.together(measure);
        let flows = groups.iter().flat_map(|group| &self.seen.flows[self.roster.flows[*group].1.clone()]);
        let values: Vec<f64> = flows.map(|flow| self.flow_value(What::Throughput, flow)).collect();
        let (sum, squares) = (values.iter().sum::<f64>(), values.iter().map(|x| x * x).sum::<f64>());
        self.push(What::Fairness, &[("of", &names)], sum * sum / (values.len() as f64 * squares));
    }

    pub fn termination_time(&mut self, measure: &Measure) {
        let (names, groups) = self.together(measure);
        let plans: Vec<_> = groups.iter().map(|group| (&self.blueprint.groups[*group], self.roster.flows[*group].1.clone())).collect();
        let reached = call::falls_below(&plans, self.seen, measure.below);
        let start = plans.iter().map(|(group, _)| call::complete(group)).max().unwrap_or_default();
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
    pub fn parts(&self, measure: &Measure, group: usize) -> Vec<Part> {
        let (name, members) = &self.roster.flows[group];
        let of = ("of", name.clone());
        if !measure.single {
            return vec![Part { labels: vec![of], group, flows: members.clone().collect(), single: false }];
        }
        let one = |(i, flow)| Part { labels: vec![of.clone(), ("flow", format!("{name}[{i}]"))], group, flows: vec![flow], single: true };
        members.clone().enumerate().map(one).collect()
    }

    /// What becomes one number each: the flows of a class, in whatever groups.
    pub fn by_class(&self, measure: &Measure) -> Vec<Part> {
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

    pub fn part(&mut self, measure: &Measure, part: &Part) {
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
                What::Blocking if *take == Take::Mean => Some(call::blocking(self.seen, part.flows.iter().copied())),
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
            return call::per_interval(self.seen, flow, every);
        }
        let only = |value| vec![(Vec::new(), value)];
        match measure.what {
            What::Calls => call::outcomes(self.seen, flow, self.window),
            What::Blocking => only(call::blocking(self.seen, std::iter::once(flow))),
            What::SignalRate => {
                let packet = self.blueprint.groups[group].calls.as_ref().and_then(|calls| calls.request_packet).unwrap_or_default();
                only(call::of(self.seen, flow).blocked as f64 * f64::from(packet) * 8.0 / self.window)
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
            | What::CompletionTime
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

fn lost(sent: u64, received: u64) -> f64 {
    sent.saturating_sub(received) as f64 / sent as f64
}
