//! Captures: the packets that links transmit, as pcapng.
//!
//! Headers are made up of what the model knows; addresses are by node, ports by flow.

mod blocks;
mod ecn_field;
mod headers;
mod timestamps;

use ecn_field::ecn_field;
use headers::{Addresses, Frame, Segment, ACK, AE, CWR, ECE, IP, MOST_OPTIONS, SYN, TCP};
use penstock_engine::blueprint::{Blueprint, FlowGroup};
use penstock_engine::observations::{TraceEvent, TraceRow};
use penstock_model::discipline::PRECEDENCES;
use penstock_model::packet::{codepoint, Ack, AckFlags, Body, Ecn, Packet, SackBlock};
use penstock_model::transport::tcp::EcnSupport;
use penstock_model::transport::TransportPlan;
use penstock_model::units::Rate;
use std::collections::BTreeMap;
use timestamps::Clocks;

/// A part of the capture of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturePart {
    /// The link's name.
    pub link: String,
    /// Number of packets.
    pub packets: u64,
    /// Bytes to append to the link's file; the first part includes the file's header.
    pub bytes: Vec<u8>,
}

/// Builds captures from the rows of a trace.
pub(super) struct Captures {
    nodes: u32,
    links: Vec<Link>,
    flows: Vec<Flow>,
    formats: Vec<Format>,
    /// The codepoint of each class, by drop precedence.
    codepoints: Vec<[u8; PRECEDENCES]>,
    /// The parts that have not been taken, by link.
    parts: BTreeMap<u32, Part>,
    bytes: usize,
    /// The hosts' clocks, if any connection has timestamps.
    clocks: Option<Clocks>,
}

struct Link {
    name: String,
    ends: [u32; 2],
    rate: Rate,
    cells: bool,
    is_begun: bool,
}

#[derive(Clone, Copy)]
struct Flow {
    from: u32,
    to: u32,
    group: u32,
}

#[derive(Default)]
struct Part {
    packets: u64,
    bytes: Vec<u8>,
}

/// The format of the packets of a group's flows.
enum Format {
    Datagrams,
    Connection {
        /// Bytes of options in packets with data, so that headers have the size that the scenario says as far as they can.
        options: u32,
        /// Bytes of data in a segment.
        payload: u32,
        /// Whether receivers report blocks [RFC2018].
        has_blocks: bool,
        /// Whether packets carry timestamps [RFC7323].
        has_timestamps: bool,
        /// Flags of a SYN and of its answer.
        syn_flags: [u16; 2],
    },
}

impl Format {
    fn of(group: &FlowGroup) -> Format {
        let TransportPlan::Tcp(tcp) = &group.transport else { return Format::Datagrams };
        let (size, header) = (tcp.packet.get() as u32, tcp.header.get() as u32);
        let options = header.saturating_sub(IP + TCP).min(MOST_OPTIONS) & !3;
        let payload = size.saturating_sub(IP + TCP + options).max(1);
        Format::Connection {
            options,
            payload,
            has_blocks: tcp.uses_blocks(),
            has_timestamps: tcp.timestamps,
            syn_flags: syn_flags(tcp.ecn_support()),
        }
    }
}

impl Captures {
    /// Empty captures for runs of `blueprint`.
    pub fn new(blueprint: &Blueprint) -> Captures {
        let links = blueprint.links.iter();
        let flows = blueprint.flows.iter();
        let formats: Vec<Format> = blueprint.groups.iter().map(Format::of).collect();
        let has_timestamps = formats.iter().any(|format| matches!(format, Format::Connection { has_timestamps: true, .. }));
        Captures {
            clocks: has_timestamps.then(Clocks::default),
            nodes: blueprint.nodes.len() as u32, // fewer than 2^24
            links: links
                .map(|link| Link {
                    name: link.path.clone(),
                    ends: [link.from.0, link.to.0],
                    rate: link.rate,
                    cells: link.cells,
                    is_begun: false,
                })
                .collect(),
            flows: flows.map(|flow| Flow { from: flow.from.0, to: flow.to.0, group: flow.group }).collect(),
            formats,
            codepoints: blueprint.classes.iter().enumerate().map(|(position, class)| codepoint::of_class(class, position)).collect(),
            parts: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// Whether a row is needed for timestamps, even if its link is not captured.
    pub fn needs(&self, row: &TraceRow) -> bool {
        self.clocks.is_some() && Clocks::need(row)
    }

    /// Adds a row if it is a transmission.
    pub fn add(&mut self, row: &TraceRow) {
        if self.needs(row) {
            self.clocks.iter_mut().for_each(|clocks| clocks.observe(row));
        }
        let (TraceEvent::Transmit, Some(packet)) = (row.event, row.packet()) else { return };
        let number = row.place - self.nodes;
        let link = &mut self.links[number as usize];
        if link.cells {
            // Cells are not packets, and no Ethernet carries them.
            return;
        }
        let part = self.parts.entry(number).or_default();
        let before = part.bytes.len();
        if !link.is_begun {
            link.is_begun = true;
            blocks::begin(&mut part.bytes, &link.name, link.rate);
        }
        let frame = frame(packet, link.ends, self.flows[packet.flow.index()], &self.formats, &self.codepoints, self.clocks.as_ref());
        let (captured, length) = frame.captured();
        blocks::packet(&mut part.bytes, row.time, captured, length);
        part.packets += 1;
        self.bytes += part.bytes.len() - before;
    }

    /// Number of bytes that have not been taken.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes all parts, in the order of the links.
    pub fn take(&mut self) -> Vec<CapturePart> {
        self.bytes = 0;
        let parts = std::mem::take(&mut self.parts).into_iter();
        parts.map(|(link, Part { packets, bytes })| CapturePart { link: self.links[link as usize].name.clone(), packets, bytes }).collect()
    }
}

/// The packet as it would be on an Ethernet.
fn frame(
    packet: &Packet,
    link: [u32; 2],
    flow: Flow,
    formats: &[Format],
    codepoints: &[[u8; PRECEDENCES]],
    clocks: Option<&Clocks>,
) -> Frame {
    let traffic_class = codepoints[packet.class as usize][packet.precedence as usize] << 2 | ecn_field(packet);
    let ports = ports(packet.flow.0);
    let data = Addresses { link, nodes: [flow.from, flow.to], ports };
    // For packets in the reverse direction. A Source Quench does not say which switch sent it.
    let back = Addresses { link, nodes: [flow.to, flow.from], ports: [ports[1], ports[0]] };
    if let Body::CongestionNotification { .. } = packet.body {
        // A datagram to the source of the flow: the message to a station has no format outside of Ethernet.
        return Frame::udp(&back, traffic_class, packet.size, packet.sequence());
    }
    let Format::Connection { options, payload, has_blocks, has_timestamps, syn_flags } = formats[flow.group as usize] else {
        return match packet.body {
            Body::SourceQuench { .. } => Frame::source_quench(&back, traffic_class, packet.size, 17),
            // For RoCE and for transports of plug-ins, only the size and the direction are shown.
            _ if packet.body.is_from_receiver() => Frame::udp(&back, traffic_class, packet.size, packet.sequence()),
            _ => Frame::udp(&data, traffic_class, packet.size, packet.sequence()),
        };
    };
    // Numbers count bytes from the SYN's on, which is 0, and wrap [RFC9293 s3.4].
    let position = |segment: u32| (u64::from(segment) * u64::from(payload) + 1) as u32;
    let mut written = Options::NONE;
    if let Some(clocks) = clocks.filter(|_| has_timestamps) {
        written.timestamps(clocks.of(packet));
    }
    let (addresses, sequence, acknowledgement, flags, payload) = match packet.body.untagged() {
        Body::Segment { seq, flags, .. } => (data, position(seq), 1, ACK | u16::from(flags.byte()), payload),
        body @ Body::Ack { next, flags, .. } => {
            body.to_ack().iter().for_each(|ack| written.blocks(ack, position));
            (back, 1, position(next), ACK | ecn_flags(flags), 0)
        }
        Body::Syn { .. } => {
            written.of_syn(payload, has_blocks);
            (data, 0, 0, syn_flags[0], 0)
        }
        Body::SynAck { .. } => {
            written.of_syn(payload, has_blocks);
            (back, 0, 1, syn_flags[1], 0)
        }
        Body::SourceQuench { .. } => return Frame::source_quench(&back, traffic_class, packet.size, 6),
        _ => unreachable!("connections send no datagrams"),
    };
    written.fill(options);
    Frame::tcp(&addresses, traffic_class, packet.size, &Segment { sequence, acknowledgement, flags, options: written.bytes(), payload })
}

/// Flags of a SYN and of its answer, which reports the codepoint of the SYN if both ends have AccECN [RFC9768 s3.1.1; RFC3168 s6.1.1].
fn syn_flags([sender, receiver]: [EcnSupport; 2]) -> [u16; 2] {
    let requested = match sender {
        EcnSupport::None => 0,
        EcnSupport::Classic => ECE | CWR,
        EcnSupport::Accurate(_) => ECE | CWR | AE,
    };
    let granted = match receiver {
        EcnSupport::None => 0,
        EcnSupport::Classic => ECE,
        EcnSupport::Accurate(Ecn::NotEct) => CWR,
        EcnSupport::Accurate(Ecn::Ect1) => CWR | ECE,
        EcnSupport::Accurate(Ecn::Ect0) => AE,
        EcnSupport::Accurate(Ecn::Ce) => AE | CWR,
    };
    [SYN | requested, SYN | ACK | granted]
}

/// ECE, CWR and AE of an acknowledgement, in this order from the lowest bit of the three on [RFC9768 s3.1].
fn ecn_flags(flags: AckFlags) -> u16 {
    [ECE, CWR, AE].into_iter().enumerate().filter(|(bit, _)| flags.ace() >> bit & 1 != 0).map(|(_, flag)| flag).sum()
}

/// The ports of a flow, at its sender and at its receiver; no other flow has the same pair.
fn ports(flow: u32) -> [u16; 2] {
    const FIRST_DYNAMIC: u32 = 49_152; // [RFC6335 s6]
    const DISCARD: u32 = 9; // [RFC863]
    let (high, low) = (flow >> 14, flow & 0x3FFF);
    let receiver = if high == 0 { DISCARD } else { FIRST_DYNAMIC + (high - 1) % 0x4000 };
    [(FIRST_DYNAMIC + low) as u16, receiver as u16]
}

/// Options of TCP.
struct Options {
    bytes: [u8; MOST_OPTIONS as usize],
    filled: usize,
}

/// Shift of the windows: the largest, so that 65,535 in the header is no limit [RFC7323 s2.3].
const WINDOW_SHIFT: u8 = 14;

impl Options {
    const NONE: Options = Options { bytes: [0; MOST_OPTIONS as usize], filled: 0 };

    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    /// Adds the options of a SYN: maximum segment size, window scale, and SACK permitted [RFC9293 s3.2; RFC7323 s2.2; RFC2018 s2].
    fn of_syn(&mut self, payload: u32, has_blocks: bool) {
        let [high, low] = (payload as u16).to_be_bytes();
        self.put(&[2, 4, high, low, 1, 3, 3, WINDOW_SHIFT]);
        if has_blocks {
            self.put(&[1, 1, 4, 2]);
        }
    }

    /// TSval and TSecr [RFC7323 s3.2].
    fn timestamps(&mut self, (value, echo): (u32, u32)) {
        self.put(&[1, 1, 8, 10]);
        self.put(&value.to_be_bytes());
        self.put(&echo.to_be_bytes());
    }

    /// The blocks that an acknowledgement reports, if any [RFC2018 s3]; a duplicate is the first [RFC2883 s4].
    fn blocks(&mut self, ack: &Ack, position: impl Fn(u32) -> u32) {
        let blocks = || ack.duplicate().map(|seq| SackBlock { start: seq, end: seq + 1 }).into_iter().chain(ack.blocks());
        let count = blocks().count();
        if count > 0 {
            self.put(&[1, 1, 5, 2 + 8 * count as u8]);
            for block in blocks() {
                self.put(&position(block.start).to_be_bytes());
                self.put(&position(block.end).to_be_bytes());
            }
        }
    }

    /// Fills up to this size: the list ends and zeros follow [RFC9293 s3.1]. Readers of captures warn of many no-operations in a row.
    fn fill(&mut self, size: u32) {
        self.filled = self.filled.max(size as usize);
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}
