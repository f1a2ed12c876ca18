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
fn they_are_listed_with_their_parameters_and_state() {
    let all = catalogue(&registry());
    let disciplines = all["components"]["discipline"].as_array().expect("a list");
    let entry = disciplines.iter().find(|entry| entry["name"] == "linear-drop").expect("listed");
    assert_eq!(entry["summary"], "Linear drop: drops with a probability that rises with the length of the queue.");
    assert_eq!(entry["parameters"][1]["default"], "50");
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
