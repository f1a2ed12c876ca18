//! The endpoints of connections whose transport is a plug-in's.
//!
//! Either end may answer any packet at once, and a timer may send at any time: nothing is promised beyond what the minimum sizes of
//! packets give.

use crate::api::observations::{Observations, TraceEvent};
use crate::endpoints::application::Application;
use crate::endpoints::counts::{EndpointCounters, Received, Sent};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use crate::kernel::journal::Measurement;
use penstock_model::packet::{Body, Packet};
use penstock_model::transport::custom::{AckPacket, DataPacket, Expiry, TransportFacts, TransportReceiver, TransportSender};
use penstock_model::units::{Bytes, Time};

/// More packets at one instant are a mistake of the plug-in, which would never come to an end.
const MOST_AT_ONCE: u32 = 1 << 20;

/// Senders and receivers, each in its slot.
#[derive(Clone)]
pub struct CustomEndpoints {
    /// The place of the node in traces.
    place: u32,
    measured: Measurement,
    senders: Vec<SenderEndpoint>,
    receivers: Vec<ReceiverEndpoint>,
}

/// The transport of an endpoint: its name, for messages, and its facts.
#[derive(Clone, Copy)]
pub struct CustomTransport {
    /// The scenario key.
    pub name: &'static str,
    /// What it promises.
    pub facts: TransportFacts,
}

impl CustomTransport {
    /// Ends the run, as the plug-in does not keep to the contract.
    #[cold]
    fn fail(&self, mistake: &str) -> ! {
        panic!("transport '{}' of a plug-in {mistake}", self.name)
    }

    /// The next deadline of an end that has been asked for packets at `now`.
    fn checked_deadline(&self, now: Time, deadline: Time) -> Time {
        if deadline <= now {
            self.fail(&format!("has a deadline, {deadline}, that is not later than the present time, {now}"));
        }
        deadline
    }

    fn check_count(&self, sent: u32) {
        if sent > MOST_AT_ONCE {
            self.fail(&format!("sends more than {MOST_AT_ONCE} packets at one instant: it never returns None"));
        }
    }

    fn check_size(&self, size: u32) {
        let (smallest, largest) = (self.facts.smallest_packet(), self.facts.packet());
        if !(smallest..=largest).contains(&Bytes::new(u64::from(size))) {
            self.fail(&format!("sends a packet of {size} bytes; its facts say {smallest} to {largest}"));
        }
    }
}

#[derive(Clone)]
struct SenderEndpoint {
    transport: CustomTransport,
    sender: Box<dyn TransportSender + Send>,
    armed: Time,
    template: PacketTemplate,
    sent: Sent,
    application: Option<Box<Application>>,
    /// What the application offers when sending begins: bytes, or no end.
    offer: Option<u64>,
    /// When sending begins, when the application falls silent, and when it offers its next page; never, once that is over.
    start: Time,
    stop: Time,
    page: Time,
}

impl SenderEndpoint {
    /// When something is due: one timer serves for all.
    fn deadline(&self) -> Time {
        let of_sender = if self.start == Time::NEVER { self.sender.deadline() } else { self.start };
        of_sender.min(self.stop).min(self.page)
    }

    fn offer_data(&mut self, now: Time, bytes: Option<u64>) {
        if bytes != Some(0) {
            self.sender.on_data(now, bytes);
        }
    }

    /// The application falls silent, perhaps before sending has begun.
    fn stop_data(&mut self, now: Time) {
        if self.start == Time::NEVER {
            self.sender.on_stop(now);
        } else {
            self.offer = Some(0);
        }
    }
}

#[derive(Clone)]
struct ReceiverEndpoint {
    transport: CustomTransport,
    receiver: Box<dyn TransportReceiver + Send>,
    armed: Time,
    template: PacketTemplate,
    received: Received,
    /// Bytes that the application got before the last event, and in the measurement period.
    delivered: u64,
    goodput: u64,
}

/// A sender and its description, for [`CustomEndpoints::add_sender`].
pub struct NewSender {
    /// The transport.
    pub transport: CustomTransport,
    /// What all packets have in common.
    pub template: PacketTemplate,
    /// The sending end.
    pub sender: Box<dyn TransportSender + Send>,
    /// The application that waits until all its data has arrived, if there is one.
    pub application: Option<Box<Application>>,
    /// Bytes to send from the start; without an end if `None`.
    pub offer: Option<u64>,
    /// When sending begins.
    pub start: Time,
    /// When the application falls silent.
    pub stop: Time,
}

impl CustomEndpoints {
    /// Both ends of a connection, but what they keep themselves.
    pub const BYTES_OF_A_FLOW: usize = size_of::<SenderEndpoint>() + size_of::<ReceiverEndpoint>();

    /// None yet.
    pub fn new(place: u32, measured: Measurement) -> CustomEndpoints {
        CustomEndpoints { place, measured, senders: Vec::new(), receivers: Vec::new() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.senders.is_empty() && self.receivers.is_empty()
    }

    /// Adds a sender; returns its slot.
    pub fn add_sender(&mut self, new: NewSender, timers: &mut Timers) -> u32 {
        let NewSender { transport, template, sender, application, offer, start, stop } = new;
        let slot = self.senders.len() as u32;
        let stop = if stop < self.measured.to { stop } else { Time::NEVER };
        let (armed, page, sent) = (Time::NEVER, Time::NEVER, Sent::default());
        self.senders.push(SenderEndpoint { transport, sender, armed, template, sent, application, offer, start, stop, page });
        self.arm_sender(slot, timers);
        slot
    }

    /// Adds a receiver; returns its slot.
    pub fn add_receiver(
        &mut self,
        transport: CustomTransport,
        template: PacketTemplate,
        receiver: Box<dyn TransportReceiver + Send>,
        received: Received,
    ) -> u32 {
        self.receivers.push(ReceiverEndpoint { transport, receiver, armed: Time::NEVER, template, received, delivered: 0, goodput: 0 });
        self.receivers.len() as u32 - 1
    }

    fn arm_sender(&mut self, slot: u32, timers: &mut Timers) {
        let end = &mut self.senders[slot as usize];
        timers.arm(end.deadline(), &mut end.armed, end.template.flow.0, TimerKind::CustomSender, slot);
    }

    /// Receives a packet at the end of its route.
    #[inline(never)]
    pub fn receive_packet(&mut self, now: Time, packet: &Packet, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let flow = host_context.context.routes.flow(packet.flow);
        match packet.body {
            Body::TransportData { retransmission, seq, words } => {
                let data = DataPacket { seq, size: packet.size, retransmission, ecn: packet.ecn, words };
                let end = &mut self.receivers[flow.sink as usize];
                end.receiver.on_packet(now, &data, packet.created);
                if self.measured.is_open(now) {
                    end.received.count(now, packet);
                }
                self.pump_receiver(now, flow.sink, timers, host_context);
            }
            Body::TransportAck { next, words } => {
                let slot = flow.source;
                let ack = AckPacket { next, ecn: packet.ecn, words };
                self.senders[slot as usize].sender.on_ack(now, &ack, packet.created);
                self.pump_sender(now, slot, host_context);
                self.notify_if_finished(now, slot);
                self.arm_sender(slot, timers);
            }
            _ => unreachable!("of others"),
        }
    }

    /// Handles the timer of an end.
    #[inline(never)]
    pub fn on_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        if timer.kind == TimerKind::CustomReceiver {
            return self.on_receiver_timer(now, timer, timers, host_context);
        }
        let end = &mut self.senders[timer.slot as usize];
        if end.armed != timer.at {
            return;
        }
        end.armed = Time::NEVER;
        let mut kinds = Vec::new();
        if end.start == Time::NEVER && end.sender.deadline() <= now {
            let is_timeout = end.sender.on_deadline(now) == Expiry::Timeout;
            end.sent.timeouts += u64::from(is_timeout && self.measured.is_open(now));
            kinds.push(if is_timeout { TimerKind::Sender } else { TimerKind::Pacing });
        }
        if end.start <= now {
            end.start = Time::NEVER;
            end.offer_data(now, end.offer);
            kinds.push(TimerKind::Start);
        }
        if end.stop <= now {
            end.stop = Time::NEVER;
            end.stop_data(now);
            end.application.iter_mut().for_each(|application| application.stop());
            kinds.push(TimerKind::Stop);
        }
        if end.page <= now {
            end.page = Time::NEVER;
            let bytes = end.application.as_mut().map_or(0, |application| application.next_segments(now));
            end.offer_data(now, Some(u64::from(bytes)));
            kinds.push(TimerKind::Page);
        }
        for kind in kinds {
            host_context.context.record.trace_timer(now, self.place, timer.flow, kind);
        }
        self.pump_sender(now, timer.slot, host_context);
        self.notify_if_finished(now, timer.slot);
        self.arm_sender(timer.slot, timers);
    }

    fn on_receiver_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let end = &mut self.receivers[timer.slot as usize];
        if end.armed != timer.at {
            return;
        }
        end.armed = Time::NEVER;
        if end.receiver.deadline() <= now {
            end.receiver.on_deadline(now);
            host_context.context.record.trace_timer(now, self.place, timer.flow, TimerKind::Receiver);
        }
        self.pump_receiver(now, timer.slot, timers, host_context);
    }

    /// Notifies the application when all its data has arrived; a web user requests the next page later.
    fn notify_if_finished(&mut self, now: Time, slot: u32) {
        let end = &mut self.senders[slot as usize];
        if let Some(application) = end.application.as_mut().filter(|_| end.start == Time::NEVER && end.sender.is_finished()) {
            if let Some(next) = application.on_finished(now, self.measured) {
                end.page = next;
            }
        }
    }

    /// Sends whatever the sender wants to send now.
    fn pump_sender(&mut self, now: Time, slot: u32, host_context: &mut HostContext<'_, '_>) {
        let SenderEndpoint { transport, sender, template, sent, start, .. } = &mut self.senders[slot as usize];
        if *start != Time::NEVER {
            return;
        }
        let mut count = 0;
        while let Some(DataPacket { seq, size, retransmission, ecn, words }) = sender.next_packet(now) {
            count += 1;
            transport.check_count(count);
            transport.check_size(size);
            let packet = Packet { ecn, ..template.packet(now, size, Body::TransportData { retransmission, seq, words }) };
            if self.measured.is_open(now) {
                sent.count_many(1, size, u32::from(retransmission));
            }
            host_context.context.record.trace(now, self.place, &packet, TraceEvent::Send);
            host_context.send(now, template.departure.port, &packet);
        }
        transport.checked_deadline(now, sender.deadline());
    }

    /// Counts what the application has got, sends whatever the receiver wants to send now, and arms its timer.
    fn pump_receiver(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let end = &mut self.receivers[slot as usize];
        let delivered = end.receiver.delivered();
        let Some(new) = delivered.checked_sub(end.delivered) else { end.transport.fail("takes delivered bytes back") };
        end.delivered = delivered;
        end.goodput += if self.measured.is_open(now) { new } else { 0 };
        let (mut count, size) = (0, end.transport.facts.ack().get() as u32); // at most 65,535
        while let Some(AckPacket { next, ecn, words }) = end.receiver.next_ack(now) {
            count += 1;
            end.transport.check_count(count);
            let packet = Packet { ecn, ..end.template.packet(now, size, Body::TransportAck { next, words }) };
            host_context.answer(now, self.place, &end.template, &packet);
        }
        let deadline = end.transport.checked_deadline(now, end.receiver.deadline());
        timers.arm(deadline, &mut end.armed, end.template.flow.0, TimerKind::CustomReceiver, slot);
    }

    /// The sender in a slot.
    pub fn sender(&self, slot: u32) -> &(dyn TransportSender + Send) {
        &*self.senders[slot as usize].sender
    }

    /// The name of the transport of the sender in a slot.
    pub fn name(&self, slot: u32) -> &'static str {
        self.senders[slot as usize].transport.name
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
