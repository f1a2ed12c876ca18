//! The loop of a router's port, which forwards every packet that arrives.

use crate::endpoints::host_context::HostContext;
use crate::kernel::inputs::Inputs;
use crate::port::{MAX_BATCH, MIN_BATCH};
use penstock_model::units::Time;

/// Passes all packets that arrive up to and including `until` to a router's port, or up to an earlier instant if there are very many.
/// Returns their number.
#[inline]
pub(super) fn forward(mut until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> u64 {
    let [port] = host_context.ports else { unreachable!("a router's port is a process of its own") };
    let mut digest = host_context.context.record.digest;
    let mut forwarded = 0;
    loop {
        let front = inputs.front(until);
        let front = &front[..front.len().min(MAX_BATCH)];
        // A later packet must wait, since others may still precede it and must not find the queue as it is at that later time.
        let Some(first) = front.first().filter(|first| first.at <= until) else {
            host_context.context.record.digest = digest;
            return forwarded;
        };
        let mut taken = 0;
        let due = front.iter().take_while(|arrival| arrival.at <= until);
        let packets = due.map(|arrival| {
            digest.packet(arrival.at, &arrival.packet, 0);
            taken += 1;
            (arrival, arrival.packet.hop.next())
        });
        // Few of the queued arrivals may be due by `until`.
        let has_many_due = front.get(MIN_BATCH - 1).is_some_and(|arrival| arrival.at <= until);
        let most = if has_many_due { front.len() } else { front.len().min(MIN_BATCH - 1) };
        port.on_arrivals(packets, (first.at, most), &mut host_context.context);
        inputs.consume(taken);
        forwarded += taken as u64;
        if forwarded >= host_context.context.routes.max_visit_events {
            until = until.min(inputs.pause());
        }
    }
}
