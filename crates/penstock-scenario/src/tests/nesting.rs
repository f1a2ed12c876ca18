//! Components inside components, with a made-up scheduler whose flows have a discipline each.

use crate::catalogue::{self, schema};
use crate::read::files::ReadOptions;
use crate::read::mistake::Mistakes;
use crate::read::section::Section;
use crate::read::{canonical, tree};
use crate::settings;
use crate::settings::path_schema::PathSchema;
use penstock_model::discipline::DisciplinePlan;
use penstock_model::parameters::{Check, Count, Parameters};
use penstock_model::registry::Registry;
use serde_json::json;
use std::collections::BTreeMap;

penstock_model::parameters! {
    /// A made-up scheduler of flows.
    struct FlowScheduler {
        /// How many flows it tells apart.
        flows: Count = "1024";
        /// The queue of each flow.
        queue: DisciplinePlan = "tail-drop";
        /// The queue of flows that have just begun.
        new_queue: Option<DisciplinePlan>;
    }
}
impl Check for FlowScheduler {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.queue.name() == "red-n" {
            mistake("queue.red-n", "does not fit here".to_owned());
        }
    }
}

penstock_model::component_plans! {
    /// The made-up scheduler as a plan, to be nested once more.
    enum MadeUpPlan of "made-up" {
        "flow-scheduler" => FlowScheduler(FlowScheduler),
    }
}

penstock_model::parameters! {
    /// A port of the made-up scheduler.
    struct Port {
        /// How it schedules.
        made_up: MadeUpPlan;
    }
}
impl Check for Port {}

fn read<P: Parameters>(text: &str, sets: &[(&str, &str)]) -> Result<P, Vec<String>> {
    let mistakes = Mistakes::new("t.toml", sets.iter().map(|(path, _)| (*path).to_owned()).collect(), ReadOptions::default());
    let mut page = tree::parse(text, &mistakes).expect("TOML");
    for (i, (path, value)) in sets.iter().enumerate() {
        settings::apply_below(&mut page, PathSchema::Parameters(P::FIELDS), path, value, i, &mistakes);
    }
    let mut section = Section::new(&mistakes, "links[0].scheduler".to_owned(), page.location, &page).expect("a table");
    let parameters = P::read(&mut section);
    section.finish();
    match parameters {
        Some(parameters) if mistakes.is_empty() => Ok(parameters),
        _ => Err(mistakes.sorted().iter().map(ToString::to_string).collect()),
    }
}

fn sound(text: &str, sets: &[(&str, &str)]) -> FlowScheduler {
    read(text, sets).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

fn mistakes(text: &str) -> Vec<String> {
    read::<FlowScheduler>(text, &[]).expect_err("mistakes")
}

/// The limit of a tail drop.
fn limit(plan: &DisciplinePlan) -> String {
    match plan {
        DisciplinePlan::TailDrop(parameters) => format!("{:?}", parameters.limit),
        other => panic!("{} is not tail-drop", other.name()),
    }
}

#[test]
fn a_component_may_contain_another() {
    let plain = sound("", &[]);
    assert_eq!((limit(&plain.queue), plain.new_queue), ("Packets(1000)".to_owned(), None));
    let given = sound("queue.tail-drop = { limit = \"60 packets\" }\nnew-queue = \"tail-drop\"", &[]);
    assert_eq!(limit(&given.queue), "Packets(60)");
    assert_eq!(given.new_queue.as_ref().map(limit).as_deref(), Some("Packets(1000)"));
}

#[test]
fn components_nest_to_any_depth() {
    let page = "made-up.flow-scheduler.queue.tail-drop.limit = \"60 packets\"";
    let Ok(Port { made_up: MadeUpPlan::FlowScheduler(inner) }) = read::<Port>(page, &[]) else { panic!("sound") };
    assert_eq!(limit(&inner.queue), "Packets(60)");
    let page = "[made-up.flow-scheduler]\nflows = 3\nqueue.tail-drop = { limt = 3 }";
    assert_eq!(
        read::<Port>(page, &[]).expect_err("a mistake"),
        ["t.toml:3: links[0].scheduler.made-up.flow-scheduler.queue.tail-drop.limt: unknown key 'limt'; did you mean 'limit'? (limit, counts)"]
    );
    assert_eq!(
        read::<Port>("", &[]).expect_err("a mistake"),
        ["t.toml:1: links[0].scheduler.made-up: is missing and has no default; one of flow-scheduler"]
    );
}

#[test]
fn every_mistake_has_its_line_and_its_whole_path() {
    let page = "flows = 0\n[queue.tail-drop]\nlimit = 20\ncounts = \"waitin\"\n[new-queue.red]\nlimit = \"60 packets\"\n";
    assert_eq!(
        mistakes(page),
        [
            "t.toml:1: links[0].scheduler.flows: 0 is out of range; a whole number, at least 1",
            "t.toml:3: links[0].scheduler.queue.tail-drop.limit: 20 has no unit; write \"20 packets\" or \"20 KiB\"",
            "t.toml:4: links[0].scheduler.queue.tail-drop.counts: 'waitin' is not one of waiting, in-system; did you mean 'waiting'?",
            "t.toml:5: links[0].scheduler.new-queue.red.min-threshold: is missing and has no default; write min-threshold = \"20 packets\"",
            "t.toml:5: links[0].scheduler.new-queue.red.max-threshold: is missing and has no default; write max-threshold = \"60 packets\"",
            "t.toml:5: links[0].scheduler.new-queue.red.max-probability: is missing and has no default; write max-probability = 0.5",
        ]
    );
}

#[test]
fn exactly_one_known_component_is_named() {
    let one = |text: &str| mistakes(text).join("\n");
    // Messages name the first dozen of a long list.
    let names = format!("{}, ...", DisciplinePlan::NAMES[..12].join(", "));
    assert_eq!(
        one("queue = \"tail-dorp\""),
        format!("t.toml:1: links[0].scheduler.queue: unknown discipline 'tail-dorp'; did you mean 'tail-drop'? ({names})")
    );
    assert_eq!(
        one("flows = 2\nqueue.tale-drop = {}"),
        format!("t.toml:2: links[0].scheduler.queue: unknown discipline 'tale-drop'; did you mean 'tail-drop'? ({names})")
    );
    assert_eq!(one("queue = {}"), format!("t.toml:1: links[0].scheduler.queue: names no discipline; one of {names}"));
    assert_eq!(
        one("[queue]\ntail-drop = {}\nred = {}"),
        "t.toml:3: links[0].scheduler.queue: names two disciplines, 'tail-drop' and 'red'; keep one"
    );
    assert_eq!(one("queue = 3"), "t.toml:1: links[0].scheduler.queue: 3 is not a component; write queue = \"tail-drop\"");
    assert_eq!(one("queue.tail-drop = 3"), "t.toml:1: links[0].scheduler.queue.tail-drop: 3 is not a table; write { key = value }");
    assert!(one("queue = \"red\"").starts_with("t.toml:1: links[0].scheduler.queue.red.limit: is missing and has no default;"));
}

#[test]
fn a_relation_to_a_nested_component_stands_at_its_line() {
    let precedence = "{ min-threshold = \"5 packets\", max-threshold = \"15 packets\", max-probability = 0.1 }";
    let page = format!("flows = 2\n[queue]\nred-n = {{ limit = \"60 packets\", averages = \"total\", precedence = [{precedence}] }}");
    let found = mistakes(&page).join("\n");
    assert!(found.contains("t.toml:3: links[0].scheduler.queue.red-n"), "{found}");
}

#[test]
fn settings_reach_inside() {
    let limit_of = |text: &str, path: &str, value: &str| limit(&sound(text, &[(path, value)]).queue);
    let (path, value) = ("queue.tail-drop.limit", "7 packets");
    assert_eq!(limit_of("", path, value), "Packets(7)", "a key that the file lacks");
    assert_eq!(limit_of("queue = \"tail-drop\"", path, value), "Packets(7)", "a name alone");
    assert_eq!(limit_of("queue.tail-drop.limit = \"9 packets\"", path, value), "Packets(7)");
    assert_eq!(limit_of("queue.tail-drop = { limit = \"9 packets\" }", "queue.tail-drop.counts", "in-system"), "Packets(9)");
    assert_eq!(limit_of("queue = \"red\"", path, value), "Packets(7)", "another component replaces the one in the file");
    assert_eq!(limit_of("queue.red.limit = \"9 packets\"", path, value), "Packets(7)");
    assert_eq!(limit_of("queue.red.limit = \"9 packets\"", "queue", "tail-drop"), "Packets(1000)");
    assert_eq!(
        read::<FlowScheduler>("", &[("queue.tail-drop.limt", "3")]).expect_err("a mistake"),
        ["--set queue.tail-drop.limt: unknown key 'limt'; did you mean 'limit'? (limit, counts)"]
    );
}

#[test]
fn the_canonical_form_holds_what_is_written() {
    let mistakes = Mistakes::new("t.toml", vec![], ReadOptions::default());
    let page = tree::parse("queue.tail-drop = { limit = \"60 packets\", counts = \"waiting\" }\nflows = 3", &mistakes).expect("TOML");
    assert_eq!(
        canonical::write(&page, &[], &BTreeMap::new()),
        r#"{"flows":3,"queue":{"tail-drop":{"counts":"waiting","limit":"60 packets"}}}"#
    );
}

#[test]
fn the_catalogue_and_the_schema_know_the_kind() {
    let field = &FlowScheduler::FIELDS[1];
    let entry = catalogue::parameter(field, Registry::NONE);
    assert_eq!((&entry["kind"], &entry["of"], &entry["default"]), (&json!("component"), &json!("discipline"), &json!("tail-drop")));
    assert_eq!(entry["names"], json!(DisciplinePlan::NAMES));
    let schema = schema::property(field, Registry::NONE);
    assert_eq!(schema["default"], "tail-drop");
    assert_eq!(schema["anyOf"][0], json!({ "enum": DisciplinePlan::NAMES }));
    assert_eq!(schema["anyOf"][1]["properties"]["red"], json!({ "$ref": "#/$defs/discipline.red" }));
}
