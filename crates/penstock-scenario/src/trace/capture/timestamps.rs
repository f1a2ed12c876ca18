//! The timestamps option of TCP [RFC7323 s3]: the clocks of hosts, in milliseconds since the run began.

use penstock_engine::observations::{TraceEvent, TraceRow};
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;
use std::collections::BTreeMap;

/// Maximum number of packets of a flow whose echoes are kept; otherwise echoes of lost packets would stay for good.
const MOST_IN_FLIGHT: usize = 1 << 16;

/// The hosts of all flows, and the echoes of their packets in flight.
#[derive(Default)]
pub(super) struct Clocks {
    flows: BTreeMap<u32, Hosts>,
}

#[derive(Default)]
struct Hosts {
    /// TS.Recent of the sender of data.
    sender_recent: u32,
    /// TS.Recent of the receiver.
    receiver_recent: u32,
    /// Segment that the receiver has asked for last (Last.ACK.sent).
    acknowledged: u32,
    /// TSecr of packets in flight.
    echoes: BTreeMap<(Time, bool, u32), u32>,
}

/// TSval of a packet.
fn value(packet: &Packet) -> u32 {
    (packet.created.as_ps() / 1_000_000_000) as u32
}

/// Identifies a packet within its flow.
fn key(packet: &Packet) -> (Time, bool, u32) {
    (packet.created, packet.body.is_from_receiver(), packet.sequence())
}

impl Clocks {
    /// Whether a row changes what hosts know.
    pub fn need(row: &TraceRow) -> bool {
        matches!(row.event, TraceEvent::Send | TraceEvent::Receive)
    }

    /// Handles a packet that a host sends or receives.
    pub fn observe(&mut self, row: &TraceRow) {
        let Some(packet) = row.packet() else { return };
        let hosts = self.flows.entry(packet.flow.0).or_default();
        if row.event == TraceEvent::Send {
            hosts.send(packet);
        } else {
            hosts.receive(packet);
        }
    }

    /// TSval and TSecr of a packet in flight.
    pub fn of(&self, packet: &Packet) -> (u32, u32) {
        let echo = self.flows.get(&packet.flow.0).and_then(|hosts| hosts.echoes.get(&key(packet)));
        (value(packet), echo.copied().unwrap_or(0))
    }
}

impl Hosts {
    fn send(&mut self, packet: &Packet) {
        let echo = match packet.body.untagged() {
            Body::Syn { .. } => return, // TSecr is valid with ACK only [RFC7323 s3.2]
            Body::Ack { next, .. } => {
                self.acknowledged = next;
                self.receiver_recent
            }
            Body::SynAck { .. } => self.receiver_recent,
            _ => self.sender_recent,
        };
        if self.echoes.len() == MOST_IN_FLIGHT {
            self.echoes.pop_first();
        }
        self.echoes.insert(key(packet), echo);
    }

    fn receive(&mut self, packet: &Packet) {
        self.echoes.remove(&key(packet));
        match packet.body.untagged() {
            // Only from a segment that the receiver has asked for [RFC7323 s4.3 (2)]; others are beyond a hole.
            Body::Segment { seq, .. } if seq <= self.acknowledged => self.receiver_recent = value(packet),
            Body::Syn { .. } => self.receiver_recent = value(packet),
            Body::Ack { .. } | Body::SynAck { .. } => self.sender_recent = value(packet),
            _ => {}
        }
    }
}
