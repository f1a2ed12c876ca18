//! A process: a router's port, a host with all its interfaces, or a [switch](crate::node::switch). Its entry point is [`Process::run`].
//!
//! Order within one instant: releases of transmissions that end, messages, timers (by flow and kind), arrivals (by input, then in the
//! sender's order), service decisions, changes of parameters, samples. No process reads the state of another one.

pub mod changes;
mod host_loop;
pub mod messages;
pub mod outcome;
pub mod ports;
mod router_port;
pub mod series;

use crate::api::blueprint::{Blueprint, SwitchPlan};
use crate::api::series::{SeriesPlan, SeriesRow};
use crate::endpoints::host_context::HostContext;
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::journal::Journal;
use crate::kernel::logical_process::{EarliestOutput, LogicalProcess, WindowProcess};
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use crate::node::aal5::Aal5;
use crate::node::host::Host;
use crate::node::process::changes::{Changed, Changes};
use crate::node::process::host_loop::run_host;
use crate::node::process::messages::receive_message;
use crate::node::process::ports::Ports;
use crate::node::process::router_port::forward;
use crate::node::process::series::{Observed, Observers};
use crate::node::shared_state::Switch;
use crate::node::transit_loop;
use crate::port::Port;
use penstock_model::id::{NodeId, ProcessId};
use penstock_model::parameters::Limit;
use penstock_model::prefetch::prefetch;
use penstock_model::units::Time;

/// A process. The fields that every visit needs come first.
#[repr(C, align(128))]
#[derive(Clone)]
pub struct Process {
    pub(super) packet_hops: u64,
    /// The digest and the trace.
    pub record: Journal,
    /// The ports.
    pub ports: Ports,
    /// The host, if flows begin or end here or the ports share something.
    pub host: Option<Box<Host>>,
    /// Number of events other than arrivals of packets: sources, timers, messages, samples.
    pub(super) own_events: u64,
    /// No event-driven port, shared state, cells, samples or changes: only arrivals, messages, sources and timers.
    is_plain: bool,
    /// Messages may pause one of the ports.
    is_pausable: bool,
    /// A path of messages begins here: the process may send at any time, without a wire.
    pub sends_messages: bool,
    /// State that the ports share, such as a buffer or pauses, if any.
    pub(super) switch: Option<Box<Switch>>,
    /// Segmentation and reassembly, if this is an end of AAL5.
    pub(super) aal5: Option<Box<Aal5>>,
    /// The samples and time series.
    pub observers: Observers,
    changes: Changes,
    /// Name of the node for a host, or of the link for a router's port.
    name: String,
}

impl Process {
    /// Names of the kinds of its ports.
    pub fn port_kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.ports.iter().map(|port| if self.switch.is_some() { "of-switches" } else { port.kind() })
    }

    /// Creates a process with these ports, and with a host if flows begin or end here.
    pub fn new(name: String, ports: Vec<Port>, host: Option<Box<Host>>, blueprint: &Blueprint) -> Process {
        let mut record = Journal::new(blueprint.trace);
        record.digest.name(&name);
        Process {
            is_plain: ports.iter().all(Port::precomputes_departures),
            name,
            ports: Ports::new(ports),
            host,
            switch: None,
            aal5: None,
            observers: Observers::default(),
            changes: Changes::default(),
            is_pausable: false,
            sends_messages: false,
            record,
            packet_hops: 0,
            own_events: 0,
        }
    }

    /// Makes the ports share the state in `switch`.
    pub fn share(&mut self, mut switch: Switch) {
        if self.ports.iter().all(Port::precomputes_departures) {
            switch.precompute_departures(self.ports.len());
        } else {
            self.ports.iter_mut().for_each(Port::report_releases);
        }
        self.switch = Some(Box::new(switch));
        self.is_plain = false;
    }

    /// Enables connections of the host to wait for room in its ports. The process then handles its ports in time order, like a switch.
    /// `limits` has, for each port, the limits of its queues.
    pub fn let_connections_wait(&mut self, node: NodeId, limits: impl Iterator<Item = Vec<Vec<Limit>>>) {
        if self.switch.is_none() {
            self.share(Switch::new(SwitchPlan::new(node), self.ports.len(), None));
        }
        self.switch.iter_mut().for_each(|switch| switch.has_waiting_connections = true);
        self.ports.iter_mut().zip(limits).for_each(|(port, limits)| port.let_connections_wait(&limits));
    }

    /// Makes the process an end of AAL5.
    pub fn make_aal5_end(&mut self, aal5: Aal5) {
        self.aal5 = Some(Box::new(aal5));
        self.is_plain = false;
    }

    /// Enables messages to pause port `port`.
    pub fn make_pausable(&mut self, port: u32) {
        self.ports[port as usize].make_pausable();
        self.is_pausable = true;
    }

    /// Schedules new parameters of a port or sender from `at` on. Does nothing if it has none that can change: an executor may rely on a
    /// process that only forwards.
    pub fn change(&mut self, at: Time, changed: Changed) {
        if changed.is_changeable() {
            self.changes.add(at, changed);
            self.is_plain = false;
        }
    }

    /// Observes a subject at this process, according to the plan with index `number`.
    pub fn observe(&mut self, observed: Observed, plan: &SeriesPlan, number: u32) {
        self.observers.add(observed, plan, number);
        self.is_plain = false;
    }

    /// Does the same as [`Process::run_plain`] for processes that are not plain. Changes of parameters and samples come last at an instant.
    #[inline(never)] // keeps other visits short
    fn run_with_samples(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        let before = self.own_events;
        loop {
            // Any event may be a change that a series reads.
            let follows = self.observers.follow_changes();
            let sample = if follows { LogicalProcess::next(self, inputs) } else { self.next_sample() };
            let bound = until.min(sample);
            let next = match self.switch {
                None => self.run_with_decisions(bound, inputs, outputs, routes),
                Some(_) => self.run_switch(bound, inputs, outputs, routes),
            };
            if next <= bound || sample > until || sample == Time::NEVER {
                return next.min(sample);
            }
            self.take_samples(sample);
            self.own_events += 1;
            if self.own_events - before >= routes.max_visit_events {
                return LogicalProcess::next(self, inputs);
            }
        }
    }

    /// Does the same as [`Process::run_plain`], and takes the decisions of ports.
    fn run_with_decisions(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        let handled = self.packet_hops + self.own_events;
        let next = self.run_plain(handled, until, inputs, outputs, routes);
        // If the visit ends early, the remaining events come before later decisions.
        let decided = until.min(next.before());
        for port in &mut *self.ports {
            port.decide(decided, &mut Context { routes, record: &mut self.record, outputs });
        }
        next.min(self.next_decision())
    }

    /// Handles messages, timers, sources and arrivals up to and including `until`, in this order at each instant, or up to an earlier
    /// instant if there are very many. Returns the time of the next one. `before` is the number of events handled before this call.
    #[inline]
    fn run_plain(&mut self, before: u64, mut until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        let context = Context { routes, record: &mut self.record, outputs };
        let host_context = &mut HostContext { ports: &mut self.ports, keeps_batches: self.aal5.is_some(), context };
        let Some(host) = self.host.as_deref_mut() else {
            loop {
                let message = inputs.next_message();
                self.packet_hops += forward(until.min(message.before()), inputs, host_context);
                if message > until || message == Time::NEVER || inputs.next() < message {
                    return inputs.next().min(message);
                }
                receive_message(None, inputs, host_context);
                self.own_events += 1;
            }
        };
        let has_loops = self.aal5.is_none() && host_context.context.record.is_untraced();
        let has_only_datagrams = has_loops && host.has_only_datagrams();
        let has_calls_beside_transit = has_loops && host.has_calls_beside_transit();
        loop {
            let message = inputs.next_message();
            if has_only_datagrams || has_calls_beside_transit {
                let run = if has_only_datagrams { transit_loop::run_datagrams } else { transit_loop::run_calls };
                let (hops, events) = run(host, until.min(message.before()), inputs, host_context);
                self.packet_hops += hops;
                self.own_events += events;
                if hops + events >= routes.max_visit_events {
                    until = until.min(next_instant(host, inputs));
                }
            }
            let next = inputs.next().min(host.next());
            if next.min(message) > until || next.min(message) == Time::NEVER {
                match &mut self.aal5 {
                    None => host_context.drain_transmit_batch(),
                    Some(aal5) => aal5.send(host_context),
                }
                return next.min(message);
            }
            let handled = if message <= next {
                receive_message(Some(host), inputs, host_context);
                self.own_events += 1;
                self.packet_hops + self.own_events - before
            } else {
                let before_message = until.min(message.before());
                let (hops, events) = run_host(host, self.aal5.as_deref_mut(), before_message, inputs, host_context);
                self.aal5.iter_mut().for_each(|aal5| aal5.send(host_context));
                self.packet_hops += hops;
                self.own_events += events;
                hops + events
            };
            if handled >= routes.max_visit_events {
                until = until.min(next_instant(host, inputs));
            }
        }
    }

    fn next_decision(&self) -> Time {
        self.ports.iter().map(Port::next_decision).min().unwrap_or(Time::NEVER)
    }

    /// Time of the next event of a port or switch; also of the next release of memory, if series follow changes.
    fn next_of_ports(&self) -> Time {
        match &self.switch {
            None => self.next_decision(),
            Some(switch) if self.observers.follow_changes() => switch.next_event().min(switch.next_departure()),
            Some(switch) => switch.next_event(),
        }
    }

    /// Time of the next known change of parameters, sample, or reading of a series.
    fn next_sample(&self) -> Time {
        let next = self.changes.next();
        if self.observers.is_empty() {
            next
        } else {
            next.min(self.observers.next()).min(self.observers.next_change(&self.ports))
        }
    }

    fn take_samples(&mut self, now: Time) {
        self.changes.make(now, &mut self.ports, self.host.as_deref_mut(), self.switch.as_deref_mut());
        self.switch.iter_mut().for_each(|switch| switch.free_all(now));
        self.observers.read(now, &mut self.ports, self.host.as_deref(), self.switch.as_deref());
    }

    /// Reads the series on request into `rows`, after all events up to and including `now`.
    pub fn read_series(&mut self, now: Time, rows: &mut Vec<SeriesRow>) {
        if !self.observers.is_empty() {
            self.switch.iter_mut().for_each(|switch| switch.free_all(now));
            self.observers.read_requested(now, &mut self.ports, self.host.as_deref(), self.switch.as_deref(), rows);
        }
    }

    /// Number of packets at the ports and in rate limiters that are not yet in flight to another process.
    pub fn unsent(&self) -> u64 {
        self.ports.iter().map(Port::unsent).sum::<u64>() + self.switch.as_ref().map_or(0, |switch| switch.limited())
    }
}

/// Time of the next event of a host whose loop may have stopped early.
#[cold]
#[inline(never)]
fn next_instant(host: &Host, inputs: &mut Inputs) -> Time {
    inputs.pause().min(host.next()).min(inputs.next_message())
}

impl LogicalProcess for Process {
    #[inline]
    fn next(&self, inputs: &Inputs) -> Time {
        let next = match &self.host {
            Some(host) => inputs.next().min(host.next()).min(inputs.next_message()),
            None => inputs.next(),
        };
        if self.is_plain {
            next
        } else {
            next.min(inputs.next_message()).min(self.next_of_ports()).min(self.next_sample())
        }
    }

    fn run(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> (Time, u64) {
        let before = self.packet_hops + self.own_events;
        let next = if self.is_plain {
            self.run_plain(before, until, inputs, outputs, routes)
        } else {
            self.run_with_samples(until, inputs, outputs, routes)
        };
        (next, self.packet_hops + self.own_events - before)
    }

    #[inline]
    fn eot<'a>(
        &self,
        now: Time,
        receiver: Option<ProcessId>,
        peer: impl Fn(ProcessId) -> Option<&'a Process>,
        routes: &Routes,
    ) -> EarliestOutput {
        let differs_by_receiver = !self.sends_messages && self.ports.len() > 1;
        let mut eot = EarliestOutput { of_all: Time::ZERO, of_requests: Time::ZERO, differs_by_receiver };
        if !self.sends_messages {
            let feeds = |port: &&Port| receiver.is_none_or(|receiver| port.only_channel.is_none_or(|(only, _)| only == receiver));
            // One port that is free decides.
            let mut ports = self.ports.iter().filter(feeds).map(Port::free_at);
            eot.of_all = ports.try_fold(Time::NEVER, |first, free_at| (free_at > now).then(|| first.min(free_at))).unwrap_or(Time::ZERO);
        }
        if let Some(host) = self.host.as_ref().filter(|_| !self.is_pausable && self.switch.is_none()) {
            eot.of_all = eot.of_all.max(host.silent_until(now));
            eot.of_requests = host.quiet_until(|process, flow| peer(process)?.host.as_ref()?.silent_before_packet(flow, routes));
        }
        eot
    }
}

impl WindowProcess for Process {
    #[inline(always)]
    fn prefetch_port(&self, stage: usize) {
        if stage == 0 {
            prefetch(self);
        }
        if let Ports::One(port) = &self.ports {
            port.prefetch(stage + 1);
        }
    }

    #[inline]
    fn prefetch(&self, stage: usize, last: Option<&Arrival>, routes: &Routes) {
        if stage == 0 {
            prefetch(self);
            prefetch(&self.host);
            last.into_iter().for_each(|arrival| routes.prefetch_flow(arrival.packet.flow));
            return;
        }
        if let Some(host) = &self.host {
            host.prefetch(stage, last, routes);
        }
        if let Some(port) = self.ports.first().filter(|_| stage <= 2) {
            port.prefetch(stage);
            if self.host.is_some() {
                port.prefetch_transmit_batch(stage);
            }
        }
    }

    fn is_hot_port(&self) -> bool {
        let is_alone = self.host.is_none() && self.switch.is_none() && self.aal5.is_none();
        let is_undisturbed = self.is_plain && !self.is_pausable && !self.sends_messages;
        is_alone && is_undisturbed && matches!(&self.ports, Ports::One(port) if port.only_queues())
    }

    #[inline(always)]
    fn forward(&mut self, Arrival { at, packet }: &Arrival) -> Option<Time> {
        let Ports::One(port) = &mut self.ports else { unreachable!("a hot port is the only one of its process") };
        self.record.digest.packet(*at, packet, 0);
        self.packet_hops += 1;
        let (at, _) = port.enqueue_fifo(*at, packet, &mut self.record)?;
        (at != Time::NEVER).then_some(at)
    }
}
