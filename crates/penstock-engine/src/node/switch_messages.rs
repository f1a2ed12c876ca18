//! Packets that a switch sends to the sources of traffic in transit: ICMP Source Quench, and the frames of congestion points. They use
//! bandwidth, wait in queues, and may be lost.

use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::route::Departure;
use penstock_model::feedback::{CongestionPoint, FrameArrival};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::packet::{Body, Packet};
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// The messages of one kind, numbered from 0.
#[derive(Clone)]
pub struct OwnMessages {
    size: u32,
    /// Routes to the source of a flow's data (`false`) and to the source of its acknowledgements (`true`).
    routes: BTreeMap<(FlowId, bool), Departure>,
    number: u32,
}

impl OwnMessages {
    /// Creates messages of `size` bytes over these routes.
    pub fn new(size: u32, routes: BTreeMap<(FlowId, bool), Departure>) -> OwnMessages {
        OwnMessages { size, routes, number: 0 }
    }

    /// Whether `packet` is a message of a switch. No sender controls the rate of such messages, and nobody replies to them.
    pub fn include(packet: &Packet) -> bool {
        matches!(packet.body, Body::CongestionNotification { .. } | Body::SourceQuench { .. })
    }

    /// Returns a message to the source of `packet`, with the port that sends it, if there is a route. `body` receives the message's number.
    pub fn answer_to(&mut self, now: Time, packet: &Packet, body: impl FnOnce(u32) -> Body) -> Option<(u32, Packet)> {
        let departure = self.routes.get(&(packet.flow, packet.body.is_from_receiver()))?;
        self.number += 1;
        Some((departure.port, PacketTemplate::of_switch(packet, *departure).packet(now, self.size, body(self.number - 1))))
    }
}

/// ICMP Source Quench, at most one per interval [RFC1016; RFC1812 s4.3.2.8]. RFC 6633 deprecates it. It is kept as the smallest feedback
/// loop that is carried by packets.
#[derive(Clone)]
pub struct SourceQuench {
    interval: Duration,
    messages: OwnMessages,
    not_before: Time,
}

impl SourceQuench {
    /// Sends at most one quench per `interval`, over the routes of `messages`.
    pub fn new(interval: Duration, messages: OwnMessages) -> SourceQuench {
        SourceQuench { interval, messages, not_before: Time::ZERO }
    }

    /// Returns the quench for a dropped `packet`, with the port that sends it. There is none for quenches [RFC1122 s3.2.2], nor for
    /// acknowledgements, whose source has no window to reduce.
    pub fn on_drop(&mut self, now: Time, packet: &Packet) -> Option<(u32, Packet)> {
        if now < self.not_before || OwnMessages::include(packet) || packet.body.is_from_receiver() {
            return None;
        }
        let quench = self.messages.answer_to(now, packet, |number| Body::SourceQuench { number })?;
        self.not_before = now + self.interval;
        Some(quench)
    }
}

/// The congestion points of a switch.
#[derive(Clone)]
pub struct CongestionPoints {
    /// The congestion point of each port, with the port's link.
    pub points: Vec<(LinkId, CongestionPoint)>,
    /// Their messages to sources.
    pub messages: OwnMessages,
}

impl CongestionPoints {
    /// Samples `packet`, which has arrived at `port`, whose queue now has `frames` frames of `bytes` bytes in total. Returns the
    /// notification, with the port that sends it, if the congestion point makes one. Messages of switches are not sampled.
    pub fn on_arrival(&mut self, now: Time, packet: &Packet, port: usize, (frames, bytes): (u32, u64)) -> Option<(u32, Packet)> {
        if OwnMessages::include(packet) {
            return None;
        }
        let (point, state) = &mut self.points[port];
        let is_tagged = packet.body.tag() == Some(*point);
        let feedback = state.on_arrival(&FrameArrival { size: packet.size, frames, bytes, is_tagged })?;
        self.messages.answer_to(now, packet, |number| Body::CongestionNotification { point: *point, feedback, number })
    }
}
