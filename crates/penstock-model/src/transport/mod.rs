//! End hosts as state machines without I/O: the caller passes arrivals and asks for packets to send.

pub mod congestion_control;
pub mod connection;
pub mod custom;
pub mod jitter;
mod ranges;
pub mod rate_control;
pub mod recovery;
pub mod roce;
pub mod scream;
pub mod tcp;
pub mod udp;

use self::custom::{TransportEnds, TransportFacts};
use self::jitter::JitterLaw;
use crate::packet::Ecn;
use crate::site::Site;
use crate::source::SourcePlan;
use crate::units::Bytes;
pub use custom::Transports;

crate::component_plans! {
    /// A transport with its parameters, as a scenario gives it.
    pub enum TransportPlan of "transport" open Transports {
        "tcp" => Tcp(tcp::Parameters),
        "udp" => Udp(udp::Parameters),
        "roce" => Roce(roce::Parameters),
        "scream" => Scream(scream::Parameters) shows scream::Sender::STATE,
    }
}

/// Packets of a transfer without losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferPackets {
    /// Number of data packets.
    pub count: u32,
    /// Size of data packets.
    pub data: Bytes,
    /// Size of packets without data.
    pub bare: Bytes,
    /// Whether a round trip of packets without data comes first.
    pub syn: bool,
}

impl TransportPlan {
    /// ECN codepoint of datagrams. Connections set it for each packet instead.
    pub fn datagram_ecn(&self) -> Ecn {
        match self {
            TransportPlan::Udp(parameters) => parameters.ecn.into(),
            _ => Ecn::NotEct,
        }
    }

    /// Whether the transport sends packets that queues may mark instead of dropping them.
    pub fn is_ecn_capable(&self) -> bool {
        match self {
            TransportPlan::Tcp(parameters) => parameters.both_have_ecn(),
            TransportPlan::Roce(parameters) => parameters.is_ecn_capable(),
            TransportPlan::Scream(parameters) => parameters.ecn,
            TransportPlan::Udp(parameters) => parameters.ecn != udp::Codepoint::NotEct,
            _ => self.facts().is_some_and(|facts| facts.is_ecn_capable()),
        }
    }

    /// Key of the parameter, below that of the transport, that makes packets ECN-capable, and how to turn it off; `None` if unknown.
    pub fn ecn_parameter(&self) -> Option<(String, &'static str)> {
        match self {
            TransportPlan::Tcp(_) | TransportPlan::Udp(_) | TransportPlan::Scream(_) => Some(("ecn".to_owned(), "leave it out")),
            // A component, which cannot be omitted.
            TransportPlan::Roce(roce) => Some((format!("rate-control.{}", roce.rate_control.name()), "write rate-control = \"fixed\"")),
            _ => None,
        }
    }

    /// Key of the parameter, below that of the transport, that describes a receiver without the feedback that its sender needs, and the
    /// missing feedback; `None` if none is missing.
    pub fn missing_feedback(&self) -> Option<(&'static str, String)> {
        match self {
            TransportPlan::Tcp(parameters) => Some(("ecn-echo", parameters.missing_feedback()?)),
            _ => None,
        }
    }

    /// Maximum number of packets in flight according to the window; `None` for a transport without a window.
    pub fn max_window(&self) -> Option<u32> {
        match self {
            TransportPlan::Tcp(tcp) => Some(tcp.most_outstanding()),
            _ => None,
        }
    }

    /// Whether the transport retransmits single segments, and so may send one repeatedly.
    pub fn retransmits_segments(&self) -> bool {
        matches!(self, TransportPlan::Tcp(_))
    }

    /// Distribution of the delay of each packet by the sending host; `None` without one.
    pub fn jitter(&self) -> Option<JitterLaw> {
        match self {
            TransportPlan::Tcp(parameters) => parameters.jitter,
            _ => None,
        }
    }

    /// Whether ports on the path report their load to the sender.
    pub fn uses_telemetry(&self) -> bool {
        matches!(self, TransportPlan::Roce(parameters) if parameters.feedback().telemetry)
    }

    /// Whether both ends keep their packets until the port of their host has room, instead of sending them immediately.
    pub fn waits_for_port(&self) -> bool {
        match self {
            TransportPlan::Tcp(_) => self.is_local_queue_asked_for(),
            TransportPlan::Roce(_) => true,
            _ => false,
        }
    }

    /// Whether the parameter `local-queue` requests that [packets wait](TransportPlan::waits_for_port).
    pub fn is_local_queue_asked_for(&self) -> bool {
        matches!(self, TransportPlan::Tcp(parameters) if parameters.local_queue == tcp::LocalQueue::Backpressure)
    }

    /// Whether all data arrives. Such a transport sends the data of its source as fast as it can.
    pub fn is_reliable(&self) -> bool {
        !matches!(self, TransportPlan::Udp(_) | TransportPlan::Scream(_))
    }

    /// Whether receivers answer data, so that packets also travel back.
    pub fn has_return_traffic(&self) -> bool {
        !matches!(self, TransportPlan::Udp(_))
    }

    /// Whether the transport sets the rate of its source.
    pub fn requests_rates(&self) -> bool {
        matches!(self, TransportPlan::Scream(_))
    }

    /// Whether the transport can carry data of this source.
    pub fn carries(&self, source: &SourcePlan) -> bool {
        self.is_reliable() == source.is_greedy() && (!self.requests_rates() || source.adapts_rate())
    }

    /// Properties of a transport that has [the interface of plug-ins](custom) and carries transfers; `None` for others.
    fn facts(&self) -> Option<TransportFacts> {
        match self {
            TransportPlan::Custom(custom) => Some(custom.facts()),
            TransportPlan::Tcp(_) | TransportPlan::Udp(_) | TransportPlan::Roce(_) | TransportPlan::Scream(_) => None,
        }
    }

    /// Both ends of a connection of a transport that has [the interface of plug-ins](custom), for this source of a flow at `site`; `None`
    /// for others.
    pub fn ends(&self, source: &SourcePlan, site: &Site) -> Option<TransportEnds> {
        match self {
            TransportPlan::Scream(parameters) => Some(parameters.ends(source, site)),
            TransportPlan::Custom(custom) => Some(TransportEnds { facts: custom.facts(), ..custom.build(&site.child("transport")) }),
            TransportPlan::Tcp(_) | TransportPlan::Udp(_) | TransportPlan::Roce(_) => None,
        }
    }

    /// Size of a full packet; `None` if the source decides.
    pub fn packet(&self) -> Option<Bytes> {
        match self {
            TransportPlan::Tcp(parameters) => Some(parameters.packet),
            TransportPlan::Roce(parameters) => Some(parameters.packet),
            _ => self.facts().map(|facts| facts.packet()),
        }
    }

    /// Minimum size of the packets of a sender; `None` if the source decides.
    pub fn smallest_packet(&self) -> Option<Bytes> {
        match self {
            TransportPlan::Tcp(parameters) if parameters.syn => Some(parameters.header),
            TransportPlan::Tcp(parameters) => Some(parameters.packet),
            TransportPlan::Roce(parameters) => Some(parameters.packet),
            _ => self.facts().map(|facts| facts.smallest_packet()),
        }
    }

    /// Maximum size of the packets of either end with this source; `None` if the sizes are unbounded.
    pub fn largest_packet(&self, source: &SourcePlan) -> Option<Bytes> {
        let data = self.packet().or_else(|| source.largest_packet())?;
        Some(self.sizes_back().into_iter().map(Bytes::new).fold(data, Ord::max))
    }

    /// Sizes of the packets that travel back, in bytes; empty if there are none.
    pub fn sizes_back(&self) -> Vec<u64> {
        match self {
            TransportPlan::Tcp(parameters) => vec![parameters.header.get()],
            TransportPlan::Roce(_) => vec![u64::from(roce::ACKNOWLEDGEMENT), u64::from(roce::NOTIFICATION)],
            TransportPlan::Scream(parameters) => vec![parameters.report.get()],
            _ => self.facts().iter().map(|facts| facts.ack().get()).collect(),
        }
    }

    /// Packets of a transfer of this size; `None` for a transport that carries no transfers.
    pub fn transfer_packets(&self, size: Bytes) -> Option<TransferPackets> {
        let packets = |packet: Bytes, header: Bytes| saturated(size.get().div_ceil(packet.get() - header.get()));
        match self {
            TransportPlan::Tcp(parameters) => {
                let tcp::Parameters { packet, header, syn, .. } = *parameters;
                Some(TransferPackets { count: packets(packet, header), data: packet, bare: header, syn })
            }
            TransportPlan::Roce(parameters) => {
                let roce::Parameters { packet, header, .. } = *parameters;
                let bare = Bytes::new(u64::from(roce::ACKNOWLEDGEMENT));
                Some(TransferPackets { count: packets(packet, header), data: packet, bare, syn: false })
            }
            _ => self.facts().map(|facts| facts.transfer_packets(size)),
        }
    }

    /// Maximum number of packets in flight; `None` if no limit is known.
    pub fn max_in_flight(&self) -> Option<u32> {
        match self {
            TransportPlan::Tcp(parameters) => Some(parameters.most_outstanding()),
            TransportPlan::Roce(parameters) => Some(parameters.max_outstanding.0),
            _ => None,
        }
    }

    /// Components of a sender that have state variables: the kind of each, and its name unless the kind has a single component.
    pub fn components(&self) -> Vec<(&'static str, &'static str)> {
        match self {
            TransportPlan::Tcp(parameters) => vec![("tcp", ""), ("congestion-control", parameters.congestion_control_plan().name())],
            TransportPlan::Roce(parameters) => vec![("roce", ""), ("rate-control", parameters.rate_control.name())],
            TransportPlan::Udp(_) => Vec::new(),
            _ => vec![(TransportPlan::OF, self.name())],
        }
    }
}

/// Converts a number of packets, saturating at the maximum.
fn saturated(packets: u64) -> u32 {
    u32::try_from(packets).unwrap_or(u32::MAX)
}
