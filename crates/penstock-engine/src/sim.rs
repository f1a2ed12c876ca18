//! A simulation: processes, the channels between them, and what runs them in turn.

use crate::assemble::{assemble, BlueprintError, Parts};
use crate::blueprint::Blueprint;
use crate::channel::{Inputs, Outputs};
use crate::digest::Digest;
use crate::horizon::{Executor, Horizon};
use crate::observations::{FlowCounters, LinkCounters, Observations};
use crate::process::Process;
use crate::route::Routes;
use penstock_model::units::Time;

const BETWEEN_VISITS: &str = "inputs are missing only during a visit";

fn of(inputs: &Option<Box<Inputs>>) -> &Inputs {
    inputs.as_deref().expect(BETWEEN_VISITS)
}

/// One run of a blueprint. Two can coexist; nothing is shared between them.
pub struct Sim {
    processes: Vec<Process>,
    /// Each process's inputs; taken out while it runs, so that it cannot send to itself.
    inputs: Vec<Option<Box<Inputs>>>,
    routes: Routes,
    horizon: Horizon,
    from: Time,
    to: Time,
    flows: usize,
    links: usize,
    samples: usize,
    meter_samples: usize,
}

impl Sim {
    /// Builds a run.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn new(blueprint: Blueprint) -> Result<Sim, BlueprintError> {
        let Parts { processes, inputs, routes, couplings } = assemble(&blueprint)?;
        Ok(Sim {
            horizon: Horizon::new(processes.len(), &couplings),
            processes,
            inputs: inputs.into_iter().map(|inputs| Some(Box::new(inputs))).collect(),
            routes,
            from: blueprint.warm_up,
            to: blueprint.end,
            flows: blueprint.flows.len(),
            links: blueprint.links.len(),
            samples: blueprint.samples.len(),
            meter_samples: blueprint.meter_samples.len(),
        })
    }

    /// Runs everything up to and including `until` (never beyond the end).
    pub fn run_until(&mut self, until: Time) {
        let until = until.min(self.to);
        let due = self.processes.iter().zip(&self.inputs).map(|(process, inputs)| process.next(of(inputs)));
        self.horizon.begin(until, due);
        while let Some((process, until)) = self.horizon.next_visit() {
            let mut inputs = self.inputs[process].take().expect(BETWEEN_VISITS);
            let mut outputs = Outputs::new(&mut self.inputs, &mut self.horizon);
            let (next, handled) = self.processes[process].run(until, &mut inputs, &mut outputs, &self.routes);
            self.inputs[process] = Some(inputs);
            self.horizon.visited(process, next, handled);
        }
    }

    /// Chooses the executor; both give the same results.
    #[must_use]
    pub fn with_executor(mut self, executor: Executor) -> Sim {
        self.horizon.choose(executor);
        self
    }

    /// Packets that have been sent and neither received nor lost: they wait at a port, or are on a wire.
    pub fn packets_under_way(&self) -> u64 {
        let on_wires: usize = self.inputs.iter().map(|inputs| of(inputs).len()).sum();
        let at_ports: u64 = self.processes.iter().map(Process::held).sum();
        on_wires as u64 + at_ports
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
        let mut seen = Observations {
            from: self.from,
            to: self.to,
            flows: vec![FlowCounters::default(); self.flows],
            links: vec![LinkCounters::default(); self.links],
            samples: vec![Vec::new(); self.samples],
            meter_samples: vec![Vec::new(); self.meter_samples],
            ..Observations::default()
        };
        let mut outcomes: Vec<_> = self.processes.into_iter().map(|process| process.finish(&mut seen)).collect();
        outcomes.sort_by(|a, b| a.name.cmp(&b.name));
        let mut digest = Digest::default();
        for outcome in outcomes {
            digest.name(&outcome.name);
            digest.number(outcome.digest);
            seen.packet_hops += outcome.packet_hops;
            seen.trace.extend(outcome.trace);
        }
        seen.digest = digest.value();
        seen.trace.sort_by_key(|row| (row.time, row.place));
        seen.calls.sort_by_key(|(flow, _)| *flow);
        seen.intervals.sort_by_key(|(flow, ..)| *flow);
        seen.timings.sort_by_key(|(flow, _)| *flow);
        seen.pages.sort_by_key(|(flow, _)| *flow);
        seen.ports.sort_by_key(|(link, _)| *link);
        seen
    }
}
