//! A switch: a node whose ports share a buffer, as one process that handles them in the order of time.
//!
//! An arrival finds the buffer as it is at its instant: every transmission that ended by then has freed its packet's bytes,
//! at whichever port. Within one instant: releases, messages, timers and sources, arrivals, service decisions, samples.

use crate::api::observations::TraceEvent;
use crate::endpoints::host_context::HostContext;
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::{Hop, Routes};
use crate::merge::tournament_tree::TournamentTree;
use crate::node::congestion_points::CongestionPoints;
use crate::node::host::Host;
use crate::node::ingress_pause::{ingress_of, IngressPause};
use crate::node::process::messages::receive_message;
use crate::node::process::Process;
use crate::node::reaction_point::{Passage, ReactionPoint};
use crate::node::source_quench::SourceQuench;
use crate::port::counters::Release;
use crate::port::transmit_batch::TransmitBatch;
use crate::port::Port;
use penstock_model::buffer::{AnyBuffer, Buffer, Occupancies};
use penstock_model::id::HopId;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;
use std::collections::VecDeque;

/// The state that the ports of a switch share.
pub struct Switch {
    /// The policy of the shared buffer; without one, every packet is admitted.
    buffer: Option<AnyBuffer>,
    occupancies: Occupancies,
    /// Per port, the transmissions under way, whose packets still hold memory.
    in_transmission: Vec<VecDeque<Release>>,
    /// The next event of each port.
    ready: TournamentTree<(Time, Due)>,
    pause: Option<IngressPause>,
    quench: Option<SourceQuench>,
    congestion_points: Option<CongestionPoints>,
    reaction_point: Option<ReactionPoint>,
    /// Per port, its own messages that have not left: they take none of the memory that is shared, since they are sent when it is
    /// full.
    own_packets: Vec<u64>,
    /// Packets that ports have dropped, until their sources are quenched.
    dropped: Vec<Packet>,
    /// Buffers for the transmit batch of the host, and for the releases of a port.
    batch: TransmitBatch,
    releases: Vec<Release>,
    /// What leaves the rate limiters at an instant.
    unlimited: Vec<(u32, Packet)>,
}

/// What the ports of a switch share, or do together.
#[derive(Default)]
pub struct SwitchParts {
    /// The policy of the shared buffer.
    pub buffer: Option<AnyBuffer>,
    /// Pauses the ports that feed it.
    pub pause: Option<IngressPause>,
    /// Tells sources of drops.
    pub quench: Option<SourceQuench>,
    /// Tell sources of their queues.
    pub congestion_points: Option<CongestionPoints>,
    /// Limits what is sent from here.
    pub reaction_point: Option<ReactionPoint>,
}

/// The kinds of events of a port, in the order of an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// A transmission ends.
    Release,
    /// A transmission may begin.
    Decision,
}

impl Switch {
    /// A switch of so many ports, with nothing in it.
    pub fn new(ports: usize, parts: SwitchParts) -> Switch {
        let SwitchParts { buffer, pause, quench, congestion_points, reaction_point } = parts;
        Switch {
            buffer,
            occupancies: Occupancies::new(ports),
            in_transmission: vec![VecDeque::new(); ports],
            ready: TournamentTree::new(ports, (Time::NEVER, Due::Decision)),
            pause,
            quench,
            congestion_points,
            reaction_point,
            own_packets: vec![0; ports],
            dropped: Vec::new(),
            batch: TransmitBatch::default(),
            releases: Vec::new(),
            unlimited: Vec::new(),
        }
    }

    /// When a port is due next.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.ready.first_key().0.min(self.next_unlimited())
    }

    /// When a rate limiter lets the next packet go.
    #[inline]
    fn next_unlimited(&self) -> Time {
        self.reaction_point.as_ref().map_or(Time::NEVER, ReactionPoint::next)
    }

    /// Packets that wait in rate limiters.
    pub fn limited(&self) -> u64 {
        self.reaction_point.as_ref().map_or(0, |point| point.waiting().count() as u64)
    }

    /// What the ports hold.
    pub fn occupancies(&self) -> &Occupancies {
        &self.occupancies
    }

    /// The congestion points at its ports.
    pub fn congestion_points(&self) -> Option<&CongestionPoints> {
        self.congestion_points.as_ref()
    }

    /// The rate limiters before its ports.
    pub fn reaction_point(&self) -> Option<&ReactionPoint> {
        self.reaction_point.as_ref()
    }

    /// Whether the ports share a buffer.
    pub fn has_buffer(&self) -> bool {
        self.buffer.is_some()
    }

    /// Whether rate limiters stand before its ports.
    pub fn has_reaction_point(&self) -> bool {
        self.reaction_point.is_some()
    }

    fn has_room(&self, port: usize, size: u32) -> bool {
        self.buffer.as_ref().is_none_or(|buffer| buffer.has_room(port, size, &self.occupancies))
    }

    /// A packet no longer holds memory.
    fn release(&mut self, port: usize, release: &Release, context: &mut Context<'_, '_>) {
        if is_own(&release.packet, context) {
            self.own_packets[port] -= 1;
            return;
        }
        self.occupancies.remove(port, release.packet.size);
        if let Some(pause) = &mut self.pause {
            pause.on_release(release.at, release.packet.size, release.packet.hop, context);
        }
    }

    /// Accounts for what `port` has done by `now`.
    fn update(&mut self, now: Time, port: usize, ports: &[Port], context: &mut Context<'_, '_>) {
        let mut releases = std::mem::take(&mut self.releases);
        for release in releases.drain(..) {
            if release.is_dropped && self.quench.is_some() {
                self.dropped.push(release.packet);
            }
            if release.at <= now {
                self.release(port, &release, context);
            } else {
                self.in_transmission[port].push_back(release);
            }
        }
        self.releases = releases;
        let decision = (ports[port].next_decision(), Due::Decision);
        let release = self.in_transmission[port].front().map_or(decision, |first| (first.at, Due::Release));
        self.ready.set(port, decision.min(release));
        self.check_occupancies(port, ports);
    }

    /// Held = waiting + in transmission at each port, and the sum of all ports is what is shared, after every event in debug
    /// builds.
    fn check_occupancies(&self, port: usize, ports: &[Port]) {
        if cfg!(debug_assertions) {
            let held = self.occupancies.of_port(port).packets + self.own_packets[port];
            assert_eq!(held, ports[port].backlog() + self.in_transmission[port].len() as u64, "held = waiting + in transmission");
            assert!(self.occupancies.adds_up(), "the sum of the ports is what is shared");
            assert!(self.buffer.as_ref().is_none_or(|buffer| self.occupancies.total().fits_into(buffer.size())), "never above its size");
        }
    }
}

impl Process {
    /// Handles all events at a switch up to and including `until`; returns when something is due next.
    #[inline(never)] // for the sake of visits to others
    pub(super) fn run_switch(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        let (max_events, before) = (routes.max_visit_events, self.own_events);
        loop {
            let sample = self.next_reading(inputs);
            let bound = until.min(sample);
            let Process { ports, host: Some(host), switch: Some(switch), record, .. } = self else {
                unreachable!("a switch has a host, for what its own messages and flows need")
            };
            let context = Context { routes, record, outputs };
            let host_context = HostContext { ports, is_switch: true, context };
            let mut run = SwitchRun { switch, host, host_context, hops: 0, own_events: 0 };
            let next = run.run(bound, inputs);
            let SwitchRun { hops, own_events, .. } = run;
            self.packet_hops += hops;
            self.own_events += own_events;
            if next <= bound || sample > until || sample == Time::NEVER {
                return next.min(sample);
            }
            self.take_samples(sample);
            self.own_events += 1;
            if self.own_events - before >= max_events {
                return next.min(self.next_sample());
            }
        }
    }
}

/// A switch while it runs.
struct SwitchRun<'s, 'a, 'b> {
    switch: &'s mut Switch,
    host: &'s mut Host,
    host_context: HostContext<'a, 'b>,
    hops: u64,
    own_events: u64,
}

impl SwitchRun<'_, '_, '_> {
    /// Handles all events up to and including `until`, one at a time, or up to an earlier instant if there are very many; returns
    /// when the next one is due.
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
                receive_message(Some(self.host), inputs, &mut self.host_context);
                self.own_events += 1;
                self.admit_from_host(now);
                (0..self.host_context.ports.len()).for_each(|port| self.update(now, port));
            } else if self.host.next() == now {
                self.run_host(now);
            } else if unlimited == now {
                self.run_reaction_point(now);
            } else if inputs.next() == now {
                self.process_arrivals(now, inputs);
            } else {
                let port = self.switch.ready.first();
                let HostContext { ports, context, .. } = &mut self.host_context;
                ports[port].decide(now, context);
                self.update(now, port);
            }
        }
    }

    /// Frees what is held for transmissions that have ended by `now`.
    fn release_until(&mut self, now: Time) {
        while self.switch.ready.first_key() <= (now, Due::Release) {
            let port = self.switch.ready.first();
            if let Some(release) = self.switch.in_transmission[port].pop_front() {
                self.switch.release(port, &release, &mut self.host_context.context);
            }
            self.update(now, port);
        }
    }

    /// Processes all packets that arrive at `now`: all of an instant must be consumed before anything else is read from inputs.
    fn process_arrivals(&mut self, now: Time, inputs: &mut Inputs) {
        loop {
            let front = inputs.front(now);
            let due = front.partition_point(|arrival| arrival.at <= now);
            if due == 0 {
                return;
            }
            for arrival in &front[..due] {
                self.on_arrival(arrival);
                // A transmission may take no time, and a receiver may answer at once.
                self.release_until(now);
                if self.host.next() <= now {
                    self.run_host(now);
                }
            }
            inputs.consume(due);
        }
    }

    /// Processes a packet that arrives over a link.
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
            context.record.trace(*now, self.host.place(), packet, TraceEvent::Receive);
            reaction.on_message(*now, packet.flow, point, feedback);
        } else if self.host.receive_packet(*now, packet, &mut self.host_context) {
            self.admit_from_host(*now);
        }
    }

    /// Runs the sources and timers of the host at `now`.
    fn run_host(&mut self, now: Time) {
        self.own_events += self.host.run(0, now, &mut self.host_context);
        self.admit_from_host(now);
    }

    /// Admits what flows at this node send at `now`.
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

    /// Lets a packet of the host pass the rate limiters, if there are any.
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
                ports[port].drop_for_limiter(*now, packet, context);
                ports[port].take_releases(&mut self.switch.releases);
                self.switch.releases.clear();
            }
        }
    }

    /// Lets the rate limiters' packets go that may at `now`.
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

    /// Enqueues a packet whose next hop is `hop` at its port, if there is room for it.
    fn admit(&mut self, arrival: &Arrival, hop: HopId, port: usize) {
        let Arrival { at: now, packet } = arrival;
        let SwitchRun { switch, host_context: HostContext { ports, context, .. }, .. } = self;
        if !switch.has_room(port, packet.size) {
            ports[port].drop_for_buffer(*now, packet, context);
            ports[port].take_releases(&mut switch.releases);
            switch.releases.clear();
            self.notify(*now, packet, port);
            return self.quench(*now, packet);
        }
        switch.occupancies.add(port, packet.size);
        if let Some(pause) = &mut switch.pause {
            pause.on_arrival(packet.size, hop, context);
        }
        ports[port].on_arrivals(std::iter::once((arrival, hop)), (*now, 1), context);
        self.update(*now, port);
        let SwitchRun { switch, host_context: HostContext { context, .. }, .. } = self;
        if let Some(pause) = &mut switch.pause {
            pause.pause_if_above(*now, hop, context);
        }
        self.notify(*now, packet, port);
    }

    /// Tells the source of a packet that has arrived at `port` how the queue stands, if it is a sample.
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
        ports[port].take_releases(&mut switch.releases);
        switch.update(now, port, ports, context);
        for packet in std::mem::take(&mut switch.dropped) {
            self.quench(now, &packet);
        }
    }

    /// Quenches the source of a packet that is dropped, if one is due.
    fn quench(&mut self, now: Time, packet: &Packet) {
        let quench = self.switch.quench.as_mut().and_then(|quench| quench.on_drop(now, packet));
        self.send_own(now, quench);
    }

    /// Sends a message of this switch by a port.
    fn send_own(&mut self, now: Time, message: Option<(u32, Packet)>) {
        if let Some((port, packet)) = message {
            self.host_context.context.record.trace(now, self.host.place(), &packet, TraceEvent::Send);
            let port = port as usize;
            self.switch.own_packets[port] += 1;
            let HostContext { ports, context, .. } = &mut self.host_context;
            ports[port].on_arrivals(std::iter::once((&Arrival { at: now, packet }, packet.hop)), (now, 1), context);
            self.update(now, port);
        }
    }
}

/// Whether a packet that is in a port here is a message of this switch, not one that passes.
fn is_own(packet: &Packet, context: &Context<'_, '_>) -> bool {
    matches!(packet.body, Body::SourceQuench { .. } | Body::CongestionNotification { .. })
        && ingress_of(packet.hop, context.routes).is_none()
}
