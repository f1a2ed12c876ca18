//! The loop of a host: its own timers and sources, and packets that arrive; packets in cells are reassembled first.

use crate::endpoints::host_context::HostContext;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::route::Hop;
use crate::node::aal5::Aal5;
use crate::node::host::Host;
use penstock_model::units::Time;

/// Handles all events at a host up to and including `until`, by which no message arrives: its own timers and sources, then packets that
/// arrive; or up to an earlier instant if there are very many. Returns the number of packets that have arrived and the number of other
/// events.
#[inline(never)]
pub(super) fn run_host(
    host: &mut Host,
    mut aal5: Option<&mut Aal5>,
    mut until: Time,
    inputs: &mut Inputs,
    host_context: &mut HostContext<'_, '_>,
) -> (u64, u64) {
    let (mut hops, mut events) = (0, host.run_calls(until, host_context));
    // The host has no event of its own before this bound, and no event from it on may be handled yet.
    let mut bound = host.next().min(until.after());
    loop {
        let front = inputs.front(until);
        let mut taken = 0;
        let is_over = loop {
            let arrival = front.get(taken);
            let at = arrival.map_or(Time::NEVER, |arrival| arrival.at);
            if at >= bound {
                if arrival.is_none() && taken > 0 {
                    // The next arrival may be in the next slice.
                    break false;
                }
                let last = until.min(at);
                if host.next() <= last {
                    events = host.run(events, last, host_context);
                }
                if at > until {
                    break true;
                }
                if events >= host_context.max_events() {
                    // The host may have stopped before `last`.
                    break true;
                }
                bound = host.next().min(until.after());
            }
            let Some(Arrival { packet, .. }) = arrival else { break true };
            if aal5.is_none() && host.can_receive_batch(packet, host_context.context.record) {
                taken += host.receive_batch(&front[taken..], bound, host_context);
                bound = bound.min(host.timers.next());
                continue;
            }
            host_context.context.record.digest.packet(at, packet, 0);
            taken += 1;
            let whole;
            let packet = match &mut aal5 {
                None => packet,
                Some(aal5) => {
                    let Some(complete) = aal5.receive(at, packet, host, host_context) else { continue };
                    whole = complete;
                    &whole
                }
            };
            let port = if host.forwards { host_context.context.routes.hop(packet.hop).port } else { Hop::DELIVER };
            if port != Hop::DELIVER {
                host_context.forward(at, port, packet, packet.hop.next());
            } else if host.receive_packet(at, packet, host_context) {
                bound = bound.min(host.timers.next());
            }
        };
        inputs.consume(taken);
        hops += taken as u64;
        if is_over {
            return (hops, events);
        }
        if hops >= host_context.max_events() {
            until = until.min(inputs.pause().min(host.next()));
            bound = bound.min(until.after());
        }
    }
}
