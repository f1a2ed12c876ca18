//! A component of a plug-in, with the parameters that a scenario gives it.

use crate::parameters::{AnyParameters, ChangeError, Field};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A kind of component that plug-ins can add to.
pub trait OpenKind: 'static {
    /// Name of the kind in messages and in the catalogue, such as `congestion-control`.
    const OF: &'static str;
    /// Components of this crate, whose names no plug-in may use.
    const BUILT_IN: &'static [&'static str];
    /// Properties of the site from which a component is built.
    type Context<'a>;
    /// A running component.
    type Component;

    /// Calls `build` with a context for no particular site, to check whether a factory accepts its parameters.
    fn on_trial<T>(build: impl FnOnce(&Self::Context<'_>) -> T) -> T;
}

/// Builds a running component.
pub(super) type Factory<K> = dyn for<'a> Fn(&<K as OpenKind>::Context<'a>) -> Result<<K as OpenKind>::Component, String> + Send + Sync;

/// A component of a plug-in with its parameters, as a scenario gives it.
pub struct Custom<K: OpenKind> {
    name: &'static str,
    parameters: AnyParameters,
    factory: Arc<Factory<K>>,
}

impl<K: OpenKind> Custom<K> {
    /// The component called `name`, which `factory` builds with these parameters.
    pub(super) fn new(name: &'static str, parameters: AnyParameters, factory: Arc<Factory<K>>) -> Custom<K> {
        Custom { name, parameters, factory }
    }

    /// The scenario key.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Parameters in the type that the component declares.
    pub fn own_parameters(&self) -> &dyn Any {
        self.parameters.values()
    }

    /// Declarations of the parameters.
    pub fn fields(&self) -> &'static [Field] {
        self.parameters.fields()
    }

    /// Checks that a running component can change from these parameters to the ones in `other`, which has the same name.
    ///
    /// # Errors
    /// If a parameter that is not changeable differs.
    pub fn check_change(&self, other: &Custom<K>) -> Result<(), ChangeError> {
        self.parameters.check_change(&other.parameters)
    }

    /// Builds the component for the site that `context` describes.
    ///
    /// # Errors
    /// The reason given by the plug-in's factory.
    pub fn try_build(&self, context: &K::Context<'_>) -> Result<K::Component, String> {
        (self.factory)(context).map_err(|message| format!("the factory of {} '{}' failed: {message}", K::OF, self.name))
    }

    /// Builds the component for the site that `context` describes.
    ///
    /// # Panics
    /// If the factory of the plug-in fails here, although it did not when the scenario was read.
    pub fn build(&self, context: &K::Context<'_>) -> K::Component {
        self.try_build(context).unwrap_or_else(|message| panic!("{message}"))
    }
}

impl<K: OpenKind> Clone for Custom<K> {
    fn clone(&self) -> Custom<K> {
        Custom { name: self.name, parameters: self.parameters.clone(), factory: Arc::clone(&self.factory) }
    }
}

impl<K: OpenKind> PartialEq for Custom<K> {
    fn eq(&self, other: &Custom<K>) -> bool {
        (self.name, &self.parameters) == (other.name, &other.parameters)
    }
}

impl<K: OpenKind> fmt::Debug for Custom<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.parameters)
    }
}
