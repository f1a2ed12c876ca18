use super::*;
use crate::discipline::{Discipline, DisciplinePlan, Disciplines, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::testing::Lines;
use crate::parameters::{Check, Count};
use crate::units::Time;

crate::parameters! {
    /// Refuses nothing, and fails for a certain number.
    struct Parameters {
        /// Seven cannot be built.
        number: Count = "1";
    }
}
impl Check for Parameters {}

#[derive(Clone)]
struct Accepting;

crate::state! {
    impl Accepting, |_it, _now| {}
}

impl Discipline for Accepting {
    fn on_arrival(&mut self, _: Time, _: &Packet, _: &Occupancy) -> Verdict {
        Verdict::Accept
    }
}

fn build(parameters: &Parameters, _: &PortContext) -> Result<Box<dyn Discipline + Send>, String> {
    match parameters.number.0 {
        7 => Err("seven is unlucky".to_owned()),
        _ => Ok(Box::new(Accepting)),
    }
}

fn plugin(interface: u32, names: &[&'static str]) -> Plugin {
    let empty = Plugin::new("mine", interface, None);
    names.iter().fold(empty, |plugin, name| plugin.add::<Disciplines, Parameters>(name, Accepting::STATE, build))
}

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.load(plugin(INTERFACE, &["accepting"])).expect("sound");
    registry
}

#[test]
fn a_component_is_read_by_its_name() {
    let registry = registry();
    let mut lines = Lines::new(&["number = 3"], &registry);
    let plan = DisciplinePlan::read("accepting", &mut lines).expect("sound");
    assert_eq!((plan.name(), format!("{plan:?}").as_str()), ("accepting", "Custom(accepting Parameters { number: Count(3) })"));
    assert_eq!(plan, plan.clone());
    let other = DisciplinePlan::read("accepting", &mut Lines::new(&["number = 4"], &registry)).expect("sound");
    assert_ne!(plan, other);
    assert_eq!(registry.names("discipline", &["red"]), ["red", "accepting"]);
    assert!(DisciplinePlan::read("accepting", &mut Lines::new(&[], Registry::NONE)).is_none());
}

#[test]
fn what_a_factory_refuses_is_a_mistake_of_the_scenario() {
    let registry = registry();
    let mut lines = Lines::new(&["number = 7"], &registry);
    assert!(DisciplinePlan::read("accepting", &mut lines).is_none());
    assert_eq!(lines.mistakes, [": the factory of discipline 'accepting' failed: seven is unlucky"]);
}

#[test]
fn a_plugin_of_another_interface_version_is_refused() {
    let error = Registry::default().load(plugin(INTERFACE + 1, &["accepting"])).expect_err("another version");
    assert_eq!(error, RegistryError::Interface { plugin: "mine".to_owned(), built_for: INTERFACE + 1 });
    assert!(error.to_string().starts_with("plug-in 'mine' was built for version 3 of the component interface, and this is version 2"));
}

#[test]
fn two_components_of_one_name_are_refused() {
    for names in [&["accepting", "accepting"][..], &["red"]] {
        let error = Registry::default().load(plugin(INTERFACE, names)).expect_err("a name that is taken");
        assert_eq!(error, RegistryError::TwoOfOneName { plugin: "mine".to_owned(), kind: "discipline", name: names[0] });
    }
    let mut registry = registry();
    assert!(registry.load(plugin(INTERFACE, &["first", "accepting"])).is_err(), "another plug-in has it");
    assert!(registry.find("discipline", "first").is_none(), "nothing of a refused plug-in stays");
    assert!(registry.load(plugin(INTERFACE, &["other"])).is_ok());
}

#[test]
fn a_name_is_a_scenario_key() {
    for name in ["", "Red", "my_red", "2red", "my--red", "-red", "red-", "my red"] {
        let error = Registry::default().load(plugin(INTERFACE, &[name])).expect_err("no key");
        assert_eq!(error, RegistryError::NoKey { plugin: "mine".to_owned(), kind: "discipline", name });
    }
    assert!(Registry::default().load(plugin(INTERFACE, &["red-2", "x"])).is_ok());
}
