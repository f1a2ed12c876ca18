//! The components of plug-ins that a scenario uses.

use penstock_model::registry::Registry;
use sha2::{Digest, Sha256};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

/// The components of plug-ins, and which of them the scenario uses.
#[derive(Debug)]
pub(crate) struct Components {
    of_plugins: Registry,
    /// These and the components of the file that the scenario uses, once it has been read.
    with_used_file: OnceCell<Registry>,
    used: RefCell<BTreeMap<String, Option<String>>>,
}

impl Components {
    /// Components of these plug-ins, none of them used so far.
    pub fn new(registry: Registry) -> Components {
        Components { of_plugins: registry, with_used_file: OnceCell::new(), used: RefCell::default() }
    }

    /// All components.
    pub fn registry(&self) -> &Registry {
        self.with_used_file.get().unwrap_or(&self.of_plugins)
    }

    /// Adds the components of the file that the scenario uses, once.
    pub fn add(&self, registry: Registry) {
        self.with_used_file.set(registry).expect("a scenario uses one file");
    }

    /// Records that the scenario has the component of this kind and name.
    pub fn note(&self, kind: &str, name: &str) {
        if let Some(declared) = self.registry().find(kind, name) {
            let digest = |text: &str| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
            self.used.borrow_mut().insert(format!("{kind}.{name}"), declared.source.map(digest));
        }
    }

    /// The used plug-in components, as `KIND.NAME`, with the digests of their sources; `None` for components without a source.
    pub fn used(&self) -> BTreeMap<String, Option<String>> {
        self.used.borrow().clone()
    }
}
