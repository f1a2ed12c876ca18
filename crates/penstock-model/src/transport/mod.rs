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

    /// The key that makes its packets ECN-capable, and how to write that they are not.
    pub fn ecn_setting(&self) -> (String, &'static str) {
        match self {
            // A component, which cannot be left out.
            TransportPlan::Roce(roce) => (format!("rate-control.{}", roce.rate_control.name()), "write rate-control = \"fixed\""),
            TransportPlan::Tcp(_) | TransportPlan::Udp(_) => ("ecn".to_owned(), "leave it out"),
        }
    }

    /// The key because of which its packets wait for the port; `None` where they do not, or always do.
    pub fn port_wait_setting(&self) -> Option<&'static str> {
        match self {
            TransportPlan::Tcp(tcp) => (tcp.local_queue == tcp::LocalQueue::Backpressure).then_some("local-queue"),
            TransportPlan::Udp(_) | TransportPlan::Roce(_) => None,
        }
    }

    /// The most packets that its window lets be in flight; `None` of a transport without a window.
    pub fn max_window(&self) -> Option<u32> {
        match self {
            TransportPlan::Tcp(tcp) => Some(tcp.most_outstanding()),
            TransportPlan::Udp(_) | TransportPlan::Roce(_) => None,
        }
    }

    /// Whether it sends single segments again, and so may have to do that repeatedly.
    pub fn retransmits_segments(&self) -> bool {
        matches!(self, TransportPlan::Tcp(_))
    }

    /// Whether ports on the way tell the sender of their load.
    pub fn uses_telemetry(&self) -> bool {
        matches!(self, TransportPlan::Roce(parameters) if parameters.feedback().telemetry)
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

    /// The smallest packet that either end sends; `None` where the source decides.
    pub fn smallest_packet(&self) -> Option<Bytes> {
        match self {
            TransportPlan::Tcp(parameters) => Some(parameters.header.min(parameters.packet)),
            TransportPlan::Udp(_) | TransportPlan::Roce(_) => None,
        }
    }

    /// The smallest packet that goes forward, the one that opens a connection included; `None` where the source decides.
    pub fn smallest_forward(&self) -> Option<Bytes> {
        match self {
            TransportPlan::Tcp(parameters) => Some(if parameters.syn { parameters.header } else { parameters.packet }),
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
