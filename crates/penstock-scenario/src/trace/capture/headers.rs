//! Headers of packets: Ethernet, IPv4, TCP, UDP and ICMP. The bytes behind them are zeros and not captured.

/// Bytes of headers without options.
const ETHERNET: usize = 14;
pub(super) const IP: u32 = 20;
pub(super) const TCP: u32 = 20;
const UDP: u32 = 8;
/// ICMP's own, with the header and eight bytes of the packet that it is about [RFC792].
const ICMP: u32 = 8 + IP + 8;
/// The most options of TCP: its header is at most 15 words.
pub(super) const MOST_OPTIONS: u32 = 40;
/// The largest IPv4 packet [RFC791 s3.1].
const MAX_PACKET: u32 = 65_535;

/// All headers at their longest.
const MOST_CAPTURED: usize = ETHERNET + (IP + TCP + MOST_OPTIONS) as usize;

/// Flags of TCP [RFC9293 s3.1].
pub(super) const SYN: u16 = 0x02;
pub(super) const ACK: u16 = 0x10;
pub(super) const ECE: u16 = 0x40;
pub(super) const CWR: u16 = 0x80;
pub(super) const AE: u16 = 0x100;

/// Fields in the headers of every packet.
#[derive(Clone, Copy)]
pub(super) struct Addresses {
    /// The nodes at both ends of the link.
    pub link: [u32; 2],
    /// The nodes at both ends of the flow, the packet's sender first.
    pub nodes: [u32; 2],
    /// The ports there.
    pub ports: [u16; 2],
}

/// A TCP packet.
pub(super) struct Segment<'a> {
    pub sequence: u32,
    pub acknowledgement: u32,
    pub flags: u16,
    /// A multiple of four bytes.
    pub options: &'a [u8],
    /// Bytes of data behind the headers.
    pub payload: u32,
}

/// A frame under construction, and how long the whole would be.
pub(super) struct Frame {
    bytes: [u8; MOST_CAPTURED],
    filled: usize,
    length: u32,
}

impl Frame {
    /// A TCP packet that counts as `size` bytes; the frame is as long, or longer if its headers are.
    pub fn tcp(addresses: &Addresses, traffic_class: u8, size: u32, segment: &Segment<'_>) -> Frame {
        let header = TCP + segment.options.len() as u32;
        let mut frame = Frame::ip(addresses, (traffic_class, 0), 6, size, IP + header + segment.payload);
        frame.put(&addresses.ports[0].to_be_bytes());
        frame.put(&addresses.ports[1].to_be_bytes());
        frame.put(&segment.sequence.to_be_bytes());
        frame.put(&segment.acknowledgement.to_be_bytes());
        frame.put(&[((header / 4) << 4) as u8 | (segment.flags >> 8) as u8, segment.flags as u8]);
        frame.put(&u16::MAX.to_be_bytes()); // the receiver's window is no limit
        frame.put(&[0; 4]);
        frame.put(segment.options);
        frame.check_transport(6, header + segment.payload, 16);
        frame
    }

    /// A datagram that counts as `size` bytes; `number` tells neighbours apart.
    pub fn udp(addresses: &Addresses, traffic_class: u8, size: u32, number: u32) -> Frame {
        let length = size.clamp(IP + UDP, MAX_PACKET);
        // Identifications of packets that are not fragmented may have any value [RFC6864 s4.1].
        let mut frame = Frame::ip(addresses, (traffic_class, number as u16), 17, size, length);
        frame.put(&addresses.ports[0].to_be_bytes());
        frame.put(&addresses.ports[1].to_be_bytes());
        frame.put(&((length - IP) as u16).to_be_bytes());
        frame.put(&[0; 2]);
        frame.check_transport(17, length - IP, 6);
        frame
    }

    /// A Source Quench about a packet of `protocol` from the other end of the flow [RFC792].
    pub fn source_quench(addresses: &Addresses, traffic_class: u8, size: u32, protocol: u8) -> Frame {
        let length = size.clamp(IP + ICMP, MAX_PACKET);
        let mut frame = Frame::ip(addresses, (traffic_class, 0), 1, size, length);
        let first = frame.filled;
        frame.put(&[4, 0, 0, 0, 0, 0, 0, 0]);
        let [here, there] = addresses.nodes;
        frame.put(&ip_header([there, here], (traffic_class, 0), protocol, (IP + 8) as u16));
        frame.put(&addresses.ports[1].to_be_bytes());
        frame.put(&addresses.ports[0].to_be_bytes());
        // Sequence number 0, or the length of an empty datagram and no checksum.
        frame.put(if protocol == 17 { &[0, UDP as u8, 0, 0] } else { &[0; 4] });
        let sum = checksum(sum(&frame.bytes[first..frame.filled]));
        frame.bytes[first + 2..first + 4].copy_from_slice(&sum.to_be_bytes());
        frame
    }

    /// The captured bytes, and the length of the whole frame.
    pub fn captured(&self) -> (&[u8], u32) {
        (&self.bytes[..self.filled], self.length)
    }

    fn ip(addresses: &Addresses, fields: (u8, u16), protocol: u8, size: u32, length: u32) -> Frame {
        let length = length.min(MAX_PACKET);
        let mut frame = Frame { bytes: [0; MOST_CAPTURED], filled: 0, length: ETHERNET as u32 + size.max(length) };
        let [from, to] = addresses.link;
        // Locally administered addresses [RFC9542 s2.1].
        frame.put(&[2, 0]);
        frame.put(&(to + 1).to_be_bytes());
        frame.put(&[2, 0]);
        frame.put(&(from + 1).to_be_bytes());
        frame.put(&[0x08, 0x00]);
        frame.put(&ip_header(addresses.nodes, fields, protocol, length as u16));
        frame
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    /// Writes the checksum of TCP or UDP, `at` bytes after the IP header; it covers addresses, protocol and length [RFC9293 s3.1].
    fn check_transport(&mut self, protocol: u8, length: u32, at: usize) {
        let first = ETHERNET + IP as usize;
        let addresses = sum(&self.bytes[first - 8..first]);
        let sum = checksum(addresses + u32::from(protocol) + (length & 0xFFFF) + sum(&self.bytes[first..self.filled]));
        // Zero would mean that a datagram has none [RFC768].
        let sum = if protocol == 17 && sum == 0 { u16::MAX } else { sum };
        self.bytes[first + at..first + at + 2].copy_from_slice(&sum.to_be_bytes());
    }
}

fn ip_header([from, to]: [u32; 2], (traffic_class, identification): (u8, u16), protocol: u8, length: u16) -> [u8; IP as usize] {
    let mut header = [0; IP as usize];
    header[..2].copy_from_slice(&[0x45, traffic_class]);
    header[2..4].copy_from_slice(&length.to_be_bytes());
    header[4..6].copy_from_slice(&identification.to_be_bytes());
    // Not to be fragmented. There are no hops to live in the model.
    header[6..10].copy_from_slice(&[0x40, 0, 64, protocol]);
    header[12..16].copy_from_slice(&address(from));
    header[16..].copy_from_slice(&address(to));
    let sum = checksum(sum(&header));
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header
}

/// The address of a node, in 10/8, which has room for all.
fn address(node: u32) -> [u8; 4] {
    (0x0A00_0000 | (node + 1)).to_be_bytes()
}

/// The sum of words of 16 bits; there are an even number of bytes, few enough for the sum to fit.
fn sum(bytes: &[u8]) -> u32 {
    bytes.as_chunks().0.iter().map(|word| u32::from(u16::from_be_bytes(*word))).sum()
}

/// The Internet checksum of a sum of words [RFC1071].
fn checksum(sum: u32) -> u16 {
    let once = (sum & 0xFFFF) + (sum >> 16);
    !((once & 0xFFFF) + (once >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESSES: Addresses = Addresses { link: [0, 1], nodes: [0, 2], ports: [49_152, 9] };

    /// Verifies as a receiver does: the sum over everything that the checksum covers is all ones.
    fn is_right(parts: &[&[u8]]) -> bool {
        checksum(parts.iter().map(|part| sum(part)).sum()) == 0
    }

    #[test]
    fn the_checksum_of_the_documents_example() {
        // RFC 1071, s3: 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
        assert_eq!(checksum(sum(&[0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7])), !0xDDF2);
    }

    #[test]
    fn a_receiver_finds_the_checksums_right() {
        let segment = Segment { sequence: 7, acknowledgement: 9, flags: ACK, options: &[1, 1, 1, 1], payload: 0 };
        let tcp = Frame::tcp(&ADDRESSES, 0xB9, 40, &segment);
        let (bytes, length) = tcp.captured();
        assert_eq!((bytes.len(), length), (58, 58), "four bytes of options, which the size does not count");
        assert!(is_right(&[&bytes[14..34]]));
        assert!(is_right(&[&bytes[26..34], &[0, 6, 0, 24], &bytes[34..]]));
        let udp = Frame::udp(&ADDRESSES, 0, 160, 3);
        let (bytes, length) = udp.captured();
        assert_eq!((bytes.len(), length), (42, 174));
        assert!(is_right(&[&bytes[26..34], &[0, 17, 0, 140], &bytes[34..]]));
        let quench = Frame::source_quench(&ADDRESSES, 0, 56, 6);
        let (bytes, length) = quench.captured();
        assert_eq!((bytes.len(), length), (70, 70));
        assert!(is_right(&[&bytes[34..]]) && is_right(&[&bytes[42..62]]));
    }
}
