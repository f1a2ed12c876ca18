//! A simulation: processes, the channels between them, and what runs them in turn.

use crate::agenda::Agenda;
use crate::assemble::{assemble, BlueprintError, Parts};
use crate::blueprint::Blueprint;
use crate::channel::{Inputs, Outputs};
use crate::digest::Digest;
use crate::observations::{FlowCounters, LinkCounters, Observations};
use crate::process::Process;
use crate::route::Routes;
use penstock_model::units::{Duration, Time};
use std::cell::RefCell;

/// How far a process runs at a visit; the results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// One instant: the reference, in which the events of all processes happen in the order of time.
    Plain,
    /// As far as nothing can still reach it: every pending event lies at or after its own first one, so what others
    /// send arrives at least the shortest delay of its inputs later.
    #[default]
    Lookahead,
}

/// A process without inputs could run to the end at once; it stops here, so that what it sends does not pile up.
const LONGEST_LOOKAHEAD: Duration = Duration::from_ms(1);

/// One run of a blueprint. Two can coexist; nothing is shared between them.
pub struct Sim {
    processes: Vec<Process>,
    /// Each process's inputs; borrowed while it runs, so that it cannot send to itself.
    inputs: Vec<RefCell<Inputs>>,
    routes: Routes,
    /// When each process is due next.
    due: Agenda<Time>,
    /// For each process, the shortest delay of its inputs.
    lookahead: Vec<Duration>,
    executor: Executor,
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
        let Parts { processes, inputs, routes, shortest_delay } = assemble(&blueprint)?;
        let mut due = Agenda::new(processes.len(), Time::NEVER);
        for (i, (process, inputs)) in processes.iter().zip(&inputs).enumerate() {
            due.set(i, process.next(inputs));
        }
        Ok(Sim {
            processes,
            inputs: inputs.into_iter().map(RefCell::new).collect(),
            routes,
            due,
            lookahead: shortest_delay.into_iter().map(|delay| delay.min(LONGEST_LOOKAHEAD)).collect(),
            executor: Executor::default(),
            from: blueprint.warm_up,
            to: blueprint.end,
            flows: blueprint.flows.len(),
            links: blueprint.links.len(),
            samples: blueprint.samples.len(),
        })
    }

    /// Runs everything up to and including `until` (never beyond the end).
    pub fn run_until(&mut self, until: Time) {
        let until = until.min(self.to);
        loop {
            let now = self.due.first_key();
            if now > until || now == Time::NEVER {
                return;
            }
            // The process with the earliest pending event; lower processes first among equals.
            let first = self.due.first();
            let ahead = match self.executor {
                Executor::Plain => now,
                Executor::Lookahead => (now + self.lookahead[first]).before().max(now),
            };
            let mut outputs = Outputs::new(&self.inputs, &mut self.due);
            let next = self.processes[first].run(ahead.min(until), &mut self.inputs[first].borrow_mut(), &mut outputs, &self.routes);
            self.due.set(first, next);
        }
    }

    /// Chooses the executor; both give the same results.
    #[must_use]
    pub fn with_executor(mut self, executor: Executor) -> Sim {
        self.executor = executor;
        self
    }

    /// Packets that have been sent and neither received nor lost: they wait at a port, or are on a wire.
    pub fn packets_under_way(&self) -> u64 {
        let on_wires: usize = self.inputs.iter().map(|inputs| inputs.borrow().len()).sum();
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
