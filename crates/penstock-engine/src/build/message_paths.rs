//! The paths that messages take, as declared by what sends them: they bound the lookahead as channels do.

use crate::api::blueprint::{Blueprint, FlowPlan, PausePlan, SwitchPlan};
use crate::build::error::{contradiction, BlueprintError};
use crate::build::numbering::{ProcessSite, ProcessSites};
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::units::{Bytes, Duration};
use std::collections::{BTreeMap, BTreeSet};

/// Messages that one process may send to another.
#[derive(Clone, Copy, Debug)]
pub struct MessagePath {
    /// The sender.
    pub from: ProcessSite,
    /// The receiver.
    pub to: ProcessSite,
    /// How long they take; more than nothing.
    pub delay: Duration,
}

/// All message paths of a network.
///
/// # Errors
/// If a path has no route, or takes no time.
pub fn message_paths(blueprint: &Blueprint, sites: &ProcessSites<'_>) -> Result<Vec<MessagePath>, BlueprintError> {
    let mut paths = Vec::new();
    for flow in &blueprint.flows {
        if let Some((there, back)) = call_signals(blueprint, flow)? {
            let (from, to) = (ProcessSite::Host(flow.from), ProcessSite::Host(flow.to));
            paths.extend([MessagePath { from, to, delay: there }, MessagePath { from: to, to: from, delay: back }]);
        }
    }
    for PausePath { switch, link, delay, .. } in pause_paths(blueprint)? {
        paths.push(MessagePath { from: ProcessSite::Host(switch), to: sites.sender(link), delay });
    }
    for TelemetryPath { to, link, delay, .. } in telemetry_paths(blueprint)? {
        paths.push(MessagePath { from: sites.sender(link), to: ProcessSite::Host(to), delay });
    }
    Ok(paths)
}

/// The pause frames of a switch to the port that feeds it over a link.
#[derive(Clone, Copy, Debug)]
pub struct PausePath {
    /// The switch.
    pub switch: NodeId,
    /// The link whose port is paused.
    pub link: LinkId,
    /// The link back, which frames take.
    pub back: LinkId,
    /// What a frame takes once it has left: propagation along the way back, and processing.
    pub after: Duration,
    /// The minimum time from the decision to send a frame to its effect.
    pub delay: Duration,
}

/// All paths of pause frames, by switch and link; a path's number is its position here.
///
/// # Errors
/// If a link into a switch that pauses has no way back, or that takes no time.
pub fn pause_paths(blueprint: &Blueprint) -> Result<Vec<PausePath>, BlueprintError> {
    let mut paths = Vec::new();
    for (plan, pause, link, back) in pausing_links(blueprint) {
        let name = |node: NodeId| blueprint.nodes[node.index()].clone();
        let fed = &blueprint.links[link.index()];
        let what = || format!("pause messages of '{}' to '{}'", name(fed.to), name(fed.from));
        let Some(back_id) = back else { return contradiction(no_route(&what())) };
        let back = &blueprint.links[back_id.index()];
        // The far end reads a pause frame before it forwards anything.
        let latency = blueprint.latencies.get(&back.to).copied().unwrap_or(Duration::ZERO);
        let after = Duration::from_ps(back.delay.as_ps().saturating_sub(latency.as_ps())) + pause.processing;
        let on_wire = back.framing.on_wire(pause.frame.get() as u32);
        let transmission = if pause.frame == Bytes::default() { Duration::ZERO } else { back.shortest_transmission(on_wire) };
        let delay = after + transmission;
        if delay == Duration::ZERO {
            return contradiction(no_delay(&what()));
        }
        paths.push(PausePath { switch: plan.node, link, back: back_id, after, delay });
    }
    Ok(paths)
}

/// These messages have no way.
pub fn no_route(messages: &str) -> String {
    format!("the {messages} have no route; add a link back")
}

/// These messages would break what other processes are promised.
fn no_delay(messages: &str) -> String {
    format!("the {messages} would take no time; give the link back a delay, or the messages a processing time, above 0 s")
}

/// The records of a port for a flow.
#[derive(Clone, Copy, Debug)]
pub struct TelemetryPath {
    /// The flow.
    pub flow: FlowId,
    /// Its source.
    pub to: NodeId,
    /// The link of the port.
    pub link: LinkId,
    /// Its position on the flow's route.
    pub hop: u32,
    /// Propagation from the port to the flow's receiver, and back to its source. An acknowledgement takes more.
    pub delay: Duration,
}

/// All paths, by flow and hop. The port of the source writes no records.
///
/// # Errors
/// If a path takes no time.
pub fn telemetry_paths(blueprint: &Blueprint) -> Result<Vec<TelemetryPath>, BlueprintError> {
    let asks: Vec<bool> = blueprint.groups.iter().map(|group| group.transport.uses_telemetry()).collect();
    let mut paths = Vec::new();
    if !asks.contains(&true) {
        return Ok(paths);
    }
    for (id, flow) in (0..).map(FlowId).zip(&blueprint.flows).filter(|(_, flow)| asks[flow.group as usize]) {
        let propagation = |links: &[LinkId]| links.iter().fold(Duration::ZERO, |sum, link| sum + blueprint.links[link.index()].delay);
        let (forward, backward) = (&blueprint.routes[flow.forward.index()], &blueprint.routes[flow.backward.index()]);
        for (hop, &link) in (0..).zip(forward).filter(|(_, link)| blueprint.links[link.index()].from != flow.from) {
            let delay = propagation(&forward[hop as usize..]) + propagation(backward);
            if delay == Duration::ZERO {
                let (port, source) = (&blueprint.links[link.index()].path, &blueprint.nodes[flow.from.index()]);
                return contradiction(no_delay(&format!("telemetry of '{port}' to '{source}'")));
            }
            paths.push(TelemetryPath { flow: id, to: flow.from, link, hop, delay });
        }
    }
    Ok(paths)
}

/// The links whose ports write records.
pub fn links_with_telemetry(blueprint: &Blueprint) -> BTreeSet<LinkId> {
    telemetry_paths(blueprint).map_or_else(|_| BTreeSet::new(), |paths| paths.into_iter().map(|path| path.link).collect())
}

/// The links back that pause frames take time of.
pub fn links_of_pause_frames(blueprint: &Blueprint) -> Vec<LinkId> {
    let takes_time = |(_, pause, _, back): (_, &PausePlan, _, Option<LinkId>)| back.filter(|_| pause.frame > Bytes::default());
    pausing_links(blueprint).into_iter().filter_map(takes_time).collect()
}

type PausingLink<'a> = (&'a SwitchPlan, &'a PausePlan, LinkId, Option<LinkId>);

/// The links in use into switches that pause, by switch, each with the link back: the n-th between two nodes belongs to the n-th back.
fn pausing_links(blueprint: &Blueprint) -> Vec<PausingLink<'_>> {
    let pausing: Vec<_> = blueprint.switches.iter().filter_map(|switch| Some((switch, switch.pause.as_ref()?))).collect();
    if pausing.is_empty() {
        return Vec::new();
    }
    let mut between: BTreeMap<(NodeId, NodeId), Vec<LinkId>> = BTreeMap::new();
    for (id, link) in (0..).map(LinkId).zip(&blueprint.links) {
        between.entry((link.from, link.to)).or_default().push(id);
    }
    let mut feeding: BTreeMap<NodeId, Vec<LinkId>> = BTreeMap::new();
    routed_links(blueprint).into_iter().for_each(|link| feeding.entry(blueprint.links[link.index()].to).or_default().push(link));
    let mut found = Vec::new();
    for (plan, pause) in pausing {
        for &id in feeding.get(&plan.node).into_iter().flatten() {
            let link = &blueprint.links[id.index()];
            let position = between[&(link.from, link.to)].iter().position(|other| *other == id).unwrap_or(0);
            let back = between.get(&(link.to, link.from)).map(|back| back[position.min(back.len() - 1)]);
            found.push((plan, pause, id, back));
        }
    }
    found
}

/// The links that some route uses, in the scenario's order.
fn routed_links(blueprint: &Blueprint) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = blueprint.routes.links().to_vec();
    links.sort_unstable();
    links.dedup();
    links
}

/// How long signals take between the ends of an aggregate of calls, there and back; `None` for other flows.
///
/// # Errors
/// If they take no time.
pub fn call_signals(blueprint: &Blueprint, flow: &FlowPlan) -> Result<Option<(Duration, Duration)>, BlueprintError> {
    let group = &blueprint.groups[flow.group as usize];
    let Some(plan) = &group.calls else { return Ok(None) };
    let propagation = |route: RouteId| {
        let links = blueprint.routes[route.index()].iter();
        links.fold(plan.processing, |sum, link| sum + blueprint.links[link.index()].delay)
    };
    let (there, back) = (propagation(flow.forward), propagation(flow.backward));
    if there == Duration::ZERO || back == Duration::ZERO {
        return contradiction(format!(
            "calls '{}': signals between their ends would take no time; give a link of the route a delay above 0 s",
            group.name
        ));
    }
    Ok(Some((there, back)))
}
