//! ICMP Source Quench: packets that a switch originates towards the sources of what it drops. They take bandwidth, queue, and
//! may be lost. Deprecated by RFC 6633, and kept here as the smallest feedback loop that is carried by packets.

use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::route::Departure;
use penstock_model::id::FlowId;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// Makes source quenches, at most one per interval [RFC1016; RFC1812 s4.3.2.8].
#[derive(Clone)]
pub struct SourceQuench {
    interval: Duration,
    size: u32,
    /// How packets get back to the source of the data of each flow that passes here.
    routes: BTreeMap<(FlowId, bool), Departure>,
    not_before: Time,
    number: u32,
}

impl SourceQuench {
    /// Quenches of `size` bytes over these routes.
    pub fn new(interval: Duration, size: u32, routes: BTreeMap<(FlowId, bool), Departure>) -> SourceQuench {
        SourceQuench { interval, size, routes, not_before: Time::ZERO, number: 0 }
    }

    /// What is to be sent because `packet` is dropped, and by which port. Nothing is in answer to a quench [RFC1122 s3.2.2], nor
    /// to acknowledgements, whose source has no window to reduce.
    pub fn on_drop(&mut self, now: Time, packet: &Packet) -> Option<(u32, Packet)> {
        let is_message = matches!(packet.body, Body::SourceQuench { .. } | Body::CongestionNotification { .. });
        let is_data = !is_message && !packet.body.is_from_receiver();
        let departure = self.routes.get(&(packet.flow, false)).filter(|_| is_data && now >= self.not_before)?;
        self.not_before = now + self.interval;
        self.number += 1;
        let body = Body::SourceQuench { number: self.number - 1 };
        let quench = PacketTemplate::of_switch(packet, *departure).packet(now, self.size, body);
        Some((departure.port, quench))
    }
}
