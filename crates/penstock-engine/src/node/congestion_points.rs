//! Congestion points at the ports of a switch, and the frames that they send to the sources of what they sample. These take
//! bandwidth, queue, and may be lost.

use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::route::Departure;
use penstock_model::feedback::{CongestionPoint, FrameArrival};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;
use std::collections::BTreeMap;

/// The congestion points of a switch.
#[derive(Clone)]
pub struct CongestionPoints {
    /// By port, with its link.
    points: Vec<(LinkId, CongestionPoint)>,
    /// The size of a message.
    size: u32,
    /// How messages get to the sources of a flow's data, and of its acknowledgements.
    routes: BTreeMap<(FlowId, bool), Departure>,
    number: u32,
}

impl CongestionPoints {
    /// Points at these ports, whose messages of `size` bytes take these routes.
    pub fn new(points: Vec<(LinkId, CongestionPoint)>, size: u32, routes: BTreeMap<(FlowId, bool), Departure>) -> CongestionPoints {
        CongestionPoints { points, size, routes, number: 0 }
    }

    /// That of port `port`.
    pub fn of_port(&self, port: u32) -> &CongestionPoint {
        &self.points[port as usize].1
    }

    /// What is to be sent because `packet` has arrived at `port`, where so many frames of so many bytes wait now, and by which port.
    /// Frames of messages are not sampled, since nobody sends them at a rate.
    pub fn on_arrival(&mut self, now: Time, packet: &Packet, port: usize, (frames, bytes): (u32, u64)) -> Option<(u32, Packet)> {
        if matches!(packet.body, Body::CongestionNotification { .. } | Body::SourceQuench { .. }) {
            return None;
        }
        let (link, point) = &mut self.points[port];
        let is_tagged = packet.body.tag() == Some(*link);
        let feedback = point.on_arrival(&FrameArrival { size: packet.size, frames, bytes, is_tagged })?;
        let is_acknowledgement = packet.body.is_from_receiver();
        let departure = self.routes.get(&(packet.flow, is_acknowledgement))?;
        self.number += 1;
        let body = Body::CongestionNotification { point: *link, feedback, number: self.number - 1 };
        let message = PacketTemplate::of_switch(packet, *departure).packet(now, self.size, body);
        Some((departure.port, message))
    }
}
