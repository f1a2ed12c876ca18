//! Nodes whose ports share a buffer, or that stop the ports which feed them.

use crate::api::blueprint::{Blueprint, FlowPlan, LinkPlan, SwitchPlan};
use crate::build::error::{contradiction, BlueprintError};
use crate::build::message_paths::{links_of_pause_frames, links_with_telemetry, no_route, pause_paths, PausePath};
use crate::build::numbering::ProcessSite;
use crate::build::places::Places;
use crate::build::routes::RouteTable;
use crate::kernel::message::{MessageOrder, Peer};
use crate::kernel::route::Departure;
use crate::node::congestion_points::CongestionPoints;
use crate::node::ingress_pause::{Ingress, IngressPause};
use crate::node::process::Process;
use crate::node::shared_state::Switch;
use crate::node::source_quench::SourceQuench;
use crate::port::can_precompute_departures;
use penstock_model::buffer::{amount, AnyBuffer, Buffer, BufferContext};
use penstock_model::feedback::reaction_point::ReactionPoint;
use penstock_model::feedback::CongestionPoint;
use penstock_model::id::{FlowId, LinkId, NodeId, ProcessId, RouteId};
use penstock_model::parameters::Limit;
use penstock_model::rng::Key;
use penstock_model::site::Site;
use penstock_model::units::Rate;
use std::collections::{BTreeMap, BTreeSet};

/// The hosts whose connections wait for room in their ports: all ends of such flows but those of AAL5, where a packet becomes cells.
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

/// Which departures cannot be known on arrival because of what the port shares with others, may be paused, or asks connections for.
pub struct DecidingAtDeparture {
    /// Nodes whose ports share something, or whose connections wait.
    switches: BTreeSet<NodeId>,
    /// Those of them that share only a buffer, between ports that know departures on arrival.
    precomputing: BTreeSet<NodeId>,
    pausing: BTreeSet<NodeId>,
}

impl DecidingAtDeparture {
    /// Those of a blueprint.
    pub fn new(blueprint: &Blueprint) -> DecidingAtDeparture {
        let nodes = |holds: fn(&SwitchPlan) -> bool| blueprint.switches.iter().filter(move |plan| holds(plan)).map(|plan| plan.node);
        let pausing: BTreeSet<NodeId> = nodes(|plan| plan.pause.is_some()).collect();
        let mut precomputing: BTreeSet<NodeId> = nodes(shares_only_a_buffer).collect();
        // What is read of a port at an instant must not be ahead of it.
        let is_read = !blueprint.meter_samples.is_empty() || !blueprint.watch.series.is_empty();
        let is_ahead = |link: &LinkPlan| is_read && link.port.changes_at_departure();
        let reporting = links_with_telemetry(blueprint);
        for (id, link) in (0..).map(LinkId).zip(&blueprint.links) {
            // A packet that waits and then leaves in no time, as at a delivery opportunity or in an aggregate at a very high rate, frees its memory only after the arrivals of
            // that instant; known beforehand, it would free it before them.
            let waits_for_wire = |link: &LinkPlan| link.deliveries.is_some() || link.aggregation.is_some() || link.port.shaper.is_some();
            let precomputes =
                |link| can_precompute_departures(link) && !waits_for_wire(link) && !pausing.contains(&link.to) && !is_ahead(link);
            if precomputing.contains(&link.from) && (!precomputes(link) || reporting.contains(&id)) {
                precomputing.remove(&link.from);
            }
        }
        let waiting = waiting_hosts(blueprint);
        precomputing.retain(|node| !waiting.contains(node));
        let switches = nodes(|_| true).chain(waiting).collect();
        DecidingAtDeparture { switches, precomputing, pausing }
    }

    /// Whether they are those of the port of this link.
    pub fn at(&self, link: &LinkPlan) -> bool {
        self.share(link) && !self.precomputing.contains(&link.from) || self.pausing.contains(&link.to)
    }

    /// Whether the port of this link shares something with others.
    pub fn share(&self, link: &LinkPlan) -> bool {
        self.switches.contains(&link.from)
    }
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
        let quenches = switch.source_quench.iter().flat_map(|quench| &quench.routes).map(|(id, route)| (*id, false, *route));
        check_messages(blueprint, switch, "source quenches", quenches)?;
        let notifications = switch.congestion_points.iter().flat_map(|plan| plan.routes.iter().copied());
        check_messages(blueprint, switch, "messages of the congestion points", notifications)?;
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
fn check_messages(
    blueprint: &Blueprint,
    switch: &SwitchPlan,
    what: &str,
    mut routes: impl Iterator<Item = (FlowId, bool, RouteId)>,
) -> Result<(), BlueprintError> {
    let is_broken = |(id, is_acknowledgement, route): &(FlowId, bool, RouteId)| {
        let (flow, links) = (&blueprint.flows[id.index()], &blueprint.routes[route.index()]);
        let source = if *is_acknowledgement { flow.to } else { flow.from };
        let ends = [links.first(), links.last()].map(|link| link.map(|link| &blueprint.links[link.index()]));
        !matches!(ends, [Some(first), Some(last)] if first.from == switch.node && last.to == source)
    };
    match routes.find(is_broken) {
        Some((id, ..)) => {
            let name = &blueprint.nodes[switch.node.index()];
            contradiction(no_route(&format!("{what} of '{name}' for flow {}", id.0)))
        }
        None => Ok(()),
    }
}

/// Makes switches of the processes of these nodes, and lets the ports that feed them be paused.
pub struct Switches<'a> {
    pub places: &'a Places<'a>,
    /// Of the run, for what the switches draw.
    pub key: Key,
    pub routes: &'a RouteTable<'a>,
}

impl Switches<'_> {
    /// Adds what they share to the processes.
    ///
    /// # Errors
    /// If messages have no route or take no time.
    pub fn add(&self, processes: &mut [Process]) -> Result<(), BlueprintError> {
        let pauses = pause_paths(self.places.blueprint)?;
        let mut pauses_of: BTreeMap<NodeId, Vec<(u32, PausePath)>> = BTreeMap::new();
        (0..).zip(&pauses).for_each(|(number, path)| pauses_of.entry(path.switch).or_default().push((number, *path)));
        let mut links_of: BTreeMap<NodeId, Vec<LinkId>> = BTreeMap::new();
        if self.places.blueprint.switches.iter().any(|switch| switch.buffer.is_some()) {
            (0..).map(LinkId).zip(&self.places.blueprint.links).for_each(|(id, link)| links_of.entry(link.from).or_default().push(id));
        }
        for plan in &self.places.blueprint.switches {
            let process = self.places.process(ProcessSite::Host(plan.node));
            let ports: Vec<LinkId> = processes[process as usize].ports_mut().map(|port| port.link()).collect();
            let pause = self.pause(plan, process, pauses_of.get(&plan.node).map_or(&[], Vec::as_slice));
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
            let process = &mut processes[self.places.process(ProcessSite::Host(node)) as usize];
            let links: Vec<LinkId> = process.ports_mut().map(|port| port.link()).collect();
            process.let_connections_wait(node, links.iter().map(|link| self.places.blueprint.links[link.index()].port.queue_limits()));
        }
        let sending = links_of_pause_frames(self.places.blueprint);
        for link in pauses.iter().map(|path| path.link).chain(sending) {
            let process = self.places.sender(link);
            processes[process as usize].make_pausable(self.places.port(link).expect("pause frames use a link"));
        }
        Ok(())
    }

    /// The place of what the ports of a node share.
    fn site(&self, node: NodeId, ports: &[LinkId]) -> Site {
        let name = &self.places.blueprint.nodes[node.index()];
        let rates = ports.iter().map(|link| self.places.blueprint.links[link.index()].rate.as_bps());
        let rate = Rate::from_bps(rates.fold(0, u64::saturating_add));
        Site { key: self.key.child("nodes").child(name), rate, name: name.as_str().into() }
    }

    /// Where messages about flows begin that go to the sources of their data and (`true`) of their acknowledgements, which will get them.
    fn message_routes(
        &self,
        routes: impl Iterator<Item = (FlowId, bool, RouteId)>,
        processes: &mut [Process],
    ) -> BTreeMap<(FlowId, bool), Departure> {
        let blueprint = self.places.blueprint;
        let mut departure = |(id, is_acknowledgement, route): (FlowId, bool, RouteId)| {
            let flow = &blueprint.flows[id.index()];
            let source = self.places.process(ProcessSite::Host(if is_acknowledgement { flow.to } else { flow.from }));
            processes[source as usize].host_mut().expect("flows begin at hosts").may_be_quenched = true;
            ((id, is_acknowledgement), self.routes.departure(route))
        };
        routes.map(&mut departure).collect()
    }

    fn source_quench(&self, plan: &SwitchPlan, processes: &mut [Process]) -> Option<SourceQuench> {
        let quench = plan.source_quench.as_ref()?;
        let routes = self.message_routes(quench.routes.iter().map(|(id, route)| (*id, false, *route)), processes);
        Some(SourceQuench::new(quench.interval, quench.packet.get() as u32, routes))
    }

    fn congestion_points(&self, plan: &SwitchPlan, ports: &[LinkId], processes: &mut [Process]) -> Option<CongestionPoints> {
        let notifying = plan.congestion_points.as_ref()?;
        let routes = self.message_routes(notifying.routes.iter().copied(), processes);
        let point = |link: &LinkId| {
            let key = self.key.child("links").child(&self.places.blueprint.links[link.index()].path).child("congestion-point");
            (*link, CongestionPoint::new(&notifying.point, key))
        };
        Some(CongestionPoints::new(ports.iter().map(point).collect(), notifying.point.message().get() as u32, routes))
    }

    fn reaction_point(&self, plan: &SwitchPlan, ports: &[LinkId]) -> Option<ReactionPoint> {
        let limiters = plan.reaction_point.as_ref()?;
        let mut port_of_flow: BTreeMap<FlowId, u32> = BTreeMap::new();
        for (id, flow) in (0..).map(FlowId).zip(&self.places.blueprint.flows) {
            // Their acknowledgements first: where both ends are here, data decide.
            let routes = [(flow.to, flow.backward), (flow.from, flow.forward)];
            for (_, route) in routes.into_iter().filter(|(end, _)| *end == plan.node) {
                port_of_flow.insert(id, self.routes.departure(route).port);
            }
        }
        let lines: Vec<Rate> = ports.iter().map(|link| self.places.blueprint.links[link.index()].rate).collect();
        let site = self.site(plan.node, ports).child("reaction-point");
        Some(ReactionPoint::new(limiters, site.key.stream(), lines, port_of_flow))
    }

    /// Its PAUSE, given the paths of its frames with their numbers.
    fn pause(&self, plan: &SwitchPlan, process: u32, own: &[(u32, PausePath)]) -> Option<IngressPause> {
        let pause = plan.pause.as_ref()?;
        let ingress = |(number, path): &(u32, PausePath)| {
            let order = MessageOrder::beside_calls(self.places.blueprint.flows.len(), *number);
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
        let mut ingresses: Vec<(u32, Ingress)> = own.iter().map(ingress).collect();
        ingresses.sort_by_key(|(input, _)| *input);
        Some(IngressPause::new(pause.clone(), ingresses.into_iter().map(|(_, ingress)| ingress).collect()))
    }
}

/// The shares that are given to the ports of a node, and to its links that nothing uses.
fn shares(links: &[LinkId], ports: &[LinkId], given: &[(LinkId, Limit)]) -> Vec<Option<Limit>> {
    let used: BTreeSet<LinkId> = ports.iter().copied().collect();
    let unused = links.iter().copied().filter(|link| !used.contains(link));
    let mut shares: BTreeMap<LinkId, Limit> = BTreeMap::new();
    given.iter().for_each(|(link, share)| {
        shares.entry(*link).or_insert(*share);
    });
    let share = |link: LinkId| shares.get(&link).copied();
    ports.iter().copied().chain(unused).map(share).collect()
}
