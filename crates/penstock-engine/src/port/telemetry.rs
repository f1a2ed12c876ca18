//! In-band telemetry: a port reports its load to the senders of flows that ask for it.
//!
//! The record of a packet goes as a message that arrives at the sender before the acknowledgement of the packet does, so that packets do
//! not grow; the acknowledgement's echo of the time of sending picks the records of its packet.

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
    /// Bytes whose transmission has begun.
    sent: u64,
    /// The senders of flows, to which it reports.
    pub(super) receivers: BTreeMap<FlowId, TelemetryReceiver>,
}

/// The sender of a flow, to which records go.
#[derive(Clone, Debug)]
pub struct TelemetryReceiver {
    /// Its process, and the propagation to it by way of the flow's receiver.
    pub peer: Peer,
    /// The position of the port on the route.
    pub hop: u32,
}

impl Telemetry {
    /// The telemetry of a port of this line rate for no flow.
    pub fn new(rate: Rate) -> Telemetry {
        Telemetry { rate, sent: 0, receivers: BTreeMap::new() }
    }

    /// The transmission of a packet lasts from `start` to `end`, and `queue` bytes wait behind it.
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
