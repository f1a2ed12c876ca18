//! Fast path: hosts at which an arrival has no effect on what they send, since it is only forwarded, counted, or sampled for marks.
//! Sending and receiving therefore have a loop each, and the ports merge the two streams.

use crate::endpoints::host_context::HostContext;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::route::Hop;
use crate::node::host::Host;
use crate::port::MAX_TRANSMIT_BATCH;
use penstock_model::packet::Body;
use penstock_model::units::Time;

/// Handles all events up to and including `until` at a host that has only datagrams, or up to an earlier instant if there are very
/// many. Returns the number of packets that have arrived and the number of packets sent.
#[inline(never)]
pub fn run_datagrams(host: &mut Host, mut until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> (u64, u64) {
    if host.forwards {
        let send = |host: &mut Host, known: Time, host_context: &mut HostContext<'_, '_>| {
            host.emit(known.after(), MAX_TRANSMIT_BATCH, false, host_context) as u64
        };
        return forward_between(host, until, inputs, host_context, send, Host::count_arrived_datagrams);
    }
    let (mut hops, sent) = (0, host.emit_before(until.after(), host_context));
    loop {
        let front = inputs.front(until);
        let count = host.receive_datagrams(front, until.after(), host_context);
        if count == 0 {
            return (hops, sent);
        }
        inputs.consume(count);
        hops += count as u64;
        if hops >= host_context.max_events() {
            until = until.min(inputs.pause());
        }
    }
}

/// Handles all events up to and including `until`, by which no message arrives, at a host that [`Host::has_calls_beside_transit`]; or
/// up to an earlier instant if there are very many. Returns the number of packets that have arrived and the number of other events.
#[inline(never)]
pub fn run_calls(host: &mut Host, until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> (u64, u64) {
    host_context.keeps_batches = true;
    let handled = forward_between(host, until, inputs, host_context, Host::run_only_calls, Host::receive_all);
    host_context.keeps_batches = false;
    handled
}

/// Repeats two steps up to and including `until`: the host sends packets up to the last of some arrivals by `send`, which returns the
/// number of its events; then these arrivals are forwarded or passed to `receive`.
#[inline(always)]
fn forward_between(
    host: &mut Host,
    mut until: Time,
    inputs: &mut Inputs,
    host_context: &mut HostContext<'_, '_>,
    send: impl Fn(&mut Host, Time, &mut HostContext<'_, '_>) -> u64,
    receive: impl Fn(&mut Host, &[Arrival], &[u32], &mut HostContext<'_, '_>),
) -> (u64, u64) {
    let (mut hops, mut sent) = (0, 0);
    loop {
        let front = inputs.front(until);
        let front = &front[..front.len().min(MAX_TRANSMIT_BATCH)];
        let due = &front[..front.partition_point(|arrival| arrival.at <= until)];
        // Sent packets precede arrivals at the same instant.
        let known = due.last().map_or(until, |last| last.at);
        sent += send(host, known, host_context);
        let due = match host.next() {
            next if next <= known => &due[..due.partition_point(|arrival| arrival.at < next)],
            _ => due,
        };
        let (local, local_count) = mark_transit(due, host_context);
        receive(host, due, &local[..local_count], host_context);
        let HostContext { ports, context, .. } = &mut *host_context;
        ports.iter_mut().for_each(|port| port.drain_with_transit(due, context));
        let count = due.len();
        inputs.consume(count);
        hops += count as u64;
        if count == 0 && host.next() > until {
            return (hops, sent);
        }
        if hops.max(sent) >= host_context.max_events() {
            until = until.min(inputs.pause().min(host.next()));
        }
    }
}

impl Host {
    /// Counts the datagrams with the indices `local` in `arrivals`.
    fn count_arrived_datagrams(&mut self, arrivals: &[Arrival], local: &[u32], host_context: &mut HostContext<'_, '_>) {
        self.count_datagrams(host_context.context.routes, local.iter().map(|i| &arrivals[*i as usize]));
    }

    /// Receives the packets with the indices `local` in `arrivals`.
    fn receive_all(&mut self, arrivals: &[Arrival], local: &[u32], host_context: &mut HostContext<'_, '_>) {
        for Arrival { at, packet } in local.iter().map(|i| &arrivals[*i as usize]) {
            match packet.body {
                Body::Media { .. } => self.receive_sample(*at, packet, host_context.context.routes),
                _ => {
                    self.receive_packet(*at, packet, host_context);
                }
            }
        }
    }
}

/// Adds at most [`MAX_TRANSMIT_BATCH`] arrivals to the digest, and marks those in transit at the ports. Returns the indices of the
/// arrivals that end here, followed by stale entries, and their number.
#[inline(never)]
fn mark_transit(arrivals: &[Arrival], host_context: &mut HostContext<'_, '_>) -> ([u32; MAX_TRANSMIT_BATCH], usize) {
    let HostContext { ports, context, .. } = host_context;
    let routes = context.routes;
    let mut digest = context.record.digest;
    // Branches on the destination are unpredictable: each index is written to both lists, and counts in one.
    let (mut local, mut transit) = ([0; MAX_TRANSMIT_BATCH], [0; MAX_TRANSMIT_BATCH]);
    let (mut local_count, mut transit_count) = (0, 0);
    for (i, Arrival { at, packet }) in arrivals.iter().enumerate() {
        digest.packet(*at, packet, 0);
        let is_local = routes.hop(packet.hop).port == Hop::DELIVER;
        local[local_count] = i as u32;
        transit[transit_count] = i as u32;
        local_count += usize::from(is_local);
        transit_count += usize::from(!is_local);
    }
    context.record.digest = digest;
    match *ports {
        [ref mut port] => port.mark_transit(&transit[..transit_count]),
        _ => {
            for i in &transit[..transit_count] {
                let hop = arrivals[*i as usize].packet.hop;
                ports[routes.hop(hop).port as usize].mark_transit(&[*i]);
            }
        }
    }
    (local, local_count)
}
