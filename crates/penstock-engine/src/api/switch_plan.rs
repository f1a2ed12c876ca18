//! Nodes whose ports share a buffer, pause state or congestion notification.

use penstock_model::buffer::BufferPlan;
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::parameters::Limit;
use penstock_model::units::{Bytes, Duration, Rate};

/// A node whose ports are one process, since they share a buffer or pause state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwitchPlan {
    /// The node.
    pub node: NodeId,
    /// How the ports share a buffer; each has what its queues allow if they share none.
    pub buffer: Option<SharedBufferPlan>,
    /// When the ports that feed it are paused; never if left out.
    pub pause: Option<PausePlan>,
    /// Source quenches for packets that are dropped here; none if left out.
    pub source_quench: Option<SourceQuenchPlan>,
    /// Its ports are congestion points.
    pub congestion_points: Option<CongestionPointsPlan>,
    /// Packets sent from here pass rate limiters.
    pub reaction_point: Option<ReactionPointPlan>,
}

impl SwitchPlan {
    /// A node that shares nothing yet.
    pub fn new(node: NodeId) -> SwitchPlan {
        SwitchPlan { node, ..SwitchPlan::default() }
    }

    /// The messages that it sends as packets: what they are, their size and their routes.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (&'static str, Bytes, &[MessageRoute])> {
        let quenches = self.source_quench.as_ref().map(|plan| ("source quenches", plan.packet, &plan.routes[..]));
        let points = self.congestion_points.as_ref();
        let notifications = points.map(|plan| ("messages of the congestion points", plan.point.message(), &plan.routes[..]));
        quenches.into_iter().chain(notifications)
    }
}

/// The way of messages about a flow that passes, to the source of its data or (`true`) of its acknowledgements.
pub type MessageRoute = (FlowId, bool, RouteId);

/// Congestion points at all ports of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestionPointsPlan {
    /// What they do.
    pub point: CongestionPointPlan,
    /// The ways of their messages.
    pub routes: Vec<MessageRoute>,
}

/// ICMP Source Quench, from a switch to the sources of what it drops [RFC792; RFC1016].
#[derive(Clone, Debug, PartialEq)]
pub struct SourceQuenchPlan {
    /// At most one is sent in this time.
    pub interval: Duration,
    /// Its size.
    pub packet: Bytes,
    /// For each flow whose source is quenched, the route to the source of its data.
    pub routes: Vec<MessageRoute>,
}

/// A buffer that the ports of a node share.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedBufferPlan {
    /// The policy that admits packets.
    pub policy: BufferPlan,
    /// Shares of ports, for policies that know them, in the policy's unit.
    pub shares: Vec<(LinkId, Limit)>,
}

/// PAUSE or priority flow control, from a switch to the ports that feed it [IEEE8023 s31B] [IEEE8021Qbb s36].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausePlan {
    /// The classes that are paused, each on its own; the whole link if `None`.
    pub classes: Option<Vec<u8>>,
    /// Threshold of the bytes held that came over a link (of the class): above it, the port of that link is paused.
    pub xoff: Bytes,
    /// Threshold of these bytes at or below which the port is resumed.
    pub xon: Bytes,
    /// Separate memory for packets that still arrive over a paused link (of a class), in addition to the shared buffer; if `None`, they
    /// need room in the shared buffer.
    pub headroom: Option<Bytes>,
    /// Duration of a pause in units of 512 bit times. A pause is prolonged when half of it is over.
    pub quanta: u16,
    /// The size of a pause frame.
    pub frame: Bytes,
    /// Time that the far end takes to stop, in addition to the propagation delay of the link back.
    pub processing: Duration,
}

impl PausePlan {
    /// PAUSE of whole links at these thresholds, by frames of 64 bytes that hold for as long as they can.
    pub fn new(xoff: Bytes, xon: Bytes) -> PausePlan {
        let frame = Bytes::new(64);
        PausePlan { classes: None, xoff, xon, headroom: None, quanta: u16::MAX, frame, processing: Duration::ZERO }
    }

    /// How long a pause holds on a link of this rate [IEEE8023 s31B.2].
    pub fn time(&self, rate: Rate) -> Duration {
        rate.transmission_time(Bytes::new(u64::from(self.quanta) * 512 / 8))
    }
}
