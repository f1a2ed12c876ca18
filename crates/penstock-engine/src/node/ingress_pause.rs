//! PAUSE and priority flow control at a switch: the memory held per ingress link and class, and the frames that stop and restart the
//! ports at the far ends.
//!
//! A frame to a port leaves as soon as the wire in that direction is free, and carries the state at the start of its transmission.
//! Therefore each class of an ingress link has at most one frame that waits for the wire.

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
    /// Ingress links, by input of the process.
    ingresses: Vec<Ingress>,
    /// States by input, then by class in the order of the plan.
    states: Vec<IngressState>,
    /// By class, index of its state among the states of an ingress link; [`NO_GROUP`] if the class is never paused.
    group_of_class: [u8; 256],
    /// Time at which the next waiting frame begins or the next pause is prolonged.
    pub(super) next_due: Time,
    /// Ports whose wires frames have occupied, so that their next events must be updated.
    pub touched: Vec<u32>,
}

/// An ingress link.
#[derive(Clone)]
pub struct Ingress {
    /// The ingress link.
    pub link: LinkId,
    /// The process at its far end, and the delay of a frame to it after the transmission.
    pub peer: Peer,
    /// Index of the port there that feeds the link.
    pub port: u32,
    /// Index of the port here that sends the frames; frames of zero bytes need none.
    pub back: Option<u32>,
    /// Duration of a pause.
    pub time: Duration,
}

/// Memory held by packets of an ingress link, or of one of its classes, and its pause.
#[derive(Clone, Copy, Debug, Default)]
struct IngressState {
    held: Held,
    /// Part of `held` that is charged to the headroom; departing packets free this part first.
    headroom: Held,
    is_paused: bool,
    /// Start and end of the transmission of the frame that waits for the wire.
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

/// The state variables of priority flow control at a node.
pub const PAUSES: &[Variable] = IngressPause::STATE;

const NO_GROUP: u8 = u8::MAX;

/// A pause is prolonged after half its duration, unless this half is shorter: else a fast link would carry nothing but frames.
pub const LEAST_PROLONGING: Duration = Duration::from_us(1);

impl IngressPause {
    /// Creates the state for a plan at these ingress links, which are in the order of the process's inputs.
    pub fn new(plan: PausePlan, ingresses: Vec<Ingress>) -> IngressPause {
        let mut group_of_class = [if plan.classes.is_some() { NO_GROUP } else { 0 }; 256];
        (0..).zip(plan.classes.iter().flatten()).for_each(|(group, class)| group_of_class[usize::from(*class)] = group);
        let groups = plan.classes.as_ref().map_or(1, Vec::len);
        let states = vec![IngressState::default(); ingresses.len() * groups];
        IngressPause { plan, ingresses, states, group_of_class, next_due: Time::NEVER, touched: Vec::new() }
    }

    /// Whether an arrival with next hop `hop` is admitted to the headroom: the headroom has room, and the shared buffer does not or the
    /// arrival's link (or class) is paused.
    pub fn takes_headroom(&self, has_room: bool, packet: &Packet, hop: HopId, routes: &Routes) -> bool {
        let (Some(headroom), Some(index)) = (self.plan.headroom, self.index(packet, hop, routes)) else { return false };
        let state = &self.states[index];
        (state.is_paused || !has_room) && state.headroom.bytes + u64::from(packet.size) <= headroom.get()
    }

    /// Whether a packet for which there is no room belongs to a headroom, so that its drop counts as one for lack of headroom.
    pub fn has_headroom(&self, packet: &Packet, hop: HopId, routes: &Routes) -> bool {
        self.plan.headroom.is_some() && self.index(packet, hop, routes).is_some()
    }

    /// Counts a packet with next hop `hop` that is admitted to the headroom or the shared buffer.
    pub fn on_arrival(&mut self, packet: &Packet, hop: HopId, is_headroom: bool, routes: &Routes) {
        if let Some(index) = self.index(packet, hop, routes) {
            let state = &mut self.states[index];
            state.held.add(packet.size);
            if is_headroom {
                state.headroom.add(packet.size);
            }
        }
    }

    /// Pauses the sender of an arrival if its link (or class) now holds more than xoff or uses headroom. Called after the port has acted.
    pub fn pause_if_above(&mut self, now: Time, packet: &Packet, hop: HopId, ports: &mut [Port], context: &mut Context<'_, '_>) {
        let Some(index) = self.index(packet, hop, context.routes) else { return };
        let state = &mut self.states[index];
        if !state.is_paused && (state.held.bytes > self.plan.xoff.get() || state.headroom.packets > 0) {
            state.is_paused = true;
            self.request_frame(now, index, ports, context);
        }
    }

    /// Removes a packet that no longer holds memory, and may resume its sender. Returns the memory that this frees in the headroom; the
    /// rest is freed in the shared buffer.
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

    /// Begins waiting frames whose wire is free, and prolongs pauses that are due.
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

    /// Requests a frame, unless one already waits: that frame will carry the state at its start.
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

    /// Sends a frame whose transmission begins now and ends at `end`.
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

    /// Index of the state that counts a packet with next hop `hop`; `None` if it was created here or its class is never paused.
    fn index(&self, packet: &Packet, hop: HopId, routes: &Routes) -> Option<usize> {
        let group = self.group_of_class[usize::from(packet.class)];
        (group != NO_GROUP).then(|| Some(ingress_of(hop, routes)? * self.groups() + usize::from(group)))?
    }

    /// Returns the pauses here at the end of a run, each with the bytes of its packets that wait behind other pauses.
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

/// Input over which a packet with next hop `hop` arrived; `None` if it was created here. The hops of a route are consecutive, and the
/// last one of each route is its end.
pub fn ingress_of(hop: HopId, routes: &Routes) -> Option<usize> {
    let arrival = routes.hop(HopId(hop.0.checked_sub(1)?));
    (arrival.port != Hop::DELIVER).then_some(arrival.input as usize)
}
