//! A shard: the processes of one core, or of the whole network, which run in turn.

use crate::executor::sequencer::{Mode, Sequencer};
use crate::kernel::event::{Arrival, TrainPacket};
use crate::kernel::inputs::Inputs;
use crate::kernel::logical_process::{EarliestOutput, WindowProcess};
use crate::kernel::outbox::{Outbox, OutboxBatch};
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use penstock_model::id::ProcessId;
use penstock_model::units::Time;

pub(super) const BETWEEN_VISITS: &str = "inputs are missing only during a visit";

/// Returns the inputs of a process that is not being visited.
pub fn inputs_of(inputs: &Option<Box<Inputs>>) -> &Inputs {
    inputs.as_deref().expect(BETWEEN_VISITS)
}

/// A limit on the events to handle, and the number handled.
#[derive(Clone, Copy, Debug)]
pub struct EventBudget {
    pub(super) limit: u64,
    /// Number of events handled so far. A visit counts as at least one event, so that every visit is progress.
    pub handled: u64,
}

impl EventBudget {
    /// Creates a budget of `limit` events, none handled.
    pub fn new(limit: u64) -> EventBudget {
        EventBudget { limit, handled: 0 }
    }

    #[inline]
    pub(super) fn count(&mut self, events: u64) {
        self.handled += events.max(1);
    }

    /// Returns the number of events left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.handled)
    }

    /// Returns whether the limit is reached, so that no further visit may begin.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.handled >= self.limit
    }
}

/// Processes with consecutive numbers.
pub struct Shard<'a, P> {
    /// The number of the first process.
    pub first: usize,
    /// The processes.
    pub processes: &'a mut [P],
    /// The inputs of each process. They are taken out during its visit, so that it cannot send to itself.
    pub inputs: &'a mut [Option<Box<Inputs>>],
    /// The order of visits.
    pub sequencer: &'a mut Sequencer,
    /// All routes.
    pub routes: &'a Routes,
    /// A buffer for packet trains.
    pub train: Vec<TrainPacket>,
}

impl<P: WindowProcess> Shard<'_, P> {
    /// Asks all processes for their next events, and selects `mode` if the shard allows it.
    pub fn begin(&mut self, mode: Mode) {
        if self.inputs.iter().any(|inputs| inputs_of(inputs).have_random_ties()) {
            self.sequencer.set_random_ties();
        }
        self.sequencer.adopt(mode);
        if self.sequencer.mode == Mode::Windows {
            self.sequencer.windows = Some(self.open_windows());
        } else {
            self.ask_all();
        }
    }

    pub(super) fn ask_all(&mut self) {
        self.sequencer.begin(self.processes.iter().zip(&*self.inputs).map(|(process, inputs)| process.next(inputs_of(inputs))));
        // No packet is sent before the first event of all processes.
        let now = self.sequencer.due.first();
        for process in 0..self.processes.len() {
            let eot = self.eot(process, now);
            self.sequencer.sweep.set_eot(process, eot);
        }
    }

    /// Returns the earliest output times of a process that has handled all its events before `now`.
    fn eot(&self, process: usize, now: Time) -> EarliestOutput {
        let peer = |other: ProcessId| self.processes.get(other.index().checked_sub(self.first)?);
        self.processes[process].eot(now, None, peer, self.routes)
    }

    /// Handles all events up to and including `until`, as long as `budget` lasts; returns whether none is left. All arrivals from
    /// other shards up to `until` must be here already. Packets and messages to other shards go into `outbox`.
    pub fn run(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> bool {
        loop {
            if self.sequencer.mode != Mode::Windows && self.sequencer.windows.is_some() {
                self.close_windows();
                self.ask_all();
            }
            let (mode, before) = (self.sequencer.mode, budget.handled);
            let is_over = match mode {
                Mode::Plain => Some(self.run_plainly(until, outbox, budget)),
                Mode::Windows => self.run_windows(until, outbox, budget),
                Mode::Sweeps => self.sweep(until, outbox, budget),
            };
            self.sequencer.events[mode as usize] += budget.handled - before;
            match is_over {
                Some(is_complete) => return is_complete,
                None if budget.is_spent() => return false,
                None => {}
            }
        }
    }

    /// Visits one process after the other, for one instant each; returns whether no event is left up to `until`.
    fn run_plainly(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> bool {
        while !budget.is_spent() {
            if !self.step(until, outbox, budget) {
                return true;
            }
        }
        false
    }

    /// Handles the first due instant at the first due process; returns `false` if no event is left up to `until`.
    fn step(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> bool {
        let Some((process, due)) = self.sequencer.first_due(until) else { return false };
        let (next, events) = self.visit(process, due, outbox);
        budget.count(events);
        self.sequencer.due.set(process, next);
        true
    }

    /// Runs one sweep. Returns `true` if no event is left up to `until`, `false` if the budget is spent, and `None` at the end of the
    /// sweep, when it is not known whether events are left.
    fn sweep(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> Option<bool> {
        if !self.sequencer.begin_sweep(until) {
            return Some(true);
        }
        while !budget.is_spent() {
            let Shard { first, processes, routes, .. } = self;
            let eot_to = |sender: usize, receiver: usize| {
                let receiver = ProcessId((*first + receiver) as u32);
                processes[sender].eot(Time::ZERO, Some(receiver), |_| None, routes).of_all
            };
            let Some((process, horizon)) = self.sequencer.sweep.next(&self.sequencer.due, eot_to) else {
                if self.sequencer.end_sweep() {
                    self.step(until, outbox, budget);
                }
                return None;
            };
            let (next, events) = self.visit(process, horizon, outbox);
            budget.count(events);
            let eot = self.eot(process, next.min(horizon.after()));
            self.sequencer.visited(process, next, eot, events);
        }
        Some(false)
    }

    /// Adds a packet in flight to a process.
    pub fn add(&mut self, process: u32, input: u32, arrival: &Arrival) {
        let process = process as usize - self.first;
        if let Some((local, _)) = &mut self.sequencer.windows {
            *local.wheel.add(process as u32, input, arrival.at) = *arrival;
        } else {
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).add(input as usize, arrival);
            self.sequencer.due.advance(process, arrival.at);
        }
    }

    #[inline]
    fn visit(&mut self, process: usize, until: Time, outbox: &mut Outbox) -> (Time, u64) {
        let mut inputs = self.inputs[process].take().expect(BETWEEN_VISITS);
        let due = &mut self.sequencer.due;
        let mut outputs = Outputs { first: self.first, inputs: self.inputs, due, outbox, train: &mut self.train };
        let visit = self.processes[process].run(until, &mut inputs, &mut outputs, self.routes);
        self.inputs[process] = Some(inputs);
        visit
    }

    /// Takes the packets and messages of another shard out of `batch`.
    pub fn receive(&mut self, batch: &mut OutboxBatch) {
        for (process, input, arrival) in batch.packets.drain(..) {
            self.add(process.0, input, &arrival);
        }
        for (process, message) in batch.messages.drain(..) {
            let process = process.index() - self.first;
            self.sequencer.due.advance(process, message.at);
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).mailbox().push(message);
            if let Some((_, window)) = &mut self.sequencer.windows {
                window.has_mail[process] = true;
            }
        }
    }
}
