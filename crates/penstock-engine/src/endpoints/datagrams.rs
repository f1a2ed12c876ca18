//! Hosts where everything is a datagram. What arrives there brings about nothing but that it goes on or is counted, so sources
//! need not be asked between any two arrivals: each has a loop of its own, and the ports merge what comes of both.

use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::route::Hop;
use crate::node::host::{Host, HostContext};
use crate::port::MOST_HANDED;
use penstock_model::id::HopId;
use penstock_model::units::Time;

/// Does what is due up to and including `until` at a host that has datagrams alone. Returns how many packets have arrived, and
/// how many were sent.
#[inline(never)]
pub fn attend(host: &mut Host, until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> (u64, u64) {
    let (mut hops, mut sent) = (0, 0);
    if !host.passes_on {
        sent += host.emit_before(until.after(), host_context);
        loop {
            let count = host.take_datagrams(inputs.front(until), until.after(), host_context);
            if count == 0 {
                return (hops, sent);
            }
            inputs.consume(count);
            hops += count as u64;
        }
    }
    loop {
        let front = inputs.front(until);
        let front = &front[..front.len().min(MOST_HANDED)];
        let due = &front[..front.partition_point(|arrival| arrival.at <= until)];
        // Sources precede arrivals at the same instant.
        let known = due.last().map_or(until, |last| last.at);
        sent += host.emit(known.after(), MOST_HANDED, false, host_context) as u64;
        let due = match host.next() {
            next if next <= known => &due[..due.partition_point(|arrival| arrival.at < next)],
            _ => due,
        };
        host.receive_or_pass_on(due, host_context);
        let HostContext { ports, context, .. } = host_context;
        ports.iter_mut().for_each(|port| port.take_merged(due, context));
        let count = due.len();
        inputs.consume(count);
        hops += count as u64;
        if count == 0 && host.next() > until {
            return (hops, sent);
        }
    }
}

impl Host {
    /// Counts the datagrams among `arrivals` that stay here, and tells the ports which ones go on.
    #[inline(never)]
    fn receive_or_pass_on(&mut self, arrivals: &[Arrival], host_context: &mut HostContext<'_, '_>) {
        let (HostContext { ports, context, .. }, Some(first)) = (host_context, arrivals.first()) else { return };
        let routes = context.routes;
        let mut digest = context.record.digest;
        // Which of them stay is anyone's guess: each is written into both lists, and counts in one.
        let (mut staying, mut going) = ([first; MOST_HANDED], [0; MOST_HANDED]);
        let (mut stay, mut go) = (0, 0);
        for (i, arrival) in arrivals.iter().enumerate() {
            let Arrival { at, packet } = arrival;
            digest.packet(*at, packet, 0);
            let stays = routes.hop(packet.hop).port == Hop::DELIVER;
            staying[stay] = arrival;
            going[go] = i as u32;
            stay += usize::from(stays);
            go += usize::from(!stays);
        }
        context.record.digest = digest;
        self.receive(routes, staying[..stay].iter().copied());
        match *ports {
            [ref mut port] => port.let_through(&going[..go]),
            _ => {
                for i in &going[..go] {
                    let hop = arrivals[*i as usize].packet.hop;
                    ports[routes.hop(hop).port as usize].let_through(&[*i]);
                }
            }
        }
    }
}

/// What a port takes of both: packets of its host's sources, and those of the host's arrivals that go on, with the next hop.
pub struct Both<'a> {
    own: &'a [Arrival],
    arrivals: &'a [Arrival],
    through: &'a [u32],
}

impl<'a> Both<'a> {
    /// Packets of the host's sources, and the places of those that go on among its arrivals.
    pub fn new(own: &'a [Arrival], arrivals: &'a [Arrival], through: &'a [u32]) -> Both<'a> {
        Both { own, arrivals, through }
    }

    /// When the first comes, and how many there are.
    pub fn bounds(&self) -> (Time, usize) {
        let own = self.own.first().map_or(Time::NEVER, |arrival| arrival.at);
        let through = self.through.first().map_or(Time::NEVER, |i| self.arrivals[*i as usize].at);
        (own.min(through), self.own.len() + self.through.len())
    }
}

impl<'a> Iterator for Both<'a> {
    type Item = (&'a Arrival, HopId);

    #[inline(always)]
    fn next(&mut self) -> Option<(&'a Arrival, HopId)> {
        let own = self.own.first();
        let through = self.through.first().map(|i| &self.arrivals[*i as usize]);
        let (own, through) = match (own, through) {
            (Some(own), Some(through)) => (own, through),
            (Some(own), None) => {
                self.own = &self.own[1..];
                return Some((own, own.packet.hop));
            }
            (None, Some(through)) => {
                self.through = &self.through[1..];
                return Some((through, through.packet.hop.next()));
            }
            (None, None) => return None,
        };
        // Which one comes first is anyone's guess, too.
        let is_own = own.at <= through.at;
        let first = std::hint::select_unpredictable(is_own, own, through);
        self.own = &self.own[usize::from(is_own)..];
        self.through = &self.through[usize::from(!is_own)..];
        Some((first, HopId(first.packet.hop.0 + u32::from(!is_own))))
    }
}
