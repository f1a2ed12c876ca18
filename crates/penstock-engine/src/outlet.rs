//! Where the packets of an aggregate of calls leave.

use crate::host::{Dress, Surroundings};
use crate::observations::TraceEvent;
use crate::record::Window;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;

/// A packet that is to leave.
#[derive(Clone, Copy, Debug)]
pub struct Departing {
    /// When.
    pub at: Time,
    /// Its bytes.
    pub size: u32,
}

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

    /// The next packets of the aggregate, in order of time. A port that only queues makes them on their way: until it does,
    /// they are a time and a size.
    #[inline]
    pub fn pass_all(&mut self, train: &[Departing], around: &mut Surroundings<'_, '_>) {
        let Some(&Departing { at, size }) = train.first() else { return };
        let port = &mut around.ports[self.dress.departure.port as usize];
        if !port.only_queues() || around.context.record.trace.is_some() {
            return train.iter().for_each(|departing| self.pass(departing.at, departing.size, around));
        }
        let first_counted = if self.window.is_open(at) { 0 } else { train.partition_point(|departing| !self.window.is_open(departing.at)) };
        let counted = &train[first_counted..];
        self.packets += counted.len() as u64;
        self.bytes += counted.iter().map(|departing| u64::from(departing.size)).sum::<u64>();
        let first = self.dress.packet(at, size, Body::Media { seq: self.sequence });
        self.sequence = self.sequence.wrapping_add(train.len() as u32);
        port.on_train(train, first, &mut around.context);
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
