//! Congestion points at the ports of a switch, and the frames that they send to the sources of what they sample.

use crate::node::own_messages::OwnMessages;
use penstock_model::feedback::{CongestionPoint, FrameArrival};
use penstock_model::id::LinkId;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;

/// The congestion points of a switch.
#[derive(Clone)]
pub struct CongestionPoints {
    /// By port, with its link.
    pub points: Vec<(LinkId, CongestionPoint)>,
    /// Their messages to sources.
    pub messages: OwnMessages,
}

impl CongestionPoints {
    /// What is to be sent because `packet` has arrived at `port`, where so many frames of so many bytes wait now, and by which port.
    /// Frames of messages are not sampled.
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
