//! The receiving end.

use super::{ACKNOWLEDGEMENT, NOTIFICATION};
use crate::packet::{Body, Echo, Ecn};
use crate::transport::rate_control::Feedback;
use crate::transport::tcp::Transmission;
use crate::units::{Duration, Time};

/// A data packet as the receiver sees it.
#[derive(Clone, Copy, Debug)]
pub struct DataPacket {
    /// Its number.
    pub psn: u32,
    /// It asks for an acknowledgement.
    pub asks_for_ack: bool,
    /// Its ECN codepoint.
    pub ecn: Ecn,
    /// When it was sent.
    pub sent: Time,
}

/// The receiver of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The least time between two notifications; none without.
    interval: Option<Duration>,
    /// Acknowledgements echo when the packet was sent.
    echoes: bool,
    /// The packet that is to come next.
    expected: u32,
    /// It has been asked for by a NAK.
    is_refused: bool,
    /// The next notification is not sent before.
    next_notification: Time,
    notifications: u32,
}

impl Receiver {
    /// A receiver that has got nothing, for a sender whose rate control needs this.
    pub fn new(feedback: &Feedback) -> Receiver {
        let (interval, echoes) = (feedback.notification_interval, feedback.ack_every.is_some());
        Receiver { interval, echoes, expected: 0, is_refused: false, next_notification: Time::ZERO, notifications: 0 }
    }

    /// Packets that have come in order.
    pub fn delivered(&self) -> u32 {
        self.expected
    }

    /// A packet has come: the notification and the acknowledgement that it is answered with.
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
        // What has come before is acknowledged again: its acknowledgement may be lost [IBTA s9.7.5].
        let answers = if is_beyond_gap { !std::mem::replace(&mut self.is_refused, true) } else { asks_for_ack };
        let echo = if self.echoes { Echo::of(sent) } else { Echo::NONE };
        let body = Body::RoceAck { next: self.expected, is_nak: is_beyond_gap, echo };
        [notification, answers.then(|| control(body, ACKNOWLEDGEMENT))]
    }
}
