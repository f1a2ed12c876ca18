//! The contract between processes and the executor.

use crate::kernel::compact_ports::{CompactPort, CompactPortKind, Forwarded};
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::journal::Window;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use penstock_model::id::{FlowId, ProcessId};
use penstock_model::units::Time;

/// How many stages [`LogicalProcess::prefetch`] has, from 0 on: the process and the slots of the flow; its host and its first port; the
/// endpoint, and where a packet is put to be sent; the hop at which what the endpoint sends arrives.
pub const PREFETCH_STAGES: usize = 4;

/// A logical process: state that only its own events change. The executor decides when it runs, and how far.
pub trait LogicalProcess {
    /// When the next event is due, given what is on its way here.
    fn next(&self, inputs: &Inputs) -> Time;

    /// Handles all events up to and including `until`, or up to an earlier instant if there are very many; returns when the next
    /// one is due, and how many were handled.
    fn run(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> (Time, u64);

    /// Asks for the memory that a visit needs, in a window in which `last` is the last packet that arrives, if any does. What is found
    /// by way of something else comes in a later stage, of [`PREFETCH_STAGES`].
    fn prefetch(&self, stage: usize, last: Option<&Arrival>, routes: &Routes);

    /// Lends what every packet changes, if the process is a port that has nothing to do but forward packets, on which messages have no
    /// effect. Until that is given back, nothing else may be done with it, but [`LogicalProcess::count_lent`].
    fn lend_port(&mut self) -> Option<(CompactPort, CompactPortKind, Window)>;

    /// Takes back what was lent.
    fn take_back_port(&mut self, port: &CompactPort);

    /// Counts an arrival that is not just sent on, while the port is lent; returns when it arrives at the far end, if it does.
    fn count_lent(&mut self, arrival: &Arrival, outcome: Forwarded) -> Option<Time>;

    /// Earliest start of the next transmission.
    fn free_at(&self) -> Time;

    /// For a process that only receives answers: it sends nothing before this that causes one. [`Time::ZERO`] for all others.
    /// `silent_before` is [`LogicalProcess::silent_before_packet`] of another process, as far as that is known.
    fn quiet_until(&self, silent_before: impl Fn(ProcessId, FlowId) -> Option<u32>) -> Time;

    /// Nothing is sent to the sender of `flow`, which ends here, before so many of its packets have arrived in all, modulo 2^32; `None`
    /// where something else may cause it.
    fn silent_before_packet(&self, flow: FlowId, routes: &Routes) -> Option<u32>;

    /// Whatever arrives from `now` on, the process sends nothing before this, as where a measurement has to end first.
    /// [`Time::ZERO`] where that is never later than `now`.
    fn silent_until(&self, now: Time) -> Time;
}
