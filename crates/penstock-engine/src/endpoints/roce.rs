//! The endpoints of RoCE connections at a host.

use crate::endpoints::application::Application;
use crate::endpoints::connections::{Connections, ReceiverEndpoint, Schedule, SenderEndpoint};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use crate::kernel::message::TelemetrySignal;
use crate::port::waiting::Waiting;
use penstock_model::packet::{Body, Packet};
use penstock_model::transport::roce::{DataPacket, Receiver, Sender};
use penstock_model::transport::tcp::Transmission;
use penstock_model::units::Time;
use std::any::Any;

/// The ends of RoCE connections at a host.
pub type RoceEndpoints = Connections<RoceSender, Receiver>;

/// A sender, and when its application acts on it.
#[derive(Clone)]
pub struct RoceSender {
    sender: Sender,
    times: Schedule,
}

impl RoceSender {
    /// The state machine.
    pub fn state(&self) -> &Sender {
        &self.sender
    }
}

impl SenderEndpoint<RoceSender> {
    /// When something is due: one timer serves for all.
    fn deadline(&self) -> Time {
        let RoceSender { sender, times: Schedule { start, stop, page } } = &self.sender;
        let of_sender = if self.is_waiting { sender.timeout() } else { sender.deadline() };
        of_sender.min(*start).min(*stop).min(*page)
    }
}

impl RoceEndpoints {
    /// Gives the sender in this slot the changeable ones of these parameters from `now` on.
    pub fn change(&mut self, now: Time, slot: u32, parameters: &dyn Any) {
        self.senders[slot as usize].sender.sender.change(now, parameters);
    }

    /// Adds a sender that begins at `start` and has nothing new to send after `stop`, and the application that waits for its
    /// acknowledgements, if there is one; returns its slot.
    pub fn add_sender(
        &mut self,
        template: PacketTemplate,
        sender: Sender,
        application: Option<Box<Application>>,
        (start, stop): (Time, Time),
        timers: &mut Timers,
    ) -> u32 {
        let times = Schedule::new(start, stop, self.measured);
        let slot = self.push_sender(template, RoceSender { sender, times }, application);
        self.arm(slot, timers);
        slot
    }

    fn arm(&mut self, slot: u32, timers: &mut Timers) {
        let end = &mut self.senders[slot as usize];
        timers.arm(end.deadline(), &mut end.armed, end.template.flow.0, TimerKind::Roce, slot);
    }

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
            Body::RoceAck { next, is_nak, echo } => self.senders[slot as usize].sender.sender.on_ack(now, next, is_nak, echo),
            _ => self.senders[slot as usize].sender.sender.on_notification(now),
        }
        self.pump_sender(now, slot, host_context);
        self.notify_if_finished(now, slot);
        self.arm(slot, timers);
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
        self.senders[slot as usize].sender.sender.on_telemetry(signal.sent, signal.record);
    }

    /// Handles the timer of a sender.
    #[inline(never)]
    pub fn on_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let measured = self.measured;
        let Some(end) = self.take_sender_timer(timer) else { return };
        let RoceSender { sender, times } = &mut end.sender;
        let mut kinds = Vec::new();
        if times.start <= now {
            times.start = Time::NEVER;
            sender.start();
            kinds.push(TimerKind::Start);
        }
        if sender.is_timeout_due(now) {
            end.sent.timeouts += u64::from(measured.is_open(now));
            sender.on_deadline(now);
            kinds.push(TimerKind::Sender);
        }
        if times.stop <= now {
            times.stop = Time::NEVER;
            sender.withdraw();
            end.application.iter_mut().for_each(|application| application.stop());
            kinds.push(TimerKind::Stop);
        }
        if times.page <= now {
            times.page = Time::NEVER;
            let packets = end.application.as_mut().map_or(0, |application| application.next_segments(now));
            sender.offer(Some(packets));
            kinds.push(TimerKind::Page);
        }
        kinds.into_iter().for_each(|kind| self.trace_timer(now, timer, kind, host_context));
        self.pump_sender(now, timer.slot, host_context);
        self.arm(timer.slot, timers);
    }

    /// Notifies the application when all its data has been acknowledged; a web user requests the next page later.
    fn notify_if_finished(&mut self, now: Time, slot: u32) {
        let end = &mut self.senders[slot as usize];
        if let Some(application) = end.application.as_mut().filter(|_| end.sender.sender.is_finished()) {
            if let Some(next) = application.on_finished(now, self.measured) {
                end.sender.times.page = next;
            }
        }
    }

    /// The port has room for one packet of a sender that waits.
    pub fn on_room(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        self.senders[slot as usize].is_waiting = false;
        self.send_one(now, slot, host_context);
        self.pump_sender(now, slot, host_context);
        self.arm(slot, timers);
    }

    /// Sends whatever the sender wants to send now, or registers it with its port.
    fn pump_sender(&mut self, now: Time, slot: u32, host_context: &mut HostContext<'_, '_>) {
        let SenderEndpoint { sender: RoceSender { sender, .. }, template, is_waiting, .. } = &mut self.senders[slot as usize];
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
        let Some(Transmission { body, size, ecn }) = end.sender.sender.next_transmission(now) else { return false };
        let packet = Packet { ecn, ..end.template.packet(now, size, body) };
        if self.measured.is_open(now) {
            end.sent.count(&packet);
        }
        self.send(now, slot, &packet, host_context);
        true
    }
}
