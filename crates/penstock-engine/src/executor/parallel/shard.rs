//! Processes that are run in turn: all of them, or those that one core has.

use crate::endpoints::calls::departures::Departing;
use crate::executor::lookahead::Lookahead;
use crate::kernel::channel::{Inputs, Outputs};
use crate::kernel::outbox::{Outbox, OutboxBatch};
use crate::kernel::route::Routes;
use crate::node::process::Process;
use penstock_model::units::Time;

const BETWEEN_VISITS: &str = "inputs are missing only during a visit";

/// The inputs of a process that is not being visited.
pub fn of(inputs: &Option<Box<Inputs>>) -> &Inputs {
    inputs.as_deref().expect(BETWEEN_VISITS)
}

/// A run of processes with consecutive numbers.
pub struct Shard<'a> {
    /// The number of the first.
    pub first: usize,
    /// The processes.
    pub processes: &'a mut [Process],
    /// Each one's inputs; taken out while it runs, so that it cannot send to itself.
    pub inputs: &'a mut [Option<Box<Inputs>>],
    /// The order of visits.
    pub horizon: &'a mut Lookahead,
    /// All routes.
    pub routes: &'a Routes,
    /// Room for what an aggregate of calls sends at a visit.
    pub train: Vec<Departing>,
}

impl Shard<'_> {
    /// Looks up what is due next everywhere.
    pub fn begin(&mut self) {
        self.horizon.begin(self.processes.iter().zip(&*self.inputs).map(|(process, inputs)| process.next(of(inputs))));
    }

    /// Does everything that is due up to and including `until`; returns how much that was. What goes to other parts is in
    /// `away`; from there nothing may arrive until then that is not here yet.
    pub fn run(&mut self, until: Time, outbox: &mut Outbox) -> u64 {
        let mut done = 0;
        loop {
            if !self.horizon.is_sweeping() && self.visit_in_order(until, outbox, &mut done) {
                return done;
            }
            if self.sweep(until, outbox, &mut done) {
                return done;
            }
        }
    }

    /// Visits who can do something, as long as anybody can until `until`, or until sweeping seems better; tells whether
    /// nothing is left.
    fn visit_in_order(&mut self, until: Time, outbox: &mut Outbox, done: &mut u64) -> bool {
        self.horizon.extend(until);
        while let Some((process, until)) = self.horizon.next_visit() {
            let (next, handled) = self.visit(process, until, outbox);
            self.horizon.is_quiet_until(process, self.processes[process].quiet_until());
            self.horizon.visited(process, next, handled);
            *done += handled;
            if self.horizon.turns_to_sweeping() {
                return false;
            }
        }
        true
    }

    /// The same in sweeps, as long as they seem better.
    fn sweep(&mut self, until: Time, outbox: &mut Outbox, done: &mut u64) -> bool {
        while self.horizon.is_sweeping() {
            if !self.horizon.begin_sweep(until) {
                return true;
            }
            while let Some((process, until)) = self.horizon.next_stop() {
                let (next, handled) = self.visit(process, until, outbox);
                self.horizon.stopped(process, next, self.processes[process].free_at(), handled);
                *done += handled;
            }
            self.horizon.end_sweep();
        }
        false
    }

    #[inline]
    fn visit(&mut self, process: usize, until: Time, outbox: &mut Outbox) -> (Time, u64) {
        let mut inputs = self.inputs[process].take().expect(BETWEEN_VISITS);
        let mut outputs = Outputs::new(self.first, self.inputs, self.horizon, outbox, &mut self.train);
        let done = self.processes[process].run(until, &mut inputs, &mut outputs, self.routes);
        self.inputs[process] = Some(inputs);
        done
    }

    /// Takes what comes from another part.
    pub fn take(&mut self, bag: &mut OutboxBatch) {
        for (process, input, arrival) in &bag.packets {
            let process = process.index() - self.first;
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).add(*input as usize, arrival);
            self.horizon.announce(process, arrival.at);
        }
        for (process, message) in &bag.messages {
            let process = process.index() - self.first;
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).mailbox().push(*message);
            self.horizon.announce(process, message.at);
        }
        bag.clear();
    }
}
