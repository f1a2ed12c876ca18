//! Components from other crates: the declarations of a plug-in, and the list in which the scenario reader finds them.
//!
//! A component of a plug-in is a type that implements the trait of its kind (such as [`Discipline`](crate::discipline::Discipline)), with
//! parameters declared by [`parameters!`](crate::parameters!). [`Plugin::add`] gives it a scenario key. It is then read, checked, listed,
//! documented and run like the components of this crate.

mod custom;
mod plugin;

pub use custom::{Custom, OpenKind};
pub use plugin::{Declared, Plugin, INTERFACE};

use crate::parameters::{Entry, Reader};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The components of plug-ins, by kind and name.
#[derive(Clone, Default)]
pub struct Registry {
    components: Vec<Arc<Declared>>,
}

/// Reason why a plug-in cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryError {
    /// The plug-in was built for another version of this interface.
    Interface {
        /// The plug-in.
        plugin: String,
        /// Version that it was built for.
        built_for: u32,
    },
    /// Two components of a kind have the same name.
    TwoOfOneName {
        /// The plug-in.
        plugin: String,
        /// The kind.
        kind: &'static str,
        /// The name.
        name: &'static str,
    },
    /// A name is not a scenario key.
    NoKey {
        /// The plug-in.
        plugin: String,
        /// The kind.
        kind: &'static str,
        /// The name.
        name: &'static str,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistryError::Interface { plugin, built_for } => write!(
                f,
                "plug-in '{plugin}' was built for version {built_for} of the component interface, and this is version {INTERFACE}; \
                 build it again with this version of penstock-model"
            ),
            RegistryError::TwoOfOneName { plugin, kind, name } => {
                write!(f, "plug-in '{plugin}': there is a {kind} '{name}' already; give this one another name")
            }
            RegistryError::NoKey { plugin, kind, name } => write!(
                f,
                "plug-in '{plugin}': '{name}' is no name for a {kind}; write lower-case letters, digits and single hyphens, with a letter first"
            ),
        }
    }
}

impl std::error::Error for RegistryError {}

impl Registry {
    /// No components.
    pub const NONE: &'static Registry = &Registry { components: Vec::new() };

    /// Adds the components of a plug-in: all, or none after an error.
    ///
    /// # Errors
    /// If it was built for another version of the interface, or a component has an invalid or duplicate name.
    pub fn load(&mut self, plugin: Plugin) -> Result<(), RegistryError> {
        let name = plugin.name.to_owned();
        if plugin.interface != INTERFACE {
            return Err(RegistryError::Interface { plugin: name, built_for: plugin.interface });
        }
        let mut all = self.clone();
        for declared in plugin.components {
            let (kind, key) = (declared.kind, declared.entry.name);
            if !is_key(key) {
                return Err(RegistryError::NoKey { plugin: name, kind, name: key });
            }
            if declared.built_in.contains(&key) || all.find(kind, key).is_some() {
                return Err(RegistryError::TwoOfOneName { plugin: name, kind, name: key });
            }
            all.components.push(Arc::new(declared));
        }
        *self = all;
        Ok(())
    }

    /// Component of this kind and name; `None` if there is none.
    pub fn find(&self, kind: &str, name: &str) -> Option<&Declared> {
        self.components.iter().find(|it| it.kind == kind && it.entry.name == name).map(|it| &**it)
    }

    /// Catalogue entries of a kind, in the order in which they were added.
    pub fn entries<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.components.iter().filter(move |it| it.kind == kind).map(|it| &it.entry)
    }

    /// Names of the components of a kind: the built-in ones, listed in `built_in`, and the ones from plug-ins.
    pub fn names(&self, kind: &str, built_in: &[&'static str]) -> Vec<&'static str> {
        built_in.iter().copied().chain(self.entries(kind).map(|entry| entry.name)).collect()
    }

    /// Values of a kind that [`Plugin::add_value`] added, in that order.
    pub fn values<'a, V: Any>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a V> {
        self.components.iter().filter(move |it| it.kind == kind).filter_map(|it| it.value())
    }

    /// Reads the parameters of a component of a plug-in; `None` after a reported mistake or for an unknown name.
    pub fn read<K: OpenKind>(name: &str, reader: &mut dyn Reader) -> Option<Custom<K>> {
        let declared = reader.registry().components.iter().find(|it| it.kind == K::OF && it.entry.name == name).cloned()?;
        declared.read(reader)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.components.iter().map(|it| (it.kind, it.entry.name))).finish()
    }
}

/// Whether `name` is a valid key in a scenario.
fn is_key(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('-').all(is_word)
}

#[cfg(test)]
mod tests;
