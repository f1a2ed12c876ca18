//! The endpoints of RoCE connections at a host.

use crate::api::observations::{Observations, TraceEvent};
use crate::endpoints::application::Application;
use crate::endpoints::counts::{EndpointCounters, Received, Sent};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use crate::kernel::journal::Measurement;
use crate::kernel::message::TelemetrySignal;
use crate::port::waiting::Waiting;
use penstock_model::packet::{Body, Packet};
use penstock_model::transport::roce::{DataPacket, Receiver, Sender};
use penstock_model::transport::tcp::Transmission;
use penstock_model::units::Time;

/// RoCE senders and receivers, each in its slot.
#[derive(Clone)]
pub struct RoceEndpoints {
    /// The place of the node in traces.
    place: u32,
    measured: Measurement,
    senders: Vec<SenderEndpoint>,
    receivers: Vec<ReceiverEndpoint>,
}

#[derive(Clone)]
struct SenderEndpoint {
    sender: Sender,
    armed: Time,
    template: PacketTemplate,
    sent: Sent,
    application: Option<Box<Application>>,
    /// It is registered with its port, which has had no room yet.
    is_waiting: bool,
    /// When sending begins, when the application falls silent, and when it offers its next page; never, once that is over.
    start: Time,
    stop: Time,
    page: Time,
}

impl SenderEndpoint {
    /// When something is due: one timer serves for all.
    fn deadline(&self) -> Time {
        let of_sender = if self.is_waiting { self.sender.timeout() } else { self.sender.deadline() };
        self.start.min(self.stop).min(self.page).min(of_sender)
    }
}

#[derive(Clone)]
struct ReceiverEndpoint {
    receiver: Receiver,
    template: PacketTemplate,
    received: Received,
    goodput: u64,
}

impl RoceEndpoints {
    /// Both ends of a connection.
    pub const BYTES_OF_A_FLOW: usize = size_of::<SenderEndpoint>() + size_of::<ReceiverEndpoint>();

    /// None yet.
    pub fn new(place: u32, measured: Measurement) -> RoceEndpoints {
        RoceEndpoints { place, measured, senders: Vec::new(), receivers: Vec::new() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.senders.is_empty() && self.receivers.is_empty()
    }

    /// Reserves memory for exactly so many.
    pub fn reserve(&mut self, senders: usize, receivers: usize) {
        self.senders.reserve_exact(senders);
        self.receivers.reserve_exact(receivers);
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
        let slot = self.senders.len() as u32;
        let stop = if stop < self.measured.to { stop } else { Time::NEVER };
        let (armed, sent, page) = (Time::NEVER, Sent::default(), Time::NEVER);
        self.senders.push(SenderEndpoint { sender, armed, template, sent, application, is_waiting: false, start, stop, page });
        self.arm(slot, timers);
        slot
    }

    /// Adds a receiver; returns its slot.
    pub fn add_receiver(&mut self, template: PacketTemplate, receiver: Receiver, received: Received) -> u32 {
        self.receivers.push(ReceiverEndpoint { receiver, template, received, goodput: 0 });
        self.receivers.len() as u32 - 1
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
            Body::RoceAck { next, is_nak, echo } => self.senders[slot as usize].sender.on_ack(now, next, is_nak, echo),
            _ => self.senders[slot as usize].sender.on_notification(now),
        }
        self.pump_sender(now, slot, host_context);
        self.notify_if_finished(now, slot);
        self.arm(slot, timers);
    }

    fn receive_data(&mut self, now: Time, packet: &Packet, data: DataPacket, slot: u32, host_context: &mut HostContext<'_, '_>) {
        let ReceiverEndpoint { receiver, template, received, goodput } = &mut self.receivers[slot as usize];
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
        self.senders[slot as usize].sender.on_telemetry(signal.sent, signal.hop, signal.record);
    }

    /// Handles the timer of a sender.
    #[inline(never)]
    pub fn on_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let end = &mut self.senders[timer.slot as usize];
        if end.armed != timer.at {
            return;
        }
        end.armed = Time::NEVER;
        let mut kinds = Vec::new();
        if end.start <= now {
            end.start = Time::NEVER;
            end.sender.start();
            kinds.push(TimerKind::Start);
        }
        if end.sender.is_timeout_due(now) {
            end.sent.timeouts += u64::from(self.measured.is_open(now));
            end.sender.on_deadline(now);
            kinds.push(TimerKind::Sender);
        }
        if end.stop <= now {
            end.stop = Time::NEVER;
            end.sender.withdraw();
            end.application.iter_mut().for_each(|application| application.stop());
            kinds.push(TimerKind::Stop);
        }
        if end.page <= now {
            end.page = Time::NEVER;
            let packets = end.application.as_mut().map_or(0, |application| application.next_segments(now));
            end.sender.offer(Some(packets));
            kinds.push(TimerKind::Page);
        }
        for kind in kinds {
            host_context.context.record.trace_timer(now, self.place, timer.flow, kind);
        }
        self.pump_sender(now, timer.slot, host_context);
        self.arm(timer.slot, timers);
    }

    /// Notifies the application when all its data has been acknowledged; a web user requests the next page later.
    fn notify_if_finished(&mut self, now: Time, slot: u32) {
        let end = &mut self.senders[slot as usize];
        if let Some(application) = end.application.as_mut().filter(|_| end.sender.is_finished()) {
            if let Some(next) = application.on_finished(now, self.measured) {
                end.page = next;
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
        let SenderEndpoint { sender, template, is_waiting, .. } = &mut self.senders[slot as usize];
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
        let Some(Transmission { body, size, ecn }) = end.sender.next_transmission(now) else { return false };
        let packet = Packet { ecn, ..end.template.packet(now, size, body) };
        if self.measured.is_open(now) {
            end.sent.count(&packet);
        }
        host_context.context.record.trace(now, self.place, &packet, TraceEvent::Send);
        host_context.send(now, end.template.departure.port, &packet);
        true
    }

    /// The sender in a slot.
    pub fn sender(&self, slot: u32) -> &Sender {
        &self.senders[slot as usize].sender
    }

    /// What the sender in a slot has counted.
    pub fn sent_counters(&self, slot: u32) -> EndpointCounters {
        self.senders[slot as usize].sent.counters()
    }

    /// What the receiver in a slot has counted.
    pub fn received_counters(&self, slot: u32) -> EndpointCounters {
        let end = &self.receivers[slot as usize];
        EndpointCounters { goodput: end.goodput, ..end.received.counters() }
    }

    /// Writes the counts into the flows' rows.
    pub fn report(self, seen: &mut Observations) {
        for end in self.senders {
            end.sent.report(&mut seen.flows[end.template.flow.index()]);
            if let Some(application) = end.application {
                application.report(end.template.flow, seen);
            }
        }
        for end in self.receivers {
            end.received.report(seen);
            seen.flows[end.template.flow.index()].goodput_bytes = end.goodput;
        }
    }
}
