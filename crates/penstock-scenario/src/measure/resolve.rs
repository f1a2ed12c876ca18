//! The targets of a measurement: names of groups and links to which its metric applies.

use crate::measure::target::{Measurable, MeasurableGroup, MeasurableLink, Target};
use crate::metrics;
use crate::metrics::common::info::MetricInfo;
use crate::metrics::common::metric::Metric;
use crate::read::section::Section;
use crate::read::suggest::Suggestions;

/// The flows, calls or links called `name`, if the metric applies to them.
pub(crate) fn resolve_target(section: &Section<'_>, name: &str, metric: &dyn Metric, measurable: &Measurable<'_>) -> Option<Target> {
    let found = match measurable.by_name.get(name) {
        Some(Target::Flows(i)) => check_group(section, metric, &measurable.flows[*i]).map(|()| Target::Flows(*i)),
        Some(Target::Links(i)) => check_link(section, metric, &measurable.links[*i]).map(|()| Target::Links(*i)),
        None if measurable.complete => Err(unknown_target(metric, name, measurable, &section.mistakes.suggestions)),
        None => return None,
    };
    found.map_err(|message| section.report("of", message)).ok()
}

/// Checks that the metric applies to a group of flows or calls; the error says why not.
fn check_group(section: &Section<'_>, metric: &dyn Metric, group: &MeasurableGroup<'_>) -> Result<(), String> {
    let (info, name) = (metric.info(), group.name);
    let (applies, kind, those) = match group.calls {
        Some(_) => (info.targets.calls, "calls", applying(section, |info| info.targets.calls)),
        None => (info.targets.flows, "flows", applying(section, |info| info.targets.flows)),
    };
    if !applies {
        let of = measured_of(info);
        Err(format!("'{}' applies to {of}, but '{name}' is a group of {kind}; metrics for it: {those}", info.name))
    } else {
        metric.check_group(group)
    }
}

/// Checks that the metric applies to a group of links; the error says why not.
fn check_link(section: &Section<'_>, metric: &dyn Metric, link: &MeasurableLink<'_>) -> Result<(), String> {
    let (info, name) = (metric.info(), link.name);
    if !info.targets.links {
        let (of, those) = (measured_of(info), applying(section, |info| info.targets.links));
        Err(format!("'{}' applies to {of}, but '{name}' is a link; metrics for it: {those}", info.name))
    } else {
        metric.check_link(link)
    }
}

/// The message about a name that no measurable group or link has.
fn unknown_target(metric: &dyn Metric, name: &str, measurable: &Measurable<'_>, suggestions: &Suggestions) -> String {
    let info = metric.info();
    let applies = |group: &&MeasurableGroup<'_>| if group.calls.is_some() { info.targets.calls } else { info.targets.flows };
    let flows = measurable.flows.iter().filter(applies).map(|group| group.name);
    let links = measurable.links.iter().filter(|_| info.targets.links).map(|link| link.name);
    let kind = match (info.targets.flows, info.targets.links) {
        (true, false) if info.targets.calls && measurable.has_calls => "group of flows or calls",
        (true, false) => "group of flows",
        (false, true) => "link",
        (false, false) => "group of calls",
        _ => "group of flows or link",
    };
    suggestions.unknown(kind, name, flows.chain(links))
}

/// The names of the metrics that apply.
fn applying(section: &Section<'_>, applies: fn(&MetricInfo) -> bool) -> String {
    let infos = metrics::all(section.mistakes.components.registry()).map(|metric| metric.info());
    infos.filter(|info| applies(info)).map(|info| info.name).collect::<Vec<_>>().join(", ")
}

/// The kind of targets of the metric, in messages.
fn measured_of(info: &MetricInfo) -> &'static str {
    match (info.targets.flows, info.targets.calls, info.targets.links) {
        (false, false, _) => "links",
        (false, true, false) => "calls",
        _ => "flows",
    }
}
