//! The endpoints of connections whose transport keeps the contract of plug-ins.
//!
//! Either end may answer any packet at once, and a timer may send at any time: nothing is promised beyond what the minimum sizes of
//! packets give.

use crate::endpoints::connections::{Connections, ReceiverEndpoint, SenderTimers};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use penstock_model::packet::{Body, Packet};
use penstock_model::transport::connection::ConnectionSender;
use penstock_model::transport::custom::{AckPacket, DataPacket, Expiry, TransportFacts, TransportReceiver, TransportSender};
use penstock_model::transport::tcp::Transmission;
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
    /// The next deadline of an end that has been asked for packets at `now`.
    fn checked_deadline(&self, now: Time, deadline: Time) -> Time {
        let CustomTransport { name, .. } = self;
        assert!(deadline > now, "transport '{name}' has a deadline, {deadline}, that is not later than the present time, {now}");
        deadline
    }

    fn check_count(&self, sent: u32) {
        let CustomTransport { name, .. } = self;
        assert!(sent <= MOST_AT_ONCE, "transport '{name}' sends more than {MOST_AT_ONCE} packets at one instant: it never returns None");
    }

    fn check_size(&self, size: u32) {
        let (name, smallest, largest) = (self.name, self.facts.smallest_packet(), self.facts.packet());
        let is_promised = (smallest..=largest).contains(&Bytes::new(u64::from(size)));
        assert!(is_promised, "transport '{name}' sends a packet of {size} bytes; its facts say {smallest} to {largest}");
    }
}

/// The sending end.
#[derive(Clone)]
pub struct CustomSender {
    /// Its transport.
    pub transport: CustomTransport,
    /// Its state machine.
    pub sender: Box<dyn TransportSender + Send>,
    /// What the application offers when sending begins: bytes, or no end.
    pub offer: Option<u64>,
    /// Sending has begun.
    is_started: bool,
    /// How many packets it has sent since it last had nothing to send.
    sent_at_once: u32,
}

impl CustomSender {
    /// One that offers `offer` bytes when sending begins, or no end of them.
    pub fn new(transport: CustomTransport, sender: Box<dyn TransportSender + Send>, offer: Option<u64>) -> CustomSender {
        CustomSender { transport, sender, offer, is_started: false, sent_at_once: 0 }
    }

    fn offer_data(&mut self, now: Time, bytes: Option<u64>) {
        if bytes != Some(0) {
            self.sender.on_data(now, bytes);
        }
    }
}

impl SenderTimers for CustomSender {
    const TIMERS: [TimerKind; 4] = [TimerKind::CustomSender; 4];
}

impl ConnectionSender for CustomSender {
    fn deadline(&self) -> Time {
        if self.is_started {
            self.sender.deadline()
        } else {
            Time::NEVER
        }
    }

    fn on_deadline(&mut self, now: Time) -> Option<Expiry> {
        (self.deadline() <= now).then(|| self.sender.on_deadline(now))
    }

    fn start(&mut self, now: Time) {
        self.is_started = true;
        self.offer_data(now, self.offer);
    }

    fn withdraw(&mut self, now: Time) {
        if self.is_started {
            self.sender.on_stop(now);
        } else {
            self.offer = Some(0);
        }
    }

    fn offer(&mut self, now: Time, bytes: Option<u32>) {
        self.offer_data(now, bytes.map(u64::from));
    }

    fn is_finished(&self) -> bool {
        self.is_started && self.sender.is_finished()
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        self.sender.change(now, parameters);
    }

    fn is_ready(&mut self, _now: Time) -> bool {
        self.is_started
    }

    fn packet_size(&self) -> u32 {
        self.transport.facts.packet().get() as u32
    }

    fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        if !self.is_started {
            return None;
        }
        let Some(DataPacket { seq, size, retransmission, ecn, words }) = self.sender.next_packet(now) else {
            self.sent_at_once = 0;
            self.transport.checked_deadline(now, self.sender.deadline());
            return None;
        };
        self.sent_at_once += 1;
        self.transport.check_count(self.sent_at_once);
        self.transport.check_size(size);
        Some(Transmission { body: Body::TransportData { retransmission, seq, words }, size, ecn })
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
                self.respond(now, slot, timers, host_context);
            }
            _ => unreachable!("of others"),
        }
    }

    /// Handles the timer of an end.
    #[inline(never)]
    pub fn on_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        if timer.kind != TimerKind::CustomReceiver {
            return self.on_sender_timer(now, timer, timers, host_context);
        }
        let Some(end) = self.take_receiver_timer(timer) else { return };
        if end.receiver.receiver.deadline() <= now {
            end.receiver.receiver.on_deadline(now);
            self.trace_receiver_timer(now, timer, host_context);
        }
        self.pump_receiver(now, timer.slot, timers, host_context);
    }

    /// Counts what the application has got, sends whatever the receiver wants to send now, and arms its timer.
    fn pump_receiver(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let ReceiverEndpoint { receiver: CustomReceiver { transport, receiver, delivered }, armed, template, goodput, .. } =
            &mut self.receivers[slot as usize];
        let before = std::mem::replace(delivered, receiver.delivered());
        assert!(*delivered >= before, "transport '{}' takes delivered bytes back", transport.name);
        *goodput += if self.measured.is_open(now) { *delivered - before } else { 0 };
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
