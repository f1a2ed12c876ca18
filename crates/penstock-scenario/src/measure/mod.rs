//! The measurements that a scenario asks for: `[[measure]]`.

pub(crate) mod metric;
pub(crate) mod recording;
pub(crate) mod target;

use crate::measure::metric::{By, In, Per, Take, What};
use crate::measure::recording::Recording;
use crate::measure::target::{target, Known, KnownGroup, Target};
use crate::read::section::Section;
use crate::read::suggest::unknown;
use crate::read::values::Names;
use penstock_engine::blueprint::SamplePlan;
use penstock_model::call::HoldingPlan;
use penstock_model::id::LinkId;
use penstock_model::parameters::{Check, ClassName, Parameters, Probability};
use penstock_model::printable::quoted;
use penstock_model::units::{Duration, Rate};

penstock_model::parameters! {
    /// Something to be measured. Without any `[[measure]]`: throughput, goodput, delay and loss of each group of flows or
    /// calls, the fairness between all of them, what became of calls, and utilisation, drops and queue of each link that
    /// dropped packets or has a queue, a scheduler or a PCN meter of its own in the scenario.
    pub struct MeasureKeys {
        /// What is measured.
        metric: What;
        /// The groups of flows or calls, or the links, that it is measured of.
        of: Names;
        /// What becomes one number.
        per: Per = "group";
        /// How the members of a group become one number; the metric's own default if left out.
        take: Option<Vec<Take>>;
        /// Also the spans that these shares of the packets (or pages, or transfers) do not exceed, such as `[0.5, 0.99]`: of `delay`, `jitter`, `ipdv`, `page-time`, `completion-time` and `wait`, to 0.4 % of themselves.
        quantiles: Option<Vec<Probability>>;
        /// In what `delay`, `jitter`, `ipdv` and `rtp-jitter` are told.
        unit: In = "second";
        /// Sample at this interval: the queue, beside what `queue` tells anyway, or the meters for `meter-state`.
        sample: Option<Duration>;
        /// How the numbers of a link are split, `drops` and `offered` also by precedence, `drops` also by cause; not at all if left out.
        by: Option<Vec<By>>;
        /// Measure `throughput` of calls once in every interval of this length, from the beginning of the run.
        interval: Option<Duration>;
        /// The rate that `termination-time` waits for.
        below: Option<Rate>;
        /// The traffic classes that `ef-error` looks at together.
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
            (None, What::MeterState) => {
                mistake("sample", "is missing: say how often to look at the meters, as in sample = \"10 ms\"".to_owned())
            }
            (None, _) | (_, What::Queue | What::MeterState) => {}
            (Some(_), _) => mistake("sample", "has no effect: only \"queue\" and \"meter-state\" are sampled; leave it out".to_owned()),
        }
        if self.interval == Some(Duration::ZERO) {
            mistake("interval", "an interval must be above zero".to_owned());
        }
        if self.interval.is_some() && self.metric != What::Throughput {
            mistake("interval", "has no effect: only metric = \"throughput\" is measured per interval; leave it out".to_owned());
        }
        match (self.below, self.metric == What::TerminationTime) {
            (None, true) => {
                mistake("below", "is missing: say which rate the calls shall fall below, as in below = \"128 Mbit/s\"".to_owned())
            }
            (Some(_), false) => mistake("below", "has no effect: only metric = \"termination-time\" looks at it; leave it out".to_owned()),
            _ => {}
        }
        let names = &self.of.0;
        if let Some(i) = (1..names.len()).find(|i| names[..*i].contains(&names[*i])) {
            mistake("of", format!("names {} twice", quoted(&names[i])));
        }
        let info = self.metric.info();
        if self.by.is_some() && info.split.is_empty() {
            mistake("by", format!("has no effect: '{}' is not split; leave it out", info.name));
        }
        for by in self.by.iter().flatten().filter(|by| !info.split.is_empty() && !info.split.contains(by)) {
            let allowed: Vec<&str> = info.split.iter().map(|by| by.word()).collect();
            mistake("by", format!("'{}' does not apply to '{}', which is split by {}", by.word(), info.name, allowed.join(" and ")));
        }
        self.check_spans(mistake);
        if self.take.is_some() && info.take.is_empty() {
            mistake("take", format!("has no effect: '{}' is one number over all that `of` names; leave it out", info.name));
        } else if self.take.is_some()
            && matches!(self.per, Per::Flow | Per::Link)
            && !self.metric.is_over_packets()
            && self.metric != What::MeterState
        {
            mistake(
                "take",
                format!("has no effect with per = \"{}\", where every member is a number of its own; leave it out", self.per.word()),
            );
        } else {
            for take in self.take.iter().flatten().filter(|take| !info.take.contains(take)) {
                let allowed: Vec<&str> = info.take.iter().map(|take| take.word()).collect();
                mistake("take", format!("'{}' makes no sense for '{}'; one of {}", take.word(), info.name, allowed.join(", ")));
            }
        }
        if info.take.is_empty() && self.per != Per::Group {
            mistake("per", format!("{} is one number over all that `of` names; leave it out", info.name));
        }
    }
}

impl MeasureKeys {
    fn check_spans(&self, mistake: &mut dyn FnMut(&str, String)) {
        let info = self.metric.info();
        if self.quantiles.is_some() && !info.quantiles {
            let all = What::ALL.iter().map(|what| what.info()).filter(|info| info.quantiles);
            let names: Vec<&str> = all.map(|info| info.name).collect();
            mistake("quantiles", format!("has no effect: only {} have them; leave it out", names.join(", ")));
        }
        if self.unit != In::Second && !self.metric.is_span_of_packets() {
            mistake("unit", format!("has no effect: '{}' has one unit only; leave it out", info.name));
        }
        if self.unit != In::Second && self.per == Per::Class {
            mistake("unit", "groups of one class may have other packet times; leave it out or measure per group".to_owned());
        }
        let written = [("classes", self.classes.is_some()), ("rate", self.rate.is_some())];
        for (key, written) in written {
            match (self.metric == What::EfError, written) {
                (true, false) if key == "rate" => {
                    mistake(key, "is missing: say which rate the classes shall be served with, as in rate = \"450 kbit/s\"".to_owned());
                }
                (true, false) => mistake(key, "is missing: say which classes are looked at, as in classes = [\"ef\"]".to_owned()),
                (false, true) => mistake(key, "has no effect: only metric = \"ef-error\" looks at it; leave it out".to_owned()),
                _ => {}
            }
        }
    }
}

/// A measurement with everything found.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub what: What,
    pub of: Vec<Target>,
    pub per: Per,
    /// Every flow or link by itself.
    pub single: bool,
    pub take: Vec<Take>,
    pub quantiles: Vec<f64>,
    pub unit: In,
    pub by: Vec<By>,
    /// The classes that are compared with a server of this rate.
    pub expedited: Option<(Vec<String>, Rate)>,
    /// One number per interval of this length.
    pub interval: Option<Duration>,
    /// What the load shall fall below.
    pub below: Rate,
    /// For each target, the sample plans of its members.
    pub samples: Vec<std::ops::Range<usize>>,
    /// Only if the link dropped something; for the default set.
    pub if_dropped: bool,
}

impl Measure {
    /// A measurement of the default set, with the metric's defaults.
    pub fn plain(what: What, of: Vec<Target>) -> Measure {
        let take = what.info().default.to_vec();
        let (quantiles, by, samples) = (Vec::new(), Vec::new(), Vec::new());
        let (per, unit, interval, below) = (Per::Group, In::Second, None, Rate::ZERO);
        Measure { what, of, per, single: false, take, quantiles, unit, by, expedited: None, interval, below, samples, if_dropped: false }
    }
}

/// How long a run is, and how long it counts.
#[derive(Clone, Copy)]
pub(crate) struct Spans {
    pub run: Duration,
    pub window: Duration,
}

/// The most intervals of one measurement.
const MOST_INTERVALS: u64 = 100_000;

/// Reads all `[[measure]]`; `None` if there is none.
pub(crate) fn read_all(top: &mut Section<'_>, known: &Known<'_>, spans: Option<Spans>, recording: &mut Recording) -> Option<Vec<Measure>> {
    let written = top.has("measure");
    let mut measures = Vec::new();
    for mut section in top.tables("measure") {
        let keys = MeasureKeys::read(&mut section);
        if let Some(measure) = keys.and_then(|keys| resolve(&section, keys, known, spans, recording)) {
            measures.push(measure);
        }
        section.finish();
    }
    written.then_some(measures)
}

fn resolve(
    section: &Section<'_>,
    keys: MeasureKeys,
    known: &Known<'_>,
    spans: Option<Spans>,
    recording: &mut Recording,
) -> Option<Measure> {
    let info = keys.metric.info();
    let of: Vec<Option<Target>> = keys.of.0.iter().map(|name| target(section, name, keys.metric, known)).collect();
    let of: Vec<Target> = of.into_iter().collect::<Option<_>>()?;
    let mismatched =
        |target: &Target| matches!((keys.per, target), (Per::Flow | Per::Class, Target::Links(_)) | (Per::Link, Target::Flows(_)));
    if let Some(i) = of.iter().position(mismatched) {
        let message = match keys.per {
            Per::Class => format!("'{}' is a link; write by = [\"class\"]", keys.of.0[i]),
            Per::Flow => format!("'{}' has no flows; write per = \"link\"", keys.of.0[i]),
            _ => format!("'{}' has no links; write per = \"flow\"", keys.of.0[i]),
        };
        section.wrong("per", message);
        return None;
    }
    let mut ranges = Vec::new();
    if let Some(every) = keys.sample {
        if spans.is_some_and(|spans| every > spans.window) {
            section.wrong("sample", format!("{every} is longer than what is counted, so no sample would be taken"));
        }
        let plans = if keys.metric == What::MeterState { &mut recording.meter_samples } else { &mut recording.samples };
        for target in &of {
            let Target::Links(link) = target else { continue };
            let first = plans.len();
            plans.extend(known.links[*link].members.clone().map(|link| SamplePlan { link: LinkId(link), every }));
            ranges.push(first..plans.len());
        }
    }
    if let Some(every) = keys.interval {
        per_interval(section, &keys, &of, every, known, spans, recording);
    }
    if let Some(below) = keys.below {
        terminated(section, &of, below, known);
    }
    watch(section, &keys, &of, known, recording);
    let names = |classes: Vec<ClassName>| classes.into_iter().map(|class| class.0).collect();
    Some(Measure {
        what: keys.metric,
        of,
        per: keys.per,
        single: matches!(keys.per, Per::Flow | Per::Link),
        take: keys.take.unwrap_or_else(|| info.default.to_vec()),
        quantiles: keys.quantiles.unwrap_or_default().into_iter().map(|quantile| quantile.0).collect(),
        unit: keys.unit,
        by: keys.by.unwrap_or_default(),
        expedited: keys.classes.map(names).zip(keys.rate),
        interval: keys.interval,
        below: keys.below.unwrap_or(Rate::ZERO),
        samples: ranges,
        if_dropped: false,
    })
}

/// Notes what is to be recorded beyond the counters, and what stands against it.
fn watch(section: &Section<'_>, keys: &MeasureKeys, of: &[Target], known: &Known<'_>, recording: &mut Recording) {
    let (what, quantiles) = (keys.metric, keys.quantiles.is_some());
    let classes: Vec<String> = keys.classes.iter().flatten().map(|class| class.0.clone()).collect();
    let mut all: Vec<&str> = known.flows.iter().map(|group| group.class).collect();
    all.sort_unstable();
    all.dedup();
    for class in classes.iter().filter(|class| known.complete && !all.contains(&class.as_str())) {
        section.wrong("classes", unknown("class", class, &all));
    }
    let by_class = keys.by.iter().flatten().any(|by| *by == By::Class);
    for (name, target) in keys.of.0.iter().zip(of) {
        match target {
            Target::Flows(group) => {
                let plan = &known.flows[*group];
                if keys.unit == In::PacketTime && plan.spacing.is_none() {
                    section.wrong("unit", format!("'{name}' has no packet time: only cbr flows keep a spacing; leave it out"));
                }
                if keys.by.is_some() {
                    section.wrong("by", format!("'{name}' is not a link; write per = \"class\" or leave it out"));
                }
                let watch = recording.groups.entry(*group).or_default();
                watch.delays |= what == What::Delay && quantiles;
                watch.variation |= matches!(what, What::Jitter | What::Ipdv);
                watch.rtp_jitter |= what == What::RtpJitter;
                watch.pages |= what == What::PageTime && quantiles;
                watch.completion |= what == What::CompletionTime;
            }
            Target::Links(link) => {
                let members = known.links[*link].members.clone();
                if by_class || (what == What::Wait && quantiles) {
                    recording.at_links(members, |link| link.classes = true);
                } else if let (What::EfError, Some(rate)) = (what, keys.rate) {
                    let aggregate = (classes.clone(), rate);
                    recording
                        .at_links(members, |link| link.expedited.extend((!link.expedited.contains(&aggregate)).then(|| aggregate.clone())));
                }
            }
        }
    }
}

/// Notes that the groups are to be counted in intervals.
fn per_interval(
    section: &Section<'_>,
    keys: &MeasureKeys,
    of: &[Target],
    every: Duration,
    known: &Known<'_>,
    spans: Option<Spans>,
    recording: &mut Recording,
) {
    if let Some(Spans { run, .. }) = spans {
        let intervals = run.as_ps() / every.as_ps();
        if intervals == 0 {
            section.wrong("interval", format!("{every} is longer than the run, so no interval would be complete"));
        } else if intervals > MOST_INTERVALS {
            section.wrong("interval", format!("{every} makes {intervals} intervals; at most {MOST_INTERVALS}"));
        }
    }
    for (name, target) in keys.of.0.iter().zip(of) {
        let group = match target {
            Target::Flows(group) if known.flows[*group].calls.is_some() => *group,
            _ => {
                section.wrong("interval", format!("only calls are measured per interval, and '{name}' is something else; leave it out"));
                continue;
            }
        };
        match recording.intervals.iter().find(|(other, _)| *other == group) {
            Some((_, other)) if *other != every => {
                section.wrong("interval", format!("another measurement counts '{name}' per {other}; a group has one interval"));
            }
            Some(_) => {}
            None => recording.intervals.push((group, every)),
        }
    }
}

/// The load of groups whose calls only ever end by termination must begin above what it shall fall below.
fn terminated(section: &Section<'_>, of: &[Target], below: Rate, known: &Known<'_>) {
    let mut load = 0u64;
    for target in of {
        let Target::Flows(group) = target else { continue };
        let KnownGroup { name, count, calls: Some(calls), .. } = &known.flows[*group] else { continue };
        if calls.arrivals.is_some() || !matches!(calls.holding, HoldingPlan::Infinite(_)) {
            section.wrong("of", format!("'{name}' has calls that come or go by themselves, so terminations do not tell how many live"));
            return;
        }
        let initial = (*count as u64).saturating_mul(calls.together());
        load = load.saturating_add(initial.saturating_mul(calls.call_rate.as_bps()));
    }
    if load < below.as_bps() {
        section.wrong("below", format!("the initial calls make {}, which is below {below} from the start", Rate::from_bps(load)));
    }
}
