//! Sent packets, and detection of lost ones.

use super::feedback::Report;
use crate::units::{Duration, Time};
use std::collections::VecDeque;

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
struct SentPacket {
    size: u32,
    sent: Time,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No report has covered the packet.
    InFlight,
    /// A report has shown at this time that the packet is missing.
    Missing(Time),
    /// Same as `Missing`, and the loss has been counted.
    Lost(Time),
    /// The packet has arrived, or reports no longer cover it.
    Done,
}

/// Information of a report about the packets in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Acknowledged {
    /// Bytes up to the newest acknowledged packet, whether lost or not.
    pub(super) bytes: u64,
    /// Whether a packet is newly declared lost.
    pub(super) has_loss: bool,
    /// Sending time of the newest packet, if it had not been acknowledged before.
    pub(super) newest_sent: Option<Time>,
}

/// Packets that were sent and not yet acknowledged.
#[derive(Clone, Debug, Default)]
pub(super) struct SentPackets {
    packets: VecDeque<SentPacket>,
    /// Number of the first packet in `packets`.
    first: u32,
    /// Number of the first packet that neither a report about it nor about a later one has acknowledged.
    unacknowledged: u32,
    in_flight: u64,
    /// Time after which a missing packet is lost [RFC8298 s4.1.2.4].
    reordering_window: Duration,
}

impl SentPackets {
    pub(super) fn push(&mut self, now: Time, size: u32) {
        self.packets.push_back(SentPacket { size, sent: now, state: State::InFlight });
        self.in_flight += u64::from(size);
    }

    /// Number of bytes after the newest acknowledged packet [RFC8298 s4.1.2].
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    #[cfg(test)]
    pub(super) fn reordering_window(&self) -> Duration {
        self.reordering_window
    }

    pub(super) fn on_report(&mut self, now: Time, report: &Report) -> Acknowledged {
        let mut acknowledged = Acknowledged::default();
        let mut reordered = None;
        for (seq, packet) in (self.first..=report.newest).zip(&mut self.packets) {
            if seq >= self.unacknowledged {
                acknowledged.bytes += u64::from(packet.size);
                acknowledged.newest_sent = Some(packet.sent);
            }
            let missing_since = match packet.state {
                State::InFlight => None,
                State::Missing(since) | State::Lost(since) => Some(since),
                State::Done => continue,
            };
            packet.state = match report.has(seq) {
                Some(true) => {
                    reordered = reordered.max(missing_since.map(|since| now.since(since)));
                    State::Done
                }
                Some(false) => missing_since.map_or(State::Missing(now), |_| packet.state),
                None => {
                    acknowledged.has_loss |= !matches!(packet.state, State::Lost(_));
                    State::Done
                }
            };
            if let State::Missing(since) = packet.state {
                if now.since(since) >= self.reordering_window {
                    acknowledged.has_loss = true;
                    packet.state = State::Lost(since);
                }
            }
        }
        self.reordering_window = reordered.unwrap_or(self.reordering_window);
        self.unacknowledged = self.unacknowledged.max(report.newest + 1);
        self.in_flight -= acknowledged.bytes;
        while self.packets.front().is_some_and(|packet| packet.state == State::Done) {
            self.packets.pop_front();
            self.first += 1;
        }
        acknowledged
    }
}
