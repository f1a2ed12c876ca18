//! The variables that there are, from what components declare.

use crate::catalogue::kinds::KINDS;
use penstock_engine::blueprint::{Blueprint, PortPlan};
use penstock_engine::series::{ComponentName, SeriesSubject};
use penstock_engine::state::{PORT, RECEIVING, SENDING};
use penstock_model::probe::Variable;
use penstock_model::transport::tcp::Sender;
use penstock_model::transport::TransportPlan;

/// The key under which a kind of components stands, where that is not its name.
const KEYS: [(&str, &str); 3] = [("discipline", "queue"), ("meter", "marker"), ("pcn-meter", "pcn")];

/// What has a state without being a component of its own.
pub(crate) const PARTS: [(&str, &[&[Variable]]); 3] = [("port", &[PORT]), ("flow", &[SENDING, RECEIVING]), ("tcp", &[Sender::STATE])];

/// A component's variable.
pub(super) type Shown = (ComponentName, &'static Variable);

/// All components that show a state, and what they show.
pub(super) fn all() -> impl Iterator<Item = Shown> {
    let parts = PARTS.iter().flat_map(|(kind, states)| shown(ComponentName { kind, name: "" }, states.iter().copied().flatten()));
    let of_kind = |kind: &'static str| KEYS.iter().find(|(of, _)| *of == kind).map_or(kind, |(_, key)| key);
    let entries = KINDS.iter().flat_map(move |kind| kind.entries.iter().map(move |entry| (of_kind(kind.kind), entry)));
    parts.chain(entries.flat_map(|(kind, entry)| shown(ComponentName { kind, name: entry.name }, entry.state.iter())))
}

fn shown(component: ComponentName, state: impl Iterator<Item = &'static Variable>) -> impl Iterator<Item = Shown> {
    state.map(move |variable| (component, variable))
}

/// How a component is called in series: `queue.red`, or `port`.
pub(super) fn label(component: ComponentName) -> String {
    match component.name {
        "" => component.kind.to_owned(),
        name => format!("{}.{name}", component.kind),
    }
}

/// The variables of a subject.
pub(super) fn of_subject(subject: SeriesSubject, blueprint: &Blueprint) -> Vec<Shown> {
    let components = match subject {
        SeriesSubject::Link(link) => of_port(&blueprint.links[link.index()].port),
        SeriesSubject::Sender(flow) => {
            let group = &blueprint.groups[blueprint.flows[flow.index()].group as usize];
            let ComponentsOfSender(components) = ComponentsOfSender::new(&group.transport);
            let own = SENDING.iter().map(|variable| (ComponentName { kind: "flow", name: "" }, variable));
            return own.chain(all().filter(|(component, _)| components.contains(component))).collect();
        }
        SeriesSubject::Receiver(_) => {
            return RECEIVING.iter().map(|variable| (ComponentName { kind: "flow", name: "" }, variable)).collect();
        }
    };
    all().filter(|(component, _)| components.contains(component)).collect()
}

/// What a sending end has beside itself.
struct ComponentsOfSender(Vec<ComponentName>);

impl ComponentsOfSender {
    fn new(transport: &TransportPlan) -> ComponentsOfSender {
        match transport {
            TransportPlan::Udp(_) => ComponentsOfSender(Vec::new()),
            TransportPlan::Tcp(parameters) => {
                let control = ComponentName { kind: "congestion-control", name: parameters.congestion_control_plan().name() };
                ComponentsOfSender(vec![ComponentName { kind: "tcp", name: "" }, control])
            }
        }
    }
}

fn of_port(port: &PortPlan) -> Vec<ComponentName> {
    let named = |kind: &'static str| move |name: &'static str| ComponentName { kind, name };
    let mut components = vec![ComponentName { kind: "port", name: "" }, named("scheduler")(port.scheduler.name())];
    components.extend(port.queues.iter().map(|queue| queue.discipline.name()).map(named("queue")));
    components.extend(port.marker.iter().map(|marker| marker.meter.name()).map(named("marker")));
    components.extend(port.pcn.iter().map(|meter| meter.name()).map(named("pcn")));
    components.extend(port.policers.iter().map(|policer| policer.name()).map(named("policer")));
    components.extend(port.shaper.iter().map(|shaper| shaper.name()).map(named("shaper")));
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_component_has_two_variables_of_one_name() {
        let mut names: Vec<(ComponentName, &str)> = all().map(|(component, variable)| (component, variable.name)).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_variable_says_what_it_is() {
        for (component, Variable { name, unit, doc }) in all() {
            assert!(doc.trim().ends_with('.') && !unit.is_empty(), "{}: {name}", label(component));
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}: {name}", label(component));
        }
    }
}
