//! The two fields of the IPv4 traffic class byte: the DS codepoint and ECN [RFC2474 s3; RFC3168 s5].

use penstock_model::discipline::PRECEDENCES;
use penstock_model::packet::{Packet, PcnMark};

/// Expedited Forwarding [RFC3246 s2.7].
const EF: u8 = 0b10_1110;

/// The codepoint of a class for each drop precedence: that of the per-hop behaviour whose name it has, else one of the pool for
/// local use, xxxx11 [RFC2474 s6].
pub(super) fn codepoints(class: &str, position: usize) -> [u8; PRECEDENCES] {
    match class.as_bytes() {
        b"default" | b"be" | b"best-effort" => [0; PRECEDENCES],
        b"ef" => [EF; PRECEDENCES],
        // Class selectors [RFC2474 s4.2.2].
        [b'c', b's', class @ b'0'..=b'7'] => [(class - b'0') << 3; PRECEDENCES],
        // Assured Forwarding: what the precedence says, not the name [RFC2597 s6].
        [b'a', b'f', class @ b'1'..=b'4'] | [b'a', b'f', class @ b'1'..=b'4', b'1'..=b'3'] => {
            [1, 2, 3, 3].map(|precedence| (class - b'0') << 3 | precedence << 1)
        }
        _ => [((position % 16) as u8) << 2 | 0b11; PRECEDENCES],
    }
}

/// The ECN field; marks of PCN take its place, as in RFC 6660: threshold-marked is 01, excess-traffic-marked 11 [RFC6660 s4].
pub(super) fn ecn_field(packet: &Packet) -> u8 {
    match packet.pcn {
        PcnMark::Unmarked => packet.ecn as u8,
        PcnMark::Threshold => 0b01,
        PcnMark::Excess => 0b11,
    }
}

#[cfg(test)]
mod tests {
    use super::codepoints;

    #[test]
    fn behaviours_have_their_codepoints() {
        for (class, expected) in [
            ("default", [0; 4]),
            ("ef", [46; 4]),
            ("cs6", [48; 4]),
            // AF21, AF22, AF23 [RFC2597 s6].
            ("af2", [18, 20, 22, 22]),
            ("af21", [18, 20, 22, 22]),
            ("af5", [7; 4]),
            ("voice", [7; 4]),
        ] {
            assert_eq!(codepoints(class, 1), expected, "{class}");
        }
    }
}
