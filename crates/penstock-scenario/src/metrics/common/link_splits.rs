//! Counts of links by class, ingress and circuit, and what was recorded at their ports.

use crate::metrics::common::evaluation::{Evaluation, LinkSet};
use penstock_engine::observations::{CircuitId, ClassCounters, LinkCounters, PausedTime, PortTimings};
use penstock_model::id::LinkId;
use std::collections::BTreeSet;
use std::ops::Range;

impl Evaluation<'_> {
    /// These links' counts of each class whose flows may pass one of them.
    pub fn by_link_class(&self, links: &Range<usize>) -> Vec<LinkSet<'static>> {
        let counted = |(class, name): (usize, String)| LinkSet {
            split: Some(("class", name)),
            class: Some(class),
            counters: self.of_class(links, class).into(),
        };
        self.classes_at(links).into_iter().map(counted).collect()
    }

    /// The classes whose flows may pass one of these links, with their names.
    fn classes_at(&self, links: &Range<usize>) -> Vec<(usize, String)> {
        let mut passes = vec![false; self.blueprint.classes.len()];
        for flow in &self.blueprint.flows {
            let class = usize::from(self.blueprint.groups[flow.group as usize].class);
            let mut ways = [flow.forward, flow.backward].into_iter();
            passes[class] =
                passes[class] || ways.any(|way| self.blueprint.routes[way.index()].iter().any(|link| links.contains(&link.index())));
        }
        self.blueprint.classes.iter().cloned().enumerate().filter(|(class, _)| passes[*class]).collect()
    }

    /// A class's share of each of these links' counts.
    fn of_class(&self, links: &Range<usize>, class: usize) -> Vec<LinkCounters> {
        let counters = |link| {
            let mut counters = self.class_counters(link).map_or_else(LinkCounters::default, |classes| classes[class].counters.clone());
            counters.pauses.clone_from(&self.seen.links[link].pauses);
            let of_class = |paused: &PausedTime| paused.class.is_none_or(|paused| usize::from(paused) == class);
            counters.pauses.iter_mut().for_each(|pauses| pauses.paused.retain(of_class));
            counters
        };
        links.clone().map(counters).collect()
    }

    /// Packets offered and lost at these links, by ingress link, with its name; each ingress has all links.
    pub fn by_ingress(&self, links: &Range<usize>) -> Vec<LinkSet<'static>> {
        let of_link = |link| self.port_timings(link).map_or(&[][..], |timings| timings.ingresses.as_slice());
        let ingresses: BTreeSet<Option<LinkId>> = links.clone().flat_map(of_link).map(|(ingress, _)| *ingress).collect();
        let name = |ingress: LinkId| self.blueprint.links[ingress.index()].path.clone();
        let counted = |ingress: &Option<LinkId>| {
            let found = |link| of_link(link).iter().find(|(own, _)| own == ingress).map(|(_, counters)| counters.clone());
            let each = links.clone().map(|link| found(link).unwrap_or_else(|| self.nothing_at(link)));
            let name = ingress.map_or_else(|| "here".to_owned(), name);
            LinkSet { split: Some(("ingress", name)), class: None, counters: each.collect() }
        };
        ingresses.iter().map(counted).collect()
    }

    /// Backlog of these links, by circuit, with its name, or the name of the flow for a flow's own circuit; each circuit has all
    /// links.
    pub fn by_circuit(&self, links: &Range<usize>) -> Vec<LinkSet<'static>> {
        let of_link = |link| self.port_timings(link).map_or(&[][..], |timings| timings.circuits.as_slice());
        let circuits: BTreeSet<CircuitId> = links.clone().flat_map(of_link).map(|(circuit, _)| *circuit).collect();
        let counted = |circuit: &CircuitId| {
            let found = |link| of_link(link).iter().find(|(own, _)| own == circuit).map(|(_, counters)| counters.clone());
            let each = links.clone().map(|link| found(link).unwrap_or_else(|| self.nothing_at(link)));
            LinkSet { split: Some(("circuit", self.circuit_name(*circuit))), class: None, counters: each.collect() }
        };
        circuits.iter().map(counted).collect()
    }

    fn circuit_name(&self, circuit: CircuitId) -> String {
        match circuit {
            CircuitId::Shared(plan) => self.blueprint.atm.circuits[plan as usize].name.clone(),
            CircuitId::Own(flow) => {
                let group = self.blueprint.flows[flow.index()].group as usize;
                let (name, members) = &self.group_members.flows[group];
                if members.len() == 1 {
                    name.clone()
                } else {
                    format!("{name}[{}]", flow.index() - members.start)
                }
            }
        }
    }

    /// No counts, of a port with the same possible causes of drops as that of `link`.
    fn nothing_at(&self, link: usize) -> LinkCounters {
        let LinkCounters { shares_buffer, has_limiters, has_headroom, carries_cells, filters, .. } = self.seen.links[link];
        LinkCounters { shares_buffer, has_limiters, has_headroom, carries_cells, filters, ..LinkCounters::default() }
    }

    /// A link's counts by class, if they were recorded.
    pub fn class_counters(&self, link: usize) -> Option<&[ClassCounters]> {
        self.port_timings(link).map(|port| port.classes.as_slice()).filter(|classes| !classes.is_empty())
    }

    /// A link's records; `None` if no route passes it.
    pub fn port_timings(&self, link: usize) -> Option<&PortTimings> {
        let found = self.seen.ports.binary_search_by_key(&LinkId(link as u32), |(link, _)| *link);
        found.ok().map(|index| &self.seen.ports[index].1)
    }
}
