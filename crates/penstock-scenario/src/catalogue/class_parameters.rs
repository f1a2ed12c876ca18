//! The parameters that the schedulers declare for their classes, together.

use crate::catalogue::{dedent, parameter, schema::property};
use penstock_model::parameters::Field;
use penstock_model::registry::Registry;
use penstock_model::scheduler::SchedulerPlan;
use serde_json::{json, Map, Value};

/// A key of classes, with the declaration of each scheduler that reads it.
struct ClassKey {
    key: String,
    declared: Vec<(&'static str, &'static Field)>,
}

/// The entries of the catalogue, one for each key.
pub(super) fn catalogue(registry: &Registry) -> Value {
    let entry = |key: &ClassKey| {
        let mut entry = parameter(key.declared[0].1, registry);
        key.generalize(&mut entry, "doc");
        entry["required"] = json!(false);
        entry
    };
    keys(registry).iter().map(entry).collect()
}

/// The properties of a class in the schema.
pub(super) fn schema(registry: &Registry) -> Value {
    let schema = |key: &ClassKey| {
        let mut schemas: Vec<Value> = key.declared.iter().map(|(_, field)| property(field, registry)).collect();
        let mut types = schemas.clone();
        types.iter_mut().filter_map(Value::as_object_mut).for_each(|schema| {
            schema.remove("description");
            schema.remove("default");
        });
        types.dedup();
        let mut schema = if types.len() == 1 { schemas.swap_remove(0) } else { json!({ "anyOf": types }) };
        key.generalize(&mut schema, "description");
        (key.key.clone(), schema)
    };
    Value::Object(keys(registry).iter().map(schema).collect::<Map<_, _>>())
}

impl ClassKey {
    /// Sets `doc` of `entry` to the texts of all schedulers that read the key, and removes a default that differs between them.
    fn generalize(&self, entry: &mut Value, doc: &str) {
        let mut texts: Vec<(String, String)> = Vec::new();
        for (scheduler, field) in &self.declared {
            let text = dedent(field.doc).replace('\n', " ");
            match texts.iter_mut().find(|(_, known)| *known == text) {
                Some((schedulers, _)) => *schedulers += &format!(", `{scheduler}`"),
                None => texts.push((format!("`{scheduler}`"), text)),
            }
        }
        entry[doc] = json!(texts.iter().map(|(schedulers, text)| format!("{schedulers}: {text}")).collect::<Vec<_>>().join("\n\n"));
        let first = self.declared[0].1;
        if let (true, Some(entry)) = (self.declared.iter().any(|(_, field)| field.default != first.default), entry.as_object_mut()) {
            entry.remove("default");
        }
    }
}

/// All keys, in the order of the schedulers.
fn keys(registry: &Registry) -> Vec<ClassKey> {
    let mut keys: Vec<ClassKey> = Vec::new();
    for (scheduler, class) in SchedulerPlan::with_classes(registry) {
        for field in class.fields {
            match keys.iter_mut().find(|known| field.has_key(&known.key)) {
                Some(known) => known.declared.push((scheduler, field)),
                None => keys.push(ClassKey { key: field.key(), declared: vec![(scheduler, field)] }),
            }
        }
    }
    keys
}
