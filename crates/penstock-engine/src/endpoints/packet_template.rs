//! The fields that all packets of an endpoint have in common.

use crate::kernel::route::Departure;
use penstock_model::id::FlowId;
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};
use penstock_model::units::Time;

/// What all packets of an endpoint have in common.
#[derive(Clone, Copy, Debug)]
pub struct PacketTemplate {
    /// The flow.
    pub flow: FlowId,
    /// The port that they leave by, and their first hop.
    pub departure: Departure,
    /// The class.
    pub class: u8,
    /// The precedence.
    pub precedence: u8,
    /// The ECN codepoint, unless a transport says otherwise.
    pub ecn: Ecn,
    /// Packets wait until the port has room for them.
    pub waits: bool,
}

impl PacketTemplate {
    /// Template of a switch's message about `packet`.
    pub fn of_switch(packet: &Packet, departure: Departure) -> PacketTemplate {
        PacketTemplate { flow: packet.flow, departure, class: packet.class, precedence: 0, ecn: Ecn::NotEct, waits: false }
    }

    /// A packet of this endpoint, created at `now`.
    #[inline]
    pub fn packet(&self, now: Time, size: u32, body: Body) -> Packet {
        Packet {
            created: now,
            flow: self.flow,
            hop: self.departure.hop,
            size,
            precedence: self.precedence,
            class: self.class,
            ecn: self.ecn,
            pcn: PcnMark::Unmarked,
            body,
        }
    }
}
