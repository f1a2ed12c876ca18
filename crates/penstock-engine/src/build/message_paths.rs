//! The paths that messages take, as declared by what sends them: they bound the lookahead as channels do.

use crate::api::blueprint::{Blueprint, FlowPlan, PausePlan};
use crate::build::error::BlueprintError;
use crate::build::numbering::{ProcessSite, ProcessSites};
use penstock_model::id::{LinkId, NodeId, RouteId};
use penstock_model::units::Duration;
use std::collections::BTreeMap;

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
    for PausePath { switch, link, delay } in pause_paths(blueprint)? {
        paths.push(MessagePath { from: ProcessSite::Host(switch), to: sites.sender(link), delay });
    }
    Ok(paths)
}

/// The messages of a switch to the port that feeds it over a link.
#[derive(Clone, Copy, Debug)]
pub struct PausePath {
    /// The switch.
    pub switch: NodeId,
    /// The link whose port is paused.
    pub link: LinkId,
    /// Propagation along the way back, and processing.
    pub delay: Duration,
}

/// All paths of PAUSE, by switch and link; a path's number is its position here.
///
/// # Errors
/// If a link into a switch that pauses has no way back, or that takes no time.
pub fn pause_paths(blueprint: &Blueprint) -> Result<Vec<PausePath>, BlueprintError> {
    let mut paths = Vec::new();
    if blueprint.switches.iter().all(|switch| switch.pause.is_none()) {
        return Ok(paths);
    }
    let mut feeding: BTreeMap<NodeId, Vec<LinkId>> = BTreeMap::new();
    routed_links(blueprint).into_iter().for_each(|link| feeding.entry(blueprint.links[link.index()].to).or_default().push(link));
    let mut least: BTreeMap<(NodeId, NodeId), Duration> = BTreeMap::new();
    for link in &blueprint.links {
        least.entry((link.from, link.to)).and_modify(|delay| *delay = link.delay.min(*delay)).or_insert(link.delay);
    }
    let pausing = blueprint.switches.iter().filter_map(|switch| switch.pause.map(|pause| (switch.node, pause)));
    for (switch, pause) in pausing {
        for &link in feeding.get(&switch).into_iter().flatten() {
            paths.push(PausePath { switch, link, delay: pause_delay(blueprint, link, pause, &least)? });
        }
    }
    Ok(paths)
}

/// How long PAUSE takes from the end of `link` to its port: over the shortest link back, of these least delays between nodes.
fn pause_delay(
    blueprint: &Blueprint,
    link: LinkId,
    pause: PausePlan,
    least: &BTreeMap<(NodeId, NodeId), Duration>,
) -> Result<Duration, BlueprintError> {
    let link = &blueprint.links[link.index()];
    let name = |node: NodeId| blueprint.nodes[node.index()].clone();
    match least.get(&(link.to, link.from)).map(|delay| *delay + pause.processing) {
        None => Err(BlueprintError::MessageWithoutRoute(format!("pause messages of '{}' to '{}'", name(link.to), name(link.from)))),
        Some(Duration::ZERO) => {
            Err(BlueprintError::MessageWithoutDelay(format!("pause messages of '{}' to '{}'", name(link.to), name(link.from))))
        }
        Some(delay) => Ok(delay),
    }
}

/// The links that some route uses, in the scenario's order.
fn routed_links(blueprint: &Blueprint) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = blueprint.routes.iter().flatten().copied().collect();
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
        return Err(BlueprintError::SignalWithoutDelay(group.name.clone()));
    }
    Ok(Some((there, back)))
}
