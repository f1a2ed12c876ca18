//! A host: the endpoints of flows at a node, with their timers and counts.

mod calls;
mod construction;
mod emission;
mod reception;
pub mod state;

use crate::api::observations::{Observations, TraceEvent};
use crate::endpoints::calls::egress::CallsEgress;
use crate::endpoints::calls::ingress::CallsIngress;
use crate::endpoints::custom::CustomEndpoints;
use crate::endpoints::emitter::{Due, Emitter};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::open_loop::{OpenLoopSink, OpenLoopSource};
use crate::endpoints::roce::RoceEndpoints;
use crate::endpoints::tcp::TcpEndpoints;
use crate::endpoints::timers::{TimerKind, Timers};
use crate::kernel::event::Arrival;
use crate::kernel::journal::Measurement;
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::kernel::route::Routes;
use crate::merge::tournament_tree::TournamentTree;
use crate::port::waiting::Waiting;
use penstock_model::id::{FlowId, ProcessId};
use penstock_model::prefetch::prefetch;
use penstock_model::units::Time;
use std::any::Any;

/// The endpoints at one node.
#[derive(Clone)]
pub struct Host {
    /// Whether this node forwards packets to other nodes.
    pub forwards: bool,
    /// Messages of switches may arrive for flows that are sent from here.
    pub may_be_quenched: bool,
    /// Index of this node in traces.
    pub place: u32,
    measured: Measurement,
    emitter: Emitter<PeriodicPacket>,
    /// Timers of all endpoints: the only events that a received packet can cause.
    pub timers: Timers,
    sources: Vec<OpenLoopSource>,
    sinks: Vec<OpenLoopSink>,
    /// Ends of TCP connections.
    pub connections: TcpEndpoints,
    /// Ends of RoCE connections.
    pub roce: RoceEndpoints,
    /// Ends of connections whose transport is a plug-in.
    pub custom: CustomEndpoints,
    /// At least one end of a connection is here.
    has_connections: bool,
    calls: Vec<CallsIngress>,
    /// The next event of each aggregate, if there are several.
    calls_due: TournamentTree<Time>,
    next_call_event: Time,
    egresses: Vec<CallsEgress>,
    /// All endpoints here belong to calls, and egresses only sample packets for marks.
    has_only_sampled_calls: bool,
    /// All endpoints here are egresses of calls, which at times send nothing for a while.
    may_be_silent: bool,
    /// Number of calls of each group with aggregates that end here, with the group; for admission by counting.
    counted_calls: Vec<(u32, u32)>,
}

impl Host {
    /// Whether all endpoints here send or receive datagrams. An arrival is then only forwarded or counted.
    pub fn has_only_datagrams(&self) -> bool {
        !self.has_connections && self.calls.is_empty() && self.egresses.is_empty() && !self.may_be_quenched
    }

    /// Time of the next source, timer or event of calls.
    #[inline]
    pub fn next(&self) -> Time {
        self.emitter.next().min(self.timers.next()).min(self.next_call_event)
    }

    /// Lower bound on the time at which this host sends anything that is answered, if it only receives replies; zero for any other host.
    /// `silent_before` is [`Host::silent_before_packet`] of the far end of an aggregate.
    pub fn quiet_until(&self, silent_before: impl Fn(ProcessId, FlowId) -> Option<u32>) -> Time {
        let has_only_calls = self.sources.is_empty() && self.sinks.is_empty() && !self.has_connections;
        if !has_only_calls || !self.egresses.is_empty() || self.forwards {
            return Time::ZERO;
        }
        self.calls.iter().map(|calls| calls.quiet_until(&silent_before)).min().unwrap_or(Time::ZERO)
    }

    /// Total number (mod 2^32) of packets of `flow`, an aggregate of calls that ends here, that must arrive before this host sends anything
    /// back; `None` if something else can cause it to send.
    pub fn silent_before_packet(&self, flow: FlowId, routes: &Routes) -> Option<u32> {
        self.egresses.get(routes.flow(flow).sink as usize).filter(|end| end.received.flow == flow)?.egress.silent_before_packet()
    }

    /// Lower bound on the time at which this host sends anything, whatever arrives from `now` on; zero if it is never later than `now`.
    #[inline]
    pub fn silent_until(&self, now: Time) -> Time {
        if !self.may_be_silent || self.forwards {
            return Time::ZERO;
        }
        self.egresses.iter().map(|end| end.egress.silent_until(now)).min().unwrap_or(Time::ZERO)
    }

    /// Prefetches the memory of a host: see [`crate::kernel::logical_process::WindowProcess::prefetch`].
    #[inline]
    pub fn prefetch(&self, stage: usize, last: Option<&Arrival>, routes: &Routes) {
        if stage == 1 {
            prefetch(&self.emitter);
            prefetch(&self.timers);
            prefetch(&self.connections);
            prefetch(&self.next_call_event);
            prefetch(&self.calls);
            prefetch(&self.roce);
        } else if let Some(arrival) = last {
            self.connections.prefetch(stage, &arrival.packet, routes);
        }
    }

    /// Whether a connection sends `flow` from here, and its sender is in this slot of its transport.
    pub fn has_sender(&self, flow: FlowId, slot: u32) -> bool {
        self.connections.has_sender(flow, slot) || self.roce.has_sender(flow, slot) || self.custom.has_sender(flow, slot)
    }

    /// Sets the parameters of the sender of `flow`, in this slot of its transport, from `now` on.
    pub fn change_sender(&mut self, now: Time, (flow, slot): (FlowId, u32), parameters: &dyn Any) {
        if self.connections.has_sender(flow, slot) {
            self.connections.change(now, slot, parameters);
        } else if self.roce.has_sender(flow, slot) {
            self.roce.change(now, slot, parameters);
        } else if self.custom.has_sender(flow, slot) {
            self.custom.change(now, slot, parameters);
        }
    }

    /// Notifies a sender that a port has room for its packet, or sends a reply that waited for room in the port.
    pub fn on_room(&mut self, now: Time, port: u32, what: Waiting, host_context: &mut HostContext<'_, '_>) {
        match what {
            Waiting::Sender(TimerKind::Roce, slot) => self.roce.on_room(now, slot, &mut self.timers, host_context),
            Waiting::Sender(_, slot) => self.connections.on_room(now, slot, &mut self.timers, host_context),
            Waiting::Answer(packet) => {
                host_context.context.record.trace(now, self.place, &packet, TraceEvent::Send);
                host_context.send(now, port, &packet);
            }
        }
    }

    /// Handles all events up to and including `until`, before which no message or packet arrives, or up to an earlier instant if there are
    /// very many. Returns the number of events, added to `events`.
    #[inline]
    pub fn run(&mut self, mut events: u64, mut until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        loop {
            // A packet of an open-loop source causes no other event here.
            let others = self.timers.next().min(self.next_call_event);
            let bound = others.min(until.after());
            if self.emitter.next() < bound {
                events += self.emit_before(bound, host_context);
            }
            let now = others.min(self.emitter.next());
            if now > until || now == Time::NEVER {
                return events;
            }
            events += self.on_due(now, until, host_context);
            if events >= host_context.max_events() {
                until = until.min(self.next());
            }
        }
    }

    /// Handles the first event at `now`: a source or timer, in the order of flows; if there is none, the events of an aggregate of calls,
    /// up to `until` as long as no other event precedes. Returns the number of events.
    fn on_due(&mut self, now: Time, until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let (emission, timer) = (self.emitter.next(), self.timers.next());
        let Due { at, tie, flow, .. } = self.emitter.first();
        if emission <= now && self.timers.peek().is_none_or(|timer| (at, tie, flow) <= (timer.at, timer.tie, timer.flow)) {
            return self.emit(emission.after(), 1, false, host_context) as u64;
        }
        if timer <= now {
            self.on_timer(now, host_context);
            return 1;
        }
        let (slot, alone) = if self.calls.len() == 1 { (0, until) } else { (self.calls_due.first(), now) };
        let events = self.calls[slot].run(alone.min(emission.min(timer).before()), host_context);
        self.update_calls_due(slot);
        events
    }

    /// Handles the first timer, which is due at `now`.
    fn on_timer(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        let Some(timer) = self.timers.pop() else { return };
        if timer.kind == TimerKind::Roce {
            return self.roce.on_sender_timer(now, &timer, &mut self.timers, host_context);
        }
        if matches!(timer.kind, TimerKind::CustomSender | TimerKind::CustomReceiver) {
            return self.custom.on_timer(now, &timer, &mut self.timers, host_context);
        }
        if timer.kind != TimerKind::Egress {
            return self.connections.on_timer(now, &timer, &mut self.timers, host_context);
        }
        let end = &mut self.egresses[timer.slot as usize];
        if end.armed != timer.at {
            return;
        }
        end.armed = Time::NEVER;
        if end.deadline() <= now {
            host_context.context.record.trace_timer(now, self.place, timer.flow, timer.kind);
            end.on_timer(now, host_context);
        }
        self.arm_egress(timer.slot);
    }

    /// Arms the timer of an egress again.
    #[inline]
    fn arm_egress(&mut self, slot: u32) {
        let end = &mut self.egresses[slot as usize];
        self.timers.arm(end.deadline(), &mut end.armed, end.received.flow.0, TimerKind::Egress, slot);
    }

    /// Writes the counts of this host's endpoints to the results.
    pub fn report(self, observations: &mut Observations) {
        for mut end in self.calls {
            end.finish(self.measured.to);
            let counters = &mut observations.flows[end.flow().index()];
            counters.sent = end.sent();
            observations.calls.push((end.flow(), end.counters));
        }
        for end in self.egresses {
            if let Some(intervals) = end.intervals {
                observations.intervals.push((end.received.flow, intervals.every, intervals.bytes));
            }
            end.received.report(observations);
        }
        self.sources.iter().for_each(|end| observations.flows[end.template.flow.index()].sent = end.sent(self.measured));
        self.sinks.into_iter().for_each(|end| end.received.report(observations));
        self.connections.report_repeats(observations);
        self.connections.report(observations);
        self.roce.report(observations);
        self.custom.report(observations);
    }
}
