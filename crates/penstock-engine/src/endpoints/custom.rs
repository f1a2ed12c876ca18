//! The endpoints of connections whose transport keeps the contract of plug-ins.
//!
//! Either end may answer any packet at once, and a timer may send at any time: nothing is promised beyond what the minimum sizes of
//! packets give.

use crate::endpoints::application::Application;
use crate::endpoints::connections::{Connections, ReceiverEndpoint, Schedule, SenderEndpoint};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use penstock_model::packet::{Body, Packet};
use penstock_model::transport::custom::{AckPacket, DataPacket, Expiry, TransportFacts, TransportReceiver, TransportSender};
use penstock_model::units::{Bytes, Time};
use std::any::Any;

/// More packets at one instant are a mistake of the transport, which would never come to an end.
const MOST_AT_ONCE: u32 = 1 << 20;

/// The ends of such connections at a host.
pub type CustomEndpoints = Connections<CustomSender, CustomReceiver>;

/// The transport of an endpoint: its name, for messages, and its facts.
#[derive(Clone, Copy)]
pub struct CustomTransport {
    /// The scenario key.
    pub name: &'static str,
    /// What it promises.
    pub facts: TransportFacts,
}

impl CustomTransport {
    /// Ends the run, as the transport breaks the contract.
    #[cold]
    fn fail(&self, mistake: &str) -> ! {
        panic!("transport '{}' {mistake}", self.name)
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

/// The sending end.
#[derive(Clone)]
pub struct CustomSender {
    transport: CustomTransport,
    sender: Box<dyn TransportSender + Send>,
    /// What the application offers when sending begins: bytes, or no end.
    offer: Option<u64>,
    times: Schedule,
}

impl CustomSender {
    /// One that sends `offer` bytes from the start; without an end if `None`.
    pub fn new(transport: CustomTransport, sender: Box<dyn TransportSender + Send>, offer: Option<u64>) -> CustomSender {
        let times = Schedule { start: Time::NEVER, stop: Time::NEVER, page: Time::NEVER };
        CustomSender { transport, sender, offer, times }
    }

    /// Its state machine.
    pub fn state(&self) -> &(dyn TransportSender + Send) {
        &*self.sender
    }

    /// The name of its transport.
    pub fn name(&self) -> &'static str {
        self.transport.name
    }

    /// When something is due: one timer serves for all.
    fn deadline(&self) -> Time {
        let Schedule { start, stop, page } = self.times;
        let of_sender = if start == Time::NEVER { self.sender.deadline() } else { start };
        of_sender.min(stop).min(page)
    }

    fn offer_data(&mut self, now: Time, bytes: Option<u64>) {
        if bytes != Some(0) {
            self.sender.on_data(now, bytes);
        }
    }

    /// The application falls silent, perhaps before sending has begun.
    fn stop_data(&mut self, now: Time) {
        if self.times.start == Time::NEVER {
            self.sender.on_stop(now);
        } else {
            self.offer = Some(0);
        }
    }
}

/// The receiving end.
#[derive(Clone)]
pub struct CustomReceiver {
    transport: CustomTransport,
    receiver: Box<dyn TransportReceiver + Send>,
    /// Bytes that the application got before the last event.
    delivered: u64,
}

impl CustomReceiver {
    /// One that has received nothing.
    pub fn new(transport: CustomTransport, receiver: Box<dyn TransportReceiver + Send>) -> CustomReceiver {
        CustomReceiver { transport, receiver, delivered: 0 }
    }
}

impl CustomEndpoints {
    /// Gives the sender in this slot the changeable ones of these parameters from `now` on.
    pub fn change(&mut self, now: Time, slot: u32, parameters: &dyn Any) {
        self.senders[slot as usize].sender.sender.change(now, parameters);
    }

    /// Adds a sender that begins at `start` and whose application falls silent at `stop`; returns its slot.
    pub fn add_sender(
        &mut self,
        template: PacketTemplate,
        sender: CustomSender,
        application: Option<Box<Application>>,
        (start, stop): (Time, Time),
        timers: &mut Timers,
    ) -> u32 {
        let times = Schedule::new(start, stop, self.measured);
        let slot = self.push_sender(template, CustomSender { times, ..sender }, application);
        self.arm_sender(slot, timers);
        slot
    }

    fn arm_sender(&mut self, slot: u32, timers: &mut Timers) {
        let end = &mut self.senders[slot as usize];
        timers.arm(end.sender.deadline(), &mut end.armed, end.template.flow.0, TimerKind::CustomSender, slot);
    }

    /// Receives a packet at the end of its route.
    #[inline(never)]
    pub fn receive_packet(&mut self, now: Time, packet: &Packet, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let flow = host_context.context.routes.flow(packet.flow);
        match packet.body {
            Body::TransportData { retransmission, seq, words } => {
                let data = DataPacket { seq, size: packet.size, retransmission, ecn: packet.ecn, words };
                let end = &mut self.receivers[flow.sink as usize];
                end.receiver.receiver.on_packet(now, &data, packet.created);
                if self.measured.is_open(now) {
                    end.received.count(now, packet);
                    if end.received.is_recorded() {
                        end.receiver.receiver.frame_part(&data).into_iter().for_each(|part| end.received.record_frame(now, part));
                    }
                }
                self.pump_receiver(now, flow.sink, timers, host_context);
            }
            Body::TransportAck { next, words } => {
                let slot = flow.source;
                let ack = AckPacket { next, ecn: packet.ecn, words };
                self.senders[slot as usize].sender.sender.on_ack(now, &ack, packet.created);
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
        let counts = self.measured.is_open(now);
        let Some(end) = self.take_sender_timer(timer) else { return };
        let sender = &mut end.sender;
        let mut kinds = Vec::new();
        if sender.times.start == Time::NEVER && sender.sender.deadline() <= now {
            let is_timeout = sender.sender.on_deadline(now) == Expiry::Timeout;
            end.sent.timeouts += u64::from(is_timeout && counts);
            kinds.push(if is_timeout { TimerKind::Sender } else { TimerKind::Pacing });
        }
        if sender.times.start <= now {
            sender.times.start = Time::NEVER;
            sender.offer_data(now, sender.offer);
            kinds.push(TimerKind::Start);
        }
        if sender.times.stop <= now {
            sender.times.stop = Time::NEVER;
            sender.stop_data(now);
            end.application.iter_mut().for_each(|application| application.stop());
            kinds.push(TimerKind::Stop);
        }
        if sender.times.page <= now {
            sender.times.page = Time::NEVER;
            let bytes = end.application.as_mut().map_or(0, |application| application.next_segments(now));
            sender.offer_data(now, Some(u64::from(bytes)));
            kinds.push(TimerKind::Page);
        }
        kinds.into_iter().for_each(|kind| self.trace_timer(now, timer, kind, host_context));
        self.pump_sender(now, timer.slot, host_context);
        self.notify_if_finished(now, timer.slot);
        self.arm_sender(timer.slot, timers);
    }

    fn on_receiver_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let Some(end) = self.take_receiver_timer(timer) else { return };
        if end.receiver.receiver.deadline() <= now {
            end.receiver.receiver.on_deadline(now);
            self.trace_timer(now, timer, TimerKind::Receiver, host_context);
        }
        self.pump_receiver(now, timer.slot, timers, host_context);
    }

    /// Notifies the application when all its data has arrived; a web user requests the next page later.
    fn notify_if_finished(&mut self, now: Time, slot: u32) {
        let end = &mut self.senders[slot as usize];
        let CustomSender { sender, times, .. } = &mut end.sender;
        if let Some(application) = end.application.as_mut().filter(|_| times.start == Time::NEVER && sender.is_finished()) {
            if let Some(next) = application.on_finished(now, self.measured) {
                times.page = next;
            }
        }
    }

    /// Sends whatever the sender wants to send now.
    fn pump_sender(&mut self, now: Time, slot: u32, host_context: &mut HostContext<'_, '_>) {
        let mut count = 0;
        loop {
            let SenderEndpoint { sender: CustomSender { transport, sender, times, .. }, template, sent, .. } =
                &mut self.senders[slot as usize];
            if times.start != Time::NEVER {
                return;
            }
            let Some(DataPacket { seq, size, retransmission, ecn, words }) = sender.next_packet(now) else {
                transport.checked_deadline(now, sender.deadline());
                return;
            };
            count += 1;
            transport.check_count(count);
            transport.check_size(size);
            let packet = Packet { ecn, ..template.packet(now, size, Body::TransportData { retransmission, seq, words }) };
            if self.measured.is_open(now) {
                sent.count_many(1, size, u32::from(retransmission));
            }
            self.send(now, slot, &packet, host_context);
        }
    }

    /// Counts what the application has got, sends whatever the receiver wants to send now, and arms its timer.
    fn pump_receiver(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let ReceiverEndpoint { receiver: CustomReceiver { transport, receiver, delivered }, armed, template, goodput, .. } =
            &mut self.receivers[slot as usize];
        let before = std::mem::replace(delivered, receiver.delivered());
        let Some(new) = delivered.checked_sub(before) else { transport.fail("takes delivered bytes back") };
        *goodput += if self.measured.is_open(now) { new } else { 0 };
        let (mut count, size) = (0, transport.facts.ack().get() as u32); // at most 65,535
        while let Some(AckPacket { next, ecn, words }) = receiver.next_ack(now) {
            count += 1;
            transport.check_count(count);
            let packet = Packet { ecn, ..template.packet(now, size, Body::TransportAck { next, words }) };
            host_context.answer(now, self.place, template, &packet);
        }
        let deadline = transport.checked_deadline(now, receiver.deadline());
        timers.arm(deadline, armed, template.flow.0, TimerKind::CustomReceiver, slot);
    }
}
