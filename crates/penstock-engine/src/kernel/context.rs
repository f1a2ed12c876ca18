//! The context of a component during a visit to its process: routes, journal, outputs.

use crate::kernel::journal::Journal;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;

/// Data that all components of a process share during a visit: the routes, its journal and its outputs.
pub struct Context<'a, 'b> {
    /// The routes.
    pub routes: &'a Routes,
    /// Digest and trace of the process.
    pub record: &'a mut Journal,
    /// The inputs of other processes.
    pub outputs: &'a mut Outputs<'b>,
}
