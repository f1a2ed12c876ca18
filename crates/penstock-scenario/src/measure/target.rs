//! The targets of measurements: groups of flows or calls, and links.

use crate::measure::metric::{MetricInfo, MetricKind};
use crate::read::section::Section;
use crate::read::suggest::Suggestions;
use penstock_engine::blueprint::CallsPlan;
use penstock_model::units::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A group of flows or calls, or a link of the scenario, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Flows(usize),
    Links(usize),
}

/// A group of flows or calls that may be measured.
pub(crate) struct MeasurableGroup<'a> {
    pub name: &'a str,
    /// What is lost is sent again.
    pub is_reliable: bool,
    pub is_tcp: bool,
    /// Its source is `http`.
    pub is_http: bool,
    /// Transfers a file of a certain size.
    pub has_size: bool,
    /// The packet time, where the source has one.
    pub spacing: Option<Duration>,
    pub class: &'a str,
    pub count: usize,
    pub calls: Option<&'a CallsPlan>,
}

/// A group of links that may be measured.
pub(crate) struct MeasurableLink<'a> {
    pub name: &'a str,
    pub members: Range<u32>,
    /// Whether its ports have a marker or PCN meters.
    pub has_meters: bool,
    /// Whether these have variables that are not of single circuits.
    pub has_sampled_meters: bool,
    /// Whether it carries cells.
    pub carries_cells: bool,
}

/// What may be measured.
pub(crate) struct Measurable<'a> {
    /// The groups of flows and calls.
    pub flows: Vec<MeasurableGroup<'a>>,
    /// The links.
    pub links: Vec<MeasurableLink<'a>>,
    /// Whether the two lists are complete.
    pub complete: bool,
    /// Where each name stands; that of a group of flows before that of a link.
    by_name: BTreeMap<&'a str, Target>,
    /// The classes of the flows, sorted.
    pub classes: BTreeSet<&'a str>,
    /// Whether any group is one of calls.
    has_calls: bool,
}

impl<'a> Measurable<'a> {
    /// These groups and links.
    pub fn new(flows: Vec<MeasurableGroup<'a>>, links: Vec<MeasurableLink<'a>>, complete: bool) -> Measurable<'a> {
        let mut by_name = BTreeMap::new();
        let names = flows.iter().enumerate().map(|(i, group)| (group.name, Target::Flows(i)));
        for (name, target) in names.chain(links.iter().enumerate().map(|(i, link)| (link.name, Target::Links(i)))) {
            by_name.entry(name).or_insert(target);
        }
        let classes = flows.iter().map(|group| group.class).collect();
        let has_calls = flows.iter().any(|group| group.calls.is_some());
        Measurable { flows, links, complete, by_name, classes, has_calls }
    }
}

/// The flows, calls or links called `name`, if the metric applies to them.
pub(crate) fn resolve_target(section: &Section<'_>, name: &str, metric: MetricKind, measurable: &Measurable<'_>) -> Option<Target> {
    let found = match measurable.by_name.get(name) {
        Some(Target::Flows(i)) => check_group(metric, &measurable.flows[*i]).map(|()| Target::Flows(*i)),
        Some(Target::Links(i)) => check_link(metric, &measurable.links[*i]).map(|()| Target::Links(*i)),
        None if measurable.complete => Err(unknown_target(metric, name, measurable, &section.mistakes.suggestions)),
        None => return None,
    };
    found.map_err(|message| section.report("of", message)).ok()
}

/// Whether the metric applies to a group of flows or calls; otherwise why not.
fn check_group(metric: MetricKind, group: &MeasurableGroup<'_>) -> Result<(), String> {
    let (info, name) = (metric.info(), group.name);
    let (applies, kind, those) = match group.calls {
        Some(_) => (info.calls, "calls", applying(|info| info.calls)),
        None => (info.flows, "flows", applying(|info| info.flows)),
    };
    if !applies {
        let of = measured_of(&info);
        Err(format!("'{}' is measured of {of}, and '{name}' is a group of {kind}; for those: {those}", info.name))
    } else if metric == MetricKind::RepeatedRetransmissions && !group.is_tcp {
        Err(format!("'{}' is measured of tcp, and '{name}' is carried by another transport", info.name))
    } else if matches!(metric, MetricKind::Retransmissions | MetricKind::LostRetransmissions | MetricKind::Timeouts) && !group.is_reliable {
        Err(format!("'{}' is measured of tcp, and '{name}' is carried by udp", info.name))
    } else if metric == MetricKind::PageTime && !group.is_http {
        Err(format!("'page-time' is measured of source http, and '{name}' has another"))
    } else if metric.is_of_transfers() && !group.has_size {
        Err(format!("'{}' is measured of source ftp with a size, and '{name}' has another", info.name))
    } else if metric == MetricKind::SignalRate && group.calls.is_some_and(|calls| calls.request_packet.is_none()) {
        Err(format!("the requests of '{name}' are not packets; write signalling = {{ packet = \"160 bytes\" }} there, or leave it out"))
    } else {
        Ok(())
    }
}

/// Whether the metric applies to a group of links; otherwise why not.
fn check_link(metric: MetricKind, link: &MeasurableLink<'_>) -> Result<(), String> {
    let (info, name) = (metric.info(), link.name);
    if !info.links {
        let (of, those) = (measured_of(&info), applying(|info| info.links));
        Err(format!("'{}' is measured of {of}, and '{name}' is a link; for those: {those}", info.name))
    } else if metric == MetricKind::MeterState && !link.has_meters {
        Err(format!("'{name}' has neither a marker nor PCN meters; write marker or pcn on that link, or leave it out"))
    } else if metric == MetricKind::MeterState && !link.has_sampled_meters {
        Err(format!(
            "the marker of '{name}' has a state for each circuit, which series show: write [[series]] with of = \"{name}\" and \
             what = \"marker.f-gcra.fill\", and leave this out"
        ))
    } else {
        Ok(())
    }
}

/// The message about a name that nothing measurable has.
fn unknown_target(metric: MetricKind, name: &str, measurable: &Measurable<'_>, suggestions: &Suggestions) -> String {
    let info = metric.info();
    let applies = |group: &&MeasurableGroup<'_>| if group.calls.is_some() { info.calls } else { info.flows };
    let flows = measurable.flows.iter().filter(applies).map(|group| group.name);
    let links = measurable.links.iter().filter(|_| info.links).map(|link| link.name);
    let kind = match (info.flows, info.links) {
        (true, false) if info.calls && measurable.has_calls => "group of flows or calls",
        (true, false) => "group of flows",
        (false, true) => "link",
        (false, false) => "group of calls",
        _ => "group of flows or link",
    };
    suggestions.unknown(kind, name, flows.chain(links))
}

/// The names of the metrics that apply.
fn applying(applies: fn(&MetricInfo) -> bool) -> String {
    let infos = MetricKind::ALL.iter().map(|metric| metric.info());
    infos.filter(applies).map(|info| info.name).collect::<Vec<_>>().join(", ")
}

/// What the metric is measured of, in messages.
fn measured_of(info: &MetricInfo) -> &'static str {
    match (info.flows, info.calls, info.links) {
        (false, false, _) => "links",
        (false, true, false) => "calls",
        _ => "flows",
    }
}
