//! A host: the ends of flows at a node, their timers and their counts.

use crate::api::observations::{Observations, TraceEvent};
use crate::endpoints::calls::egress::CallsEgress;
use crate::endpoints::calls::ingress::CallsIngress;
use crate::endpoints::counts::Received;
use crate::endpoints::emitter::{Due, Emitter};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::http_user::HttpUser;
use crate::endpoints::open_loop::{OpenLoopSink, OpenLoopSource};
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::tcp::TcpEndpoints;
use crate::endpoints::timers::{TimerKind, Timers};
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::journal::{Journal, Window};
use crate::kernel::message::CallSignal;
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::kernel::route::Routes;
use crate::merge::tournament_tree::TournamentTree;
use crate::port::MOST_HANDED;
use penstock_model::edge::Signal;
use penstock_model::packet::{Body, Packet};
use penstock_model::rng::{Key, Stream};
use penstock_model::source::{AnySource, Source};
use penstock_model::transport::tcp::{Receiver, Sender};
use penstock_model::units::Time;

/// The ends of flows at one node.
pub struct Host {
    /// Whether packets come through on their way elsewhere.
    pub passes_on: bool,
    /// The place of this node in traces.
    place: u32,
    window: Window,
    emitter: Emitter<PeriodicPacket>,
    timers: Timers,
    sources: Vec<OpenLoopSource>,
    sinks: Vec<OpenLoopSink>,
    connections: TcpEndpoints,
    calls: Vec<CallsIngress>,
    /// Which aggregate is due first, where there are several.
    calls_due: TournamentTree<Time>,
    next_of_calls: Time,
    egresses: Vec<CallsEgress>,
    /// Per group of calls with aggregates that end here, how many calls are counted for admission by counting.
    counted: Vec<(u32, u32)>,
}

/// How many ends of flows a host has.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndpointCounts {
    /// Sending ends of open-loop flows.
    pub sources: usize,
    /// Their receiving ends.
    pub sinks: usize,
    /// TCP senders.
    pub senders: usize,
    /// TCP receivers.
    pub receivers: usize,
}

impl Host {
    /// A host without flows; `ties` orders simultaneous timers at random.
    pub fn new(place: u32, window: Window, ties: Option<Key>) -> Host {
        Host {
            passes_on: false,
            place,
            window,
            emitter: Emitter::new(ties),
            timers: Timers::new(ties),
            sources: Vec::new(),
            sinks: Vec::new(),
            connections: TcpEndpoints::new(place, window),
            calls: Vec::new(),
            calls_due: TournamentTree::new(0, Time::NEVER),
            next_of_calls: Time::NEVER,
            egresses: Vec::new(),
            counted: Vec::new(),
        }
    }

    /// Adds the sending end of an aggregate of calls; returns its slot.
    pub fn add_calls(&mut self, calls: CallsIngress) -> u32 {
        self.calls.push(calls);
        self.calls_due = TournamentTree::new(self.calls.len(), Time::NEVER);
        (0..self.calls.len()).for_each(|slot| self.settle_calls(slot));
        self.calls.len() as u32 - 1
    }

    /// Adds the receiving end of an aggregate of calls of group `group`, of which `initial` are there from the start;
    /// returns its slot.
    pub fn add_egress(&mut self, mut egress: CallsEgress, group: u32, initial: u32) -> u32 {
        let known = self.counted.iter().position(|(counted, _)| *counted == group);
        let shared = known.unwrap_or_else(|| {
            self.counted.push((group, 0));
            self.counted.len() - 1
        });
        self.counted[shared].1 += initial;
        egress.shared_count = shared as u32;
        self.egresses.push(egress);
        self.egresses.len() as u32 - 1
    }

    /// Makes room for exactly so many ends: there may be a million of them, and growing by doubling wastes up to half.
    pub fn expect_ends(&mut self, ends: &EndpointCounts) {
        self.sources.reserve_exact(ends.sources);
        self.sinks.reserve_exact(ends.sinks);
        self.connections.expect(ends.senders, ends.receivers);
    }

    /// Whether all that begins and ends here are datagrams: then packets that arrive bring about nothing but that they go on.
    pub fn has_datagrams_alone(&self) -> bool {
        self.connections.is_empty() && self.calls.is_empty() && self.egresses.is_empty()
    }

    /// Adds the sending end of an open-loop flow that begins at `start`; returns its slot.
    pub fn add_source(&mut self, template: PacketTemplate, source: AnySource, stream: Stream, start: Time, stop: Time) -> u32 {
        let slot = self.sources.len() as u32;
        let spacing = source.spacing();
        let (end, first) = OpenLoopSource::new(template, source, stream, start, stop, self.window);
        if first != Time::NEVER {
            self.emitter.insert_periodic(first, template.flow.0, slot, spacing, end.periodic_packet());
        }
        self.sources.push(end);
        slot
    }

    /// Adds the receiving end of an open-loop flow; returns its slot.
    pub fn add_sink(&mut self, received: Received) -> u32 {
        self.sinks.push(OpenLoopSink { received });
        self.sinks.len() as u32 - 1
    }

    /// Adds a TCP sender that opens its connection at `start` and has nothing new to send after `stop`, and who asks it for
    /// pages, if anybody does; returns its slot.
    pub fn add_sender(
        &mut self,
        template: PacketTemplate,
        sender: Sender,
        http_user: Option<Box<HttpUser>>,
        start: Time,
        stop: Time,
    ) -> u32 {
        let slot = self.connections.add_sender(template, sender, http_user);
        self.timers.arm(start, &mut { Time::NEVER }, template.flow.0, TimerKind::Start, slot);
        if stop < self.window.to {
            self.timers.arm(stop, &mut { Time::NEVER }, template.flow.0, TimerKind::Stop, slot);
        }
        slot
    }

    /// Adds a TCP receiver; returns its slot.
    pub fn add_receiver(&mut self, template: PacketTemplate, receiver: Receiver, received: Received) -> u32 {
        self.connections.add_receiver(template, receiver, received)
    }

    /// When the host next does something by itself.
    #[inline]
    pub fn next(&self) -> Time {
        self.emitter.next().min(self.timers.next()).min(self.next_of_calls)
    }

    /// Whether it may send messages, which need no wire.
    #[inline]
    pub fn signals(&self) -> bool {
        !self.calls.is_empty() || !self.egresses.is_empty()
    }

    /// Nothing arrives here unless this host has said something first, which it does not do before this.
    pub fn quiet_until(&self) -> Time {
        let calls_alone = self.sources.is_empty() && self.sinks.is_empty() && self.connections.is_empty();
        if !calls_alone || !self.egresses.is_empty() || self.passes_on {
            return Time::ZERO;
        }
        self.calls.iter().map(CallsIngress::quiet_until).min().unwrap_or(Time::ZERO)
    }

    /// When its next timer is due: packets that it receives bring about nothing else.
    #[inline]
    pub fn next_timer(&self) -> Time {
        self.timers.next()
    }

    /// Does everything that is due up to and including `until`, before which no message and no packet arrives; returns how
    /// much it did.
    #[inline]
    pub fn run(&mut self, until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut done = 0;
        loop {
            // What an open-loop source sends brings about nothing here.
            let others = self.timers.next().min(self.next_of_calls);
            let bound = others.min(until.after());
            if self.emitter.next() < bound {
                done += self.emit_before(bound, host_context);
            }
            let now = others.min(self.emitter.next());
            if now > until || now == Time::NEVER {
                return done;
            }
            done += self.on_due(now, until, host_context);
        }
    }

    /// Lets aggregates of calls do what is due up to and including `until`, before which no message comes, if that is all that
    /// leaves here: what arrives meanwhile makes no difference to them, nor do the timers of the receiving ends. Returns how
    /// much they did.
    pub fn run_calls(&mut self, until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let others = !self.sources.is_empty() || !self.connections.is_empty();
        if self.passes_on || others || host_context.context.record.trace.is_some() {
            return 0;
        }
        let mut done = 0;
        while self.next_of_calls <= until && self.next_of_calls != Time::NEVER {
            let (slot, until) = if self.calls.len() == 1 { (0, until) } else { (self.calls_due.first(), self.next_of_calls) };
            done += self.calls[slot].run(until, host_context);
            self.settle_calls(slot);
        }
        done
    }

    /// Does what is due at `now`: one source or timer, in the order of flows; then an aggregate of calls, which goes on
    /// until `until` if nothing else comes in between. Returns how much it did.
    fn on_due(&mut self, now: Time, until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let (emission, timer) = (self.emitter.next(), self.timers.next());
        if emission <= now && (timer > now || self.emits_before_timer()) {
            self.emit_one(host_context);
            return 1;
        }
        if timer <= now {
            self.on_timer(now, host_context);
            return 1;
        }
        let (slot, alone) = if self.calls.len() == 1 { (0, until) } else { (self.calls_due.first(), now) };
        let done = self.calls[slot].run(alone.min(emission.min(timer).before()), host_context);
        self.settle_calls(slot);
        done
    }

    /// The next event of an aggregate may have changed.
    #[inline]
    fn settle_calls(&mut self, slot: usize) {
        let next = self.calls[slot].next();
        if self.calls.len() == 1 {
            self.next_of_calls = next;
        } else {
            self.calls_due.set(slot, next);
            self.next_of_calls = self.calls_due.first_key();
        }
    }

    /// Whether the next source precedes the next timer, in the order of flows within one instant.
    fn emits_before_timer(&self) -> bool {
        let emission = self.emitter.first();
        let timer = self.timers.peek().expect("a timer is due");
        (emission.at, emission.tie, emission.flow) <= (timer.at, timer.tie, timer.flow)
    }

    /// Takes a signal between the edges of an aggregate; `number` counts what its sender has sent.
    pub fn on_call_signal(&mut self, now: Time, signal: &CallSignal, number: u32, host_context: &mut HostContext<'_, '_>) {
        let CallSignal { flow: id, to_egress, signal } = *signal;
        host_context.context.record.digest.number(now.as_ps() ^ u64::from(id.0) << 32 ^ u64::from(number));
        let flow = host_context.context.routes.flow(id);
        if to_egress {
            let end = &mut self.egresses[flow.sink as usize];
            end.on_signal(now, signal, &mut self.counted[end.shared_count as usize].1, host_context);
            self.arm_egress(flow.sink);
        } else {
            let slot = flow.source as usize;
            self.calls[slot].on_signal(now, signal, host_context);
            self.settle_calls(slot);
        }
    }

    /// Whether [`Host::take`] is for `packet`: where nothing comes through and nobody traces, and not for what is rare.
    #[inline(always)]
    pub fn takes(&self, packet: &Packet, record: &Journal) -> bool {
        let is_usual = matches!(packet.body, Body::Datagram { .. } | Body::Segment { .. } | Body::Ack { .. } | Body::Media { .. });
        is_usual && !self.passes_on && record.trace.is_none()
    }

    /// Takes packets at the end of their routes, as many of one kind as arrive before `bound` and before anything else does;
    /// returns how many.
    #[inline(never)]
    pub fn take(&mut self, arrivals: &[Arrival], bound: Time, host_context: &mut HostContext<'_, '_>) -> usize {
        match arrivals.first().map(|arrival| arrival.packet.body) {
            Some(Body::Datagram { .. }) => self.take_datagrams(arrivals, bound, host_context),
            Some(Body::Media { .. }) => self.take_media(arrivals, bound, host_context),
            _ => self.connections.take(arrivals, bound, &mut self.timers, host_context),
        }
    }

    /// Takes datagrams at the end of their routes, as long as nothing else arrives and they do so before `bound`; returns how
    /// many. Nobody traces.
    #[inline(never)]
    pub fn take_datagrams(&mut self, arrivals: &[Arrival], bound: Time, host_context: &mut HostContext<'_, '_>) -> usize {
        let Context { routes, record, .. } = &mut host_context.context;
        let due = &arrivals[..arrivals.partition_point(|arrival| arrival.at < bound)];
        let datagrams = due.iter().take_while(|arrival| matches!(arrival.packet.body, Body::Datagram { .. }));
        let (mut taken, mut digest) = (0, record.digest);
        self.receive(
            routes,
            datagrams.inspect(|Arrival { at, packet }| {
                digest.packet(*at, packet, 0);
                taken += 1;
            }),
        );
        record.digest = digest;
        taken
    }

    /// Takes packets of calls at their egress, as long as nothing else arrives and they do so before `bound` and before any
    /// timer that they arm; returns how many.
    #[inline(never)]
    fn take_media(&mut self, arrivals: &[Arrival], mut bound: Time, host_context: &mut HostContext<'_, '_>) -> usize {
        let mut digest = host_context.context.record.digest;
        let mut taken = 0;
        while let Some(Arrival { at, packet }) = arrivals.get(taken) {
            let Body::Media { seq } = packet.body else { break };
            if *at >= bound {
                break;
            }
            let sink = host_context.context.routes.sink(packet.flow);
            let is_run = arrivals.get(taken + 1).is_some_and(|next| next.packet.flow == packet.flow);
            if is_run && self.egresses[sink as usize].only_samples() {
                taken += self.egresses[sink as usize].on_media_batch(&arrivals[taken..], bound, &mut digest);
                continue;
            }
            digest.packet(*at, packet, 0);
            if self.egresses[sink as usize].on_packet(*at, packet, Some(seq), host_context) {
                self.arm_egress(sink);
                bound = bound.min(self.timers.next());
            }
            taken += 1;
        }
        host_context.context.record.digest = digest;
        taken
    }

    /// Counts datagrams at the end of their routes.
    #[inline(always)]
    pub fn receive<'p>(&mut self, routes: &Routes, datagrams: impl Iterator<Item = &'p Arrival>) {
        let Host { sinks, window, .. } = self;
        let count = |Arrival { at, packet }: &Arrival| sinks[routes.sink(packet.flow) as usize].received.count(*at, packet);
        datagrams.skip_while(|arrival| !window.is_open(arrival.at)).for_each(count);
    }

    /// Takes a packet at the end of its route; tells whether that may have armed a timer.
    #[inline]
    pub fn deliver(&mut self, now: Time, packet: &Packet, host_context: &mut HostContext<'_, '_>) -> bool {
        host_context.context.record.trace(now, self.place, packet, TraceEvent::Receive);
        match packet.body {
            Body::Datagram { .. } => {
                if self.window.is_open(now) {
                    self.sinks[host_context.context.routes.sink(packet.flow) as usize].received.count(now, packet);
                }
                return false;
            }
            Body::Media { seq } => {
                let sink = host_context.context.routes.sink(packet.flow);
                if self.egresses[sink as usize].on_packet(now, packet, Some(seq), host_context) {
                    self.arm_egress(sink);
                }
            }
            Body::Request { call, live } => self.on_request(now, packet, Signal::Request { call, live }, host_context),
            _ => self.connections.deliver(now, packet, &mut self.timers, host_context),
        }
        true
    }

    #[inline(never)]
    fn on_request(&mut self, now: Time, packet: &Packet, request: Signal, host_context: &mut HostContext<'_, '_>) {
        let sink = host_context.context.routes.flow(packet.flow).sink;
        let end = &mut self.egresses[sink as usize];
        end.on_packet(now, packet, None, host_context);
        end.on_signal(now, request, &mut self.counted[end.shared_count as usize].1, host_context);
        self.arm_egress(sink);
    }

    /// Writes the counts of this host's ends into the flows' rows.
    pub fn report(self, seen: &mut Observations) {
        for mut end in self.calls {
            end.finish(self.window.to);
            let counters = &mut seen.flows[end.flow().index()];
            (counters.sent_packets, counters.sent_bytes) = end.sent();
            seen.calls.push((end.flow(), end.counters));
        }
        for end in self.egresses {
            end.received.report(seen);
            let counters = &mut seen.flows[end.flow.index()];
            counters.goodput_bytes = counters.received_payload;
            if let Some(intervals) = end.intervals {
                seen.intervals.push((end.flow, intervals.every, intervals.bytes));
            }
        }
        self.sources.iter().for_each(|end| end.report(self.window, seen));
        for end in self.sinks {
            let flow = end.received.flow.index();
            end.received.report(seen);
            seen.flows[flow].goodput_bytes = seen.flows[flow].received_payload;
        }
        self.connections.report(seen);
    }

    /// Lets open-loop sources send as long as they are due before `bound`; returns how many packets they send.
    pub fn emit_before(&mut self, bound: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut sent = 0;
        while self.emitter.next() < bound {
            sent += self.emit(bound, MOST_HANDED, true, host_context) as u64;
            host_context.drain_transmit_batch();
        }
        sent
    }

    /// Hands over what open-loop sources send before `bound`, at most `most` packets, which ports may take `at_once`; returns
    /// how many these are.
    #[inline(never)]
    pub fn emit(&mut self, bound: Time, most: usize, at_once: bool, host_context: &mut HostContext<'_, '_>) -> usize {
        let mut sent = 0;
        while sent < most && self.emitter.next() < bound {
            let Host { emitter, sources, window, place, .. } = self;
            if host_context.sends_untraced_by_one_port() {
                let both = emitter.emit_from_two_wheels(bound, most - sent, |pair| host_context.ports[0].hand_both(pair));
                sent += both;
                if both > 0 {
                    continue;
                }
            }
            sent += if emitter.first_is_periodic() {
                emitter.emit_periodic(bound, most - sent, |entries| host_context.send_periodic(entries, *place, at_once))
            } else if emitter.first_is_in_wheel() {
                emitter.advance_at_most(bound, most - sent, |now, slot| sources[slot as usize].send(now, *window, *place, host_context))
            } else {
                self.emit_one(host_context);
                1
            };
        }
        sent
    }

    /// Lets the next open-loop source send, and nobody else.
    #[inline(never)]
    fn emit_one(&mut self, host_context: &mut HostContext<'_, '_>) {
        if self.emitter.first_is_periodic() {
            self.emitter.emit_periodic(Time::ZERO, 1, |entries| host_context.send_periodic(entries, self.place, false));
            return;
        }
        let Due { at, slot, .. } = self.emitter.first();
        let end = &mut self.sources[slot as usize];
        let next = end.send(at, self.window, self.place, host_context);
        self.emitter.reschedule_first_periodic(next, end.periodic_packet());
    }

    fn on_timer(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        let Some(timer) = self.timers.pop() else { return };
        if timer.kind != TimerKind::Egress {
            return self.connections.on_timer(now, &timer, &mut self.timers, host_context);
        }
        let end = &mut self.egresses[timer.slot as usize];
        if end.armed != timer.at {
            return;
        }
        end.armed = Time::NEVER;
        if end.deadline() <= now {
            end.on_timer(now, host_context);
        }
        self.arm_egress(timer.slot);
    }

    #[inline]
    fn arm_egress(&mut self, slot: u32) {
        let end = &mut self.egresses[slot as usize];
        self.timers.arm(end.deadline(), &mut end.armed, end.flow.0, TimerKind::Egress, slot);
    }
}
