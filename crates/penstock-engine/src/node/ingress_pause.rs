//! PAUSE at a switch: bytes held per ingress link, and the messages that stop and restart the ports at their other ends.

use crate::kernel::context::Context;
use crate::kernel::message::{Message, MessageBody, MessageOrder, PauseSignal, Peer};
use crate::kernel::route::{Hop, Routes};
use penstock_model::id::HopId;
use penstock_model::units::{Bytes, Time};

/// Pauses and resumes the ports that feed a switch [IEEE8023 s31B].
pub struct IngressPause {
    /// A port is paused when more than this is held of what it sent...
    xoff: u64,
    /// ... and resumed when no more than this is.
    xon: u64,
    /// By the number of the process's input.
    ingresses: Vec<Ingress>,
}

/// An ingress link.
pub struct Ingress {
    /// The port at its other end, and how long messages take there.
    peer: Peer,
    port: u32,
    order: MessageOrder,
    held: u64,
    is_paused: bool,
}

impl Ingress {
    /// An ingress link fed by port `port` of the process `peer`, which is paused by messages of this order.
    pub fn new(peer: Peer, port: u32, order: MessageOrder) -> Ingress {
        Ingress { peer, port, order, held: 0, is_paused: false }
    }

    fn send_pause(&mut self, now: Time, stops: bool, context: &mut Context<'_, '_>) {
        let Ingress { peer, port, order, .. } = *self;
        self.is_paused = stops;
        self.order.number += 1;
        let body = MessageBody::Pause(PauseSignal { port, stops });
        context.outputs.send_message(peer.process, Message { at: now + peer.delay, order, body });
    }
}

impl IngressPause {
    /// Thresholds for these ingress links, in the order of the process's inputs.
    pub fn new(xoff: Bytes, xon: Bytes, ingresses: Vec<Ingress>) -> IngressPause {
        IngressPause { xoff: xoff.get(), xon: xon.get(), ingresses }
    }

    /// A packet whose next hop is `hop` is admitted.
    pub fn on_arrival(&mut self, size: u32, hop: HopId, context: &Context<'_, '_>) {
        if let Some(input) = ingress_of(hop, context.routes) {
            self.ingresses[input].held += u64::from(size);
        }
    }

    /// The packet is still held: its sender is paused if that is more than xoff.
    pub fn pause_if_above(&mut self, now: Time, hop: HopId, context: &mut Context<'_, '_>) {
        let Some(input) = ingress_of(hop, context.routes) else { return };
        let ingress = &mut self.ingresses[input];
        if !ingress.is_paused && ingress.held > self.xoff {
            ingress.send_pause(now, true, context);
        }
    }

    /// A packet whose next hop is `hop` no longer holds memory.
    pub fn on_release(&mut self, now: Time, size: u32, hop: HopId, context: &mut Context<'_, '_>) {
        let Some(input) = ingress_of(hop, context.routes) else { return };
        let ingress = &mut self.ingresses[input];
        ingress.held -= u64::from(size);
        if ingress.is_paused && ingress.held <= self.xon {
            ingress.send_pause(now, false, context);
        }
    }
}

/// The input over which a packet arrived whose next hop is `hop`; none if it was created here. Hops of a route are
/// consecutive, and the last of each route is its end.
pub fn ingress_of(hop: HopId, routes: &Routes) -> Option<usize> {
    let arrival = routes.hop(HopId(hop.0.checked_sub(1)?));
    (arrival.port != Hop::DELIVER).then_some(arrival.input as usize)
}
