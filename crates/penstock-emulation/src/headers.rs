//! The fields of Ethernet, IPv4 and IPv6 that a simulated network reads and writes.

use penstock_model::packet::Ecn;

/// Bytes of the Ethernet header without tags.
pub const ETHERNET: usize = 14;
/// EtherTypes [RFC894; RFC2464 s3].
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xDD];
/// Locally administered addresses that tell real nodes apart; a 16-bit number follows.
const MAC_PREFIX: [u8; 4] = [0x02, 0x70, 0x73, 0x00];

/// The header fields of a frame that is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The real node that it is sent to, counted from 0.
    pub to: usize,
    /// Bytes of the IP packet.
    pub size: u32,
    /// The differentiated services codepoint [RFC2474 s3].
    pub dscp: u8,
    /// The ECN codepoint [RFC3168 s5].
    pub ecn: Ecn,
    /// Equal for the packets of one connection and direction: a hash of addresses, protocol and ports.
    pub conversation: u64,
}

/// The Ethernet address of the real node `number`.
pub const fn mac(number: u16) -> [u8; 6] {
    let [high, low] = number.to_be_bytes();
    let [a, b, c, d] = MAC_PREFIX;
    [a, b, c, d, high, low]
}

/// Reads a frame; `None` if it is not an IP packet to a real node.
pub fn read(frame: &[u8]) -> Option<Fields> {
    if frame.len() < ETHERNET + 20 || frame[..4] != MAC_PREFIX {
        return None;
    }
    let to = usize::from(u16::from_be_bytes([frame[4], frame[5]]));
    let packet = &frame[ETHERNET..];
    let (traffic_class, size, protocol, addresses, ports) = match (frame[12..14].try_into().ok()?, packet[0] >> 4) {
        (IPV4, 4) => {
            let header = usize::from(packet[0] & 0x0F) * 4;
            let size = u16::from_be_bytes([packet[2], packet[3]]);
            // A later fragment has no ports [RFC791 s3.1].
            let is_first = u16::from_be_bytes([packet[6], packet[7]]) & 0x1FFF == 0;
            (packet[1], u32::from(size), packet[9], &packet[12..20], packet.get(header..header + 4).filter(|_| is_first))
        }
        (IPV6, 6) if packet.len() >= 40 => {
            let size = 40 + u32::from(u16::from_be_bytes([packet[4], packet[5]]));
            ((packet[0] << 4) | (packet[1] >> 4), size, packet[6], &packet[8..40], packet.get(40..44))
        }
        _ => return None,
    };
    // Frames shorter than 60 bytes may be padded, so the packet may be shorter than the rest of the frame, but not longer.
    if size < 20 || size as usize > packet.len() {
        return None;
    }
    let ports = ports.filter(|_| matches!(protocol, 6 | 17 | 33 | 132)).unwrap_or(&[]);
    let conversation = addresses.iter().chain(ports).chain([&protocol]).fold(0xCBF2_9CE4_8422_2325, fnv);
    Some(Fields { to, size, dscp: traffic_class >> 2, ecn: ecn(traffic_class), conversation })
}

/// A step of the hash FNV-1a, with the constants for 64 bits [Fowler et al., draft-eastlake-fnv s2 and s5].
const fn fnv(hash: u64, byte: &u8) -> u64 {
    (hash ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01B3)
}

const fn ecn(traffic_class: u8) -> Ecn {
    match traffic_class & 0b11 {
        0b00 => Ecn::NotEct,
        0b01 => Ecn::Ect1,
        0b10 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

/// Writes codepoints into a frame that [`read`] accepts. The checksum of an IPv4 header is updated for the word that changes
/// [RFC1624 s3, equation 3]; the checksum of the transport covers neither field.
pub fn write(frame: &mut [u8], dscp: u8, ecn: Ecn) {
    let packet = &mut frame[ETHERNET..];
    let traffic_class = (dscp << 2) | ecn as u8;
    if packet[0] >> 4 == 6 {
        packet[0] = 0x60 | (traffic_class >> 4);
        packet[1] = (traffic_class << 4) | (packet[1] & 0x0F);
        return;
    }
    let word = |bytes: &[u8], at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let (old, checksum) = (word(packet, 0), word(packet, 10));
    packet[1] = traffic_class;
    let updated = updated(checksum, old, word(packet, 0));
    packet[10..12].copy_from_slice(&updated.to_be_bytes());
}

/// The checksum after one word has changed [RFC1624 s3, equation 3].
const fn updated(checksum: u16, old: u16, new: u16) -> u16 {
    let sum = !checksum as u32 + !old as u32 + new as u32;
    let once = (sum & 0xFFFF) + (sum >> 16);
    !((once & 0xFFFF) + (once >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TCP packet of 192.168.0.1 to .199, and the widely printed example header with the checksum b861.
    fn ipv4() -> Vec<u8> {
        let header = [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xB8, 0x61, 0xC0, 0xA8, 0, 1, 0xC0, 0xA8, 0, 0xC7];
        let mut frame = [&mac(3)[..], &mac(1), &IPV4, &header].concat();
        frame.resize(ETHERNET + 0x73, 7);
        frame
    }

    /// The header's checksum, calculated as a whole [RFC1071].
    fn whole_checksum(frame: &[u8]) -> u16 {
        let words = frame[ETHERNET..ETHERNET + 20].chunks(2).enumerate().filter(|(i, _)| *i != 5);
        let sum: u32 = words.map(|(_, word)| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        let once = (sum & 0xFFFF) + (sum >> 16);
        !((once & 0xFFFF) + (once >> 16)) as u16
    }

    #[test]
    fn fields_of_ipv4() {
        let found = read(&ipv4()).expect("it is carried");
        assert_eq!((found.to, found.size, found.dscp, found.ecn), (3, 115, 0, Ecn::NotEct));
    }

    #[test]
    fn codepoints_are_written_with_a_right_checksum() {
        for traffic_class in 0..=255u8 {
            let mut frame = ipv4();
            write(&mut frame, traffic_class >> 2, ecn(traffic_class));
            let found = read(&frame).expect("it is carried");
            assert_eq!((found.dscp, found.ecn), (traffic_class >> 2, ecn(traffic_class)));
            assert_eq!(u16::from_be_bytes([frame[24], frame[25]]), whole_checksum(&frame), "{traffic_class:x}");
            write(&mut frame, 0, Ecn::NotEct);
            assert_eq!(frame, ipv4(), "back to the example's checksum");
        }
    }

    #[test]
    fn the_documents_example_of_an_update() {
        // RFC 1624, s4.
        assert_eq!(updated(0xDD2F, 0x5555, 0x3285), 0x0000);
    }

    #[test]
    fn fields_of_ipv6() {
        let mut frame = [&mac(260)[..], &mac(1), &IPV6, &[0x6B, 0x9A, 0xBC, 0xDE, 0, 8, 17, 64]].concat();
        frame.extend([1; 32]);
        frame.extend([0; 8]);
        let found = read(&frame).expect("it is carried");
        assert_eq!((found.to, found.size, found.dscp, found.ecn), (260, 48, 0xB9 >> 2, Ecn::Ect1));
        write(&mut frame, 0b10_1110, Ecn::Ce);
        assert_eq!(frame[ETHERNET..ETHERNET + 4], [0x6B, 0xBA, 0xBC, 0xDE], "the flow label stays");
    }

    #[test]
    fn conversations_differ_by_each_of_their_parts() {
        let of = |at: usize, value: u8| {
            let mut frame = ipv4();
            frame[at] = value;
            read(&frame).expect("it is carried").conversation
        };
        let same = of(60, 9);
        assert_eq!(same, of(61, 9), "data behind the ports does not count");
        for at in [29, 33, 34, 37, 23] {
            assert_ne!(of(at, 6), same, "byte {at}");
        }
    }

    #[test]
    fn other_frames_are_not_carried() {
        let changed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut frame = ipv4();
            change(&mut frame);
            read(&frame)
        };
        assert_eq!(changed(&|frame| frame[..6].fill(0xFF)), None, "broadcast");
        assert_eq!(changed(&|frame| frame[13] = 0x06), None, "ARP");
        assert_eq!(changed(&|frame| frame.truncate(100)), None, "cut off");
        assert_eq!(changed(&|frame| frame.truncate(20)), None, "no header");
        assert_eq!(changed(&|frame| (frame[16], frame[17]) = (0, 19)), None, "shorter than its header");
        assert!(changed(&|frame| frame.extend([0; 9])).is_some(), "padding");
    }
}
