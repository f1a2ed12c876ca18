//! Numbers, counts and sends the packets of an aggregate of calls.

use crate::api::observations::{SentCounts, TraceEvent};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::event::TrainPacket;
use crate::kernel::journal::Measurement;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;

/// The packets of an aggregate as they leave it.
#[derive(Clone)]
pub struct Departures {
    /// What they have in common.
    pub template: PacketTemplate,
    place: u32,
    /// The number of packets sent so far, modulo 2^32: that of the next one.
    pub(super) sequence: u32,
    /// When counting is on.
    pub measured: Measurement,
    /// What has left in the measurement period.
    pub counts: SentCounts,
}

impl Departures {
    /// Departures at the node whose place in traces is `place`.
    pub fn new(template: PacketTemplate, place: u32, measured: Measurement) -> Departures {
        Departures { template, place, sequence: 0, measured, counts: SentCounts::default() }
    }

    /// Sends the next packets of the aggregate, in order of time. A tail-drop FIFO port writes them straight into the next queue;
    /// until then each is only a time, a size and a call.
    #[inline]
    pub fn send_train(&mut self, train: &[TrainPacket], host_context: &mut HostContext<'_, '_>) {
        let Some(&TrainPacket { at, size, call }) = train.first() else { return };
        let port = &mut host_context.ports[self.template.departure.port as usize];
        if host_context.keeps_batches || !port.accepts_packet_trains() {
            for TrainPacket { at, size, call } in train {
                let packet = self.template.packet(*at, *size, Body::Media { seq: self.sequence, call: *call });
                self.sequence = self.sequence.wrapping_add(1);
                self.send(*at, &packet, host_context);
            }
            return;
        }
        let first_counted = if self.measured.is_open(at) { 0 } else { train.partition_point(|packet| !self.measured.is_open(packet.at)) };
        let counted = &train[first_counted..];
        self.counts.packets += counted.len() as u64;
        self.counts.bytes += counted.iter().map(|packet| u64::from(packet.size)).sum::<u64>();
        let first = self.template.packet(at, size, Body::Media { seq: self.sequence, call });
        self.sequence = self.sequence.wrapping_add(train.len() as u32);
        port.on_packet_train(train, first, &mut host_context.context);
    }

    /// Sends a packet.
    #[inline(always)]
    pub fn send(&mut self, now: Time, packet: &Packet, host_context: &mut HostContext<'_, '_>) {
        if self.measured.is_open(now) {
            self.counts.count_many(1, packet.size, 0);
        }
        host_context.context.record.trace(now, self.place, packet, TraceEvent::Send);
        host_context.send(now, self.template.departure.port, packet);
    }
}
