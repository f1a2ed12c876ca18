//! The interface between a host and its port: the transmit batch of the host's own packets, connections that wait for room, and
//! arrivals in transit.

use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::port::transit_merge::TransitMerge;
use crate::port::waiting::{WaitingEntry, WaitingLists};
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::parameters::Limit;
use penstock_model::units::Time;

/// Maximum number of packets in a transmit batch. A batch of this size fits the first-level cache, with the data that the port needs.
pub const MAX_TRANSMIT_BATCH: usize = 64;

impl Port {
    /// Adds a packet that leaves the host at `now` with next hop `hop` to the transmit batch; returns whether the batch is full.
    #[inline(always)]
    pub fn add_to_batch(&mut self, now: Time, packet: &Packet, hop: HopId) -> bool {
        if let [slot] = self.transmit_batch.add(1) {
            slot.at = now;
            slot.packet = *packet;
            slot.packet.hop = hop;
        }
        self.transmit_batch.len() >= MAX_TRANSMIT_BATCH
    }

    /// Processes the transmit batch and the `arrivals` that are [in transit](Port::mark_transit), in time order.
    pub fn drain_with_transit(&mut self, arrivals: &[Arrival], context: &mut Context<'_, '_>) {
        if self.transit.is_empty() {
            return self.drain_transmit_batch(context);
        }
        let (mut batch, mut transit) = (std::mem::take(&mut self.transmit_batch), std::mem::take(&mut self.transit));
        let both = TransitMerge { own: batch.packets(), arrivals, transit: &transit };
        let bounds = both.bounds();
        self.on_arrivals(both, bounds, context);
        batch.clear();
        transit.clear();
        (self.transmit_batch, self.transit) = (batch, transit);
    }

    /// Marks the arrivals at the host with these indices as forwarded by this port.
    #[inline(always)]
    pub fn mark_transit(&mut self, arrivals: &[u32]) {
        self.transit.extend_from_slice(arrivals);
    }

    /// Enables connections to wait for room. `limits` has the limits of each queue: its own and the shared one.
    pub fn let_connections_wait(&mut self, limits: &[Vec<Limit>]) {
        debug_assert!(!self.precomputes_departures(), "room appears at decisions");
        self.waiting_lists = Some(Box::new(WaitingLists::new(limits)));
    }

    /// Registers a connection, or a reply, that waits for room in the queue of `class`.
    pub fn wait(&mut self, class: u8, entry: WaitingEntry) {
        let Queueing::EventDriven(service) = &self.queueing else { unreachable!("room appears at decisions") };
        let lists = self.waiting_lists.as_mut().expect("connections may wait here");
        lists.wait(service.waiting_list_of(class), entry);
    }

    /// Whether connections wait for room.
    #[inline]
    pub fn has_waiting_connections(&self) -> bool {
        self.waiting_lists.as_ref().is_some_and(|lists| !lists.is_empty())
    }

    /// Removes and returns the next waiting connection for which there is room at `now`: see [`WaitingLists::take`].
    pub fn take_waiting(
        &mut self,
        now: Time,
        has_memory: impl Fn(u32) -> bool,
        is_open: impl FnMut(&WaitingEntry) -> bool,
    ) -> Option<WaitingEntry> {
        let Port { queueing: Queueing::EventDriven(service), waiting_lists: Some(lists), .. } = self else { return None };
        lists.take(|list| service.occupancy(list, now), has_memory, is_open)
    }

    /// Processes cells that the node of this port sends.
    pub fn on_cells(&mut self, cells: &[Arrival], context: &mut Context<'_, '_>) {
        if let Some(first) = cells.first() {
            self.on_arrivals(cells.iter().map(|cell| (cell, cell.packet.hop)), (first.at, cells.len()), context);
        }
    }

    /// Processes the transmit batch.
    ///
    /// A port changes nothing at its host, so its processing can wait: two short loops over many packets, one of the host and one of the
    /// port, cost much less than one long loop.
    #[inline]
    pub fn drain_transmit_batch(&mut self, context: &mut Context<'_, '_>) {
        if let Some(first) = self.transmit_batch.packets().first() {
            let bounds = (first.at, self.transmit_batch.len());
            let mut batch = std::mem::take(&mut self.transmit_batch);
            self.on_arrivals(batch.packets().iter().map(|arrival| (arrival, arrival.packet.hop)), bounds, context);
            batch.clear();
            self.transmit_batch = batch;
        }
    }
}
