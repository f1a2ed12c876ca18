//! All variables, from the declarations of components.

use crate::catalogue::kinds::{key_of_kind, KINDS};
use penstock_engine::blueprint::{Blueprint, FlowGroup, PortPlan, SwitchPlan};
use penstock_engine::series::{ComponentName, SeriesSubject};
use penstock_engine::state::{CALLS, PAUSES, PORT, RECEIVING, SENDING};
use penstock_model::buffer::{Held, Occupancies};
use penstock_model::feedback::{bcn, qcn, LimitedFlowState, StationState};
use penstock_model::probe::Variable;
use penstock_model::registry::Registry;
use penstock_model::scheduler::class::classes_of_tree;
use penstock_model::transport::roce;
use penstock_model::transport::tcp::Sender;

/// Parts that have a state without being a component.
pub(crate) const PARTS: [(&str, &[&[Variable]]); 6] = [
    ("port", &[PORT]),
    ("flow", &[SENDING, RECEIVING]),
    ("tcp", &[Sender::STATE]),
    ("roce", &[roce::Sender::STATE]),
    ("calls", &[CALLS]),
    ("pause", &[PAUSES]),
];

/// The variables that describe the time between two samples, each with its part.
const OF_INTERVALS: [(&str, &str); 5] =
    [("port", "utilisation"), ("port", "throughput"), ("flow", "sending-rate"), ("flow", "throughput"), ("flow", "goodput")];

/// A component's variable.
pub(super) type Shown = (ComponentName, &'static Variable);

/// All variables that components show.
pub(super) fn all(registry: &Registry) -> impl Iterator<Item = Shown> + '_ {
    let parts = PARTS.iter().flat_map(|(kind, states)| shown(ComponentName { kind, name: "" }, states.iter().copied().flatten()));
    let entries = KINDS.iter().flat_map(move |kind| kind.all(registry).map(move |entry| (key_of_kind(kind.kind), entry)));
    parts.chain(entries.flat_map(|(kind, entry)| shown(ComponentName { kind, name: entry.name }, entry.state.iter())))
}

/// The unit of a variable of a component, or of any that has one of this name.
pub(crate) fn unit_of((component, name): (Option<ComponentName>, &str), registry: &Registry) -> &'static str {
    let is_meant = |(of, variable): &Shown| variable.name == name && component.is_none_or(|component| component == *of);
    all(registry).find(is_meant).map_or("1", |(_, variable)| variable.unit)
}

/// Whether a variable describes the time between two samples, so that it has no value on change.
pub(super) fn is_of_interval((component, variable): Shown) -> bool {
    OF_INTERVALS.contains(&(component.kind, variable.name))
}

fn shown(component: ComponentName, state: impl Iterator<Item = &'static Variable>) -> impl Iterator<Item = Shown> {
    state.map(move |variable| (component, variable))
}

/// The name of a component in series: `queue.red`, or `port`.
pub(super) fn label(component: ComponentName) -> String {
    match component.name {
        "" => component.kind.to_owned(),
        name => format!("{}.{name}", component.kind),
    }
}

/// The variables of a subject.
pub(super) fn of_subject(subject: SeriesSubject, blueprint: &Blueprint, registry: &Registry) -> Vec<Shown> {
    let mut components = match subject {
        SeriesSubject::Link(link) => of_port(&blueprint.links[link.index()].port),
        SeriesSubject::Sender(flow) => of_sender(&blueprint.groups[blueprint.flows[flow.index()].group as usize]),
        SeriesSubject::Receiver(_) | SeriesSubject::Node(_) => Vec::new(),
    };
    let (own, node): (&[&[Variable]], _) = match subject {
        SeriesSubject::Link(link) => (
            &[Held::STATE, bcn::congestion_point::CongestionPoint::STATE, qcn::congestion_point::CongestionPoint::STATE],
            Some(blueprint.links[link.index()].from),
        ),
        SeriesSubject::Sender(flow) => (&[LimitedFlowState::STATE], Some(blueprint.flows[flow.index()].from)),
        SeriesSubject::Node(node) => (&[Occupancies::STATE, PAUSES, StationState::STATE], Some(node)),
        SeriesSubject::Receiver(_) => (&[], None),
    };
    let switch = blueprint.switches.iter().find(|switch| Some(switch.node) == node);
    let shared = switch.map(of_switch).unwrap_or_default();
    let flow = match subject {
        SeriesSubject::Sender(_) => SENDING,
        SeriesSubject::Receiver(_) => RECEIVING,
        _ => &[],
    };
    let flow = flow.iter().map(|variable| (ComponentName { kind: "flow", name: "" }, variable));
    components.sort_unstable();
    let is_shown = |(component, variable): &Shown| {
        components.binary_search(component).is_ok() || shared.contains(component) && own.iter().any(|state| state.contains(variable))
    };
    flow.chain(all(registry).filter(is_shown)).collect()
}

/// The components of a sending end.
fn of_sender(group: &FlowGroup) -> Vec<ComponentName> {
    if group.calls.is_some() {
        return vec![ComponentName { kind: "calls", name: "" }];
    }
    group.transport.components().into_iter().map(|(kind, name)| ComponentName { kind, name }).collect()
}

/// The components that the ports of a node share.
fn of_switch(switch: &SwitchPlan) -> Vec<ComponentName> {
    let named = |kind: &'static str| move |name: &'static str| ComponentName { kind, name };
    let buffer = switch.buffer.iter().map(|buffer| buffer.policy.name()).map(named("buffer"));
    let points = switch.congestion_points.iter().map(|plan| plan.point.name()).map(named("congestion-point"));
    let reaction = switch.reaction_point.iter().map(|point| point.name()).map(named("reaction-point"));
    let pause = switch.pause.iter().map(|_| ComponentName { kind: "pause", name: "" });
    buffer.chain(pause).chain(points).chain(reaction).collect()
}

fn of_port(port: &PortPlan) -> Vec<ComponentName> {
    let named = |kind: &'static str| move |name: &'static str| ComponentName { kind, name };
    let mut components = vec![ComponentName { kind: "port", name: "" }, named("scheduler")(port.scheduler.name())];
    let below = classes_of_tree(&port.scheduler, &port.classes);
    components.extend(below.into_iter().map(|(scheduler, _)| scheduler.name()).map(named("scheduler")));
    components.extend(port.queues.iter().map(|queue| queue.discipline.name()).map(named("queue")));
    components.extend(port.marker.iter().map(|marker| marker.meter.name()).map(named("marker")));
    components.extend(port.pcn.iter().map(|meter| meter.name()).map(named("pcn")));
    components.extend(port.policers.iter().map(|policer| policer.name()).map(named("policer")));
    components.extend(port.shaper.iter().map(|shaper| shaper.name()).map(named("shaper")));
    components.extend(port.impairments.iter().map(|impairment| impairment.name()).map(named("impairment")));
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_component_has_two_variables_of_one_name() {
        let mut names: Vec<(ComponentName, &str)> = all(Registry::NONE).map(|(component, variable)| (component, variable.name)).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn variables_of_intervals_say_so() {
        let says = |(_, variable): &Shown| variable.doc.trim().ends_with("; only at intervals.");
        let found: Vec<(&str, &str)> =
            all(Registry::NONE).filter(says).map(|(component, variable)| (component.kind, variable.name)).collect();
        assert_eq!(found, OF_INTERVALS);
    }

    #[test]
    fn every_variable_says_what_it_is() {
        for (component, Variable { name, unit, doc }) in all(Registry::NONE) {
            assert!(doc.trim().ends_with('.') && !unit.is_empty(), "{}: {name}", label(component));
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}: {name}", label(component));
        }
    }
}
