//! JSON Schema of scenarios, for editors and for other programs.

use crate::catalogue::class_parameters;
use crate::catalogue::kinds::KINDS;
use crate::catalogue::sections::{PartContent, SECTIONS};
use crate::catalogue::{dedent, is_required};
use penstock_model::parameters::{default_value, Field, Kind, Value as Written};
use penstock_model::registry::Registry;
use serde_json::{json, Map, Value};

/// A schema (draft 2020-12) of the scenarios that [`crate::load`] reads: keys, types, words and required keys. [`crate::load`]
/// alone checks units, relations between keys, and settings without effect.
pub fn json_schema(registry: &Registry) -> Value {
    let mut definitions = Map::new();
    for kind in KINDS {
        for entry in kind.all(registry) {
            let mut schema = object(entry.fields, registry);
            schema["description"] = json!(dedent(entry.doc));
            definitions.insert(format!("{}.{}", kind.kind, entry.name), schema);
        }
    }
    for section in SECTIONS {
        let mut schema = object(section.fields, registry);
        schema["description"] = json!(dedent(section.doc));
        if section.name == "class" {
            schema["properties"] = class_parameters::schema(registry);
        }
        for part in section.parts {
            let mut inner = takes(part.takes, registry);
            inner["description"] = json!(part.doc);
            schema["properties"][part.key] = inner;
            if part.required {
                schema["required"].as_array_mut().expect("made as a list").push(json!(part.key));
            }
        }
        definitions.insert(section.name.to_owned(), schema);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Penstock scenario",
        "$ref": "#/$defs/scenario",
        "$defs": definitions,
    })
}

fn object(fields: &[Field], registry: &Registry) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.key(), property(field, registry))).collect();
    let required: Vec<String> = fields.iter().filter(|field| is_required(field)).map(Field::key).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

pub(crate) fn property(field: &Field, registry: &Registry) -> Value {
    let mut schema = of_kind(&field.kind, registry);
    let range = if field.range.is_empty() { String::new() } else { format!("\n\nRange: {}.", field.range) };
    schema["description"] = json!(format!("{}{range}", dedent(field.doc)));
    if let Some(default) = field.default {
        schema["default"] = match default_value(default) {
            Written::Integer(number) => json!(number),
            Written::Float(number) => json!(number),
            Written::Switch(switch) => json!(switch),
            _ => json!(default),
        };
    }
    schema
}

fn of_kind(kind: &Kind, registry: &Registry) -> Value {
    match kind {
        Kind::Quantity(example) => json!({ "type": "string", "examples": [example] }),
        Kind::Integer => json!({ "type": "integer" }),
        Kind::IntegerOrList => json!({ "anyOf": [of_kind(&Kind::Integer, registry), of_kind(&Kind::List(&Kind::Integer), registry)] }),
        // A share may be written as a percentage or a fraction.
        Kind::Number => json!({ "type": ["number", "string"] }),
        Kind::Choice(words) => json!({ "enum": words.iter().map(|(word, _)| *word).collect::<Vec<_>>() }),
        Kind::OpenChoice { of, words } => {
            let of_plugins = registry.entries(of).map(|entry| entry.name);
            json!({ "enum": words.iter().map(|(word, _)| *word).chain(of_plugins).collect::<Vec<_>>() })
        }
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::List(items) => json!({ "type": "array", "items": of_kind(items, registry), "minItems": 1 }),
        Kind::Name(_) => json!({ "type": "string" }),
        Kind::Law(_) => json!({ "type": ["string", "object", "array"] }),
        Kind::Table(section) => json!({ "$ref": format!("#/$defs/{section}") }),
        Kind::Component { of, names } => json!({ "anyOf": [{ "enum": registry.names(of, names) }, components(of, &[], 1, registry)] }),
    }
}

fn takes(takes: PartContent, registry: &Registry) -> Value {
    match takes {
        PartContent::OneOf(kind) => components(kind, &[], 1, registry),
        PartContent::OneOfBeside(kind, section) => {
            let beside = SECTIONS.iter().find(|entry| entry.name == section).expect("a declared section");
            components(kind, beside.fields, 1 + beside.fields.len(), registry)
        }
        PartContent::Several(kind) => components(kind, &[], usize::MAX, registry),
        PartContent::Table(section) => json!({ "$ref": format!("#/$defs/{section}") }),
        PartContent::List(section) => json!({ "type": "array", "items": { "$ref": format!("#/$defs/{section}") } }),
        PartContent::ListOrTable(list, table) => {
            json!({ "anyOf": [self::takes(PartContent::List(list), registry), self::takes(PartContent::Table(table), registry)] })
        }
        PartContent::Named(section) => json!({ "type": "object", "additionalProperties": { "$ref": format!("#/$defs/{section}") } }),
    }
}

fn components(kind: &str, beside: &[Field], most: usize, registry: &Registry) -> Value {
    let declared = KINDS.iter().find(|declared| declared.kind == kind).expect("a declared kind");
    let own = declared.all(registry).map(|entry| (entry.name.to_owned(), json!({ "$ref": format!("#/$defs/{kind}.{}", entry.name) })));
    let properties: Map<String, Value> = own.chain(beside.iter().map(|field| (field.key(), property(field, registry)))).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if most != usize::MAX {
        schema["minProperties"] = json!(1);
        schema["maxProperties"] = json!(most);
    }
    schema
}
