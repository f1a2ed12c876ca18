//! A kind of components that users write.

use crate::declaration::Component;
use crate::views::Layout;
use penstock_model::registry::Plugin;
use std::sync::Arc;

/// A kind: a file of this crate calls its hooks, and has the views that they see.
pub(crate) struct Kind {
    /// Its name, as in `@own.discipline`.
    pub name: &'static str,
    /// The views of its hooks that no other kind has.
    pub views: &'static [Layout],
    /// Adds a component of it to a plug-in.
    pub add: fn(Plugin, Arc<Component>) -> Plugin,
}
