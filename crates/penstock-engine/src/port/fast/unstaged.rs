//! Ports without policers, marker, impairments or recorders: arrivals skip the stages that are not there.

use crate::kernel::context::Context;
use crate::kernel::event::Written;
use crate::port::stages::Records;
use crate::port::verdict::{self, Standing};
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::units::Time;

impl Port {
    /// Takes a packet at a port that knows its departures on arrival and has no further stages than PCN meters.
    #[inline(always)]
    pub(in crate::port) fn commit(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::Precomputed(queue), counters, wire, pcn, delay, .. } = self else { return };
        let decision = queue.on_arrival(now, packet, &mut counters.sent).into();
        let Some(ecn) = verdict::apply::<true>(decision, Standing::Arriving, now, packet, counters, context.record) else { return };
        let mut written = Written { hop, ecn, pcn: packet.pcn };
        if let Some(pcn) = pcn {
            written.pcn = pcn.meter(now, packet);
            if written.pcn > packet.pcn {
                counters.mark(now, packet);
            }
        }
        let (start, end) = queue.commit(now, packet.size, packet.precedence, wire, &mut counters.sent);
        if counters.passage(now, start, end, packet) {
            let (next, at) = (context.routes.hop(hop), end + *delay);
            context.outputs.send(next.process, next.input, at, |arrival| arrival.write(at, packet, written));
        }
        self.check_conservation();
    }

    /// Takes a packet at an event-driven port that does nothing else to it than meter it.
    pub(in crate::port) fn enqueue_unstaged(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::EventDriven(service), counters, pcn, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        let decision = service.decide(now, packet, &mut Records { counters, journal: context.record });
        let Some(ecn) = verdict::apply::<true>(decision, Standing::Arriving, now, packet, counters, context.record) else { return };
        let mut mark = packet.pcn;
        if let Some(pcn) = pcn {
            mark = pcn.meter(now, packet);
            if mark > packet.pcn {
                counters.mark(now, packet);
            }
        }
        counters.offer();
        let packet = Packet { hop, ecn, pcn: mark, ..*packet };
        service.push(now, packet, &mut Records { counters, journal: context.record });
        self.serve_single_queue(now, context);
    }
}
