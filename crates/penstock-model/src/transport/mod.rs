//! End hosts as state machines without I/O: they are told what arrived and asked what to send.

pub mod congestion_control;
mod ranges;
pub mod rate_control;
pub mod recovery;
pub mod roce;
pub mod tcp;
pub mod udp;

use crate::packet::Ecn;
use crate::units::Bytes;

crate::component_plans! {
    /// A transport with its parameters, as a scenario gives it.
    pub enum TransportPlan of "transport" {
        "tcp" => Tcp(tcp::Parameters),
        "udp" => Udp(udp::Parameters),
        "roce" => Roce(roce::Parameters),
    }
}

impl TransportPlan {
    /// The ECN codepoint of datagrams; a connection sets it for each packet.
    pub fn datagram_ecn(&self) -> Ecn {
        match self {
            TransportPlan::Tcp(_) | TransportPlan::Roce(_) => Ecn::NotEct,
            TransportPlan::Udp(parameters) => parameters.ecn.into(),
        }
    }

    /// Whether it sends packets that queues may mark instead of dropping.
    pub fn is_ecn_capable(&self) -> bool {
        match self {
            TransportPlan::Tcp(parameters) => parameters.ecn,
            TransportPlan::Roce(parameters) => parameters.is_ecn_capable(),
            TransportPlan::Udp(parameters) => parameters.ecn != udp::Codepoint::NotEct,
        }
    }

    /// Whether both ends hold their packets until the port of their host has room, instead of handing them over at once.
    pub fn waits_for_port(&self) -> bool {
        match self {
            TransportPlan::Tcp(parameters) => parameters.local_queue == tcp::LocalQueue::Backpressure,
            TransportPlan::Roce(_) => true,
            TransportPlan::Udp(_) => false,
        }
    }

    /// Whether what is lost is sent again, so that packets go back as well.
    pub fn is_reliable(&self) -> bool {
        !matches!(self, TransportPlan::Udp(_))
    }

    /// The size of a full packet; `None` where the source decides.
    pub fn packet(&self) -> Option<Bytes> {
        match self {
            TransportPlan::Tcp(parameters) => Some(parameters.packet),
            TransportPlan::Roce(parameters) => Some(parameters.packet),
            TransportPlan::Udp(_) => None,
        }
    }

    /// The largest packet that either end sends; `None` where the source decides.
    pub fn largest_packet(&self) -> Option<Bytes> {
        match self {
            TransportPlan::Tcp(parameters) => Some(parameters.packet.max(parameters.header)),
            TransportPlan::Roce(parameters) => Some(parameters.packet.max(Bytes::new(u64::from(roce::NOTIFICATION)))),
            TransportPlan::Udp(_) => None,
        }
    }

    /// The sizes of the packets that go back, in bytes; none where nothing does.
    pub fn sizes_back(&self) -> Vec<u64> {
        match self {
            TransportPlan::Tcp(parameters) => vec![parameters.header.get()],
            TransportPlan::Roce(_) => vec![u64::from(roce::ACKNOWLEDGEMENT), u64::from(roce::NOTIFICATION)],
            TransportPlan::Udp(_) => Vec::new(),
        }
    }

    /// The most packets that are in flight at once; `None` where nothing limits them.
    pub fn max_in_flight(&self) -> Option<u32> {
        match self {
            TransportPlan::Tcp(parameters) => Some(parameters.most_outstanding()),
            TransportPlan::Roce(parameters) => Some(parameters.max_outstanding.0),
            TransportPlan::Udp(_) => None,
        }
    }
}
