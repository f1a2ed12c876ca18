//! The processes of a network, how they are numbered, and where everything is at them.

use crate::api::blueprint::{Blueprint, LinkPlan};
use crate::build::error::{contradiction, BlueprintError};
use crate::build::message_paths::Messages;
use crate::kernel::process_graph::GraphChannel;
use crate::kernel::route::Departure;
use penstock_model::id::{HopId, LinkId, NodeId, RouteId};
use penstock_model::units::Duration;
use std::collections::{BTreeMap, BTreeSet};

/// Where a process is: a host, or a port of a router.
#[derive(Clone, Copy, Debug)]
pub enum ProcessSite {
    /// A node where flows begin or end, with all its ports.
    Host(NodeId),
    /// One port of a node that only forwards packets.
    RouterPort(LinkId),
}

/// The numbers of processes, inputs and ports.
pub struct Places<'a> {
    /// The blueprint.
    pub blueprint: &'a Blueprint,
    /// The messages of the network.
    pub messages: Messages,
    /// The sites, by the numbers of the processes.
    pub sites: Vec<ProcessSite>,
    /// Which links feed which processes, on some route; sorted.
    pub channels: Vec<(u32, LinkId)>,
    /// The position of the first channel into each process, and their number.
    first_channels: Vec<usize>,
    hosts: Vec<u32>,
    senders: Vec<u32>,
    ports: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'a> Places<'a> {
    /// Numbers hosts by node, then the ports of routers by link, and the ports of each host by link.
    pub fn new(blueprint: &'a Blueprint, messages: Messages) -> Places<'a> {
        let (mut sites, mut hosts) = (Vec::new(), vec![NONE; blueprint.nodes.len()]);
        for (node, _) in (0..).map(NodeId).zip(host_nodes(blueprint)).filter(|(_, is_host)| *is_host) {
            hosts[node.index()] = sites.len() as u32;
            sites.push(ProcessSite::Host(node));
        }
        let (mut senders, mut ports) = (vec![NONE; blueprint.links.len()], vec![NONE; blueprint.links.len()]);
        let mut ports_of_hosts = vec![0; sites.len()];
        for link in used_links(blueprint, &messages) {
            let host = hosts[blueprint.links[link.index()].from.index()];
            (senders[link.index()], ports[link.index()]) = match ports_of_hosts.get_mut(host as usize) {
                Some(ports) => (host, std::mem::replace(ports, *ports + 1)),
                None => (sites.len() as u32, 0),
            };
            if host == NONE {
                sites.push(ProcessSite::RouterPort(link));
            }
        }
        let (channels, first_channels) = (Vec::new(), Vec::new());
        let mut places = Places { blueprint, messages, sites, channels, first_channels, hosts, senders, ports };
        let mut channels = Vec::with_capacity(blueprint.routes.links().len());
        for route in blueprint.cancel.until_set(blueprint.routes.iter()) {
            channels.extend(route.iter().enumerate().map(|(i, link)| (places.receiver(route, i), *link)));
        }
        places.channels = channels;
        places.sort_channels();
        places
    }

    fn sort_channels(&mut self) {
        self.channels.sort_unstable();
        self.channels.dedup();
        let first = |process| self.channels.partition_point(|(to, _)| *to < process);
        self.first_channels = (0..=self.sites.len() as u32).map(first).collect();
    }

    /// Numbers the processes again, in the order of these present numbers; returns the new number of each.
    pub fn reorder(&mut self, order: &[u32]) -> Vec<u32> {
        let mut number = vec![NONE; order.len()];
        (0..).zip(order).for_each(|(new, old)| number[*old as usize] = new);
        self.sites = order.iter().map(|old| self.sites[*old as usize]).collect();
        let numbers = self.hosts.iter_mut().chain(&mut self.senders).chain(self.channels.iter_mut().map(|(to, _)| to));
        numbers.filter(|old| **old != NONE).for_each(|old| *old = number[*old as usize]);
        self.sort_channels();
        number
    }

    /// The processes such that channels without delay lead from an earlier to a later one: Kahn's algorithm, lowest number first.
    ///
    /// # Errors
    /// If such channels form a cycle.
    pub fn topological_order(&self) -> Result<Vec<u32>, BlueprintError> {
        let channel = |(to, link): &(u32, LinkId)| (self.sender(*link), *to, &self.blueprint.links[link.index()]);
        let has_no_delay = |(.., link): &(u32, u32, &LinkPlan)| link.delay == Duration::ZERO;
        let without_delay: Vec<(u32, u32, &LinkPlan)> = self.channels.iter().map(channel).filter(has_no_delay).collect();
        let mut senders_left = vec![0; self.sites.len()];
        let mut receivers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (from, to, _) in &without_delay {
            receivers.entry(*from).or_default().push(*to as usize);
            senders_left[*to as usize] += 1;
        }
        let mut ready: BTreeSet<u32> = (0..).zip(&senders_left).filter(|(_, left)| **left == 0).map(|(process, _)| process).collect();
        let mut order = Vec::with_capacity(self.sites.len());
        while let Some(process) = ready.pop_first() {
            order.push(process);
            for receiver in receivers.get(&process).into_iter().flatten() {
                senders_left[*receiver] -= 1;
                if senders_left[*receiver] == 0 {
                    ready.insert(*receiver as u32);
                }
            }
        }
        if order.len() == self.sites.len() {
            return Ok(order);
        }
        let in_cycle = without_delay.iter().filter(|(from, to, _)| [from, to].iter().all(|process| senders_left[**process as usize] > 0));
        let mut names: Vec<&str> = in_cycle.map(|(.., link)| &*link.path).collect();
        names.dedup();
        let links = names.join(", ");
        contradiction(format!("the links {links} form a circle without any delay; give at least one of them a delay above 0 s"))
    }

    /// The name of the process at a site.
    pub fn name(&self, site: ProcessSite) -> &'a str {
        match site {
            ProcessSite::Host(node) => &self.blueprint.nodes[node.index()],
            ProcessSite::RouterPort(link) => &self.blueprint.links[link.index()].path,
        }
    }

    /// The number of the host at `node`, which is one.
    pub fn host(&self, node: NodeId) -> u32 {
        self.hosts[node.index()]
    }

    /// The number of the process that sends over a link in use.
    pub fn sender(&self, link: LinkId) -> u32 {
        self.senders[link.index()]
    }

    /// The number of the process that receives what a route sends over its `i`-th link.
    pub fn receiver(&self, route: &[LinkId], i: usize) -> u32 {
        match route.get(i + 1) {
            Some(next) => self.sender(*next),
            None => self.host(self.blueprint.links[route[i].index()].to),
        }
    }

    /// The links that feed a process, by input.
    pub fn inputs(&self, process: u32) -> impl Iterator<Item = LinkId> + '_ {
        let range = self.first_channels[process as usize]..self.first_channels[process as usize + 1];
        self.channels[range].iter().map(|(_, link)| *link)
    }

    /// The number of the input of a process that a link feeds.
    pub fn input(&self, process: u32, link: LinkId) -> u32 {
        let channels = &self.channels[self.first_channels[process as usize]..self.first_channels[process as usize + 1]];
        channels.binary_search(&(process, link)).expect("every link of a route feeds the next process") as u32
    }

    /// The number of a link's port at its process; none where nothing uses the link.
    pub fn port(&self, link: LinkId) -> Option<u32> {
        Some(self.ports[link.index()]).filter(|port| *port != NONE)
    }

    /// Where packets on a route begin.
    pub fn departure(&self, route: RouteId) -> Departure {
        let first = self.blueprint.routes[route.index()][0];
        Departure { port: self.ports[first.index()], hop: HopId(self.blueprint.routes.begin(route)) }
    }

    /// Which processes send messages to which.
    pub fn message_channels(&self) -> impl Iterator<Item = GraphChannel> + '_ {
        let channel = |from, to, delay| GraphChannel { from, to, delay, flows: 0 };
        let of_calls = self.messages.calls.iter().flat_map(move |(flow, (there, back))| {
            let flow = &self.blueprint.flows[flow.index()];
            let (from, to) = (self.host(flow.from), self.host(flow.to));
            [channel(from, to, *there), channel(to, from, *back)]
        });
        let pauses = self.messages.pauses.iter().map(move |path| channel(self.host(path.switch), self.sender(path.link), path.delay));
        let telemetry = self.messages.telemetry.iter().map(move |path| channel(self.sender(path.link), self.host(path.to), path.delay));
        of_calls.chain(pauses).chain(telemetry)
    }
}

/// Which nodes are hosts: those where flows or routes begin or end, switches, and ends of AAL5. Of all others, each port is a process.
pub fn host_nodes(blueprint: &Blueprint) -> Vec<bool> {
    let ends = blueprint.flows.iter().flat_map(|flow| [flow.from, flow.to]);
    // The ports of a switch are one process, whether flows end there or not.
    let switches = blueprint.switches.iter().map(|switch| switch.node);
    // A route that no flow takes must end somewhere too.
    let ends_of_routes = blueprint.routes.iter().map(|route| blueprint.links[route[route.len() - 1].index()].to);
    let mut is_host = vec![false; blueprint.nodes.len()];
    // Flows that share a circuit may leave an end of AAL5 by different ports.
    ends.chain(switches).chain(ends_of_routes).chain(blueprint.aal5_ends()).for_each(|node| is_host[node.index()] = true);
    is_host
}

/// The links that some route or pause frame uses, or that are sampled, in the scenario's order.
fn used_links(blueprint: &Blueprint, messages: &Messages) -> Vec<LinkId> {
    let mut used = vec![false; blueprint.links.len()];
    let sampled = blueprint.samples.iter().chain(&blueprint.meter_samples).map(|sample| sample.link);
    let in_use = blueprint.routes.links().iter().copied().chain(sampled).chain(messages.links_of_pause_frames());
    in_use.for_each(|link| used[link.index()] = true);
    (0..blueprint.links.len() as u32).map(LinkId).filter(|link| used[link.index()]).collect()
}
