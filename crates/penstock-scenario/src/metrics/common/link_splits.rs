//! Counts of links by class, ingress and circuit, and what was recorded at their ports.

use crate::metrics::common::evaluation::{Evaluation, LinkSet};
use penstock_engine::observations::{LinkCounters, PausedTime, PortTimings, TrafficPart};
use penstock_model::id::{FlowId, LinkId};
use std::collections::BTreeSet;
use std::ops::Range;

impl Evaluation<'_> {
    /// The counts of these links for each class whose flows may pass one of them.
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
            let mut counters = self.of_part(link, TrafficPart::Class(class as u8)).unwrap_or_default();
            counters.pauses.clone_from(&self.seen.links[link].pauses);
            let of_class = |paused: &PausedTime| paused.class.is_none_or(|paused| usize::from(paused) == class);
            counters.pauses.iter_mut().for_each(|pauses| pauses.paused.retain(of_class));
            counters
        };
        links.clone().map(counters).collect()
    }

    /// The counts of these links by ingress link, with its name; each ingress has all links.
    pub fn by_ingress(&self, links: &Range<usize>) -> Vec<LinkSet<'static>> {
        self.by_part(links, "ingress", |part| match part {
            TrafficPart::Ingress(ingress) => {
                Some(ingress.map_or_else(|| "here".to_owned(), |link| self.blueprint.links[link.index()].path.clone()))
            }
            _ => None,
        })
    }

    /// The counts of these links by circuit, with its name, or the name of the flow for a flow's own circuit; each circuit has all
    /// links.
    pub fn by_circuit(&self, links: &Range<usize>) -> Vec<LinkSet<'static>> {
        self.by_part(links, "circuit", |part| match part {
            TrafficPart::SharedCircuit(plan) => Some(self.blueprint.atm.circuits[plan as usize].name.clone()),
            TrafficPart::OwnCircuit(flow) => Some(self.flow_name(flow)),
            TrafficPart::Class(_) | TrafficPart::Ingress(_) => None,
        })
    }

    /// The counts of these links for each part that has a name.
    fn by_part(&self, links: &Range<usize>, split: &'static str, name: impl Fn(TrafficPart) -> Option<String>) -> Vec<LinkSet<'static>> {
        let parts: BTreeSet<TrafficPart> =
            links.clone().filter_map(|link| self.port_timings(link)).flat_map(|timings| timings.parts.keys().copied()).collect();
        let counted = |part: TrafficPart| {
            let nothing = |link: usize| LinkCounters { causes: self.seen.links[link].causes, ..LinkCounters::default() };
            let each = links.clone().map(|link| self.of_part(link, part).unwrap_or_else(|| nothing(link)));
            Some(LinkSet { split: Some((split, name(part)?)), class: None, counters: each.collect() })
        };
        parts.into_iter().filter_map(counted).collect()
    }

    /// The share of a link's counts that a part of its traffic has, if it was recorded.
    fn of_part(&self, link: usize, part: TrafficPart) -> Option<LinkCounters> {
        let counters = self.port_timings(link)?.parts.get(&part)?;
        Some(LinkCounters { causes: self.seen.links[link].causes, ..counters.clone() })
    }

    fn flow_name(&self, flow: FlowId) -> String {
        let group = self.blueprint.flows[flow.index()].group as usize;
        let (name, members) = &self.group_members.flows[group];
        if members.len() == 1 {
            name.clone()
        } else {
            format!("{name}[{}]", flow.index() - members.start)
        }
    }

    /// A link's records; `None` if no route passes it.
    pub fn port_timings(&self, link: usize) -> Option<&PortTimings> {
        let found = self.seen.ports.binary_search_by_key(&LinkId(link as u32), |(link, _)| *link);
        found.ok().map(|index| &self.seen.ports[index].1)
    }
}
