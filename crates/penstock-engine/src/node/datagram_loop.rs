//! Fast path: hosts with nothing but datagrams. An arrival there is forwarded or counted and changes nothing about what sources
//! send, so sources and arrivals are handled in a loop each, and the ports merge the two.

use crate::endpoints::host_context::HostContext;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::route::Hop;
use crate::node::host::Host;
use crate::node::MAX_FRONT;
use crate::port::MAX_TRANSMIT_BATCH;
use penstock_model::units::Time;

/// Handles what is due up to and including `until` at a host that has only datagrams, or up to an earlier instant if there is very
/// much. Returns how many packets have arrived, and how many were sent.
#[inline(never)]
pub fn run(host: &mut Host, mut until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> (u64, u64) {
    let (mut hops, mut sent) = (0, 0);
    if !host.forwards {
        sent += host.emit_before(until.after(), host_context);
        loop {
            let front = inputs.front(until);
            let front = &front[..front.len().min(MAX_FRONT)];
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
    loop {
        let front = inputs.front(until);
        let front = &front[..front.len().min(MAX_TRANSMIT_BATCH)];
        let due = &front[..front.partition_point(|arrival| arrival.at <= until)];
        // Sources precede arrivals at the same instant.
        let known = due.last().map_or(until, |last| last.at);
        sent += host.emit(known.after(), MAX_TRANSMIT_BATCH, false, host_context) as u64;
        let due = match host.next() {
            next if next <= known => &due[..due.partition_point(|arrival| arrival.at < next)],
            _ => due,
        };
        host.receive_or_forward(due, host_context);
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
    /// Counts the datagrams among `arrivals` that end here, and marks those in transit at the ports.
    #[inline(never)]
    fn receive_or_forward(&mut self, arrivals: &[Arrival], host_context: &mut HostContext<'_, '_>) {
        let (HostContext { ports, context, .. }, Some(first)) = (host_context, arrivals.first()) else { return };
        let routes = context.routes;
        let mut digest = context.record.digest;
        // Branches on the destination are unpredictable: each arrival is written into both lists, and counts in one.
        let (mut local, mut transit) = ([first; MAX_TRANSMIT_BATCH], [0; MAX_TRANSMIT_BATCH]);
        let (mut local_count, mut transit_count) = (0, 0);
        for (i, arrival) in arrivals.iter().enumerate() {
            let Arrival { at, packet } = arrival;
            digest.packet(*at, packet, 0);
            let is_local = routes.hop(packet.hop).port == Hop::DELIVER;
            local[local_count] = arrival;
            transit[transit_count] = i as u32;
            local_count += usize::from(is_local);
            transit_count += usize::from(!is_local);
        }
        context.record.digest = digest;
        self.count_datagrams(routes, local[..local_count].iter().copied());
        match *ports {
            [ref mut port] => port.mark_transit(&transit[..transit_count]),
            _ => {
                for i in &transit[..transit_count] {
                    let hop = arrivals[*i as usize].packet.hop;
                    ports[routes.hop(hop).port as usize].mark_transit(&[*i]);
                }
            }
        }
    }
}
