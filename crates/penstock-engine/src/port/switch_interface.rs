//! The interface between a switch and its ports: memory releases, drops for lack of shared buffer, and pauses.

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
    /// Enables reports of packets that leave the port, and when: see [`Port::take_releases`]. The port then handles packets one by one, on
    /// the general path.
    pub fn report_releases(&mut self) {
        debug_assert!(!self.precomputes_departures(), "a port of a switch decides as its wire becomes free");
        self.uses_service_loop = false;
        self.counters.releases = Some(Vec::new());
    }

    /// Processes a packet that arrives with this next hop, at a port that computes departures on arrival. Returns the end of its
    /// transmission, or `None` if it is dropped.
    pub fn accept(&mut self, arrival: &Arrival, hop: HopId, context: &mut Context<'_, '_>) -> Option<Time> {
        debug_assert!(self.precomputes_departures(), "the end of the transmission is known");
        let Arrival { at: now, packet } = arrival;
        match self.is_bare {
            true => self.on_bare_arrival(*now, packet, hop, context)?,
            false => self.on_general_arrival(*now, Packet { hop, ..*packet }, context)?,
        }
        Some(self.free_at())
    }

    /// Moves the packets that have left or been dropped since the last call to `list`.
    pub fn take_releases(&mut self, list: &mut Vec<Release>) {
        self.counters.releases.iter_mut().for_each(|releases| list.append(releases));
    }

    /// Swaps the transmit batch with `batch`.
    pub fn swap_transmit_batch(&mut self, batch: &mut TransmitBatch) {
        std::mem::swap(&mut self.transmit_batch, batch);
    }

    /// Drops an arriving packet for lack of room before the port: in a shared buffer, headroom or rate limiter, as `cause` says.
    pub fn drop_arrival(&mut self, now: Time, packet: &Packet, cause: DropCause, context: &mut Context<'_, '_>) {
        let mut records = Records { counters: &mut self.counters, journal: context.record };
        records.apply::<true>(Verdict::Drop(cause), DecisionPoint::OnArrival, now, packet);
        self.check_conservation();
    }

    /// Number of packets that wait for a decision.
    pub fn backlog(&self) -> u64 {
        self.service().map_or(0, |service| u64::from(service.waiting()))
    }

    /// Bytes of the packets that wait for a decision.
    pub fn backlog_bytes(&self) -> u64 {
        self.service().map_or(0, EventDriven::waiting_bytes)
    }

    /// Enables the port to be paused and to send pause frames. It then takes its decisions one by one.
    pub fn make_pausable(&mut self) {
        debug_assert!(!self.precomputes_departures(), "a pausable port precomputes no departures");
        self.uses_service_loop = false;
        if let Queueing::EventDriven(service) = &mut self.queueing {
            service.make_pausable();
        }
    }

    /// Handles a pause frame, which stops `class`, or the whole port if `None`, for `time`; a `time` of zero resumes it.
    pub fn on_pause(&mut self, now: Time, class: Option<u8>, time: Duration, context: &mut Context<'_, '_>) {
        self.decide(now.before(), context);
        if let Queueing::EventDriven(service) = &mut self.queueing {
            service.on_pause(now, class, time, &self.counters.measured);
        }
    }

    /// Sends a pause frame of `size` bytes ahead of all waiting packets, even if the port is paused [IEEE8023 s31B.1]. Returns the start
    /// and end of its transmission, or `None` if it never ends.
    pub fn send_pause_frame(&mut self, now: Time, size: u32) -> Option<(Time, Time)> {
        let Queueing::EventDriven(service) = &mut self.queueing else { unreachable!("ports of a switch are event-driven") };
        let (start, end) = service.send_pause_frame(now, size, &mut self.wire)?;
        let PortCounters { link, measured, .. } = &mut self.counters;
        link.busy = link.busy + Duration::from_ps(measured.overlap(start, end));
        Some((start, end))
    }

    /// Counts a pause frame whose transmission begins now; `stops` tells a stop from a resume.
    pub fn count_pause_frame(&mut self, now: Time, stops: bool) {
        if self.counters.measured.contains(now) {
            let pauses = self.counters.link.pauses.get_or_insert_default();
            pauses.frames += u64::from(stops);
            pauses.resumes += u64::from(!stops);
        }
    }

    /// Returns the pauses that would hold this packet now.
    pub fn pauses_of(&self, now: Time, packet: &Packet) -> Vec<PausedIngress> {
        let pauses = self.service().into_iter().flat_map(|service| service.pauses_of(now, packet.class));
        pauses.map(|class| PausedIngress { link: self.link, class }).collect()
    }

    /// Iterates over the packets that wait for a decision.
    pub fn waiting_packets(&self) -> impl Iterator<Item = &Packet> + '_ {
        self.service().into_iter().flat_map(EventDriven::waiting_packets).map(|arrival| &arrival.packet)
    }
}
