//! Routes, compiled into a table of hops through which packets go by index.

use penstock_model::id::{FlowId, HopId, ProcessId};
use penstock_model::prefetch::prefetch;

/// One arrival on a route.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// The process at the far end of the link.
    pub process: ProcessId,
    /// Its input for packets from this link.
    pub input: u32,
    /// The port of that process that forwards the packet; [`Hop::DELIVER`] at the end of the route.
    pub port: u32,
}

impl Hop {
    /// The packet is at its destination.
    pub const DELIVER: u32 = u32::MAX;
}

/// Where a flow's packets begin, in one direction.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The port of the sending host.
    pub port: u32,
    /// The first arrival.
    pub hop: HopId,
}

/// A flow's slots at its hosts.
#[derive(Clone, Copy, Debug)]
pub struct FlowSlots {
    /// The slot of the sending end at its host.
    pub source: u32,
    /// The slot of the receiving end at its host.
    pub sink: u32,
}

impl FlowSlots {
    /// No slots yet.
    pub const NONE: FlowSlots = FlowSlots { source: u32::MAX, sink: u32::MAX };
}

/// All routes of a run, and other data that all processes share. They never change. The position of a packet in the table of hops
/// belongs to the route on which it was sent.
#[derive(Clone, Debug)]
pub struct Routes {
    hops: Vec<Hop>,
    flows: Vec<FlowSlots>,
    /// A copy of the slot of each flow's receiving end, in a table that may fit into a cache where `flows` does not.
    sinks: Vec<u32>,
    /// Number of events after which a visit to a process ends, at the end of the instant. It does not end within an instant, since
    /// packets sent there may take no time, and their receiver must get all of them together.
    pub max_visit_events: u64,
}

impl Routes {
    /// Creates the routes of these hops, for these flows, with the limit of a visit.
    pub fn new(hops: Vec<Hop>, flows: Vec<FlowSlots>, max_visit_events: u64) -> Routes {
        let sinks = flows.iter().map(|flow| flow.sink).collect();
        Routes { hops, flows, sinks, max_visit_events }
    }

    /// Returns the entry of `hop`.
    #[inline]
    pub fn hop(&self, hop: HopId) -> Hop {
        self.hops[hop.index()]
    }

    /// Prefetches the entry of `hop`, if there is one.
    #[inline]
    pub fn prefetch_hop(&self, hop: HopId) {
        self.hops.get(hop.index()).into_iter().for_each(prefetch);
    }

    /// Prefetches the slots of `flow`.
    #[inline]
    pub fn prefetch_flow(&self, flow: FlowId) {
        self.flows.get(flow.index()).into_iter().for_each(prefetch);
        self.sinks.get(flow.index()).into_iter().for_each(prefetch);
    }

    /// Returns the slots of `flow`.
    #[inline]
    pub fn flow(&self, flow: FlowId) -> FlowSlots {
        self.flows[flow.index()]
    }

    /// Returns the slot of the receiving end of `flow`.
    #[inline]
    pub fn sink(&self, flow: FlowId) -> u32 {
        self.sinks[flow.index()]
    }
}
