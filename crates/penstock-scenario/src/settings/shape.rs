//! What may stand at a path of a scenario, from the declarations of its sections and components.

use crate::catalogue::sections::{KindEntry, SectionEntry, Takes, KINDS, SECTIONS};
use penstock_model::parameters::{Field, Kind};

/// What may stand at one place.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// A section.
    Section(&'static SectionEntry),
    /// Several of a section: a list, or a table under names that the author chooses.
    Sections(&'static SectionEntry),
    /// One component of a kind.
    Component(ComponentShape),
    /// Components of a kind, in the order written.
    Components(&'static KindEntry),
    /// The parameters of a component.
    Parameters(&'static [Field]),
    /// A value without keys of its own, or something unknown.
    Value,
}

/// How one component is written.
#[derive(Clone, Copy)]
pub(crate) struct ComponentShape {
    kind: &'static KindEntry,
    /// Keys that may stand next to the component's name.
    beside: &'static [Field],
    /// The name alone will do.
    pub by_name: bool,
}

impl ComponentShape {
    /// Whether a table of `key` and `other` has one component at most.
    pub fn may_stand_together(&self, key: &str, other: &str) -> bool {
        key == other || self.beside.iter().any(|field| [key, other].contains(&field.key().as_str()))
    }
}

impl Shape {
    /// The whole scenario.
    pub fn top() -> Shape {
        Shape::Section(&SECTIONS[0])
    }

    /// An entry of the list `key` at the top.
    pub fn entry(key: &str) -> Shape {
        Shape::top().below(key).one()
    }

    /// What may stand under `key`.
    pub fn below(self, key: &str) -> Shape {
        match self {
            Shape::Section(section) => match section.parts.iter().find(|part| part.key == key) {
                Some(part) => Shape::of_part(part.takes),
                None => Shape::of_field(section.fields, key),
            },
            Shape::Sections(section) => Shape::Section(section),
            Shape::Component(ComponentShape { kind, .. }) | Shape::Components(kind) => {
                kind.entries.iter().find(|entry| entry.name == key).map_or(Shape::Value, |entry| Shape::Parameters(entry.fields))
            }
            Shape::Parameters(fields) => Shape::of_field(fields, key),
            Shape::Value => Shape::Value,
        }
    }

    /// One of a list.
    pub fn one(self) -> Shape {
        match self {
            Shape::Sections(section) => Shape::Section(section),
            _ => Shape::Value,
        }
    }

    fn of_part(takes: Takes) -> Shape {
        match takes {
            Takes::OneOf(of) => Shape::Component(ComponentShape { kind: kind(of), beside: &[], by_name: false }),
            Takes::OneOfBeside(of, beside) => {
                Shape::Component(ComponentShape { kind: kind(of), beside: section(beside).fields, by_name: false })
            }
            Takes::Several(of) => Shape::Components(kind(of)),
            Takes::Table(name) => Shape::Section(section(name)),
            Takes::List(name) | Takes::Named(name) => Shape::Sections(section(name)),
        }
    }

    fn of_field(fields: &'static [Field], key: &str) -> Shape {
        match fields.iter().find(|field| field.key() == key).map(|field| field.kind) {
            Some(Kind::Component { of, .. }) => Shape::Component(ComponentShape { kind: kind(of), beside: &[], by_name: true }),
            _ => Shape::Value,
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

    fn at(path: &str) -> Shape {
        path.split('.').fold(Shape::top(), Shape::below)
    }

    #[test]
    fn components_are_found_where_sections_take_them() {
        for path in
            ["links.a.queue", "links.a.class.voice.queue", "flows.f.transport", "calls.c.admission", "links.a.class.b.class.c.scheduler"]
        {
            assert!(matches!(at(path), Shape::Component(_)), "{path}");
        }
        assert!(matches!(at("links.a.impairment"), Shape::Components(_)));
        assert!(matches!(at("links.a.queue.red"), Shape::Parameters(_)));
        for path in ["duration", "nodes.queue.count", "links.a.queue.red.limit", "links.a.class.queue.weight", "nonsense.queue"] {
            assert!(matches!(at(path), Shape::Value), "{path}");
        }
        assert!(matches!(at("links.a.class.queue"), Shape::Section(_)), "a class may be called so");
    }

    #[test]
    fn a_marker_keeps_the_key_beside_it() {
        let Shape::Component(marker) = at("links.a.marker") else { panic!("a marker is a component") };
        assert!(marker.may_stand_together("at", "rbm") && marker.may_stand_together("rbm", "at"));
        assert!(!marker.may_stand_together("token-bucket", "rbm"));
    }
}
