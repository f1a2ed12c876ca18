//! The contract between processes and the executor.

use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use penstock_model::id::ProcessId;
use penstock_model::units::Time;

/// A logical process: state that only its own events and arrivals change. The executor decides when it runs, and how far.
pub trait LogicalProcess {
    /// When the next event is due, given the arrivals in flight to it.
    fn next(&self, inputs: &Inputs) -> Time;

    /// The earliest output times of a process that has handled everything before `now`, whatever arrives from then on; only of what it
    /// sends to `receiver`, if one is given. A `peer` that belongs to the same core may be read: what it answers to this process alone
    /// is known there.
    fn eot<'a>(
        &self,
        now: Time,
        receiver: Option<ProcessId>,
        peer: impl Fn(ProcessId) -> Option<&'a Self>,
        routes: &Routes,
    ) -> EarliestOutput
    where
        Self: 'a;

    /// Handles all events up to and including `until`, or up to an earlier instant if there are very many; returns when the next
    /// one is due, and how many were handled.
    fn run(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> (Time, u64);
}

/// Earliest output times (EOT): nothing that has not been sent yet begins its transmission before.
#[derive(Clone, Copy, Debug, Default)]
pub struct EarliestOutput {
    /// Of anything; [`Time::ZERO`] where nothing is known beyond the next event.
    pub of_all: Time,
    /// Of a process that receives only answers: of what causes one. [`Time::ZERO`] for all others.
    pub of_requests: Time,
    /// Whether it may be later for some receivers than for others.
    pub differs_by_receiver: bool,
}

/// How many stages [`WindowProcess::prefetch`] has, from 0 on: the process and the slots of the flow; its host and its first port; the
/// endpoint, and where a packet is put to be sent; the hop at which what the endpoint sends arrives.
pub const PREFETCH_STAGES: usize = 4;

/// What saves time in windows, where each of very many processes has little to do.
pub trait WindowProcess: LogicalProcess {
    /// Whether it is a hot port: all it does is forward packets, each on its arrival, by a tail-drop FIFO at a constant rate, so that
    /// [`WindowProcess::forward`] is all it needs.
    fn is_hot_port(&self) -> bool;

    /// Handles the arrival of a packet at a hot port; returns when it arrives at the far end, if it does.
    fn forward(&mut self, arrival: &Arrival) -> Option<Time>;

    /// Asks for the memory that [`WindowProcess::forward`] needs, in two stages from 0 on: the process with its port, the queue.
    fn prefetch_port(&self, stage: usize);

    /// Asks for the memory that a visit needs, in a window in which `last` is the last packet that arrives, if any does. What is found
    /// by way of something else comes in a later stage, of [`PREFETCH_STAGES`].
    fn prefetch(&self, stage: usize, last: Option<&Arrival>, routes: &Routes);
}
