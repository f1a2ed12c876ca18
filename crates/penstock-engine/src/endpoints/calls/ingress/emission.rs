//! Calls send, through a random delay before the ingress if there is one.

use super::{CallsIngress, Sending};
use crate::endpoints::calls::call::Call;
use crate::endpoints::calls::ingress_delay::IngressDelay;
use crate::endpoints::emitter::Due;
use crate::endpoints::host_context::HostContext;
use crate::kernel::event::TrainPacket;
use crate::merge::timing_wheel::WheelEntry;
use penstock_model::call::delay::AtEnd;
use penstock_model::units::{Bytes, Duration, Time};

/// Packets that enter the ingress delay between two looks at the flag. Where very many are in it, each of them takes long.
const DELAYED_AT_ONCE: u64 = 64;

/// Where calls send to.
trait Sink {
    /// The call in `slot` sends.
    fn send(&mut self, now: Time, slot: u32, call: &mut Call);

    /// Leading `entries` send, as long as they are due before `bound` and keep the `spacing`; returns how many.
    fn send_repeating(&mut self, entries: &[WheelEntry], calls: &mut [Call], bound: Time, spacing: Duration) -> usize;
}

/// A packet train in the making: the first `count` of `packets`; the others are old.
struct Train<'a> {
    packets: &'a mut Vec<TrainPacket>,
    count: usize,
}

impl Sink for Train<'_> {
    #[inline(always)]
    fn send(&mut self, now: Time, _: u32, call: &mut Call) {
        let packet = TrainPacket { at: now, size: call.size, call: call.serial };
        match self.packets.get_mut(self.count) {
            Some(slot) => *slot = packet,
            None => self.packets.push(packet),
        }
        self.count += 1;
    }

    #[inline(always)]
    fn send_repeating(&mut self, entries: &[WheelEntry], calls: &mut [Call], bound: Time, spacing: Duration) -> usize {
        if self.packets.len() < self.count + entries.len() {
            self.packets.resize(self.count + entries.len(), TrainPacket::default());
        }
        let mut sent = 0;
        for (entry, slot) in entries.iter().zip(&mut self.packets[self.count..]) {
            let call = &mut calls[entry.slot as usize];
            if entry.at >= bound || !call.repeats(spacing) {
                break;
            }
            *slot = TrainPacket { at: entry.at, size: call.size, call: call.serial };
            sent += 1;
        }
        self.count += sent;
        sent
    }
}

impl Sink for IngressDelay {
    #[inline(always)]
    fn send(&mut self, now: Time, slot: u32, call: &mut Call) {
        call.latest = self.add(now, call.latest, slot, call.serial, call.size);
    }

    #[inline(always)]
    fn send_repeating(&mut self, entries: &[WheelEntry], calls: &mut [Call], bound: Time, spacing: Duration) -> usize {
        let mut sent = 0;
        for entry in entries {
            let call = &mut calls[entry.slot as usize];
            if entry.at >= bound || !call.repeats(spacing) {
                break;
            }
            self.send(entry.at, entry.slot, call);
            sent += 1;
        }
        sent
    }
}

impl CallsIngress {
    /// Lets calls send that are due before `bound`, and forwards packets whose ingress delay ends before; or up to an earlier
    /// instant, if these are very many. Returns how many calls it visited, those that have ended included, and how many packets it
    /// forwarded.
    pub(super) fn emit_before(&mut self, bound: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut packets = std::mem::take(host_context.context.outputs.train);
        let mut train = Train { packets: &mut packets, count: 0 };
        let most = host_context.max_events();
        let done = if self.delayed.is_some() {
            let sent = self.delay_before(bound, most);
            // What has not been sent yet may have no delay.
            sent + self.forward_before(bound.min(self.sending.emitter.next()), most, &mut train)
        } else {
            self.send_before(bound, most, &mut train)
        };
        let sent = &train.packets[..train.count];
        if self.sending.ingress_meters {
            for TrainPacket { at, size, .. } in sent {
                self.ingress.on_sent(*at, Bytes::new(u64::from(*size)));
            }
        }
        self.sending.departures.send_train(sent, host_context);
        *host_context.context.outputs.train = packets;
        done
    }

    #[inline(never)]
    fn send_before(&mut self, bound: Time, most: u64, train: &mut Train<'_>) -> u64 {
        self.sending.emit(&mut self.free, (bound, most), train)
    }

    /// Lets calls send into the ingress delay before `bound`. The ingress sees these packets only after everything that is due
    /// earlier, and they never change when calls send: so all may be sent before the first is forwarded.
    #[inline(never)]
    fn delay_before(&mut self, bound: Time, most: u64) -> u64 {
        let CallsIngress { sending, delayed: Some(delayed), free, setup, .. } = self else { return 0 };
        let mut visited = 0;
        while sending.emitter.next() < bound && visited < most {
            visited += sending.emit(free, (bound, DELAYED_AT_ONCE.min(most)), &mut **delayed);
            if setup.cancel.is_set() {
                // The visit ends as if it had been long.
                visited = visited.max(most);
            }
        }
        sending.next_delayed = delayed.calendar.next();
        visited
    }

    /// Forwards packets that reach the ingress before `bound`.
    #[inline(never)]
    fn forward_before(&mut self, bound: Time, most: u64, train: &mut Train<'_>) -> u64 {
        let Train { packets, count } = train;
        packets.clear();
        let CallsIngress { sending: Sending { calls, next_delayed, .. }, delayed: Some(delayed), .. } = self else { return 0 };
        let outlive = delayed.plan.at_end == AtEnd::Sent;
        let forwarded = delayed.forward_before(bound, most, |packet| {
            // The slot of a call that has ended may have been reused.
            if outlive || calls[packet.slot as usize].is_live(packet.serial) {
                packets.push(TrainPacket { at: packet.at, size: packet.size, call: packet.serial });
            }
        });
        *count = packets.len();
        *next_delayed = delayed.calendar.next();
        forwarded
    }
}

impl Sending {
    /// Lets all calls send that are due before `bound`, or up to the instant at which `most` of them have, to `sink`. Slots of calls that
    /// have ended are added to `free`. Returns how many calls it visited.
    #[inline(always)]
    fn emit(&mut self, free: &mut Vec<u32>, (mut bound, most): (Time, u64), sink: &mut impl Sink) -> u64 {
        let Sending { emitter, calls, stop, .. } = self;
        let (stop, mut visited) = (*stop, 0);
        while emitter.next() < bound {
            if visited >= most {
                bound = bound.min(emitter.next().after());
            }
            if !emitter.first_is_in_wheel() {
                let Due { at, slot, .. } = emitter.first();
                emitter.reschedule_first(send_from(calls, free, stop, at, slot, sink), None);
                visited += 1;
                continue;
            }
            let left = most.saturating_sub(visited).max(1) as usize;
            let repeating = emitter.advance_repeating(bound, left, |entries, bound, spacing| {
                sink.send_repeating(entries, calls, before_last(bound, stop, spacing), spacing)
            });
            visited += match repeating {
                // The first draws again, or has ended.
                0 => emitter.advance(bound, 1, |now, slot| send_from(calls, free, stop, now, slot, sink)) as u64,
                repeating => repeating as u64,
            };
        }
        visited
    }
}

/// `bound`, or the earlier time from which on the next packet a `spacing` later would come after `stop`.
#[inline(always)]
fn before_last(bound: Time, stop: Time, spacing: Duration) -> Time {
    let last = stop.as_ps().checked_sub(spacing.as_ps());
    last.map_or(Time::ZERO, |last| bound.min(Time::from_ps(last).after()))
}

/// Lets the call in `slot` send to `sink`, unless it has ended; returns when it sends next, or never if it has ended or that is after
/// `stop`.
#[inline(always)]
fn send_from(calls: &mut [Call], free: &mut Vec<u32>, stop: Time, now: Time, slot: u32, sink: &mut impl Sink) -> Time {
    let call = &mut calls[slot as usize];
    if call.has_ended() {
        free.push(slot);
        return Time::NEVER;
    }
    sink.send(now, slot, call);
    let next = now + call.next_spacing();
    if next <= stop {
        next
    } else {
        Time::NEVER
    }
}
