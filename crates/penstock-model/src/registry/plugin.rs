//! Declarations of a plug-in.

use super::custom::{Custom, Factory, OpenKind};
use crate::parameters::{AnyParameters, Entry, Parameters, Reader};
use crate::probe::Variable;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Version of the interface between Penstock and plug-ins: the traits of all kinds and their arguments.
pub const INTERFACE: u32 = 2;

/// Components that a crate adds.
pub struct Plugin {
    pub(super) name: &'static str,
    pub(super) interface: u32,
    pub(super) components: Vec<Declared>,
    source: Option<&'static str>,
}

/// A component that a plug-in declares.
pub struct Declared {
    pub(super) kind: &'static str,
    pub(super) built_in: &'static [&'static str],
    /// Entry in the catalogue.
    pub entry: Entry,
    /// Source text that identifies the component in the names of stored runs. `None` if runs with it are not stored.
    pub source: Option<&'static str>,
    /// A `Read<K>` of its kind, or the value passed to [`Plugin::add_value`].
    content: Box<dyn Any + Send + Sync>,
}

type Read<K> = Box<dyn Fn(&mut dyn Reader) -> Option<Custom<K>> + Send + Sync>;

impl Plugin {
    /// A plug-in called `name` in messages, built for version `interface`: [`INTERFACE`] of the `penstock-model` that it was built with.
    ///
    /// `source` is the source text of all code that affects its components (`concat!` of `include_str!`). It is part of the
    /// names of stored runs, so that a changed source causes new runs. Without it, runs with these components are not stored.
    pub fn new(name: &'static str, interface: u32, source: Option<&'static str>) -> Plugin {
        Plugin { name, interface, components: Vec::new(), source }
    }

    /// Adds the component `name` with parameters `P`, which reports `state`. `factory` builds it at each site where it is used.
    ///
    /// The factory is tried when a scenario is read, and its errors are reported at the position of the component.
    pub fn add<K, P>(
        self,
        name: &'static str,
        state: &'static [Variable],
        factory: impl for<'a> Fn(&P, &K::Context<'a>) -> Result<K::Component, String> + Send + Sync + 'static,
    ) -> Plugin
    where
        K: OpenKind,
        P: Parameters + fmt::Debug + Send + Sync + 'static,
    {
        let entry = Entry { name, doc: P::DOC, fields: P::FIELDS, state, class: P::CLASS, profiles: P::PROFILES };
        self.add_read(entry, |reader| P::read(reader).map(Arc::new), AnyParameters::shared, factory)
    }

    /// Adds the component of `entry`, whose parameters may be known only at run time: `read` reads them, and `erase` declares them to the
    /// rest of the program. `factory` is as in [`Plugin::add`].
    pub fn add_read<K, P>(
        mut self,
        entry: Entry,
        read: impl Fn(&mut dyn Reader) -> Option<Arc<P>> + Send + Sync + 'static,
        erase: impl Fn(Arc<P>) -> AnyParameters + Send + Sync + 'static,
        factory: impl for<'a> Fn(&P, &K::Context<'a>) -> Result<K::Component, String> + Send + Sync + 'static,
    ) -> Plugin
    where
        K: OpenKind,
        P: Send + Sync + 'static,
    {
        let (name, factory) = (entry.name, Arc::new(factory));
        let read: Read<K> = Box::new(move |reader| {
            let parameters = read(reader)?;
            let (own, factory) = (Arc::clone(&parameters), Arc::clone(&factory));
            let custom = Custom::new(name, erase(parameters), shared::<K>(move |context| factory(&own, context)));
            match K::on_trial(|context| custom.try_build(context).err()) {
                None => Some(custom),
                Some(message) => {
                    reader.mistake("", message);
                    None
                }
            }
        });
        self.declare(K::OF, K::BUILT_IN, entry, Box::new(read));
        self
    }

    /// Adds `value` as the component of `entry`, of a kind without parameters whose trait is in another crate, such as a metric.
    ///
    /// `built_in` are the names of the components of that crate.
    pub fn add_value<V: Any + Send + Sync>(
        mut self,
        kind: &'static str,
        built_in: &'static [&'static str],
        entry: Entry,
        value: V,
    ) -> Plugin {
        self.declare(kind, built_in, entry, Box::new(value));
        self
    }

    fn declare(&mut self, kind: &'static str, built_in: &'static [&'static str], entry: Entry, content: Box<dyn Any + Send + Sync>) {
        self.components.push(Declared { kind, built_in, entry, source: self.source, content });
    }
}

/// Shares a factory between plans. The closure is an argument so that it is generic in the lifetime.
fn shared<K: OpenKind>(
    factory: impl for<'a> Fn(&K::Context<'a>) -> Result<K::Component, String> + Send + Sync + 'static,
) -> Arc<Factory<K>> {
    Arc::new(factory)
}

impl Declared {
    /// Reads the parameters that a scenario gives the component; `None` after a reported mistake.
    ///
    /// # Panics
    /// If the component is of another kind.
    pub(super) fn read<K: OpenKind>(&self, reader: &mut dyn Reader) -> Option<Custom<K>> {
        let read = self.content.downcast_ref::<Read<K>>().expect("found by its kind");
        read(reader)
    }

    /// The value passed to [`Plugin::add_value`]; `None` if it has another type.
    pub(super) fn value<V: Any>(&self) -> Option<&V> {
        self.content.downcast_ref()
    }
}
