//! The context in which endpoints of a host send packets.

use crate::api::observations::TraceEvent;
use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::context::Context;
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::merge::timing_wheel::WheelEntry;
use crate::port::waiting::{Waiting, WaitingEntry};
use crate::port::Port;
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::units::Time;

/// The ports of the node, and the context of its process.
pub struct HostContext<'a, 'b> {
    /// The node's ports.
    pub ports: &'a mut [Port],
    /// Packets stay in their transmit batches, until a switch admits them or those in transit are merged with them.
    pub keeps_batches: bool,
    /// The context of a port.
    pub context: Context<'a, 'b>,
}

impl HostContext<'_, '_> {
    /// Returns the number of events after which the visit ends, at the end of the instant.
    #[inline(always)]
    pub fn max_events(&self) -> u64 {
        self.context.routes.max_visit_events
    }

    /// Forwards a packet by a port of the node; `hop` is its next one.
    #[inline(always)]
    pub fn forward(&mut self, now: Time, port: u32, packet: &Packet, hop: HopId) {
        if self.ports[port as usize].add_to_batch(now, packet, hop) {
            self.drain_transmit_batch();
        }
    }

    /// Sends a new packet by a port of the node.
    #[inline(always)]
    pub fn send(&mut self, now: Time, port: u32, packet: &Packet) {
        self.forward(now, port, packet, packet.hop);
    }

    /// Sends an answer of a receiver, or lets it wait for the port as `template` says.
    #[inline]
    pub fn answer(&mut self, now: Time, place: u32, template: &PacketTemplate, packet: &Packet) {
        if template.waits {
            return self.wait(template, packet.size, Waiting::Answer(*packet));
        }
        self.context.record.trace(now, place, packet, TraceEvent::Send);
        self.send(now, template.departure.port, packet);
    }

    /// Registers an endpoint as waiting for its port to have room for a packet of up to `size` bytes.
    pub fn wait(&mut self, template: &PacketTemplate, size: u32, what: Waiting) {
        self.ports[template.departure.port as usize].wait(template.class, WaitingEntry { flow: template.flow, size, what });
    }

    /// Sends packets of periodic sources up to the first that leaves by another port; the port processes them `at_once` or keeps
    /// them in its transmit batch. Returns how many.
    pub fn send_periodic(&mut self, entries: &[WheelEntry<PeriodicPacket>], place: u32, at_once: bool) -> usize {
        let Some(first) = entries.first() else { return 0 };
        let count = match self.ports.len() {
            1 => entries.len(),
            _ => entries.iter().take_while(|entry| entry.next.port == first.next.port).count(),
        };
        let entries = &entries[..count];
        if !self.context.record.is_untraced() {
            entries.iter().for_each(|entry| self.context.record.trace(entry.at, place, &entry.arrival().packet, TraceEvent::Send));
        }
        let port = &mut self.ports[usize::from(first.next.port)];
        if at_once && !self.keeps_batches {
            port.send_periodic(entries, &mut self.context);
        } else {
            port.add_periodic_to_batch(entries);
        }
        count
    }

    /// Lets all ports process their transmit batches.
    #[inline(never)]
    pub fn drain_transmit_batch(&mut self) {
        if !self.keeps_batches {
            self.ports.iter_mut().for_each(|port| port.drain_transmit_batch(&mut self.context));
        }
    }
}
