//! The schema of a scenario by path, from the declarations of its sections and components.

use crate::catalogue::kinds::{KindEntry, KINDS};
use crate::catalogue::sections::{PartContent, SectionEntry, SECTIONS};
use penstock_model::parameters::{Field, Kind};
use penstock_model::registry::Registry;
use penstock_model::scheduler::SchedulerPlan;

/// The syntax allowed at one path.
#[derive(Clone, Copy)]
pub(crate) enum PathSchema {
    /// A section.
    Section(&'static SectionEntry),
    /// Several tables of a section: a list, or a table under names that the author chooses.
    Sections(&'static SectionEntry),
    /// One component of a kind.
    Component(ComponentSyntax),
    /// Components of a kind, in the order written.
    Components(&'static KindEntry),
    /// The parameters of a component.
    Parameters(&'static [Field]),
    /// A value without keys of its own, or something unknown.
    Value,
}

/// The syntax of one component.
#[derive(Clone, Copy)]
pub(crate) struct ComponentSyntax {
    kind: &'static KindEntry,
    /// Keys that may be next to the component's name.
    beside: &'static [Field],
    /// Whether the name alone is enough.
    pub by_name: bool,
}

impl ComponentSyntax {
    /// Whether a table with `key` and `other` names at most one component.
    pub fn may_stand_together(&self, key: &str, other: &str) -> bool {
        key == other || self.beside.iter().any(|field| [key, other].contains(&field.key().as_str()))
    }
}

impl PathSchema {
    /// The whole scenario.
    pub fn top() -> PathSchema {
        PathSchema::Section(&SECTIONS[0])
    }

    /// An entry of the list `key` at the top.
    pub fn entry(key: &str) -> PathSchema {
        PathSchema::top().below(key).one()
    }

    /// The schema of `key`.
    pub fn below(self, key: &str) -> PathSchema {
        match self {
            PathSchema::Section(section) => match section.parts.iter().find(|part| part.key == key) {
                Some(part) => PathSchema::of_part(part.takes),
                None if section.name == "class" => {
                    let declared = SchedulerPlan::with_classes(Registry::NONE).map(|(_, class)| class.fields);
                    declared
                        .map(|fields| PathSchema::of_field(fields, key))
                        .find(|found| !matches!(found, PathSchema::Value))
                        .unwrap_or(PathSchema::Value)
                }
                None => PathSchema::of_field(section.fields, key),
            },
            PathSchema::Sections(section) => PathSchema::Section(section),
            PathSchema::Component(ComponentSyntax { kind, .. }) | PathSchema::Components(kind) => {
                kind.entries.iter().find(|entry| entry.name == key).map_or(PathSchema::Value, |entry| PathSchema::Parameters(entry.fields))
            }
            PathSchema::Parameters(fields) => PathSchema::of_field(fields, key),
            PathSchema::Value => PathSchema::Value,
        }
    }

    /// The schema of one entry of a list.
    pub fn one(self) -> PathSchema {
        match self {
            PathSchema::Sections(section) => PathSchema::Section(section),
            _ => PathSchema::Value,
        }
    }

    fn of_part(takes: PartContent) -> PathSchema {
        match takes {
            PartContent::OneOf(of) => PathSchema::Component(ComponentSyntax { kind: kind(of), beside: &[], by_name: false }),
            PartContent::OneOfBeside(of, beside) => {
                PathSchema::Component(ComponentSyntax { kind: kind(of), beside: section(beside).fields, by_name: false })
            }
            PartContent::Several(of) => PathSchema::Components(kind(of)),
            PartContent::Table(name) => PathSchema::Section(section(name)),
            PartContent::List(name) | PartContent::ListOrTable(name, _) | PartContent::Named(name) => PathSchema::Sections(section(name)),
        }
    }

    fn of_field(fields: &'static [Field], key: &str) -> PathSchema {
        match fields.iter().find(|field| field.key() == key).map(|field| field.kind) {
            Some(Kind::Table(name)) => PathSchema::Section(section(name)),
            Some(Kind::Component { of, .. }) => PathSchema::Component(ComponentSyntax { kind: kind(of), beside: &[], by_name: true }),
            _ => PathSchema::Value,
        }
    }
}

fn kind(name: &str) -> &'static KindEntry {
    KINDS.iter().find(|kind| kind.kind == name).expect("a declared kind")
}

fn section(name: &str) -> &'static SectionEntry {
    SECTIONS.iter().find(|section| section.name == name).expect("a declared section")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> PathSchema {
        path.split('.').fold(PathSchema::top(), PathSchema::below)
    }

    #[test]
    fn components_are_found_where_sections_take_them() {
        for path in
            ["links.a.queue", "links.a.class.voice.queue", "flows.f.transport", "calls.c.admission", "links.a.class.b.class.c.scheduler"]
        {
            assert!(matches!(at(path), PathSchema::Component(_)), "{path}");
        }
        assert!(matches!(at("links.a.impairment"), PathSchema::Components(_)));
        assert!(matches!(at("links.a.queue.red"), PathSchema::Parameters(_)));
        for path in ["duration", "nodes.queue.count", "links.a.queue.red.limit", "links.a.class.queue.weight", "nonsense.queue"] {
            assert!(matches!(at(path), PathSchema::Value), "{path}");
        }
        assert!(matches!(at("links.a.class.queue"), PathSchema::Section(_)), "a class may be called so");
    }

    #[test]
    fn a_marker_keeps_the_key_beside_it() {
        let PathSchema::Component(marker) = at("links.a.marker") else { panic!("a marker is a component") };
        assert!(marker.may_stand_together("at", "rbm") && marker.may_stand_together("rbm", "at"));
        assert!(!marker.may_stand_together("token-bucket", "rbm"));
    }
}
