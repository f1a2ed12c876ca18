//! The state of a switch: its buffer, and everything else that its ports share.

use crate::api::blueprint::SwitchPlan;
use crate::api::series::SeriesPart;
use crate::kernel::context::Context;
use crate::merge::tournament_tree::TournamentTree;
use crate::node::ingress_pause::{ingress_of, IngressPause};
use crate::node::switch_messages::{CongestionPoints, OwnMessages, SourceQuench};
use crate::port::counters::Release;
use crate::port::probing::StateReader;
use crate::port::transmit_batch::TransmitBatch;
use crate::port::waiting::WaitingEntry;
use crate::port::Port;
use penstock_model::buffer::{AnyBuffer, Buffer, Occupancies};
use penstock_model::feedback::reaction_point::ReactionPoint;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::units::Time;
use std::collections::VecDeque;

/// The state that the ports of a switch share.
#[derive(Clone, Default)]
pub struct Switch {
    /// The policy of the shared buffer; without one, every packet is admitted.
    pub buffer: Option<AnyBuffer>,
    /// The plan, which names the components.
    pub(super) plan: SwitchPlan,
    pub(super) occupancies: Occupancies,
    /// By port, the end of each transmission and the bytes held until then, if all ports compute departures on arrival; else empty.
    pub(super) leaving: Vec<VecDeque<(Time, u32)>>,
    /// By port, transmissions in progress, whose packets still hold memory. The slot for pauses, behind the ports, stays empty.
    pub(super) in_transmission: Vec<VecDeque<Release>>,
    /// Time and kind of the next event of each port, and of pauses if there are any.
    pub(super) ready: TournamentTree<(Time, Due)>,
    pub(super) pause: Option<IngressPause>,
    /// Sends Source Quench to the sources of dropped packets.
    pub quench: Option<SourceQuench>,
    /// Send feedback about queues to sources.
    pub congestion_points: Option<CongestionPoints>,
    /// Limits the rates of flows that begin at this node.
    pub reaction_point: Option<ReactionPoint>,
    /// By port, number of the switch's own messages that have not left. They use no shared memory, since they are sent when it is full.
    pub(super) own_packets: Vec<u64>,
    /// Packets that ports have dropped and whose sources have not been quenched yet.
    pub(super) dropped: Vec<Packet>,
    /// Buffers for the transmit batch of the host and for the releases of a port.
    pub(super) batch: TransmitBatch,
    releases: Vec<Release>,
    /// Buffer for the packets that leave the rate limiters at an instant.
    pub(super) unlimited: Vec<(u32, Packet)>,
    /// Connections of the host may wait for room in its ports.
    pub(super) has_waiting_connections: bool,
    /// Index of the port to check for room first. It rotates, so that no port starves when ports share memory.
    first_port: usize,
    /// Time at which a rate limiter next admits the packet of a waiting connection.
    next_opening: Time,
}

/// The kinds of events of a port, in their order within an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// A transmission ends.
    #[default]
    Release,
    /// A transmission may begin.
    Decision,
}

impl Switch {
    /// Creates a switch with `ports` ports, which share nothing yet. `pause` pauses the ports of other nodes that feed the switch.
    pub fn new(plan: SwitchPlan, ports: usize, pause: Option<IngressPause>) -> Switch {
        let slots = ports + usize::from(pause.is_some());
        Switch {
            plan,
            occupancies: Occupancies::new(ports),
            in_transmission: vec![VecDeque::new(); slots],
            ready: TournamentTree::new(slots, (Time::NEVER, Due::Decision)),
            pause,
            own_packets: vec![0; ports],
            next_opening: Time::NEVER,
            ..Switch::default()
        }
    }

    /// Removes and returns the next entry of a waiting list for which its port, the shared memory and the rate limiters have room at `now`.
    pub(super) fn take_waiting(&mut self, now: Time, ports: &mut [Port]) -> Option<(usize, WaitingEntry)> {
        let Switch { buffer, occupancies, reaction_point, first_port, next_opening, .. } = self;
        *next_opening = Time::NEVER;
        for port in (*first_port..ports.len()).chain(0..*first_port) {
            if !ports[port].has_waiting_connections() {
                continue;
            }
            let has_memory = |size| {
                let is_empty = occupancies.total().packets == 0;
                is_empty || buffer.as_ref().is_none_or(|buffer| buffer.has_room(port, size, occupancies))
            };
            let is_open = |entry: &WaitingEntry| {
                let opens = reaction_point.as_ref().map_or(now, |point| point.opens_at(port as u32, entry.flow));
                if opens > now {
                    *next_opening = opens.min(*next_opening);
                }
                opens <= now
            };
            if let Some(entry) = ports[port].take_waiting(now, has_memory, is_open) {
                *first_port = (port + 1) % ports.len();
                return Some((port, entry));
            }
        }
        None
    }

    /// Time of the next event of a port, pause or rate limiter.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.ready.first_key().0.min(self.next_unlimited())
    }

    /// Time at which a rate limiter next releases a packet or admits one of a waiting connection.
    #[inline]
    pub(super) fn next_unlimited(&self) -> Time {
        self.reaction_point.as_ref().map_or(Time::NEVER, |point| point.next().min(self.next_opening))
    }

    /// Number of packets that wait in rate limiters.
    pub fn limited(&self) -> u64 {
        self.reaction_point.as_ref().map_or(0, |point| point.waiting().count() as u64)
    }

    pub(super) fn has_room(&self, port: usize, size: u32) -> bool {
        self.buffer.as_ref().is_none_or(|buffer| buffer.has_room(port, size, &self.occupancies))
    }

    /// Frees the memory of a packet that has left its port or was dropped there.
    pub(super) fn release(&mut self, port: usize, release: &Release, ports: &mut [Port], context: &mut Context<'_, '_>) {
        if is_own(&release.packet, context) {
            self.own_packets[port] -= 1;
            return;
        }
        match &mut self.pause {
            None => self.occupancies.remove(port, release.packet.size),
            Some(pause) => {
                let freed = pause.on_release(release.at, &release.packet, ports, context);
                self.occupancies.remove_beside(port, release.packet.size, freed);
                self.note_pauses(ports);
            }
        }
    }

    /// Updates the next events of pauses, and of ports whose wires pause frames have occupied.
    pub(super) fn note_pauses(&mut self, ports: &[Port]) {
        if let Some(pause) = &mut self.pause {
            for port in std::mem::take(&mut pause.touched) {
                self.note_next_event(port as usize, ports);
            }
            if let Some(pause) = &self.pause {
                self.ready.set(ports.len(), (pause.next_due, Due::Release));
            }
        }
    }

    /// Updates the next event of a port whose parameters have changed.
    pub(super) fn note_change(&mut self, port: usize, ports: &[Port]) {
        if !ports[port].precomputes_departures() {
            self.note_next_event(port, ports);
        }
    }

    fn note_next_event(&mut self, port: usize, ports: &[Port]) {
        let decision = (ports[port].next_decision(), Due::Decision);
        let release = self.in_transmission[port].front().map_or(decision, |first| (first.at, Due::Release));
        self.ready.set(port, decision.min(release));
    }

    /// Updates the memory and the next event of `port` after it has acted at `now`.
    pub(super) fn update(&mut self, now: Time, port: usize, ports: &mut [Port], context: &mut Context<'_, '_>) {
        let mut releases = std::mem::take(&mut self.releases);
        ports[port].take_releases(&mut releases);
        for release in releases.drain(..) {
            if release.is_dropped && self.quench.is_some() {
                self.dropped.push(release.packet);
            }
            if release.at <= now {
                self.release(port, &release, ports, context);
            } else {
                self.in_transmission[port].push_back(release);
            }
        }
        self.releases = releases;
        self.note_next_event(port, ports);
        self.check_occupancies(port, ports);
    }

    /// Checks in debug builds that held = waiting + in transmission at `port`, and that the ports add up to the shared total. Called after
    /// every event.
    fn check_occupancies(&self, port: usize, ports: &[Port]) {
        if cfg!(debug_assertions) {
            let held = self.occupancies.of_port(port).packets + self.own_packets[port];
            assert_eq!(held, ports[port].backlog() + self.in_transmission[port].len() as u64, "held = waiting + in transmission");
            assert!(self.occupancies.adds_up(), "the sum of the ports is what is shared");
            assert!(self.buffer.as_ref().is_none_or(|buffer| self.occupancies.total().fits_into(buffer.size())), "never above its size");
        }
    }

    /// Whether series of a port include the shared buffer or a congestion point.
    pub fn shows_ports(&self) -> bool {
        self.buffer.is_some() || self.congestion_points.is_some()
    }

    /// Reads the components that all ports share.
    pub fn read(&self, reader: &mut StateReader<'_>) {
        if let Some(buffer) = &self.plan.buffer {
            reader.read("buffer", buffer.policy.name(), SeriesPart::WHOLE, &self.occupancies);
        }
        if let Some(pause) = &self.pause {
            reader.read("pause", "", SeriesPart::WHOLE, pause);
        }
        if let (Some(plan), Some(point)) = (&self.plan.reaction_point, &self.reaction_point) {
            reader.read("reaction-point", plan.name(), SeriesPart::WHOLE, &point.state());
        }
    }

    /// Reads the state of the shared buffer at port `port`, and of its congestion point.
    pub fn read_port(&self, port: u32, reader: &mut StateReader<'_>) {
        if let Some(buffer) = &self.plan.buffer {
            reader.read("buffer", buffer.policy.name(), SeriesPart::WHOLE, &self.occupancies.of_port(port as usize));
        }
        if let (Some(plan), Some(points)) = (&self.plan.congestion_points, &self.congestion_points) {
            reader.read("congestion-point", plan.point.name(), SeriesPart::WHOLE, &points.points[port as usize].1);
        }
    }

    /// Reads the state of the rate limiter of `flow`, which begins here.
    pub fn read_flow(&self, flow: FlowId, reader: &mut StateReader<'_>) {
        if let (Some(plan), Some(point)) = (&self.plan.reaction_point, &self.reaction_point) {
            reader.read("reaction-point", plan.name(), SeriesPart::WHOLE, &point.state_of(reader.now, flow));
        }
    }
}

/// Whether a packet at a port here is a message of this switch, rather than one in transit.
fn is_own(packet: &Packet, context: &Context<'_, '_>) -> bool {
    OwnMessages::include(packet) && ingress_of(packet.hop, context.routes).is_none()
}
