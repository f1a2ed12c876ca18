//! Messages between processes, in addition to packets. A message takes the delay of its path, which is declared when the network is
//! built, and waits in no queue. Feedback that needs bandwidth is a packet instead.

use penstock_model::edge::Signal;
use penstock_model::id::{FlowId, ProcessId};
use penstock_model::transport::rate_control::HopRecord;
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// A message in flight.
#[derive(Clone, Debug)]
pub struct Message {
    /// Arrival time.
    pub at: Time,
    /// Its place among the messages that arrive at the same time.
    pub order: MessageOrder,
    /// Its content.
    pub body: MessageBody,
}

/// The order of simultaneous messages at one process: by path, then as they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageOrder {
    /// The number of the path, as declared.
    pub path: u32,
    /// Serial number of the message on its path.
    pub number: u32,
}

impl MessageOrder {
    /// Returns the order of the first signal between the edges of an aggregate of calls. The numbers of these paths come first.
    pub fn of_call(flow: FlowId, to_egress: bool) -> MessageOrder {
        MessageOrder { path: 2 * flow.0 + u32::from(to_egress), number: 0 }
    }

    /// Returns the order of the first message on another path, number `path` of these, in a network of `flows` flows.
    pub fn beside_calls(flows: usize, path: u32) -> MessageOrder {
        MessageOrder { path: 2 * flows as u32 + path, number: 0 }
    }
}

/// The content of a message, by type. Each type names its receiver within the receiving process.
#[derive(Clone, Debug)]
pub enum MessageBody {
    /// Between the edges of an aggregate of calls.
    Call(CallSignal),
    /// PAUSE, from the far end of a port's link.
    Pause(PauseSignal),
    /// Telemetry, from a port on the route of a flow to its sender. Boxed, so that messages stay small.
    Telemetry(Box<TelemetrySignal>),
}

/// A signal between the edges of an aggregate of calls.
#[derive(Clone, Copy, Debug)]
pub struct CallSignal {
    /// The aggregate.
    pub flow: FlowId,
    /// Whether it goes from the ingress to the egress, or back.
    pub to_egress: bool,
    /// Its content.
    pub signal: Signal,
}

/// A pause frame, which stops or resumes a port or a class [IEEE8023 s31B] [IEEE8021Qbb s36].
#[derive(Clone, Copy, Debug)]
pub struct PauseSignal {
    /// Index of the port within the process.
    pub port: u32,
    /// The class; all classes if `None`.
    pub class: Option<u8>,
    /// How long the port or class must stop; zero to resume.
    pub time: Duration,
}

/// The record of a port for a packet of a flow [Li19].
#[derive(Clone, Debug)]
pub struct TelemetrySignal {
    /// The flow.
    pub flow: FlowId,
    /// Time at which the packet was sent, which identifies it within the flow.
    pub sent: Time,
    /// The record.
    pub record: HopRecord,
}

/// The messages in flight to one process, by time, then path, then the sender's order.
#[derive(Clone, Debug, Default)]
pub struct Mailbox(BTreeMap<(Time, MessageOrder), MessageBody>);

impl Mailbox {
    /// Returns the arrival time of the next message; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next(&self) -> Time {
        self.0.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at)
    }

    /// Adds a message.
    pub fn push(&mut self, Message { at, order, body }: Message) {
        let before = self.0.insert((at, order), body);
        debug_assert!(before.is_none(), "a sender numbers its messages");
    }

    /// Takes the next message.
    pub fn pop(&mut self) -> Option<Message> {
        self.0.pop_first().map(|((at, order), body)| Message { at, order, body })
    }
}

/// The receiver of the messages of a path, and their delay.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The receiving process.
    pub process: ProcessId,
    /// Propagation along the route, and processing.
    pub delay: Duration,
    /// The order of the next message.
    pub order: MessageOrder,
}
