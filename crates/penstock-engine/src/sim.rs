//! A simulation: processes, the channels between them, and the plain executor.

use crate::agenda::Agenda;
use crate::assemble::{assemble, BlueprintError, Parts};
use crate::blueprint::Blueprint;
use crate::channel::{Inputs, Outputs};
use crate::digest::Digest;
use crate::observations::{FlowCounters, LinkCounters, Observations};
use crate::process::Process;
use crate::route::Routes;
use penstock_model::units::Time;

/// One run of a blueprint. Two can coexist; nothing is shared between them.
pub struct Sim {
    processes: Vec<Process>,
    /// Each process's inputs; taken out while it runs, so that it cannot send to itself.
    inputs: Vec<Option<Box<Inputs>>>,
    routes: Routes,
    /// When each process is due next.
    due: Agenda<Time>,
    from: Time,
    to: Time,
    flows: usize,
    links: usize,
    samples: usize,
}

impl Sim {
    /// Builds a run.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn new(blueprint: Blueprint) -> Result<Sim, BlueprintError> {
        let Parts { processes, inputs, routes } = assemble(&blueprint)?;
        let mut due = Agenda::new(processes.len(), Time::NEVER);
        for (i, (process, inputs)) in processes.iter().zip(&inputs).enumerate() {
            due.set(i, process.next(inputs));
        }
        Ok(Sim {
            processes,
            inputs: inputs.into_iter().map(|inputs| Some(Box::new(inputs))).collect(),
            routes,
            due,
            from: blueprint.warm_up,
            to: blueprint.end,
            flows: blueprint.flows.len(),
            links: blueprint.links.len(),
            samples: blueprint.samples.len(),
        })
    }

    /// The plain executor: always the process with the earliest pending event, one instant at a time, lower processes
    /// first among equals. Runs everything up to and including `until` (never beyond the end).
    pub fn run_until(&mut self, until: Time) {
        let until = until.min(self.to);
        loop {
            let now = self.due.first_key();
            if now > until || now == Time::NEVER {
                return;
            }
            let first = self.due.first();
            let mut inputs = self.inputs[first].take().expect("every process has inputs");
            let mut outputs = Outputs::new(&mut self.inputs, &mut self.due);
            let next = self.processes[first].run(now, &mut inputs, &mut outputs, &self.routes);
            self.inputs[first] = Some(inputs);
            self.due.set(first, next);
        }
    }

    /// When the run ends.
    pub fn end(&self) -> Time {
        self.to
    }

    /// Runs to the end and hands over what was counted.
    pub fn run(mut self) -> Observations {
        self.run_until(self.to);
        self.finish()
    }

    /// Hands over what was counted; call it when [`Sim::run_until`] has reached the end.
    pub fn finish(self) -> Observations {
        let mut flows = vec![FlowCounters::default(); self.flows];
        let mut links = vec![LinkCounters::default(); self.links];
        let mut samples = vec![Vec::new(); self.samples];
        let mut outcomes: Vec<_> = self.processes.into_iter().map(|process| process.finish(&mut flows, &mut links, &mut samples)).collect();
        outcomes.sort_by(|a, b| a.name.cmp(&b.name));
        let mut digest = Digest::default();
        let mut trace = Vec::new();
        let mut packet_hops = 0;
        for outcome in outcomes {
            digest.name(&outcome.name);
            digest.number(outcome.digest);
            packet_hops += outcome.packet_hops;
            trace.extend(outcome.trace);
        }
        trace.sort_by_key(|row| (row.time, row.place));
        Observations { from: self.from, to: self.to, flows, links, samples, packet_hops, digest: digest.value(), trace }
    }
}
