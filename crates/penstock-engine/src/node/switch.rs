//! A switch: a node whose ports share a buffer, as one process that handles them in the order of time.
//!
//! An arrival finds the buffer as it is at its instant: every transmission that ended by then has freed its packet's bytes,
//! at whichever port. Within one instant: releases, messages, timers and sources, arrivals, service decisions, samples.

use crate::endpoints::host_context::HostContext;
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::{Hop, Routes};
use crate::merge::tournament_tree::TournamentTree;
use crate::node::host::Host;
use crate::node::ingress_pause::IngressPause;
use crate::node::process::{on_message, Process};
use crate::port::counters::Release;
use crate::port::transmit_batch::TransmitBatch;
use crate::port::Port;
use penstock_model::buffer::{AnyBuffer, Buffer, Occupancies};
use penstock_model::id::HopId;
use penstock_model::units::Time;
use std::collections::VecDeque;

/// What the ports of a switch share.
pub struct Switch {
    /// Decides what is let in; everything is if there is none.
    buffer: Option<AnyBuffer>,
    occupancies: Occupancies,
    /// Per port, the transmissions under way, whose packets still hold memory.
    in_transmission: Vec<VecDeque<Release>>,
    /// What each port is due for next.
    ready: TournamentTree<(Time, Due)>,
    pause: Option<IngressPause>,
    /// Room for what the host hands over, and for what a port reports.
    batch: TransmitBatch,
    releases: Vec<Release>,
}

/// What a port is due for, in the order of an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// A transmission ends.
    Release,
    /// A transmission may begin.
    Decision,
}

impl Switch {
    /// A switch of so many ports, with nothing in it.
    pub fn new(ports: usize, buffer: Option<AnyBuffer>, pause: Option<IngressPause>) -> Switch {
        Switch {
            buffer,
            occupancies: Occupancies::new(ports),
            in_transmission: vec![VecDeque::new(); ports],
            ready: TournamentTree::new(ports, (Time::NEVER, Due::Decision)),
            pause,
            batch: TransmitBatch::default(),
            releases: Vec::new(),
        }
    }

    /// When a port is due next.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.ready.first_key().0
    }

    /// Whether it may send messages, which need no wire.
    pub fn signals(&self) -> bool {
        self.pause.is_some()
    }

    /// Whether the ports share a buffer.
    pub fn has_buffer(&self) -> bool {
        self.buffer.is_some()
    }

    fn has_room(&self, port: usize, size: u32) -> bool {
        self.buffer.as_ref().is_none_or(|buffer| buffer.has_room(port, size, &self.occupancies))
    }

    /// A packet no longer holds memory.
    fn release(&mut self, port: usize, release: &Release, context: &mut Context<'_, '_>) {
        self.occupancies.remove(port, release.packet.size);
        if let Some(pause) = &mut self.pause {
            pause.on_release(release.at, release.packet.size, release.packet.hop, context);
        }
    }

    /// Takes account of what `port` has done by `now`.
    fn settle(&mut self, now: Time, port: usize, ports: &[Port], context: &mut Context<'_, '_>) {
        let mut releases = std::mem::take(&mut self.releases);
        for release in releases.drain(..) {
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
            let held = self.occupancies.of_port(port).packets;
            assert_eq!(held, ports[port].backlog() + self.in_transmission[port].len() as u64, "held = waiting + in transmission");
            assert!(self.occupancies.adds_up(), "the sum of the ports is what is shared");
            assert!(self.buffer.as_ref().is_none_or(|buffer| self.occupancies.total().fits_into(buffer.size())), "never above its size");
        }
    }
}

impl Process {
    /// Does everything that is due at a switch up to and including `until`; returns when something is due next.
    pub(super) fn run_switch(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        loop {
            let sample = self.next_sample();
            let Process { ports, host: Some(host), switch: Some(switch), record, .. } = self else {
                unreachable!("a switch has a host, for what its own messages and flows need")
            };
            let context = Context { routes, record, outputs };
            let host_context = HostContext { ports, is_switch: true, context };
            let mut visit = Visit { switch, host, host_context, hops: 0, own: 0 };
            let next = visit.run(until.min(sample), inputs);
            let Visit { hops, own, .. } = visit;
            self.packet_hops += hops;
            self.own += own;
            if sample > until || sample == Time::NEVER {
                return next.min(sample);
            }
            self.take_samples(sample);
        }
    }
}

/// A switch at work.
struct Visit<'s, 'a, 'b> {
    switch: &'s mut Switch,
    host: &'s mut Host,
    host_context: HostContext<'a, 'b>,
    hops: u64,
    own: u64,
}

impl Visit<'_, '_, '_> {
    /// Does everything up to and including `until`, one thing at a time; returns when the next one is due.
    fn run(&mut self, until: Time, inputs: &mut Inputs) -> Time {
        loop {
            let (due, kind) = self.switch.ready.first_key();
            let now = inputs.next().min(inputs.next_message()).min(self.host.next()).min(due);
            if now > until || now == Time::NEVER {
                return now;
            }
            if (due, kind) == (now, Due::Release) {
                self.release_until(now);
            } else if inputs.next_message() == now {
                on_message(Some(self.host), inputs, &mut self.host_context);
                self.own += 1;
                self.take_from_host(now);
                (0..self.host_context.ports.len()).for_each(|port| self.settle(now, port));
            } else if self.host.next() == now {
                self.run_host(now);
            } else if inputs.next() == now {
                self.take_arrivals(now, inputs);
            } else {
                let port = self.switch.ready.first();
                let HostContext { ports, context, .. } = &mut self.host_context;
                ports[port].decide(now, context);
                self.settle(now, port);
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
            self.settle(now, port);
        }
    }

    /// Takes all packets that arrive at `now`: inputs want all of an instant taken before anything else is asked of them.
    fn take_arrivals(&mut self, now: Time, inputs: &mut Inputs) {
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

    /// Takes a packet that arrives over a link.
    fn on_arrival(&mut self, arrival: &Arrival) {
        let Arrival { at: now, packet } = arrival;
        let HostContext { context, .. } = &mut self.host_context;
        context.record.digest.packet(*now, packet, 0);
        self.hops += 1;
        let port = context.routes.hop(packet.hop).port;
        if port != Hop::DELIVER {
            self.admit(arrival, packet.hop.next(), port as usize);
        } else if self.host.deliver(*now, packet, &mut self.host_context) {
            self.take_from_host(*now);
        }
    }

    /// Does what the host does by itself at `now`.
    fn run_host(&mut self, now: Time) {
        self.own += self.host.run(now, &mut self.host_context);
        self.take_from_host(now);
    }

    /// Takes what flows at this node send at `now`.
    fn take_from_host(&mut self, now: Time) {
        for port in 0..self.host_context.ports.len() {
            let mut batch = std::mem::take(&mut self.switch.batch);
            self.host_context.ports[port].swap_transmit_batch(&mut batch);
            for arrival in batch.packets() {
                debug_assert_eq!(arrival.at, now, "a host is asked at each instant");
                self.admit(arrival, arrival.packet.hop, port);
            }
            batch.clear();
            self.host_context.ports[port].swap_transmit_batch(&mut batch);
            self.switch.batch = batch;
        }
    }

    /// Hands a packet that is to go on to `hop` to its port, if there is room for it.
    fn admit(&mut self, arrival: &Arrival, hop: HopId, port: usize) {
        let Arrival { at: now, packet } = arrival;
        let Visit { switch, host_context: HostContext { ports, context, .. }, .. } = self;
        if !switch.has_room(port, packet.size) {
            ports[port].drop_for_buffer(*now, packet, context);
            ports[port].take_releases(&mut switch.releases);
            switch.releases.clear();
            return;
        }
        switch.occupancies.add(port, packet.size);
        if let Some(pause) = &mut switch.pause {
            pause.on_arrival(packet.size, hop, context);
        }
        ports[port].on_arrivals(std::iter::once((arrival, hop)), (*now, 1), context);
        self.settle(*now, port);
        let Visit { switch, host_context: HostContext { context, .. }, .. } = self;
        if let Some(pause) = &mut switch.pause {
            pause.stop_if_above(*now, hop, context);
        }
    }

    fn settle(&mut self, now: Time, port: usize) {
        let Visit { switch, host_context: HostContext { ports, context, .. }, .. } = self;
        ports[port].take_releases(&mut switch.releases);
        switch.settle(now, port, ports, context);
    }
}
