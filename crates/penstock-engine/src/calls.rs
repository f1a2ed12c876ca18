//! An aggregate of calls: the sending end, where calls arrive, are admitted, send, and end.

use crate::blueprint::CallsPlan;
use crate::call::Call;
use crate::delayed::Delayed;
use crate::emissions::{Due, Emissions};
use crate::host::{Dress, Surroundings};
use crate::messages::{Message, Peer};
use crate::observations::CallCounters;
use crate::outlet::Outlet;
use crate::record::Window;
use penstock_model::edge::{Decision, EdgeContext, Ingress, Signal, TerminationPlan, Victims};
use penstock_model::id::FlowId;
use penstock_model::packet::Body;
use penstock_model::rng::{Key, Stream};
use penstock_model::source::{AnySource, Source, SourcePlan};
use penstock_model::units::{Bytes, Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The sending end of an aggregate of calls, at its ingress.
pub struct CallsEnd {
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
    delayed: Option<Delayed>,
    next_surge: Time,
    endings: BinaryHeap<Reverse<(Time, u32, u32)>>,
    next_ending: Time,
    next_call: u32,
    messages: u32,
    /// What became of calls.
    pub counters: CallCounters,
    live_since: Time,
}

/// What every packet needs: side by side, because there may be very many aggregates, each visited for a few packets.
#[repr(align(64))]
struct Sending {
    outlet: Outlet,
    /// The ingress looks at what is sent, and may have deadlines.
    ingress_watches: bool,
    delays: bool,
    /// When a call comes or goes next, or a packet reaches the ingress that was held up.
    next_change: Time,
    /// No call sends after this.
    stop: Time,
    calls: Vec<Call>,
    emissions: Emissions,
}

/// What an aggregate is built from.
pub struct CallsSetup {
    /// How its packets look.
    pub dress: Dress,
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

impl CallsEnd {
    /// An aggregate with its initial calls.
    pub fn new(setup: CallsSetup) -> CallsEnd {
        let CallsSetup { dress, place, plan, source, key, start, stop, egress, window, ties } = setup;
        let context = EdgeContext { key, call_rate: plan.call_rate, initial: plan.initial };
        let ingress = Ingress::new(&plan.admission, &plan.termination, &context);
        let delayed = plan.delay.as_ref().map(|delay| Delayed::new(delay, key));
        let mut end = CallsEnd {
            sending: Sending {
                outlet: Outlet::new(dress, place, window),
                ingress_watches: plan.termination.is_some(),
                delays: delayed.is_some(),
                next_change: Time::NEVER,
                stop,
                calls: Vec::new(),
                emissions: Emissions::new(ties),
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
            delayed,
            next_surge: plan.surge.map_or(Time::NEVER, |surge| surge.at),
            endings: BinaryHeap::new(),
            next_ending: Time::NEVER,
            next_call: 0,
            messages: 0,
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
        self.sending.outlet.dress.flow
    }

    /// Packets and bytes that this end has sent in the window.
    pub fn sent(&self) -> (u64, u64) {
        (self.sending.outlet.packets, self.sending.outlet.bytes)
    }

    /// When something happens here next.
    #[inline]
    pub fn next(&self) -> Time {
        self.sending.emissions.next().min(self.sending.next_change).min(self.deadline())
    }

    #[inline]
    fn deadline(&self) -> Time {
        if self.sending.ingress_watches {
            self.ingress.deadline()
        } else {
            Time::NEVER
        }
    }

    /// Calls have come or gone, or packets been held up.
    fn note_change(&mut self) {
        let delayed = self.delayed.as_ref().map_or(Time::NEVER, Delayed::next);
        self.sending.next_change = self.next_ending.min(self.next_arrival).min(self.next_surge).min(delayed);
    }

    /// Does everything that is due up to and including `until`. At one instant a call ends, the ingress' timer comes up, a
    /// call arrives, a packet that was held up reaches the ingress, and a packet goes out, in this order. Returns how much
    /// it did.
    #[inline]
    pub fn run(&mut self, until: Time, around: &mut Surroundings<'_, '_>) -> u64 {
        let mut done = 0;
        loop {
            let emission = self.sending.emissions.next();
            let other = self.sending.next_change.min(self.deadline());
            if emission.min(other) > until {
                return done;
            }
            if other <= emission {
                self.on_due(other, around);
                done += 1;
            } else {
                done += self.emit_before(other.min(until.after()), around);
            }
        }
    }

    #[inline(never)]
    fn on_due(&mut self, now: Time, around: &mut Surroundings<'_, '_>) {
        if self.next_ending <= now {
            let Reverse((_, slot, serial)) = self.endings.pop().expect("an ending is due");
            self.next_ending = self.endings.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at);
            let call = &self.sending.calls[slot as usize];
            if call.is_live(serial) {
                self.end(now, slot);
                self.ingress.on_end(now, self.live.len() as u32);
                self.follow_up(now, around);
            }
        } else if self.ingress.deadline() <= now {
            self.ingress.on_timer(now, self.live.len() as u32);
            self.follow_up(now, around);
        } else if self.next_arrival <= now {
            self.on_arrival(now, around);
        } else if self.next_surge <= now {
            self.on_surge(now);
        } else {
            self.on_delayed(now, around);
        }
        self.note_change();
    }

    /// A signal from the egress.
    pub fn on_signal(&mut self, now: Time, signal: Signal, around: &mut Surroundings<'_, '_>) {
        if let Some((call, admitted)) = self.ingress.on_signal(now, signal, self.live.len() as u32) {
            self.decided(now, call, admitted);
        }
        self.follow_up(now, around);
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

    fn on_arrival(&mut self, now: Time, around: &mut Surroundings<'_, '_>) {
        for _ in 0..self.arriving {
            let serial = self.take_serial();
            self.counters.offered += u64::from(self.sending.outlet.window.is_open(now));
            let live = self.live.len() as u32;
            match self.ingress.on_call(now, serial, live) {
                Decision::Admit => self.decided(now, serial, true),
                Decision::Block => self.decided(now, serial, false),
                Decision::Ask => match self.plan.request_packet {
                    Some(size) => {
                        let body = Body::Request { call: serial, live };
                        let packet = self.sending.outlet.dress.packet(now, size, body);
                        self.sending.outlet.send(now, &packet, around);
                    }
                    None => self.signal(now, Signal::Request { call: serial, live }, around),
                },
            }
        }
        self.draw_arrival(now);
        self.follow_up(now, around);
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

    /// Lets calls send that are due before `bound`, or only the next one where its packet is held up. Returns how many it
    /// came across, those that have ended included.
    #[inline(always)]
    fn emit_before(&mut self, bound: Time, around: &mut Surroundings<'_, '_>) -> u64 {
        if self.sending.delays {
            self.hold_up_next();
            return 1;
        }
        let CallsEnd { sending, ingress, free, .. } = self;
        let Sending { outlet, calls, emissions, stop, ingress_watches, .. } = sending;
        let mut send = |now: Time, slot: u32| {
            let call = &mut calls[slot as usize];
            let size = call.size;
            let Some(after) = call.go_on() else {
                free.push(slot);
                return Time::NEVER;
            };
            if *ingress_watches {
                ingress.on_sent(now, Bytes::new(u64::from(size)));
            }
            outlet.pass(now, size, around);
            next_until(*stop, now + after)
        };
        let mut met = 0;
        while emissions.next() < bound {
            met += if emissions.turns() {
                emissions.turn(bound, &mut send)
            } else {
                let Due { at, slot, .. } = emissions.first();
                emissions.first_goes_on(send(at, slot));
                1
            };
        }
        met
    }

    /// The next packet of a call sets out for the ingress.
    fn hold_up_next(&mut self) {
        let CallsEnd { sending: Sending { calls, emissions, stop, next_change, .. }, delayed, free, .. } = self;
        let Due { at: now, slot, .. } = emissions.first();
        let call = &mut calls[slot as usize];
        let size = call.size;
        let Some(after) = call.go_on() else {
            free.push(slot);
            return emissions.first_goes_on(Time::NEVER);
        };
        emissions.first_goes_on(next_until(*stop, now + after));
        if let Some(delayed) = delayed {
            call.latest = delayed.add(now, call.latest, slot, call.serial, size);
            *next_change = (*next_change).min(call.latest);
        }
    }

    /// A packet has come from its source, where that took time.
    fn on_delayed(&mut self, now: Time, around: &mut Surroundings<'_, '_>) {
        let Some(delayed) = &mut self.delayed else { return };
        let packet = delayed.take();
        let call = &self.sending.calls[packet.slot as usize];
        // The place of a call that has ended may be another's by now.
        if delayed.outlive() || call.is_live(packet.serial) {
            self.pass(now, packet.size, around);
        }
    }

    /// A packet passes the ingress.
    fn pass(&mut self, now: Time, size: u32, around: &mut Surroundings<'_, '_>) {
        if self.sending.ingress_watches {
            self.ingress.on_sent(now, Bytes::new(u64::from(size)));
        }
        self.sending.outlet.pass(now, size, around);
    }

    /// Cuts and signals that an input has led to.
    fn follow_up(&mut self, now: Time, around: &mut Surroundings<'_, '_>) {
        let cut = self.ingress.next_cut().min(self.live.len() as u32);
        for _ in 0..cut {
            let slot = self.victim();
            self.end(now, slot);
        }
        if cut > 0 {
            self.counters.terminations.push((now, cut, self.live.len() as u32));
        }
        while let Some(signal) = self.ingress.next_signal() {
            self.signal(now, signal, around);
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

    fn signal(&mut self, now: Time, signal: Signal, around: &mut Surroundings<'_, '_>) {
        let message =
            Message { at: now + self.egress.delay, flow: self.sending.outlet.dress.flow, to_egress: true, number: self.messages, signal };
        self.messages += 1;
        around.context.outputs.tell(self.egress.process, message);
    }

    fn count_live(&mut self, now: Time) {
        let span = self.sending.outlet.window.overlap(self.live_since, now);
        self.counters.live_ps += u128::from(span) * self.live.len() as u128;
        self.live_since = now;
    }
}

/// When a source sends next, if it sends nothing after `stop`.
#[inline]
fn next_until(stop: Time, next: Time) -> Time {
    if next <= stop {
        next
    } else {
        Time::NEVER
    }
}
