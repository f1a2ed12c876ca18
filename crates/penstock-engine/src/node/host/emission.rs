//! Emission of packets by the open-loop sources of a host.

use crate::endpoints::emitter::Due;
use crate::endpoints::host_context::HostContext;
use crate::node::host::Host;
use crate::port::MAX_TRANSMIT_BATCH;
use penstock_model::units::Time;

impl Host {
    /// Sends the packets of open-loop sources that are due before `bound`, or up to an earlier instant if there are very many; returns
    /// their number.
    pub fn emit_before(&mut self, mut bound: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut sent = 0;
        while self.emitter.next() < bound {
            sent += self.emit(bound, MAX_TRANSMIT_BATCH, true, host_context) as u64;
            host_context.drain_transmit_batch();
            if sent >= host_context.max_events() {
                bound = bound.min(self.emitter.next().after());
            }
        }
        sent
    }

    /// Sends at most `most` packets of open-loop sources before `bound`; returns their number. Ports may process them immediately if
    /// `at_once`.
    #[inline(never)]
    pub fn emit(&mut self, bound: Time, most: usize, at_once: bool, host_context: &mut HostContext<'_, '_>) -> usize {
        let mut sent = 0;
        while sent < most && self.emitter.next() < bound {
            let Host { emitter, sources, measured, place, .. } = self;
            if host_context.ports.len() == 1 && host_context.context.record.is_untraced() {
                let both = emitter.emit_from_two_wheels(bound, most - sent, |pair| host_context.ports[0].add_two_wheels_to_batch(pair));
                sent += both;
                if both > 0 {
                    continue;
                }
            }
            sent += if emitter.first_is_periodic() {
                emitter.emit_periodic(bound, most - sent, |entries| host_context.send_periodic(entries, *place, at_once))
            } else if emitter.first_is_in_wheel() {
                emitter.advance(bound, most - sent, |now, slot| sources[slot as usize].send(now, *measured, *place, host_context))
            } else {
                let Due { at, slot, .. } = emitter.first();
                let end = &mut sources[slot as usize];
                let next = end.send(at, *measured, *place, host_context);
                emitter.reschedule_first(next, end.periodic_packet());
                1
            };
        }
        sent
    }
}
