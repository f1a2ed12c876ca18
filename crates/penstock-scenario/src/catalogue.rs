//! Everything that may be written in a scenario, from the declarations that the reader itself uses.

use crate::flows::FlowKeys;
use crate::links::{LinkKeys, RateChangeKeys};
use crate::measure::{MeasureKeys, What};
use crate::nodes::NodeKeys;
use crate::port::MarkerKeys;
use crate::scenario::TopKeys;
use penstock_model::discipline::DisciplinePlan;
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::parameters::{Entry, Field, Kind, Parameter, Parameters};
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::source::SourcePlan;
use penstock_model::transport::TransportPlan;
use serde_json::{json, Value};

/// The kinds of components, each with its list.
pub(crate) const KINDS: &[(&str, &[Entry])] = &[
    ("discipline", DisciplinePlan::ENTRIES),
    ("scheduler", SchedulerPlan::ENTRIES),
    ("meter", MeterPlan::ENTRIES),
    ("source", SourcePlan::ENTRIES),
    ("transport", TransportPlan::ENTRIES),
    ("impairment", ImpairmentPlan::ENTRIES),
];

/// A table of a scenario.
pub(crate) struct SectionEntry {
    /// What it describes.
    pub name: &'static str,
    /// Where it stands.
    pub path: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
    pub parts: &'static [Part],
}

/// A key of a section that holds more than a value.
pub(crate) struct Part {
    pub key: &'static str,
    pub takes: Takes,
    pub required: bool,
    pub doc: &'static str,
}

/// What a part holds.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// One component of this kind.
    OneOf(&'static str),
    /// One component of this kind, and the keys of this section next to it.
    OneOfBeside(&'static str, &'static str),
    /// Components of this kind, in the order written.
    Several(&'static str),
    /// A list of this section.
    List(&'static str),
    /// This section under names that the author chooses.
    Named(&'static str),
}

const fn part(key: &'static str, takes: Takes, doc: &'static str) -> Part {
    Part { key, takes, required: false, doc }
}

const fn required(key: &'static str, takes: Takes, doc: &'static str) -> Part {
    Part { key, takes, required: true, doc }
}

/// The sections of a scenario; the first is the whole.
pub(crate) const SECTIONS: &[SectionEntry] = &[
    SectionEntry {
        name: "scenario",
        path: "",
        doc: TopKeys::DOC,
        fields: TopKeys::FIELDS,
        parts: &[
            required("nodes", Takes::Named("node"), "The nodes and groups of nodes, by name."),
            required("links", Takes::List("link"), "The links."),
            required("flows", Takes::List("flow"), "The traffic, in groups of like flows."),
            part("measure", Takes::List("measure"), "What is measured."),
        ],
    },
    SectionEntry { name: "node", path: "nodes.NAME", doc: NodeKeys::DOC, fields: NodeKeys::FIELDS, parts: &[] },
    SectionEntry {
        name: "link",
        path: "links[]",
        doc: LinkKeys::DOC,
        fields: LinkKeys::FIELDS,
        parts: &[
            part("rate-changes", Takes::List("rate-change"), "Changes of the rate at known instants, by increasing time."),
            part("scheduler", Takes::OneOf("scheduler"), "Who goes next; `fifo` if left out."),
            part(
                "queue",
                Takes::OneOf("discipline"),
                "What the queue takes; `tail-drop` with its defaults if left out. With a scheduler of classes, it holds for the classes without a queue of their own.",
            ),
            part("class", Takes::Named("class"), "Queues of single classes, by class; only with a scheduler of classes."),
            part("marker", Takes::OneOfBeside("meter", "marker"), "A meter that writes its colours into the packets."),
            part("impairment", Takes::Several("impairment"), "What the wire does to packets, in the order written."),
        ],
    },
    SectionEntry {
        name: "rate-change",
        path: "links[].rate-changes[]",
        doc: RateChangeKeys::DOC,
        fields: RateChangeKeys::FIELDS,
        parts: &[],
    },
    SectionEntry {
        name: "class",
        path: "links[].class.NAME",
        doc: " A class of the link's scheduler.\n",
        fields: &[],
        parts: &[required("queue", Takes::OneOf("discipline"), "What the queue of this class takes.")],
    },
    SectionEntry { name: "marker", path: "links[].marker", doc: MarkerKeys::DOC, fields: MarkerKeys::FIELDS, parts: &[] },
    SectionEntry {
        name: "flow",
        path: "flows[]",
        doc: FlowKeys::DOC,
        fields: FlowKeys::FIELDS,
        parts: &[
            required("source", Takes::OneOf("source"), "What the application sends."),
            part("transport", Takes::OneOf("transport"), "How it is carried; `udp` if left out. `ftp` needs `tcp`, and only `ftp` can use it."),
        ],
    },
    SectionEntry { name: "measure", path: "measure[]", doc: MeasureKeys::DOC, fields: MeasureKeys::FIELDS, parts: &[] },
];

/// All components by kind, the metrics, and the sections of a scenario with their keys.
///
/// `components.KIND` lists entries of `name`, `summary`, `doc` (Markdown) and `parameters`; `metrics` entries of `name`,
/// `unit`, `doc`, `applies-to`, `take`, `default-take` and `by`; `sections` entries of `name`, `path`, `summary`, `doc`,
/// `parameters` and `parts` (keys that hold components or further sections). A parameter has `key`, `doc`, `kind`,
/// `required`, and where they apply `default`, `example`, `range`, `choices` (of `word` and `doc`) and `items`.
pub fn catalogue() -> Value {
    let components: serde_json::Map<String, Value> = KINDS
        .iter()
        .map(|(kind, entries)| {
            let entry = |entry: &Entry| described(entry.name, entry.doc, entry.fields);
            ((*kind).to_owned(), Value::Array(entries.iter().map(entry).collect()))
        })
        .collect();
    let sections: Vec<Value> = SECTIONS
        .iter()
        .map(|section| {
            let mut entry = described(section.name, section.doc, section.fields);
            entry["path"] = json!(section.path);
            entry["parts"] = section.parts.iter().map(part_entry).collect();
            entry
        })
        .collect();
    json!({ "components": components, "metrics": metrics(), "sections": sections })
}

fn described(name: &str, doc: &str, fields: &[Field]) -> Value {
    let doc = dedent(doc);
    json!({ "name": name, "summary": summary(&doc), "doc": doc, "parameters": fields.iter().map(parameter).collect::<Vec<_>>() })
}

fn parameter(field: &Field) -> Value {
    let mut entry = json!({ "key": field.key(), "doc": dedent(field.doc), "required": is_required(field) });
    if let Some(default) = field.default {
        entry["default"] = json!(default);
    }
    if !field.range.is_empty() {
        entry["range"] = json!(field.range);
    }
    describe_kind(&mut entry, &field.kind);
    entry
}

fn describe_kind(entry: &mut Value, kind: &Kind) {
    let word = match kind {
        Kind::Quantity(_) => "quantity",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Choice(_) => "choice",
        Kind::Switch => "switch",
        Kind::List(_) => "list",
        Kind::Name("text") => "text",
        Kind::Name(_) => "name",
        Kind::Law(_) => "law",
    };
    entry["kind"] = json!(word);
    match kind {
        Kind::Quantity(example) | Kind::Law(example) => entry["example"] = json!(example),
        Kind::Choice(words) => {
            let choice = |(word, doc): &(&str, &str)| json!({ "word": word, "doc": doc.trim() });
            entry["choices"] = words.iter().map(choice).collect();
        }
        Kind::List(items) => {
            let mut inner = json!({});
            describe_kind(&mut inner, items);
            entry["items"] = inner;
        }
        Kind::Name(of) if *of != "text" => entry["of"] = json!(of),
        _ => {}
    }
}

/// Whether a field must be written.
pub(crate) fn is_required(field: &Field) -> bool {
    field.default.is_none() && !field.optional
}

fn part_entry(part: &Part) -> Value {
    let (takes, of) = match part.takes {
        Takes::OneOf(kind) | Takes::OneOfBeside(kind, _) => ("one component", kind),
        Takes::Several(kind) => ("several components", kind),
        Takes::List(section) => ("list of tables", section),
        Takes::Named(section) => ("named tables", section),
    };
    let mut entry = json!({ "key": part.key, "doc": part.doc, "takes": takes, "of": of, "required": part.required });
    if let Takes::OneOfBeside(_, section) = part.takes {
        entry["beside"] = json!(section);
    }
    entry
}

fn metrics() -> Vec<Value> {
    let Kind::Choice(words) = What::KIND else { unreachable!("metrics are declared as words") };
    let entry = |(what, (name, doc)): (&What, &(&str, &str))| {
        let info = what.info();
        let applies: Vec<&str> =
            [(info.flows, "flows"), (info.links, "links")].iter().filter(|(applies, _)| *applies).map(|(_, to)| *to).collect();
        json!({
            "name": name,
            "unit": info.unit,
            "doc": doc.trim(),
            "applies-to": applies,
            "take": info.take.iter().map(|take| take.word()).collect::<Vec<_>>(),
            "default-take": info.default.iter().map(|take| take.word()).collect::<Vec<_>>(),
            "by": info.split.iter().map(|by| by.word()).collect::<Vec<_>>(),
        })
    };
    What::ALL.iter().zip(words).map(entry).collect()
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

    #[test]
    fn every_component_says_what_it_is() {
        for (kind, entries) in KINDS {
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
        let all = catalogue();
        let tail_drop = &all["components"]["discipline"][0];
        assert_eq!(tail_drop["name"], "tail-drop");
        assert_eq!(tail_drop["summary"], "Tail drop: refuses whatever does not fit.");
        assert_eq!(tail_drop["parameters"][0]["default"], "1000 packets");
        assert_eq!(tail_drop["parameters"][1]["choices"][0]["word"], "waiting");
        let names: Vec<&str> = all["sections"].as_array().unwrap().iter().map(|section| section["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["scenario", "node", "link", "rate-change", "class", "marker", "flow", "measure"]);
    }

    #[test]
    fn metrics_stand_in_the_order_of_their_words() {
        for (what, entry) in What::ALL.iter().zip(metrics()) {
            assert_eq!(entry["name"], what.info().name);
        }
    }

    #[test]
    fn summaries_end_with_the_first_sentence() {
        assert_eq!(summary("One thing.\n\nMore."), "One thing.");
        assert_eq!(summary("One\nthing. And another."), "One thing.");
    }
}
