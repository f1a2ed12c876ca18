//! The endpoints of RoCE connections at a host.

use crate::endpoints::connections::{Connections, ReceiverEndpoint, Scheduled, ScheduledSender, SenderEndpoint};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use crate::kernel::message::TelemetrySignal;
use crate::port::waiting::Waiting;
use penstock_model::packet::{Body, Packet};
use penstock_model::transport::roce::{DataPacket, Receiver, Sender};
use penstock_model::transport::tcp::Transmission;
use penstock_model::units::Time;
use std::any::Any;

/// The ends of RoCE connections at a host.
pub type RoceEndpoints = Connections<Scheduled<Sender>, Receiver>;

impl ScheduledSender for Sender {
    const TIMER: TimerKind = TimerKind::Roce;

    fn deadline(&self, is_waiting: bool) -> Time {
        if is_waiting {
            self.timeout()
        } else {
            self.deadline()
        }
    }

    fn on_deadline(&mut self, now: Time) -> Option<TimerKind> {
        self.is_timeout_due(now).then(|| {
            self.on_deadline(now);
            TimerKind::Sender
        })
    }

    fn begin(&mut self, _now: Time) {
        self.start();
    }

    fn stop(&mut self, _now: Time) {
        self.withdraw();
    }

    fn offer(&mut self, _now: Time, packets: u32) {
        self.offer(Some(packets));
    }

    fn is_finished(&self) -> bool {
        self.is_finished()
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        self.change(now, parameters);
    }
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
            Body::RoceAck { next, is_nak, echo } => self.senders[slot as usize].sender.state.on_ack(now, next, is_nak, echo),
            _ => self.senders[slot as usize].sender.state.on_notification(now),
        }
        self.pump_sender(now, slot, host_context);
        self.notify_if_finished(now, slot);
        self.arm_sender(slot, timers);
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
        self.senders[slot as usize].sender.state.on_telemetry(signal.sent, signal.record);
    }

    /// Handles the timer of a sender.
    #[inline(never)]
    pub fn on_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        if self.on_sender_timer(now, timer, host_context) {
            self.pump_sender(now, timer.slot, host_context);
            self.arm_sender(timer.slot, timers);
        }
    }

    /// The port has room for one packet of a sender that waits.
    pub fn on_room(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        self.senders[slot as usize].is_waiting = false;
        self.send_one(now, slot, host_context);
        self.pump_sender(now, slot, host_context);
        self.arm_sender(slot, timers);
    }

    /// Sends whatever the sender wants to send now, or registers it with its port.
    fn pump_sender(&mut self, now: Time, slot: u32, host_context: &mut HostContext<'_, '_>) {
        let SenderEndpoint { sender: Scheduled { state: sender, .. }, template, is_waiting, .. } = &mut self.senders[slot as usize];
        if !template.waits {
            while self.send_one(now, slot, host_context) {}
        } else if !*is_waiting && sender.is_ready(now) {
            *is_waiting = true;
            host_context.wait(template, sender.packet_size(), Waiting::Roce(slot));
        }
    }

    /// Sends a packet, if the sender wants to send one now.
    fn send_one(&mut self, now: Time, slot: u32, host_context: &mut HostContext<'_, '_>) -> bool {
        let end = &mut self.senders[slot as usize];
        let Some(Transmission { body, size, ecn }) = end.sender.state.next_transmission(now) else { return false };
        let packet = Packet { ecn, ..end.template.packet(now, size, body) };
        if self.measured.is_open(now) {
            end.sent.count(&packet);
        }
        self.send(now, slot, &packet, host_context);
        true
    }
}
