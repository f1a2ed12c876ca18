//! A shard: processes that are run in turn, all of the network's or those of one core.

use crate::executor::sequencer::Sequencer;
use crate::kernel::event::TrainPacket;
use crate::kernel::inputs::Inputs;
use crate::kernel::logical_process::LogicalProcess;
use crate::kernel::outbox::{Outbox, OutboxBatch};
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use penstock_model::units::Time;

const BETWEEN_VISITS: &str = "inputs are missing only during a visit";

/// The inputs of a process that is not being visited.
pub fn inputs_of(inputs: &Option<Box<Inputs>>) -> &Inputs {
    inputs.as_deref().expect(BETWEEN_VISITS)
}

/// A limit on the events to handle, and how many have been.
#[derive(Clone, Copy, Debug)]
pub struct EventBudget {
    limit: u64,
    /// Events handled so far. A visit counts as one at least, so that it is progress.
    pub handled: u64,
}

impl EventBudget {
    /// Nothing handled yet.
    pub fn new(limit: u64) -> EventBudget {
        EventBudget { limit, handled: 0 }
    }

    #[inline]
    fn count(&mut self, events: u64) {
        self.handled += events.max(1);
    }

    /// How many events are left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.handled)
    }

    /// Whether no further visit is to be made.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.is_spent_by(self.handled)
    }

    /// Whether so many events, handled by several shards, are all or more.
    #[inline]
    pub fn is_spent_by(&self, handled: u64) -> bool {
        handled >= self.limit
    }
}

/// Processes with consecutive numbers.
pub struct Shard<'a, P> {
    /// The number of the first.
    pub first: usize,
    /// The processes.
    pub processes: &'a mut [P],
    /// Each one's inputs; taken out during a visit, so that a process cannot send to itself.
    pub inputs: &'a mut [Option<Box<Inputs>>],
    /// The order of visits.
    pub sequencer: &'a mut Sequencer,
    /// All routes.
    pub routes: &'a Routes,
    /// A buffer for packet trains.
    pub train: Vec<TrainPacket>,
}

impl<P: LogicalProcess> Shard<'_, P> {
    /// Asks all processes for their next events.
    pub fn begin(&mut self) {
        self.sequencer.begin(self.processes.iter().zip(&*self.inputs).map(|(process, inputs)| process.next(inputs_of(inputs))));
    }

    /// Handles everything that is due up to and including `until`, as long as `budget` lasts; returns whether nothing is
    /// left. Nothing may arrive from other shards up to `until` that is not here yet; what goes there is put into `outbox`.
    pub fn run(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> bool {
        loop {
            let is_over =
                if self.sequencer.is_sweeping() { self.sweep(until, outbox, budget) } else { self.visit_in_order(until, outbox, budget) };
            match is_over {
                Some(is_complete) => return is_complete,
                None if budget.is_spent() => return false,
                None => {}
            }
        }
    }

    /// Visits processes in order of time; returns whether nothing is left, or `None` if sweeps are to go on.
    fn visit_in_order(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> Option<bool> {
        self.sequencer.extend(until);
        while let Some((process, horizon)) = self.sequencer.next_visit(until) {
            if budget.is_spent() {
                return Some(false);
            }
            let (next, events) = self.visit(process, horizon, outbox);
            budget.count(events);
            self.sequencer.visited(process, next, self.processes[process].quiet_until(), events);
            if self.sequencer.switches_to_sweeps() {
                return None;
            }
        }
        Some(true)
    }

    /// Makes one sweep; returns whether nothing is left, or `None` if that is still open.
    fn sweep(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> Option<bool> {
        if !self.sequencer.begin_sweep(until) {
            return Some(true);
        }
        while !budget.is_spent() {
            let Some((process, horizon)) = self.sequencer.next_stop() else {
                self.sequencer.end_sweep();
                return None;
            };
            let (next, events) = self.visit(process, horizon, outbox);
            budget.count(events);
            self.sequencer.stopped(process, next, self.processes[process].free_at(), events);
        }
        Some(false)
    }

    #[inline]
    fn visit(&mut self, process: usize, until: Time, outbox: &mut Outbox) -> (Time, u64) {
        let mut inputs = self.inputs[process].take().expect(BETWEEN_VISITS);
        let mut outputs = Outputs::new(self.first, self.inputs, self.sequencer.schedule(), outbox, &mut self.train);
        let visit = self.processes[process].run(until, &mut inputs, &mut outputs, self.routes);
        self.inputs[process] = Some(inputs);
        visit
    }

    /// Takes over what another shard has sent.
    pub fn receive(&mut self, batch: &mut OutboxBatch) {
        for (process, input, arrival) in &batch.packets {
            let process = process.index() - self.first;
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).add(*input as usize, arrival);
            self.sequencer.schedule().announce(process, arrival.at);
        }
        for (process, message) in &batch.messages {
            let process = process.index() - self.first;
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).mailbox().push(*message);
            self.sequencer.schedule().announce(process, message.at);
        }
        batch.clear();
    }
}
