//! The packet that a periodic source repeats.

use crate::kernel::event::Arrival;
use crate::merge::timing_wheel::{Successor, WheelEntry};
use penstock_model::id::{FlowId, HopId};
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};

/// The next packet of a source whose packets differ only by their sequence numbers. It is held in the entry of the timing wheel, so
/// sending it needs no other memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PeriodicPacket {
    /// The first arrival of its route.
    pub hop: HopId,
    /// Bytes.
    pub size: u32,
    /// Its number.
    pub seq: u32,
    /// The port of the host that it leaves by.
    pub port: u16,
    /// Its precedence.
    pub precedence: u8,
    /// Its class.
    pub class: u8,
}

const _: () = assert!(std::mem::size_of::<WheelEntry<PeriodicPacket>>() == 32);

impl WheelEntry<PeriodicPacket> {
    /// The next packet, as it arrives at its port.
    #[inline(always)]
    pub fn arrival(&self) -> Arrival {
        let PeriodicPacket { hop, size, seq, precedence, class, .. } = self.next;
        let packet = Packet {
            created: self.at,
            flow: FlowId(self.flow),
            hop,
            size,
            precedence,
            class,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body: Body::datagram(seq),
        };
        Arrival { at: self.at, packet }
    }
}

impl Successor for PeriodicPacket {
    #[inline(always)]
    fn successor(self) -> PeriodicPacket {
        PeriodicPacket { seq: self.seq.wrapping_add(1), ..self }
    }
}
