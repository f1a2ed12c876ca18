//! PAUSE and priority flow control at a switch: what it holds per ingress link and class, and the frames that stop and restart the
//! ports at the other ends.
//!
//! A frame takes the wire back to the port that it stops as soon as what is on that wire has left, and says what is so when it
//! begins: a class waits for the wire with at most one frame per link.

use crate::api::blueprint::PausePlan;
use crate::api::observations::PausedIngress;
use crate::kernel::context::Context;
use crate::kernel::message::{MessageBody, PauseSignal, Peer};
use crate::kernel::route::{Hop, Routes};
use crate::node::pause_waits::PauseWait;
use crate::port::Port;
use penstock_model::buffer::Held;
use penstock_model::id::{HopId, LinkId};
use penstock_model::packet::Packet;
use penstock_model::probe::Variable;
use penstock_model::units::{Bytes, Duration, Time};
use std::collections::BTreeMap;

/// Pauses and resumes the ports that feed a switch [IEEE8023 s31B] [IEEE8021Qbb s36].
#[derive(Clone)]
pub struct IngressPause {
    pub(super) plan: PausePlan,
    /// By the number of the process's input.
    ingresses: Vec<Ingress>,
    /// By input, then by class as in the plan.
    states: Vec<IngressState>,
    /// The number of what is counted for each class.
    group_of_class: [u8; 256],
    /// When a frame begins that has waited for the wire, or a pause is to be prolonged.
    pub(super) next_due: Time,
    /// Ports whose wires were taken, to be looked at again.
    pub touched: Vec<u32>,
}

/// An ingress link.
#[derive(Clone)]
pub struct Ingress {
    /// It.
    pub link: LinkId,
    /// The process at its other end, and what a frame takes there once it has left.
    pub peer: Peer,
    /// Its port there.
    pub port: u32,
    /// The port here by which frames leave; frames of no bytes need none.
    pub back: Option<u32>,
    /// How long a pause holds.
    pub time: Duration,
}

/// What is held of an ingress link, or of one of its classes.
#[derive(Clone, Copy, Debug, Default)]
struct IngressState {
    held: Held,
    /// As much of that is charged to the headroom; what leaves frees that first.
    headroom: Held,
    is_paused: bool,
    /// When the frame that waits for the wire begins, and ends.
    waiting_frame: Option<(Time, Time)>,
    prolong_at: Option<Time>,
}

penstock_model::state! {
    impl IngressPause, |it, _now| {
        /// Ingress links whose senders are paused; where classes are paused, each class of a link counts.
        "paused", "pauses", is it.states.iter().filter(|state| state.is_paused).count() as f64;
        /// Bytes in the headroom of all ingress links and classes, in total.
        "headroom-held-bytes", "bytes", is it.states.iter().map(|state| state.headroom.bytes).sum::<u64>() as f64;
        /// Bytes in the headroom of the ingress link (or its class) that holds the most.
        "link-headroom-held-bytes", "bytes", is it.states.iter().map(|state| state.headroom.bytes).max().unwrap_or(0) as f64;
    }
}

/// What priority flow control shows at its node.
pub const PAUSES: &[Variable] = IngressPause::STATE;

const NO_GROUP: u8 = u8::MAX;

/// Pauses whose half is shorter are not prolonged, or nothing else would be done on a fast link.
pub const LEAST_PROLONGING: Duration = Duration::from_us(1);

impl IngressPause {
    /// What a plan says at these ingress links, in the order of the process's inputs.
    pub fn new(plan: PausePlan, ingresses: Vec<Ingress>) -> IngressPause {
        let mut group_of_class = [if plan.classes.is_some() { NO_GROUP } else { 0 }; 256];
        (0..).zip(plan.classes.iter().flatten()).for_each(|(group, class)| group_of_class[usize::from(*class)] = group);
        let groups = plan.classes.as_ref().map_or(1, Vec::len);
        let states = vec![IngressState::default(); ingresses.len() * groups];
        IngressPause { plan, ingresses, states, group_of_class, next_due: Time::NEVER, touched: Vec::new() }
    }

    /// Whether an arrival whose next hop is `hop` is let into the headroom: the shared buffer has no room, or its link (or class)
    /// is paused, and the headroom has.
    pub fn takes_headroom(&self, has_room: bool, packet: &Packet, hop: HopId, routes: &Routes) -> bool {
        let (Some(headroom), Some(index)) = (self.plan.headroom, self.index(packet, hop, routes)) else { return false };
        let state = &self.states[index];
        (state.is_paused || !has_room) && state.headroom.bytes + u64::from(packet.size) <= headroom.get()
    }

    /// Whether a packet that finds no room at all should have found it in the headroom.
    pub fn has_headroom(&self, packet: &Packet, hop: HopId, routes: &Routes) -> bool {
        self.plan.headroom.is_some() && self.index(packet, hop, routes).is_some()
    }

    /// A packet whose next hop is `hop` is admitted, into the headroom or the shared buffer.
    pub fn on_arrival(&mut self, packet: &Packet, hop: HopId, is_headroom: bool, routes: &Routes) {
        if let Some(index) = self.index(packet, hop, routes) {
            let state = &mut self.states[index];
            state.held.add(packet.size);
            if is_headroom {
                state.headroom.add(packet.size);
            }
        }
    }

    /// The packet is still held: its sender is paused if that is more than xoff, or takes headroom.
    pub fn pause_if_above(&mut self, now: Time, packet: &Packet, hop: HopId, ports: &mut [Port], context: &mut Context<'_, '_>) {
        let Some(index) = self.index(packet, hop, context.routes) else { return };
        let state = &mut self.states[index];
        if !state.is_paused && (state.held.bytes > self.plan.xoff.get() || state.headroom.packets > 0) {
            state.is_paused = true;
            self.request_frame(now, index, ports, context);
        }
    }

    /// A packet no longer holds memory; returns how much of the headroom, not of the shared buffer, that frees.
    pub fn on_release(&mut self, now: Time, packet: &Packet, ports: &mut [Port], context: &mut Context<'_, '_>) -> Held {
        let Some(index) = self.index(packet, packet.hop, context.routes) else { return Held::default() };
        let state = &mut self.states[index];
        state.held.remove(packet.size);
        let freed = state.headroom.least(Held { packets: 1, bytes: u64::from(packet.size) });
        state.headroom.take(freed);
        if state.is_paused && state.held.bytes <= self.plan.xon.get() && state.headroom.packets == 0 {
            state.is_paused = false;
            self.request_frame(now, index, ports, context);
        }
        freed
    }

    /// Begins frames that have waited for the wire, and prolongs pauses.
    pub fn run(&mut self, now: Time, ports: &mut [Port], context: &mut Context<'_, '_>) {
        for index in 0..self.states.len() {
            if let Some((start, end)) = self.states[index].waiting_frame.filter(|(start, _)| *start <= now) {
                self.send_frame(start, end, index, ports, context);
            }
            if self.states[index].prolong_at.take_if(|at| *at <= now).is_some() {
                self.request_frame(now, index, ports, context);
            }
        }
        let due = |state: &IngressState| state.waiting_frame.map(|(start, _)| start).into_iter().chain(state.prolong_at);
        self.next_due = self.states.iter().flat_map(due).min().unwrap_or(Time::NEVER);
    }

    /// Asks for a frame, unless one waits that will say what is so now.
    fn request_frame(&mut self, now: Time, index: usize, ports: &mut [Port], context: &mut Context<'_, '_>) {
        if self.states[index].waiting_frame.is_some() {
            return;
        }
        if self.plan.frame == Bytes::default() {
            return self.send_frame(now, now, index, ports, context);
        }
        let back = self.ingresses[index / self.groups()].back.expect("frames use the link back");
        let Some((start, end)) = ports[back as usize].send_pause_frame(now, self.plan.frame.get() as u32) else { return };
        self.touched.push(back);
        if start == now {
            self.send_frame(start, end, index, ports, context);
        } else {
            self.states[index].waiting_frame = Some((start, end));
            self.next_due = self.next_due.min(start);
        }
    }

    /// Sends a frame that begins now and ends at `end`.
    fn send_frame(&mut self, now: Time, end: Time, index: usize, ports: &mut [Port], context: &mut Context<'_, '_>) {
        let groups = self.groups();
        let (ingress, state) = (&mut self.ingresses[index / groups], &mut self.states[index]);
        let class = self.plan.classes.as_ref().map(|classes| classes[index % groups]);
        ingress.back.into_iter().for_each(|back| ports[back as usize].count_pause_frame(now, state.is_paused));
        let time = if state.is_paused { ingress.time } else { Duration::ZERO };
        state.waiting_frame = None;
        let half = Duration::from_ps(time.as_ps() / 2);
        state.prolong_at = (half >= LEAST_PROLONGING).then_some(now + half);
        self.next_due = self.next_due.min(state.prolong_at.unwrap_or(Time::NEVER));
        let body = MessageBody::Pause(PauseSignal { port: ingress.port, class, time });
        context.outputs.send_message(end, &mut ingress.peer, body);
    }

    fn groups(&self) -> usize {
        self.plan.classes.as_ref().map_or(1, Vec::len)
    }

    /// What is counted for a packet whose next hop is `hop`; nothing if it was created here or its class is not paused.
    fn index(&self, packet: &Packet, hop: HopId, routes: &Routes) -> Option<usize> {
        let group = self.group_of_class[usize::from(packet.class)];
        (group != NO_GROUP).then(|| Some(ingress_of(hop, routes)? * self.groups() + usize::from(group)))?
    }

    /// What is paused here, and what of it waits behind other pauses at the end of a run.
    pub fn waits(&self, now: Time, ports: &[Port], routes: &Routes) -> Vec<PauseWait> {
        let groups = self.groups();
        let wait = |(index, state): (usize, &IngressState)| {
            let class = self.plan.classes.as_ref().map(|classes| classes[index % groups]);
            let paused = PausedIngress { link: self.ingresses[index / groups].link, class };
            let mut behind: BTreeMap<Vec<PausedIngress>, u64> = BTreeMap::new();
            for port in ports {
                for packet in port.waiting_packets().filter(|packet| self.index(packet, packet.hop, routes) == Some(index)) {
                    let pauses = port.pauses_of(now, packet);
                    *behind.entry(pauses).or_default() += u64::from(packet.size);
                }
            }
            PauseWait { paused, xon: self.plan.xon.get(), held: state.held, headroom: state.headroom, behind }
        };
        self.states.iter().enumerate().filter(|(_, state)| state.is_paused).map(wait).collect()
    }
}

/// The input over which a packet arrived whose next hop is `hop`; none if it was created here. Hops of a route are
/// consecutive, and the last of each route is its end.
pub fn ingress_of(hop: HopId, routes: &Routes) -> Option<usize> {
    let arrival = routes.hop(HopId(hop.0.checked_sub(1)?));
    (arrival.port != Hop::DELIVER).then_some(arrival.input as usize)
}
