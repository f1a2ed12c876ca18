//! The interface between a switch and its ports: releases of memory, drops for want of shared buffer, pauses.

use crate::api::observations::PausedIngress;
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::port::counters::{PortCounters, Release};
use crate::port::queueing::event_driven::EventDriven;
use crate::port::transmit_batch::TransmitBatch;
use crate::port::verdict::{DecisionPoint, Records};
use crate::port::{Port, Queueing};
use penstock_model::discipline::{DropCause, Verdict};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::units::{Duration, Time};

impl Port {
    /// Reports what leaves from now on, and when: see [`Port::take_releases`]. Its packets come one by one, over the general
    /// path.
    pub fn report_releases(&mut self) {
        debug_assert!(!self.precomputes_departures(), "a port of a switch decides as its wire becomes free");
        self.uses_service_loop = false;
        self.counters.releases = Some(Vec::new());
    }

    /// Processes a packet that arrives with this next hop, at a port that knows departures on arrival; returns when its transmission
    /// ends, if it is accepted.
    pub fn accept(&mut self, arrival: &Arrival, hop: HopId, context: &mut Context<'_, '_>) -> Option<Time> {
        debug_assert!(self.precomputes_departures(), "the end of the transmission is known");
        let Arrival { at: now, packet } = arrival;
        match self.is_bare {
            true => self.on_bare_arrival(*now, packet, hop, context)?,
            false => self.on_general_arrival(*now, Packet { hop, ..*packet }, context)?,
        }
        Some(self.free_at())
    }

    /// Adds to `list` what has left or been dropped since the last call.
    pub fn take_releases(&mut self, list: &mut Vec<Release>) {
        self.counters.releases.iter_mut().for_each(|releases| list.append(releases));
    }

    /// Exchanges the transmit batch for another one.
    pub fn swap_transmit_batch(&mut self, batch: &mut TransmitBatch) {
        std::mem::swap(&mut self.transmit_batch, batch);
    }

    /// Drops an arriving packet for want of room before the port.
    pub fn drop_arrival(&mut self, now: Time, packet: &Packet, cause: DropCause, context: &mut Context<'_, '_>) {
        let mut records = Records { counters: &mut self.counters, journal: context.record };
        records.apply::<true>(Verdict::Drop(cause), DecisionPoint::OnArrival, now, packet);
        self.check_conservation();
    }

    /// Packets that wait for a decision.
    pub fn backlog(&self) -> u64 {
        self.service().map_or(0, |service| u64::from(service.waiting()))
    }

    /// Their bytes.
    pub fn backlog_bytes(&self) -> u64 {
        self.service().map_or(0, EventDriven::waiting_bytes)
    }

    /// Lets it be paused, or send pause frames: it takes its decisions one by one.
    pub fn make_pausable(&mut self) {
        debug_assert!(!self.precomputes_departures(), "a pausable port precomputes no departures");
        self.uses_service_loop = false;
        if let Queueing::EventDriven(service) = &mut self.queueing {
            service.make_pausable();
        }
    }

    /// Receives a pause frame, which stops a class, or everything, for this time or resumes it.
    pub fn on_pause(&mut self, now: Time, class: Option<u8>, time: Duration, context: &mut Context<'_, '_>) {
        self.decide(now.before(), context);
        if let Queueing::EventDriven(service) = &mut self.queueing {
            service.on_pause(now, class, time, &self.counters.measured);
        }
    }

    /// Sends a pause frame of `size` bytes ahead of everything that waits, whether the port is paused or not [IEEE8023 s31B.1];
    /// returns when it begins and when it ends, if ever.
    pub fn send_pause_frame(&mut self, now: Time, size: u32) -> Option<(Time, Time)> {
        let Queueing::EventDriven(service) = &mut self.queueing else { unreachable!("ports of a switch are event-driven") };
        let (start, end) = service.send_pause_frame(now, size, &mut self.wire)?;
        let PortCounters { link, measured, .. } = &mut self.counters;
        link.busy = link.busy + Duration::from_ps(measured.overlap(start, end));
        Some((start, end))
    }

    /// Counts a pause frame that begins now, and stops or resumes.
    pub fn count_pause_frame(&mut self, now: Time, stops: bool) {
        if self.counters.measured.contains(now) {
            let pauses = self.counters.link.pauses.get_or_insert_default();
            pauses.frames += u64::from(stops);
            pauses.resumes += u64::from(!stops);
        }
    }

    /// The pauses behind which this packet would wait now.
    pub fn pauses_of(&self, now: Time, packet: &Packet) -> Vec<PausedIngress> {
        let pauses = self.service().into_iter().flat_map(|service| service.pauses_of(now, packet.class));
        pauses.map(|class| PausedIngress { link: self.link, class }).collect()
    }

    /// What waits for a decision.
    pub fn waiting_packets(&self) -> impl Iterator<Item = &Packet> + '_ {
        self.service().into_iter().flat_map(EventDriven::waiting_packets).map(|arrival| &arrival.packet)
    }
}
