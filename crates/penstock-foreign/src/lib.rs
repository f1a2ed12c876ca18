//! Components behind C functions: a user writes the hooks of a mechanism, and this crate calls them as a component of the engine.
//!
//! A [`Declaration`] has what [`parameters!`](penstock_model::parameters!) and [`state!`](penstock_model::state!) declare of a
//! built-in component, as values, and the address of the compiled function of each hook. [`Components`] makes a plug-in of them.
//!
//! All data that a hook sees are words of 64 bits: the component's own (random streams, parameters, state), and up to two views, such as
//! of a packet and of a queue, in which it may write some fields. A hook answers with a number; the minimum is a fault, which ends the
//! run ([`Fault`]).

mod checkpoint;
mod congestion_control;
mod declaration;
mod discipline;
mod fault;
pub mod functions;
mod hook;
mod kind;
mod kinds;
mod meter;
mod metric;
mod parameters;
mod record;
mod scheduler;
mod source;
mod views;
mod words;

pub use declaration::{Declaration, StateDeclaration};
pub use fault::Fault;
pub use kinds::views;
pub use parameters::{ParameterDeclaration, PARAMETER_KINDS};
pub use views::{Layout, ViewField};

use declaration::Component;
use hook::leak;
use kinds::kind;
use penstock_model::registry::{Plugin, INTERFACE};
use std::sync::Arc;

/// The components of a file.
#[derive(Clone)]
pub struct Components {
    file: &'static str,
    identity: &'static str,
    components: Vec<Arc<Component>>,
}

impl Components {
    /// The components that `declarations` describe. `file` is the name of their file, `identity` identifies its text and its compiler.
    ///
    /// The addresses in the declarations must belong to functions of the type that [`record`](crate) calls, which stay in memory until
    /// the process ends.
    ///
    /// # Errors
    /// If a declaration is invalid; the message names the component and the allowed values.
    pub fn new(file: &str, identity: &str, declarations: Vec<Declaration>) -> Result<Components, String> {
        let (file, identity) = (leak(file), leak(identity));
        for it in &declarations {
            kind(&it.kind).map_err(|message| format!("{}: {message}", it.name))?;
        }
        let components = declarations.into_iter().map(|it| Component::new(it, file, identity)).collect::<Result<_, String>>()?;
        Ok(Components { file, identity, components })
    }

    /// A plug-in with these components.
    pub fn plugin(&self) -> Plugin {
        let empty = Plugin::new(self.file, INTERFACE, Some(self.identity));
        let add = |plugin, component: &Arc<Component>| {
            let kind = kind(component.kind).expect("`new` has looked for it");
            (kind.add)(plugin, Arc::clone(component))
        };
        self.components.iter().fold(empty, add)
    }
}
