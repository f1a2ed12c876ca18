//! What a user asks to be measured.

use crate::section::Section;
use crate::suggest::unknown;
use crate::what::{By, Per, Take, What};
use crate::words::Names;
use penstock_engine::blueprint::SamplePlan;
use penstock_model::parameters::{Check, Parameters};
use penstock_model::units::Duration;

penstock_model::parameters! {
    /// Something to be measured. Without any `[[measure]]`: throughput, goodput, delay and loss of each group of flows,
    /// the fairness between all flows, and utilisation, drops and queue of each link that dropped packets or has a queue
    /// or a scheduler of its own in the scenario.
    pub struct MeasureKeys {
        /// What is measured.
        metric: What;
        /// The groups of flows, or the links, that it is measured of.
        of: Names;
        /// What becomes one number.
        per: Per = "group";
        /// How the members of a group become one number; the metric's own default if left out.
        take: Option<Vec<Take>>;
        /// Also sample the queue at this interval.
        sample: Option<Duration>;
        /// How counts of packets (`drops`, `offered`) are split; not at all if left out.
        by: Option<Vec<By>>;
    }
}
impl Check for MeasureKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.sample == Some(Duration::ZERO) {
            mistake("sample", "an interval must be above zero".to_owned());
        }
        if self.sample.is_some() && self.metric != What::Queue {
            mistake("sample", "has no effect: only metric = \"queue\" is sampled; leave it out".to_owned());
        }
        let names = &self.of.0;
        if let Some(i) = (1..names.len()).find(|i| names[..*i].contains(&names[*i])) {
            mistake("of", format!("names '{}' twice", names[i]));
        }
        let info = self.metric.info();
        if self.by.is_some() && info.split.is_empty() {
            mistake("by", "has no effect: only drops and offered are split; leave it out".to_owned());
        }
        for by in self.by.iter().flatten().filter(|by| !info.split.is_empty() && !info.split.contains(by)) {
            mistake("by", format!("'{}' does not apply to '{}', which is split by precedence only", by.word(), info.name));
        }
        if self.take.is_some() && info.take.is_empty() {
            mistake("take", format!("has no effect: '{}' is one number over all that `of` names; leave it out", info.name));
        } else if self.take.is_some() && self.per != Per::Group && self.metric != What::Delay {
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
        if self.metric == What::Fairness && self.per != Per::Group {
            mistake("per", "fairness is one number over all that `of` names; leave it out".to_owned());
        }
    }
}

/// A group of flows or a link of the scenario, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Flows(usize),
    Links(usize),
}

/// A measurement with everything found.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub what: What,
    pub of: Vec<Target>,
    pub single: bool,
    pub take: Vec<Take>,
    pub by: Vec<By>,
    /// For each target, the sample plans of its members.
    pub samples: Vec<std::ops::Range<usize>>,
    /// Only if the link dropped something; for the default set.
    pub if_dropped: bool,
}

impl Measure {
    /// A measurement that nobody wrote, with the metric's defaults.
    pub fn plain(what: What, of: Vec<Target>) -> Measure {
        Measure { what, of, single: false, take: what.info().default.to_vec(), by: Vec::new(), samples: Vec::new(), if_dropped: false }
    }
}

/// What may be measured.
pub(crate) struct Known<'a> {
    /// Names of the groups of flows, and whether they are tcp.
    pub flows: Vec<(&'a str, bool)>,
    /// Names of the links, and their members.
    pub links: Vec<(&'a str, std::ops::Range<u32>)>,
    /// Whether the two lists are complete.
    pub complete: bool,
}

/// Reads all `[[measure]]`; `None` if there is none.
pub(crate) fn read_all(
    top: &mut Section<'_>,
    known: &Known<'_>,
    window: Option<Duration>,
    samples: &mut Vec<SamplePlan>,
) -> Option<Vec<Measure>> {
    let written = top.has("measure");
    let mut measures = Vec::new();
    for mut section in top.tables("measure") {
        let keys = MeasureKeys::read(&mut section);
        if let Some(measure) = keys.and_then(|keys| resolve(&section, keys, known, window, samples)) {
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
    window: Option<Duration>,
    samples: &mut Vec<SamplePlan>,
) -> Option<Measure> {
    let info = keys.metric.info();
    let of: Vec<Option<Target>> = keys.of.0.iter().map(|name| target(section, name, keys.metric, known)).collect();
    let of: Vec<Target> = of.into_iter().collect::<Option<_>>()?;
    let strange = |target: &Target| matches!((keys.per, target), (Per::Flow, Target::Links(_)) | (Per::Link, Target::Flows(_)));
    if let Some(i) = of.iter().position(strange) {
        let right = if keys.per == Per::Flow { "per = \"link\"" } else { "per = \"flow\"" };
        section.wrong("per", format!("'{}' has no {}s; write {right}", keys.of.0[i], keys.per.word()));
        return None;
    }
    let mut ranges = Vec::new();
    if let Some(every) = keys.sample {
        if window.is_some_and(|window| every > window) {
            section.wrong("sample", format!("{every} is longer than what is counted, so no sample would be taken"));
        }
        for target in &of {
            let Target::Links(link) = target else { continue };
            let first = samples.len();
            samples.extend(known.links[*link].1.clone().map(|link| SamplePlan { link: penstock_model::id::LinkId(link), every }));
            ranges.push(first..samples.len());
        }
    }
    Some(Measure {
        what: keys.metric,
        of,
        single: keys.per != Per::Group,
        take: keys.take.unwrap_or_else(|| info.default.to_vec()),
        by: keys.by.unwrap_or_default(),
        samples: ranges,
        if_dropped: false,
    })
}

/// The flows or links called `name`, if the metric applies to them.
fn target(section: &Section<'_>, name: &str, what: What, known: &Known<'_>) -> Option<Target> {
    let info = what.info();
    let applying = |flows: bool| {
        let names: Vec<&str> = What::ALL
            .iter()
            .map(|what| what.info())
            .filter(|info| if flows { info.flows } else { info.links })
            .map(|info| info.name)
            .collect();
        names.join(", ")
    };
    if let Some(flow) = known.flows.iter().position(|(flow, _)| *flow == name) {
        if !info.flows {
            section.wrong(
                "of",
                format!("'{}' is measured of links, and '{name}' is a group of flows; for those: {}", info.name, applying(true)),
            );
            return None;
        }
        if what == What::Retransmissions && !known.flows[flow].1 {
            section.wrong("of", format!("'retransmissions' is measured of tcp, and '{name}' is carried by udp"));
            return None;
        }
        return Some(Target::Flows(flow));
    }
    if let Some(link) = known.links.iter().position(|(link, _)| *link == name) {
        if !info.links {
            section.wrong("of", format!("'{}' is measured of flows, and '{name}' is a link; for those: {}", info.name, applying(false)));
            return None;
        }
        return Some(Target::Links(link));
    }
    if known.complete {
        let flows = known.flows.iter().filter(|_| info.flows).map(|(name, _)| *name);
        let links = known.links.iter().filter(|_| info.links).map(|(name, _)| *name);
        let names: Vec<&str> = flows.chain(links).collect();
        let kind = match (info.flows, info.links) {
            (true, false) => "group of flows",
            (false, true) => "link",
            _ => "group of flows or link",
        };
        section.wrong("of", unknown(kind, name, &names));
    }
    None
}
