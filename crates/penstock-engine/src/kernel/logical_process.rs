//! The contract between processes and the executor.

use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use penstock_model::id::ProcessId;
use penstock_model::units::Time;

/// A logical process: state that only its own events and arrivals change. The executor decides when it runs, and how far.
pub trait LogicalProcess {
    /// Returns the time of the next event, given the arrivals in flight to the process.
    fn next(&self, inputs: &Inputs) -> Time;

    /// Returns the earliest output times of a process that has handled all its events before `now`, whatever arrives from then on. If
    /// `receiver` is given, only output to it counts. `peer` returns a process of the same core to read: it knows which answers it
    /// sends to this process alone.
    fn eot<'a>(
        &self,
        now: Time,
        receiver: Option<ProcessId>,
        peer: impl Fn(ProcessId) -> Option<&'a Self>,
        routes: &Routes,
    ) -> EarliestOutput
    where
        Self: 'a;

    /// Handles all events up to and including `until`, or up to an earlier instant if there are very many. Returns the time of the next
    /// event, and the number of events handled.
    fn run(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> (Time, u64);
}

/// Earliest output times (EOT): lower bounds on the start of any transmission that has not begun yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct EarliestOutput {
    /// Bound for all output; [`Time::ZERO`] if no bound is known beyond the next event.
    pub of_all: Time,
    /// Bound for output that causes an answer, at a process that receives only answers; [`Time::ZERO`] at all other processes.
    pub of_requests: Time,
    /// Whether the bound may be later for some receivers than for others.
    pub differs_by_receiver: bool,
}

/// Number of stages of [`WindowProcess::prefetch`], from 0 on: the process and the slots of the flow; its host and its first port; the
/// endpoint, and the slot for a packet to be sent; the hop at which the packets of the endpoint arrive.
pub const PREFETCH_STAGES: usize = 4;

/// A process with fast paths for windows, where each of very many processes has few events.
pub trait WindowProcess: LogicalProcess {
    /// Returns whether it is a hot port. A hot port only forwards packets, each on its arrival, by a tail-drop FIFO at a constant rate,
    /// so [`WindowProcess::forward`] handles all its events.
    fn is_hot_port(&self) -> bool;

    /// Handles the arrival of a packet at a hot port; returns its arrival time at the far end, or `None` if it does not arrive there.
    fn forward(&mut self, arrival: &Arrival) -> Option<Time>;

    /// Prefetches the memory that [`WindowProcess::forward`] needs, in two stages from 0 on: the process with its port, the queue.
    fn prefetch_port(&self, stage: usize);

    /// Prefetches the memory that a visit needs, in one of [`PREFETCH_STAGES`] stages. `last` is an arrival of the window at this
    /// process, if there is one. Memory found through a pointer in other memory comes in a later stage.
    fn prefetch(&self, stage: usize, last: Option<&Arrival>, routes: &Routes);
}
