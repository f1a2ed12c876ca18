//! What a component of a process may use of the process and of its surroundings during a visit.

use crate::kernel::journal::Journal;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;

/// The part of a process that all of its components share, and what leads out of it.
pub struct Context<'a, 'b> {
    /// The routes.
    pub routes: &'a Routes,
    /// Digest and trace of the process.
    pub record: &'a mut Journal,
    /// The inputs of other processes.
    pub outputs: &'a mut Outputs<'b>,
}
