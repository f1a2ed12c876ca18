//! The loop of a router's port: every packet that arrives is forwarded.

use crate::endpoints::host_context::HostContext;
use crate::kernel::context::Context;
use crate::kernel::digest::Digest;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::merge::batch_sort::{BatchSort, TakenPlace, MAX_COPIED};
use crate::merge::k_way::KWayMerge;
use crate::port::{Port, MAX_BATCH, MIN_BATCH};
use penstock_model::units::Time;

/// Hands a router's port all packets that arrive up to and including `until`, or up to an earlier instant if there are very many;
/// returns how many.
#[inline]
pub(super) fn forward(mut until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> u64 {
    let [port] = host_context.ports else { unreachable!("a router's port is a process of its own") };
    if let Some(pair) = inputs.pair() {
        return forward_from_two_inputs(until, pair, port, &mut host_context.context);
    }
    let mut digest = host_context.context.record.digest;
    let mut forwarded = 0;
    loop {
        if let Some(batches) = inputs.batches() {
            let count = forward_sorted(until, batches, port, &mut digest, &mut host_context.context);
            if count > 0 {
                // They are taken already; the inputs may go on with a calendar.
                inputs.consume(0);
                forwarded += count as u64;
                if forwarded >= host_context.context.routes.max_visit_events {
                    until = until.min(inputs.pause());
                }
                continue;
            }
        }
        let front = inputs.front(until);
        let front = &front[..front.len().min(MAX_BATCH)];
        // The port must not process a packet that others may still precede: by then more would have left its queue.
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

/// Forwards a batch of a batch-sort merge in place; returns how many packets that is.
#[inline(always)]
fn forward_sorted(
    until: Time,
    batches: &mut BatchSort<Arrival>,
    port: &mut Port,
    digest: &mut Digest,
    context: &mut Context<'_, '_>,
) -> usize {
    let mut places = [TakenPlace::default(); MAX_COPIED];
    let count = batches.take_places(until, &mut places);
    if count > 0 {
        let from = batches.taken(places[0]).at;
        let mut hash = *digest;
        let packets = places[..count].iter().map(|place| {
            let arrival = batches.taken(*place);
            hash.packet(arrival.at, &arrival.packet, 0);
            (arrival, arrival.packet.hop.next())
        });
        port.on_arrivals(packets, (from, count), context);
        *digest = hash;
    }
    count
}

/// As [`forward`], for exactly two inputs.
fn forward_from_two_inputs(mut until: Time, inputs: &mut KWayMerge<Arrival>, port: &mut Port, context: &mut Context<'_, '_>) -> u64 {
    let mut digest = context.record.digest;
    let mut forwarded = 0;
    loop {
        let from = inputs.next();
        if from > until {
            context.record.digest = digest;
            return forwarded;
        }
        let counts = if port.can_forward_merged(from, context) {
            port.forward_merged(inputs, until, &mut digest, context)
        } else {
            let mut batch = [&Arrival::PLACEHOLDER; MAX_BATCH];
            let counts = inputs.list(until, &mut batch, |_| {});
            let batch = &batch[..counts.0 + counts.1];
            let packets = batch.iter().map(|arrival| {
                digest.packet(arrival.at, &arrival.packet, 0);
                (*arrival, arrival.packet.hop.next())
            });
            port.on_arrivals(packets, (from, batch.len()), context);
            counts
        };
        inputs.consume_both(counts);
        forwarded += (counts.0 + counts.1) as u64;
        if forwarded >= context.routes.max_visit_events {
            until = until.min(inputs.next());
        }
    }
}
