//! Where the packets of an aggregate of calls leave.

use crate::host::{Dress, Surroundings};
use crate::observations::TraceEvent;
use crate::record::Window;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;

/// Numbers an aggregate's packets, counts them, and sends them.
pub struct Outlet {
    /// How they look.
    pub dress: Dress,
    place: u32,
    sequence: u32,
    /// When counting is on.
    pub window: Window,
    /// What has left in the window.
    pub packets: u64,
    /// Its bytes.
    pub bytes: u64,
}

impl Outlet {
    /// An outlet of packets that look like `dress`, at the node whose place in traces is `place`.
    pub fn new(dress: Dress, place: u32, window: Window) -> Outlet {
        Outlet { dress, place, sequence: 0, window, packets: 0, bytes: 0 }
    }

    /// The next packet of the aggregate.
    #[inline(always)]
    pub fn pass(&mut self, now: Time, size: u32, around: &mut Surroundings<'_, '_>) {
        let packet = self.dress.packet(now, size, Body::Media { seq: self.sequence });
        self.sequence = self.sequence.wrapping_add(1);
        self.send(now, &packet, around);
    }

    /// Sends a packet.
    #[inline(always)]
    pub fn send(&mut self, now: Time, packet: &Packet, around: &mut Surroundings<'_, '_>) {
        if self.window.is_open(now) {
            self.packets += 1;
            self.bytes += u64::from(packet.size);
        }
        around.context.record.trace(now, self.place, packet, TraceEvent::Send);
        around.send(now, self.dress.departure.port, packet);
    }
}
