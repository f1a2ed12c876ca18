//! Ports without policers, marker, impairments or recorders: arrivals skip the stages that are not there.

use crate::kernel::context::Context;
use crate::kernel::event::HeaderUpdate;
use crate::port::stages::Records;
use crate::port::verdict::{self, DecisionPoint};
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::units::Time;

impl Port {
    /// Enqueues a packet at a port that precomputes departures and has no further stages than PCN meters; `None` if it is dropped.
    #[inline(always)]
    pub(in crate::port) fn enqueue_precomputed<const TRACED: bool>(
        &mut self,
        now: Time,
        packet: &Packet,
        hop: HopId,
        context: &mut Context<'_, '_>,
    ) -> Option<()> {
        let Port { queueing: Queueing::Precomputed(queue), counters, wire, pcn, delay, .. } = self else { return None };
        let decision = queue.on_arrival(now, packet, &mut counters.sent).into();
        let ecn = verdict::apply::<TRACED>(decision, DecisionPoint::OnArrival, now, packet, counters, context.record)?;
        let mut header = HeaderUpdate { hop, ecn, pcn: packet.pcn };
        if let Some(pcn) = pcn {
            header.pcn = pcn.meter(now, packet);
            if header.pcn > packet.pcn {
                counters.mark(now, packet);
                if TRACED {
                    verdict::trace_pcn_mark(now, &Packet { ecn, pcn: header.pcn, ..*packet }, counters, context.record);
                }
            }
        }
        let (start, end) = queue.schedule(now, packet.size, packet.precedence, wire, &mut counters.sent);
        let is_sent = counters.accepted_departure(now, start, end, (packet.size, packet.precedence));
        if TRACED {
            verdict::trace_transmission(start, &Packet { ecn, pcn: header.pcn, ..*packet }, counters, context.record);
        }
        if is_sent {
            let (next, at) = (context.routes.hop(hop), end + *delay);
            context.outputs.send(next.process, next.input, at, |arrival| arrival.write_forwarded(at, packet, header));
        }
        self.check_conservation();
        Some(())
    }

    /// Enqueues a packet at an event-driven port that has no further stages than PCN meters.
    pub(in crate::port) fn enqueue_unstaged(&mut self, now: Time, packet: &Packet, hop: HopId, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::EventDriven(service), counters, pcn, .. } = self else {
            unreachable!("departures are not known on arrival");
        };
        let decision = service.decide(now, packet, &mut Records { counters, journal: context.record });
        let Some(ecn) = verdict::apply::<true>(decision, DecisionPoint::OnArrival, now, packet, counters, context.record) else { return };
        let mut mark = packet.pcn;
        if let Some(pcn) = pcn {
            mark = pcn.meter(now, packet);
            if mark > packet.pcn {
                counters.mark(now, packet);
                verdict::trace_pcn_mark(now, &Packet { ecn, pcn: mark, ..*packet }, counters, context.record);
            }
        }
        counters.offer();
        let packet = Packet { hop, ecn, pcn: mark, ..*packet };
        service.enqueue(now, packet, &mut Records { counters, journal: context.record });
        self.serve_single_queue(now, context);
    }
}
