//! Processes with their ports and inputs, before flows are added.

use crate::api::blueprint::{Blueprint, FastPaths, LinkWatch, Ties};
use crate::api::series::{SeriesPlan, SeriesSubject};
use crate::build::circuits::CircuitSites;
use crate::build::flow_layout::flow_key;
use crate::build::message_paths::TelemetryPath;
use crate::build::places::{Places, ProcessSite};
use crate::build::switches::links_deciding_at_departure;
use crate::kernel::inputs::Inputs;
use crate::kernel::journal::Measurement;
use crate::kernel::message::{MessageOrder, Peer};
use crate::kernel::route::Hop;
use crate::node::host::Host;
use crate::node::process::changes::Changed;
use crate::node::process::Process;
use crate::port::recorder::PortRecorder;
use crate::port::telemetry::TelemetryReceiver;
use crate::port::traffic_split::TrafficSplit;
use crate::port::Port;
use penstock_model::discipline::PortContext;
use penstock_model::id::{FlowId, LinkId, NodeId, ProcessId, RouteId};
use penstock_model::impairment::{AnyImpairment, Impairment};
use penstock_model::packet::codepoint;
use penstock_model::rng::Key;
use penstock_model::scheduler::traffic::Traffic;
use penstock_model::site::Site;
use penstock_model::transport::jitter::PortJitter;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The key of the hashes that order simultaneous events at the process `name`, if ties are random.
pub fn tie_key(blueprint: &Blueprint, key: Key, name: &str) -> Option<Key> {
    (blueprint.ties == Ties::Random).then(|| key.child("ties").child(name))
}

/// Builds the processes, with ports for the links in use, and their inputs.
pub fn build_processes(places: &Places<'_>, key: Key, circuits: &CircuitSites) -> (Vec<Process>, Vec<Inputs>) {
    let blueprint = places.blueprint;
    let measured = Measurement { from: blueprint.warm_up, to: blueprint.end };
    let ports = PortBuilder::new(places, key, measured);
    let mut links_of: Vec<Vec<LinkId>> = vec![Vec::new(); places.sites.len()];
    let used = (0..blueprint.links.len() as u32).map(LinkId).filter(|link| places.port(*link).is_some());
    used.for_each(|link| links_of[places.sender(link) as usize].push(link));
    let build = |((number, site), links): ((u32, &ProcessSite), &Vec<LinkId>)| {
        let name = places.name(*site);
        let ties = tie_key(blueprint, key, name);
        let host = match site {
            ProcessSite::Host(node) => Some(Box::new(Host::new(node.0, measured, ties))),
            ProcessSite::RouterPort(_) => None,
        };
        let reorders: Vec<bool> = places.inputs(number).map(|link| ports.reorders(link)).collect();
        let ports = links.iter().map(|link| ports.build(*link, circuits)).collect();
        (Process::new(name.to_owned(), ports, host, blueprint), Inputs::new(&reorders, ties))
    };
    blueprint.cancel.until_set((0..).zip(&places.sites).zip(&links_of)).map(build).unzip()
}

/// Tells ports to which process their packets go, where it is one.
pub fn connect_ports(places: &Places<'_>, processes: &mut [Process]) {
    let mut fed = vec![Vec::new(); places.blueprint.links.len()];
    places.channels.iter().for_each(|(to, link)| fed[link.index()].push((ProcessId(*to), places.input(*to, *link))));
    for port in processes.iter_mut().flat_map(|process| process.ports.iter_mut()) {
        if let [only] = fed[port.link.index()][..] {
            port.only_channel = Some(only);
        }
    }
}

/// Adds the changes of ports of the blueprint.
pub fn add_port_changes(places: &Places<'_>, processes: &mut [Process]) {
    for (id, link) in (0..).map(LinkId).zip(&places.blueprint.links) {
        for (port, (at, plan)) in places.port(id).into_iter().flat_map(|port| link.port_changes.iter().map(move |change| (port, change))) {
            processes[places.sender(id) as usize].change(*at, Changed::Port(port, Arc::clone(plan)));
        }
    }
}

/// The hops of all routes, in the order of their links; hosts learn whether they forward packets.
pub fn add_routes(places: &Places<'_>, processes: &mut [Process]) -> Vec<Hop> {
    let blueprint = places.blueprint;
    let mut hops = Vec::with_capacity(blueprint.routes.links().len());
    for route in blueprint.cancel.until_set(blueprint.routes.iter()) {
        for (i, link) in route.iter().enumerate() {
            let process = places.receiver(route, i);
            let port = route.get(i + 1).and_then(|next| places.port(*next));
            if let Some(host) = processes[process as usize].host.as_mut().filter(|_| port.is_some()) {
                host.forwards = true;
            }
            hops.push(Hop { process: ProcessId(process), input: places.input(process, *link), port: port.unwrap_or(Hop::DELIVER) });
        }
    }
    hops
}

/// Lets the ports of a network report.
pub fn add_telemetry(places: &Places<'_>, processes: &mut [Process]) {
    let (flows, first) = (places.blueprint.flows.len(), places.messages.pauses.len() as u32);
    for (number, TelemetryPath { flow, to, link, hop, delay }) in (first..).zip(places.messages.telemetry.iter().copied()) {
        let peer = Peer { process: ProcessId(places.host(to)), delay, order: MessageOrder::beside_calls(flows, number) };
        let mut ports = processes[places.sender(link) as usize].ports.iter_mut();
        let port = ports.find(|port| port.link == link).expect("links in use have ports");
        port.report_to(flow, TelemetryReceiver { peer, hop }, places.blueprint.links[link.index()].rate);
    }
}

/// Hosts and codepoints of the flows; nothing if no scheduler reads them.
fn traffic(blueprint: &Blueprint) -> Traffic {
    if !blueprint.links.iter().any(|link| link.port.scheduler.facts().reads_headers) {
        return Traffic::default();
    }
    Traffic {
        ends: blueprint.flows.iter().map(|flow| [flow.from.0, flow.to.0]).collect(),
        codepoints: (0..).zip(&blueprint.classes).map(|(position, class)| codepoint::of_class(class, position)).collect(),
    }
}

/// The jitter at the first link of every route of a flow that has any. Both ends have a stream of their own, `jitter` 0 and 1 below the
/// key of the flow.
pub fn port_jitter(blueprint: &Blueprint, key: Key) -> BTreeMap<LinkId, PortJitter> {
    let mut ports: BTreeMap<LinkId, PortJitter> = BTreeMap::new();
    for (id, flow) in (0..).map(FlowId).zip(&blueprint.flows) {
        let transport = &blueprint.groups[flow.group as usize].transport;
        let Some(law) = transport.jitter() else { continue };
        let key = flow_key(blueprint, flow, key).child("jitter");
        for (end, route) in (0..).zip(routes(flow.forward, flow.backward)) {
            if let Some(first) = blueprint.routes[route.index()].first() {
                ports.entry(*first).or_default().add(id, law, key.nth(end));
            }
        }
    }
    ports
}

/// The routes of the data and of the acknowledgements, which may begin at the same port only if they are the same.
fn routes(forward: RouteId, backward: RouteId) -> impl Iterator<Item = RouteId> {
    std::iter::once(forward).chain((backward != forward).then_some(backward))
}

/// Builds the ports of links.
struct PortBuilder<'a> {
    blueprint: &'a Blueprint,
    links_key: Key,
    measured: Measurement,
    /// Links with time series.
    observed: BTreeSet<LinkId>,
    /// Links whose ports must not compute departures ahead of time: meters at departure are sampled, tokens of a shaper or states of
    /// impairments are observed, or the port writes telemetry, may be paused, or belongs to a switch.
    deciding: BTreeSet<LinkId>,
    switches: BTreeSet<NodeId>,
    /// Jitter of the flows that enter the network by a link.
    jitter: BTreeMap<LinkId, PortJitter>,
    /// Hosts and codepoints, if a scheduler reads them.
    traffic: Arc<Traffic>,
}

impl<'a> PortBuilder<'a> {
    fn new(places: &Places<'a>, key: Key, measured: Measurement) -> PortBuilder<'a> {
        let blueprint = places.blueprint;
        let link = |plan: &SeriesPlan| match plan.of {
            SeriesSubject::Link(link) => Some(link),
            SeriesSubject::Sender(_) | SeriesSubject::Receiver(_) | SeriesSubject::Node(_) => None,
        };
        let observed: BTreeSet<LinkId> = blueprint.watch.series.iter().filter_map(link).collect();
        let port = |link: &LinkId| &blueprint.links[link.index()].port;
        let metered = blueprint.meter_samples.iter().map(|sample| sample.link).filter(|link| port(link).acts_at_departure());
        let followed = observed.iter().copied().filter(|link| port(link).changes_at_departure());
        let reporting = places.messages.telemetry.iter().map(|path| path.link);
        let of_switches = links_deciding_at_departure(blueprint, &places.messages);
        let deciding = metered.chain(followed).chain(reporting).chain(of_switches).collect();
        let (links_key, jitter, traffic) = (key.child("links"), port_jitter(blueprint, key), Arc::new(traffic(blueprint)));
        let switches = blueprint.switches.iter().map(|switch| switch.node).collect();
        PortBuilder { blueprint, links_key, measured, deciding, switches, observed, jitter, traffic }
    }

    fn build(&self, link: LinkId, circuits: &CircuitSites) -> Port {
        let blueprint = self.blueprint;
        let plan = &blueprint.links[link.index()];
        let trace_place = (blueprint.nodes.len() + link.index()) as u32;
        let site = Site { key: self.links_key.child(&plan.path), rate: plan.rate, name: plan.path.as_str().into() };
        let context = PortContext { site, framing: plan.framing, circuits: circuits.of_link(link), traffic: Arc::clone(&self.traffic) };
        // A switch is to know what becomes of each packet, which ports that keep only starts of transmissions do not tell.
        let tail_drop_fifo = blueprint.fast_paths.tail_drop_fifo && !self.switches.contains(&plan.from);
        let fast_paths = if blueprint.trace { FastPaths::NONE } else { FastPaths { tail_drop_fifo, ..blueprint.fast_paths } };
        let extras = (self.recorder(link, circuits), self.jitter.get(&link).cloned(), self.deciding.contains(&link));
        Port::new(link, trace_place, plan, context, self.measured, extras, fast_paths)
    }

    /// Whether packets may overtake each other on a link.
    fn reorders(&self, link: LinkId) -> bool {
        let reorders = |plan| AnyImpairment::new(plan, &Site::trial()).reorders();
        self.jitter.contains_key(&link) || self.blueprint.links[link.index()].port.impairments.iter().any(reorders)
    }

    /// Returns the recorder of the port of a link, which records more than its counters; `None` if no plan watches the link.
    fn recorder(&self, link: LinkId, circuits: &CircuitSites) -> Option<Box<PortRecorder>> {
        let (blueprint, is_observed) = (self.blueprint, self.observed.contains(&link));
        let nothing = LinkWatch::default();
        let watch = blueprint.watch.links.get(&link).or(is_observed.then_some(&nothing))?;
        let ingresses = watch.ingresses.then(|| TrafficSplit::by_ingress(blueprint, link));
        let has_circuits = watch.circuits && blueprint.links[link.index()].cells;
        let circuits = has_circuits.then(|| TrafficSplit::by_circuit(blueprint, &circuits.of_link(link)));
        Some(PortRecorder::new(watch, blueprint.classes.len(), self.measured, ingresses.into_iter().chain(circuits).collect(), is_observed))
    }
}
