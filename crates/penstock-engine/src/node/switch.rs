//! A switch: a node whose ports share a buffer. One process handles all ports in time order. A host whose connections wait for its ports
//! runs in the same way, since a port serves waiting connections as soon as it has room.
//!
//! An arrival finds the buffer in its state at that instant: every transmission that has ended by then, at any port, has freed its
//! bytes. Order within one instant: releases, messages, timers and sources, arrivals, service decisions, samples.

use crate::api::observations::TraceEvent;
use crate::endpoints::host_context::HostContext;
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::{Hop, Routes};
use crate::node::host::Host;
use crate::node::process::messages::receive_message;
use crate::node::process::Process;
use crate::node::shared_state::{Due, Switch};
use penstock_model::discipline::DropCause;
use penstock_model::feedback::reaction_point::Passage;
use penstock_model::id::HopId;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;

impl Process {
    /// Handles all events at a switch up to and including `until`; returns the time of the next event.
    #[inline(never)] // keeps visits to other processes short
    pub(super) fn run_switch(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        let Process { ports, host: Some(host), switch: Some(switch), record, .. } = self else {
            unreachable!("a switch has a host, for what its own messages and flows need")
        };
        let host_context = HostContext { ports, keeps_batches: true, context: Context { routes, record, outputs } };
        let mut run = SwitchRun { switch, host, host_context, hops: 0, own_events: 0 };
        let next = run.run(until, inputs);
        let SwitchRun { hops, own_events, .. } = run;
        self.packet_hops += hops;
        self.own_events += own_events;
        next
    }
}

/// A switch while it runs.
pub(super) struct SwitchRun<'s, 'a, 'b> {
    pub(super) switch: &'s mut Switch,
    pub(super) host: &'s mut Host,
    pub(super) host_context: HostContext<'a, 'b>,
    pub(super) hops: u64,
    pub(super) own_events: u64,
}

impl SwitchRun<'_, '_, '_> {
    /// Handles all events up to and including `until`, one at a time, or up to an earlier instant if there are very many. Returns the time
    /// of the next event.
    fn run(&mut self, mut until: Time, inputs: &mut Inputs) -> Time {
        loop {
            let (due, kind) = self.switch.ready.first_key();
            let unlimited = self.switch.next_unlimited();
            let now = inputs.next().min(inputs.next_message()).min(self.host.next()).min(due).min(unlimited);
            if now > until || now == Time::NEVER {
                return now;
            }
            if self.hops + self.own_events >= self.host_context.max_events() {
                until = now;
            }
            if (due, kind) == (now, Due::Release) {
                self.release_until(now);
            } else if inputs.next_message() == now {
                let paused = receive_message(Some(self.host), inputs, &mut self.host_context);
                self.own_events += 1;
                self.admit_from_host(now);
                if let Some(port) = paused {
                    self.update(now, port as usize);
                }
            } else if self.host.next() == now {
                self.run_host(now);
            } else if unlimited == now {
                self.run_reaction_point(now);
            } else if inputs.next() == now {
                // If departures are computed on arrival, ports have no events between arrivals.
                let last = if self.switch.precomputes_departures() { until.min(inputs.next_message().before()) } else { now };
                self.process_arrivals(last, inputs);
            } else {
                let port = self.switch.ready.first();
                let HostContext { ports, context, .. } = &mut self.host_context;
                ports[port].decide(now, context);
                self.update(now, port);
            }
            self.serve_waiting_connections(now);
        }
    }

    /// Requests packets from waiting connections while a port has room.
    #[inline]
    fn serve_waiting_connections(&mut self, now: Time) {
        if self.switch.has_waiting_connections {
            while let Some((port, entry)) = self.switch.take_waiting(now, self.host_context.ports) {
                self.host.on_room(now, port as u32, entry.what, &mut self.host_context);
                self.own_events += 1;
                self.admit_from_host(now);
            }
        }
    }

    /// Frees the memory of transmissions that have ended by `now`, and runs pauses that are due.
    fn release_until(&mut self, now: Time) {
        while self.switch.ready.first_key() <= (now, Due::Release) {
            let port = self.switch.ready.first();
            let HostContext { ports, context, .. } = &mut self.host_context;
            if let Some(release) = self.switch.in_transmission[port].pop_front() {
                self.switch.release(port, &release, ports, context);
                self.update(now, port);
            } else if let Some(pause) = &mut self.switch.pause {
                pause.run(now, ports, context);
                self.own_events += 1;
                self.switch.note_pauses(ports);
            }
        }
    }

    /// Processes all packets that arrive up to and including `until`, and the events of the host until the last of them; or up to an
    /// earlier instant if there are very many. All arrivals of an instant must be consumed before anything else is read from the inputs.
    fn process_arrivals(&mut self, mut until: Time, inputs: &mut Inputs) {
        loop {
            let front = inputs.front(until);
            // Usually one is due.
            let due = front.iter().take_while(|arrival| arrival.at <= until).count();
            let Some(last) = front[..due].last().map(|last| last.at) else { return };
            for arrival in &front[..due] {
                self.run_host_until(arrival.at);
                self.on_arrival(arrival);
                // A transmission may take no time, as may that of a receiver's immediate reply.
                self.release_until(arrival.at);
            }
            self.run_host_until(last);
            inputs.consume(due);
            if last < until && self.hops + self.own_events >= self.host_context.max_events() {
                until = until.min(inputs.pause());
            }
        }
    }

    /// Processes a packet that arrives over a link.
    #[inline]
    fn on_arrival(&mut self, arrival: &Arrival) {
        let Arrival { at: now, packet } = arrival;
        let HostContext { context, .. } = &mut self.host_context;
        context.record.digest.packet(*now, packet, 0);
        self.hops += 1;
        let port = context.routes.hop(packet.hop).port;
        if port != Hop::DELIVER {
            self.admit(arrival, packet.hop.next(), port as usize);
        } else if let (Body::CongestionNotification { point, feedback, .. }, Some(reaction)) =
            (packet.body, &mut self.switch.reaction_point)
        {
            context.record.trace(*now, self.host.place, packet, TraceEvent::Receive);
            reaction.on_message(*now, packet.flow, point, feedback);
        } else if self.host.receive_packet(*now, packet, &mut self.host_context) {
            self.admit_from_host(*now);
        }
    }

    fn run_host_until(&mut self, until: Time) {
        while self.host.next() <= until {
            self.run_host(self.host.next());
        }
    }

    /// Runs the sources and timers of the host at `now`.
    fn run_host(&mut self, now: Time) {
        self.own_events += self.host.run(0, now, &mut self.host_context);
        self.admit_from_host(now);
    }

    /// Admits the packets that flows at this node send at `now`.
    fn admit_from_host(&mut self, now: Time) {
        for port in 0..self.host_context.ports.len() {
            let mut batch = std::mem::take(&mut self.switch.batch);
            self.host_context.ports[port].swap_transmit_batch(&mut batch);
            for arrival in batch.packets() {
                debug_assert_eq!(arrival.at, now, "the host runs at each instant");
                self.limit(arrival, port);
            }
            batch.clear();
            self.host_context.ports[port].swap_transmit_batch(&mut batch);
            self.switch.batch = batch;
        }
    }

    /// Passes a packet of the host through the rate limiters, if there are any.
    fn limit(&mut self, arrival: &Arrival, port: usize) {
        let Arrival { at: now, packet } = arrival;
        let passage = match &mut self.switch.reaction_point {
            None => return self.admit(arrival, packet.hop, port),
            Some(point) => point.pass(*now, packet, port as u32),
        };
        match passage {
            Passage::Passes(packet) => self.admit(&Arrival { at: *now, packet }, packet.hop, port),
            Passage::Waits => {}
            Passage::Dropped => {
                let HostContext { ports, context, .. } = &mut self.host_context;
                ports[port].drop_arrival(*now, packet, DropCause::Limiter, context);
            }
        }
    }

    /// Admits the packets that rate limiters release at `now`.
    fn run_reaction_point(&mut self, now: Time) {
        let mut list = std::mem::take(&mut self.switch.unlimited);
        if let Some(point) = &mut self.switch.reaction_point {
            point.run(now, &mut list);
        }
        self.own_events += 1;
        for (port, packet) in list.drain(..) {
            self.admit(&Arrival { at: now, packet }, packet.hop, port as usize);
        }
        self.switch.unlimited = list;
    }

    /// Enqueues a packet with next hop `hop` at its port if there is room for it; drops it otherwise.
    fn admit(&mut self, arrival: &Arrival, hop: HopId, port: usize) {
        if self.switch.precomputes_departures() {
            return self.admit_until_departure(arrival, hop, port);
        }
        let Arrival { at: now, packet } = arrival;
        let SwitchRun { switch, host_context: HostContext { ports, context, .. }, .. } = self;
        let has_room = switch.has_room(port, packet.size);
        let is_headroom = switch.pause.as_ref().is_some_and(|pause| pause.takes_headroom(has_room, packet, hop, context.routes));
        if !has_room && !is_headroom {
            let has_headroom = switch.pause.as_ref().is_some_and(|pause| pause.has_headroom(packet, hop, context.routes));
            let cause = if has_headroom { DropCause::Headroom } else { DropCause::Buffer };
            ports[port].drop_arrival(*now, packet, cause, context);
            self.notify(*now, packet, port);
            return self.quench(*now, packet);
        }
        match is_headroom {
            false => switch.occupancies.add(port, packet.size),
            true => switch.occupancies.add_beside(port, packet.size),
        }
        if let Some(pause) = &mut switch.pause {
            pause.on_arrival(packet, hop, is_headroom, context.routes);
        }
        ports[port].on_arrivals(std::iter::once((arrival, hop)), (*now, 1), context);
        self.update(*now, port);
        let SwitchRun { switch, host_context: HostContext { ports, context, .. }, .. } = self;
        if let Some(pause) = &mut switch.pause {
            pause.pause_if_above(*now, packet, hop, ports, context);
            switch.note_pauses(ports);
        }
        self.notify(*now, packet, port);
    }

    /// Samples a packet that has arrived at `port`, and sends feedback about the queue to its source if the congestion point requests it.
    #[inline]
    fn notify(&mut self, now: Time, packet: &Packet, port: usize) {
        if let Some(points) = &mut self.switch.congestion_points {
            let port_queue = &self.host_context.ports[port];
            let waiting = (port_queue.backlog() as u32, port_queue.backlog_bytes());
            let message = points.on_arrival(now, packet, port, waiting);
            self.send_own(now, message);
        }
    }

    fn update(&mut self, now: Time, port: usize) {
        let SwitchRun { switch, host_context: HostContext { ports, context, .. }, .. } = self;
        switch.update(now, port, ports, context);
        for packet in std::mem::take(&mut switch.dropped) {
            self.quench(now, &packet);
        }
    }

    /// Sends a quench to the source of a dropped packet, if one is due.
    fn quench(&mut self, now: Time, packet: &Packet) {
        let quench = self.switch.quench.as_mut().and_then(|quench| quench.on_drop(now, packet));
        self.send_own(now, quench);
    }

    /// Sends a message of this switch, if there is one, through a port.
    fn send_own(&mut self, now: Time, message: Option<(u32, Packet)>) {
        if let Some((port, packet)) = message {
            self.host_context.context.record.trace(now, self.host.place, &packet, TraceEvent::Send);
            let port = port as usize;
            self.switch.own_packets[port] += 1;
            let HostContext { ports, context, .. } = &mut self.host_context;
            ports[port].on_arrivals(std::iter::once((&Arrival { at: now, packet }, packet.hop)), (now, 1), context);
            self.update(now, port);
        }
    }
}
