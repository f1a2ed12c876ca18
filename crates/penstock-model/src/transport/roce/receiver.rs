//! The receiving end.

use super::{Parameters, ACKNOWLEDGEMENT, NOTIFICATION};
use crate::packet::{Body, Ecn};
use crate::transport::tcp::Transmission;
use crate::units::{Duration, Time};

/// The receiver of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The least time between two notifications; none without.
    interval: Option<Duration>,
    /// The packet that is to come next.
    expected: u32,
    /// It has been asked for by a NAK.
    is_refused: bool,
    /// The next notification is not sent before.
    next_notification: Time,
    notifications: u32,
}

impl Receiver {
    /// A receiver that has got nothing.
    pub fn new(parameters: &Parameters) -> Receiver {
        let interval = parameters.rate_control.notification_interval();
        Receiver { interval, expected: 0, is_refused: false, next_notification: Time::ZERO, notifications: 0 }
    }

    /// Packets that have come in order.
    pub fn delivered(&self) -> u32 {
        self.expected
    }

    /// A packet has come: the notification and the acknowledgement that it is answered with.
    pub fn on_packet(&mut self, now: Time, psn: u32, asks_for_ack: bool, ecn: Ecn) -> [Option<Transmission>; 2] {
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
        // What has come before is acknowledged again: its acknowledgement may be lost [IBTA s9.7.5].
        let answers = if is_beyond_gap { !std::mem::replace(&mut self.is_refused, true) } else { asks_for_ack };
        let body = Body::RoceAck { next: self.expected, is_nak: is_beyond_gap };
        [notification, answers.then(|| control(body, ACKNOWLEDGEMENT))]
    }
}
