//! What groups of flows and of calls have in common: their ends, members, times and given routes.

use crate::network::nodes::{End, Nodes, MOST};
use crate::read::mistake::Place;
use crate::read::section::Section;
use crate::read::values::{NodeName, Start};
use penstock_engine::blueprint::FlowGroup;
use penstock_model::parameters::Count;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Duration, Time};

/// What one `[[flows]]` or `[[calls]]` became.
pub(crate) struct GroupDraft {
    pub plan: FlowGroup,
    pub class: String,
    pub path: String,
    pub place: Place,
    pub from: End,
    pub to: End,
    pub count: usize,
    pub route: Option<Given>,
    pub route_back: Option<Given>,
    /// Where the behaviours of calls are written.
    pub edges: EdgePlaces,
}

/// Where admission, its greatest level of congestion, and termination are written.
#[derive(Clone, Copy)]
pub(crate) struct EdgePlaces {
    pub admission: Place,
    pub level: Place,
    pub termination: Place,
}

impl EdgePlaces {
    /// Where nothing of it is written.
    pub const NONE: EdgePlaces = EdgePlaces { admission: Place::Whole, level: Place::Whole, termination: Place::Whole };
}

/// A given route.
pub(crate) struct Given {
    pub nodes: Vec<End>,
    pub key: &'static str,
    pub place: Place,
}

impl GroupDraft {
    /// Whether something is sent back.
    pub fn answers(&self) -> bool {
        !matches!(self.plan.transport, TransportPlan::Udp(_))
    }
}

/// The two ends of a group, as far as they are known.
pub(crate) struct Ends(pub Option<End>, pub Option<End>);

impl Ends {
    /// Reads `from` and `to`, noting what is wrong with them.
    pub fn read(section: &Section<'_>, nodes: &Nodes) -> Ends {
        Ends(nodes.end(section, "from"), nodes.end(section, "to"))
    }
}

/// What is written about the members of a group.
pub(crate) struct Written<'a> {
    pub count: Option<Count>,
    pub start: Start,
    pub stop: Option<Duration>,
    pub route: Option<&'a [NodeName]>,
}

/// The members of a group.
pub(crate) struct Members {
    pub from: End,
    pub to: End,
    pub count: usize,
    pub route: Option<Given>,
    pub stop: Time,
}

impl Members {
    /// The members, each a `what`; `None` after a mistake.
    pub fn read(
        section: &Section<'_>,
        nodes: &Nodes,
        ends: Ends,
        written: &Written<'_>,
        duration: Option<Duration>,
        what: &str,
    ) -> Option<Members> {
        let route = given(section, nodes, "route", written.route);
        let stop = times(section, written, duration);
        let (from, to) = (ends.0?, ends.1?);
        let (route, stop) = (route?, stop?);
        let count = written.count.map_or(from.len().max(to.len()), |count| count.0 as usize);
        if let Some(i) = (0..count.min(MOST)).find(|i| from.node(*i) == to.node(*i)) {
            section.wrong("to", format!("{what} {i} would begin and end at '{}'", nodes.name(from.node(i))));
            return None;
        }
        Some(Members { from, to, count, route, stop })
    }
}

/// When the sources fall silent; `None` after a mistake.
fn times(section: &Section<'_>, written: &Written<'_>, duration: Option<Duration>) -> Option<Time> {
    let end = duration.map_or(Time::NEVER, |duration| Time::ZERO + duration);
    let stop = written.stop.map_or(end, |stop| Time::ZERO + stop);
    let last_start = written.start.1;
    if last_start >= end {
        section.wrong("start", format!("{last_start} is not before the end at {end}, so it would never send"));
        None
    } else if stop > end {
        section.wrong("stop", format!("{stop} is after the end at {end}, so it has no effect; leave it out"));
        None
    } else if stop <= last_start {
        section.wrong("stop", format!("{stop} is not after the start at {last_start}, so it would never send"));
        None
    } else {
        Some(stop)
    }
}

/// A given route with its nodes found; `None` after a mistake.
pub(crate) fn given(section: &Section<'_>, nodes: &Nodes, key: &'static str, names: Option<&[NodeName]>) -> Option<Option<Given>> {
    let Some(names) = names else { return Some(None) };
    let place = section.place_of(key);
    if names.len() < 2 {
        section.wrong(key, "has fewer than two nodes; write both ends and what is between them");
        return None;
    }
    let find = |(i, name): (usize, &NodeName)| nodes.find_or_note(&name.0, section.mistakes, place, &format!("{}[{i}]", section.join(key)));
    let found: Vec<Option<End>> = names.iter().enumerate().map(find).collect();
    found.into_iter().collect::<Option<Vec<End>>>().map(|nodes| Some(Given { nodes, key, place }))
}
