//! Calls arrive, are admitted or blocked, and begin.

use super::CallsIngress;
use crate::endpoints::calls::call::Call;
use crate::endpoints::host_context::HostContext;
use penstock_model::edge::{Decision, Signal};
use penstock_model::packet::Body;
use penstock_model::source::{AnySource, Source};
use penstock_model::units::{Duration, Time};
use std::cmp::Reverse;

impl CallsIngress {
    /// Starts `calls` calls at `now`, which send their first packets within `spread`.
    pub(super) fn begin_batch(&mut self, calls: u32, spread: Duration, stream: &str, now: Time) {
        let mut stream = self.setup.site.key.child(stream).stream();
        let cancel = self.setup.cancel.clone();
        for _ in cancel.until_set(0..calls) {
            let after = Duration::from_ps((spread.as_ps() as f64 * stream.unit()) as u64);
            let serial = self.take_serial();
            self.begin(now + after, serial, now);
        }
    }

    pub(super) fn on_surge(&mut self, now: Time) {
        self.next_surge = Time::NEVER;
        if let Some((calls, spread)) = self.setup.plan.surge.as_ref().map(|surge| (surge.calls.of(self.setup.member), surge.spread)) {
            self.begin_batch(calls, spread, "surge", now);
        }
    }

    pub(super) fn take_serial(&mut self) -> u32 {
        self.next_call += 1;
        self.next_call - 1
    }

    pub(super) fn draw_arrival(&mut self, now: Time) {
        self.next_arrival = Time::NEVER;
        if let Some(arrivals) = &self.setup.plan.arrivals {
            let (after, calls) = arrivals.next_arrival(&mut self.arrivals);
            if now + after <= self.sending.stop {
                (self.next_arrival, self.arriving) = (now + after, calls);
            }
        }
    }

    pub(super) fn on_arrival(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        let cancel = self.setup.cancel.clone();
        for _ in cancel.until_set(0..self.arriving) {
            let serial = self.take_serial();
            self.counters.offered += u64::from(self.sending.departures.measured.is_open(now));
            let live = self.live.len() as u32;
            match self.ingress.on_call(now, serial, live) {
                Decision::Admit => self.on_decision(now, serial, true),
                Decision::Block => self.on_decision(now, serial, false),
                Decision::Ask => self.request_admission(now, serial, live, host_context),
            }
        }
        self.draw_arrival(now);
        self.apply_decisions(now, host_context);
    }

    pub(super) fn request_admission(&mut self, now: Time, call: u32, live: u32, host_context: &mut HostContext<'_, '_>) {
        self.open_requests += 1;
        match self.setup.plan.request_packet {
            Some(size) => {
                let packet = self.sending.departures.template.packet(now, size, Body::Request { call, live });
                self.sending.departures.send(now, &packet, host_context);
            }
            None => self.send_signal(now, Signal::Request { call, live }, host_context),
        }
    }

    pub(super) fn on_decision(&mut self, now: Time, serial: u32, admitted: bool) {
        let counts = u64::from(self.sending.departures.measured.is_open(now));
        if admitted {
            self.counters.admitted += counts;
            self.begin(now, serial, now);
        } else {
            self.counters.blocked += counts;
        }
    }

    /// Starts a call at `now`; its source begins at `from`.
    pub(super) fn begin(&mut self, from: Time, serial: u32, now: Time) {
        let key = self.setup.site.key.child("call").nth(u64::from(serial));
        let Some(mut source) = AnySource::new(&self.setup.source, &self.setup.site.with_key(key)) else { return };
        let mut stream = key.stream();
        let first = source.first(&mut stream);
        let spacing = source.spacing();
        let slot = self.free.pop().unwrap_or(self.sending.calls.len() as u32);
        let call = Call::new(source, stream, serial, first.size, self.live.len() as u32);
        match self.sending.calls.get_mut(slot as usize) {
            Some(slot) => *slot = call,
            None => self.sending.calls.push(call),
        }
        self.count_live(now);
        self.live.push(slot);
        let ends = now + self.setup.plan.holding.holding(&mut key.child("holding").stream());
        if ends != Time::NEVER {
            self.endings.push(Reverse((ends, slot, serial)));
            self.next_ending = self.next_ending.min(ends);
        }
        self.sending.emitter.insert(from + first.after, serial, slot, spacing, None);
    }
}
