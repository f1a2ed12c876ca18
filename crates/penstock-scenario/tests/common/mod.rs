//! A small sound scenario, and the outcome of changes to it.
#![allow(dead_code)] // each test file uses a part

use penstock_model::registry::Registry;
use penstock_model::scheduler::SchedulerPlan;
use penstock_scenario::{load, report, Mistake, ValidScenario};

/// Two nodes, one link, one flow.
pub const BASE: &str = r#"duration = "10 s"
[nodes]
a = {}
b = {}
hosts = { count = 4 }
[[links]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"#;

/// The scenario with `old` replaced by `new` once.
pub fn changed(old: &str, new: &str) -> String {
    assert!(BASE.contains(old), "{old:?} is not in the scenario");
    BASE.replacen(old, new, 1)
}

/// Lines after which others may be added: in the scenario, in the link, and in the flow (or after it, with a header of their own).
pub const TOP: &str = r#"duration = "10 s""#;
/// See [`TOP`].
pub const LINK: &str = r#"delay = "1 ms""#;
/// See [`TOP`].
pub const FLOW: &str = r#"source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }"#;

/// Fails unless the scenario with `old` replaced by `new` is refused with exactly these lines.
#[track_caller]
pub fn refused(old: &str, new: &str, expected: &str) {
    assert_eq!(lines(load(&changed(old, new), "t.toml", &[])).join("\n"), expected);
}

/// Fails unless the scenario with `line` after the line `place` is refused with exactly these lines.
#[track_caller]
pub fn added(place: &str, line: &str, expected: &str) {
    refused(place, &format!("{place}\n{line}"), expected);
}

/// The components of a list as messages name them: the first dozen. The expected texts stay right when the list grows.
pub fn names(list: &[&str]) -> String {
    let rest = if list.len() > 12 { ", ..." } else { "" };
    format!("{}{rest}", list[..list.len().min(12)].join(", "))
}

/// The schedulers of classes, in the same way.
pub fn class_schedulers() -> String {
    names(&SchedulerPlan::with_classes(Registry::NONE).map(|(name, _)| name).collect::<Vec<_>>())
}

/// The mistakes as lines.
#[track_caller]
pub fn lines(result: Result<ValidScenario, Vec<Mistake>>) -> Vec<String> {
    result.expect_err("the scenario was accepted").iter().map(Mistake::to_string).collect()
}

/// The metrics of the catalogue for which `holds`, as messages name them.
pub fn metrics(holds: impl Fn(&serde_json::Value) -> bool) -> String {
    let catalogue = penstock_scenario::catalogue(penstock_model::registry::Registry::NONE);
    let found = catalogue["metrics"].as_array().expect("a list").iter().filter(|metric| holds(metric));
    found.map(|metric| metric["name"].as_str().expect("a name")).collect::<Vec<_>>().join(", ")
}

/// The metrics of `flows`, `calls` or `links`, as messages name them.
pub fn metrics_of(what: &str) -> String {
    metrics(|metric| metric["applies-to"].as_array().expect("a list").iter().any(|to| to == what))
}

/// The scenario, which must be sound.
#[track_caller]
pub fn sound(text: &str, sets: &[(&str, &str)]) -> ValidScenario {
    let sets: Vec<(String, String)> = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    load(text, "t.toml", &sets).unwrap_or_else(|mistakes| panic!("{}", report(&mistakes)))
}

/// Node names along the route of each flow, there and back.
pub fn ways(scenario: &ValidScenario) -> Vec<[String; 2]> {
    let blueprint = scenario.blueprint(None, 0);
    let way = |route: penstock_model::id::RouteId| {
        let links: Vec<&str> = blueprint.routes[route.index()].iter().map(|link| blueprint.links[link.index()].path.as_str()).collect();
        links.join(" ")
    };
    blueprint.flows.iter().map(|flow| [way(flow.forward), way(flow.backward)]).collect()
}

/// A link with these additional lines.
pub fn link(from: &str, to: &str, more: &str) -> String {
    format!("[[links]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n{more}\n")
}

/// Flows with these additional lines.
pub fn flow(name: &str, from: &str, to: &str, more: &str) -> String {
    format!("[[flows]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n")
}

/// Lines of flows that send as fast as they can.
pub const TCP: &str = "source.ftp = {}\ntransport.tcp = {}\n";
