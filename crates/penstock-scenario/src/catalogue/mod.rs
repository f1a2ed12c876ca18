//! The catalogue of all components, metrics and sections, from the declarations that the reader uses.

mod class_parameters;
pub(crate) mod kinds;
pub(crate) mod schema;
pub(crate) mod sections;

use crate::catalogue::kinds::KINDS;
use crate::catalogue::sections::{PartContent, SectionPart, SECTIONS};
use crate::metrics;
use crate::metrics::common::info::{Key, MetricInfo, Targets};
use crate::series::PARTS;
use penstock_model::parameters::{Entry, Field, Kind, Profile, Setting};
use penstock_model::printable::quoted;
use penstock_model::probe::Variable;
use penstock_model::registry::Registry;
use serde_json::{json, Map, Value};

/// All components by kind, including plug-ins, the metrics, and the sections of a scenario with their keys.
///
/// `components.KIND` lists entries of `name`, `summary`, `doc` (Markdown) and `parameters`; `metrics` entries of `name`,
/// `unit`, `doc`, `applies-to`, `take`, `default-take` and `by`; `sections` entries of `name`, `path`, `summary`, `doc`,
/// `parameters` and `parts` (keys that hold components or further sections). A parameter has `key`, `doc`, `kind`,
/// `required`, and where they apply `default`, `example`, `range`, `choices` (of `word` and `doc`), `items` (of a list)
/// and `of` (what a name refers to, or the kind of the component, whose `names` are listed). Components have a `state`
/// (entries of `name`, `unit` and `doc`), and schedulers `classes` (`doc` and `parameters` of each). `profiles` are named sets of
/// parameters: `name` and `settings`, each with a `path` and a `value`; some have `unless`, the `path` and `value` of a parameter
/// with which they do not apply. Ports, flows and TCP have a state, too; `state` lists it by `name`.
pub fn catalogue(registry: &Registry) -> Value {
    let components: Map<String, Value> = KINDS
        .iter()
        .map(|kind| {
            let entries: Vec<Value> = kind.all(registry).map(|entry| component_entry(entry, registry)).collect();
            (kind.kind.to_owned(), Value::Array(entries))
        })
        .collect();
    let sections: Vec<Value> = SECTIONS
        .iter()
        .map(|section| {
            let mut entry = described(section.name, section.doc, section.fields, registry);
            if section.name == "class" {
                entry["parameters"] = class_parameters::catalogue(registry);
            }
            entry["path"] = json!(section.path);
            entry["parts"] = section.parts.iter().map(part_entry).collect();
            entry
        })
        .collect();
    let metrics: Vec<Value> = metrics::all(registry).map(|metric| metric_entry(metric.info())).collect();
    json!({ "components": components, "metrics": metrics, "state": states(), "sections": sections })
}

fn component_entry(entry: &Entry, registry: &Registry) -> Value {
    let mut described = described(entry.name, entry.doc, entry.fields, registry);
    described["state"] = entry.state.iter().map(variable).collect();
    if !entry.profiles.is_empty() {
        described["profiles"] = entry.profiles.iter().map(profile).collect();
    }
    if let Some(class) = entry.class {
        described["classes"] = json!({ "doc": dedent(class.doc), "parameters": class.fields.iter().map(|field| parameter(field, registry)).collect::<Vec<_>>() });
    }
    described
}

/// Ports, flows and TCP senders with the variables that they show.
fn states() -> Vec<Value> {
    let state = |states: &[&[Variable]]| states.iter().copied().flatten().map(variable).collect::<Vec<Value>>();
    PARTS.iter().map(|(name, states)| json!({ "name": name, "state": state(states) })).collect()
}

fn profile(profile: &Profile) -> Value {
    let setting = |setting: &Setting| {
        let mut entry = json!({ "path": setting.path, "value": setting.value });
        if let Some((path, value)) = setting.unless {
            entry["unless"] = json!({ "path": path, "value": value });
        }
        entry
    };
    json!({ "name": profile.name, "settings": profile.settings.iter().map(setting).collect::<Vec<_>>() })
}

fn variable(variable: &Variable) -> Value {
    json!({ "name": variable.name, "unit": variable.unit, "doc": dedent(variable.doc) })
}

fn described(name: &str, doc: &str, fields: &[Field], registry: &Registry) -> Value {
    let doc = dedent(doc);
    let parameters: Vec<Value> = fields.iter().map(|field| parameter(field, registry)).collect();
    json!({ "name": name, "summary": summary(&doc), "doc": doc, "parameters": parameters })
}

pub(crate) fn parameter(field: &Field, registry: &Registry) -> Value {
    let mut entry = json!({ "key": field.key(), "doc": dedent(field.doc), "required": is_required(field) });
    if let Some(default) = field.default {
        entry["default"] = json!(default);
    }
    if !field.range.is_empty() {
        entry["range"] = json!(field.range);
    }
    if field.is_changeable {
        entry["changeable"] = json!(true);
    }
    describe_kind(&mut entry, &field.kind, registry);
    entry
}

fn describe_kind(entry: &mut Value, kind: &Kind, registry: &Registry) {
    let word = match kind {
        Kind::Quantity(_) => "quantity",
        Kind::Integer => "integer",
        Kind::IntegerOrList => "integer or list",
        Kind::Number => "number",
        Kind::Choice(_) | Kind::OpenChoice { .. } => "choice",
        Kind::Switch => "switch",
        Kind::List(_) => "list",
        Kind::Name("text") => "text",
        Kind::Name(_) => "name",
        Kind::Law(_) => "law",
        Kind::Component { .. } => "component",
        Kind::Table(_) => "table",
    };
    entry["kind"] = json!(word);
    let choice = |(word, doc): (&str, &str)| json!({ "word": word, "doc": doc.trim() });
    match kind {
        Kind::Quantity(example) | Kind::Law(example) => entry["example"] = json!(example),
        Kind::Choice(words) => {
            entry["choices"] = words.iter().copied().map(choice).collect();
        }
        Kind::OpenChoice { of, words } => {
            let of_plugins = registry.entries(of).map(|entry| (entry.name, entry.doc));
            entry["choices"] = words.iter().copied().chain(of_plugins).map(choice).collect();
        }
        Kind::List(items) => {
            let mut inner = json!({});
            describe_kind(&mut inner, items, registry);
            entry["items"] = inner;
        }
        Kind::Name(of) if *of != "text" => entry["of"] = json!(of),
        Kind::Table(section) => entry["of"] = json!(section),
        Kind::Component { of, names } => {
            entry["of"] = json!(of);
            entry["names"] = json!(names);
        }
        _ => {}
    }
}

/// Whether a field must be written.
pub(crate) fn is_required(field: &Field) -> bool {
    field.default.is_none() && !field.optional
}

fn part_entry(part: &SectionPart) -> Value {
    let (takes, of) = match part.takes {
        PartContent::OneOf(kind) | PartContent::OneOfBeside(kind, _) => ("one component", kind),
        PartContent::Several(kind) => ("several components", kind),
        PartContent::Table(section) => ("one table", section),
        PartContent::List(section) => ("list of tables", section),
        PartContent::ListOrTable(list, _) => ("list of tables, or one table", list),
        PartContent::Named(section) => ("named tables", section),
    };
    let mut entry = json!({ "key": part.key, "doc": part.doc, "takes": takes, "of": of, "required": part.required });
    if let PartContent::OneOfBeside(_, section) = part.takes {
        entry["beside"] = json!(section);
    }
    entry
}

/// Whether a metric has a property.
type HasProperty = fn(&MetricInfo) -> bool;

/// Properties of metrics, by their names in the catalogue.
const PROPERTIES: [(&str, HasProperty); 4] = [
    ("ratio", |info| info.is_ratio),
    ("part", |info| info.is_part),
    ("of-finished", |info| info.is_of_finished),
    ("counts-finished", |info| info.counts_finished),
];

/// The names of the metrics with a property: `ratio`, a share or an index between 0 and 1; `part`, a part of a whole, which is read in per
/// cent; `of-finished`, of finished transfers alone; `counts-finished`, a count of transfers that includes finished ones. Metrics of plug-ins are
/// included.
///
/// # Errors
/// Names the known properties if `property` is not one of them.
pub fn metrics_with(property: &str, registry: &Registry) -> Result<Vec<&'static str>, String> {
    let Some((_, has)) = PROPERTIES.iter().find(|(name, _)| *name == property) else {
        return Err(format!("{} is no property of metrics; one of {}", quoted(property), PROPERTIES.map(|(name, _)| name).join(", ")));
    };
    Ok(metrics::all(registry).map(|metric| metric.info()).filter(|info| has(info)).map(|info| info.name).collect())
}

fn metric_entry(info: &MetricInfo) -> Value {
    let Targets { flows, calls, links } = info.targets;
    let targets = [(flows, "flows"), (calls, "calls"), (links, "links")];
    let applies: Vec<&str> = targets.iter().filter(|(applies, _)| *applies).map(|(_, to)| *to).collect();
    let mut entry = json!({
        "name": info.name,
        "unit": info.unit,
        "doc": format!("{} {}", info.doc, info.statistics).trim(),
        "applies-to": applies,
        "take": info.take.iter().map(|take| take.word()).collect::<Vec<_>>(),
        "default-take": info.default_take.iter().map(|take| take.word()).collect::<Vec<_>>(),
        "quantiles": info.uses(Key::Quantiles),
        "by": info.split.iter().map(|by| by.word()).collect::<Vec<_>>(),
    });
    PROPERTIES.iter().for_each(|(name, has)| entry[*name] = json!(has(info)));
    entry
}

/// A doc comment without the blank that follows the slashes.
pub(crate) fn dedent(doc: &str) -> String {
    let lines: Vec<&str> = doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}

/// The first sentence, on one line.
fn summary(doc: &str) -> String {
    let paragraph = doc.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::kinds::KindEntry;

    #[test]
    fn every_component_says_what_it_is() {
        for KindEntry { kind, entries } in KINDS {
            for entry in *entries {
                let doc = dedent(entry.doc);
                for heading in ["## Decides", "## State", "## Departures", "## Example", "## References"] {
                    assert!(doc.contains(heading), "{kind} {}: no {heading}", entry.name);
                }
                assert!(summary(&doc).ends_with('.'), "{kind} {}", entry.name);
                assert!(entry.fields.iter().all(|field| !field.doc.trim().is_empty()), "{kind} {}", entry.name);
            }
        }
    }

    #[test]
    fn entries_carry_defaults_ranges_and_choices() {
        let all = catalogue(Registry::NONE);
        let tail_drop = &all["components"]["discipline"][0];
        assert_eq!(tail_drop["name"], "tail-drop");
        assert_eq!(tail_drop["summary"], "Tail drop: drops arrivals that do not fit into the queue.");
        assert_eq!(tail_drop["parameters"][0]["default"], "1000 packets");
        assert_eq!(tail_drop["parameters"][1]["choices"][0]["word"], "waiting");
        let names: Vec<&str> = all["sections"].as_array().unwrap().iter().map(|section| section["name"].as_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "scenario",
                "node",
                "source-quench",
                "pause",
                "link",
                "rate-change",
                "parameter-change",
                "rate-file",
                "outage",
                "random-outages",
                "aggregation",
                "back",
                "class",
                "rate-limit",
                "marker",
                "circuit",
                "rate-request",
                "flow",
                "transfers",
                "calls",
                "initial",
                "surge",
                "delay",
                "signalling",
                "measure",
                "trace",
                "series"
            ]
        );
    }

    #[test]
    fn summaries_end_with_the_first_sentence() {
        assert_eq!(summary("One thing.\n\nMore."), "One thing.");
        assert_eq!(summary("One\nthing. And another."), "One thing.");
    }
}
