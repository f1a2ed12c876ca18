//! The measurements that a scenario asks for: `[[measure]]`.

pub(crate) mod metric;
pub(crate) mod recording;
pub(crate) mod target;
mod transfer_counts;

use crate::measure::metric::{Between, Grouping, MetricKind, SplitBy, Statistic, TimeUnit};
use crate::measure::recording::RecordingPlan;
use crate::measure::target::{resolve_target, Measurable, MeasurableGroup, Target};
use crate::measure::transfer_counts::add_transfer_counts;
pub(crate) use crate::measure::transfer_counts::measure_texts;
use crate::network::nodes::MAX_ENTITIES;
use crate::read::section::Section;
use crate::read::values::Names;
use penstock_engine::blueprint::SamplePlan;
use penstock_model::call::HoldingPlan;
use penstock_model::id::LinkId;
use penstock_model::parameters::{Check, ClassName, Parameters, Probability};
use penstock_model::printable::quoted;
use penstock_model::units::{Bytes, Duration, Rate};
use std::collections::BTreeSet;

penstock_model::parameters! {
    /// Something to be measured. Without any `[[measure]]`: throughput, goodput, delay and loss of each group of flows or
    /// calls, the fairness between all of them, what became of calls, how many transfers with a size finished, and utilisation, drops and queue of each link that
    /// dropped packets or has a queue, a scheduler or a PCN meter of its own in the scenario.
    pub struct MeasureKeys {
        /// What is measured.
        metric: MetricKind;
        /// The groups of flows or calls, or the links, that it is measured of.
        of: Names;
        /// What becomes one number.
        per: Grouping = "group";
        /// How the packets, members or samples of a metric become one number: each metric says what its statistics are over. The metric's own default if left out. The interval of a number (±) is over runs.
        take: Option<Vec<Statistic>>;
        /// Also the durations that these shares of the packets (or pages, or transfers) do not exceed, such as `[0.5, 0.99]`: of `delay`, `jitter`, `ipdv`, `page-time`, `completion-time` and `wait`, to 0.4 % of themselves, and of `slowdown`.
        quantiles: Option<Vec<Probability>>;
        /// The unit of `delay`, `jitter`, `ipdv` and `rtp-jitter`.
        unit: TimeUnit = "second";
        /// Sample at this interval: the queue, in addition to the time average, or the meters for `meter-state`.
        sample: Option<Duration>;
        /// How the numbers of a link are split, `drops` and `offered` also by precedence, `drops` also by cause; not at all if left out.
        by: Option<Vec<SplitBy>>;
        /// Measure `completion-time`, `slowdown` and `transfers` by classes of size, which end at these sizes, the last of them nowhere: with `["100 kB", "1 MB"]` of the transfers up to 100 kB, of those above up to 1 MB, and of those above that. The label `size` names the class, `up to 100000 bytes`, `100000 bytes to 1000000 bytes` and `above 1000000 bytes` there.
        sizes: Option<Vec<Bytes>>;
        /// Measure `throughput` of calls once in every interval of this length, from the beginning of the run; the bins of `time-to-fairness`, 10 ms if left out.
        interval: Option<Duration>;
        /// By how much a flow's throughput may differ from the mean for `time-to-fairness`, as a share of the mean; 10 % if left out.
        tolerance: Option<Probability>;
        /// Whether `fairness` and `time-to-fairness` compare flows or groups of them.
        between: Between = "flows";
        /// The rate that the load falls below at the end of `termination-time`.
        below: Option<Rate>;
        /// The traffic classes whose aggregate `ef-error` is measured of.
        classes: Option<Vec<ClassName>>;
        /// The rate that `ef-error` compares with (R).
        rate: Option<Rate>;
    }
}
impl Check for MeasureKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.sample == Some(Duration::ZERO) {
            mistake("sample", "an interval must be above zero".to_owned());
        }
        match (self.sample, self.metric) {
            (None, MetricKind::MeterState) => {
                mistake("sample", "is missing: give the sampling interval, as in sample = \"10 ms\"".to_owned())
            }
            (None, _) | (_, MetricKind::Queue | MetricKind::MeterState) => {}
            (Some(_), _) => mistake("sample", "has no effect: only \"queue\" and \"meter-state\" are sampled; leave it out".to_owned()),
        }
        if self.interval == Some(Duration::ZERO) {
            mistake("interval", "an interval must be above zero".to_owned());
        }
        if self.interval.is_some() && !matches!(self.metric, MetricKind::Throughput | MetricKind::TimeToFairness) {
            mistake(
                "interval",
                "has no effect: only metric = \"throughput\" and \"time-to-fairness\" are measured per interval; leave it out".to_owned(),
            );
        }
        if self.tolerance.is_some() && self.metric != MetricKind::TimeToFairness {
            mistake("tolerance", "has no effect: only metric = \"time-to-fairness\" has one; leave it out".to_owned());
        }
        if self.between != Between::Flows && !matches!(self.metric, MetricKind::Fairness | MetricKind::TimeToFairness) {
            mistake("between", "has no effect: only metric = \"fairness\" and \"time-to-fairness\" compare; leave it out".to_owned());
        } else if self.between == Between::Groups && self.of.0.len() < 2 {
            mistake("between", "needs at least two groups in of; with one, compare \"flows\"".to_owned());
        }
        match (self.below, self.metric == MetricKind::TerminationTime) {
            (None, true) => {
                mistake("below", "is missing: give the rate that the load shall fall below, as in below = \"128 Mbit/s\"".to_owned())
            }
            (Some(_), false) => mistake("below", "has no effect: only metric = \"termination-time\" uses it; leave it out".to_owned()),
            _ => {}
        }
        if self.sizes.is_some() && !self.metric.is_of_transfers() {
            mistake("sizes", "has no effect: only completion-time, slowdown and transfers are told by size; leave it out".to_owned());
        }
        if self.sizes.as_ref().is_some_and(Vec::is_empty) {
            mistake("sizes", "names no size; leave it out".to_owned());
        }
        if let Some(i) = self.sizes.iter().flat_map(|sizes| sizes.windows(2)).position(|pair| pair[0] >= pair[1]) {
            mistake("sizes", format!("item {} is not above the one before it; in ascending order", i + 1));
        }
        let names = &self.of.0;
        let mut seen = BTreeSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(*name)) {
            mistake("of", format!("names {} twice", quoted(name)));
        }
        let info = self.metric.info();
        if self.by.is_some() && info.split.is_empty() {
            mistake("by", format!("has no effect: '{}' is not split; leave it out", info.name));
        }
        for by in self.by.iter().flatten().filter(|by| !info.split.is_empty() && !info.split.contains(by)) {
            let allowed: Vec<&str> = info.split.iter().map(|by| by.word()).collect();
            mistake("by", format!("'{}' does not apply to '{}', which is split by {}", by.word(), info.name, allowed.join(", ")));
        }
        self.check_units_and_classes(mistake);
        for other in [SplitBy::Ingress, SplitBy::Circuit] {
            if [SplitBy::Class, other].iter().all(|split| self.by.iter().flatten().any(|by| by == split)) {
                mistake("by", format!("'class' and '{}' are not split at once; measure twice", other.word()));
            }
        }
        if self.take.is_some() && info.take.is_empty() {
            mistake("take", format!("has no effect: '{}' is one number over all that `of` names; leave it out", info.name));
        } else if self.take.is_some()
            && matches!(self.per, Grouping::Flow | Grouping::Link)
            && !self.metric.is_over_packets()
            && !matches!(self.metric, MetricKind::MeterState | MetricKind::Wait)
        {
            mistake(
                "take",
                format!("has no effect with per = \"{}\", where every member is a number of its own; leave it out", self.per.word()),
            );
        } else {
            for take in self.take.iter().flatten().filter(|take| !info.take.contains(take)) {
                let allowed: Vec<&str> = info.take.iter().map(|take| take.word()).collect();
                mistake("take", format!("'{}' does not apply to '{}'; one of {}", take.word(), info.name, allowed.join(", ")));
            }
        }
        if info.take.is_empty() && self.per != Grouping::Group {
            mistake("per", format!("{} is one number over all that `of` names; leave it out", info.name));
        }
    }
}

impl MeasureKeys {
    fn check_units_and_classes(&self, mistake: &mut dyn FnMut(&str, String)) {
        let info = self.metric.info();
        if self.quantiles.is_some() && !info.quantiles {
            let all = MetricKind::ALL.iter().map(|metric| metric.info()).filter(|info| info.quantiles);
            let names: Vec<&str> = all.map(|info| info.name).collect();
            mistake("quantiles", format!("has no effect: only {} have them; leave it out", names.join(", ")));
        }
        if self.unit != TimeUnit::Second && !self.metric.is_span_of_packets() {
            mistake("unit", format!("has no effect: '{}' has one unit only; leave it out", info.name));
        }
        if self.unit != TimeUnit::Second && self.per == Grouping::Class {
            mistake("unit", "groups of one class may have other packet times; leave it out or measure per group".to_owned());
        }
        let written = [("classes", self.classes.is_some()), ("rate", self.rate.is_some())];
        for (key, written) in written {
            match (self.metric == MetricKind::EfError, written) {
                (true, false) if key == "rate" => {
                    mistake(
                        key,
                        "is missing: give the rate that the classes are to be served with, as in rate = \"450 kbit/s\"".to_owned(),
                    );
                }
                (true, false) => mistake(key, "is missing: name the classes, as in classes = [\"ef\"]".to_owned()),
                (false, true) => mistake(key, "has no effect: only metric = \"ef-error\" uses it; leave it out".to_owned()),
                _ => {}
            }
        }
    }
}

/// A measurement whose names are resolved.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub metric: MetricKind,
    pub of: Vec<Target>,
    pub per: Grouping,
    /// Every flow or link by itself.
    pub single: bool,
    pub take: Vec<Statistic>,
    pub quantiles: Vec<f64>,
    pub unit: TimeUnit,
    pub by: Vec<SplitBy>,
    /// Where classes of transfers' sizes end.
    pub sizes: Vec<Bytes>,
    /// The classes that are compared with a server of this rate.
    pub expedited: Option<(Vec<String>, Rate)>,
    /// One number per interval of this length.
    pub interval: Option<Duration>,
    /// How far from the mean is still fair.
    pub tolerance: f64,
    /// What is compared in a fairness.
    pub between: Between,
    /// What the load shall fall below.
    pub below: Rate,
    /// For each target, the sample plans of its members.
    pub samples: Vec<std::ops::Range<usize>>,
    /// Only if the link dropped something; for the default set.
    pub if_dropped: bool,
}

impl Measure {
    /// A measurement of the default set, with the metric's defaults.
    pub fn with_defaults(metric: MetricKind, of: Vec<Target>) -> Measure {
        let take = metric.info().default.to_vec();
        let (quantiles, by, samples, sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (per, unit, interval, below) = (Grouping::Group, TimeUnit::Second, None, Rate::ZERO);
        Measure {
            metric,
            of,
            per,
            single: false,
            take,
            quantiles,
            unit,
            by,
            sizes,
            expedited: None,
            interval,
            tolerance: FAIRNESS_TOLERANCE,
            between: Between::Flows,
            below,
            samples,
            if_dropped: false,
        }
    }
}

/// The length of the run, and of its measurement window.
#[derive(Clone, Copy)]
pub(crate) struct Durations {
    pub run: Duration,
    pub window: Duration,
}

/// How far from the mean is fair unless something else is written.
const FAIRNESS_TOLERANCE: f64 = 0.1;

/// The bins of `time-to-fairness` unless something else is written.
pub(crate) const FAIRNESS_BIN: Duration = Duration::from_ms(10);

/// The most intervals of one measurement.
const MAX_INTERVALS: u64 = 100_000;

/// Reads all `[[measure]]`; `None` if there is none.
pub(crate) fn read_all(
    top: &mut Section<'_>,
    measurable: &Measurable<'_>,
    durations: Option<Durations>,
    recording: &mut RecordingPlan,
) -> Option<Vec<Measure>> {
    let written = top.has("measure");
    let mut measures = Vec::new();
    for mut section in top.tables("measure") {
        let keys = MeasureKeys::read(&mut section);
        if let Some(measure) = keys.and_then(|keys| resolve(&section, keys, measurable, durations, recording)) {
            measures.push(measure);
        }
        section.finish();
    }
    add_transfer_counts(&mut measures);
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
            section.report("sample", format!("{every} is longer than what is counted, so no sample would be taken"));
        }
        let plans = if keys.metric == MetricKind::MeterState { &mut recording.meter_samples } else { &mut recording.samples };
        for target in &of {
            let Target::Links(link) = target else { continue };
            let first = plans.len();
            if first + measurable.links[*link].members.len() > MAX_ENTITIES {
                section.report("sample", format!("more than {MAX_ENTITIES} sampled ports of all measurements are more than fit"));
                return None;
            }
            plans.extend(measurable.links[*link].members.clone().map(|link| SamplePlan { link: LinkId(link), every }));
            ranges.push(first..plans.len());
        }
    }
    if keys.metric == MetricKind::TimeToFairness {
        request_bins(section, &keys, &of, durations, recording);
    } else if let Some(every) = keys.interval {
        request_intervals(section, &keys, &of, every, measurable, durations, recording);
    }
    let extreme = keys.take.iter().flatten().find(|take| matches!(take, Statistic::Min | Statistic::Max));
    let is_single = |target: &Target| matches!(target, Target::Links(link) if measurable.links[*link].members.len() == 1);
    if let Some(extreme) = extreme.filter(|_| keys.metric.is_time_average() && of.iter().all(is_single)) {
        let word = extreme.word();
        let more =
            if keys.metric == MetricKind::Queue { "; sample = \"10 ms\" gives sampled-max, the longest queue of the samples" } else { "" };
        let message = format!("'{word}' of one link is its average over time, as 'mean' is{more}");
        section.mistakes.warn(section.location_of("take"), &section.join("take"), message);
    }
    if let Some(below) = keys.below {
        check_termination_load(section, &of, below, measurable);
    }
    request_recording(section, &keys, &of, measurable, recording);
    let names = |classes: Vec<ClassName>| classes.into_iter().map(|class| class.0).collect();
    Some(Measure {
        metric: keys.metric,
        of,
        per: keys.per,
        single: matches!(keys.per, Grouping::Flow | Grouping::Link),
        take: keys.take.unwrap_or_else(|| info.default.to_vec()),
        quantiles: keys.quantiles.unwrap_or_default().into_iter().map(|quantile| quantile.0).collect(),
        unit: keys.unit,
        by: keys.by.unwrap_or_default(),
        sizes: keys.sizes.unwrap_or_default(),
        expedited: keys.classes.map(names).zip(keys.rate),
        interval: keys.interval,
        tolerance: keys.tolerance.map_or(FAIRNESS_TOLERANCE, |tolerance| tolerance.0),
        between: keys.between,
        below: keys.below.unwrap_or(Rate::ZERO),
        samples: ranges,
        if_dropped: false,
    })
}

/// Requests what must be recorded beyond the counters, and reports what cannot be.
fn request_recording(section: &Section<'_>, keys: &MeasureKeys, of: &[Target], measurable: &Measurable<'_>, recording: &mut RecordingPlan) {
    let (metric, quantiles) = (keys.metric, keys.quantiles.is_some());
    let classes: Vec<String> = keys.classes.iter().flatten().map(|class| class.0.clone()).collect();
    for class in classes.iter().filter(|class| measurable.complete && !measurable.classes.contains(class.as_str())) {
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
                watch.delays |= metric == MetricKind::Delay && quantiles;
                watch.variation |= matches!(metric, MetricKind::Jitter | MetricKind::Ipdv);
                watch.rtp_jitter |= metric == MetricKind::RtpJitter;
                watch.pages |= metric == MetricKind::PageTime && quantiles;
                watch.completion |= metric.is_of_transfers();
                watch.repeated_retransmissions |= metric == MetricKind::RepeatedRetransmissions;
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
                let has_extremes = keys.take.iter().flatten().any(|take| matches!(take, Statistic::Min | Statistic::Max));
                if by_class || (metric == MetricKind::Wait && (quantiles || has_extremes)) {
                    recording.at_links(members).classes = true;
                } else if let (MetricKind::EfError, Some(rate)) = (metric, keys.rate) {
                    if !recording.record_expedited(members, classes.clone(), rate) {
                        section.report("of", format!("more than {MAX_ENTITIES} error terms of all measurements are more than fit"));
                    }
                }
            }
        }
    }
}

/// Requests that what flows receive is counted in bins.
fn request_bins(section: &Section<'_>, keys: &MeasureKeys, of: &[Target], durations: Option<Durations>, recording: &mut RecordingPlan) {
    let every = keys.interval.filter(|every| *every > Duration::ZERO).unwrap_or(FAIRNESS_BIN);
    if let Some(Durations { run, window }) = durations {
        let bins = run.as_ps() / every.as_ps();
        if every > window {
            section.report("interval", format!("{every} is longer than what is counted, so no bin would be complete"));
        } else if bins > MAX_INTERVALS {
            section.report("interval", format!("{every} makes {bins} intervals; at most {MAX_INTERVALS}"));
        }
    }
    for (name, target) in keys.of.0.iter().zip(of) {
        let Target::Flows(group) = target else { continue };
        let bins = &mut recording.groups.entry(*group).or_default().bins;
        match bins {
            Some(other) if *other != every => {
                section.report("interval", format!("another measurement counts '{name}' per {other}; a group has one interval"));
            }
            _ => *bins = Some(every),
        }
    }
}

/// Requests that the groups are counted in intervals.
fn request_intervals(
    section: &Section<'_>,
    keys: &MeasureKeys,
    of: &[Target],
    every: Duration,
    measurable: &Measurable<'_>,
    durations: Option<Durations>,
    recording: &mut RecordingPlan,
) {
    if let Some(Durations { run, .. }) = durations {
        let intervals = run.as_ps() / every.as_ps();
        if intervals == 0 {
            section.report("interval", format!("{every} is longer than the run, so no interval would be complete"));
        } else if intervals > MAX_INTERVALS {
            section.report("interval", format!("{every} makes {intervals} intervals; at most {MAX_INTERVALS}"));
        }
    }
    for (name, target) in keys.of.0.iter().zip(of) {
        let group = match target {
            Target::Flows(group) if measurable.flows[*group].calls.is_some() => *group,
            _ => {
                section.report("interval", format!("only calls are measured per interval, and '{name}' is something else; leave it out"));
                continue;
            }
        };
        match recording.intervals.get(&group) {
            Some(other) if *other != every => {
                section.report("interval", format!("another measurement counts '{name}' per {other}; a group has one interval"));
            }
            Some(_) => {}
            None => {
                recording.intervals.insert(group, every);
            }
        }
    }
}

/// Checks that the calls end by termination alone, and that their load begins above the rate that it shall fall below.
fn check_termination_load(section: &Section<'_>, of: &[Target], below: Rate, measurable: &Measurable<'_>) {
    let mut load = 0u64;
    for target in of {
        let Target::Flows(group) = target else { continue };
        let MeasurableGroup { name, count, calls: Some(calls), .. } = &measurable.flows[*group] else { continue };
        if calls.arrivals.is_some() || !matches!(calls.holding, HoldingPlan::Infinite(_)) {
            section.report(
                "of",
                format!("'{name}' has calls that arrive or end by themselves, so terminations do not determine how many are live"),
            );
            return;
        }
        let initial = calls.initial.total(*count) + calls.surge.as_ref().map_or(0, |surge| surge.calls.total(*count));
        load = load.saturating_add(initial.saturating_mul(calls.call_rate.as_bps()));
    }
    if load < below.as_bps() {
        section.report("below", format!("the initial calls make {}, which is below {below} from the start", Rate::from_bps(load)));
    }
}
