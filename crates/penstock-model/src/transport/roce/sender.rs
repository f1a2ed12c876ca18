//! The sending end.

use super::Parameters;
use crate::packet::{Body, Ecn};
use crate::transport::rate_control::RateControl;
use crate::transport::tcp::Transmission;
use crate::units::{Bytes, Rate, Time};
use std::sync::Arc;

/// The sender of a connection.
#[derive(Clone, Debug)]
pub struct Sender {
    parameters: Arc<Parameters>,
    control: RateControl,
    is_started: bool,
    /// How many packets there are to send; `u32::MAX` without an end.
    offered: u32,
    /// The next to send, the one after the last that has ever been sent, and the first that is not acknowledged.
    next: u32,
    sent: u32,
    acknowledged: u32,
    /// The earliest time of the next packet.
    next_send: Time,
    /// When the sender goes back for want of progress.
    timeout: Time,
}

impl Sender {
    /// A sender before a link of rate `line`, with nothing to send.
    pub fn new(parameters: &Arc<Parameters>, line: Rate) -> Sender {
        Sender {
            parameters: Arc::clone(parameters),
            control: RateControl::new(&parameters.rate_control, line),
            is_started: false,
            offered: 0,
            next: 0,
            sent: 0,
            acknowledged: 0,
            next_send: Time::ZERO,
            timeout: Time::NEVER,
        }
    }

    /// The application offers a message of so many packets; without an end if `None`.
    pub fn offer(&mut self, packets: Option<u32>) {
        self.offered = packets.map_or(u32::MAX, |packets| self.offered.saturating_add(packets));
    }

    /// Nothing new is sent from now on.
    pub fn withdraw(&mut self) {
        self.offered = self.sent;
    }

    /// Sending may begin.
    pub fn start(&mut self) {
        self.is_started = true;
    }

    /// Everything before `next` has been received.
    pub fn on_ack(&mut self, now: Time, next: u32) {
        if next <= self.acknowledged {
            return;
        }
        self.acknowledged = next;
        self.next = self.next.max(next);
        self.timeout = if self.sent > next { now + self.parameters.timeout } else { Time::NEVER };
    }

    /// The receiver misses packet `next`, and has got everything before it.
    pub fn on_nak(&mut self, now: Time, next: u32) {
        self.on_ack(now, next);
        self.next = self.next.min(self.acknowledged.max(next));
    }

    /// The receiver has got marked packets.
    pub fn on_notification(&mut self, now: Time) {
        self.control.on_notification(now);
    }

    /// Whether a packet leaves as soon as the rate admits it.
    fn has_next(&self) -> bool {
        self.is_started && self.next < self.offered && self.next - self.acknowledged < self.parameters.max_outstanding.0
    }

    /// Whether the window and the rate admit a packet at `now`.
    pub fn is_ready(&self, now: Time) -> bool {
        self.has_next() && self.next_send <= now
    }

    /// When the timer expires: all that is due while the sender waits for its port.
    pub fn timeout(&self) -> Time {
        self.timeout
    }

    /// Bytes of a data packet.
    pub fn packet_size(&self) -> u32 {
        self.parameters.packet.get() as u32 // at most MAX_PACKET
    }

    /// When a packet may leave, or the timer expires.
    pub fn deadline(&self) -> Time {
        if self.has_next() {
            self.timeout.min(self.next_send)
        } else {
            self.timeout
        }
    }

    /// Whether the timer has expired by `now`.
    pub fn is_timeout_due(&self, now: Time) -> bool {
        self.timeout <= now
    }

    /// Goes back if the timer has expired by `now`.
    pub fn on_deadline(&mut self, now: Time) {
        if self.is_timeout_due(now) {
            self.next = self.acknowledged;
            self.timeout = now + self.parameters.timeout;
        }
    }

    /// The packet to send at `now`, if any.
    pub fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        if !self.is_ready(now) {
            return None;
        }
        let psn = self.next;
        self.next += 1;
        let size = self.packet_size();
        self.next_send = now + self.control.rate(now).transmission_time(Bytes::new(u64::from(size)));
        self.control.on_sent(now, size);
        if self.timeout == Time::NEVER {
            self.timeout = now + self.parameters.timeout;
        }
        let retransmission = psn < self.sent;
        self.sent = self.sent.max(self.next);
        let asks_for_ack = self.next.is_multiple_of(self.parameters.ack_every.0) || self.next == self.offered;
        let ecn = if self.parameters.is_ecn_capable() { Ecn::Ect0 } else { Ecn::NotEct };
        Some(Transmission { body: Body::RoceData { psn, asks_for_ack, retransmission }, size, ecn })
    }

    /// Whether all that has been offered is acknowledged.
    pub fn is_finished(&self) -> bool {
        self.acknowledged == self.offered
    }

    /// What sets the rate.
    pub fn rate_control(&self) -> &RateControl {
        &self.control
    }

    /// The name of what sets the rate.
    pub fn rate_control_name(&self) -> &'static str {
        self.parameters.rate_control.name()
    }
}

crate::state! {
    impl Sender, |it, _now| {
        /// Packets that have been sent and are not acknowledged; after going back, those that are sent again.
        "flight", "packets", is f64::from(it.next - it.acknowledged);
    }
}
