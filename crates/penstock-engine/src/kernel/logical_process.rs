//! The contract between processes and the executor.

use crate::kernel::inputs::Inputs;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use penstock_model::units::Time;

/// A logical process: state that only its own events change. The executor decides when it runs, and how far.
pub trait LogicalProcess {
    /// When the next event is due, given what is on its way here.
    fn next(&self, inputs: &Inputs) -> Time;

    /// Handles all events up to and including `until`, or up to an earlier instant if there are very many; returns when the next
    /// one is due, and how many were handled.
    fn run(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> (Time, u64);

    /// Reads what a visit needs first, so that what several visits need comes out of memory at one time; returns something that depends
    /// on all of it.
    fn touch(&self) -> u64;

    /// Earliest start of the next transmission.
    fn free_at(&self) -> Time;

    /// For a process that only receives answers: it sends nothing before this, so it causes no arrival before.
    /// [`Time::ZERO`] for all others.
    fn quiet_until(&self) -> Time;
}
