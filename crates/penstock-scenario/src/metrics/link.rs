//! Metrics of links.

use crate::measure::metric::{MetricKind, SplitBy, Statistic};
use crate::measure::Measure;
use crate::metrics::evaluation::{combine, join, Evaluation, LabelledValues};
use penstock_engine::observations::{LinkCounters, PausedIngress};
use penstock_model::discipline::{DropCause, PRECEDENCES};
use penstock_model::units::{Duration, PS_PER_SECOND};
use std::ops::Range;

impl Evaluation<'_> {
    /// Evaluates `measure` of a group of links, whose samples are these.
    pub fn links(&mut self, measure: &Measure, group: usize, samples: Option<&Range<usize>>) {
        let (name, members) = &self.group_members.links[group];
        let links = &self.seen.links[members.clone()];
        if measure.if_dropped && links.iter().all(|link| dropped(link, None, None) == 0) {
            return;
        }
        if measure.metric == MetricKind::MeterState {
            self.meter_state(measure, name, members, samples.expect("asked for with an interval"));
            return;
        }
        let samples =
            |range: Range<usize>| samples.map_or(&[][..], |all| &self.seen.samples[all.start + range.start..all.start + range.end]);
        let plans = &self.blueprint.links;
        if measure.single {
            for (i, link) in members.clone().enumerate() {
                let labels = [("of", name.as_str()), ("link", plans[link].path.as_str())];
                let own = samples(i..if measure.samples.is_empty() { i } else { i + 1 });
                self.evaluate_links(measure, link..link + 1, &labels);
                self.sampled(own, &labels);
            }
            return;
        }
        self.evaluate_links(measure, members.clone(), &[("of", name)]);
        let all = samples(0..if measure.samples.is_empty() { 0 } else { links.len() });
        self.sampled(all, &[("of", name)]);
    }

    /// Evaluates links that are aggregated into one number, by class, ingress or circuit if requested.
    fn evaluate_links(&mut self, measure: &Measure, members: Range<usize>, labels: &[(&str, &str)]) {
        if measure.by.contains(&SplitBy::Ingress) {
            for (name, links) in self.by_ingress(&members) {
                self.link_rows(measure, &links, &join(labels, &[("ingress", name)]));
            }
            return;
        }
        if measure.by.contains(&SplitBy::Circuit) {
            for (name, links) in self.by_circuit(&members) {
                self.link_rows(measure, &links, &join(labels, &[("circuit", name)]));
            }
            return;
        }
        if !measure.by.contains(&SplitBy::Class) {
            let links = &self.seen.links[members.clone()];
            return match measure.metric {
                MetricKind::Wait => self.wait_rows(measure, links, (members, None), labels),
                _ => self.link_rows(measure, links, labels),
            };
        }
        for (class, name) in self.classes_at(&members) {
            let name = [("class", name)];
            let labels = join(labels, &name);
            let links = self.of_class(&members, class);
            match measure.metric {
                MetricKind::Wait => self.wait_rows(measure, &links, (members.clone(), Some(class)), &labels),
                _ => self.link_rows(measure, &links, &labels),
            }
        }
    }

    /// Tells of a circle of pauses that never lift, asked for or not: the other numbers are those of a network that stands still.
    pub fn deadlock(&mut self) {
        let of_paused = |paused: &PausedIngress| {
            let link = &self.blueprint.links[paused.link.index()].path;
            paused.class.map_or_else(|| link.clone(), |class| format!("{link} {}", self.blueprint.classes[usize::from(class)]))
        };
        let circle: Vec<String> = self.seen.deadlock.iter().map(of_paused).collect();
        if !circle.is_empty() {
            self.push(MetricKind::Deadlocked, &[("circle", &circle.join(", "))], circle.len() as f64);
        }
    }

    /// The statistics of these links, or the value of a single one.
    fn link_rows(&mut self, measure: &Measure, links: &[LinkCounters], labels: &[(&str, &str)]) {
        let metric = measure.metric;
        if measure.single {
            for (split, value) in self.link_values(measure, &links[0]) {
                self.push(metric, &join(labels, &split), value);
            }
            return;
        }
        for take in &measure.take {
            let statistic = [("statistic", take.word().to_owned())];
            let labels = join(labels, &statistic);
            if let (MetricKind::Loss | MetricKind::MarkingRatio, Statistic::Mean) = (metric, take) {
                let value = self.pooled_links(metric, links);
                self.push(metric, &labels, value);
                continue;
            }
            let each: Vec<_> = links.iter().map(|link| self.link_values(measure, link)).collect();
            for i in 0..each[0].len() {
                let value = combine(*take, each.iter().map(|splits| splits[i].1));
                self.push(metric, &join(&labels, &each[0][i].0), value);
            }
        }
    }

    /// The sampled states of the meters of these links, which are alike.
    fn meter_state(&mut self, measure: &Measure, name: &str, members: &Range<usize>, samples: &Range<usize>) {
        let (plans, sampled) = (&self.blueprint.links, &self.seen.meter_samples[samples.clone()]);
        let port = &plans[members.start].port;
        let marker = port.marker.iter().map(|marker| marker.meter.name());
        let meters: Vec<&str> = marker.chain(port.pcn.iter().map(|meter| meter.name())).collect();
        let shown: Vec<(Vec<(&str, &str)>, &[_])> = match measure.single {
            false => vec![(vec![("of", name)], sampled)],
            true => sampled
                .chunks(1)
                .enumerate()
                .map(|(i, own)| (vec![("of", name), ("link", plans[members.start + i].path.as_str())], own))
                .collect(),
        };
        for (labels, links) in shown {
            for (i, state) in links[0].iter().enumerate() {
                for take in &measure.take {
                    let labels = [&labels[..], &[("statistic", take.word()), ("meter", meters[state.meter]), ("variable", state.variable)]];
                    let value = combine(*take, links.iter().flat_map(|link| link[i].values.iter().copied()));
                    self.push_in(state.unit, MetricKind::MeterState, &labels.concat(), value);
                }
            }
        }
    }

    /// The mean, the standard deviation and the maximum of sampled queues.
    fn sampled(&mut self, samples: &[Vec<u32>], labels: &[(&str, &str)]) {
        if samples.is_empty() {
            return;
        }
        let count: usize = samples.iter().map(Vec::len).sum();
        let total: u64 = samples.iter().flatten().map(|length| u64::from(*length)).sum();
        let greatest = samples.iter().flatten().max().map_or(f64::NAN, |length| f64::from(*length));
        let mean = total as f64 / count as f64;
        let from_mean = |length: &u32| f64::from(*length) - mean;
        let squares: f64 = samples.iter().flatten().map(|length| from_mean(length) * from_mean(length)).sum();
        let deviation = (squares / count as f64).sqrt();
        self.push(MetricKind::Queue, &join(labels, &[("statistic", "sampled-mean".to_owned())]), mean);
        self.push(MetricKind::Queue, &join(labels, &[("statistic", "sampled-deviation".to_owned())]), deviation);
        self.push(MetricKind::Queue, &join(labels, &[("statistic", "sampled-max".to_owned())]), greatest);
    }

    /// A link's value, or its counts split by cause and precedence.
    fn link_values(&self, measure: &Measure, link: &LinkCounters) -> LabelledValues {
        let window_ps = self.window * PS_PER_SECOND as f64;
        let value = match measure.metric {
            MetricKind::Throughput => link.sent_bytes as f64 * 8.0 / self.window,
            MetricKind::Loss | MetricKind::MarkingRatio => self.pooled_links(measure.metric, std::slice::from_ref(link)),
            MetricKind::Marks => link.marked_packets as f64,
            MetricKind::Queue => link.waiting_packet_ps as f64 / window_ps,
            MetricKind::QueueBytes => link.waiting_byte_ps as f64 / window_ps,
            MetricKind::InSystem => (link.waiting_packet_ps + u128::from(link.busy.as_ps())) as f64 / window_ps,
            MetricKind::Utilisation => link.busy.as_seconds() / self.window,
            MetricKind::Drops | MetricKind::Offered => return counts(measure, link),
            MetricKind::Pauses => link.pauses.as_ref().map_or(0.0, |pauses| pauses.frames as f64),
            MetricKind::PausedTime => {
                let times = link.pauses.iter().flat_map(|pauses| &pauses.paused).map(|paused| paused.time);
                times.max().unwrap_or(Duration::ZERO).as_seconds() / self.window
            }
            MetricKind::Deadlocked => link.pauses.as_ref().map_or(0.0, |pauses| f64::from(u8::from(pauses.is_deadlocked))),
            MetricKind::PayloadThroughput
            | MetricKind::Goodput
            | MetricKind::Sent
            | MetricKind::Delay
            | MetricKind::Jitter
            | MetricKind::Ipdv
            | MetricKind::RtpJitter
            | MetricKind::PageTime
            | MetricKind::CompletionTime
            | MetricKind::Slowdown
            | MetricKind::Transfers
            | MetricKind::Wait
            | MetricKind::EfError
            | MetricKind::Fairness
            | MetricKind::Retransmissions
            | MetricKind::LostRetransmissions
            | MetricKind::RepeatedRetransmissions
            | MetricKind::Timeouts
            | MetricKind::Calls
            | MetricKind::Blocking
            | MetricKind::SignalRate
            | MetricKind::TimeToFairness
            | MetricKind::TerminationTime
            | MetricKind::MeterState => {
                unreachable!("refused for links by validation, or evaluated by packets")
            }
        };
        vec![(Vec::new(), value)]
    }

    /// Statistics over the packets of all links together.
    fn pooled_links(&self, metric: MetricKind, links: &[LinkCounters]) -> f64 {
        let offered: u64 = links.iter().flat_map(|link| link.offered_packets).sum();
        let count = |link: &LinkCounters| if metric == MetricKind::Loss { dropped(link, None, None) } else { link.marked_packets };
        links.iter().map(count).sum::<u64>() as f64 / offered as f64
    }
}

/// Drops or offered packets of a link, split as asked; every cause that may occur there and every precedence has its row, so
/// that runs compare.
fn counts(measure: &Measure, link: &LinkCounters) -> LabelledValues {
    let causes: Vec<Option<usize>> = match measure.by.contains(&SplitBy::Cause) {
        true => {
            let may_occur = |cause: &usize| match DropCause::ALL[*cause] {
                DropCause::Buffer => link.shares_buffer,
                DropCause::Limiter => link.has_limiters,
                DropCause::Headroom => link.has_headroom,
                DropCause::Partial => link.carries_cells,
                _ => true,
            };
            (0..DropCause::ALL.len()).filter(may_occur).map(Some).collect()
        }
        false => vec![None],
    };
    let precedences: Vec<Option<usize>> = match measure.by.contains(&SplitBy::Precedence) {
        true => (0..PRECEDENCES).map(Some).collect(),
        false => vec![None],
    };
    let mut rows = Vec::new();
    for cause in &causes {
        for precedence in &precedences {
            let mut labels = Vec::new();
            labels.extend(cause.map(|cause| ("cause", DropCause::ALL[cause].name().to_owned())));
            labels.extend(precedence.map(|precedence| ("precedence", precedence.to_string())));
            let count = match measure.metric {
                MetricKind::Drops => dropped(link, *cause, *precedence),
                _ => precedence.map_or_else(|| link.offered_packets.iter().sum(), |precedence| link.offered_packets[precedence]),
            };
            rows.push((labels, count as f64));
        }
    }
    rows
}

fn dropped(link: &LinkCounters, cause: Option<usize>, precedence: Option<usize>) -> u64 {
    let of_cause = |(i, _): &(usize, _)| cause.is_none_or(|cause| cause == *i);
    let counts = link.dropped_packets.iter().enumerate().filter(of_cause);
    counts
        .flat_map(|(_, counts)| counts.iter().enumerate())
        .filter(|(i, _)| precedence.is_none_or(|precedence| precedence == *i))
        .map(|(_, count)| count)
        .sum()
}
