//! From a blueprint to processes: who is one, how they are connected, and in which order they stand.

use crate::api::blueprint::{Blueprint, FlowGroup, FlowPlan, LinkPlan, LinkWatch, MarkAt, PcnAt, PortPlan, Ties};
use crate::build::flow_layout::{flow_key, seats, start};
use crate::build::process_graph::{signals, ProcessGraph};
use crate::endpoints::calls::egress::CallsEgress;
use crate::endpoints::calls::{CallsIngress, CallsSetup};
use crate::endpoints::counts::Received;
use crate::endpoints::http_user::HttpUser;
use crate::executor::lookahead::Latencies;
use crate::executor::parallel::partition::{keep_together, partition};
use crate::kernel::channel::Inputs;
use crate::kernel::journal::Window;
use crate::kernel::message::Peer;
use crate::kernel::route::{Departure, FlowRoutes, Hop, Routes};
use crate::node::host::{EndpointCounts, Host, PacketTemplate};
use crate::node::process::Process;
use crate::port::Port;
use penstock_model::edge::{EdgeContext, Egress};
use penstock_model::id::{FlowId, HopId, LinkId, NodeId, ProcessId, RouteId};
use penstock_model::impairment::{AnyImpairment, Impairment};
use penstock_model::rng::Key;
use penstock_model::source::{AnySource, SourcePlan};
use penstock_model::transport::tcp::{Parameters as TcpParameters, Receiver, Sender};
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Duration, Time};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A blueprint that cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlueprintError {
    /// Packets could go round this circle of links in no time.
    CycleWithoutDelay(Vec<String>),
    /// A route's links do not meet, or it is empty.
    BrokenRoute(usize),
    /// A flow's route does not lead from its source to its sink or back.
    MisroutedFlow(usize),
    /// The edges of these calls have no delay between them.
    SignalWithoutDelay(String),
    /// The source cannot be carried by the transport.
    Mismatch(String),
    /// A link ends where it begins.
    LinkToItself(String),
    /// Samples without any time between them.
    NoInterval(usize),
}

impl fmt::Display for BlueprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlueprintError::CycleWithoutDelay(links) => {
                write!(f, "the links {} form a circle without any delay; give at least one of them a delay above 0 s", links.join(", "))
            }
            BlueprintError::BrokenRoute(route) => write!(f, "route {route} is empty or has links that do not meet"),
            BlueprintError::MisroutedFlow(flow) => write!(f, "the route of flow {flow} does not lead between its ends"),
            BlueprintError::SignalWithoutDelay(group) => {
                write!(f, "calls '{group}': signals between their ends would take no time; give a link of the route a delay above 0 s")
            }
            BlueprintError::Mismatch(group) => write!(f, "flows '{group}': this source cannot be carried by this transport"),
            BlueprintError::LinkToItself(link) => write!(f, "the link {link} ends where it begins"),
            BlueprintError::NoInterval(plan) => write!(f, "sample plan {plan} has an interval of 0 s; give it one above 0 s"),
        }
    }
}

impl std::error::Error for BlueprintError {}

/// The parts of a [`crate::Sim`].
pub struct Parts {
    pub processes: Vec<Process>,
    pub inputs: Vec<Inputs>,
    pub routes: Routes,
    /// The delays between processes.
    pub latencies: Latencies,
    /// The process behind the last one of each part.
    pub ends: Vec<u32>,
}

/// How processes are divided into parts.
#[derive(Clone, Copy)]
pub enum Division<'a> {
    /// Not at all.
    Whole,
    /// Into so many at most, as far as that seems worth it.
    Into(usize),
    /// As this function of a number says, but that processes without delay between them stay together.
    By(&'a dyn Fn(usize) -> u32),
}

/// The numbers of processes.
pub struct ProcessNumbers {
    of_node: Vec<u32>,
    of_link: Vec<u32>,
    count: usize,
}

impl ProcessNumbers {
    /// Places are numbered in this order.
    fn new(blueprint: &Blueprint, order: &[Place]) -> ProcessNumbers {
        let mut numbers = ProcessNumbers {
            of_node: vec![u32::MAX; blueprint.nodes.len()],
            of_link: vec![u32::MAX; blueprint.links.len()],
            count: order.len(),
        };
        for (i, place) in order.iter().enumerate() {
            match place {
                Place::Host(node) => numbers.of_node[node.index()] = i as u32,
                Place::RouterPort(link) => numbers.of_link[link.index()] = i as u32,
            }
        }
        numbers
    }

    /// The number of the process at `place`.
    pub fn of(&self, place: Place) -> u32 {
        match place {
            Place::Host(node) => self.of_node[node.index()],
            Place::RouterPort(link) => self.of_link[link.index()],
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// What a process is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A node where flows begin or end, with all its ports.
    Host(NodeId),
    /// One port of a node that only passes packets on.
    RouterPort(LinkId),
}

/// Makes the processes of a blueprint.
///
/// # Errors
/// If it contradicts itself; see [`BlueprintError`].
pub fn assemble(blueprint: &Blueprint, division: Division<'_>) -> Result<Parts, BlueprintError> {
    check_links(blueprint)?;
    check_routes(blueprint)?;
    let is_host = hosts(blueprint);
    let place = |link: LinkId| sender(blueprint, &is_host, link);
    let used = used_links(blueprint);
    let channels = channels(blueprint, &place);
    let order = order(blueprint, &is_host, &used, &channels)?;
    let process_graph = ProcessGraph::new(blueprint, &place, &ProcessNumbers::new(blueprint, &order))?;
    let Divided { order, number, ends } = divide(&order, &process_graph, division);
    let process_of = ProcessNumbers::new(blueprint, &order);

    let key = Key::root(blueprint.seed, blueprint.replication);
    let ties = |name: &str| (blueprint.ties == Ties::Random).then(|| key.child("ties").child(name));
    let window = Window { from: blueprint.warm_up, to: blueprint.end };
    let watched: BTreeMap<LinkId, &LinkWatch> = blueprint.watch.links.iter().map(|(link, watch)| (*link, watch)).collect();
    let mut port_index = vec![u32::MAX; blueprint.links.len()];
    let mut processes = Vec::with_capacity(order.len());
    let mut inputs = Vec::with_capacity(order.len());
    let mut input_index: BTreeMap<(LinkId, u32), u32> = BTreeMap::new();
    let mut ports_of: Vec<Vec<LinkId>> = vec![Vec::new(); blueprint.nodes.len()];
    used.iter().for_each(|link| ports_of[blueprint.links[link.index()].from.index()].push(*link));
    for (i, place) in order.iter().enumerate() {
        let (name, links, host) = match *place {
            Place::Host(node) => {
                let name = &blueprint.nodes[node.index()];
                let links = std::mem::take(&mut ports_of[node.index()]);
                (name, links, Some(Box::new(Host::new(node.0, window, ties(name)))))
            }
            Place::RouterPort(link) => (&blueprint.links[link.index()].path, vec![link], None),
        };
        let ports: Vec<Port> = links
            .iter()
            .enumerate()
            .map(|(index, &link)| {
                let plan = &blueprint.links[link.index()];
                port_index[link.index()] = index as u32;
                let trace_place = (blueprint.nodes.len() + link.index()) as u32;
                let plan = &in_step(blueprint, link, plan);
                let watch = watched.get(&link).map(|watch| (*watch, blueprint.classes.len()));
                Port::new(link, trace_place, plan, key.child("links").child(&plan.path), window, watch, blueprint.fast_paths)
            })
            .collect();
        processes.push(Process::new(name.clone(), ports, host, blueprint.trace));
        let feeding: Vec<LinkId> = channels.range((*place, LinkId(0))..=(*place, LinkId(u32::MAX))).map(|((_, link), ())| *link).collect();
        for (input, link) in feeding.iter().enumerate() {
            input_index.insert((*link, i as u32), input as u32);
        }
        let reorders: Vec<bool> = feeding.iter().map(|link| reorders(blueprint, *link)).collect();
        inputs.push(Inputs::new(&reorders, ties(name)));
    }

    let (hops, starts) = hops(blueprint, &place, &process_of, &input_index, &port_index);
    for hop in hops.iter().filter(|hop| hop.port != Hop::DELIVER) {
        if let Some(host) = processes[hop.process.index()].host_mut() {
            host.passes_on = true;
        }
    }
    lead_to_only_channels(&mut processes, &input_index);
    let departure =
        |route: RouteId| Departure { port: port_index[blueprint.routes[route.index()][0].index()], hop: HopId(starts[route.index()]) };
    let flows = add_flows(blueprint, key, &process_of, &mut processes, ties, departure)?;
    for (plan, sample) in blueprint.samples.iter().enumerate() {
        let port = port_index[sample.link.index()];
        let process = process_of.of(place(sample.link)) as usize;
        processes[process].sample(port, sample.every, blueprint.warm_up, plan as u32);
    }
    for (plan, sample) in blueprint.meter_samples.iter().enumerate() {
        let port = port_index[sample.link.index()];
        let process = process_of.of(place(sample.link)) as usize;
        processes[process].sample_meters(port, sample.every, blueprint.warm_up, plan as u32);
    }
    Ok(Parts { processes, inputs, routes: Routes::new(hops, flows), latencies: process_graph.latencies(&number), ends })
}

/// The places in their order, part by part.
struct Divided {
    order: Vec<Place>,
    /// The new number of each.
    number: Vec<u32>,
    ends: Vec<u32>,
}

fn divide(order: &[Place], process_graph: &ProcessGraph, division: Division<'_>) -> Divided {
    let parts = match division {
        Division::Into(parts) if parts > 1 => partition(&process_graph.weights, &process_graph.edges, parts),
        Division::By(wanted) => Some(keep_together(&(0..order.len()).map(wanted).collect::<Vec<u32>>(), &process_graph.edges)),
        _ => None,
    };
    let parts = parts.unwrap_or_else(|| vec![0; order.len()]);
    // Within a part the order stays: no channel without delay leads from a later process to an earlier one.
    let mut sorted: Vec<usize> = (0..order.len()).collect();
    sorted.sort_by_key(|i| parts[*i]);
    let mut number = vec![0; order.len()];
    sorted.iter().enumerate().for_each(|(new, old)| number[*old] = new as u32);
    let borders = (1..sorted.len()).filter(|i| parts[sorted[i - 1]] != parts[sorted[*i]]);
    let ends = borders.chain([sorted.len()]).map(|end| end as u32).collect();
    Divided { order: sorted.iter().map(|i| order[*i]).collect(), number, ends }
}

/// Who sends over a link.
fn sender(blueprint: &Blueprint, is_host: &[bool], link: LinkId) -> Place {
    match blueprint.links[link.index()].from {
        node if is_host[node.index()] => Place::Host(node),
        _ => Place::RouterPort(link),
    }
}

/// The plan of a link. Where departures are known on arrival, meters that see packets depart run ahead of the time; a port
/// whose meters are looked at takes its decisions as they come.
fn in_step<'a>(blueprint: &Blueprint, link: LinkId, plan: &'a LinkPlan) -> Cow<'a, LinkPlan> {
    let at_departure =
        plan.port.marker.as_ref().is_some_and(|marker| marker.at == MarkAt::Departure) || plan.port.pcn_at == PcnAt::Departure;
    if !at_departure || blueprint.meter_samples.iter().all(|sample| sample.link != link) {
        return Cow::Borrowed(plan);
    }
    let port = Arc::new(PortPlan { force_service: true, ..PortPlan::clone(&plan.port) });
    Cow::Owned(LinkPlan { port, ..plan.clone() })
}

fn check_links(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    if let Some(link) = blueprint.links.iter().find(|link| link.from == link.to) {
        return Err(BlueprintError::LinkToItself(link.path.clone()));
    }
    match blueprint.samples.iter().chain(&blueprint.meter_samples).position(|sample| sample.every == Duration::ZERO) {
        Some(plan) => Err(BlueprintError::NoInterval(plan)),
        None => Ok(()),
    }
}

fn check_routes(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    let link = |id: &LinkId| &blueprint.links[id.index()];
    for (i, route) in blueprint.routes.iter().enumerate() {
        if route.is_empty() || route.windows(2).any(|pair| link(&pair[0]).to != link(&pair[1]).from) {
            return Err(BlueprintError::BrokenRoute(i));
        }
    }
    let ends = |route: RouteId| {
        let route = &blueprint.routes[route.index()];
        (link(&route[0]).from, link(&route[route.len() - 1]).to)
    };
    for (i, flow) in blueprint.flows.iter().enumerate() {
        let back = match blueprint.groups[flow.group as usize].transport {
            TransportPlan::Tcp(_) => ends(flow.backward) == (flow.to, flow.from),
            TransportPlan::Udp(_) => true,
        };
        if !back || ends(flow.forward) != (flow.from, flow.to) {
            return Err(BlueprintError::MisroutedFlow(i));
        }
    }
    Ok(())
}

fn hosts(blueprint: &Blueprint) -> Vec<bool> {
    let mut is_host = vec![false; blueprint.nodes.len()];
    for flow in &blueprint.flows {
        is_host[flow.from.index()] = true;
        is_host[flow.to.index()] = true;
    }
    // A route that no flow takes must end somewhere too.
    for route in &blueprint.routes {
        is_host[blueprint.links[route[route.len() - 1].index()].to.index()] = true;
    }
    is_host
}

/// The links that some route uses or somebody samples, in the scenario's order.
fn used_links(blueprint: &Blueprint) -> Vec<LinkId> {
    let mut used = vec![false; blueprint.links.len()];
    let sampled = blueprint.samples.iter().chain(&blueprint.meter_samples).map(|sample| &sample.link);
    blueprint.routes.iter().flatten().chain(sampled).for_each(|link| used[link.index()] = true);
    (0..blueprint.links.len() as u32).map(LinkId).filter(|link| used[link.index()]).collect()
}

/// Which link feeds which place, on some route.
fn channels(blueprint: &Blueprint, place: &dyn Fn(LinkId) -> Place) -> BTreeMap<(Place, LinkId), ()> {
    let mut channels = BTreeMap::new();
    for route in &blueprint.routes {
        for pair in route.windows(2) {
            channels.insert((place(pair[1]), pair[0]), ());
        }
        let last = route[route.len() - 1];
        channels.insert((Place::Host(blueprint.links[last.index()].to), last), ());
    }
    channels
}

/// All places, such that a channel without delay leads from an earlier to a later one.
fn order(
    blueprint: &Blueprint,
    is_host: &[bool],
    used: &[LinkId],
    channels: &BTreeMap<(Place, LinkId), ()>,
) -> Result<Vec<Place>, BlueprintError> {
    let hosts = (0..blueprint.nodes.len() as u32).map(NodeId).filter(|node| is_host[node.index()]).map(Place::Host);
    let ports = used.iter().copied().filter(|link| !is_host[blueprint.links[link.index()].from.index()]).map(Place::RouterPort);
    let places: Vec<Place> = hosts.chain(ports).collect();
    let without_delay: Vec<(Place, LinkId)> =
        channels.keys().filter(|(_, link)| blueprint.links[link.index()].delay == Duration::ZERO).copied().collect();
    if without_delay.is_empty() {
        return Ok(places);
    }
    // Kahn's algorithm, lowest place first, over the channels without delay only.
    let sender = |link: LinkId| sender(blueprint, is_host, link);
    let mut waiting_for: BTreeMap<Place, usize> = places.iter().map(|place| (*place, 0)).collect();
    let mut leads_to: BTreeMap<Place, Vec<Place>> = BTreeMap::new();
    for (to, link) in &without_delay {
        leads_to.entry(sender(*link)).or_default().push(*to);
        *waiting_for.entry(*to).or_default() += 1;
    }
    let mut ready: std::collections::BTreeSet<Place> =
        waiting_for.iter().filter(|(_, count)| **count == 0).map(|(place, _)| *place).collect();
    let mut order = Vec::with_capacity(places.len());
    while let Some(place) = ready.pop_first() {
        order.push(place);
        for next in leads_to.get(&place).into_iter().flatten() {
            let count = waiting_for.get_mut(next).expect("every place is counted");
            *count -= 1;
            if *count == 0 {
                ready.insert(*next);
            }
        }
    }
    if order.len() == places.len() {
        return Ok(order);
    }
    let stuck = without_delay.iter().filter(|(to, link)| waiting_for[to] > 0 && waiting_for[&sender(*link)] > 0);
    let mut names: Vec<String> = stuck.map(|(_, link)| blueprint.links[link.index()].path.clone()).collect();
    names.dedup();
    Err(BlueprintError::CycleWithoutDelay(names))
}

/// Whether packets may overtake each other on a link.
fn reorders(blueprint: &Blueprint, link: LinkId) -> bool {
    let key = Key::root(0, 0);
    blueprint.links[link.index()].port.impairments.iter().any(|plan| AnyImpairment::new(plan, key).reorders())
}

/// Tells ports whose packets all go to one process so, given the inputs of links at processes.
fn lead_to_only_channels(processes: &mut [Process], input_index: &BTreeMap<(LinkId, u32), u32>) {
    for port in processes.iter_mut().flat_map(Process::ports_mut) {
        let link = port.link();
        let mut channels = input_index.range((link, 0)..=(link, u32::MAX));
        if let (Some((&(_, process), &input)), None) = (channels.next(), channels.next()) {
            port.lead_to(ProcessId(process), input);
        }
    }
}

/// The table of hops, and where each route begins in it.
fn hops(
    blueprint: &Blueprint,
    place: &dyn Fn(LinkId) -> Place,
    process_of: &ProcessNumbers,
    input_index: &BTreeMap<(LinkId, u32), u32>,
    port_index: &[u32],
) -> (Vec<Hop>, Vec<u32>) {
    let mut hops = Vec::new();
    let mut starts = Vec::with_capacity(blueprint.routes.len());
    for route in &blueprint.routes {
        starts.push(hops.len() as u32);
        for (i, link) in route.iter().enumerate() {
            let (process, port) = match route.get(i + 1) {
                Some(next) => (process_of.of(place(*next)), port_index[next.index()]),
                None => (process_of.of(Place::Host(blueprint.links[link.index()].to)), Hop::DELIVER),
            };
            hops.push(Hop { process: ProcessId(process), input: input_index[&(*link, process)], port });
        }
    }
    (hops, starts)
}

/// Puts both ends of every flow into their hosts.
fn add_flows(
    blueprint: &Blueprint,
    key: Key,
    process_of: &ProcessNumbers,
    processes: &mut [Process],
    ties: impl Fn(&str) -> Option<Key>,
    departure: impl Fn(RouteId) -> Departure,
) -> Result<Vec<FlowRoutes>, BlueprintError> {
    let tcp: Vec<Option<Arc<TcpParameters>>> = blueprint
        .groups
        .iter()
        .map(|group| match &group.transport {
            TransportPlan::Tcp(parameters) => Some(Arc::new(parameters.clone())),
            TransportPlan::Udp(_) => None,
        })
        .collect();
    let host_index = &process_of.of_node;
    for (node, ends) in ends_of_hosts(blueprint).into_iter().enumerate().filter(|(node, _)| host_index[*node] != u32::MAX) {
        host(processes, host_index[node]).expect_ends(&ends);
    }
    let mut flows = vec![FlowRoutes::NONE; blueprint.flows.len()];
    for i in seats(blueprint, key) {
        let flow = &blueprint.flows[i as usize];
        let group = &blueprint.groups[flow.group as usize];
        let key = flow_key(blueprint, flow, key);
        let start = start(blueprint, flow, key);
        let (id, watch) = (FlowId(i), blueprint.watch.group(flow.group));
        let forward = departure(flow.forward);
        let ecn = group.transport.datagram_ecn();
        let template = PacketTemplate { flow: id, departure: forward, class: group.class, precedence: group.precedence, ecn };
        let (from, to) = (host_index[flow.from.index()], host_index[flow.to.index()]);
        let routes = match (&group.transport, &tcp[flow.group as usize]) {
            (TransportPlan::Tcp(_), Some(parameters)) => {
                let backward = departure(flow.backward);
                let mut sender = Sender::new(parameters, clock_offset(parameters, key));
                let mut http_user = http_user(group, parameters, key, watch.pages);
                match &mut http_user {
                    Some(http_user) => sender.offer(Some(http_user.ask(start))),
                    None => sender.offer(segments(group, parameters)?),
                }
                let back = PacketTemplate { departure: backward, ..template };
                let header = parameters.header.get() as u32;
                let sink = host(processes, to).add_receiver(back, Receiver::new(parameters), Received::new(id, header, watch));
                let source = host(processes, from).add_sender(template, sender, http_user, start, group.stop);
                FlowRoutes { source, sink }
            }
            (TransportPlan::Udp(parameters), _) if group.calls.is_some() => {
                let header = parameters.header.get() as u32;
                let ends = CallsEnds { blueprint, flow, template, header, key, start, process: (from, to) };
                let (source, sink) = ends.add(processes, ties(&blueprint.nodes[flow.from.index()]))?;
                FlowRoutes { source, sink }
            }
            (TransportPlan::Udp(parameters), _) => {
                let Some(source) = AnySource::new(&group.source) else {
                    return Err(BlueprintError::Mismatch(group.name.clone()));
                };
                let sink = host(processes, to).add_sink(Received::new(id, parameters.header.get() as u32, watch));
                let source = host(processes, from).add_source(template, source, key.child("source").stream(), start, group.stop);
                FlowRoutes { source, sink }
            }
            (TransportPlan::Tcp(_), None) => unreachable!("every TCP group has its parameters"),
        };
        flows[i as usize] = routes;
    }
    Ok(flows)
}

/// An aggregate of calls that is about to be put into its two hosts.
struct CallsEnds<'a> {
    blueprint: &'a Blueprint,
    flow: &'a FlowPlan,
    template: PacketTemplate,
    header: u32,
    key: Key,
    start: Time,
    /// The processes of its ingress and its egress.
    process: (u32, u32),
}

impl CallsEnds<'_> {
    /// Adds both ends; returns their slots. Signals take the routes' propagation and the processing, and no queueing.
    fn add(self, processes: &mut [Process], ties: Option<Key>) -> Result<(u32, u32), BlueprintError> {
        let CallsEnds { blueprint, flow, template, header, key, start, process: (from, to) } = self;
        let group = &blueprint.groups[flow.group as usize];
        let plan = group.calls.as_ref().expect("a group of calls");
        let (there, back) = signals(blueprint, flow)?.expect("a group of calls");
        if AnySource::new(&group.source).is_none() {
            return Err(BlueprintError::Mismatch(group.name.clone()));
        }
        let window = Window { from: blueprint.warm_up, to: blueprint.end };
        let context = EdgeContext { key, call_rate: plan.call_rate, initial: plan.initial };
        let egress = Egress::new(&plan.admission, &plan.termination, &context);
        let ingress = Peer { process: ProcessId(from), delay: back };
        let received = Received::new(template.flow, header, blueprint.watch.group(flow.group));
        let end = CallsEgress::new(received, egress, ingress, window, group.interval);
        let sink = host(processes, to).add_egress(end, flow.group, plan.initial);
        let calls = CallsIngress::new(CallsSetup {
            template,
            place: flow.from.0,
            plan: Arc::clone(plan),
            source: Arc::new(group.source.clone()),
            key,
            start,
            stop: group.stop,
            egress: Peer { process: ProcessId(to), delay: there },
            window,
            ties,
        });
        Ok((host(processes, from).add_calls(calls), sink))
    }
}

/// How many ends of flows each node will have.
fn ends_of_hosts(blueprint: &Blueprint) -> Vec<EndpointCounts> {
    let mut ends = vec![EndpointCounts::default(); blueprint.nodes.len()];
    for flow in &blueprint.flows {
        let (from, to) = (flow.from.index(), flow.to.index());
        match blueprint.groups[flow.group as usize].transport {
            TransportPlan::Tcp(_) => {
                ends[from].senders += 1;
                ends[to].receivers += 1;
            }
            TransportPlan::Udp(_) => {
                ends[from].sources += 1;
                ends[to].sinks += 1;
            }
        }
    }
    ends
}

fn host(processes: &mut [Process], index: u32) -> &mut Host {
    processes[index as usize].host_mut().expect("flows end at hosts")
}

/// Where in a tick a sender's clock begins.
fn clock_offset(tcp: &TcpParameters, flow: Key) -> Duration {
    match tcp.timer_tick.as_ps() {
        0 => Duration::ZERO,
        tick => Duration::from_ps(flow.child("clock").stream().below(tick)),
    }
}

/// Who asks a TCP flow for pages.
fn http_user(group: &FlowGroup, tcp: &TcpParameters, flow: Key, distribution: bool) -> Option<Box<HttpUser>> {
    match &group.source {
        SourcePlan::Http(http) => {
            let payload = tcp.packet.get() - tcp.header.get();
            Some(Box::new(HttpUser::new(http, flow.child("source"), payload, distribution)))
        }
        _ => None,
    }
}

/// How many segments a TCP flow has to send; `None` without an end.
fn segments(group: &FlowGroup, tcp: &TcpParameters) -> Result<Option<u32>, BlueprintError> {
    match &group.source {
        SourcePlan::Ftp(ftp) => Ok(ftp.size.map(|size| {
            let payload = tcp.packet.get() - tcp.header.get();
            u32::try_from(size.get().div_ceil(payload)).unwrap_or(u32::MAX)
        })),
        _ => Err(BlueprintError::Mismatch(group.name.clone())),
    }
}
