//! Events between processes: the arrival of a packet.

use crate::merge::Timed;
use penstock_model::id::{FlowId, HopId};
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};
use penstock_model::pcn_meter::Metered;
use penstock_model::units::{Bytes, Time};

/// The arrival of a packet at a process.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Time at which the packet has been received completely.
    pub at: Time,
    /// The packet.
    pub packet: Packet,
}

impl Arrival {
    /// Fills memory that is about to be overwritten.
    pub const PLACEHOLDER: Arrival = {
        let packet = Packet {
            created: Time::NEVER,
            flow: FlowId(u32::MAX),
            hop: HopId(u32::MAX),
            size: 0,
            precedence: 0,
            class: 0,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body: Body::syn(false),
        };
        Arrival { at: Time::NEVER, packet }
    };
}

impl Default for Arrival {
    fn default() -> Arrival {
        Arrival::PLACEHOLDER
    }
}

impl Timed for Arrival {
    #[inline]
    fn at(&self) -> Time {
        self.at
    }
}

impl Metered for Arrival {
    #[inline(always)]
    fn at(&self) -> Time {
        self.at
    }

    #[inline(always)]
    fn size(&self) -> Bytes {
        self.packet.bytes()
    }

    #[inline(always)]
    fn mark(&mut self) -> &mut PcnMark {
        &mut self.packet.pcn
    }
}

impl Arrival {
    /// Sets this to the arrival of `packet` at `at`, a copy except for the next hop and the PCN mark.
    #[inline(always)]
    pub fn copy_forwarded(&mut self, at: Time, packet: &Packet, hop: HopId, pcn: PcnMark) {
        self.at = at;
        self.packet = *packet;
        self.packet.hop = hop;
        self.packet.pcn = pcn;
    }

    /// Sets this to the arrival of `packet` at `at` with `header`. It is written field by field: a copy of the whole would stall on
    /// fields that have just been computed and stored.
    #[inline(always)]
    pub fn write_forwarded(&mut self, at: Time, packet: &Packet, header: HeaderUpdate) {
        let Packet { created, flow, size, precedence, class, body, .. } = *packet;
        let HeaderUpdate { hop, ecn, pcn } = header;
        self.at = at;
        self.packet = Packet { created, flow, hop, size, precedence, class, ecn, pcn, body };
    }
}

/// The fields of a packet that a port rewrites.
#[derive(Clone, Copy, Debug)]
pub struct HeaderUpdate {
    /// The next hop.
    pub hop: HopId,
    /// Its ECN codepoint.
    pub ecn: Ecn,
    /// Its PCN mark.
    pub pcn: PcnMark,
}

/// A packet of a train of one flow. Until a port creates the packet, only its time, size and call describe it.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrainPacket {
    /// Time at which it is sent.
    pub at: Time,
    /// Size in bytes.
    pub size: u32,
    /// The serial number of its call.
    pub call: u32,
}
