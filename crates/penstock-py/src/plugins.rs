//! The components of plug-ins in this core.

use penstock_model::registry::{Plugin, Registry};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use std::sync::OnceLock;

static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// The components of plug-ins; they do not change while the core is loaded.
pub(crate) fn registry() -> &'static Registry {
    REGISTRY.get().unwrap_or(Registry::NONE)
}

/// Adds the components of these plug-ins, once.
pub(crate) fn add(plugins: Vec<Plugin>) -> PyResult<()> {
    let mut registry = Registry::default();
    for plugin in plugins {
        registry.load(plugin).map_err(|error| PyImportError::new_err(error.to_string()))?;
    }
    REGISTRY.set(registry).map_err(|_| PyImportError::new_err("there is a core with plug-ins already"))
}
