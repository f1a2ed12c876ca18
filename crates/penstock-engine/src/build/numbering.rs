//! The sites of processes, and how they are numbered.

use crate::api::blueprint::Blueprint;
use crate::build::error::{contradiction, BlueprintError};
use crate::build::message_paths::links_of_pause_frames;
use penstock_model::id::{LinkId, NodeId};
use penstock_model::units::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where a process is: a host, or a port of a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessSite {
    /// A node where flows begin or end, with all its ports.
    Host(NodeId),
    /// One port of a node that only forwards packets.
    RouterPort(LinkId),
}

/// Which nodes are hosts; of all others, each port is a process.
pub struct ProcessSites<'a> {
    blueprint: &'a Blueprint,
    is_host: Vec<bool>,
}

impl<'a> ProcessSites<'a> {
    /// Hosts are the nodes where flows or routes begin or end, switches, and ends of AAL5.
    pub fn new(blueprint: &'a Blueprint) -> ProcessSites<'a> {
        let mut is_host = vec![false; blueprint.nodes.len()];
        for flow in &blueprint.flows {
            is_host[flow.from.index()] = true;
            is_host[flow.to.index()] = true;
        }
        // The ports of a switch are one process, whether flows end there or not.
        blueprint.switches.iter().for_each(|switch| is_host[switch.node.index()] = true);
        // Flows that share a circuit may leave an end of AAL5 by different ports.
        blueprint.aal5_ends().into_iter().for_each(|node| is_host[node.index()] = true);
        // A route that no flow takes must end somewhere too.
        for route in blueprint.routes.iter() {
            is_host[blueprint.links[route[route.len() - 1].index()].to.index()] = true;
        }
        ProcessSites { blueprint, is_host }
    }

    /// For each node, whether it is a host.
    pub fn hosts(&self) -> &[bool] {
        &self.is_host
    }

    /// The site that sends over a link.
    pub fn sender(&self, link: LinkId) -> ProcessSite {
        match self.blueprint.links[link.index()].from {
            node if self.is_host[node.index()] => ProcessSite::Host(node),
            _ => ProcessSite::RouterPort(link),
        }
    }

    /// The site that receives what a route sends over its `i`-th link.
    pub fn receiver(&self, route: &[LinkId], i: usize) -> ProcessSite {
        match route.get(i + 1) {
            Some(next) => self.sender(*next),
            None => ProcessSite::Host(self.blueprint.links[route[i].index()].to),
        }
    }

    /// The sites of the network, given the links in use, such that channels without delay lead from an
    /// earlier to a later site.
    ///
    /// # Errors
    /// If such channels form a cycle.
    pub fn in_topological_order(&self, used: &[LinkId], channels: &Channels) -> Result<Vec<ProcessSite>, BlueprintError> {
        let blueprint = self.blueprint;
        let hosts = (0..blueprint.nodes.len() as u32).map(NodeId).filter(|node| self.is_host[node.index()]).map(ProcessSite::Host);
        let ports = used.iter().map(|link| self.sender(*link)).filter(|site| matches!(site, ProcessSite::RouterPort(_)));
        let sites: Vec<ProcessSite> = hosts.chain(ports).collect();
        let without_delay: Vec<(ProcessSite, LinkId)> =
            channels.all().iter().filter(|(_, link)| blueprint.links[link.index()].delay == Duration::ZERO).copied().collect();
        if without_delay.is_empty() {
            return Ok(sites);
        }
        self.sort_topologically(sites, &without_delay)
    }

    /// Kahn's algorithm over the channels without delay, lowest site first.
    fn sort_topologically(
        &self,
        sites: Vec<ProcessSite>,
        without_delay: &[(ProcessSite, LinkId)],
    ) -> Result<Vec<ProcessSite>, BlueprintError> {
        let mut senders_left: BTreeMap<ProcessSite, usize> = sites.iter().map(|site| (*site, 0)).collect();
        let mut receivers: BTreeMap<ProcessSite, Vec<ProcessSite>> = BTreeMap::new();
        for (to, link) in without_delay {
            receivers.entry(self.sender(*link)).or_default().push(*to);
            *senders_left.entry(*to).or_default() += 1;
        }
        let mut ready: BTreeSet<ProcessSite> = senders_left.iter().filter(|(_, count)| **count == 0).map(|(site, _)| *site).collect();
        let mut order = Vec::with_capacity(sites.len());
        while let Some(site) = ready.pop_first() {
            order.push(site);
            for receiver in receivers.get(&site).into_iter().flatten() {
                let count = senders_left.get_mut(receiver).expect("every site is counted");
                *count -= 1;
                if *count == 0 {
                    ready.insert(*receiver);
                }
            }
        }
        if order.len() == sites.len() {
            return Ok(order);
        }
        let in_cycle = without_delay.iter().filter(|(to, link)| senders_left[to] > 0 && senders_left[&self.sender(*link)] > 0);
        let mut names: Vec<&str> = in_cycle.map(|(_, link)| &*self.blueprint.links[link.index()].path).collect();
        names.dedup();
        let links = names.join(", ");
        contradiction(format!("the links {links} form a circle without any delay; give at least one of them a delay above 0 s"))
    }
}

/// Which links feed which sites, on some route; sorted.
pub struct Channels(Vec<(ProcessSite, LinkId)>);

impl Channels {
    /// The channels of all routes.
    pub fn new(blueprint: &Blueprint, sites: &ProcessSites<'_>) -> Channels {
        let mut channels = Vec::with_capacity(blueprint.routes.links().len());
        for route in blueprint.cancel.until_set(blueprint.routes.iter()) {
            channels.extend(route.iter().enumerate().map(|(i, link)| (sites.receiver(route, i), *link)));
        }
        channels.sort_unstable();
        channels.dedup();
        Channels(channels)
    }

    /// All of them.
    pub fn all(&self) -> &[(ProcessSite, LinkId)] {
        &self.0
    }

    /// The positions of those that lead to `site`; in this order its inputs are numbered.
    pub fn range(&self, site: ProcessSite) -> Range<usize> {
        let begin = self.0.partition_point(|(to, _)| *to < site);
        begin..begin + self.0[begin..].partition_point(|(to, _)| *to == site)
    }

    /// The links that feed `site`, by input.
    pub fn into(&self, site: ProcessSite) -> impl Iterator<Item = LinkId> + '_ {
        self.0[self.range(site)].iter().map(|(_, link)| *link)
    }
}

/// The links that some route or pause frame uses, or that are sampled, in the scenario's order.
pub fn used_links(blueprint: &Blueprint) -> Vec<LinkId> {
    let mut used = vec![false; blueprint.links.len()];
    let sampled = blueprint.samples.iter().chain(&blueprint.meter_samples).map(|sample| &sample.link);
    blueprint.routes.links().iter().chain(sampled).for_each(|link| used[link.index()] = true);
    links_of_pause_frames(blueprint).into_iter().for_each(|link| used[link.index()] = true);
    (0..blueprint.links.len() as u32).map(LinkId).filter(|link| used[link.index()]).collect()
}

/// Places in the order of their numbers, shard by shard.
pub struct Sharded {
    /// The sites.
    pub order: Vec<ProcessSite>,
    /// The new number of each site, by its old one.
    pub number: Vec<u32>,
    /// For each shard, the number behind its last site.
    pub ends: Vec<u32>,
}

impl Sharded {
    /// Reorders sites, given the shard of each.
    pub fn new(order: &[ProcessSite], shard_of: &[u32]) -> Sharded {
        // Within a shard the order stays: no channel without delay leads from a later process to an earlier one.
        let mut sorted: Vec<usize> = (0..order.len()).collect();
        sorted.sort_by_key(|i| shard_of[*i]);
        let mut number = vec![0; order.len()];
        sorted.iter().enumerate().for_each(|(new, old)| number[*old] = new as u32);
        let borders = (1..sorted.len()).filter(|i| shard_of[sorted[i - 1]] != shard_of[sorted[*i]]);
        let ends = borders.chain([sorted.len()]).map(|end| end as u32).collect();
        Sharded { order: sorted.iter().map(|i| order[*i]).collect(), number, ends }
    }
}
