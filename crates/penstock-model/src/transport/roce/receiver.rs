//! The receiving end.

use super::{ACKNOWLEDGEMENT, NOTIFICATION};
use crate::packet::{Body, Echo, Ecn};
use crate::transport::rate_control::Feedback;
use crate::transport::tcp::Transmission;
use crate::units::{Duration, Time};

/// Data packet at the receiver.
#[derive(Clone, Copy, Debug)]
pub struct DataPacket {
    /// Sequence number.
    pub psn: u32,
    /// Whether the packet requests an acknowledgement.
    pub asks_for_ack: bool,
    /// ECN codepoint.
    pub ecn: Ecn,
    /// Time at which the packet was sent.
    pub sent: Time,
}

/// The receiver of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Minimum time between two notifications; `None` without notifications.
    interval: Option<Duration>,
    /// Whether acknowledgements echo the sending time of packets.
    echoes: bool,
    /// Next packet in order.
    expected: u32,
    /// Whether a NAK has already requested that packet.
    is_refused: bool,
    /// Earliest time of the next notification.
    next_notification: Time,
    notifications: u32,
}

impl Receiver {
    /// Receiver of a new connection, whose sender's rate control needs this feedback.
    pub fn new(feedback: &Feedback) -> Receiver {
        let (interval, echoes) = (feedback.notification_interval, feedback.ack_every.is_some());
        Receiver { interval, echoes, expected: 0, is_refused: false, next_notification: Time::ZERO, notifications: 0 }
    }

    /// Number of packets that have arrived in order.
    pub fn delivered(&self) -> u32 {
        self.expected
    }

    /// Returns the notification and the acknowledgement that answer a packet.
    pub fn on_packet(&mut self, now: Time, packet: DataPacket) -> [Option<Transmission>; 2] {
        let DataPacket { psn, asks_for_ack, ecn, sent } = packet;
        let control = |body, size| Transmission { body, size, ecn: Ecn::NotEct };
        let interval = self.interval.filter(|_| ecn == Ecn::Ce && now >= self.next_notification);
        let notification = interval.map(|interval| {
            self.next_notification = now + interval;
            self.notifications += 1;
            control(Body::CongestionNotificationPacket { number: self.notifications - 1 }, NOTIFICATION)
        });
        let is_beyond_gap = psn > self.expected;
        if psn == self.expected {
            self.expected += 1;
            self.is_refused = false;
        }
        // A duplicate is acknowledged again, since its acknowledgement may have been lost [IBTA s9.7.5].
        let answers = if is_beyond_gap { !std::mem::replace(&mut self.is_refused, true) } else { asks_for_ack };
        let echo = if self.echoes { Echo::of(sent) } else { Echo::NONE };
        let body = Body::RoceAck { next: self.expected, is_nak: is_beyond_gap, echo };
        [notification, answers.then(|| control(body, ACKNOWLEDGEMENT))]
    }
}
