//! What a measurement is of.

use crate::measure::metric::{Info, What};
use crate::read::section::Section;
use crate::read::suggest::unknown;
use penstock_engine::blueprint::CallsPlan;
use penstock_model::units::Duration;
use std::ops::Range;

/// A group of flows or calls, or a link of the scenario, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Flows(usize),
    Links(usize),
}

/// A group of flows or calls that may be measured.
pub(crate) struct KnownGroup<'a> {
    pub name: &'a str,
    pub is_tcp: bool,
    /// Asks for pages.
    pub is_http: bool,
    /// Transfers a file of a certain size.
    pub has_size: bool,
    /// The mean time from packet to packet, where the source keeps one.
    pub spacing: Option<Duration>,
    pub class: &'a str,
    pub count: usize,
    pub calls: Option<&'a CallsPlan>,
}

/// A group of links that may be measured.
pub(crate) struct KnownLink<'a> {
    pub name: &'a str,
    pub members: Range<u32>,
    /// Whether its ports have a marker or PCN meters.
    pub has_meters: bool,
}

/// What may be measured.
pub(crate) struct Known<'a> {
    /// The groups of flows and calls.
    pub flows: Vec<KnownGroup<'a>>,
    /// The links.
    pub links: Vec<KnownLink<'a>>,
    /// Whether the two lists are complete.
    pub complete: bool,
}

/// The flows, calls or links called `name`, if the metric applies to them.
pub(crate) fn target(section: &Section<'_>, name: &str, what: What, known: &Known<'_>) -> Option<Target> {
    let info = what.info();
    let applying = |applies: fn(&Info) -> bool| {
        let infos = What::ALL.iter().map(|what| what.info());
        infos.filter(applies).map(|info| info.name).collect::<Vec<_>>().join(", ")
    };
    let measured_of = match (info.flows, info.calls, info.links) {
        (false, false, _) => "links",
        (false, true, false) => "calls",
        _ => "flows",
    };
    if let Some(i) = known.flows.iter().position(|group| group.name == name) {
        let group = &known.flows[i];
        let (applies, kind, those) = match group.calls {
            Some(_) => (info.calls, "calls", applying(|info| info.calls)),
            None => (info.flows, "flows", applying(|info| info.flows)),
        };
        if !applies {
            section.wrong(
                "of",
                format!("'{}' is measured of {measured_of}, and '{name}' is a group of {kind}; for those: {those}", info.name),
            );
            return None;
        }
        if what == What::Retransmissions && !group.is_tcp {
            section.wrong("of", format!("'retransmissions' is measured of tcp, and '{name}' is carried by udp"));
            return None;
        }
        if what == What::PageTime && !group.is_http {
            section.wrong("of", format!("'page-time' is measured of source http, and '{name}' has another"));
            return None;
        }
        if what == What::CompletionTime && !group.has_size {
            section.wrong("of", format!("'completion-time' is measured of source ftp with a size, and '{name}' has another"));
            return None;
        }
        if what == What::SignalRate && group.calls.is_some_and(|calls| calls.request_packet.is_none()) {
            let message = format!(
                "'{name}' asks for its calls without packets; write signalling = {{ packet = \"160 bytes\" }} there, or leave it out"
            );
            section.wrong("of", message);
            return None;
        }
        return Some(Target::Flows(i));
    }
    if let Some(link) = known.links.iter().position(|link| link.name == name) {
        if !info.links {
            let those = applying(|info| info.links);
            section.wrong("of", format!("'{}' is measured of {measured_of}, and '{name}' is a link; for those: {those}", info.name));
            return None;
        }
        if what == What::MeterState && !known.links[link].has_meters {
            let message = format!("'{name}' has neither a marker nor PCN meters; write marker or pcn on that link, or leave it out");
            section.wrong("of", message);
            return None;
        }
        return Some(Target::Links(link));
    }
    if known.complete {
        let applies = |group: &&KnownGroup<'_>| if group.calls.is_some() { info.calls } else { info.flows };
        let flows = known.flows.iter().filter(applies).map(|group| group.name);
        let links = known.links.iter().filter(|_| info.links).map(|link| link.name);
        let names: Vec<&str> = flows.chain(links).collect();
        let has_calls = known.flows.iter().any(|group| group.calls.is_some());
        let kind = match (info.flows, info.links) {
            (true, false) if info.calls && has_calls => "group of flows or calls",
            (true, false) => "group of flows",
            (false, true) => "link",
            (false, false) => "group of calls",
            _ => "group of flows or link",
        };
        section.wrong("of", unknown(kind, name, &names));
    }
    None
}
