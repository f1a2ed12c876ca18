//! Entries of `[[links]]` and `[[flows]]` as they are written, whose parameters are set while a run goes on.

use crate::catalogue::kinds::KINDS;
use crate::network::links::read_port;
use crate::network::parameter_changes::{set, Changeable, FLOWS, LINK};
use crate::read::files::ReadOptions;
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::section::Section;
use crate::read::tree::{parse_setting_value, toml_error, Item, Tree};
use penstock_engine::blueprint::PortPlan;
use penstock_model::parameters::Reading;
use penstock_model::printable::{quoted, shortened};
use penstock_model::registry::Registry;
use penstock_model::transport::TransportPlan;

/// An entry of `[[links]]` or `[[flows]]`.
#[derive(Clone, Debug)]
pub(crate) struct WrittenEntry {
    /// Its table.
    pub tree: Tree,
    /// The kind of entity that it describes.
    pub kind: EntryKind,
}

/// The kind of entity that an entry describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// Links in the direction that is written.
    Link,
    /// Their way back.
    Reverse,
    /// A group of flows.
    Flows,
}

/// The plan of an entry after a change.
pub(crate) enum Changed {
    /// The port of its links.
    Port(Box<PortPlan>),
    /// The transport of its flows.
    Transport(Box<TransportPlan>),
}

impl WrittenEntry {
    /// Returns the entry with `value` at `path`, and the plan that it then describes, given the names of all `classes`.
    ///
    /// # Errors
    /// The mistake in the path or the value.
    pub fn with(&self, path: &str, value: &str, classes: &[String], options: &ReadOptions) -> Result<(WrittenEntry, Changed), String> {
        let mistakes = Mistakes::new("", Vec::new(), options.clone());
        if let (Some(error), true) = (toml_error(value), value.starts_with(['{', '['])) {
            return Err(format!("{} is not TOML: {error}", shortened(value, 60)));
        }
        let value = parse_setting_value(value, SourceLocation::Whole, &mistakes);
        let mut entry = self.clone();
        let table = match (&mut entry.tree.item, self.kind) {
            (Item::Table(entries), EntryKind::Reverse) => entries.iter_mut().find(|it| it.key == "back").map(|it| &mut it.tree.item),
            (_, EntryKind::Link | EntryKind::Flows) => Some(&mut entry.tree.item),
            _ => None,
        };
        let Some(Item::Table(table)) = table else {
            return Err(format!("{} is not written, since the way back has no table 'back'", quoted(path)));
        };
        set(table, self.changeable(), path, &value)?;
        let changed = Section::new(&mistakes, String::new(), SourceLocation::Whole, &entry.tree).and_then(|mut section| match self.kind {
            EntryKind::Flows => match section.one_of::<TransportPlan>("transport", "transport", &[]) {
                Reading::Given(transport) => Some(Changed::Transport(Box::new(transport))),
                _ => None,
            },
            EntryKind::Link | EntryKind::Reverse => {
                let port = read_port(&mut section, self.kind == EntryKind::Reverse)?;
                Some(Changed::Port(Box::new(port.finish(classes))))
            }
        });
        match changed {
            Some(changed) if mistakes.is_empty() => Ok((entry, changed)),
            _ => {
                if let Some(key) = fixed_parameter(path, &options.registry) {
                    return Err(format!("{} cannot be changed during a run", quoted(key)));
                }
                let found = mistakes.sorted();
                // A value that cannot be read has no path.
                let of = |path: String| if path.is_empty() { path } else { format!("{path}: ") };
                let told: Vec<String> = found.into_iter().map(|it| of(it.path) + &it.message).collect();
                Err(told.join("; "))
            }
        }
    }

    fn changeable(&self) -> &'static Changeable {
        if self.kind == EntryKind::Flows {
            &FLOWS
        } else {
            &LINK
        }
    }
}

/// The key of a parameter that cannot change during a run, if `path` names one, such as `queue.red.limit`.
fn fixed_parameter<'a>(path: &'a str, registry: &Registry) -> Option<&'a str> {
    let (parents, key) = path.rsplit_once('.')?;
    let component = parents.rsplit('.').next()?;
    let entries = KINDS.iter().flat_map(|kind| kind.all(registry)).filter(|entry| entry.name == component);
    let fields: Vec<_> = entries.flat_map(|entry| entry.fields).filter(|field| field.has_key(key)).collect();
    (!fields.is_empty() && fields.iter().all(|field| !field.is_changeable)).then_some(key)
}
