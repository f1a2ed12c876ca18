//! End hosts as state machines without I/O: they are told what arrived and asked what to send.

pub mod congestion_control;
mod ranges;
pub mod rate_control;
pub mod recovery;
pub mod roce;
pub mod tcp;
pub mod udp;

use crate::packet::Ecn;

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
}
