//! A simulation: processes, the channels between them, and the executor that runs them.

use crate::api::blueprint::{Blueprint, LinkPlan, PortPlan};
use crate::api::cancel::Cancel;
use crate::api::changes::{check_component, check_time, refused, PlanChangeError};
use crate::api::injection::{Arrival, InjectionError, Marking};
use crate::api::observations::{FlowCounters, LinkCounters, Observations, OptionalCauses};
use crate::api::series::SeriesRow;
use crate::api::trace::TraceRow;
use crate::api::work::{Division, MODES, PORT_KINDS};
use crate::build::error::BlueprintError;
use crate::build::flows::InjectionSite;
use crate::build::memory;
use crate::build::{Assembly, Network};
use crate::executor::parallel::partition::{merge_zero_delay, partition, PartitionLimit};
use crate::executor::parallel::{ParallelExecutor, World};
use crate::executor::sequencer::Sequencer;
use crate::executor::shard::{inputs_of, EventBudget};
use crate::executor::Executor;
use crate::kernel::digest::Digest;
use crate::kernel::inputs::Inputs;
use crate::kernel::logical_process::LogicalProcess;
use crate::kernel::process_graph::ProcessGraph;
use crate::kernel::route::Routes;
use crate::node::pause_waits::find_deadlock;
use crate::node::process::changes::Changed;
use crate::node::process::Process;
use penstock_model::discipline::PRECEDENCES;
use penstock_model::id::{FlowId, LinkId};
use penstock_model::transport::TransportPlan;
use penstock_model::units::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of events, which take a fraction of a second, between two checks of the flag that stops a run. On several cores each check
/// starts new threads, which costs as much as thousands of events.
const MAX_STRETCH: u64 = 1 << 17;

/// One run of a blueprint. Several can coexist and share no state. A clone continues from the current state of the run, independently.
#[derive(Clone)]
pub struct Sim {
    processes: Vec<Process>,
    /// The inputs of each process. They are taken out during its visit, so that it cannot send to itself.
    inputs: Vec<Option<Box<Inputs>>>,
    routes: Routes,
    /// All processes on one core and, if the network is divided, on several.
    executors: Vec<ParallelExecutor>,
    /// Whether to use several cores.
    is_parallel: bool,
    /// The executor that knows when processes are due; none before the first run.
    scheduled_by: Option<usize>,
    /// Events handled on one core, and on several: packets that arrived, and what sources and timers did.
    events: [u64; 2],
    cancel: Cancel,
    to: Time,
    /// What has been observed, as far as that does not stay at the processes until the end.
    seen: Observations,
    /// The first instant that no call has asked for yet.
    open_from: Time,
    injection_sites: BTreeMap<FlowId, InjectionSite>,
    /// Of each flow, its group.
    flows: Vec<u32>,
    /// The transport of each group, as it begins.
    transports: Vec<TransportPlan>,
    /// The port of each link, as it begins.
    ports: Vec<Arc<PortPlan>>,
}

impl Sim {
    /// Checks a blueprint without building anything: all that could be refused is found by its plans and its process graph.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn check(blueprint: &Blueprint) -> Result<(), BlueprintError> {
        Network::new(blueprint).map(|_| ())
    }

    /// About how many bytes a run takes at its peak, its blueprint included.
    pub fn memory(blueprint: &Blueprint) -> u64 {
        memory::estimate(blueprint)
    }

    /// Builds a run on one core.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn new(blueprint: Blueprint) -> Result<Sim, BlueprintError> {
        Sim::divided(&blueprint, |graph| vec![0; graph.weights.len()])
    }

    /// Builds a run on `cores` cores, or on fewer if the network does not divide well. Results do not depend on it.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn with_cores(blueprint: Blueprint, cores: usize) -> Result<Sim, BlueprintError> {
        Sim::divided(&blueprint, |graph| if cores > 1 { partition(graph, cores).part_of } else { vec![0; graph.weights.len()] })
    }

    /// Returns how [`Sim::with_cores`] divides a run between `cores` cores.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn division(blueprint: &Blueprint, cores: usize) -> Result<Division, BlueprintError> {
        let network = Network::new(blueprint)?;
        let partition = partition(&network.graph, cores);
        let PartitionLimit { clusters, most, busiest, share } = partition.limit;
        let busiest = network.places.sites.get(busiest).map_or("", |site| network.places.name(*site)).to_owned();
        Ok(Division { parts: partition.parts, speedup: partition.speedup, clusters, most, busiest, share })
    }

    /// Builds a run whose i-th process belongs to the core `core_of(i)`, however little that pays; for tests. Processes
    /// without delay between them stay together.
    ///
    /// # Errors
    /// If the blueprint contradicts itself.
    pub fn with_partition(blueprint: Blueprint, core_of: &dyn Fn(usize) -> u32) -> Result<Sim, BlueprintError> {
        Sim::divided(&blueprint, |graph| merge_zero_delay(&(0..graph.weights.len()).map(core_of).collect::<Vec<u32>>(), graph))
    }

    fn divided(blueprint: &Blueprint, shard_of: impl Fn(&ProcessGraph) -> Vec<u32>) -> Result<Sim, BlueprintError> {
        let network = Network::new(blueprint)?;
        let shards = shard_of(&network.graph);
        let Assembly { processes, inputs, routes, latencies, ends, injection_sites } = network.assemble(&shards)?;
        let several = (ends.len() > 1).then_some(ends);
        let divisions = [vec![processes.len() as u32]].into_iter().chain(several);
        let mut sim = Sim {
            executors: divisions.map(|ends| ParallelExecutor::new(ends, &latencies)).collect(),
            is_parallel: true,
            scheduled_by: None,
            processes,
            inputs: inputs.into_iter().map(|inputs| Some(Box::new(inputs))).collect(),
            routes,
            events: [0; 2],
            cancel: blueprint.cancel.clone(),
            to: blueprint.end,
            seen: nothing_seen(blueprint),
            open_from: Time::ZERO,
            injection_sites,
            flows: blueprint.flows.iter().map(|flow| flow.group).collect(),
            transports: blueprint.groups.iter().map(|group| group.transport.clone()).collect(),
            ports: blueprint.links.iter().map(|link| Arc::clone(&link.port)).collect(),
        };
        for (number, arrival) in blueprint.arrivals.iter().enumerate() {
            sim.add_arrival(arrival).map_err(|error| BlueprintError::Contradiction(format!("arrival {number}: {error}")))?;
        }
        Ok(sim)
    }

    /// Handles all events up to and including `until` (never beyond the end).
    pub fn run_until(&mut self, until: Time) {
        self.run_events(until, u64::MAX);
    }

    /// Handles events up to and including `until` (never beyond the end), and stops once `budget` of them have been handled,
    /// or some more; returns whether none is left. Where runs are stopped changes no result. Does little and returns
    /// `false` once the [blueprint's flag](Blueprint::cancel) is set.
    pub fn run_events(&mut self, until: Time, budget: u64) -> bool {
        let (until, end) = (until.min(self.to), self.events().saturating_add(budget));
        self.open_from = self.open_from.max(until.after());
        loop {
            if self.cancel.is_set() {
                return false;
            }
            let left = end.saturating_sub(self.events());
            if self.run_stretch(until, left.min(MAX_STRETCH)) {
                return true;
            }
            self.is_parallel &= self.several().are_worthwhile();
            if self.events() >= end {
                return false;
            }
        }
    }

    /// Adds a packet of `size` bytes to those that a flow sends from a list (source `packets`). It leaves its host at `at`, an instant
    /// that no earlier call of [`Sim::run_until`] or [`Sim::run_events`] has asked for. So packets from outside enter between two slices
    /// of a run; the [trace](Sim::take_trace) shows what happens to them. A list that holds them from the start gives the same results.
    ///
    /// # Errors
    /// If the flow has no list, or the time or the size is not allowed; then nothing has changed.
    pub fn inject(&mut self, flow: FlowId, at: Time, size: u32) -> Result<(), InjectionError> {
        self.add_arrival(&Arrival { at, flow, size, marking: None })
    }

    /// Adds a packet as [`Sim::inject`] does, which may have an ECN codepoint and a drop precedence of its own.
    ///
    /// # Errors
    /// As [`Sim::inject`], and if there is no such precedence.
    pub fn add_arrival(&mut self, &Arrival { at, flow, size, marking }: &Arrival) -> Result<(), InjectionError> {
        let refused = |why| Err(InjectionError(why));
        let Some(InjectionSite { process, sizes: (smallest, largest) }) = self.injection_sites.get(&flow).copied() else {
            let what = "takes no packets from outside; its source must be 'packets', carried by 'udp'";
            return refused(format!("flow {} {what}", flow.0));
        };
        if !(smallest..=largest).contains(&u64::from(size)) {
            return refused(format!("a packet of {size} bytes: the flow's list has packets of {smallest} to {largest} bytes"));
        }
        if let Some(Marking { precedence, .. }) = marking.filter(|marking| usize::from(marking.precedence) >= PRECEDENCES) {
            return refused(format!("a packet of drop precedence {precedence}; 0 to {}", PRECEDENCES - 1));
        }
        let outside = |(earliest, latest)| refused(format!("a packet at {at}: it must leave from {earliest} to {latest}"));
        if at < self.open_from || at > self.to {
            return outside((self.open_from, self.to));
        }
        let host = self.processes[process as usize].host.as_mut().expect("flows begin at hosts");
        let slot = self.routes.flow(flow).source;
        host.inject(slot, flow.0, (at, size, marking))
            .or_else(|(earliest, latest)| outside((earliest.max(self.open_from), latest.min(self.to))))?;
        // What it has promised holds for packets from outside too: it rests on when its wires are free.
        self.advance(process, at);
        Ok(())
    }

    /// Gives the port of a link the parameters of `port` from `at` on, an instant that no earlier call of [`Sim::run_until`] or
    /// [`Sim::run_events`] has asked for. It is the plan of the [blueprint](crate::blueprint::LinkPlan::port) with other values of
    /// parameters that are declared as changeable; the components keep their state. The results equal those of a blueprint with this
    /// [change](crate::blueprint::LinkPlan::port_changes).
    ///
    /// # Errors
    /// If anything else of the plan differs, no flow uses the link, the shaper or a marker at departures changes of a port that is not
    /// [event-driven](crate::blueprint::PortPlan::force_event_driven), or the time is not open; then nothing has changed.
    pub fn change_port(&mut self, link: LinkId, at: Time, port: PortPlan) -> Result<(), PlanChangeError> {
        let of_link = |process: &Process| process.ports.iter().position(|port| port.link == link);
        let place = self.processes.iter().enumerate().find_map(|(process, it)| Some((process, of_link(it)?)));
        let (Some((process, index)), Some(plan)) = (place, self.ports.get(link.index())) else {
            return Err(PlanChangeError::NoLink(link));
        };
        plan.check_change(&port)?;
        if plan.changes_departures(&port) && self.processes[process].ports[index].precomputes_departures() {
            return refused("departures from this port are computed on arrival; set force_event_driven in the port's plan");
        }
        self.change(process, at, Changed::Port(index as u32, Arc::new(port)))
    }

    /// Gives the sender of a flow the parameters of `transport` from `at` on, an instant as for [`Sim::change_port`]. It is the plan of the
    /// [group](crate::blueprint::FlowGroup::transport) with other values of parameters that are declared as changeable, such as
    /// constants of its congestion control; the sender keeps its state. The results equal a run of a blueprint with this
    /// [change](crate::blueprint::FlowGroup::transport_changes), if the group has one member.
    ///
    /// # Errors
    /// If anything else of the plan differs, the flow does not exist, or the time is not open; then nothing has changed.
    pub fn change_flow(&mut self, flow: FlowId, at: Time, transport: TransportPlan) -> Result<(), PlanChangeError> {
        let Some(group) = self.flows.get(flow.index()) else { return refused(format!("flow {} does not exist", flow.0)) };
        check_component("transport", &self.transports[*group as usize], &transport)?;
        let slot = self.routes.flow(flow).source;
        let sends = |process: &Process| process.host.as_ref().is_some_and(|host| host.has_sender(flow, slot));
        match self.processes.iter().position(sends) {
            Some(process) => self.change(process, at, Changed::Transport(flow, slot, Arc::new(transport))),
            None => Ok(()), // sends datagrams, whose parameters never change
        }
    }

    fn change(&mut self, process: usize, at: Time, changed: Changed) -> Result<(), PlanChangeError> {
        check_time(at, self.open_from, self.to)?;
        self.processes[process].change(at, changed);
        self.advance(process as u32, at);
        Ok(())
    }

    /// Something is due at a process at `at`, which the executor may not know yet.
    fn advance(&mut self, process: u32, at: Time) {
        self.scheduled_by.into_iter().for_each(|executor| self.executors[executor].advance(process, at));
    }

    /// The executor on several cores, or the only one.
    fn several(&mut self) -> &mut ParallelExecutor {
        self.executors.last_mut().expect("there is one")
    }

    fn run_stretch(&mut self, until: Time, budget: u64) -> bool {
        let mut budget = EventBudget::new(budget);
        let several = self.executors.len() - 1;
        let goes_on_in_turn = self.scheduled_by == Some(several) && self.executors[several].suits_one_core();
        let chosen = if self.is_parallel || goes_on_in_turn { several } else { 0 };
        let world = &mut World { processes: &mut self.processes, inputs: &mut self.inputs, routes: &self.routes };
        if self.scheduled_by != Some(chosen) {
            let before = &mut self.executors[self.scheduled_by.unwrap_or(chosen)];
            let (mode, mut under_way) = (before.mode(), Vec::new());
            before.take_under_way(&mut under_way, world);
            self.executors[chosen].begin(mode, &under_way, world);
            self.scheduled_by = Some(chosen);
        }
        let is_complete = self.executors[chosen].run(until, !self.is_parallel, &mut budget, world);
        self.events[usize::from(self.is_parallel && several > 0)] += budget.handled;
        is_complete
    }

    /// Chooses the executor; both give the same results. The plain one has one core.
    #[must_use]
    pub fn with_executor(mut self, executor: Executor) -> Sim {
        self.executors.truncate(if executor == Executor::Plain { 1 } else { 2 });
        self.executors.iter_mut().flat_map(|it| &mut it.sequencers).for_each(|sequencer| sequencer.choose(executor));
        self
    }

    /// Runs the shards of several cores on one, in turn, but in the same steps; for tests.
    #[must_use]
    pub fn run_shards_in_turn(mut self) -> Sim {
        self.several().in_turn = true;
        self
    }

    /// Goes on over the cores between which the network is divided, or on one.
    pub fn use_cores(&mut self, several: bool) {
        self.is_parallel = several;
    }

    /// Events handled so far: packets that arrived, and what sources, timers and messages did.
    pub fn events(&self) -> u64 {
        self.events.iter().sum()
    }

    fn sequencers(&self) -> impl Iterator<Item = &Sequencer> {
        self.executors.iter().flat_map(|executor| &executor.sequencers)
    }

    /// How many processes the executor has looked at to find what runs next; a measure of its work that no machine changes.
    pub fn executor_steps(&self) -> u64 {
        self.sequencers().map(|sequencer| sequencer.steps).sum()
    }

    /// How many events each way through the engine has handled.
    pub fn mode_events(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::from(MODES.map(|mode| (mode, 0)));
        let of_modes = self.sequencers().flat_map(|sequencer| MODES.into_iter().zip(sequencer.events));
        of_modes.for_each(|(mode, events)| *counts.entry(mode).or_default() += events);
        counts
    }

    /// The ports in use, by how their departures are found.
    pub fn port_kinds(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::from(PORT_KINDS.map(|kind| (kind, 0)));
        self.processes.iter().flat_map(Process::port_kinds).for_each(|kind| *counts.entry(kind).or_default() += 1);
        counts
    }

    /// On how many cores most events were handled.
    pub fn cores(&self) -> usize {
        let [one, several] = self.events;
        self.executors[if several > one { self.executors.len() - 1 } else { 0 }].ends.len()
    }

    /// Calls `take` with each flow whose sender has as much outstanding as `max-window` allows, so that this alone keeps it from sending
    /// more.
    pub fn flows_held_by_max_window(&self, mut take: impl FnMut(FlowId)) {
        let hosts = self.processes.iter().filter_map(|process| process.host.as_ref());
        hosts.for_each(|host| host.connections.flows_held_by_max_window(&mut take));
    }

    /// Packets that have been sent and neither received nor lost: they wait at a port, or are on a wire.
    pub fn packets_under_way(&self) -> u64 {
        let on_wires: usize = self.inputs.iter().map(|inputs| inputs_of(inputs).len()).sum();
        let at_ports: u64 = self.processes.iter().map(Process::unsent).sum();
        let in_windows: usize = self.sequencers().map(Sequencer::under_way).sum();
        (on_wires + in_windows) as u64 + at_ports
    }

    /// When the run ends.
    pub fn end(&self) -> Time {
        self.to
    }

    /// The last instant at which nothing more will happen; none before the first one is over.
    fn settled_until(&self) -> Option<Time> {
        let next = self.processes.iter().zip(&self.inputs).map(|(process, inputs)| process.next(inputs_of(inputs)));
        let next = next.chain(self.sequencers().map(Sequencer::first_arrival)).min().unwrap_or(Time::NEVER);
        (next > Time::ZERO).then(|| next.before().min(self.to))
    }

    /// Takes the rows of the trace to which no later event will add any: appends those that `keeps` wants to `rows`, by time, then
    /// by place. So a trace need not be in memory as a whole; all parts one after the other are the trace of the whole run.
    pub fn take_trace(&mut self, mut keeps: impl FnMut(&TraceRow) -> bool, rows: &mut Vec<TraceRow>) {
        let Some(until) = self.settled_until() else { return };
        let first = rows.len();
        self.processes.iter_mut().for_each(|process| rows.extend(process.record.take_trace(until).filter(|row| keeps(row))));
        rows[first..].sort_by_cached_key(TraceRow::order);
    }

    /// Takes the rows of the [series](crate::blueprint::WatchPlan::series) to which no later event will add any: appends them to
    /// `rows`, by time, then by plan. All parts one after the other are the series of the whole run.
    pub fn take_series(&mut self, rows: &mut Vec<SeriesRow>) {
        let Some(until) = self.settled_until() else { return };
        let first = rows.len();
        self.processes.iter_mut().for_each(|process| process.observers.take_rows(until, rows));
        rows[first..].sort_by_key(|row| (row.time, row.plan));
    }

    /// Reads the series that are read [on request](crate::series::Sampling::OnRequest) into `rows`, by plan. They are the state after
    /// everything up to the last instant that [`Sim::run_until`] was asked for.
    pub fn read_series(&mut self, rows: &mut Vec<SeriesRow>) {
        let (first, now) = (rows.len(), self.open_from.before());
        self.processes.iter_mut().for_each(|process| process.read_series(now, rows));
        rows[first..].sort_by_key(|row| row.plan);
    }

    /// Runs to the end and returns the observations.
    pub fn run(mut self) -> Observations {
        self.run_until(self.to);
        self.finish()
    }

    /// Returns the observations; call it when [`Sim::run_until`] has reached the end.
    pub fn finish(self) -> Observations {
        let Sim { mut seen, routes, .. } = self;
        let mut outcomes: Vec<_> = self.processes.into_iter().map(|process| process.finish(&mut seen, &routes)).collect();
        outcomes.sort_by(|a, b| a.name.cmp(&b.name));
        let mut digest = Digest::default();
        let waits: Vec<_> = outcomes.iter_mut().flat_map(|outcome| std::mem::take(&mut outcome.waits)).collect();
        seen.deadlock = find_deadlock(&waits);
        for paused in &seen.deadlock {
            seen.links[paused.link.index()].pauses.get_or_insert_default().is_deadlocked = true;
        }
        for outcome in outcomes {
            digest.name(&outcome.name);
            digest.number(outcome.digest);
            seen.packet_hops += outcome.packet_hops;
            seen.trace.extend(outcome.trace);
        }
        seen.digest = digest.value();
        seen.trace.sort_by_cached_key(TraceRow::order);
        seen.calls.sort_by_key(|(flow, _)| *flow);
        seen.intervals.sort_by_key(|(flow, ..)| *flow);
        seen.timings.sort_by_key(|(flow, _)| *flow);
        seen.pages.sort_by_key(|(flow, _)| *flow);
        seen.completions.sort_by_key(|(flow, _)| *flow);
        seen.unfinished.sort_by_key(|(flow, _)| *flow);
        seen.repeated_retransmissions.sort_by_key(|(flow, _)| *flow);
        seen.ports.sort_by_key(|(link, _)| *link);
        seen
    }
}

/// The observations of a run that has not begun.
fn nothing_seen(blueprint: &Blueprint) -> Observations {
    let without_counts = |LinkPlan { cells, port, .. }: &LinkPlan| {
        let causes = OptionalCauses { carries_cells: *cells, filters: port.scheduler.facts().filters, ..OptionalCauses::default() };
        LinkCounters { causes, ..LinkCounters::default() }
    };
    Observations {
        from: blueprint.warm_up,
        to: blueprint.end,
        flows: vec![FlowCounters::default(); blueprint.flows.len()],
        links: blueprint.links.iter().map(without_counts).collect(),
        samples: vec![Vec::new(); blueprint.samples.len()],
        meter_samples: vec![Vec::new(); blueprint.meter_samples.len()],
        ..Observations::default()
    }
}
