//! In-band telemetry: a port reports its load to the senders of flows that request it.
//!
//! Packets do not grow: the record of a packet travels in a message, which reaches the sender before the acknowledgement of the packet.
//! The acknowledgement echoes the sending time of the packet, which identifies the packet's records.

use crate::kernel::message::{MessageBody, Peer, TelemetrySignal};
use crate::kernel::outputs::Outputs;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::transport::rate_control::HopRecord;
use penstock_model::units::{Rate, Time};
use std::collections::BTreeMap;

/// The telemetry of a port.
#[derive(Clone, Debug)]
pub struct Telemetry {
    rate: Rate,
    /// Bytes of packets whose transmission has begun.
    sent: u64,
    /// Senders that receive records, by flow.
    pub(super) receivers: BTreeMap<FlowId, TelemetryReceiver>,
}

/// The sender of a flow, which receives records.
#[derive(Clone, Debug)]
pub struct TelemetryReceiver {
    /// Its process, and the propagation delay to it via the flow's receiver.
    pub peer: Peer,
    /// Position of the port on the route.
    pub hop: u32,
}

impl Telemetry {
    /// Creates the telemetry of a port with this line rate, without receivers.
    pub fn new(rate: Rate) -> Telemetry {
        Telemetry { rate, sent: 0, receivers: BTreeMap::new() }
    }

    /// Reports the transmission of a packet from `start` to `end`, behind which `queue` bytes wait.
    pub fn on_transmission(&mut self, (start, end): (Time, Time), packet: &Packet, queue: u64, outputs: &mut Outputs<'_>) {
        if end == Time::NEVER {
            return;
        }
        if let Some(receiver) = self.receivers.get_mut(&packet.flow).filter(|_| packet.body.is_data()) {
            let record = HopRecord { hop: receiver.hop, queue, sent: self.sent, at: start, rate: self.rate };
            let signal = TelemetrySignal { flow: packet.flow, sent: packet.created, record };
            let body = MessageBody::Telemetry(Box::new(signal));
            outputs.send_message(end, &mut receiver.peer, body);
        }
        self.sent += u64::from(packet.size);
    }
}
