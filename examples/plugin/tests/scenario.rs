//! The plug-in's components in scenarios: read, checked, run, listed, identified.

use example_plugin::plugin;
use penstock_engine::observations::Observations;
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::registry::{Plugin, Registry, RegistryError, INTERFACE};
use penstock_scenario::{catalogue, json_schema, load_with, report, ReadOptions, ValidScenario};

const SCENARIO: &str = include_str!("../queue.toml");

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.load(plugin()).expect("a sound plug-in");
    registry
}

fn load(sets: &[(&str, &str)]) -> Result<ValidScenario, String> {
    let sets: Vec<(String, String)> = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let options = ReadOptions { registry: registry(), ..ReadOptions::default() };
    load_with(&Cancel::default(), SCENARIO, "queue.toml", &sets, options).map_err(|mistakes| report(&mistakes))
}

fn run(scenario: &ValidScenario, executor: Executor) -> Observations {
    Sim::new(scenario.blueprint(None, 0)).expect("sound").with_executor(executor).run()
}

#[test]
fn the_components_decide_in_a_run() {
    let observations = run(&load(&[]).expect("sound"), Executor::default());
    let link = &observations.links[0];
    let [early, lost] = [DropCause::Early, DropCause::Loss].map(|cause| link.dropped_packets[cause as usize].iter().sum::<u64>());
    // One in a hundred of those that leave is lost; where the warm-up begins makes one more or less.
    assert!(lost.abs_diff(link.sent_packets / 100) <= 1, "{lost} of {}", link.sent_packets);
    assert!(early > 0, "a load of 96 % in Poisson arrivals has queues above five packets");
}

#[test]
fn executors_agree() {
    let scenario = load(&[]).expect("sound");
    let [a, b] = [Executor::default(), Executor::Plain].map(|executor| run(&scenario, executor).digest);
    assert_eq!(a, b);
}

#[test]
fn mistakes_are_told_at_their_place() {
    let wrong = |path: &str, value: &str| load(&[(path, value)]).expect_err("a mistake");
    assert!(wrong("bottleneck.queue.linear-drop.start", "50").contains("start: must be below limit, 50"));
    assert!(wrong("bottleneck.queue.linear-drop.begin", "5").contains("unknown key 'begin'"));
    let failed = wrong("bottleneck.impairment.periodic-loss.every", "1");
    assert!(failed.contains("periodic-loss") && failed.contains("every packet would be lost; write every = 2 or more"), "{failed}");
    let misspelt = wrong("bottleneck.queue", "{ linear-dorp = { start = 5 } }");
    assert!(misspelt.contains("unknown discipline 'linear-dorp'; did you mean 'linear-drop'?"), "{misspelt}");
}

#[test]
fn a_parameter_changes_during_a_run() {
    let early = |sets: &[(&str, &str)]| {
        let scenario = load(sets).expect("sound");
        let [a, b] = [Executor::default(), Executor::Plain].map(|executor| run(&scenario, executor));
        assert_eq!(a.digest, b.digest);
        a.links[0].dropped_packets[DropCause::Early as usize].iter().sum::<u64>()
    };
    let change = |at: &str| format!(r#"[{{ at = "{at}", parameter = "queue.linear-drop.most", value = 0 }}]"#);
    let (whole, from_the_start) = (early(&[]), early(&[("bottleneck.parameter-changes", &change("1 ps"))]));
    let half = early(&[("bottleneck.parameter-changes", &change("11 s"))]);
    assert!(from_the_start == 0 && half > 0 && half < whole, "{from_the_start}, {half} and {whole}");
}

#[test]
fn changes_that_cannot_be_are_mistakes() {
    let wrong = |at: &str, parameter: &str, value: &str| {
        let change = format!(r#"[{{ at = "{at}", parameter = "{parameter}", value = {value} }}]"#);
        load(&[("bottleneck.parameter-changes", &change)]).expect_err("a mistake")
    };
    let told = wrong("1 s", "queue.linear-drop.start", "7");
    assert!(told.contains("parameter-changes[0].parameter: queue: 'start' cannot be changed during a run; one of most"), "{told}");
    let told = wrong("1 s", "queue.linear-drop.most", "1.5");
    assert!(told.contains("most: 1.5 is out of range; between 0 and 1"), "{told}");
    let told = wrong("1 s", "queue.red.max-probability", "0.5");
    assert!(told.contains("'queue.red.max-probability' is not written, since 'queue' has no 'red'"), "{told}");
    let told = wrong("1 s", "queue.linear-drop.lowest", "0.5");
    assert!(told.contains("unknown key 'lowest'"), "{told}");
    let told = wrong("1 s", "delay", "0.5");
    assert!(told.contains("'delay' is not the path of a parameter that can change"), "{told}");
    let told = wrong("0 s", "queue.linear-drop.most", "0.5");
    assert!(told.contains("parameter-changes[0].at: 0 s is too early"), "{told}");
    let late = r#"[{ at = "60 min", parameter = "queue.linear-drop.most", value = 0.5 }]"#;
    let warnings = load(&[("bottleneck.parameter-changes", late)]).expect("no mistake").warnings().to_vec();
    assert!(warnings.iter().any(|it| format!("{it:?}").contains("is not before the end at")), "{warnings:?}");
}

#[test]
fn they_are_listed_with_their_parameters_and_state() {
    let all = catalogue(&registry());
    let disciplines = all["components"]["discipline"].as_array().expect("a list");
    let entry = disciplines.iter().find(|entry| entry["name"] == "linear-drop").expect("listed");
    assert_eq!(entry["summary"], "Linear drop: drops with a probability that rises with the length of the queue.");
    assert_eq!(entry["parameters"][1]["default"], "50");
    assert!(entry["parameters"][1]["changeable"].is_null() && entry["parameters"][2]["changeable"] == true);
    assert_eq!(entry["state"][0]["name"], "probability");
    assert_eq!(json_schema(&registry())["$defs"]["impairment.periodic-loss"]["required"][0], "every");
}

#[test]
fn a_run_is_identified_by_the_source() {
    let scenario = load(&[]).expect("sound");
    assert!(scenario.canonical().contains(r#""components":{"discipline.linear-drop":""#), "{}", scenario.canonical());
    assert!(scenario.unidentified_components().is_empty());
    let mut without = Registry::default();
    let state = example_plugin::periodic_loss::PeriodicLoss::STATE;
    let nameless = Plugin::new("nameless", INTERFACE, None)
        .add::<penstock_model::impairment::Impairments, example_plugin::periodic_loss::Parameters>(
            "periodic-loss",
            state,
            |parameters, _| Ok(Box::new(example_plugin::periodic_loss::PeriodicLoss::new(parameters)?)),
        );
    without.load(nameless).expect("sound");
    let text = SCENARIO.replace("queue.linear-drop = { start = 5, limit = 50, most = 0.2 }\n", "");
    let options = ReadOptions { registry: without, ..ReadOptions::default() };
    let scenario = load_with(&Cancel::default(), &text, "queue.toml", &[], options).expect("sound");
    assert_eq!(scenario.unidentified_components(), ["impairment.periodic-loss"]);
}

#[test]
fn its_names_are_taken_once() {
    let error = registry().load(plugin()).expect_err("the same names");
    assert_eq!(error, RegistryError::TwoOfOneName { plugin: "example-plugin".to_owned(), kind: "discipline", name: "linear-drop" });
}
