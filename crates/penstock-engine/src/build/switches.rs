//! Nodes whose ports share a buffer, or that stop the ports which feed them.

use crate::api::blueprint::{Blueprint, FlowPlan, LinkPlan, MessageRoute, SwitchPlan};
use crate::build::error::{contradiction, refuse, BlueprintError};
use crate::build::message_paths::{no_route, Messages, PausePath};
use crate::build::places::Places;
use crate::kernel::message::{MessageOrder, Peer};
use crate::node::ingress_pause::{Ingress, IngressPause};
use crate::node::process::Process;
use crate::node::shared_state::Switch;
use crate::node::switch_messages::{CongestionPoints, OwnMessages, SourceQuench};
use crate::port::can_precompute_departures;
use penstock_model::buffer::{amount, AnyBuffer, Buffer, BufferContext};
use penstock_model::feedback::reaction_point::ReactionPoint;
use penstock_model::feedback::CongestionPoint;
use penstock_model::id::{FlowId, LinkId, NodeId, ProcessId};
use penstock_model::parameters::Limit;
use penstock_model::rng::Key;
use penstock_model::site::Site;
use penstock_model::units::{Bytes, Rate};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the hosts whose connections wait for room in their ports: all ends of such flows, except ends of AAL5, where a packet
/// becomes cells.
pub fn waiting_hosts(blueprint: &Blueprint) -> BTreeSet<NodeId> {
    let waits = |flow: &&FlowPlan| blueprint.groups[flow.group as usize].transport.waits_for_port();
    let mut hosts: BTreeSet<NodeId> = blueprint.flows.iter().filter(waits).flat_map(|flow| [flow.from, flow.to]).collect();
    if !hosts.is_empty() {
        blueprint.aal5_ends().iter().for_each(|node| {
            hosts.remove(node);
        });
    }
    hosts
}

/// Returns the links whose departures cannot be known on arrival, because the port shares a resource with others, may be paused, or asks
/// connections for packets.
pub fn links_deciding_at_departure(blueprint: &Blueprint, messages: &Messages) -> BTreeSet<LinkId> {
    let nodes = |holds: fn(&SwitchPlan) -> bool| blueprint.switches.iter().filter(move |plan| holds(plan)).map(|plan| plan.node);
    let pausing: BTreeSet<NodeId> = nodes(|plan| plan.pause.is_some()).collect();
    // Nodes that share only a buffer, between ports that know departures on arrival.
    let mut precomputing: BTreeSet<NodeId> = nodes(shares_only_a_buffer).collect();
    // State that is read of a port at an instant must not be ahead of that instant.
    let is_read = !blueprint.meter_samples.is_empty() || !blueprint.watch.series.is_empty();
    let is_ahead = |link: &LinkPlan| is_read && link.port.changes_at_departure();
    let reporting: BTreeSet<LinkId> = messages.telemetry.iter().map(|path| path.link).collect();
    // A packet that waits and then leaves in no time, as at a delivery opportunity or in an aggregate at a very high rate, frees its
    // memory only after the arrivals of that instant. With a precomputed departure it would free it before them.
    let waits_for_wire = |link: &LinkPlan| link.deliveries.is_some() || link.aggregation.is_some() || link.port.shaper.is_some();
    let links = || (0..).map(LinkId).zip(&blueprint.links);
    for (id, link) in links() {
        let is_known = |link| can_precompute_departures(link) && !waits_for_wire(link) && !pausing.contains(&link.to) && !is_ahead(link);
        if precomputing.contains(&link.from) && (!is_known(link) || reporting.contains(&id)) {
            precomputing.remove(&link.from);
        }
    }
    let waiting = waiting_hosts(blueprint);
    precomputing.retain(|node| !waiting.contains(node));
    let sharing: BTreeSet<NodeId> = nodes(|_| true).chain(waiting).collect();
    let decides = |link: &LinkPlan| sharing.contains(&link.from) && !precomputing.contains(&link.from) || pausing.contains(&link.to);
    links().filter(|(_, link)| decides(link)).map(|(id, _)| id).collect()
}

/// Whether the ports of a switch have nothing in common but the memory.
fn shares_only_a_buffer(plan: &SwitchPlan) -> bool {
    let SwitchPlan { node: _, buffer, pause, source_quench, congestion_points, reaction_point } = plan;
    buffer.is_some() && pause.is_none() && source_quench.is_none() && congestion_points.is_none() && reaction_point.is_none()
}

/// Refuses switches that contradict themselves.
///
/// # Errors
/// Without ports, with shares above the buffer, or thresholds in the wrong order.
pub fn check_switches(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    let with_ports: BTreeSet<NodeId> = blueprint.links.iter().map(|link| link.from).collect();
    for switch in &blueprint.switches {
        let name = &blueprint.nodes[switch.node.index()];
        if !with_ports.contains(&switch.node) {
            return contradiction(format!("node '{name}' is to be a switch, but no link begins there"));
        }
        for (what, _, routes) in switch.messages() {
            check_messages(blueprint, switch, what, routes)?;
        }
        if switch.pause.as_ref().is_some_and(|pause| pause.xon > pause.xoff) {
            return contradiction(format!("node '{name}': pause has an xon above its xoff; give it at most xoff"));
        }
        let Some(buffer) = &switch.buffer else { continue };
        let size = AnyBuffer::new(&buffer.policy, &BufferContext::of(&[])).size();
        let foreign = |link: &LinkId| blueprint.links[link.index()].from != switch.node;
        let sum = buffer.shares.iter().map(|(_, share)| amount(*share)).fold(0, u64::saturating_add);
        if buffer.shares.iter().any(|(link, _)| foreign(link)) || sum > amount(size) {
            return contradiction(format!("node '{name}': the shares are more than the shared buffer, or of ports of other nodes"));
        }
    }
    Ok(())
}

/// Messages about a flow must lead from the switch to the source of its data or, of its acknowledgements, to their source.
fn check_messages(blueprint: &Blueprint, switch: &SwitchPlan, what: &str, routes: &[MessageRoute]) -> Result<(), BlueprintError> {
    let is_broken = |(id, is_acknowledgement, route): &&MessageRoute| {
        let (flow, links) = (&blueprint.flows[id.index()], &blueprint.routes[route.index()]);
        let source = if *is_acknowledgement { flow.to } else { flow.from };
        let ends = [links.first(), links.last()].map(|link| link.map(|link| &blueprint.links[link.index()]));
        !matches!(ends, [Some(first), Some(last)] if first.from == switch.node && last.to == source)
    };
    let name = &blueprint.nodes[switch.node.index()];
    refuse(routes.iter().filter(is_broken).map(|(id, ..)| no_route(&format!("{what} of '{name}' for flow {}", id.0))))
}

/// Makes switches of the processes of these nodes, and lets the ports that feed them be paused.
pub struct Switches<'a> {
    pub places: &'a Places<'a>,
    /// Of the run, for what the switches draw.
    pub key: Key,
}

impl Switches<'_> {
    /// Adds what they share to the processes.
    pub fn add(&self, processes: &mut [Process]) {
        let mut pauses = (0..).zip(&self.places.messages.pauses).peekable();
        let mut links_of: BTreeMap<NodeId, Vec<LinkId>> = BTreeMap::new();
        if self.places.blueprint.switches.iter().any(|switch| switch.buffer.is_some()) {
            (0..).map(LinkId).zip(&self.places.blueprint.links).for_each(|(id, link)| links_of.entry(link.from).or_default().push(id));
        }
        for plan in &self.places.blueprint.switches {
            let process = self.places.host(plan.node);
            let ports: Vec<LinkId> = processes[process as usize].ports.iter().map(|port| port.link).collect();
            let own_pauses = std::iter::from_fn(|| pauses.next_if(|(_, path)| path.switch == plan.node));
            let pause = self.pause(plan, process, own_pauses);
            let mut switch = Switch::new(plan.clone(), ports.len(), pause);
            switch.buffer = plan.buffer.as_ref().map(|buffer| {
                let shares = shares(&links_of[&plan.node], &ports, &buffer.shares);
                AnyBuffer::new(&buffer.policy, &BufferContext { site: self.site(plan.node, &ports).child("buffer"), shares: &shares })
            });
            switch.quench = self.source_quench(plan, processes);
            switch.congestion_points = self.congestion_points(plan, &ports, processes);
            switch.reaction_point = self.reaction_point(plan, &ports);
            processes[process as usize].share(switch);
        }
        for node in waiting_hosts(self.places.blueprint) {
            let process = &mut processes[self.places.host(node) as usize];
            let links: Vec<LinkId> = process.ports.iter().map(|port| port.link).collect();
            process.let_connections_wait(node, links.iter().map(|link| self.places.blueprint.links[link.index()].port.queue_limits()));
        }
        let Messages { pauses, .. } = &self.places.messages;
        for link in pauses.iter().map(|path| path.link).chain(self.places.messages.links_of_pause_frames()) {
            let process = self.places.sender(link);
            processes[process as usize].make_pausable(self.places.port(link).expect("pause frames use a link"));
        }
    }

    /// The place of what the ports of a node share.
    fn site(&self, node: NodeId, ports: &[LinkId]) -> Site {
        let name = &self.places.blueprint.nodes[node.index()];
        let rates = ports.iter().map(|link| self.places.blueprint.links[link.index()].rate.as_bps());
        let rate = Rate::from_bps(rates.fold(0, u64::saturating_add));
        Site { key: self.key.child("nodes").child(name), rate, name: name.as_str().into() }
    }

    /// Messages of a switch, and the hosts that will get them.
    fn own_messages(&self, size: Bytes, routes: &[MessageRoute], processes: &mut [Process]) -> OwnMessages {
        let departure = |(id, is_acknowledgement, route): &MessageRoute| {
            let flow = &self.places.blueprint.flows[id.index()];
            let source = self.places.host(if *is_acknowledgement { flow.to } else { flow.from });
            processes[source as usize].host.as_mut().expect("flows begin at hosts").may_be_quenched = true;
            ((*id, *is_acknowledgement), self.places.departure(*route))
        };
        OwnMessages::new(size.get() as u32, routes.iter().map(departure).collect())
    }

    fn source_quench(&self, plan: &SwitchPlan, processes: &mut [Process]) -> Option<SourceQuench> {
        let quench = plan.source_quench.as_ref()?;
        Some(SourceQuench::new(quench.interval, self.own_messages(quench.packet, &quench.routes, processes)))
    }

    fn congestion_points(&self, plan: &SwitchPlan, ports: &[LinkId], processes: &mut [Process]) -> Option<CongestionPoints> {
        let notifying = plan.congestion_points.as_ref()?;
        let messages = self.own_messages(notifying.point.message(), &notifying.routes, processes);
        let point = |link: &LinkId| {
            let key = self.key.child("links").child(&self.places.blueprint.links[link.index()].path).child("congestion-point");
            (*link, CongestionPoint::new(&notifying.point, key))
        };
        Some(CongestionPoints { points: ports.iter().map(point).collect(), messages })
    }

    fn reaction_point(&self, plan: &SwitchPlan, ports: &[LinkId]) -> Option<ReactionPoint> {
        let limiters = plan.reaction_point.as_ref()?;
        let mut port_of_flow: BTreeMap<FlowId, u32> = BTreeMap::new();
        for (id, flow) in (0..).map(FlowId).zip(&self.places.blueprint.flows) {
            // Their acknowledgements first: where both ends are here, data decide.
            let routes = [(flow.to, flow.backward), (flow.from, flow.forward)];
            for (_, route) in routes.into_iter().filter(|(end, _)| *end == plan.node) {
                port_of_flow.insert(id, self.places.departure(route).port);
            }
        }
        let lines: Vec<Rate> = ports.iter().map(|link| self.places.blueprint.links[link.index()].rate).collect();
        let site = self.site(plan.node, ports).child("reaction-point");
        Some(ReactionPoint::new(limiters, site.key.stream(), lines, port_of_flow))
    }

    /// Its PAUSE, given the paths of its frames with their numbers.
    fn pause<'p>(&self, plan: &SwitchPlan, process: u32, own: impl Iterator<Item = (u32, &'p PausePath)>) -> Option<IngressPause> {
        let pause = plan.pause.as_ref()?;
        let ingress = |(number, path): (u32, &PausePath)| {
            let order = MessageOrder::beside_calls(self.places.blueprint.flows.len(), number);
            let peer = Peer { process: ProcessId(self.places.sender(path.link)), delay: path.after, order };
            let ingress = Ingress {
                link: path.link,
                peer,
                port: self.places.port(path.link).expect("it is in use"),
                back: self.places.port(path.back),
                time: pause.time(self.places.blueprint.links[path.link.index()].rate),
            };
            (self.places.input(process, path.link), ingress)
        };
        let mut ingresses: Vec<(u32, Ingress)> = own.map(ingress).collect();
        ingresses.sort_by_key(|(input, _)| *input);
        Some(IngressPause::new(pause.clone(), ingresses.into_iter().map(|(_, ingress)| ingress).collect()))
    }
}

/// The shares that are given to the ports of a node, and to its links that nothing uses.
fn shares(links: &[LinkId], ports: &[LinkId], given: &[(LinkId, Limit)]) -> Vec<Option<Limit>> {
    let used: BTreeSet<&LinkId> = ports.iter().collect();
    let unused = links.iter().filter(|link| !used.contains(link));
    // Of several shares of a port, the first holds.
    let shares: BTreeMap<LinkId, Limit> = given.iter().rev().copied().collect();
    ports.iter().chain(unused).map(|link| shares.get(link).copied()).collect()
}
