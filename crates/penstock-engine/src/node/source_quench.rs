//! ICMP Source Quench, to the sources of what a switch drops. Deprecated by RFC 6633, and kept here as the smallest feedback loop that
//! is carried by packets.

use crate::node::own_messages::OwnMessages;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::{Duration, Time};

/// Makes source quenches, at most one per interval [RFC1016; RFC1812 s4.3.2.8].
#[derive(Clone)]
pub struct SourceQuench {
    interval: Duration,
    messages: OwnMessages,
    not_before: Time,
}

impl SourceQuench {
    pub fn new(interval: Duration, messages: OwnMessages) -> SourceQuench {
        SourceQuench { interval, messages, not_before: Time::ZERO }
    }

    /// What is to be sent because `packet` is dropped, and by which port. Nothing is in answer to a quench [RFC1122 s3.2.2], nor
    /// to acknowledgements, whose source has no window to reduce.
    pub fn on_drop(&mut self, now: Time, packet: &Packet) -> Option<(u32, Packet)> {
        if now < self.not_before || OwnMessages::include(packet) || packet.body.is_from_receiver() {
            return None;
        }
        let quench = self.messages.answer_to(now, packet, |number| Body::SourceQuench { number })?;
        self.not_before = now + self.interval;
        Some(quench)
    }
}
