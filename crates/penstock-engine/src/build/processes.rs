//! Processes with their ports and inputs, before flows are added.

use crate::api::blueprint::{Blueprint, FastPaths, LinkPlan, LinkWatch, PortPlan, SamplePlan, Ties};
use crate::api::series::{SeriesPlan, SeriesSubject};
use crate::build::circuits::CircuitSites;
use crate::build::jitter::port_jitter;
use crate::build::message_paths::links_with_telemetry;
use crate::build::numbering::ProcessSite;
use crate::build::places::Places;
use crate::build::switches::DecidingAtDeparture;
use crate::kernel::inputs::Inputs;
use crate::kernel::journal::Measurement;
use crate::node::host::Host;
use crate::node::process::changes::Changed;
use crate::node::process::sampling::Samples;
use crate::node::process::Process;
use crate::port::recorder::PortRecorder;
use crate::port::split_counts::{CircuitCounts, IngressCounts};
use crate::port::Port;
use penstock_model::discipline::PortContext;
use penstock_model::id::{LinkId, ProcessId};
use penstock_model::impairment::{AnyImpairment, Impairment};
use penstock_model::packet::codepoint;
use penstock_model::rng::Key;
use penstock_model::scheduler::traffic::Traffic;
use penstock_model::site::Site;
use penstock_model::transport::jitter::PortJitter;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The key of the hashes that order simultaneous events at the process `name`, if ties are random.
pub fn tie_key(blueprint: &Blueprint, key: Key, name: &str) -> Option<Key> {
    (blueprint.ties == Ties::Random).then(|| key.child("ties").child(name))
}

/// Builds the processes, with ports for the links in use, and their inputs.
pub fn build_processes(places: &Places<'_>, key: Key, used: &[LinkId], circuits: &CircuitSites) -> (Vec<Process>, Vec<Inputs>) {
    let blueprint = places.blueprint;
    let measured = Measurement { from: blueprint.warm_up, to: blueprint.end };
    let ports = PortBuilder::new(blueprint, key, measured);
    let mut links_of: Vec<Vec<LinkId>> = vec![Vec::new(); blueprint.nodes.len()];
    used.iter().for_each(|link| links_of[blueprint.links[link.index()].from.index()].push(*link));
    let build = |site: &ProcessSite| {
        let (name, links, host) = match *site {
            ProcessSite::Host(node) => {
                let name = &blueprint.nodes[node.index()];
                let host = Host::new(node.0, measured, tie_key(blueprint, key, name));
                (name, std::mem::take(&mut links_of[node.index()]), Some(Box::new(host)))
            }
            ProcessSite::RouterPort(link) => (&blueprint.links[link.index()].path, vec![link], None),
        };
        let reorders: Vec<bool> = places.channels.into(*site).map(|link| ports.reorders(link)).collect();
        let ports = links.iter().map(|link| ports.build(*link, circuits)).collect();
        (Process::new(name.clone(), ports, host, blueprint), Inputs::new(&reorders, tie_key(blueprint, key, name)))
    };
    blueprint.cancel.until_set(places.order).map(build).unzip()
}

/// Tells ports to which process their packets go, where it is one.
pub fn connect_ports(places: &Places<'_>, processes: &mut [Process]) {
    let mut fed = vec![Vec::new(); places.blueprint.links.len()];
    for (process, site) in (0..).map(ProcessId).zip(places.order) {
        places.channels.into(*site).zip(0..).for_each(|(link, input)| fed[link.index()].push((process, input)));
    }
    for port in processes.iter_mut().flat_map(Process::ports_mut) {
        if let [only] = fed[port.link().index()][..] {
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

/// Adds the samplers of the blueprint.
pub fn add_samplers(places: &Places<'_>, processes: &mut [Process]) {
    let blueprint = places.blueprint;
    let queues = (0..).zip(&blueprint.samples).map(|(plan, sample)| (plan, sample, Samples::Queue(Vec::new())));
    let meters = (0..).zip(&blueprint.meter_samples).map(|(plan, sample)| (plan, sample, Samples::Meters(Vec::new())));
    for (plan, SamplePlan { link, every }, samples) in queues.chain(meters) {
        let port = places.port(*link).expect("links that are sampled are in use");
        processes[places.sender(*link) as usize].sample(port, *every, blueprint.warm_up, plan, samples);
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

/// Builds the ports of links.
struct PortBuilder<'a> {
    blueprint: &'a Blueprint,
    links_key: Key,
    measured: Measurement,
    watched: BTreeMap<LinkId, &'a LinkWatch>,
    /// Links whose meters are sampled.
    metered: BTreeSet<LinkId>,
    /// Links with time series.
    observed: BTreeSet<LinkId>,
    /// Links whose ports write telemetry.
    reporting: BTreeSet<LinkId>,
    /// Jitter of the flows that enter the network by a link.
    jitter: BTreeMap<LinkId, PortJitter>,
    /// Hosts and codepoints, if a scheduler reads them.
    traffic: Arc<Traffic>,
    deciding: DecidingAtDeparture,
}

impl<'a> PortBuilder<'a> {
    fn new(blueprint: &'a Blueprint, key: Key, measured: Measurement) -> PortBuilder<'a> {
        let watched = blueprint.watch.links.iter().map(|(link, watch)| (*link, watch)).collect();
        let metered = blueprint.meter_samples.iter().map(|sample| sample.link).collect();
        let link = |plan: &SeriesPlan| match plan.of {
            SeriesSubject::Link(link) => Some(link),
            SeriesSubject::Sender(_) | SeriesSubject::Receiver(_) | SeriesSubject::Node(_) => None,
        };
        let observed = blueprint.watch.series.iter().filter_map(link).collect();
        let (links_key, deciding) = (key.child("links"), DecidingAtDeparture::new(blueprint));
        let reporting = links_with_telemetry(blueprint);
        let (jitter, traffic) = (port_jitter(blueprint, key), Arc::new(traffic(blueprint)));
        PortBuilder { blueprint, links_key, measured, watched, metered, observed, reporting, jitter, traffic, deciding }
    }

    fn build(&self, link: LinkId, circuits: &CircuitSites) -> Port {
        let blueprint = self.blueprint;
        let plan = &blueprint.links[link.index()];
        let trace_place = (blueprint.nodes.len() + link.index()) as u32;
        let site = Site { key: self.links_key.child(&plan.path), rate: plan.rate, name: plan.path.as_str().into() };
        let context = PortContext { site, framing: plan.framing, circuits: circuits.of_link(link), traffic: Arc::clone(&self.traffic) };
        // A switch is to know what becomes of each packet, which ports that keep only starts of transmissions do not tell.
        let tail_drop_fifo = blueprint.fast_paths.tail_drop_fifo && !self.deciding.share(plan);
        let fast_paths = FastPaths { tail_drop_fifo, ..blueprint.fast_paths };
        let extras = (self.recorder(link, circuits), self.jitter.get(&link).cloned());
        Port::new(link, trace_place, &self.effective_plan(link, plan), context, self.measured, extras, fast_paths)
    }

    /// Whether packets may overtake each other on a link.
    fn reorders(&self, link: LinkId) -> bool {
        let reorders = |plan| AnyImpairment::new(plan, &Site::trial()).reorders();
        self.jitter.contains_key(&link) || self.blueprint.links[link.index()].port.impairments.iter().any(reorders)
    }

    /// What is recorded at the port of a link beyond its counters, if anything is.
    fn recorder(&self, link: LinkId, circuits: &CircuitSites) -> Option<Box<PortRecorder>> {
        let (blueprint, is_observed) = (self.blueprint, self.observed.contains(&link));
        let nothing = LinkWatch::default();
        let watch = self.watched.get(&link).copied().or(is_observed.then_some(&nothing))?;
        let ingresses = watch.ingresses.then(|| IngressCounts::new(blueprint, link));
        let has_circuits = watch.circuits && blueprint.links[link.index()].cells;
        let circuits = has_circuits.then(|| CircuitCounts::new(blueprint, circuits.of_link(link)));
        Some(PortRecorder::new(watch, blueprint.classes.len(), self.measured, (ingresses, circuits), is_observed))
    }

    /// The plan of a link, made event-driven where departures must not be computed ahead of the time: meters at departure that
    /// are sampled, tokens of a shaper and states of impairments that are observed, ports of a switch, ports that may be paused, and
    /// telemetry.
    fn effective_plan<'b>(&self, link: LinkId, plan: &'b LinkPlan) -> Cow<'b, LinkPlan> {
        let is_metered = self.metered.contains(&link) && plan.port.acts_at_departure();
        let is_observed = self.observed.contains(&link) && plan.port.changes_at_departure();
        if !(self.deciding.at(plan) || is_metered || is_observed || self.reporting.contains(&link)) {
            return Cow::Borrowed(plan);
        }
        let port = Arc::new(PortPlan { force_event_driven: true, ..PortPlan::clone(&plan.port) });
        Cow::Owned(LinkPlan { port, ..plan.clone() })
    }
}
