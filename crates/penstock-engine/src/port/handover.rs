//! How a host hands packets over to its port.

use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::port::transit_merge::TransitMerge;
use crate::port::Port;
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::units::Time;

/// So many packets that a host has handed over fit the nearest cache, with what the port needs.
pub const MOST_HANDED: usize = 64;

impl Port {
    /// Is handed a packet by the host, at `now`. Tells whether many have been handed over since [`Port::drain_transmit_batch`].
    #[inline(always)]
    pub fn hand(&mut self, now: Time, packet: &Packet) -> bool {
        self.hand_on(now, packet, packet.hop)
    }

    /// The same of a packet that is to go on to `hop`.
    #[inline(always)]
    pub fn hand_on(&mut self, now: Time, packet: &Packet, hop: HopId) -> bool {
        if let [place] = self.handed.add(1) {
            place.at = now;
            place.packet = *packet;
            place.packet.hop = hop;
        }
        self.handed.len() >= MOST_HANDED
    }

    /// Takes what the host has handed over, and those of its arrivals that were [let through](Port::let_through), in the order
    /// of time.
    pub fn take_merged(&mut self, arrivals: &[Arrival], context: &mut Context<'_, '_>) {
        if self.through.is_empty() {
            return self.drain_transmit_batch(context);
        }
        let (mut handed, mut through) = (std::mem::take(&mut self.handed), std::mem::take(&mut self.through));
        let both = TransitMerge::new(handed.packets(), arrivals, &through);
        let bounds = both.bounds();
        self.on_arrivals(both, bounds, context);
        handed.clear();
        through.clear();
        (self.handed, self.through) = (handed, through);
    }

    /// Is to take packets of the host's arrivals, by their places among them.
    #[inline(always)]
    pub fn let_through(&mut self, arrivals: &[u32]) {
        self.through.extend_from_slice(arrivals);
    }

    /// Takes what the host has handed over.
    ///
    /// A port changes nothing at its host, so it need not look at each packet at once; one short loop for many packets after
    /// another, first the host's and then the port's, costs much less than a long one for both.
    #[inline]
    pub fn drain_transmit_batch(&mut self, context: &mut Context<'_, '_>) {
        if let Some(first) = self.handed.packets().first() {
            let bounds = (first.at, self.handed.len());
            let mut handed = std::mem::take(&mut self.handed);
            self.on_arrivals(handed.packets().iter().map(|arrival| (arrival, arrival.packet.hop)), bounds, context);
            handed.clear();
            self.handed = handed;
        }
    }
}
