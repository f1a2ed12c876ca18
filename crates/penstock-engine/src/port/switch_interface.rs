//! The interface between a switch and its ports: releases of memory, drops for want of shared buffer, pauses.

use crate::kernel::context::Context;
use crate::port::counters::Release;
use crate::port::transmit_batch::TransmitBatch;
use crate::port::verdict::{self, Decision, DecisionPoint};
use crate::port::{Port, Queueing};
use penstock_model::discipline::DropCause;
use penstock_model::packet::Packet;
use penstock_model::units::Time;

impl Port {
    /// Reports what leaves from now on, and when: see [`Port::take_releases`]. Its packets come one by one, over the general
    /// path.
    pub fn report_releases(&mut self) {
        debug_assert!(!self.precomputes_departures(), "a port of a switch decides as its wire becomes free");
        (self.has_stages, self.uses_service_loop) = (true, false);
        self.counters.report_releases();
    }

    /// Adds to `list` what has left or been dropped since the last call.
    pub fn take_releases(&mut self, list: &mut Vec<Release>) {
        self.counters.take_releases(list);
    }

    /// Exchanges the transmit batch for another one.
    pub fn swap_transmit_batch(&mut self, batch: &mut TransmitBatch) {
        std::mem::swap(&mut self.transmit_batch, batch);
    }

    /// Drops an arriving packet for want of room in the buffer that the port shares with others.
    pub fn drop_for_buffer(&mut self, now: Time, packet: &Packet, context: &mut Context<'_, '_>) {
        let decision = Decision::Drop(DropCause::Buffer);
        verdict::apply::<true>(decision, DecisionPoint::OnArrival, now, packet, &mut self.counters, context.record);
        self.check_conservation();
    }

    /// Drops a packet of the station for want of room in a rate limiter before the port.
    pub fn drop_for_limiter(&mut self, now: Time, packet: &Packet, context: &mut Context<'_, '_>) {
        let decision = Decision::Drop(DropCause::Limiter);
        verdict::apply::<true>(decision, DecisionPoint::OnArrival, now, packet, &mut self.counters, context.record);
        self.check_conservation();
    }

    /// Packets that wait for a decision.
    pub fn backlog(&self) -> u64 {
        match &self.queueing {
            Queueing::EventDriven(service) => u64::from(service.waiting()),
            Queueing::TailDropFifo(_) | Queueing::Precomputed(_) => 0,
        }
    }

    /// Their bytes.
    pub fn backlog_bytes(&self) -> u64 {
        match &self.queueing {
            Queueing::EventDriven(service) => service.waiting_bytes(),
            Queueing::TailDropFifo(_) | Queueing::Precomputed(_) => 0,
        }
    }

    /// Makes it pausable: it takes its decisions one by one.
    pub fn make_pausable(&mut self) {
        debug_assert!(!self.precomputes_departures(), "a pausable port precomputes no departures");
        self.uses_service_loop = false;
    }

    /// Receives PAUSE, or the end of it.
    pub fn on_pause(&mut self, now: Time, stops: bool, context: &mut Context<'_, '_>) {
        self.decide(now.before(), context);
        if let Queueing::EventDriven(service) = &mut self.queueing {
            service.on_pause(now, stops);
        }
    }
}
