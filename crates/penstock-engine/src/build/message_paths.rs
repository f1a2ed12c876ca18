//! The paths that messages take, as declared by what sends them: they bound the lookahead as channels do.

use crate::api::blueprint::{Blueprint, PausePlan};
use crate::build::error::{contradiction, BlueprintError};
use penstock_model::id::{FlowId, LinkId, NodeId};
use penstock_model::units::{Bytes, Duration};
use std::collections::{BTreeMap, BTreeSet};

/// All messages of a network.
pub struct Messages {
    /// How long signals take between the ends of each aggregate of calls, there and back.
    pub calls: BTreeMap<FlowId, (Duration, Duration)>,
    /// Pause frames.
    pub pauses: Vec<PausePath>,
    /// Records of ports.
    pub telemetry: Vec<TelemetryPath>,
}

impl Messages {
    /// Returns the message paths of a blueprint.
    ///
    /// # Errors
    /// If a path has no route, or takes no time.
    pub fn new(blueprint: &Blueprint) -> Result<Messages, BlueprintError> {
        let (calls, pauses, telemetry) = (call_signals(blueprint)?, pause_paths(blueprint)?, telemetry_paths(blueprint)?);
        Ok(Messages { calls, pauses, telemetry })
    }

    /// The links back that pause frames take time of.
    pub fn links_of_pause_frames(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.pauses.iter().filter(|path| path.frame > Bytes::default()).map(|path| path.back)
    }
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
    /// The size of a frame; nothing where it takes no time of the link.
    pub frame: Bytes,
    /// What a frame takes once it has left: propagation along the way back, and processing.
    pub after: Duration,
    /// The minimum time from the decision to send a frame to its effect.
    pub delay: Duration,
}

/// All paths of pause frames, by switch and link; a path's number is its position here. The n-th link between two nodes belongs to the
/// n-th back.
///
/// # Errors
/// If a link into a switch that pauses has no way back, or that takes no time.
pub fn pause_paths(blueprint: &Blueprint) -> Result<Vec<PausePath>, BlueprintError> {
    let mut paths = Vec::new();
    let pausing: Vec<_> = blueprint.switches.iter().filter_map(|switch| Some((switch.node, switch.pause.as_ref()?))).collect();
    if pausing.is_empty() {
        return Ok(paths);
    }
    let mut between: BTreeMap<(NodeId, NodeId), Vec<LinkId>> = BTreeMap::new();
    for (id, link) in (0..).map(LinkId).zip(&blueprint.links) {
        between.entry((link.from, link.to)).or_default().push(id);
    }
    let mut feeding: BTreeMap<NodeId, BTreeSet<LinkId>> = BTreeMap::new();
    for link in blueprint.routes.links() {
        feeding.entry(blueprint.links[link.index()].to).or_default().insert(*link);
    }
    for (switch, pause) in pausing {
        for &link in feeding.get(&switch).into_iter().flatten() {
            let (far, links_there) = (blueprint.links[link.index()].from, &between[&(blueprint.links[link.index()].from, switch)]);
            let position = links_there.iter().position(|other| *other == link).unwrap_or(0);
            let what = || format!("pause messages of '{}' to '{}'", blueprint.nodes[switch.index()], blueprint.nodes[far.index()]);
            let Some(links_back) = between.get(&(switch, far)) else { return contradiction(no_route(&what())) };
            let path = pause_path(blueprint, pause, switch, link, links_back[position.min(links_back.len() - 1)]);
            if path.delay == Duration::ZERO {
                return contradiction(no_delay(&what()));
            }
            paths.push(path);
        }
    }
    Ok(paths)
}

fn pause_path(blueprint: &Blueprint, pause: &PausePlan, switch: NodeId, link: LinkId, back: LinkId) -> PausePath {
    let way = &blueprint.links[back.index()];
    // The far end reads a pause frame before it forwards anything.
    let latency = blueprint.latencies.get(&way.to).copied().unwrap_or(Duration::ZERO);
    let after = Duration::from_ps(way.delay.as_ps().saturating_sub(latency.as_ps())) + pause.processing;
    let on_wire = way.framing.on_wire(pause.frame.get() as u32);
    let transmission = if pause.frame == Bytes::default() { Duration::ZERO } else { way.shortest_transmission(on_wire) };
    PausePath { switch, link, back, frame: pause.frame, after, delay: after + transmission }
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
fn telemetry_paths(blueprint: &Blueprint) -> Result<Vec<TelemetryPath>, BlueprintError> {
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

/// How long signals take between the ends of each aggregate of calls, there and back.
///
/// # Errors
/// If they take no time.
fn call_signals(blueprint: &Blueprint) -> Result<BTreeMap<FlowId, (Duration, Duration)>, BlueprintError> {
    let mut signals = BTreeMap::new();
    for (id, flow) in (0..).map(FlowId).zip(&blueprint.flows) {
        let group = &blueprint.groups[flow.group as usize];
        let Some(plan) = &group.calls else { continue };
        let [there, back] = [flow.forward, flow.backward].map(|route| {
            let links = blueprint.routes[route.index()].iter();
            links.fold(plan.processing, |sum, link| sum + blueprint.links[link.index()].delay)
        });
        if there == Duration::ZERO || back == Duration::ZERO {
            return contradiction(format!(
                "calls '{}': signals between their ends would take no time; give a link of the route a delay above 0 s",
                group.name
            ));
        }
        signals.insert(id, (there, back));
    }
    Ok(signals)
}
