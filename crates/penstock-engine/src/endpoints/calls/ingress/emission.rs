//! Calls send, through a random delay before the ingress if there is one.

use super::{CallsIngress, Sending};
use crate::endpoints::calls::call::Call;
use crate::endpoints::emitter::{Due, Emitter};
use crate::endpoints::host_context::HostContext;
use crate::kernel::event::TrainPacket;
use penstock_model::units::{Bytes, Time};

/// Packets that enter the ingress delay between two looks at the flag. Where very many are in it, each of them takes long.
const DELAYED_AT_ONCE: u64 = 64;

impl CallsIngress {
    /// Lets calls send that are due before `bound`, and forwards packets whose ingress delay ends before; or up to an earlier
    /// instant, if these are very many. Returns how many calls it visited, those that have ended included, and how many packets it
    /// forwarded.
    pub(super) fn emit_before(&mut self, bound: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut train = std::mem::take(host_context.context.outputs.train);
        let most = host_context.max_events();
        let done = if self.delayed.is_some() {
            let sent = self.delay_before(bound, most);
            // What has not been sent yet may have no delay.
            sent + self.forward_before(bound.min(self.sending.emitter.next()), most, &mut train)
        } else {
            self.send_before(bound, most, &mut train)
        };
        if self.sending.ingress_meters {
            for TrainPacket { at, size } in &train {
                self.ingress.on_sent(*at, Bytes::new(u64::from(*size)));
            }
        }
        self.sending.departures.send_train(&train, host_context);
        train.clear();
        *host_context.context.outputs.train = train;
        done
    }

    #[inline(never)]
    fn send_before(&mut self, bound: Time, most: u64, train: &mut Vec<TrainPacket>) -> u64 {
        let CallsIngress { sending: Sending { calls, emitter, stop, .. }, free, .. } = self;
        emit(emitter, calls, free, (bound, most), *stop, |now, _, call| train.push(TrainPacket { at: now, size: call.size }))
    }

    /// Lets calls send into the ingress delay before `bound`. The ingress sees these packets only after everything that is due
    /// earlier, and they never change when calls send: so all may be sent before the first is forwarded.
    #[inline(never)]
    fn delay_before(&mut self, bound: Time, most: u64) -> u64 {
        let CallsIngress { sending, delayed: Some(delayed), free, cancel, .. } = self else { return 0 };
        let Sending { calls, emitter, stop, next_delayed, .. } = sending;
        let mut visited = 0;
        while emitter.next() < bound && visited < most {
            visited += emit(emitter, calls, free, (bound, DELAYED_AT_ONCE.min(most)), *stop, |now, slot, call| {
                call.latest = delayed.add(now, call.latest, slot, call.serial, call.size);
            });
            if cancel.is_set() {
                // The visit ends as if it had been long.
                visited = visited.max(most);
            }
        }
        *next_delayed = delayed.next();
        visited
    }

    /// Forwards packets that reach the ingress before `bound`.
    #[inline(never)]
    fn forward_before(&mut self, bound: Time, most: u64, train: &mut Vec<TrainPacket>) -> u64 {
        let CallsIngress { sending: Sending { calls, next_delayed, .. }, delayed: Some(delayed), .. } = self else { return 0 };
        let outlive = delayed.outlive();
        let forwarded = delayed.forward_before(bound, most, |packet| {
            // The slot of a call that has ended may have been reused.
            if outlive || calls[packet.slot as usize].is_live(packet.serial) {
                train.push(TrainPacket { at: packet.at, size: packet.size });
            }
        });
        *next_delayed = delayed.next();
        forwarded
    }
}

/// Lets all calls send that are due before `bound`, or up to the instant at which `most` of them have: `send` gets the time, the slot and the call. Slots of calls that have ended are
/// added to `free`. Returns how many calls it visited.
#[inline(always)]
fn emit(
    emitter: &mut Emitter,
    calls: &mut [Call],
    free: &mut Vec<u32>,
    (mut bound, most): (Time, u64),
    stop: Time,
    mut send: impl FnMut(Time, u32, &mut Call),
) -> u64 {
    let mut visited = 0;
    while emitter.next() < bound {
        if visited >= most {
            bound = bound.min(emitter.next().after());
        }
        visited += if emitter.first_is_in_wheel() {
            let left = most.saturating_sub(visited).max(1) as usize;
            emitter.advance(bound, left, |now, slot| send_from(calls, free, stop, now, slot, &mut send)) as u64
        } else {
            let Due { at, slot, .. } = emitter.first();
            emitter.reschedule_first(send_from(calls, free, stop, at, slot, &mut send));
            1
        };
    }
    visited
}

/// Lets the call in `slot` send, unless it has ended; returns when it sends next, or never if it has ended or that is after
/// `stop`.
#[inline(always)]
fn send_from(
    calls: &mut [Call],
    free: &mut Vec<u32>,
    stop: Time,
    now: Time,
    slot: u32,
    send: &mut impl FnMut(Time, u32, &mut Call),
) -> Time {
    let call = &mut calls[slot as usize];
    if call.has_ended() {
        free.push(slot);
        return Time::NEVER;
    }
    send(now, slot, call);
    let next = now + call.next_spacing();
    if next <= stop {
        next
    } else {
        Time::NEVER
    }
}
