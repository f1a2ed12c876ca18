//! The packet: small, `Copy`, moved by value and never allocated.

mod ack;
pub mod codepoint;
mod frame_place;
mod marks;
mod sack;
mod segment_flags;

use crate::feedback::Feedback;
use crate::id::{FlowId, HopId, LinkId};
use crate::units::{Bytes, Time};
pub use ack::{Ack, AckFlags, Echo};
pub use frame_place::FramePlace;
pub use marks::{Ecn, PcnMark};
pub use sack::{SackBlock, SackBlocks, SackHead, SackRest};
pub use segment_flags::SegmentFlags;

/// Contents of a packet for its end hosts. Sequence numbers count segments, not bytes.
///
/// In memory, the fields of a variant follow the tag in the order of declaration. The number that identifies a packet is the first field of
/// four bytes and has the same offset in all variants, so that [`Packet::sequence`] is a single read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Body {
    /// A datagram, numbered by its source.
    Datagram {
        /// Position of the datagram in its frame.
        place: FramePlace,
        /// Number of its frame, modulo 2^16; zero if its source has no frames.
        frame: u16,
        /// Number of the datagram, from zero.
        seq: u32,
    },
    /// A packet of a call, numbered within its aggregate.
    Media {
        /// Number of the packet, from zero.
        seq: u32,
        /// Serial number of the call within the aggregate.
        call: u32,
    },
    /// A TCP data segment.
    Segment {
        /// Whether the segment was sent before.
        retransmission: bool,
        /// CWR and PSH.
        flags: SegmentFlags,
        /// Number of the segment, from zero.
        seq: u32,
    },
    /// A TCP acknowledgement, of [`Body::ack`] and for [`Body::to_ack`].
    Ack {
        /// Flags that echo marks.
        flags: AckFlags,
        /// First part of the SACK blocks.
        sack: SackHead,
        /// Segment expected next.
        next: u32,
        /// Second part of the SACK blocks.
        sack_rest: SackRest,
    },
    /// Request to the egress of an aggregate to admit a call.
    Request {
        /// Serial number of the call.
        call: u32,
        /// Admitted calls of the aggregate at the time of the request.
        live: u32,
    },
    /// ICMP Source Quench: asks the source of a dropped packet to send less [RFC792].
    SourceQuench {
        /// Sequence number among the packets of its sender.
        number: u32,
    },
    /// A TCP data segment that has passed a rate limiter, with the limiter's tag. The receiving station removes the tag.
    TaggedSegment {
        /// As in [`Body::Segment`].
        retransmission: bool,
        /// As in [`Body::Segment`].
        flags: SegmentFlags,
        /// As in [`Body::Segment`].
        seq: u32,
        /// Congestion point that the limiter belongs to.
        tag: LinkId,
    },
    /// A datagram with the tag of a rate limiter.
    TaggedDatagram {
        /// As in [`Body::Datagram`].
        place: FramePlace,
        /// As in [`Body::Datagram`].
        frame: u16,
        /// As in [`Body::Datagram`].
        seq: u32,
        /// Congestion point that the limiter belongs to.
        tag: LinkId,
    },
    /// A data packet of RoCE with the tag of a rate limiter.
    TaggedRoceData {
        /// As in [`Body::RoceData`].
        asks_for_ack: bool,
        /// As in [`Body::RoceData`].
        retransmission: bool,
        /// As in [`Body::RoceData`].
        psn: u32,
        /// Congestion point that the limiter belongs to.
        tag: LinkId,
    },
    /// Reports the queue of a congestion point to the source of a sampled frame.
    CongestionNotification {
        /// Sequence number among the packets of its sender.
        number: u32,
        /// Congestion point, identified by the link of its port.
        point: LinkId,
        /// Feedback.
        feedback: Feedback,
    },
    /// A data packet of RoCE.
    RoceData {
        /// Whether the packet requests an acknowledgement.
        asks_for_ack: bool,
        /// Whether the packet was sent before.
        retransmission: bool,
        /// Packet sequence number, from zero.
        psn: u32,
    },
    /// An acknowledgement of RoCE.
    RoceAck {
        /// Whether later packets have arrived instead of `next` (NAK).
        is_nak: bool,
        /// Packet expected next.
        next: u32,
        /// Sending time of the acknowledged packet, if the sender requests it.
        echo: Echo,
    },
    /// Notification to a RoCE sender that its packets were marked (CNP).
    CongestionNotificationPacket {
        /// Sequence number among the packets of its sender.
        number: u32,
    },
    /// A cell of a frame, except the last one. The last cell has the body of the frame's packet and ends the frame [I.363.5].
    Cell {
        /// Whether the receiver of the flow has sent the packet.
        backward: bool,
        /// Index of the cell in its frame, from zero.
        index: u16,
        /// Number of the packet.
        frame: u32,
        /// Size of the packet.
        packet_size: u32,
    },
    /// Request for a connection.
    Syn {
        /// Whether it requests ECN (ECE and CWR set) [RFC3168 s6.1.1].
        ecn: bool,
        /// Always [`Body::NO_SEGMENT`].
        number: u32,
    },
    /// Acceptance of a connection.
    SynAck {
        /// Whether it grants ECN (ECE set) [RFC3168 s6.1.1].
        ecn: bool,
        /// Always [`Body::NO_SEGMENT`].
        number: u32,
    },
    /// A data packet of a [plug-in's transport](crate::transport::custom).
    TransportData {
        /// Whether the packet was sent before.
        retransmission: bool,
        /// Number of the packet.
        seq: u32,
        /// Fields that the transport defines.
        words: [u32; 3],
    },
    /// A data packet of a plug-in's transport with the tag of a rate limiter.
    TaggedTransportData {
        /// As in [`Body::TransportData`].
        retransmission: bool,
        /// As in [`Body::TransportData`].
        seq: u32,
        /// As in [`Body::TransportData`].
        words: [u32; 3],
        /// Congestion point that the limiter belongs to.
        tag: LinkId,
    },
    /// An acknowledgement of a plug-in's transport.
    TransportAck {
        /// Acknowledged number.
        next: u32,
        /// Fields that the transport defines.
        words: [u32; 4],
    },
}

impl Body {
    /// Number of the packets that open a connection. They precede all segments.
    pub const NO_SEGMENT: u32 = u32::MAX;

    /// A datagram of a source without frames.
    #[inline(always)]
    pub const fn datagram(seq: u32) -> Body {
        Body::Datagram { place: FramePlace::Only, frame: 0, seq }
    }

    /// The packet that requests a connection.
    #[inline]
    pub const fn syn(ecn: bool) -> Body {
        Body::Syn { ecn, number: Body::NO_SEGMENT }
    }

    /// The packet that grants a connection.
    #[inline]
    pub const fn syn_ack(ecn: bool) -> Body {
        Body::SynAck { ecn, number: Body::NO_SEGMENT }
    }

    /// A TCP acknowledgement.
    #[inline(always)]
    pub const fn ack(Ack { next, flags, sack }: Ack) -> Body {
        let (sack, sack_rest) = sack.split();
        Body::Ack { flags, sack, next, sack_rest }
    }

    /// Converts the body to a TCP acknowledgement; `None` if it is none.
    #[inline(always)]
    pub const fn to_ack(self) -> Option<Ack> {
        match self {
            Body::Ack { flags, sack, next, sack_rest } => Some(Ack { next, flags, sack: SackBlocks::join(sack, sack_rest) }),
            _ => None,
        }
    }

    /// Whether flows count the packet as sent and received: data and requests for calls.
    #[inline]
    pub const fn is_data(&self) -> bool {
        matches!(
            self,
            Body::Datagram { .. }
                | Body::Segment { .. }
                | Body::Media { .. }
                | Body::Request { .. }
                | Body::TaggedSegment { .. }
                | Body::TaggedDatagram { .. }
                | Body::RoceData { .. }
                | Body::TaggedRoceData { .. }
                | Body::TransportData { .. }
                | Body::TaggedTransportData { .. }
        )
    }

    /// Whether the receiver of a flow sends the packet to the flow's source.
    #[inline]
    pub const fn is_from_receiver(&self) -> bool {
        matches!(
            self,
            Body::Ack { .. }
                | Body::SynAck { .. }
                | Body::RoceAck { .. }
                | Body::CongestionNotificationPacket { .. }
                | Body::TransportAck { .. }
        )
    }

    /// Adds the tag of a rate limiter to data of a flow; other bodies are unchanged.
    pub const fn tagged(self, tag: LinkId) -> Body {
        match self {
            Body::Segment { seq, retransmission, flags } => Body::TaggedSegment { seq, retransmission, flags, tag },
            Body::Datagram { place, frame, seq } => Body::TaggedDatagram { place, frame, seq, tag },
            Body::RoceData { psn, asks_for_ack, retransmission } => Body::TaggedRoceData { psn, asks_for_ack, retransmission, tag },
            Body::TransportData { retransmission, seq, words } => Body::TaggedTransportData { retransmission, seq, words, tag },
            other => other,
        }
    }

    /// Removes the tag of a rate limiter.
    pub const fn untagged(self) -> Body {
        match self {
            Body::TaggedSegment { seq, retransmission, flags, .. } => Body::Segment { seq, retransmission, flags },
            Body::TaggedDatagram { place, frame, seq, .. } => Body::Datagram { place, frame, seq },
            Body::TaggedRoceData { psn, asks_for_ack, retransmission, .. } => Body::RoceData { psn, asks_for_ack, retransmission },
            Body::TaggedTransportData { retransmission, seq, words, .. } => Body::TransportData { retransmission, seq, words },
            other => other,
        }
    }

    /// Whether the packet is data that was sent before.
    #[inline(always)]
    pub const fn is_retransmission(&self) -> bool {
        // Datagrams are as frequent as all other packets together.
        if let Body::Datagram { .. } = self {
            return false;
        }
        matches!(
            self,
            Body::Segment { retransmission: true, .. }
                | Body::TaggedSegment { retransmission: true, .. }
                | Body::RoceData { retransmission: true, .. }
                | Body::TaggedRoceData { retransmission: true, .. }
                | Body::TransportData { retransmission: true, .. }
                | Body::TaggedTransportData { retransmission: true, .. }
        )
    }

    /// Congestion point whose rate limiter has tagged the packet.
    pub const fn tag(&self) -> Option<LinkId> {
        match self {
            Body::TaggedSegment { tag, .. } | Body::TaggedDatagram { tag, .. } | Body::TaggedRoceData { tag, .. } => Some(*tag),
            Body::TaggedTransportData { tag, .. } => Some(*tag),
            _ => None,
        }
    }
}

/// A packet in flight. At most 48 bytes (asserted below).
///
/// Its fields have this order in memory: a digest reads `size` and the four bytes after it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Packet {
    /// Time at which the source sent the packet.
    pub created: Time,
    /// Flow that the packet belongs to.
    pub flow: FlowId,
    /// Next entry of the table of hops; routes are fixed at emission.
    pub hop: HopId,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Drop precedence (colour): 0 (green) is the best protected, 2 (red) the worst [RFC2597 s6].
    pub precedence: u8,
    /// Traffic class, an index into the scenario's classes.
    pub class: u8,
    /// Mark of PCN meters.
    pub pcn: PcnMark,
    /// ECN codepoint; a discipline that marks writes [`Ecn::Ce`].
    pub ecn: Ecn,
    /// Contents for the end hosts.
    pub body: Body,
}

const _: () = assert!(std::mem::size_of::<Packet>() <= 48);

impl Packet {
    /// Bytes on the wire as a quantity.
    #[inline]
    pub const fn bytes(&self) -> Bytes {
        Bytes::new(self.size as u64)
    }

    /// Size, precedence, class and marks, from the lowest byte on, in their order in memory: a single read.
    #[inline(always)]
    pub const fn header_word(&self) -> u64 {
        let marks = u32::from_le_bytes([self.precedence, self.class, self.pcn as u8, self.ecn as u8]);
        (marks as u64) << 32 | self.size as u64
    }

    /// Number by which the end hosts identify the packet; for digests and traces.
    #[inline]
    pub const fn sequence(&self) -> u32 {
        match self.body {
            Body::Datagram { seq, .. } | Body::Media { seq, .. } | Body::Segment { seq, .. } => seq,
            Body::TaggedSegment { seq, .. } | Body::TaggedDatagram { seq, .. } => seq,
            Body::Request { call, .. } => call,
            Body::SourceQuench { number } | Body::CongestionNotification { number, .. } => number,
            Body::RoceData { psn, .. } | Body::TaggedRoceData { psn, .. } => psn,
            Body::Cell { frame, .. } => frame,
            Body::Ack { next, .. } | Body::RoceAck { next, .. } => next,
            Body::CongestionNotificationPacket { number } => number,
            Body::Syn { number, .. } | Body::SynAck { number, .. } => number,
            Body::TransportData { seq, .. } | Body::TaggedTransportData { seq, .. } => seq,
            Body::TransportAck { next, .. } => next,
        }
    }
}

/// Packets for the tests of components.
#[cfg(test)]
pub(crate) mod testing {
    use super::{Body, Ecn, Packet, PcnMark};
    use crate::id::{FlowId, HopId};
    use crate::units::Time;

    /// A packet of `size` bytes and this precedence.
    pub(crate) fn packet(size: u32, precedence: u8) -> Packet {
        let body = Body::datagram(0);
        Packet {
            created: Time::ZERO,
            flow: FlowId(0),
            hop: HopId(0),
            size,
            precedence,
            class: 0,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body,
        }
    }

    /// A packet of `size` bytes that carries this mark.
    pub(crate) fn with_mark(size: u32, pcn: PcnMark) -> Packet {
        Packet { pcn, ..packet(size, 0) }
    }
}
