//! An aggregate of calls: the sending end, where calls arrive, are admitted, send, and end.

pub mod call;
pub mod departures;
pub mod egress;
pub mod ingress_delay;

use crate::api::blueprint::CallsPlan;
use crate::api::observations::CallCounters;
use crate::endpoints::calls::call::Call;
use crate::endpoints::calls::departures::Departures;
use crate::endpoints::calls::ingress_delay::IngressDelay;
use crate::endpoints::emitter::{Due, Emitter};
use crate::kernel::event::TrainPacket;
use crate::kernel::journal::Window;
use crate::kernel::message::{CallSignal, Message, MessageBody, MessageOrder, Peer};
use crate::node::host::{HostContext, PacketTemplate};
use penstock_model::edge::{only_answers, Decision, EdgeContext, Ingress, Signal, TerminationPlan, Victims};
use penstock_model::id::FlowId;
use penstock_model::packet::Body;
use penstock_model::rng::{Key, Stream};
use penstock_model::source::{AnySource, Source, SourcePlan};
use penstock_model::units::{Bytes, Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The sending end of an aggregate of calls, at its ingress.
pub struct CallsIngress {
    sending: Sending,
    plan: Arc<CallsPlan>,
    source: Arc<SourcePlan>,
    ingress: Ingress,
    egress: Peer,
    key: Key,
    arrivals: Stream,
    picks: Stream,
    next_arrival: Time,
    arriving: u32,
    free: Vec<u32>,
    /// Slots of the calls that live, in no particular order.
    live: Vec<u32>,
    /// Packets on their way from their sources, where that takes time.
    delayed: Option<Box<IngressDelay>>,
    next_surge: Time,
    endings: BinaryHeap<Reverse<(Time, u32, u32)>>,
    next_ending: Time,
    next_call: u32,
    messages: u32,
    /// The egress sends nothing but answers.
    is_asked_only: bool,
    /// Requests that have not been answered yet.
    asked: u32,
    /// What became of calls.
    pub counters: CallCounters,
    live_since: Time,
}

/// What every packet needs: side by side, because there may be very many aggregates, each visited for a few packets.
#[repr(align(64))]
struct Sending {
    outlet: Departures,
    /// The ingress looks at what is sent, and may have deadlines.
    ingress_watches: bool,
    /// When a call comes or goes next.
    next_change: Time,
    /// When the next packet reaches the ingress that was held up.
    next_held_up: Time,
    /// No call sends after this.
    stop: Time,
    calls: Vec<Call>,
    emissions: Emitter,
}

/// What an aggregate is built from.
pub struct CallsSetup {
    /// How its packets look.
    pub template: PacketTemplate,
    /// The place of its node in traces.
    pub place: u32,
    /// What is common to the group.
    pub plan: Arc<CallsPlan>,
    /// What each call sends.
    pub source: Arc<SourcePlan>,
    /// The streams of this aggregate.
    pub key: Key,
    /// When it begins.
    pub start: Time,
    /// When it falls silent.
    pub stop: Time,
    /// The other edge.
    pub egress: Peer,
    /// When counting is on.
    pub window: Window,
    /// Orders simultaneous emissions at random.
    pub ties: Option<Key>,
}

impl CallsIngress {
    /// An aggregate with its initial calls.
    pub fn new(setup: CallsSetup) -> CallsIngress {
        let CallsSetup { template, place, plan, source, key, start, stop, egress, window, ties } = setup;
        let context = EdgeContext { key, call_rate: plan.call_rate, initial: plan.initial };
        let ingress = Ingress::new(&plan.admission, &plan.termination, &context);
        let mut end = CallsIngress {
            sending: Sending {
                outlet: Departures::new(template, place, window),
                ingress_watches: plan.termination.is_some(),
                next_change: Time::NEVER,
                next_held_up: Time::NEVER,
                stop,
                calls: Vec::new(),
                emissions: Emitter::new(ties),
            },
            source,
            ingress,
            egress,
            key,
            arrivals: key.child("arrivals").stream(),
            picks: key.child("terminated").stream(),
            next_arrival: Time::NEVER,
            arriving: 0,
            free: Vec::new(),
            live: Vec::new(),
            delayed: plan.delay.as_ref().map(|delay| Box::new(IngressDelay::new(delay, key))),
            next_surge: plan.surge.map_or(Time::NEVER, |surge| surge.at),
            endings: BinaryHeap::new(),
            next_ending: Time::NEVER,
            next_call: 0,
            messages: 0,
            is_asked_only: only_answers(&plan.admission, &plan.termination),
            asked: 0,
            counters: CallCounters::default(),
            live_since: Time::ZERO,
            plan,
        };
        end.begin_together(end.plan.initial, end.plan.initial_spread, "initial", start);
        end.draw_arrival(start);
        end.note_change();
        end
    }

    /// The aggregate.
    pub fn flow(&self) -> FlowId {
        self.sending.outlet.template.flow
    }

    /// Packets and bytes that this end has sent in the window.
    pub fn sent(&self) -> (u64, u64) {
        (self.sending.outlet.packets, self.sending.outlet.bytes)
    }

    /// The egress sends nothing before it has been told something, which is not before this.
    pub fn quiet_until(&self) -> Time {
        if self.is_asked_only && self.asked == 0 {
            self.next_arrival
        } else {
            Time::ZERO
        }
    }

    /// When something happens here next.
    #[inline]
    pub fn next(&self) -> Time {
        self.next_packet().min(self.sending.next_change).min(self.deadline())
    }

    /// When a packet sets out next, or reaches the ingress that was held up.
    #[inline]
    fn next_packet(&self) -> Time {
        self.sending.emissions.next().min(self.sending.next_held_up)
    }

    #[inline]
    fn deadline(&self) -> Time {
        if self.sending.ingress_watches {
            self.ingress.deadline()
        } else {
            Time::NEVER
        }
    }

    /// Calls have come or gone.
    fn note_change(&mut self) {
        self.sending.next_change = self.next_ending.min(self.next_arrival).min(self.next_surge);
    }

    /// Does everything that is due up to and including `until`. At one instant a call ends, the ingress' timer comes up, a
    /// call arrives, a packet that was held up reaches the ingress, and a packet goes out, in this order. Returns how much
    /// it did.
    #[inline]
    pub fn run(&mut self, until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut done = 0;
        loop {
            let packet = self.next_packet();
            let other = self.sending.next_change.min(self.deadline());
            if packet.min(other) > until {
                return done;
            }
            if other <= packet {
                self.on_due(other, host_context);
                done += 1;
            } else {
                done += self.emit_before(other.min(until.after()), host_context);
            }
        }
    }

    #[inline(never)]
    fn on_due(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        if self.next_ending <= now {
            let Reverse((_, slot, serial)) = self.endings.pop().expect("an ending is due");
            self.next_ending = self.endings.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at);
            let call = &self.sending.calls[slot as usize];
            if call.is_live(serial) {
                self.end(now, slot);
                self.ingress.on_end(now, self.live.len() as u32);
                self.follow_up(now, host_context);
            }
        } else if self.ingress.deadline() <= now {
            self.ingress.on_timer(now, self.live.len() as u32);
            self.follow_up(now, host_context);
        } else if self.next_arrival <= now {
            self.on_arrival(now, host_context);
        } else {
            self.on_surge(now);
        }
        self.note_change();
    }

    /// A signal from the egress.
    pub fn on_signal(&mut self, now: Time, signal: Signal, host_context: &mut HostContext<'_, '_>) {
        if let Some((call, admitted)) = self.ingress.on_signal(now, signal, self.live.len() as u32) {
            self.asked -= 1;
            self.decided(now, call, admitted);
        }
        self.follow_up(now, host_context);
        self.note_change();
    }

    /// Brings the counts up to the end of the run.
    pub fn finish(&mut self, end: Time) {
        self.count_live(end);
        self.counters.live_at_end = self.live.len() as u64;
    }

    /// `calls` calls live from `now` on and send their first packets within `spread`.
    fn begin_together(&mut self, calls: u32, spread: Duration, stream: &str, now: Time) {
        let mut later = self.key.child(stream).stream();
        for _ in 0..calls {
            let after = Duration::from_ps((spread.as_ps() as f64 * later.unit()) as u64);
            let serial = self.take_serial();
            self.begin(now + after, serial, now);
        }
    }

    fn on_surge(&mut self, now: Time) {
        self.next_surge = Time::NEVER;
        if let Some(surge) = self.plan.surge {
            self.begin_together(surge.calls, surge.spread, "surge", now);
        }
    }

    fn take_serial(&mut self) -> u32 {
        self.next_call += 1;
        self.next_call - 1
    }

    fn draw_arrival(&mut self, now: Time) {
        self.next_arrival = Time::NEVER;
        if let Some(arrivals) = &self.plan.arrivals {
            let (after, calls) = arrivals.next_arrival(&mut self.arrivals);
            if now + after <= self.sending.stop {
                (self.next_arrival, self.arriving) = (now + after, calls);
            }
        }
    }

    fn on_arrival(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        for _ in 0..self.arriving {
            let serial = self.take_serial();
            self.counters.offered += u64::from(self.sending.outlet.window.is_open(now));
            let live = self.live.len() as u32;
            match self.ingress.on_call(now, serial, live) {
                Decision::Admit => self.decided(now, serial, true),
                Decision::Block => self.decided(now, serial, false),
                Decision::Ask => self.ask(now, serial, live, host_context),
            }
        }
        self.draw_arrival(now);
        self.follow_up(now, host_context);
    }

    fn ask(&mut self, now: Time, call: u32, live: u32, host_context: &mut HostContext<'_, '_>) {
        self.asked += 1;
        match self.plan.request_packet {
            Some(size) => {
                let packet = self.sending.outlet.template.packet(now, size, Body::Request { call, live });
                self.sending.outlet.send(now, &packet, host_context);
            }
            None => self.signal(now, Signal::Request { call, live }, host_context),
        }
    }

    fn decided(&mut self, now: Time, serial: u32, admitted: bool) {
        let counts = u64::from(self.sending.outlet.window.is_open(now));
        if admitted {
            self.counters.admitted += counts;
            self.begin(now, serial, now);
        } else {
            self.counters.blocked += counts;
        }
    }

    /// A call lives from `now` on; its first packet goes out at `from` or when its source says.
    fn begin(&mut self, from: Time, serial: u32, now: Time) {
        let Some(mut source) = AnySource::new(&self.source) else { return };
        let key = self.key.child("call").nth(u64::from(serial));
        let mut stream = key.stream();
        let first = source.first(&mut stream);
        let spacing = source.spacing();
        let slot = self.free.pop().unwrap_or(self.sending.calls.len() as u32);
        let call = Call::new(source, stream, serial, first.size, self.live.len() as u32);
        match self.sending.calls.get_mut(slot as usize) {
            Some(place) => *place = call,
            None => self.sending.calls.push(call),
        }
        self.count_live(now);
        self.live.push(slot);
        let ends = now + self.plan.holding.holding(&mut key.child("holding").stream());
        if ends != Time::NEVER {
            self.endings.push(Reverse((ends, slot, serial)));
            self.next_ending = self.next_ending.min(ends);
        }
        self.sending.emissions.insert(from + first.after, serial, slot, spacing);
    }

    fn end(&mut self, now: Time, slot: u32) {
        self.count_live(now);
        let position = self.sending.calls[slot as usize].end();
        self.live.swap_remove(position as usize);
        if let Some(moved) = self.live.get(position as usize) {
            self.sending.calls[*moved as usize].position = position;
        }
    }

    /// Lets calls send that are due before `bound`, and packets pass that were held up until then. Returns how many calls it
    /// came across, those that have ended included, and how many packets.
    fn emit_before(&mut self, bound: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut train = std::mem::take(host_context.context.outputs.train);
        let done = if self.delayed.is_some() {
            self.hold_up_before(bound) + self.let_pass_before(bound, &mut train)
        } else {
            self.send_before(bound, &mut train)
        };
        if self.sending.ingress_watches {
            for TrainPacket { at, size } in &train {
                self.ingress.on_sent(*at, Bytes::new(u64::from(*size)));
            }
        }
        self.sending.outlet.pass_all(&train, host_context);
        train.clear();
        *host_context.context.outputs.train = train;
        done
    }

    #[inline(never)]
    fn send_before(&mut self, bound: Time, train: &mut Vec<TrainPacket>) -> u64 {
        let CallsIngress { sending: Sending { calls, emissions, stop, .. }, free, .. } = self;
        emit(emissions, calls, free, bound, *stop, |now, _, call| train.push(TrainPacket { at: now, size: call.size }))
    }

    /// Lets packets set out for the ingress before `bound`. None of them is the ingress to see before it has done what is
    /// due before, and what it sees changes nothing about when calls send: so all may set out before the first passes.
    #[inline(never)]
    fn hold_up_before(&mut self, bound: Time) -> u64 {
        let CallsIngress { sending, delayed: Some(delayed), free, .. } = self else { return 0 };
        let Sending { calls, emissions, stop, next_held_up, .. } = sending;
        let met = emit(emissions, calls, free, bound, *stop, |now, slot, call| {
            call.latest = delayed.add(now, call.latest, slot, call.serial, call.size);
        });
        *next_held_up = delayed.next();
        met
    }

    /// Lets packets pass that come to the ingress before `bound`.
    #[inline(never)]
    fn let_pass_before(&mut self, bound: Time, train: &mut Vec<TrainPacket>) -> u64 {
        let CallsIngress { sending: Sending { calls, next_held_up, .. }, delayed: Some(delayed), .. } = self else { return 0 };
        let outlive = delayed.outlive();
        let passed = delayed.pass_before(bound, |packet| {
            // The place of a call that has ended may be another's by now.
            if outlive || calls[packet.slot as usize].is_live(packet.serial) {
                train.push(TrainPacket { at: packet.at, size: packet.size });
            }
        });
        *next_held_up = delayed.next();
        passed
    }

    /// Cuts and signals that an input has led to.
    fn follow_up(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        let cut = self.ingress.next_cut().min(self.live.len() as u32);
        for _ in 0..cut {
            let slot = self.victim();
            self.end(now, slot);
        }
        if cut > 0 {
            self.counters.terminations.push((now, cut, self.live.len() as u32));
        }
        while let Some(signal) = self.ingress.next_signal() {
            self.signal(now, signal, host_context);
        }
    }

    /// The slot of the call to terminate next; there is one.
    fn victim(&mut self) -> u32 {
        let serial = |slot: &&u32| self.sending.calls[**slot as usize].serial;
        let chosen = match self.plan.termination.as_ref().map_or(Victims::Random, TerminationPlan::victims) {
            Victims::Random => Some(&self.live[self.picks.below(self.live.len() as u64) as usize]),
            Victims::Newest => self.live.iter().max_by_key(serial),
            Victims::Oldest => self.live.iter().min_by_key(serial),
        };
        *chosen.expect("a call lives")
    }

    fn signal(&mut self, now: Time, signal: Signal, host_context: &mut HostContext<'_, '_>) {
        let flow = self.sending.outlet.template.flow;
        let message = Message {
            at: now + self.egress.delay,
            order: MessageOrder::of_call(flow, true, self.messages),
            body: MessageBody::Call(CallSignal { flow, to_egress: true, signal }),
        };
        self.messages += 1;
        host_context.context.outputs.send_message(self.egress.process, message);
    }

    fn count_live(&mut self, now: Time) {
        let span = self.sending.outlet.window.overlap(self.live_since, now);
        self.counters.live_ps += u128::from(span) * self.live.len() as u128;
        self.live_since = now;
    }
}

/// Lets all calls send that are due before `bound`: `send` is told when, the slot, and the call. Slots of those that turn out
/// to have ended are `free`. Returns how many it came across.
#[inline(always)]
fn emit(
    emissions: &mut Emitter,
    calls: &mut [Call],
    free: &mut Vec<u32>,
    bound: Time,
    stop: Time,
    mut send: impl FnMut(Time, u32, &mut Call),
) -> u64 {
    let mut met = 0;
    while emissions.next() < bound {
        met += if emissions.turns() {
            emissions.turn(bound, |now, slot| next_of(calls, free, stop, now, slot, &mut send))
        } else {
            let Due { at, slot, .. } = emissions.first();
            emissions.first_goes_on(next_of(calls, free, stop, at, slot, &mut send));
            1
        };
    }
    met
}

/// Lets the call in `slot` send; returns when it does so next, never if it has ended and sends nothing, or if it would do so
/// after `stop`.
#[inline(always)]
fn next_of(calls: &mut [Call], free: &mut Vec<u32>, stop: Time, now: Time, slot: u32, send: &mut impl FnMut(Time, u32, &mut Call)) -> Time {
    let call = &mut calls[slot as usize];
    if call.has_ended() {
        free.push(slot);
        return Time::NEVER;
    }
    send(now, slot, call);
    let next = now + call.go_on();
    if next <= stop {
        next
    } else {
        Time::NEVER
    }
}
