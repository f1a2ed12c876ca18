//! A simulation: processes, the channels between them, and what runs them in turn.

use crate::api::blueprint::Blueprint;
use crate::api::observations::{FlowCounters, LinkCounters, Observations};
use crate::build::assemble::{assemble, BlueprintError, Division, Parts};
use crate::executor::lookahead::{Executor, Lookahead};
use crate::executor::parallel::shard::{of, Shard};
use crate::executor::parallel::ParallelExecutor;
use crate::kernel::channel::Inputs;
use crate::kernel::digest::Digest;
use crate::kernel::outbox::Outbox;
use crate::kernel::route::Routes;
use crate::node::process::Process;
use penstock_model::units::Time;

/// One run of a blueprint. Two can coexist; nothing is shared between them.
pub struct Sim {
    processes: Vec<Process>,
    /// Each process's inputs; taken out while it runs, so that it cannot send to itself.
    inputs: Vec<Option<Box<Inputs>>>,
    routes: Routes,
    horizon: Lookahead,
    /// How the processes are divided between several cores, if they are.
    cores: Option<Box<ParallelExecutor>>,
    /// Whether to use them.
    spread: bool,
    /// What has been done on one core, in packets and events of sources.
    done: u64,
    from: Time,
    to: Time,
    flows: usize,
    links: usize,
    samples: usize,
    meter_samples: usize,
}

impl Sim {
    /// Builds a run on one core.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn new(blueprint: Blueprint) -> Result<Sim, BlueprintError> {
        Sim::divided(&blueprint, Division::Whole)
    }

    /// Builds a run on so many cores, or on fewer if the network is not made for that; the results are the same.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn on_cores(blueprint: Blueprint, cores: usize) -> Result<Sim, BlueprintError> {
        Sim::divided(&blueprint, Division::Into(cores))
    }

    /// Builds a run whose i-th process belongs to the core `core_of(i)`, however little that pays; for tests. Processes
    /// without delay between them stay together.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn cut(blueprint: Blueprint, core_of: &dyn Fn(usize) -> u32) -> Result<Sim, BlueprintError> {
        Sim::divided(&blueprint, Division::By(core_of))
    }

    fn divided(blueprint: &Blueprint, division: Division<'_>) -> Result<Sim, BlueprintError> {
        let Parts { processes, inputs, routes, latencies, ends } = assemble(blueprint, division)?;
        Ok(Sim {
            horizon: Lookahead::new(processes.len(), &latencies),
            cores: (ends.len() > 1).then(|| Box::new(ParallelExecutor::new(ends, &latencies))),
            spread: true,
            processes,
            inputs: inputs.into_iter().map(|inputs| Some(Box::new(inputs))).collect(),
            routes,
            done: 0,
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
        let Sim { processes, inputs, horizon, routes, .. } = self;
        if let Some(cores) = self.cores.as_mut().filter(|_| self.spread) {
            return cores.run(until, processes, inputs, routes);
        }
        let mut whole = Shard { first: 0, processes, inputs, horizon, routes, train: Vec::new() };
        whole.begin();
        self.done += whole.run(until, &mut Outbox::default());
    }

    /// Chooses the executor; both give the same results. The plain one has one core.
    #[must_use]
    pub fn with_executor(mut self, executor: Executor) -> Sim {
        self.horizon.choose(executor);
        self.cores = self.cores.filter(|_| executor != Executor::Plain);
        self.cores.iter_mut().for_each(|cores| cores.choose(executor));
        self
    }

    /// Runs what is divided between cores on one, in turn, but in the same steps; for tests.
    #[must_use]
    pub fn in_turn(mut self) -> Sim {
        self.cores.iter_mut().for_each(|cores| cores.take_turns());
        self
    }

    /// Whether the network is divided between cores.
    pub fn is_divided(&self) -> bool {
        self.cores.is_some()
    }

    /// Goes on, over the cores between which the network is divided, or on one.
    pub fn spread(&mut self, over_cores: bool) {
        self.spread = over_cores;
    }

    /// What has been done so far, in packets and events of sources.
    pub fn done(&self) -> u64 {
        self.done + self.cores.as_ref().map_or(0, |cores| cores.done())
    }

    /// How many cores most of what has been done was done on.
    pub fn cores(&self) -> usize {
        self.cores.as_ref().filter(|cores| cores.done() > self.done).map_or(1, |cores| cores.count())
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
