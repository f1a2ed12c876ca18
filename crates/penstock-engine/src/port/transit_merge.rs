//! Merges packets of a host's own sources and packets in transit by time, for one port.

use crate::kernel::event::Arrival;
use penstock_model::id::HopId;
use penstock_model::units::Time;

/// Iterates over packets of the host's own sources and arrivals in transit by time, each with its next hop. Own packets
/// precede simultaneous ones in transit.
pub struct TransitMerge<'a> {
    pub own: &'a [Arrival],
    pub arrivals: &'a [Arrival],
    /// Indices in `arrivals` of the packets in transit.
    pub transit: &'a [u32],
}

impl TransitMerge<'_> {
    /// Time of the first packet, and number of packets.
    pub fn bounds(&self) -> (Time, usize) {
        let own = self.own.first().map_or(Time::NEVER, |arrival| arrival.at);
        let transit = self.transit.first().map_or(Time::NEVER, |i| self.arrivals[*i as usize].at);
        (own.min(transit), self.own.len() + self.transit.len())
    }
}

impl<'a> Iterator for TransitMerge<'a> {
    type Item = (&'a Arrival, HopId);

    #[inline(always)]
    fn next(&mut self) -> Option<(&'a Arrival, HopId)> {
        let own = self.own.first();
        let transit = self.transit.first().map(|i| &self.arrivals[*i as usize]);
        let (own, transit) = match (own, transit) {
            (Some(own), Some(transit)) => (own, transit),
            (Some(own), None) => {
                self.own = &self.own[1..];
                return Some((own, own.packet.hop));
            }
            (None, Some(transit)) => {
                self.transit = &self.transit[1..];
                return Some((transit, transit.packet.hop.next()));
            }
            (None, None) => return None,
        };
        // Which one is first is unpredictable: a branch would be mispredicted.
        let is_own = own.at <= transit.at;
        let first = std::hint::select_unpredictable(is_own, own, transit);
        self.own = &self.own[usize::from(is_own)..];
        self.transit = &self.transit[usize::from(!is_own)..];
        Some((first, HopId(first.packet.hop.0 + u32::from(!is_own))))
    }
}
