//! The kinds of components that users write.

use crate::declaration::Component;
use crate::views::{Layout, Packet, View};
use crate::{congestion_control, discipline};
use penstock_model::registry::Plugin;
use std::sync::Arc;

/// A kind: a file of this crate calls its hooks, and has the views that they see.
pub(crate) struct Kind {
    /// Its name, as in `@own.discipline`.
    pub name: &'static str,
    /// The views of its hooks, except views that several kinds share.
    pub views: &'static [Layout],
    /// Adds a component of it to a plug-in.
    pub add: fn(Plugin, Arc<Component>) -> Plugin,
}

/// All kinds.
pub(crate) static KINDS: &[Kind] = &[discipline::KIND, congestion_control::KIND];

/// The kind of this name.
///
/// # Errors
/// If there is none.
pub(crate) fn kind(name: &str) -> Result<&'static Kind, String> {
    let names = || KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("there is no kind '{name}'; one of {}", names()))
}

/// The layouts of all views.
pub fn views() -> Vec<Layout> {
    let shared = [Packet::LAYOUT];
    shared.into_iter().chain(KINDS.iter().flat_map(|kind| kind.views.iter().copied())).collect()
}
