//! Groups of flows: what a user writes for one, its members and their routes.

use crate::calls;
use crate::mistake::Place;
use crate::nodes::{End, Nodes, MOST};
use crate::section::{Nothing, Section};
use crate::words::{Name, NodeName, Precedence, RunTime, Start};
use penstock_engine::blueprint::FlowGroup;
use penstock_model::parameters::{Check, ClassName, Count, Parameters, Reading};
use penstock_model::source::SourcePlan;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Duration, Time};
use std::collections::BTreeSet;

penstock_model::parameters! {
    /// A group of like flows.
    ///
    /// Flow i runs from the i-th member of `from` to the i-th of `to`, each counted round. Without a given route it takes
    /// the fewest links; which of several such routes, `routing` at the top of the scenario says.
    pub struct FlowKeys {
        /// The name in results.
        name: Name;
        /// The node or group where the flows begin, or a member such as `hosts[3]`.
        from: NodeName;
        /// Where they end.
        to: NodeName;
        /// How many flows; the size of the larger of the two groups if left out.
        count: Option<Count>;
        /// Flow i runs to the member i + `shift` of `to` instead: with 1 and the same group at both ends, each to the next.
        shift: Option<Count>;
        /// The traffic class of their packets, acknowledgements included; schedulers tell classes apart.
        class: ClassName = "default";
        /// The drop precedence that their packets begin with; 0 is the best protected.
        precedence: Precedence = "0";
        /// When they start; with `uniform`, each at an instant of its own.
        start: Start = "0 s";
        /// When their sources fall silent; the end if left out.
        stop: Option<RunTime>;
        /// The nodes or groups on the way, both ends included; flow i passes the i-th member of a group.
        route: Option<Vec<NodeName>>;
        /// The same for acknowledgements, from `to` back to `from`.
        route_back: Option<Vec<NodeName>>;
    }
}
impl Check for FlowKeys {}

/// Reads one group.
type Read = fn(&mut Section<'_>, &Nodes, Option<Duration>) -> Option<Flows>;

/// What one `[[flows]]` or `[[calls]]` became.
pub(crate) struct Flows {
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

impl Flows {
    /// Reads all `[[flows]]` and then all `[[calls]]`; the second result tells whether every entry could be read.
    pub fn read_all(top: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> (Vec<Flows>, bool) {
        if !top.has("flows") && !top.has("calls") {
            let message =
                "there are no [[flows]] and no [[calls]], so nothing would happen; write [[flows]] with name, from, to and source";
            top.wrong("", message);
        }
        let (mut flows, mut complete): (Vec<Flows>, bool) = (Vec::new(), true);
        let mut names = BTreeSet::new();
        let flow_sections = top.tables("flows").into_iter().map(|section| (section, Flows::read as Read));
        let call_sections = top.tables("calls").into_iter().map(|section| (section, calls::read as Read));
        for (mut section, read) in flow_sections.chain(call_sections) {
            match read(&mut section, nodes, duration) {
                Some(group) => {
                    if !names.insert(group.plan.name.clone()) {
                        section.wrong("name", format!("a second group called '{}'; give it a name of its own", group.plan.name));
                    }
                    flows.push(group);
                }
                None => complete = false,
            }
            section.finish();
        }
        let total: usize = flows.iter().map(|group| group.count).sum();
        if total > MOST {
            top.wrong("flows", format!("{total} flows are more than the {MOST} that fit"));
        }
        (flows, complete)
    }

    fn read(section: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> Option<Flows> {
        let keys = FlowKeys::read(section);
        let source = section.one_of("source", "source", SourcePlan::NAMES, &[], SourcePlan::read);
        let transport = section.one_of("transport", "transport", TransportPlan::NAMES, &[], TransportPlan::read);
        let carried = carried(section, source, transport);
        let mut ends = Ends::read(section, nodes);
        let keys = keys?;
        if let (Some(Count(shift)), Some(to)) = (keys.shift, &mut ends.1) {
            if shift as usize >= to.len() {
                section.wrong("shift", format!("'{}' has {} members, so only a shift below that means anything", keys.to.0, to.len()));
            }
            *to = to.shifted(shift);
        }
        let route_back = given(section, nodes, "route-back", keys.route_back.as_deref());
        let written = Written { count: keys.count, start: keys.start, stop: keys.stop.map(|stop| stop.0), route: keys.route.as_deref() };
        let members = Members::read(section, nodes, ends, &written, duration, "flow");
        let (source, transport) = carried?;
        let (route_back, members) = (route_back?, members?);
        if route_back.is_some() && matches!(transport, TransportPlan::Udp(_)) {
            section.wrong("route-back", "has no effect: udp sends nothing back; leave it out");
        }
        let plan = FlowGroup {
            name: keys.name.0,
            source,
            transport,
            class: 0,
            precedence: keys.precedence.0,
            start: (keys.start.0, keys.start.1),
            stop: members.stop,
            calls: None,
            interval: None,
        };
        let Members { from, to, count, route, .. } = members;
        let (class, path, place, edges) = (keys.class.0, section.path.clone(), section.place, EdgePlaces::NONE);
        Some(Flows { plan, class, path, place, from, to, count, route, route_back, edges })
    }

    /// Whether something is sent back.
    pub fn answers(&self) -> bool {
        !matches!(self.plan.transport, TransportPlan::Udp(_))
    }
}

/// The source and what carries it; `None` after a mistake.
fn carried(section: &Section<'_>, source: Reading<SourcePlan>, transport: Reading<TransportPlan>) -> Option<(SourcePlan, TransportPlan)> {
    if matches!(source, Reading::Absent) {
        section.wrong("source", format!("is missing and has no default; one of {}", SourcePlan::NAMES.join(", ")));
    }
    let Reading::Given(source) = source else { return None };
    let (name, greedy) = (source.name(), source.is_greedy());
    let transport = match transport {
        Reading::Given(transport) => transport,
        Reading::Broken => return None,
        Reading::Absent if greedy => {
            section.wrong(
                "transport",
                format!("is missing: source '{name}' sends as fast as its transport lets it; write transport.tcp = {{}}"),
            );
            return None;
        }
        Reading::Absent => TransportPlan::read("udp", &mut Nothing).expect("udp has defaults for everything"),
    };
    match (&transport, greedy) {
        (TransportPlan::Udp(_), true) => {
            let message = format!("udp would carry source '{name}' without any limit, as it sends as fast as its transport lets it; write transport.tcp = {{}}");
            section.wrong("transport", message);
            None
        }
        (TransportPlan::Tcp(_), false) => {
            let message = format!(
                "tcp cannot carry source '{name}', which sends at its own times whatever the network does; leave transport out (udp) or write source.ftp = {{}}"
            );
            section.wrong("transport", message);
            None
        }
        _ => Some((source, transport)),
    }
}

/// The two ends of a group, as far as they are known.
pub(crate) struct Ends(Option<End>, Option<End>);

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
fn given(section: &Section<'_>, nodes: &Nodes, key: &'static str, names: Option<&[NodeName]>) -> Option<Option<Given>> {
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
