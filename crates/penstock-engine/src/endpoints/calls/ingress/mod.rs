//! The sending end of an aggregate: calls arrive, are admitted or blocked, send, and end or are terminated.

mod admission;
mod emission;
pub mod setup;
mod termination;

use crate::api::observations::{CallCounters, SentCounts};
use crate::endpoints::calls::call::Call;
use crate::endpoints::calls::departures::Departures;
use crate::endpoints::calls::ingress::setup::CallsSetup;
use crate::endpoints::calls::ingress_delay::IngressDelay;
use crate::endpoints::emitter::Emitter;
use crate::endpoints::host_context::HostContext;
use crate::kernel::message::{CallSignal, MessageBody};
use penstock_model::edge::{Ingress, Signal};
use penstock_model::id::{FlowId, ProcessId};
use penstock_model::probe::Variable;
use penstock_model::rng::Stream;
use penstock_model::units::{Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The sending end of an aggregate of calls, at its ingress.
#[derive(Clone)]
pub struct CallsIngress {
    sending: Sending,
    setup: CallsSetup,
    ingress: Ingress,
    arrivals: Stream,
    picks: Stream,
    next_arrival: Time,
    arriving: u32,
    free: Vec<u32>,
    /// Slots of the live calls, in no particular order.
    live: Vec<u32>,
    /// Packets between their sources and the ingress, where that takes time.
    delayed: Option<Box<IngressDelay>>,
    next_surge: Time,
    endings: BinaryHeap<Reverse<(Time, u32, u32)>>,
    next_ending: Time,
    next_call: u32,
    /// The egress only answers requests.
    egress_only_answers: bool,
    /// No two packets of a call are closer than this.
    least_spacing: Duration,
    /// Requests that have not been answered yet.
    open_requests: u32,
    /// Calls offered, admitted, blocked and terminated.
    pub counters: CallCounters,
    live_since: Time,
}

/// The state that every packet needs, on adjacent cache lines: there may be very many aggregates, each visited for a few packets.
#[repr(align(64))]
#[derive(Clone)]
struct Sending {
    departures: Departures,
    /// Whether the ingress state machine observes the packets sent, and may have deadlines.
    ingress_meters: bool,
    /// Time at which the next call begins or ends.
    next_change: Time,
    /// Time at which the next packet in the ingress delay reaches the ingress.
    next_delayed: Time,
    /// Time after which no call sends.
    stop: Time,
    calls: Vec<Call>,
    emitter: Emitter,
}

penstock_model::state! {
    impl CallsIngress, |it, _now| {
        /// Live calls.
        "calls", "calls", is it.live.len() as f64;
        /// Calls that have arrived since the beginning of the run.
        "offered", "calls", is it.counters.offered as f64;
        /// Those of them that were admitted.
        "admitted", "calls", is it.counters.admitted as f64;
        /// Those that were refused.
        "blocked", "calls", is it.counters.blocked as f64;
        /// Calls that were terminated early since the beginning of the run.
        "terminated", "calls", is it.counters.terminations.iter().map(|(_, calls, _)| f64::from(*calls)).sum();
        /// Whether the next call would be admitted (1) or refused (0), where the ingress decides; not where it asks the egress.
        "admitting", "1", maybe it.ingress.admits_now(it.live.len() as u32).map(|admits| f64::from(u8::from(admits)));
    }
}

/// The variables that every aggregate of calls shows.
pub const CALLS: &[Variable] = CallsIngress::STATE;

/// Fraction of a spacing, as a divisor, below which the search for a promise ends: a shorter one is not worth it.
const MOST_HALVINGS: u64 = 8;

impl CallsIngress {
    /// The aggregate.
    pub fn flow(&self) -> FlowId {
        self.sending.departures.template.flow
    }

    /// Packets and bytes that this end has sent in the measurement period.
    pub fn sent(&self) -> SentCounts {
        self.sending.departures.counts
    }

    /// Returns a lower bound on the time at which this end sends something that the egress answers by a signal. If the egress only
    /// answers, that is a request. Otherwise it is the packet before which the egress sends no signal: `silent_before` returns its number
    /// for a flow that ends at a process.
    pub fn quiet_until(&self, silent_before: impl Fn(ProcessId, FlowId) -> Option<u32>) -> Time {
        if self.egress_only_answers {
            return if self.open_requests == 0 { self.next_arrival } else { Time::ZERO };
        }
        silent_before(self.setup.egress.process, self.flow()).map_or(Time::ZERO, |number| self.earliest_departure(number))
    }

    /// Returns a lower bound on the departure of packet `number` (in all, modulo 2^32); [`Time::ZERO`] if it is unknown, or soon.
    fn earliest_departure(&self, number: u32) -> Time {
        let Sending { departures, emitter, next_change, .. } = &self.sending;
        let delayed = |until| self.delayed.as_ref().map_or(0, |delayed| delayed.calendar.count_before(until) as u64);
        let (calls, spacing) = (self.live.len().max(1) as u64, self.least_spacing);
        let earlier = number.wrapping_sub(departures.sequence).wrapping_sub(1) as i32;
        // If there are this many calls or delayed packets, the search is not worth its cost.
        let earlier = u64::try_from(earlier).unwrap_or(0);
        if self.setup.may_be_copied || spacing == Duration::ZERO || calls > earlier || delayed(Time::NEVER) > 2 * earlier {
            return Time::ZERO;
        }
        // From the next packet on a call sends at most once in each spacing, and no others begin before the next change.
        let mut span = spacing.times(earlier / calls);
        while span.times(MOST_HALVINGS) >= spacing {
            let until = emitter.next() + span;
            let sent = if span < spacing { emitter.count_before(until) } else { calls * span.as_ps().div_ceil(spacing.as_ps()) };
            if sent + delayed(until) <= earlier {
                return until.min(*next_change);
            }
            span = Duration::from_ps(span.as_ps() / 2);
        }
        Time::ZERO
    }

    /// The time of the next event here.
    #[inline]
    pub fn next(&self) -> Time {
        self.next_packet().min(self.sending.next_change).min(self.deadline())
    }

    /// When a packet is sent next, or leaves the ingress delay.
    #[inline]
    fn next_packet(&self) -> Time {
        self.sending.emitter.next().min(self.sending.next_delayed)
    }

    #[inline]
    fn deadline(&self) -> Time {
        if self.sending.ingress_meters {
            self.ingress.deadline()
        } else {
            Time::NEVER
        }
    }

    /// Finds out when a call begins or ends next.
    fn update_next_change(&mut self) {
        self.sending.next_change = self.next_ending.min(self.next_arrival).min(self.next_surge);
    }

    /// Handles everything that is due up to and including `until`, or up to an earlier instant if that is very much. Simultaneous
    /// events have this order: a call ends, the ingress' timer expires, a call arrives, a packet leaves the ingress delay, a packet
    /// is sent. Returns how many it handled.
    #[inline]
    pub fn run(&mut self, mut until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut done = 0;
        loop {
            let packet = self.next_packet();
            let other = self.sending.next_change.min(self.deadline());
            if packet.min(other) > until {
                return done;
            }
            if done >= host_context.max_events() {
                until = packet.min(other);
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
                self.apply_decisions(now, host_context);
            }
        } else if self.ingress.deadline() <= now {
            self.ingress.on_timer(now, self.live.len() as u32);
            self.apply_decisions(now, host_context);
        } else if self.next_arrival <= now {
            self.on_arrival(now, host_context);
        } else {
            self.on_surge(now);
        }
        self.update_next_change();
    }

    /// Handles a signal from the egress.
    pub fn on_signal(&mut self, now: Time, signal: Signal, host_context: &mut HostContext<'_, '_>) {
        if let Some((call, admitted)) = self.ingress.on_signal(now, signal, self.live.len() as u32) {
            self.open_requests -= 1;
            self.on_decision(now, call, admitted);
        }
        self.apply_decisions(now, host_context);
        self.update_next_change();
    }

    /// Brings the counts up to the end of the run.
    pub fn finish(&mut self, end: Time) {
        self.count_live(end);
        self.counters.live_at_end = self.live.len() as u64;
    }

    fn send_signal(&mut self, now: Time, signal: Signal, host_context: &mut HostContext<'_, '_>) {
        let body = MessageBody::Call(CallSignal { flow: self.flow(), to_egress: true, signal });
        host_context.context.outputs.send_message(now, &mut self.setup.egress, body);
    }

    fn count_live(&mut self, now: Time) {
        let span = self.sending.departures.measured.overlap(self.live_since, now);
        self.counters.live_ps += u128::from(span) * self.live.len() as u128;
        self.live_since = now;
    }
}
