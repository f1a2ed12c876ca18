//! The catalogue and the schema agree with the reader: examples in docstrings are read, and the schema accepts the example files.

mod common;
use common::{lines, BASE};
use penstock_engine::Sim;
use penstock_model::discipline::DisciplinePlan;
use penstock_model::registry::Registry;
use penstock_scenario::{catalogue, json_schema, load};
use serde_json::{json, Value};
use std::collections::BTreeSet;

/// The alternatives in the Example block of a docstring; a comment begins another one.
fn fragments(doc: &str) -> Vec<String> {
    let block = doc.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of TOML");
    let mut fragments = vec![String::new()];
    for line in block.lines() {
        if line.starts_with('#') && !fragments.last().expect("never empty").is_empty() {
            fragments.push(String::new());
        }
        let fragment = fragments.last_mut().expect("never empty");
        fragment.push_str(line);
        fragment.push('\n');
    }
    fragments
}

const CBR: &str = "source.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\n";
const METERS: &str = "pcn.threshold = { rate = \"500 kbit/s\", size = \"20 ms\", threshold = \"10 ms\" }\npcn.excess = { rate = \"800 kbit/s\", size = \"5 ms\" }\n";

/// A small scenario around a fragment: links run both ways, and the classes `ef` and `default` pass.
fn embed(kind: &str, name: &str, fragment: &str) -> String {
    let on_link = |fragment: &str| BASE.replace("delay = \"1 ms\"\n", &format!("delay = \"1 ms\"\nboth-ways = true\n{fragment}"));
    let second = |class: &str, lines: &str| format!("[[flows]]\nname = \"second\"\nfrom = \"a\"\nto = \"b\"\nclass = \"{class}\"\n{lines}");
    let calls = |lines: &str| format!("[[calls]]\nname = \"calls\"\nfrom = \"a\"\nto = \"b\"\ninitial = {{ calls = 3 }}\n{CBR}{lines}");
    let plain = CBR;
    match (kind, name) {
        ("discipline", _) if fragment.contains(" cells\"") => on_link(&format!("cells = true\n{}", fragment.replace("vc1", "f"))),
        ("meter", "f-gcra") => on_link(&format!("cells = true\n{}", fragment.replace("vc1", "f"))),
        ("discipline" | "meter" | "impairment" | "shaper" | "policer", _) | ("scheduler", "fifo") => on_link(fragment),
        ("scheduler", _) => on_link(fragment) + &second("ef", plain),
        ("buffer", _) => on_link("").replace("a = {}", &format!("a = {{ {} }}", fragment.trim().replace("s1-r1", "a-b"))),
        ("congestion-point", _) => on_link("").replace("a = {}", &format!("a = {{ {}, reaction-point.{name} = {{}} }}", fragment.trim())),
        ("reaction-point", _) => on_link("").replace("a = {}", &format!("a = {{ {}, congestion-point.{name} = {{}} }}", fragment.trim())),
        ("source", _) | ("transport", "scream") => on_link("") + &second("default", fragment),
        ("transport", "udp") => on_link("") + &second("default", &format!("{plain}{fragment}")),
        ("transport" | "congestion-control" | "rate-control" | "recovery", _) => {
            on_link("") + &second("default", &format!("source.ftp = {{}}\n{fragment}"))
        }
        ("pcn-meter", _) => on_link(fragment).replace("1 Mbit/s", "155 Mbit/s"),
        ("arrival" | "holding", _) => on_link("") + &calls(fragment),
        ("termination", _) => on_link(METERS) + &calls(fragment),
        ("admission", _) => on_link(METERS) + &calls(&format!("arrivals.poisson = {{ interval = \"1 s\" }}\n{fragment}")),
        _ => panic!("no scenario for kind {kind}"),
    }
}

#[test]
fn docstring_examples_are_read() {
    let all = catalogue(Registry::NONE);
    for (kind, entries) in all["components"].as_object().expect("components by kind") {
        for entry in entries.as_array().expect("a list") {
            let name = entry["name"].as_str().expect("a name");
            for fragment in fragments(entry["doc"].as_str().expect("a text")) {
                let text = embed(kind, name, &fragment);
                let loaded = load(&text, &format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR")), &[])
                    .unwrap_or_else(|mistakes| panic!("{kind} {name}:\n{fragment}\n{mistakes:#?}"));
                if kind == "discipline" && !DisciplinePlan::with_ecn(Registry::NONE).contains(&name) {
                    let marks = loaded.blueprint(None, 0).links[0].port.queues[0].discipline.marks();
                    assert_eq!(
                        marks,
                        DisciplinePlan::always_marking().contains(&name),
                        "{name}: it marks without ecn, or is listed and does not"
                    );
                }
                assert!(fragment.contains(name), "{kind} {name}: the example does not show it");
            }
        }
    }
}

/// The place of a component of this kind in [`embed`], as the start of a path.
fn place(kind: &str) -> String {
    let link = match kind {
        "discipline" => "queue",
        "meter" => "marker",
        "pcn-meter" => "pcn",
        other => other,
    };
    match kind {
        "discipline" | "scheduler" | "meter" | "pcn-meter" | "impairment" | "shaper" | "policer" => format!("links[0].{link}"),
        "buffer" | "congestion-point" | "reaction-point" => format!("nodes.a.{kind}"),
        "congestion-control" | "recovery" => format!("flows[1].transport.tcp.{kind}"),
        "rate-control" => format!("flows[1].transport.roce.{kind}"),
        "transport" | "source" => format!("flows[1].{kind}"),
        "arrival" => "calls[0].arrivals".to_owned(),
        _ => format!("calls[0].{kind}"),
    }
}

/// Values of a parameter, from the smallest to the largest value of its type.
fn scale(parameter: &Value) -> Vec<&str> {
    let example = parameter["example"].as_str().unwrap_or_default();
    match parameter["kind"].as_str().expect("a word") {
        "quantity" if example.ends_with("bit/s") => vec!["1 bit/s", "1 kbit/s", "100 kbit/s", "1 Mbit/s", "100 Tbit/s"],
        "quantity" if example.ends_with("packets") => vec!["0 packets", "1 packets", "9 packets", "4294967295 packets"],
        "quantity" if example.ends_with('B') || example.ends_with("bytes") => {
            vec!["0 bytes", "1 byte", "1500 bytes", "65535 bytes", "1 GB", "1000000000 GB"]
        }
        "quantity" => vec!["0 s", "1 ps", "1 us", "1 ms", "20 ms", "1 s", "1000000 s"],
        "number" => vec!["0.0", "1e-12", "0.001", "0.5", "0.999", "1.0", "2.0", "1e3", "1e12"],
        "integer" => vec!["0", "1", "2", "255", "1000000", "4294967295"],
        "switch" => vec!["false", "true"],
        "choice" => parameter["choices"].as_array().expect("a list").iter().filter_map(|choice| choice["word"].as_str()).collect(),
        _ => Vec::new(),
    }
}

/// Whether `name` is the component to try: the one in `PENSTOCK_COMPONENT`, or any if this is not set.
fn is_chosen(name: &str) -> bool {
    std::env::var("PENSTOCK_COMPONENT").map_or(true, |only| only == name)
}

/// `make try` shows the output of this test: the catalogue's entry, with the values that were run.
#[test]
fn the_smallest_and_the_largest_value_of_each_parameter_run() {
    let all = catalogue(Registry::NONE);
    let mut runs = 0;
    for (kind, entries) in all["components"].as_object().expect("components by kind") {
        for entry in entries.as_array().expect("a list").iter().filter(|entry| is_chosen(entry["name"].as_str().expect("a name"))) {
            let name = entry["name"].as_str().expect("a name");
            println!("{kind} {name}: {}", entry["summary"].as_str().expect("a text"));
            let text = embed(kind, name, &fragments(entry["doc"].as_str().expect("a text"))[0]);
            let own =
                entry["parameters"].as_array().expect("a list").iter().map(|parameter| (format!("{}.{name}", place(kind)), parameter));
            let of_classes = entry["classes"]["parameters"].as_array().into_iter().flatten();
            for (path, parameter) in own.chain(of_classes.map(|parameter| ("links[0].class.ef".to_owned(), parameter))) {
                let key = parameter["key"].as_str().expect("a key");
                let set = |value: &str| vec![(format!("{path}.{key}"), value.to_owned())];
                let read = |value| load(&text, "t.toml", &set(value)).ok().map(|scenario| (value, scenario));
                let mut sound: Vec<_> = scale(parameter).into_iter().filter_map(read).collect();
                if sound.len() > 2 {
                    sound.drain(1..sound.len() - 1);
                }
                for (value, scenario) in &sound {
                    let mut sim = Sim::new(scenario.blueprint(None, 0)).unwrap_or_else(|error| panic!("{name}, {key} = {value}: {error}"));
                    sim.run_events(sim.end(), 1_000);
                    runs += 1;
                }
                let ends: Vec<&str> = sound.iter().map(|(value, _)| *value).collect();
                let default = parameter["default"].as_str().map_or(String::new(), |default| format!(", default {default}"));
                println!("  {key} ({}{default}): {}", parameter["kind"].as_str().expect("a word"), ends.join(" and "));
            }
        }
    }
    println!("  {runs} networks run, one for each value above");
    assert!(runs > 0 || std::env::var("PENSTOCK_COMPONENT").is_ok(), "no value was accepted");
}

#[test]
fn only_components_of_links_have_lengths_in_time() {
    let all = catalogue(Registry::NONE);
    let mut kinds = BTreeSet::new();
    for (kind, entries) in all["components"].as_object().expect("components by kind") {
        let parameters = entries.as_array().expect("a list").iter().flat_map(|entry| entry["parameters"].as_array().expect("a list"));
        let has_range = |parameter: &Value| parameter["range"].as_str().is_some_and(|range| range.contains("at a link also a time"));
        if parameters.into_iter().any(has_range) {
            kinds.insert(kind.as_str());
        }
    }
    assert_eq!(kinds, BTreeSet::from(["discipline", "meter", "scheduler"]));
}

#[test]
fn the_catalogue_lists_the_keys_that_the_reader_knows() {
    let all = catalogue(Registry::NONE);
    let calls = "[[calls]]\nname = \"calls\"\nfrom = \"a\"\nto = \"b\"\ninitial = { calls = 3 }\nsignalling = { packet = \"100 bytes\" }\n";
    let limit = "delay = \"1 ms\"\nscheduler.priority = { order = [\"default\"] }\n\
                 class.default = { rate-limit = { rate = \"1 kbit/s\", burst = \"1 kB\" } }";
    let base = format!("{BASE}{calls}[[transfers]]\nname = \"jobs\"\n").replace("delay = \"1 ms\"", limit);
    for (section, header, broken) in [
        ("scenario", "", "duration = \"10 s\"\n"),
        ("node", "nodes.a", "a = {"),
        ("link", "links[0]", "from = \"a\"\nto = \"b\"\nrate"),
        ("class", "links[0].class.default", "class.default = {"),
        ("rate-limit", "links[0].class.default.rate-limit", "rate-limit = {"),
        ("flow", "flows[0]", "name = \"f\"\n"),
        ("transfers", "transfers[0]", "name = \"jobs\"\n"),
        ("calls", "calls[0]", "name = \"calls\"\n"),
        ("initial", "calls[0].initial", "initial = {"),
        ("signalling", "calls[0].signalling", "signalling = {"),
    ] {
        // No known key is near this one, so the reader lists the known keys, a dozen at most.
        let key = match section {
            "node" => "a = { zzzzzzzzzz = 1".to_owned(),
            _ if broken.ends_with('{') => format!("{broken} zzzzzzzzzz = 1,"),
            _ => format!("zzzzzzzzzz = 1\n{broken}"),
        };
        let found = lines(load(&base.replacen(broken, &key, 1), "t.toml", &[]));
        let path = if header.is_empty() { "zzzzzzzzzz".to_owned() } else { format!("{header}.zzzzzzzzzz") };
        let line = found.iter().find(|line| line.contains(&format!("{path}: unknown key"))).unwrap_or_else(|| panic!("{found:?}"));
        let known: Vec<&str> =
            line.split("(one of ").nth(1).unwrap().trim_end_matches(')').split(", ").filter(|key| *key != "...").collect();
        let entry = all["sections"].as_array().unwrap().iter().find(|entry| entry["name"] == section).unwrap();
        let listed = entry["parameters"].as_array().unwrap().iter().chain(entry["parts"].as_array().unwrap());
        let mut keys: Vec<&str> = listed.map(|parameter| parameter["key"].as_str().unwrap()).collect();
        assert!(known.iter().all(|known| keys.contains(known)), "{section}: the reader knows {known:?}, the catalogue {keys:?}");
        if section == "class" {
            // Parameters of one scheduler.
            keys.retain(|key| ["rate-limit", "queue", "policer", "scheduler", "class"].contains(key));
        }
        keys.truncate(12);
        assert!(known.len() == keys.len(), "{section}: the reader knows {known:?}, the catalogue {keys:?}");
    }
}

/// Checks a value with the part of JSON Schema that [`json_schema`] uses; returns the first violation, if any.
fn fault(schema: &Value, value: &Value, root: &Value) -> Option<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = &root["$defs"][reference.strip_prefix("#/$defs/").expect("a local reference")];
        assert!(!target.is_null(), "{reference} leads nowhere");
        return fault(target, value, root);
    }
    let is = |word: &str| match word {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("unknown type {other}"),
    };
    let fits = match &schema["type"] {
        Value::String(word) => is(word),
        Value::Array(words) => words.iter().any(|word| is(word.as_str().expect("a word"))),
        _ => schema["enum"].as_array().is_some_and(|words| words.contains(value)),
    };
    if !fits {
        return Some(format!("{value} is not {}{}", schema["type"], schema["enum"]));
    }
    if let Some(items) = value.as_array() {
        return items.iter().find_map(|item| if schema["items"].is_null() { None } else { fault(&schema["items"], item, root) });
    }
    let table = value.as_object()?;
    let missing = schema["required"].as_array().into_iter().flatten().find(|key| !table.contains_key(key.as_str().expect("a key")));
    if let Some(key) = missing {
        return Some(format!("no {key} in {value}"));
    }
    if table.len() as u64 > schema["maxProperties"].as_u64().unwrap_or(u64::MAX) {
        return Some(format!("too many keys in {value}"));
    }
    table.iter().find_map(|(key, inner)| match (&schema["properties"][key], &schema["additionalProperties"]) {
        (Value::Null, Value::Bool(false)) => Some(format!("unknown key {key}")),
        (Value::Null, Value::Null) => None,
        (Value::Null, other) | (other, _) => fault(other, inner, root),
    })
}

/// A TOML file as JSON, converted by the scenario's canonical form.
fn as_json(text: &str) -> Value {
    let scenario = load(text, "t.toml", &[]).expect("sound");
    let mut value: Value = serde_json::from_str(scenario.canonical()).expect("JSON");
    let measures = scenario.measure_texts().iter().filter_map(|text| serde_json::from_str(text).ok()).collect::<Vec<Value>>();
    if !measures.is_empty() {
        value["measure"] = measures.into();
    }
    for link in value["links"].as_array_mut().into_iter().flatten() {
        // The canonical form has impairments and meters as pairs.
        for key in ["impairment", "pcn"] {
            if let Some(pairs) = link.get(key).and_then(Value::as_array).cloned() {
                link[key] = pairs.iter().map(|pair| (pair[0].as_str().unwrap().to_owned(), pair[1].clone())).collect();
            }
        }
    }
    value
}

#[test]
fn the_schema_takes_sound_scenarios_and_refuses_others() {
    let schema = json_schema(Registry::NONE);
    let example = |name: &str| std::fs::read_to_string(format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))).expect("it exists");
    for text in [example("first.toml"), example("af.toml"), embed("impairment", "loss", "impairment.loss = { probability = 0.01 }\n")] {
        assert_eq!(fault(&schema, &as_json(&text), &schema), None);
    }
    let sound = as_json(BASE);
    let broken = |path: &str, value: Value| {
        let mut broken = sound.clone();
        *broken.pointer_mut(path).expect("a path in the scenario") = value;
        fault(&schema, &broken, &schema)
    };
    assert_eq!(broken("/duration", json!(10)).as_deref(), Some("10 is not \"string\"null"));
    assert_eq!(broken("/nodes/a", json!({ "size": 3 })).as_deref(), Some("unknown key size"));
    assert!(broken("/links/0", json!({ "from": "a" })).unwrap().starts_with("no \"to\""));
    assert_eq!(broken("/flows/0/source", json!({ "cbrr": {} })).as_deref(), Some("unknown key cbrr"));
    assert!(broken("/flows/0/source", json!({ "ftp": {}, "cbr": {} })).unwrap().starts_with("too many keys"));
}
