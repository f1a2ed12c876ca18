//! The keys of `[[flows]]`: groups of flows.

use super::group::{explicit_route, EdgeLocations, GroupDraft, GroupEndpoints, MemberKeys, Members};
use super::matrix::{Entry, Matrix};
use super::{rate_requests, trace};
use crate::network::nodes::Nodes;
use crate::network::parameter_changes;
use crate::read::section::{NoParameters, Section};
use crate::read::values::{Name, NodeName, Precedence, RunTime, Start};
use penstock_engine::blueprint::FlowGroup;
use penstock_model::parameters::{Check, ClassName, Count, Parameters, Reading};
use penstock_model::source::SourcePlan;
use penstock_model::transport::TransportPlan;
use penstock_model::units::Duration;

penstock_model::parameters! {
    /// A group of like flows.
    ///
    /// Flow i runs from the i-th member of `from` to the i-th of `to`; members of a smaller group are repeated in turn. Without a
    /// given route it uses the route of minimum weight, which is the one with the fewest links unless links have a `weight`;
    /// `routing` at the top of the scenario chooses between several such routes.
    ///
    /// Alternatively, a traffic `matrix` makes a flow of each of its entries, row by row: its first row and column name nodes, and
    /// each entry is the rate of the source, headers included, from the node of its row to that of its column. A number is a
    /// multiple of the source's `rate`, which therefore scales the whole matrix; with `rate = "1 bit/s"`, numbers are in bit/s. The
    /// source must be `cbr` or `poisson`.
    pub struct FlowKeys {
        /// The name in results.
        name: Name;
        /// The node or group where the flows begin, a member such as `hosts[3]`, or members in a row such as `hosts[4-7]`.
        from: Option<NodeName>;
        /// Where they end.
        to: Option<NodeName>;
        /// A traffic matrix instead of `from`, `to`, `count` and routes: rows, or a CSV (or Parquet) file. An entry is a rate such as `"2 Mbit/s"`, or a multiple of the source's. An empty entry is zero; the diagonal must be zero.
        matrix: Option<Matrix>;
        /// Number of flows; the size of the larger of the two groups if left out.
        count: Option<Count>;
        /// Flow i runs to member i + `shift` of `to` instead of member i: with 1 and the same group at both ends, each member sends to the next.
        shift: Option<Count>;
        /// The traffic class of their packets, acknowledgements included; schedulers tell classes apart.
        class: ClassName = "default";
        /// The drop precedence that their packets begin with; 0 is the best protected.
        precedence: Precedence = "0";
        /// When they start; with `uniform`, each flow draws its own instant.
        start: Start = "0 s";
        /// When their sources stop sending; at the end of the run if left out.
        stop: Option<RunTime>;
        /// The nodes or groups on the way, both ends included; flow i passes the i-th member of a group.
        route: Option<Vec<NodeName>>;
        /// The same for acknowledgements, from `to` back to `from`.
        route_back: Option<Vec<NodeName>>;
    }
}
impl Check for FlowKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let ends = [("from", self.from.is_some()), ("to", self.to.is_some())];
        if self.matrix.is_none() {
            for (key, _) in ends.iter().filter(|(_, written)| !written) {
                mistake(key, format!("is missing and has no default; write {key} = \"name of a node\""));
            }
            return;
        }
        let others = [
            ("count", self.count.is_some()),
            ("shift", self.shift.is_some()),
            ("route", self.route.is_some()),
            ("route-back", self.route_back.is_some()),
        ];
        for (key, _) in ends.iter().chain(&others).filter(|(_, written)| *written) {
            mistake(key, "has no effect: the matrix gives the ends of all flows; leave it out".to_owned());
        }
    }
}

/// Reads one `[[flows]]`.
pub(crate) fn read(section: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> Option<GroupDraft> {
    let keys = FlowKeys::read(section);
    let source = section.one_of::<SourcePlan>("source", "source", &[]);
    let transport = section.one_of::<TransportPlan>("transport", "transport", &[]);
    let source_and_transport = check_transport(section, source, transport);
    let entries = matrix_entries(section, nodes, keys.as_ref(), source_and_transport.as_ref().map(|(source, _)| source));
    let mut ends = match &entries {
        Some(entries) => GroupEndpoints(entries.first().map(|entry| entry.0), entries.first().map(|entry| entry.1)),
        None => GroupEndpoints::read(section, nodes),
    };
    let rate_requests = rate_requests::read(section, source_and_transport.as_ref());
    let transport_changes = parameter_changes::of_flows(section, source_and_transport.as_ref().map(|(_, transport)| transport), duration);
    let keys = keys?;
    if let (Some(Count(shift)), Some(to)) = (keys.shift, &mut ends.1) {
        if shift as usize >= to.len() {
            let name = section.text("to").unwrap_or_default();
            section.report("shift", format!("'{name}' has {} members; a shift must be less than that", to.len()));
        }
        *to = to.shifted(shift);
    }
    let route_back = explicit_route(section, nodes, "route-back", keys.route_back.as_deref());
    let count = entries.as_ref().map_or(keys.count, |entries| Some(Count(entries.len() as u32)));
    let keys_of_members = MemberKeys { count, start: keys.start, stop: keys.stop.map(|stop| stop.0), route: keys.route.as_deref() };
    let members = Members::read(section, nodes, ends, &keys_of_members, duration, "flow");
    let (source, transport) = source_and_transport?;
    let source = trace::filled(section, source);
    let (source, route_back, members) = (source?, route_back?, members?);
    if route_back.is_some() && !transport.has_return_traffic() {
        section.report("route-back", "has no effect: udp sends nothing back; leave it out");
    }
    if keys.stop.is_none() {
        trace::warn_if_cut(section, &source, members.stop.since(keys.start.0));
    }
    let plan = FlowGroup {
        name: keys.name.0,
        source,
        transport,
        transport_changes: transport_changes?,
        class: 0,
        precedence: keys.precedence.0,
        start: (keys.start.0, keys.start.1),
        stop: members.stop,
        calls: None,
        interval: None,
        transfers: None,
        rate_requests: rate_requests?,
        rates: entries.as_ref().map(|entries| entries.iter().map(|(_, _, rate)| *rate).collect()),
    };
    let Members { from, to, count, route, .. } = members;
    let (class, path, location, edges) = (keys.class.0, section.path.clone(), section.location, EdgeLocations::NONE);
    let pairs = entries.as_ref().map(|entries| entries.iter().map(|(from, to, _)| (from.node(0), to.node(0))).collect());
    Some(GroupDraft { plan, class, path, location, from, to, count, route, route_back, edges, pairs, draw: None })
}

/// The entries of the matrix, if there is one; none after a mistake.
fn matrix_entries(section: &Section<'_>, nodes: &Nodes, keys: Option<&FlowKeys>, source: Option<&SourcePlan>) -> Option<Vec<Entry>> {
    if !section.has("matrix") {
        return None;
    }
    let (Some(matrix), Some(source)) = (keys.and_then(|keys| keys.matrix.as_ref()), source) else { return Some(Vec::new()) };
    let Some(unit) = source.mean_rate().filter(|rate| source.at_rate(*rate).is_some()) else {
        section.report("matrix", format!("source '{}' has no rate that a matrix could set; cbr and poisson have one", source.name()));
        return Some(Vec::new());
    };
    let entries = matrix.entries(section, nodes, unit).unwrap_or_default();
    let fastest = entries.iter().max_by_key(|(_, _, rate)| *rate);
    if let Some((from, to, rate)) =
        fastest.filter(|entry| source.at_rate(entry.2).and_then(|source| source.spacing()) == Some(Duration::ZERO))
    {
        let (from, to) = (nodes.name(from.node(0)), nodes.name(to.node(0)));
        section.report(
            "matrix",
            format!("{rate} from {from} to {to} would put packets less than 1 ps apart; write larger packets or a lower rate"),
        );
        return Some(Vec::new());
    }
    Some(entries)
}

/// The source and its transport, if they fit each other; `None` after a mistake.
fn check_transport(
    section: &Section<'_>,
    source: Reading<SourcePlan>,
    transport: Reading<TransportPlan>,
) -> Option<(SourcePlan, TransportPlan)> {
    if matches!(source, Reading::Absent) {
        section.report("source", format!("is missing and has no default; one of {}", SourcePlan::NAMES.join(", ")));
    }
    let Reading::Given(source) = source else { return None };
    let (name, greedy) = (source.name(), source.is_greedy());
    let transport = match transport {
        Reading::Given(transport) => transport,
        Reading::Broken => return None,
        Reading::Absent if greedy => {
            section.report(
                "transport",
                format!("is missing: source '{name}' sends as fast as its transport allows; write transport.tcp = {{}}"),
            );
            return None;
        }
        Reading::Absent => TransportPlan::read("udp", &mut NoParameters).expect("udp has defaults for everything"),
    };
    let carrier = transport.name();
    if transport.requests_rates() && !greedy && !source.adapts_rate() {
        let message =
            format!("{carrier} cannot carry source '{name}', which keeps its rate; {} adapts its own", SourcePlan::adaptive().join(", "));
        section.report("transport", message);
        return None;
    }
    match (transport.is_reliable(), greedy) {
        (false, true) => {
            let message = format!("{carrier} would carry source '{name}' without any limit, as it sends as fast as its transport allows; write transport.tcp = {{}}");
            section.report("transport", message);
            None
        }
        (true, false) => {
            let message = format!(
                "{carrier} cannot carry source '{name}', which sends at its own times whatever the network does; leave transport out (udp) or write source.ftp = {{}}"
            );
            section.report("transport", message);
            None
        }
        _ => Some((source, transport)),
    }
}
