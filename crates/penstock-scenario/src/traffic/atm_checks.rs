//! Checks of cell links and circuits: where circuits end, sizes of frames, and guarantees.

use crate::network::circuits::CircuitDraft;
use crate::network::links::{LinkGroup, Links};
use crate::network::nodes::Nodes;
use crate::read::mistake::Mistakes;
use crate::traffic::classes::largest_packet;
use crate::traffic::group::{of_group, GroupDraft};
use penstock_engine::blueprint::{FlowPlan, RouteSet};
use penstock_model::atm::aal5::Segmentation;
use penstock_model::atm::{CELL, SMALLEST_PACKET};
use penstock_model::id::{LinkId, NodeId};
use penstock_model::units::Rate;
use std::collections::{BTreeMap, BTreeSet};

/// Runs the checks that need no routes: links at cell switches, keys that nodes at cell links cannot have, queues that need cells.
pub(crate) fn check_cell_links(nodes: &Nodes, links: &Links, mistakes: &Mistakes) {
    for link in &links.groups {
        let plans = &links.plans[link.members.start as usize..link.members.end as usize];
        let cells = plans[0].cells;
        let report = |key: &str, message: String| mistakes.add(link.location, &format!("{}.{key}", link.path), message);
        // The reverse link carries what the entry says.
        let is_of_packets = !cells && !link.is_reverse;
        if let Some(node) = plans.iter().flat_map(|plan| [plan.from, plan.to]).find(|node| is_of_packets && nodes.is_cell_switch(*node)) {
            report("cells", format!("the cell switch '{}' forwards cells alone; write cells = true", nodes.name(node)));
        }
        if cells && !link.is_reverse {
            for node in plans.iter().flat_map(|plan| [plan.from, plan.to]).collect::<BTreeSet<NodeId>>() {
                if let Some(what) = nodes.switch(node).and_then(|switch| switch.unfit_for_cells(nodes.is_cell_switch(node))) {
                    report("cells", format!("'{}' has a {what}, which does not work with cells; leave one of them out", nodes.name(node)));
                    break;
                }
            }
        }
        if !cells {
            let of_frames = link.port.level.queues().into_iter().find(|queue| queue.discipline.needs_cells());
            if link.port.meter_name() == Some("f-gcra") {
                report("marker.f-gcra", "f-gcra tags frames by circuit, and this link has none; write cells = true".to_owned());
            }
            if let Some(queue) = of_frames {
                let name = queue.discipline.name();
                report(&format!("queue.{name}"), format!("{name} drops frames by circuit, and this link has none; write cells = true"));
            }
        }
    }
}

/// Checks flows and circuits on their routes.
pub(crate) fn check_circuits(
    (flows, circuits): (&[GroupDraft], &[CircuitDraft]),
    (nodes, links): (&Nodes, &Links),
    (plans, routes): (&[FlowPlan], &RouteSet),
    mistakes: &Mistakes,
) {
    if circuits.is_empty() && links.plans.iter().all(|link| !link.cells) {
        return;
    }
    let check = AtmCheck { flows, circuits, nodes, links, plans, routes, mistakes };
    check.check_ends();
    check.check_local_queues();
    check.check_sizes();
    check.check_routes();
    check.check_rates();
    check.check_names();
}

struct AtmCheck<'a> {
    flows: &'a [GroupDraft],
    circuits: &'a [CircuitDraft],
    nodes: &'a Nodes,
    links: &'a Links,
    plans: &'a [FlowPlan],
    routes: &'a RouteSet,
    mistakes: &'a Mistakes,
}

impl AtmCheck<'_> {
    /// The cell links of a route.
    fn cell_links(&self, route: &[LinkId]) -> Vec<LinkId> {
        route.iter().filter(|link| self.links.plans[link.index()].cells).copied().collect()
    }

    fn check_ends(&self) {
        for (i, group) in self.flows.iter().enumerate() {
            let at_switch =
                |plan: &FlowPlan| [(plan.from, "from"), (plan.to, "to")].into_iter().find(|(node, _)| self.nodes.is_cell_switch(*node));
            if let Some((node, key)) = of_group(self.plans, i).iter().find_map(at_switch) {
                let message =
                    format!("'{}' is a cell switch, where no packet begins or ends; name a node behind it", self.nodes.name(node));
                self.mistakes.add(group.location, &format!("{}.{key}", group.path), message);
            }
        }
    }

    /// Reports `local-queue` if all hosts are ends of AAL5: connections do not wait there for their port, which accepts cells.
    fn check_local_queues(&self) {
        let at_cells = self.links.plans.iter().filter(|link| link.cells).flat_map(|link| [link.from, link.to]);
        let ends: BTreeSet<NodeId> = at_cells.filter(|node| !self.nodes.is_cell_switch(*node)).collect();
        for (i, group) in self.flows.iter().enumerate() {
            let plans = of_group(self.plans, i);
            let is_asked = group.plan.transport.is_local_queue_asked_for();
            let has_effect = plans.iter().flat_map(|plan| [plan.from, plan.to]).any(|node| !ends.contains(&node));
            if let (true, false, Some(plan)) = (is_asked, has_effect, plans.first()) {
                let message = format!(
                    "has no effect: the hosts are ends of AAL5, such as '{}', which segment packets into cells at once; leave it out",
                    self.nodes.name(plan.from)
                );
                self.mistakes.add(
                    group.location,
                    &format!("{}.transport.{}.local-queue", group.path, group.plan.transport.name()),
                    message,
                );
            }
        }
    }

    /// Checks that frames have at least two cells, and no more than AAL5 and the circuit allow.
    fn check_sizes(&self) {
        for (i, group) in self.flows.iter().enumerate() {
            let passes = |plan: &FlowPlan| {
                [plan.forward, plan.backward].iter().any(|route| !self.cell_links(&self.routes[route.index()]).is_empty())
            };
            if !of_group(self.plans, i).iter().any(passes) {
                continue;
            }
            let report = |message: String| self.mistakes.add(group.location, &group.path, message);
            let transport = &group.plan.transport;
            let of_data = transport.smallest_packet().unwrap_or_else(|| group.plan.source.smallest_packet()).get();
            let smallest = transport.sizes_back().into_iter().fold(of_data, u64::min);
            if smallest < u64::from(SMALLEST_PACKET) {
                report(format!(
                    "has packets of {smallest} bytes on a cell link; frames have two cells or more, so at least {SMALLEST_PACKET} bytes"
                ));
            }
            let largest = largest_packet(&group.plan);
            if largest > u64::from(Segmentation::LARGEST) {
                report(format!("has packets that do not fit a frame of AAL5; at most {} bytes", Segmentation::LARGEST));
            }
            let circuit = self.circuits.iter().find(|circuit| circuit.plan.groups.contains(&(i as u32)));
            if let Some((circuit, most)) =
                circuit.and_then(|circuit| Some((circuit, circuit.max_frame?))).filter(|(_, most)| largest > most.get())
            {
                let message = format!("'{}' has packets of {largest} bytes, larger than {most}", group.plan.name);
                self.mistakes.add(circuit.location, &format!("{}.max-frame", circuit.path), message);
            }
        }
    }

    /// Checks that all flows of a circuit pass the same cell links, at least one, and are of one class.
    fn check_routes(&self) {
        for circuit in self.circuits {
            let report = |message: String| self.mistakes.add(circuit.location, &format!("{}.flows", circuit.path), message);
            let groups = || circuit.plan.groups.iter().map(|group| *group as usize);
            let of_plan = |plan: &FlowPlan| [plan.forward, plan.backward].map(|route| self.cell_links(&self.routes[route.index()]));
            let mut ways: Vec<[Vec<LinkId>; 2]> = groups().flat_map(|group| of_group(self.plans, group)).map(of_plan).collect();
            ways.dedup();
            match &ways[..] {
                [] => {}
                [[there, _]] if there.is_empty() => {
                    report(format!("the circuit '{}' is without a route: its flows pass no cell link; write cells = true for one", circuit.plan.name));
                }
                [_] => {}
                [..] => report(format!(
                    "the circuit '{}' is without a route: its flows do not all pass the same cell links; give each way a circuit of its own",
                    circuit.plan.name
                )),
            }
            let classes: BTreeSet<&str> = groups().map(|group| self.flows[group].class.as_str()).collect();
            if classes.len() > 1 {
                report(format!(
                    "the flows of the circuit '{}' are of several classes, so their cells could overtake one another",
                    circuit.plan.name
                ));
            }
        }
    }

    /// Checks that queues name circuits, or flows with circuits of their own.
    fn check_names(&self) {
        let shared: BTreeSet<u32> = self.circuits.iter().flat_map(|circuit| circuit.plan.groups.iter().copied()).collect();
        let own = (0..).zip(self.flows).filter(|(i, _)| !shared.contains(i)).map(|(_, group)| group.plan.name.as_str());
        let known: Vec<&str> = self.circuits.iter().map(|circuit| circuit.plan.name.as_str()).chain(own).collect();
        for link in &self.links.groups {
            for queue in link.port.level.queues() {
                for (key, name) in queue.discipline.named_circuits() {
                    if !known.contains(&name) {
                        let path = format!("{}.queue.{}.{key}", link.path, queue.discipline.name());
                        let message = self.mistakes.suggestions.unknown("circuit", name, known.iter().copied());
                        self.mistakes.add(link.location, &path, message);
                    }
                }
            }
        }
    }

    /// Checks that the minimum cell rates of the circuits over a link fit it.
    fn check_rates(&self) {
        let mut promised: BTreeMap<LinkId, BTreeSet<usize>> = BTreeMap::new();
        for (i, circuit) in self.circuits.iter().enumerate().filter(|(_, circuit)| circuit.plan.mcr.is_some()) {
            for plan in circuit.plan.groups.iter().flat_map(|group| of_group(self.plans, *group as usize)) {
                for link in self.cell_links(&self.routes[plan.forward.index()]) {
                    promised.entry(link).or_default().insert(i);
                }
            }
        }
        let mut reported = BTreeSet::new();
        for (link, circuits) in promised {
            let mcr = |i: &usize| self.circuits[*i].plan.mcr.map_or(0, Rate::as_bps);
            let (sum, rate) = (circuits.iter().map(mcr).fold(0, u64::saturating_add), self.links.plans[link.index()].rate);
            let group: &LinkGroup = &self.links.groups[self.links.group_of(link)];
            if sum > rate.as_bps() && reported.insert(self.links.group_of(link)) {
                let last = &self.circuits[*circuits.last().expect("a circuit has it promised")];
                let (cells, most) = (sum / u64::from(8 * CELL), rate.as_bps() / u64::from(8 * CELL));
                let message =
                    format!("the circuits over '{}' are promised {cells} cells/s together, more than its {most} cells/s", group.name);
                self.mistakes.add(last.location, &format!("{}.mcr", last.path), message);
            }
        }
    }
}
