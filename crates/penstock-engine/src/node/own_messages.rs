//! Messages that a switch originates towards the sources of what passes. They take bandwidth, queue, and may be lost.

use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::route::Departure;
use penstock_model::id::FlowId;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;
use std::collections::BTreeMap;

/// The messages of one kind.
#[derive(Clone)]
pub struct OwnMessages {
    size: u32,
    /// How they get to the sources of a flow's data, and (`true`) of its acknowledgements.
    routes: BTreeMap<(FlowId, bool), Departure>,
    number: u32,
}

impl OwnMessages {
    /// Messages of `size` bytes over these routes.
    pub fn new(size: u32, routes: BTreeMap<(FlowId, bool), Departure>) -> OwnMessages {
        OwnMessages { size, routes, number: 0 }
    }

    /// Whether `packet` is a message of a switch; nobody sends these at a rate, and none is answered.
    pub fn include(packet: &Packet) -> bool {
        matches!(packet.body, Body::CongestionNotification { .. } | Body::SourceQuench { .. })
    }

    /// The message to the source of `packet`, with the port that sends it, if there is a route. `body` gets its number.
    pub fn answer_to(&mut self, now: Time, packet: &Packet, body: impl FnOnce(u32) -> Body) -> Option<(u32, Packet)> {
        let departure = self.routes.get(&(packet.flow, packet.body.is_from_receiver()))?;
        self.number += 1;
        Some((departure.port, PacketTemplate::of_switch(packet, *departure).packet(now, self.size, body(self.number - 1))))
    }
}
