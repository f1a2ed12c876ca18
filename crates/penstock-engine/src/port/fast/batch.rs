//! What a port that only queues, and may meter, needs of the packets of a batch.

use crate::kernel::event::Arrival;
use penstock_model::id::{FlowId, HopId};
use penstock_model::packet::PcnMark;
use penstock_model::pcn_meter::Metered;
use penstock_model::units::{Bytes, Time};

/// A packet of a batch: what meters and queue need of it, beside that of its neighbours. The packet itself is read again only when it is
/// copied into the next queue.
#[derive(Clone, Copy, Debug)]
pub struct BatchEntry {
    /// When it arrives at the port; once it is served, when at the far end.
    pub at: Time,
    /// Its [`header_word`](penstock_model::packet::Packet::header_word) on arrival.
    pub header: u64,
    /// Its next hop.
    pub hop: HopId,
    /// Its PCN mark.
    pcn: PcnMark,
}

impl BatchEntry {
    /// Fills memory that is about to be overwritten.
    pub const PLACEHOLDER: BatchEntry = BatchEntry { at: Time::NEVER, header: 0, hop: HopId(u32::MAX), pcn: PcnMark::Unmarked };

    /// Of `arrival`, whose next hop is `hop`.
    #[inline(always)]
    pub fn new(arrival: &Arrival, hop: HopId) -> BatchEntry {
        BatchEntry { at: arrival.at, header: arrival.packet.header_word(), hop, pcn: arrival.packet.pcn }
    }

    /// Writes the packet, which arrived here as `arrival`, into the next queue.
    #[inline(always)]
    pub fn forward(&self, arrival: &Arrival, slot: &mut Arrival) {
        slot.at = self.at;
        slot.packet = arrival.packet;
        slot.packet.hop = self.hop;
        slot.packet.pcn = self.pcn;
    }
}

/// Finds out whether packets are of one size and one precedence.
#[derive(Clone, Copy, Debug)]
pub struct Alikeness {
    in_some: u64,
    in_all: u64,
}

impl Alikeness {
    /// Of no packets yet.
    pub const OF_NONE: Alikeness = Alikeness { in_some: 0, in_all: u64::MAX };

    /// Adds a packet with this [`header_word`](penstock_model::packet::Packet::header_word).
    #[inline(always)]
    pub fn add(&mut self, header: u64) {
        self.in_some |= header;
        self.in_all &= header;
    }

    /// Whether all are alike.
    #[inline]
    pub fn holds(self) -> bool {
        const SIZE_AND_PRECEDENCE: u64 = 0xff_ffff_ffff;
        (self.in_some ^ self.in_all) & SIZE_AND_PRECEDENCE == 0
    }
}

impl Metered for BatchEntry {
    #[inline(always)]
    fn at(&self) -> Time {
        self.at
    }

    #[inline(always)]
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.header as u32))
    }

    #[inline(always)]
    fn mark(&mut self) -> &mut PcnMark {
        &mut self.pcn
    }
}

/// A packet in place, as the queue sees it, which comes after the meters.
pub trait Queued: Metered {
    /// Sets when it arrives at the far end.
    fn set_at(&mut self, at: Time);

    /// Its drop precedence.
    fn precedence(&self) -> u8;

    /// Its flow; of a packet in transit nobody's, since those of one flow do not arrive together.
    fn flow(&self) -> FlowId;
}

impl Queued for BatchEntry {
    #[inline(always)]
    fn set_at(&mut self, at: Time) {
        self.at = at;
    }

    #[inline(always)]
    fn precedence(&self) -> u8 {
        (self.header >> 32) as u8
    }

    #[inline(always)]
    fn flow(&self) -> FlowId {
        FlowId(u32::MAX)
    }
}

impl Queued for Arrival {
    #[inline(always)]
    fn set_at(&mut self, at: Time) {
        self.at = at;
    }

    #[inline(always)]
    fn precedence(&self) -> u8 {
        self.packet.precedence
    }

    #[inline(always)]
    fn flow(&self) -> FlowId {
        self.packet.flow
    }
}
