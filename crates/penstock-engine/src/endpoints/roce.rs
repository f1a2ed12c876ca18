//! The endpoints of RoCE connections at a host.

use crate::endpoints::connections::{Connections, ReceiverEndpoint, SenderTimers};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::timers::{TimerKind, Timers};
use crate::kernel::message::TelemetrySignal;
use penstock_model::packet::{Body, Packet};
use penstock_model::transport::roce::{DataPacket, Receiver, Sender};
use penstock_model::transport::tcp::Transmission;
use penstock_model::units::Time;

/// The ends of RoCE connections at a host.
pub type RoceEndpoints = Connections<Sender, Receiver>;

impl SenderTimers for Sender {
    const TIMERS: [TimerKind; 4] = [TimerKind::Roce; 4];
}

impl RoceEndpoints {
    /// Receives a packet at the end of its route.
    #[inline(never)]
    pub fn receive_packet(&mut self, now: Time, packet: &Packet, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let flow = host_context.context.routes.flow(packet.flow);
        let slot = flow.source;
        match packet.body {
            Body::RoceData { psn, asks_for_ack, .. } => {
                let data = DataPacket { psn, asks_for_ack, ecn: packet.ecn, sent: packet.created };
                return self.receive_data(now, packet, data, flow.sink, host_context);
            }
            Body::RoceAck { next, is_nak, echo } => self.senders[slot as usize].sender.on_ack(now, next, is_nak, echo),
            _ => self.senders[slot as usize].sender.on_notification(now),
        }
        self.respond(now, slot, timers, host_context);
    }

    fn receive_data(&mut self, now: Time, packet: &Packet, data: DataPacket, slot: u32, host_context: &mut HostContext<'_, '_>) {
        let ReceiverEndpoint { receiver, template, received, goodput, .. } = &mut self.receivers[slot as usize];
        let before = receiver.delivered();
        let answers = receiver.on_packet(now, data);
        if self.measured.is_open(now) {
            received.count(now, packet);
            *goodput += u64::from(receiver.delivered() - before) * u64::from(packet.size - received.header);
        }
        for Transmission { body, size, ecn } in answers.into_iter().flatten() {
            host_context.answer(now, self.place, template, &Packet { ecn, ..template.packet(now, size, body) });
        }
    }

    /// Receives telemetry of a packet that the sender in a slot has sent.
    pub fn on_telemetry(&mut self, slot: u32, signal: &TelemetrySignal) {
        self.senders[slot as usize].sender.on_telemetry(signal.sent, signal.record);
    }
}
