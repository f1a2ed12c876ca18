//! The list of kinds.

use crate::kind::Kind;
use crate::views::{Layout, Packet, View};
use crate::{congestion_control, discipline, meter, metric, scheduler, source};

/// All kinds.
pub(crate) static KINDS: &[Kind] = &[discipline::KIND, congestion_control::KIND, meter::KIND, metric::KIND, scheduler::KIND, source::KIND];

/// The kind of this name.
///
/// # Errors
/// If no kind has this name.
pub(crate) fn kind(name: &str) -> Result<&'static Kind, String> {
    let names = || KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("there is no kind '{name}'; one of {}", names()))
}

/// The layouts of all views.
pub fn views() -> Vec<Layout> {
    let shared = [Packet::LAYOUT];
    shared.into_iter().chain(KINDS.iter().flat_map(|kind| kind.views.iter().copied())).collect()
}
