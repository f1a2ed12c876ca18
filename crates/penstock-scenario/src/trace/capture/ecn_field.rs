//! The ECN field of the IPv4 traffic class byte [RFC3168 s5].

use penstock_model::packet::{Packet, PcnMark};

/// The ECN field; marks of PCN take its place, as in RFC 6660: threshold-marked is 01, excess-traffic-marked 11 [RFC6660 s4].
pub(super) fn ecn_field(packet: &Packet) -> u8 {
    match packet.pcn {
        PcnMark::Unmarked => packet.ecn as u8,
        PcnMark::Threshold => 0b01,
        PcnMark::Excess => 0b11,
    }
}
