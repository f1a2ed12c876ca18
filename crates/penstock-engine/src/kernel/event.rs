//! Events between processes: the arrival of a packet.

use crate::merge::Timed;
use penstock_model::id::{FlowId, HopId};
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};
use penstock_model::pcn_meter::Metered;
use penstock_model::units::{Bytes, Time};

/// The arrival of a packet at a process.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When the packet has been received completely.
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
    /// Becomes the arrival of `packet` at `at` with the fields that a port rewrites: field by field, since these have just been computed and
    /// a copy of the whole would have to wait for them in memory.
    #[inline(always)]
    pub fn write_forwarded(&mut self, at: Time, packet: &Packet, (hop, ecn, pcn): (HopId, Ecn, PcnMark)) {
        let Packet { created, flow, size, precedence, class, body, .. } = *packet;
        self.at = at;
        self.packet = Packet { created, flow, hop, size, precedence, class, ecn, pcn, body };
    }
}

/// A packet of a train: sent by one flow, described by its time and size alone until a port makes the packet.
#[derive(Clone, Copy, Debug)]
pub struct TrainPacket {
    /// When it is sent.
    pub at: Time,
    /// Its bytes.
    pub size: u32,
}
